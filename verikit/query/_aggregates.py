"""Bound an aggregate: its values are some surely, and of others so many of each block."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum, inf

import numpy as np

from verikit._support.arrays import Flags, Floats, Rows, Values
from verikit.query._assignment import Links
from verikit.query._blocks import Ascending, Matches
from verikit.query._counting import Counting, Options
from verikit.query._tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The records that may belong to a selection, by block, with the values they may have.

    Parameters
    ----------
    labels
        The block of each record, in ascending order; inside a block the lowest value first.
    surely
        Which records belong to every selection.
    low, high
        The least and the greatest value of each record.
    least, most
        By block how many of the records without certainty belong to a selection.
    """

    labels: Rows
    surely: Flags
    low: Floats
    high: Floats
    least: Values
    most: Values

    def negate(self) -> Selection:
        """Negate all values, so that every greatest is a least."""
        return sort_selection(replace(self, low=-self.high, high=-self.low))

    @property
    def empty(self) -> bool:
        """Whether no record can belong to a selection."""
        return not self.surely.any() and not self.most.any()

    @property
    def certain(self) -> bool:
        """Whether some record belongs to every selection."""
        return bool(self.surely.any() or self.least.any())

    def find_least_sum(self) -> float:
        """The certain values, as many others as there must be, and of the rest the negative."""
        place, low = self._rank_open(), self.low
        must = place < self.least[self.labels]
        helps = (place < self.most[self.labels]) & (low < 0)
        return fsum(low[self.surely | must | helps])

    def find_least_average(self) -> float:
        """The certain values and those there must be, then others while they lower the average."""
        place, low = self._rank_open(), self.low
        forced = self.surely | (place < self.least[self.labels])
        rest = np.sort(low[~forced & (place < self.most[self.labels])])
        start = float(low[forced].sum()), int(np.count_nonzero(forced))
        sizes = start[1] + np.arange(len(rest) + 1)
        totals = start[0] + np.append(0.0, np.cumsum(rest))
        averages = np.where(sizes > 0, totals, inf) / np.maximum(sizes, 1)
        taken = int(np.argmin(averages))
        return fsum([*low[forced], *rest[:taken]]) / int(sizes[taken])

    def find_least_minimum(self) -> float:
        """Find the smallest value that may belong to a selection."""
        return float(self.low[self.surely | (self._rank_open() < self.most[self.labels])].min())

    def find_least_maximum(self) -> float:
        """Find the smallest that the largest value of a selection can be."""
        forced = self.surely | (self._rank_open() < self.least[self.labels])
        return float(self.low[forced].max()) if forced.any() else self.find_least_minimum()

    def _rank_open(self) -> Rows:
        """Rank each record among those of its block without certainty, from 0."""
        open_before: Rows = np.cumsum(~self.surely) - ~self.surely
        starts = np.searchsorted(self.labels, np.arange(len(self.most)))
        first = np.append(open_before, 0)[np.minimum(starts, len(open_before))]
        return open_before - first[self.labels]


@dataclass(frozen=True, slots=True, eq=False)
class BlockSelection:
    """So many values of each block, whichever they are: nothing is asked of the column's part.

    Parameters
    ----------
    lowest, highest
        The values of each block in ascending order, and the negated ones.
    blocks
        The blocks of which some values may be meant.
    least, most
        How many of each at least and at most.
    """

    lowest: Ascending
    highest: Ascending
    blocks: Rows
    least: Values
    most: Values

    @classmethod
    def of_hits(cls, ends: tuple[Ascending, Ascending], hits: Matches) -> BlockSelection:
        """Select so many values of each block as records there meet what other parts are asked."""
        chosen = np.flatnonzero(hits.high)
        least = np.rint(hits.low[chosen]).astype(np.int64)
        most = least if hits.exact else np.rint(hits.high[chosen]).astype(np.int64)
        return cls(*ends, chosen, least, most)

    def negate(self) -> BlockSelection:
        """Negate all values, so that every greatest is a least."""
        return replace(self, lowest=self.highest, highest=self.lowest)

    @property
    def empty(self) -> bool:
        """Whether no record can belong to a selection."""
        return not len(self.blocks)

    @property
    def certain(self) -> bool:
        """Whether some record belongs to every selection."""
        return bool(self.least.any())

    def find_least_sum(self) -> float:
        """As many values of each block as there must be, and of the rest the negative ones."""
        counts = self.least
        if self.least is not self.most:
            below = self.lowest.count_below(0)[self.blocks]
            counts = np.clip(below, self.least, self.most)
        return fsum(self.lowest.sum_lowest(self.blocks, counts))

    def find_least_average(self) -> float:
        """Find the least sum, if the number of values is known; else record by record."""
        if self.least is not self.most:
            return self._list_records().find_least_average()
        return self.find_least_sum() / int(self.least.sum())

    def find_least_minimum(self) -> float:
        """Find the smallest value that may belong to a selection."""
        return float(self.lowest.values[self.lowest.starts[self.blocks]].min())

    def find_least_maximum(self) -> float:
        """Find the smallest that the largest value of a selection can be."""
        some = self.least > 0
        if not some.any():
            return self.find_least_minimum()
        places = self.lowest.starts[self.blocks[some]] + self.least[some] - 1
        return float(self.lowest.values[places].max())

    def _list_records(self) -> Selection:
        starts = self.lowest.starts
        sizes = np.diff(np.append(starts, len(self.lowest.values)))[self.blocks]
        labels = np.repeat(np.arange(len(sizes)), sizes)
        first = np.repeat(starts[self.blocks] - (np.cumsum(sizes) - sizes), sizes)
        low = self.lowest.values[first + np.arange(len(labels))]
        return Selection(labels, np.zeros(len(low), bool), low, low, self.least, self.most)


