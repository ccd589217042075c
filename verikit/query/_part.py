"""Count block by block, in columns that were published together, who meets a condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Rows, Values
from verikit.query._columns import Columns, PickedRows, Tally, count
from verikit.query._tree import Leaf, Tree, group_parts

__all__ = ["Ascending", "MatchCounts", "Part", "center_blocks", "sort_blocks"]

MIN_QUESTIONS = 50  # counting all cells in advance takes as long as some hundred of them
MAX_EXACT = 2.0**53  # whole numbers up to it are added without rounding
MAX_BLOCK = 1000  # of numbers with fractions


class MatchCounts(NamedTuple):
    """By block how many of its records meet something: at least, expected, at most.

    ``pairs`` is the expected number of ordered pairs of records that both do, which gives the
    variance; None where it has no closed form.
    """

    low: Values
    mean: Values
    high: Values
    pairs: Values | None

    @classmethod
    def exactly(cls, count: Values) -> MatchCounts:
        """Hold counts that are certain; their pairs follow from them (see `pairs_in`)."""
        return cls(count, count, count, None)

    @property
    def exact(self) -> bool:
        """Whether the counts are certain."""
        return self.low is self.high

    def pairs_in(self, places: Values | slice) -> Values | None:
        """Find the pairs in some blocks, of certain counts too."""
        if self.exact:
            count = self.low[places]
            return count * (count - 1.0)
        return None if self.pairs is None else self.pairs[places]

    def of_people(self, people: Values, rows: Values) -> MatchCounts:
        """Count the people who meet what rows do, some of which are dummy rows, nobody's.

        People have a random choice of the rows of their block, so that their number among the
        rows that meet it follows a hypergeometric distribution.
        """
        low = np.maximum(self.low - (rows - people), 0)
        high = np.minimum(self.high, people)
        mean = self.mean * (people / np.maximum(rows, 1))
        pairs = self.pairs_in(slice(None))
        if pairs is not None:
            pairs = pairs * (people * (people - 1.0) / np.maximum(rows * (rows - 1.0), 1))
        return MatchCounts(low, mean, high, pairs)


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
        By block how many of its rows belong to people, the others being dummy rows, nobody's; None
        where all do. Which they are is not known, and what is nobody's meets nothing.
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
        self._questions: Counter[str] = Counter()
        self._ascending: dict[str, tuple[Ascending, Ascending] | None] = {}
        if common and labels is not None:
            self._first = PickedRows(columns, np.unique(labels, return_index=True)[1])

    def __len__(self) -> int:
        return len(self.columns.codes(self.names[0]))

    def blocks_of_rows(self) -> Rows:
        """Find the block of each row, also where there is one only."""
        return np.zeros(len(self), np.intp) if self.labels is None else self.labels

    def chance_of_people(self) -> Values:
        """Find the chance of each row that it belongs to a person."""
        if self.people is None:
            return np.ones(len(self))
        return (self.people / np.maximum(self.rows, 1))[self.blocks_of_rows()]

    def count(self, tree: Tree | None) -> MatchCounts:
        """Count the people of each block who meet a tree, by three-valued logic row by row.

        What differs inside blocks is counted; what is the same in a block is asked once.
        """
        own, common = self._split(tree)
        if own is None:
            found = MatchCounts.exactly(np.bincount(self.blocks_of_rows(), minlength=self.groups))
        elif isinstance(own, Leaf) and (tally := self._find_tally(own.name)) is not None:
            found = MatchCounts.exactly(tally.count(own.values))
        else:
            match = self.columns.match(own)
            low = count(self.labels, match.surely, self.groups)
            found = MatchCounts.exactly(low)
            if not match.clear:
                mean = count(self.labels, match.share, self.groups)
                found = MatchCounts(low, mean, count(self.labels, match.perhaps, self.groups), None)
        if common is not None:
            match = self._first.match(common)
            low, mean, high = (n * share for n, share in zip(found[:3], match, strict=True))
            exact = match.clear  # then counts of whole blocks and of none
            found = MatchCounts.exactly(low) if exact else MatchCounts(low, mean, high, None)
        return found if self.people is None else found.of_people(self.people, self.rows)

    def ascending(self, name: str) -> tuple[Ascending, Ascending] | None:
        """Sort a column's values inside each block, and the negated ones.

        None where a cell is not one number.
        """
        if name not in self._ascending:
            coded, labels = self.columns[name], self.blocks_of_rows()
            both = None
            if coded.clear and not coded.missing:
                values = coded.ends().low[coded.codes]
                up, down = (sort_blocks(sign * values, labels, self.groups) for sign in (1.0, -1.0))
                both = None if up is None or down is None else (up, down)
            self._ascending[name] = both
        return self._ascending[name]

    def _split(self, tree: Tree | None) -> tuple[Tree | None, Tree | None]:
        """Split a tree into what differs inside blocks and what is the same in each."""
        if tree is None or not self.common:
            return tree, None
        if tree.columns <= self.common:
            return None, tree
        if isinstance(tree, Leaf) or not tree.every:
            return tree, None
        halves = dict(group_parts(tree.parts, lambda p: p.columns <= self.common, every=True))
        return halves.get(False), halves.get(True)

    def _find_tally(self, name: str) -> Tally | None:
        """Find the counts of a column; they are worth making once it was asked about often."""
        if self.labels is None:
            return None
        self._questions[name] += 1
        if self._questions[name] == MIN_QUESTIONS and Tally.pays(self.columns[name], self.groups):
            self._tallies[name] = Tally(self.columns[name], self.labels, self.groups)
        return self._tallies.get(name)


class Sums(NamedTuple):
    """Sums as two parts, the second being what rounding takes from the first."""

    high: Floats
    rest: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Ascending:
    """The values of each block, lowest first.

    Parameters
    ----------
    values
        Block after block.
    starts
        Where each block begins.
    sums
        By place the values of its block up to it.
    center, apart
        The average of each block, and the squared distances of its values from it, added up.
    """

    values: Floats
    starts: Rows
    sums: Sums
    center: Floats
    apart: Floats

    def sum_lowest(self, blocks: Rows, counts: Values) -> list[float]:
        """Sum some of the lowest values of some blocks, as numbers to be added up."""
        some = counts > 0
        places = self.starts[blocks[some]] + counts[some] - 1
        rest = self.sums.rest[places]
        return [*self.sums.high[places].tolist(), *rest[rest != 0].tolist()]

    def count_below(self, number: float) -> Values:
        """Count by block the values that are less than a number."""
        found: Values = np.add.reduceat(np.append(self.values < number, 0), self.starts)
        return found


def sort_blocks(values: Floats, labels: Rows, groups: int) -> Ascending | None:
    """Sort the values of each block; None where adding them up in advance would not be exact.

    Costs one sort of the values; a question then costs as much as there are blocks.

    Examples
    --------
    >>> found = sort_blocks(np.array([40.0, 30.0, 80.0]), np.array([0, 0, 1]), 2)
    >>> found.sum_lowest(np.array([0, 1]), np.array([2, 1]))
    [70.0, 80.0]
    """
    sizes = np.bincount(labels, minlength=groups)
    if not len(values) or sizes.min() == 0 or np.isnan(values).any():
        return None
    order = np.lexsort((values, labels))
    starts = np.cumsum(sizes) - sizes
    inside = values[order]
    whole = bool((inside == np.floor(inside)).all()) and float(np.abs(inside).sum()) < MAX_EXACT
    if not whole and sizes.max() > MAX_BLOCK:
        return None
    if whole:
        up_to = np.cumsum(inside)
        before = np.repeat(up_to[starts] - inside[starts], sizes)
        sums = Sums(up_to - before, np.broadcast_to(0.0, len(inside)))
    else:
        sums = _add_exactly(inside, starts, sizes)
    return Ascending(inside, starts, sums, *center_blocks(values, labels, groups))


def center_blocks(values: Floats, labels: Rows, groups: int) -> tuple[Floats, Floats]:
    """Find the average of each block, and add up its values' squared distances from it."""
    center = np.bincount(labels, values, groups) / np.bincount(labels, minlength=groups)
    apart: Any = np.bincount(labels, (values - center[labels]) ** 2, groups)
    return center, apart


def _add_exactly(values: Floats, starts: Rows, sizes: Values) -> Sums:
    """Add up one place of all blocks after another, and beside it what each addition rounds off.

    The rounding error of a sum of two numbers is itself a number (Knuth's two-sum).
    """
    high, rest = values.copy(), np.zeros(len(values))
    by_size = np.argsort(-sizes, kind="stable")
    fewer = np.searchsorted(-sizes[by_size], -np.arange(sizes.max()), side="left")
    for place in range(1, int(sizes.max())):
        at = starts[by_size[: fewer[place]]] + place
        before, value = high[at - 1], values[at]
        total = before + value
        lost = total - before
        high[at] = total
        rest[at] = rest[at - 1] + ((before - (total - lost)) + (value - lost))
    return Sums(high, rest)
