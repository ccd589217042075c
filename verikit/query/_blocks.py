"""All that questions need of a release: its blocks, and the columns published together in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from verikit.errors import SchemaError
from verikit.query._bound import Joined, Leaf, Tree, sorted_out
from verikit.query._cells import Rows
from verikit.query._columns import Columns, Picked, Tally, counted
from verikit.query._promise import promise_of
from verikit.release import SplitRelease, TableRelease
from verikit.table import Column, Microdata, Schema

__all__ = ["Blocks", "Known", "Part", "blocks"]

Counts: TypeAlias = npt.NDArray[Any]


class Known(NamedTuple):
    """By block how many of its records meet something: at least, expected, at most.

    ``pairs`` is the expected number of ordered pairs of records that both do, which gives the
    variance; None where it has no closed form.
    """

    low: Counts
    mean: Counts
    high: Counts
    pairs: Counts | None

    @classmethod
    def exactly(cls, count: Counts) -> Known:
        """Counts that are certain; their pairs follow from them (see `pairs_of`)."""
        return cls(count, count, count, None)

    @property
    def exact(self) -> bool:
        """Whether the counts are certain."""
        return self.low is self.high

    def pairs_of(self, places: Counts | slice) -> Counts | None:
        """The pairs in some blocks, of certain counts too."""
        if self.exact:
            count = self.low[places]
            return count * (count - 1.0)
        return None if self.pairs is None else self.pairs[places]


class Part:
    """Columns that were published together, and the block of each of their rows.

    Parameters
    ----------
    columns
        The columns.
    names
        Which of them are meant.
    labels
        The block of each row; None where there is one block only.
    groups
        The number of blocks.
    common
        The names of columns that say the same in all rows of a block.
    """

    def __init__(
        self,
        columns: Columns,
        names: Sequence[str],
        labels: Rows | None,
        groups: int,
        common: frozenset[str] = frozenset(),
    ) -> None:
        self.columns, self.names, self.labels, self.groups = columns, tuple(names), labels, groups
        self.common = common
        self._tallies: dict[str, Tally | None] = {}
        if common and labels is not None:
            self._first = Picked(columns, np.unique(labels, return_index=True)[1])

    def __len__(self) -> int:
        return len(self.columns.codes(self.names[0]))

    def blocks_of_rows(self) -> Rows:
        """The block of each row, also where there is one only."""
        return np.zeros(len(self), np.intp) if self.labels is None else self.labels

    def known(self, tree: Tree | None) -> Known:
        """How many rows of each block meet a tree, by three-valued logic row by row."""
        return self._of_blocks(tree) if self.common else self._of_rows(tree)

    def _of_rows(self, tree: Tree | None) -> Known:
        if tree is None:
            return Known.exactly(np.bincount(self.blocks_of_rows(), minlength=self.groups))
        if isinstance(tree, Leaf) and (tally := self._tally(tree.name)) is not None:
            return Known.exactly(tally.count(tree.values))
        held = self.columns.rows(tree)
        low = counted(self.labels, held.surely, self.groups)
        if held.clear:
            return Known.exactly(low)
        mean, high = (counted(self.labels, part, self.groups) for part in held[1:])
        return Known(low, mean, high, None)

    def _of_blocks(self, tree: Tree | None) -> Known:
        """What differs inside blocks is counted; what is the same in a block is asked once."""
        own, common = self._halves(tree)
        count = self._of_rows(own)
        if common is None:
            return count
        held = self._first.rows(common)
        low, mean, high = (number * part for number, part in zip(count[:3], held, strict=True))
        return Known(low, mean, high, None) if not held.clear else Known.exactly(low)

    def _halves(self, tree: Tree | None) -> tuple[Tree | None, Tree | None]:
        if tree is None or self._same(tree):
            return None, tree
        if isinstance(tree, Leaf) or not tree.every:
            return tree, None
        halves = dict(sorted_out(tree.parts, self._same, every=True))
        return halves.get(False), halves.get(True)

    def _same(self, tree: Tree) -> bool:
        return tree.columns <= self.common

    def _tally(self, name: str) -> Tally | None:
        """The counts of a column; the first question is not worth keeping them."""
        if self.labels is None:
            return None
        if name not in self._tallies:
            self._tallies[name] = None
        elif self._tallies[name] is None and Tally.pays(self.columns[name], self.groups):
            self._tallies[name] = Tally(self.columns[name], self.labels, self.groups)
        return self._tallies[name]


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """A release as questions see it.

    Parameters
    ----------
    sizes
        The number of records in each block.
    parts
        The columns that were published together; each holds every record of a block once, and
        nothing is known of how the rows of two parts belong together inside a block.
    schema
        All columns.
    promise
        What the publisher promises (see `promise_of`).
    method
        What the method is called.
    together
        Rows of all columns that are better evidence for an estimate than chance inside blocks.
    """

    sizes: Counts
    parts: tuple[Part, ...]
    schema: Schema
    promise: str
    method: str = ""
    together: Part | None = None
    home: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Find the part of each column."""
        home = {name: place for place, part in enumerate(self.parts) for name in part.names}
        object.__setattr__(self, "home", home)

    def __len__(self) -> int:
        return int(self.sizes.sum())

    def scale(self, name: str) -> Column:
        """A column as its cells are read."""
        column = self.schema[name]
        if column.kind != "nominal":
            return column
        return self.parts[self.home[name]].columns[name].scale

    def homes(self, tree: Tree) -> frozenset[int]:
        """The parts that a tree asks."""
        return frozenset(self.home[name] for name in tree.columns)

    def sorted_out(self, tree: Joined) -> list[tuple[frozenset[int], Tree]]:
        """The branches of a tree, those that ask one and the same part put together."""
        mixed = [part for part in tree.parts if len(self.homes(part)) > 1]
        alone = [part for part in tree.parts if len(self.homes(part)) == 1]
        found = sorted_out(alone, self.homes, every=tree.every)
        return [*found, *((self.homes(part), part) for part in mixed)]


