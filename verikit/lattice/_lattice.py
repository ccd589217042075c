"""The lattice of generalization levels, columns on each level, and counts of classes at a node."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from verikit import table
from verikit._support.arrays import Flags, Floats, Rows, Values
from verikit._support.requests import whole
from verikit.errors import SchemaError, quoted
from verikit.hierarchy import Hierarchy
from verikit.partition import MAX_COUNTERS, Judge, Requirement, is_monotone, value_codes
from verikit.table import Column, Microdata, Missing
from verikit.words import count, listed, text

Node: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Lattice:
    """All ways of generalizing whole columns: a node names one level of each quasi-identifier.

    Level 0 publishes a column as it is, its last level is the root of the hierarchy. A node's
    parents generalize one column one level further; its children one level less.

    Parameters
    ----------
    names
        The quasi-identifiers.
    heights
        The last level of each.

    References
    ----------
    [KS]_ section 2.2, Figure 2

    Examples
    --------
    >>> lattice = Lattice(("Race", "Zip"), (1, 2))
    >>> len(lattice), lattice.top, lattice.at(2)
    (6, (1, 2), ((0, 2), (1, 1)))
    >>> lattice.parents((0, 1)), lattice.levels((0, 1))
    (((1, 1), (0, 2)), {'Race': 0, 'Zip': 1})
    """

    names: tuple[str, ...]
    heights: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse names and heights that do not fit together."""
        object.__setattr__(self, "names", tuple(map(text, self.names)))
        object.__setattr__(self, "heights", tuple(map(int, self.heights)))
        if len(self.names) != len(self.heights) or not self.names or min(self.heights) < 0:
            raise SchemaError(
                f"A lattice needs a height from 0 up for each column; got the columns "
                f"{listed(self.names) or 'none'} and the heights {list(self.heights)}."
            )

    @classmethod
    def of(cls, data: Microdata) -> Lattice:
        """The lattice of a table's quasi-identifiers, each of which needs a hierarchy."""
        columns = table.require_microdata(data, "Lattice.of").schema.quasi
        if not columns:
            raise SchemaError(
                "The table has no quasi-identifier, so there is nothing to generalize; declare at "
                "least one column 'quasi'."
            )
        bare = [column.name for column in columns if column.hierarchy is None]
        if bare:
            raise SchemaError(
                f"The quasi-identifiers {listed(bare, 12)} have no hierarchy; give each one "
                "(verikit.Hierarchy), or another role."
            )
        heights = tuple(c.hierarchy.height for c in columns if c.hierarchy is not None)
        return cls(tuple(column.name for column in columns), heights)

    def __len__(self) -> int:
        return math.prod(self.shape)

    def __iter__(self) -> Iterator[Node]:
        nodes = np.indices(self.shape).reshape(len(self.shape), -1)
        lowest_first = np.argsort(nodes.sum(axis=0), kind="stable")
        yield from map(tuple, nodes.T[lowest_first].tolist())

    def __contains__(self, node: object) -> bool:
        return (
            isinstance(node, tuple)
            and len(node) == len(self.heights)
            and all(
                isinstance(level, (int, np.integer)) and 0 <= level <= height
                for level, height in zip(node, self.heights, strict=True)
            )
        )

    def __repr__(self) -> str:
        return f"Lattice({count(len(self), 'node')} over {', '.join(self.names)})"

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of levels of each column."""
        return tuple(height + 1 for height in self.heights)

    @property
    def height(self) -> int:
        """The height of the top: the sum of all last levels."""
        return sum(self.heights)

    @property
    def bottom(self) -> Node:
        """The node that publishes every column as it is."""
        return (0,) * len(self.heights)

    @property
    def top(self) -> Node:
        """The node that publishes nothing but the roots."""
        return self.heights

    def at(self, height: int) -> tuple[Node, ...]:
        """All nodes of one height, in ascending order."""
        return tuple(_nodes_of_height(self.heights, height))

    def parents(self, node: Node) -> tuple[Node, ...]:
        """The nodes one level more general."""
        return tuple(
            (*node[:place], level + 1, *node[place + 1 :])
            for place, level in enumerate(node)
            if level < self.heights[place]
        )

    def children(self, node: Node) -> tuple[Node, ...]:
        """The nodes one level more specific."""
        return tuple(
            (*node[:place], level - 1, *node[place + 1 :])
            for place, level in enumerate(node)
            if level > 0
        )

    def levels(self, node: Node) -> dict[str, int]:
        """A node as levels by column."""
        return dict(zip(self.names, node, strict=True))

    def node(self, levels: Mapping[str, int]) -> Node:
        """Levels by column as a node, checked to name each column and an existing level of it."""
        lacking = [name for name in self.names if name not in levels]
        unknown = [name for name in levels if name not in self.names]
        if lacking or unknown:
            raise SchemaError(
                f"Levels must name each of {listed(self.names, 12)}; they lack "
                f"{listed(lacking) or 'none'} and name {listed(unknown) or 'none'} besides. Level "
                "0 publishes a column as it is."
            )
        for name, height in zip(self.names, self.heights, strict=True):
            whole(levels[name], f"The level of {quoted(name)}", 0, height, field=name)
        return tuple(int(levels[name]) for name in self.names)

    def minimal(self, safe: frozenset[Node]) -> tuple[Node, ...]:
        """Those of the given nodes that have no child among them, lowest first."""
        return tuple(
            node
            for node in sorted(safe, key=lambda node: (sum(node), node))
            if not any(child in safe for child in self.children(node))
        )


def _nodes_of_height(heights: tuple[int, ...], total: int) -> Iterator[Node]:
    if len(heights) == 1:
        if 0 <= total <= heights[0]:
            yield (total,)
        return
    rest = sum(heights[1:])
    for level in range(max(0, total - rest), min(heights[0], total) + 1):
        for tail in _nodes_of_height(heights[1:], total - level):
            yield (level, *tail)


class ColumnLevels(NamedTuple):
    """A column's records as codes of its values, and the node of each value on each level.

    ``names[h][nodes[h][codes]]`` writes the column on level ``h``. A missing value has no name;
    it is a node of its own below the root and belongs to the root.
    """

    codes: Rows
    nodes: tuple[Rows, ...]
    names: tuple[tuple[str | None, ...], ...]


def column_levels(data: Microdata, column: Column) -> ColumnLevels:
    """Code a column on every level of its hierarchy, or name the values that the tree lacks."""
    tree = cast("Hierarchy", column.hierarchy)
    codes, values = value_codes(data, column.name)
    known = [text(value) for value in values if value is not None]
    lacking = tree.missing(known)
    if lacking:
        raise SchemaError(
            f"The hierarchy of {column.name!r} lacks {listed(lacking, 12)}, which the table holds; "
            "add each as a leaf."
        )
    rows: list[list[str | None]] = [
        [tree.levels[value][level] for value in known] for level in range(tree.height + 1)
    ]
    if len(known) < len(values):
        rows = [[*row, None] for row in rows[:-1]] + [[*rows[-1], tree.root]]
    nodes, names = [], []
    for row in rows:
        numbers = {name: number for number, name in enumerate(dict.fromkeys(row))}
        nodes.append(np.array([numbers[name] for name in row], np.intp))
        names.append(tuple(numbers))
    return ColumnLevels(codes, tuple(nodes), tuple(names))


MAX_CODE = 1 << 62


class Coded(NamedTuple):
    """Numbers from 0 to below ``size``, one a row: rows with equal numbers belong together."""

    codes: Rows
    size: int


class Half(NamedTuple):
    """The labels of one half of the columns, and how many records stand in failing classes."""

    codes: npt.NDArray[np.int32]
    size: int
    short: int


def combine_codes(parts: Sequence[Coded], rows: int) -> Coded:
    """Number the combinations of several codings, as digits of one number."""
    codes, size = np.zeros(rows, np.intp), 1
    for part in parts:
        if size * part.size >= MAX_CODE:
            codes, size = number_densely(Coded(codes, size))
        codes, size = codes * part.size + part.codes, size * part.size
    return Coded(codes, size)


def number_densely(coded: Coded) -> Coded:
    """The same classes in the same order, numbered without gaps."""
    if coded.size > MAX_COUNTERS:
        found, codes = np.unique(coded.codes, return_inverse=True)
        return Coded(codes, len(found))
    used = np.zeros(coded.size, np.bool_)
    used[coded.codes] = True
    numbers = np.cumsum(used) - 1
    return Coded(numbers[coded.codes], int(numbers[-1]) + 1)


def reduce_rows(codings: Sequence[Coded], judge: Judge) -> tuple[Rows, Rows, Rows, Judge]:
    """Keep one row for each combination of known and judged values, with the number of records.

    Given are the combination of each record, those that occur, the first record of each, and what
    judges classes of these.
    """
    hidden = [Coded(part.codes, len(part.values)) for part in judge.hidden]
    whole = combine_codes([*codings, *hidden], len(codings[0].codes)).codes
    keys, first, weights = np.unique(whole, return_index=True, return_counts=True)
    return whole, keys, first, judge.take(first, weights.astype(np.float64))


class Asked(NamedTuple):
    """What is searched for.

    ``judge`` judges classes of all records, of which ``allowed`` may stand in failing ones; a
    search ``prunes`` where one table that is safe tells that others are.
    """

    judge: Judge
    allowed: int
    prunes: bool


def read_asked(
    data: Microdata,
    requirements: Sequence[Requirement],
    suppression: float | None,
    missing: Missing,
) -> Asked:
    """Read what is asked for; as many records as k may be suppressed where nothing is said."""
    judge = Judge.of(data, requirements, missing, "The search")
    table.refuse_missing(data, data.schema.quasi, missing)
    allowed = judge.k if suppression is None else table.most_records(suppression, len(data))
    prunes = is_monotone(requirements, allowed)
    if prunes:
        judge.refuse_unreachable()
    return Asked(judge, allowed, prunes)


class Tally:
    """Counts classes of equal labels for the nodes of one table's lattice.

    The records are reduced to their distinct combinations of values, with weights. A node's
    combined code is put together from two halves of the columns; there are few different halves,
    and each is coded once, so that a node costs one pass and one count.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy.
    requirements
        What each class must meet.
    suppression
        The share of records that may stand in classes that do not; None for as many as k.
    missing
        ``"refuse"``, or ``"own value"``: missing counts as a value that the root covers too.
    """

    def __init__(
        self,
        data: Microdata,
        requirements: Sequence[Requirement],
        suppression: float | None,
        missing: Missing,
    ) -> None:
        table.require_table(data, "The search")
        self.lattice = Lattice.of(data)
        self.asked = asked = read_asked(data, requirements, suppression, missing)
        self.records, self.allowed, self.prunes = len(data), asked.allowed, asked.prunes
        self.requirements = asked.judge.requirements
        columns = [column_levels(data, column) for column in data.schema.quasi]
        codings = [Coded(column.codes, len(column.nodes[0])) for column in columns]
        self._whole, self._keys, first, self.judge = reduce_rows(codings, asked.judge)
        self.weights = cast("Floats", self.judge.weights)
        self._columns = [
            [
                Coded(nodes[column.codes[first]], len(names))
                for nodes, names in zip(column.nodes, column.names, strict=True)
            ]
            for column in columns
        ]
        # halve the columns so that both halves have few combinations of levels
        shape = self.lattice.shape
        self.cut = min(
            range(len(shape)),
            key=lambda cut: (math.prod(shape[:cut]) + math.prod(shape[cut:]), cut),
        )
        self._halves: dict[tuple[bool, Node], Half] = {}

    def column_codes(self, place: int, level: int) -> Coded:
        """One column on one level, for the distinct combinations."""
        return self._columns[place][level]

    def half_classes(self, left: bool, levels: Node) -> Half:
        """The labels of the left or the right half of the columns on the given levels."""
        key = (left, levels)
        if key not in self._halves:
            columns = self._columns[: self.cut] if left else self._columns[self.cut :]
            parts = [column[level] for column, level in zip(columns, levels, strict=True)]
            coded = number_densely(combine_codes(parts, len(self.weights)))
            short = self._count_short(coded)
            self._halves[key] = Half(coded.codes.astype(np.int32), coded.size, short)
        return self._halves[key]

    def classes(self, node: Node) -> Coded:
        """The class of each distinct combination at a node; some numbers may be unused."""
        left, right = (
            self.half_classes(True, node[: self.cut]),
            self.half_classes(False, node[self.cut :]),
        )
        size = left.size * right.size
        codes: Rows = np.multiply(left.codes, right.size, dtype=np.intp)
        codes += right.codes
        return Coded(codes, size) if size <= MAX_COUNTERS else number_densely(Coded(codes, size))

    def count_short(self, node: Node) -> int:
        """The number of records in classes that miss a requirement at a node."""
        return self._count_short(self.classes(node))

    def measure_cost(self, node: Node) -> int:
        """The discernibility of a node (see `discernibility`)."""
        return discernibility(*self.judge.judge(*self.classes(node)), self.records)

    def labels(self, node: Node) -> Rows:
        """The class of every record at a node, numbered without gaps."""
        codes = number_densely(self.classes(node)).codes
        return codes[np.searchsorted(self._keys, self._whole)]

    def _count_short(self, coded: Coded) -> int:
        sizes, met = self.judge.judge(*coded)
        return int(sizes[~met].sum())


def discernibility(sizes: Values, met: Flags, records: int) -> int:
    """What it costs to tell records apart no better than this.

    Each record costs the size of its class; a suppressed one, from a class that does not meet what
    is asked for, costs the whole table.

    Examples
    --------
    >>> discernibility(np.array([3.0, 2.0, 1.0]), np.array([True, True, False]), records=6)
    19
    """
    kept = sizes[met].astype(np.int64)
    return int((kept * kept).sum()) + records * int(sizes[~met].sum())