def sort_selection(choice: Selection) -> Selection:
    """Sort the records in the order that a selection promises."""
    order = np.lexsort((choice.low, choice.labels))
    return replace(
        choice,
        labels=choice.labels[order],
        surely=choice.surely[order],
        low=choice.low[order],
        high=choice.high[order],
    )


def select_by_record(
    counting: Counting, name: str, tree: Tree | None, options: Options
) -> Selection:
    """Select the records that may be meant by an aggregate of a column over a tree.

    A record without a value of the column takes part in the conditions and not in the aggregate;
    where its value was withheld, it may have any.
    """
    part, hits = counting.blocks.parts[counting.blocks.home[name]], counting.count(tree)
    coded, labels, groups = part.columns[name], part.blocks_of_rows(), part.groups
    gone, perhaps = np.isnan(options.low), options.perhaps
    surely = options.surely & (part.chance_of_people() == 1)
    least, most = (np.rint(count).astype(np.int64) for count in (hits.low, hits.high))
    unsaid = coded.withheld & (part.columns.codes(name) == len(coded.cells))
    most = most - np.bincount(labels[surely & gone], minlength=groups)
    least = least - np.bincount(labels[perhaps & gone | unsaid & surely], minlength=groups)
    rows = np.flatnonzero(perhaps & ~gone)
    sure = (surely & ~unsaid)[rows]
    forced = np.bincount(labels[rows][sure], minlength=groups)
    free = np.bincount(labels[rows][~sure], minlength=groups)
    least, most = (np.clip(count - forced, 0, free) for count in (least, most))
    return sort_selection(
        Selection(labels[rows], sure, options.low[rows], options.high[rows], least, most)
    )


# of the values, and of the negated ones, whose least is the greatest
BOUNDS = {
    "sum": ("find_least_sum", "find_least_sum"),
    "avg": ("find_least_average", "find_least_average"),
    "min": ("find_least_minimum", "find_least_maximum"),
    "max": ("find_least_maximum", "find_least_minimum"),
}


def bound_aggregate(
    choice: Selection | BlockSelection | Links, aggregate: str
) -> tuple[float, float]:
    """Find the least and the greatest value of an aggregate over all selections."""
    least, of_negated = BOUNDS[aggregate]
    return getattr(choice, least)(), 0.0 - getattr(choice.negate(), of_negated)()


def bound_moved(values: Floats, chosen: Flags, reach: int, aggregate: str) -> tuple[float, float]:
    """Bound an aggregate of chosen rows whose true values are at most so many ranks away.

    Examples
    --------
    >>> bound_moved(np.array([10.0, 20.0, 30.0, 40.0]), np.array([1, 1, 0, 0], bool), 1, "sum")
    (30.0, 40.0)
    """
    lowest, highest = (sign * _find_lowest(sign * values, chosen, reach) for sign in (1, -1))
    if aggregate in ("sum", "avg"):
        number = len(lowest) if aggregate == "avg" else 1
        return fsum(lowest) / number, fsum(highest) / number
    end = min if aggregate == "min" else max
    return float(end(lowest)), float(end(highest))


def _find_lowest(values: Floats, chosen: Flags, reach: int) -> Floats:
    """Find the lowest values that chosen rows can have had, all of them at once; O(n log n).

    Each row has one value of the column, and no other row has it: those that are not chosen need
    theirs, too. Two chosen rows can exchange what they have so that the lower one has the lower
    value, and stay within reach, and so can two others. So it is enough to say how many of the m
    lowest values belong to chosen rows: as many as chosen rows can reach below m, unless others
    that cannot reach further need these, and one more at most with each value. The largest such
    numbers can be had all at once. Of equal values the chosen rows are taken first.
    """
    order = np.lexsort((~chosen, values))
    below = np.concatenate([[0], np.cumsum(chosen[order])])
    at = np.arange(len(values) + 1)
    up, down = np.minimum(at + reach, len(values)), np.maximum(at - reach, 0)
    most = np.minimum(below[up], at - (down - below[down]))
    most = np.minimum.accumulate(most[::-1])[::-1]
    most = at + np.minimum.accumulate(most - at)
    return values[order][np.diff(most) > 0]