@singledispatch
def blocks(release: object) -> Blocks:
    """The blocks of a release; a new kind of release registers its own.

    Examples
    --------
    >>> import verikit as vk
    >>> found = blocks(vk.published("lhcc_table4"))
    >>> found.sizes.tolist(), [part.names for part in found.parts]
    ([5, 4], [('Age',), ('Sex',), ('Disease',)])
    """
    raise SchemaError(
        f"A query was put to {type(release).__name__}; expected a release, such as one that "
        "verikit.open_release gives."
    )


@blocks.register
def _plain(data: Microdata) -> Blocks:
    return _one_part(data.frame, data.schema, promise_of(data))


@blocks.register
def _table(release: TableRelease) -> Blocks:
    promise, schema = promise_of(release), release.schema
    if promise != "another order":
        return _one_part(release.frame, schema, promise, release.method)
    columns = Columns(release.frame, schema)
    parts = tuple(Part(columns, (name,), None, 1) for name in schema.names)
    rows = Part(columns, schema.names, None, 1)
    return Blocks(np.array([len(release)]), parts, schema, promise, release.method, rows)


def _one_part(frame: Any, schema: Schema, promise: str, method: str = "") -> Blocks:
    """All columns published together: one block, or one for each class of open cells."""
    columns = Columns(frame, schema, withheld=promise == "covers")
    vague = [name for name in schema.names if not _plainly(frame[name]) and not columns[name].clear]
    if not vague:
        part = Part(columns, schema.names, None, 1)
        return Blocks(np.array([len(frame)]), (part,), schema, promise, method)
    labels = _classes(columns, vague)
    sizes = np.bincount(labels)
    part = Part(columns, schema.names, labels, len(sizes), frozenset(vague))
    return Blocks(sizes, (part,), schema, promise, method)


def _plainly(values: Any) -> bool:
    """Whether a column is seen to hold single numbers only, without coding it."""
    return values.dtype.kind in "iuf" and not values.hasnans


def _classes(columns: Columns, names: Sequence[str]) -> Rows:
    labels: Counts = np.zeros(len(columns.codes(names[0])), np.int64)
    for name in names:
        keys = labels * (len(columns[name].cells) + 1) + columns.codes(name)
        labels = np.unique(keys, return_inverse=True)[1]
    return labels


@blocks.register
def _split(release: SplitRelease) -> Blocks:
    promise, sizes = promise_of(release), release.sizes
    known = [column.name for column in release.known]
    hidden = [column.name for column in release.schema.sensitive]
    withheld = promise == "covers"
    parts: list[Part] = []
    for frame, schema, names, labels in (
        (release.quasi, release.quasi_schema, known, release.labels.quasi),
        (release.sensitive, release.sensitive_schema, hidden, release.labels.sensitive),
    ):
        columns = Columns(frame, schema, withheld=withheld)
        apart = [[name] for name in names] if release.permuted else [names]
        parts += [Part(columns, some, labels, len(sizes)) for some in apart]
    return Blocks(sizes, tuple(parts), release.schema, promise, release.method)
