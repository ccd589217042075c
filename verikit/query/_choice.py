"""Which values an aggregate may be of: some surely, of others so many of each block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import fsum, inf
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from verikit.query._blocks import Blocks
from verikit.query._bound import Tree
from verikit.query._cells import Flags, Floats, Rows
from verikit.query._known import known, rows_of

__all__ = ["BOUNDS", "Choice", "choice_of"]

Counts: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
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
    least: Counts
    most: Counts

    def mirrored(self) -> Choice:
        """The same with all values negated, so that every greatest is a least."""
        return sorted_choice(replace(self, low=-self.high, high=-self.low))

    @property
    def empty(self) -> bool:
        """Whether no record can belong to a selection."""
        return not self.surely.any() and not self.most.any()

    @property
    def certain(self) -> bool:
        """Whether some record belongs to every selection."""
        return bool(self.surely.any() or self.least.any())

    def place(self) -> Rows:
        """The place of each record among those of its block without certainty, from 0."""
        open_before: Rows = np.cumsum(~self.surely) - ~self.surely
        starts = np.searchsorted(self.labels, np.arange(len(self.most)))
        first = np.append(open_before, 0)[np.minimum(starts, len(open_before))]
        found: Rows = open_before - first[self.labels]
        return found


def sorted_choice(choice: Choice) -> Choice:
    """The same records in the order that a choice promises."""
    order = np.lexsort((choice.low, choice.labels))
    return replace(
        choice,
        labels=choice.labels[order],
        surely=choice.surely[order],
        low=choice.low[order],
        high=choice.high[order],
    )


def choice_of(blocks: Blocks, name: str, tree: Tree | None) -> Choice:
    """The records that may be meant by an aggregate of a column over a tree.

    A record without a value of the column takes part in the conditions and not in the aggregate;
    where its value was withheld, it may have any.
    """
    place = blocks.home[name]
    part = blocks.parts[place]
    coded, labels = part.columns[name], part.blocks_of_rows()
    surely, perhaps = np.ones(len(part), bool), np.ones(len(part), bool)
    if tree is not None:
        held = rows_of(blocks, place, tree)
        surely, perhaps = held.surely, held.perhaps
    ends, codes, groups = coded.ends(), coded.codes, len(blocks.sizes)
    gone = np.isnan(ends.low)[codes]
    hits = known(blocks, tree)
    least, most = (np.rint(count).astype(np.int64) for count in (hits.low, hits.high))
    least = least - np.bincount(labels[perhaps & gone], minlength=groups)
    most = most - np.bincount(labels[surely & gone], minlength=groups)
    unsaid = coded.withheld & (codes == len(coded.cells))
    rows = np.flatnonzero(perhaps & ~gone)
    sure = (surely & ~unsaid)[rows]
    least = least - np.bincount(labels[unsaid & surely], minlength=groups)
    forced = np.bincount(labels[rows][sure], minlength=groups)
    free = np.bincount(labels[rows][~sure], minlength=groups)
    least, most = (np.clip(count - forced, 0, free) for count in (least, most))
    low, high = ends.low[codes[rows]], ends.high[codes[rows]]
    return sorted_choice(Choice(labels[rows], sure, low, high, least, most))


def least_sum(choice: Choice) -> float:
    """The certain values, as many others as there must be, and of the rest the negative ones."""
    place, low = choice.place(), choice.low
    must = place < choice.least[choice.labels]
    helps = (place < choice.most[choice.labels]) & (low < 0)
    return fsum(low[choice.surely | must | helps])


def least_average(choice: Choice) -> float:
    """The certain values and those there must be, then others while they lower the average."""
    place, low = choice.place(), choice.low
    forced = choice.surely | (place < choice.least[choice.labels])
    rest = np.sort(low[~forced & (place < choice.most[choice.labels])])
    start = float(low[forced].sum()), int(np.count_nonzero(forced))
    sizes = start[1] + np.arange(len(rest) + 1)
    totals = start[0] + np.append(0.0, np.cumsum(rest))
    averages = np.where(sizes > 0, totals, inf) / np.maximum(sizes, 1)
    taken = int(np.argmin(averages))
    return fsum([*low[forced], *rest[:taken]]) / int(sizes[taken])


def least_minimum(choice: Choice) -> float:
    """The smallest value that may belong to a selection."""
    return float(choice.low[choice.surely | (choice.place() < choice.most[choice.labels])].min())


def least_maximum(choice: Choice) -> float:
    """The smallest that the largest value of a selection can be."""
    place = choice.place()
    forced = choice.surely | (place < choice.least[choice.labels])
    if forced.any():
        return float(choice.low[forced].max())
    return least_minimum(choice)


def _both(
    least: Callable[[Choice], float], mirrored: Callable[[Choice], float]
) -> Callable[[Choice], tuple[float, float]]:
    def bounds(choice: Choice) -> tuple[float, float]:
        return least(choice), 0.0 - mirrored(choice.mirrored())

    return bounds


BOUNDS: Mapping[str, Callable[[Choice], tuple[float, float]]] = {
    "sum": _both(least_sum, least_sum),
    "avg": _both(least_average, least_average),
    "min": _both(least_minimum, least_maximum),
    "max": _both(least_maximum, least_minimum),
}
