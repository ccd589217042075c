"""One part of a release: columns that were published together, counted block by block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Rows, Values
from verikit.query._ascending import Ascending, ascending
from verikit.query._bound import Leaf, Tree, sorted_out
from verikit.query._columns import Columns, Picked, Tally, counted

__all__ = ["Known", "Part"]

OFTEN = 50  # questions; counting all cells in advance takes as long as some hundred of them


class Known(NamedTuple):
    """By block how many of its records meet something: at least, expected, at most.

    ``pairs`` is the expected number of ordered pairs of records that both do, which gives the
    variance; None where it has no closed form.
    """

    low: Values
    mean: Values
    high: Values
    pairs: Values | None

    @classmethod
    def exactly(cls, count: Values) -> Known:
        """Counts that are certain; their pairs follow from them (see `pairs_of`)."""
        return cls(count, count, count, None)

    @property
    def exact(self) -> bool:
        """Whether the counts are certain."""
        return self.low is self.high

    def pairs_of(self, places: Values | slice) -> Values | None:
        """The pairs in some blocks, of certain counts too."""
        if self.exact:
            count = self.low[places]
            return count * (count - 1.0)
        return None if self.pairs is None else self.pairs[places]

    def of_people(self, people: Values, rows: Values) -> Known:
        """What people meet of what rows do, if any of the rows may be theirs and the rest nobody's.

        People have a random choice of the rows of their block.
        """
        low = np.maximum(self.low - (rows - people), 0)
        high = np.minimum(self.high, people)
        mean = self.mean * (people / np.maximum(rows, 1))
        pairs = self.pairs_of(slice(None))
        if pairs is not None:
            pairs = pairs * (people * (people - 1.0) / np.maximum(rows * (rows - 1.0), 1))
        return Known(low, mean, high, pairs)


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
    people
        By block how many of its rows belong to people, the others being nobody's; None where all
        do. Which they are is not known, and what is nobody's meets nothing.
    """

    def __init__(
        self,
        columns: Columns,
        names: Sequence[str],
        labels: Rows | None,
        groups: int,
        common: frozenset[str] = frozenset(),
        *,
        people: Values | None = None,
    ) -> None:
        self.columns, self.names, self.labels, self.groups = columns, tuple(names), labels, groups
        self.common, self.people = common, people
        if people is not None:
            self.rows = np.bincount(self.blocks_of_rows(), minlength=groups)
        self._tallies: dict[str, Tally] = {}
        self._asked: Counter[str] = Counter()
        self._ascending: dict[str, tuple[Ascending, Ascending] | None] = {}
        if common and labels is not None:
            self._first = Picked(columns, np.unique(labels, return_index=True)[1])

    def __len__(self) -> int:
        return len(self.columns.codes(self.names[0]))

    def blocks_of_rows(self) -> Rows:
        """The block of each row, also where there is one only."""
        return np.zeros(len(self), np.intp) if self.labels is None else self.labels

    def chance_of_people(self) -> Values:
        """With what chance each row belongs to a person."""
        if self.people is None:
            return np.ones(len(self))
        return (self.people / np.maximum(self.rows, 1))[self.blocks_of_rows()]

    def known(self, tree: Tree | None) -> Known:
        """How many people of each block meet a tree, by three-valued logic row by row."""
        found = self._of_blocks(tree) if self.common else self._of_rows(tree)
        return found if self.people is None else found.of_people(self.people, self.rows)

    def ascending(self, name: str) -> tuple[Ascending, Ascending] | None:
        """A column's values in ascending order inside each block, and the negated ones.

        None where a cell is not one number.
        """
        if name not in self._ascending:
            self._ascending[name] = self._sorted(name)
        return self._ascending[name]

    def _sorted(self, name: str) -> tuple[Ascending, Ascending] | None:
        coded, labels = self.columns[name], self.blocks_of_rows()
        if not coded.clear or coded.missing:
            return None
        values = coded.ends().low[coded.codes]
        up, down = (ascending(sign * values, labels, self.groups) for sign in (1.0, -1.0))
        return None if up is None or down is None else (up, down)

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
        """The counts of a column; they are worth making once it was asked about often."""
        if self.labels is None:
            return None
        self._asked[name] += 1
        if self._asked[name] == OFTEN and Tally.pays(self.columns[name], self.groups):
            self._tallies[name] = Tally(self.columns[name], self.labels, self.groups)
        return self._tallies.get(name)
