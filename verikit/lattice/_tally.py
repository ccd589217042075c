"""How many records share their labels, at any node of the lattice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Floats, Rows
from verikit.lattice._lattice import Lattice, Node
from verikit.lattice._levels import column_levels
from verikit.table import Microdata, Missing, checked_table, group_size, refuse_missing

__all__ = ["Coded", "Tally", "dense", "discernibility", "joined", "weighed"]


CELLS = 1 << 20  # arrays of counters up to this length are cheaper than sorting
LIMIT = 1 << 62


class Coded(NamedTuple):
    """Numbers from 0 to below ``size``, one a row: rows with equal numbers belong together."""

    codes: Rows
    size: int


class Half(NamedTuple):
    """The labels of one half of the columns, and how many records stand in classes below k."""

    codes: npt.NDArray[np.int32]
    size: int
    short: int


def joined(parts: Sequence[Coded], rows: int) -> Coded:
    """Number the combinations of several codings, as digits of one number."""
    codes, size = np.zeros(rows, np.intp), 1
    for part in parts:
        if size * part.size >= LIMIT:
            codes, size = dense(Coded(codes, size))
        codes, size = codes * part.size + part.codes, size * part.size
    return Coded(codes, size)


def dense(coded: Coded) -> Coded:
    """The same classes in the same order, numbered without gaps."""
    if coded.size > CELLS:
        found, codes = np.unique(coded.codes, return_inverse=True)
        return Coded(codes, len(found))
    used = np.zeros(coded.size, np.bool_)
    used[coded.codes] = True
    numbers = np.cumsum(used) - 1
    return Coded(numbers[coded.codes], int(numbers[-1]) + 1)


def weighed(coded: Coded, weights: Floats) -> Floats:
    """The total weight of each class."""
    return np.asarray(np.bincount(coded.codes, weights), np.float64)


class Tally:
    """Counts classes of equal labels for the nodes of one table's lattice.

    The records are reduced to their distinct combinations of values, with weights. A node's
    combined code is put together from two halves of the columns; there are few different halves,
    and each is coded once, so that a node costs one pass and one count.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy.
    k
        The size that a class must reach.
    missing
        ``"refuse"``, or ``"own value"``: missing counts as a value that the root covers too.
    """

    def __init__(self, data: Microdata, k: int, missing: Missing) -> None:
        checked_table(data, "The search")
        self.lattice = Lattice.of(data)
        self.k = group_size(k, len(data))
        refuse_missing(data, data.schema.quasi, missing)
        self.records = len(data)
        columns = [column_levels(data, column) for column in data.schema.quasi]
        self._whole = joined([Coded(c.codes, len(c.nodes[0])) for c in columns], len(data)).codes
        self._keys, first, weights = np.unique(self._whole, return_index=True, return_counts=True)
        self.weights = weights.astype(np.float64)
        self._columns = [
            [
                Coded(nodes[column.codes[first]], len(names))
                for nodes, names in zip(column.nodes, column.names, strict=True)
            ]
            for column in columns
        ]
        self.cut = _even_cut(self.lattice.shape)
        self._halves: dict[tuple[bool, Node], Half] = {}

    def column(self, place: int, level: int) -> Coded:
        """One column on one level, for the distinct combinations."""
        return self._columns[place][level]

    def half(self, left: bool, levels: Node) -> Half:
        """The labels of the left or the right half of the columns on the given levels."""
        key = (left, levels)
        if key not in self._halves:
            columns = self._columns[: self.cut] if left else self._columns[self.cut :]
            parts = [column[level] for column, level in zip(columns, levels, strict=True)]
            coded = dense(joined(parts, len(self.weights)))
            short = self._short(weighed(coded, self.weights))
            self._halves[key] = Half(coded.codes.astype(np.int32), coded.size, short)
        return self._halves[key]

    def classes(self, node: Node) -> Coded:
        """The class of each distinct combination at a node; some numbers may be unused."""
        left, right = self.half(True, node[: self.cut]), self.half(False, node[self.cut :])
        size = left.size * right.size
        codes: Rows = np.multiply(left.codes, right.size, dtype=np.intp)
        codes += right.codes
        return Coded(codes, size) if size <= CELLS else dense(Coded(codes, size))

    def sizes(self, node: Node) -> Floats:
        """The number of records in each class at a node; 0 for unused numbers."""
        return weighed(self.classes(node), self.weights)

    def short(self, node: Node) -> int:
        """The number of records in classes of fewer than k at a node."""
        return self._short(self.sizes(node))

    def cost(self, node: Node) -> int:
        """The discernibility of a node (see `discernibility`)."""
        return discernibility(self.sizes(node), self.k, self.records)

    def labels(self, node: Node) -> Rows:
        """The class of every record at a node, numbered without gaps."""
        return self.spread(dense(self.classes(node)).codes)

    def spread(self, codes: Rows) -> Rows:
        """Codes of the distinct combinations, given to all records."""
        return codes[np.searchsorted(self._keys, self._whole)]

    def _short(self, sizes: Floats) -> int:
        return int(sizes[sizes < self.k].sum())


def discernibility(sizes: Floats, k: int, records: int) -> int:
    """What it costs to tell records apart no better than this.

    Each record costs the size of its class; a suppressed one, from a class of fewer than k, costs
    the whole table.

    Examples
    --------
    >>> discernibility(np.array([3.0, 2.0, 1.0]), k=2, records=6)
    19
    """
    kept = sizes[sizes >= k].astype(np.int64)
    return int((kept * kept).sum()) + records * int(sizes[sizes < k].sum())


def _even_cut(shape: tuple[int, ...]) -> int:
    """Where to halve the columns so that both halves have few combinations of levels."""
    return min(
        range(len(shape)), key=lambda cut: (math.prod(shape[:cut]) + math.prod(shape[cut:]), cut)
    )
