"""A column whose cells are numbers or ranges of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Codes, Flags, Floats
from verikit.cells._conditions import (
    Condition,
    ConditionMatch,
    asked_names,
    asked_ranges,
    like_the_others,
)
from verikit.cells._meaning import ANYTHING, Meaning, find_unread, labels_that_may_be
from verikit.cells._ranges import Range, plain_number
from verikit.table import Column
from verikit.words import text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Spans:
    """A column of numbers or of ranges of numbers.

    Parameters
    ----------
    column
        The column.
    codes
        The cell of each row; one past the last where a value is missing.
    low, high
        The least and the greatest number of each cell, equal where it is one number; last those
        of a missing value, which has no bounds.
    gaps
        Whether a value is missing.
    labels
        The cells as they are published, where they are words such as ``20-29``.
    read
        What each of these may stand for.
    exact
        Whether every row shows one number.
    """

    column: Column
    codes: Codes
    low: Floats
    high: Floats
    gaps: bool
    labels: tuple[str, ...] = ()
    read: tuple[Meaning, ...] = ()
    exact: bool = field(init=False)
    _numbers: bool = field(init=False)
    _bounded: bool = field(init=False)

    def __post_init__(self) -> None:
        """Keep at hand whether every cell is one number, and whether all have both ends."""
        numbers = bool((self.low[:-1] == self.high[:-1]).all())
        ends = () if numbers else (self.low[:-1], self.high[:-1])
        object.__setattr__(self, "exact", numbers and not self.gaps)
        object.__setattr__(self, "_numbers", numbers)
        object.__setattr__(self, "_bounded", not any(np.isinf(end).any() for end in ends))

    def __len__(self) -> int:
        return len(self.low) - 1

    def __repr__(self) -> str:
        return f"Spans({len(self)} cells of {self.column.name})"

    @property
    def single(self) -> bool:
        """Whether no cell was published as a range of numbers; labels are told by their names."""
        return bool(self.labels) or self._numbers

    @property
    def several(self) -> tuple[str, ...]:
        """The cells that stand for several numbers, or could not be read."""
        wide = np.flatnonzero(self.low[:-1] != self.high[:-1])
        names = self.names if len(wide) else ()
        return tuple(names[at] for at in wide)

    @property
    def unread(self) -> tuple[str, ...]:
        """The labels that look like ranges or codes and could not be read."""
        return find_unread(self.labels, self.read)

    @property
    def names(self) -> tuple[str, ...]:
        """The cells in words, and what a missing value is called."""
        if self.labels:
            return (*self.labels, "missing")
        ends = zip(self.low[:-1].tolist(), self.high[:-1].tolist(), strict=True)
        return (*(text(a) if a == b else f"[{text(a)}, {text(b)}]" for a, b in ends), "missing")

    @property
    def anything(self) -> Flags:
        """Which cells may be anything: withheld, unread, or missing."""
        return np.isneginf(self.low) & np.isposinf(self.high)

    @property
    def withheld(self) -> Flags:
        """Which cells were withheld or are missing."""
        unread = np.array([*(part.unread for part in self.read), False])
        return self.anything & ~unread if self.read else self.anything

    @property
    def widest(self) -> Flags:
        """Which cells may be anything that the column holds."""
        used = slice(None) if self.gaps else slice(-1)
        return (self.low <= self.low[used].min()) & (self.high >= self.high[used].max())

    def code(self, value: object) -> int:
        """The cell that stands for one value alone, or is called so; -1 where there is none."""
        if self.labels:
            return self.labels.index(text(value)) if text(value) in self.labels else -1
        score = self.column.score(value)
        alone = np.flatnonzero((self.low == score) & (self.high == score))
        return int(alone[0]) if len(alone) else -1

    def may_be(self, value: object) -> Flags:
        """Which cells may be a value."""
        if self.labels:
            return labels_that_may_be(self.labels, self.read, self.column, value)
        own = self.column.number(value)
        return (self.low <= own) & (own <= self.high)

    def match_conditions(self, conditions: Sequence[Condition | Range]) -> ConditionMatch:
        """What each cell says about all conditions together; values spread evenly over ranges.

        One number has a share of a range only between whole numbers, where it lasts one unit:
        47 is one of the eleven whole numbers from 40 to 50. A range without end is cut off where
        the column ends, and a missing value is expected to be like the others.
        """
        ranges = asked_ranges(conditions, self.column, numbers=bool(self.labels))
        names = asked_names(conditions)
        if names is not None:
            found = self._match_points(self._points_asked(names), ranges)
            if self.labels:
                found = self._match_by_name(names, ranges, found)
        elif self._numbers:
            certain = np.logical_and.reduce([r.holds(self.low) for r in ranges])
            possible = certain.copy()
            certain[-1], possible[-1] = False, True
            found = ConditionMatch(certain, certain.astype(np.float64), possible)
        else:
            found = self._match_ranges(ranges)
        if not self.gaps and self._bounded:
            return found
        free = self.anything
        counts = np.bincount(self.codes, minlength=len(free))
        return found._replace(share=like_the_others(found.share, free, counts))

    def _match_ranges(self, ranges: list[Range]) -> ConditionMatch:
        low, high = self.low, self.high
        certain = np.logical_and.reduce([r.holds(low) & r.holds(high) for r in ranges])
        bottom, top = max(r.low for r in ranges), min(r.high for r in ranges)
        touching = []  # the cells, closed at both ends, that share a number with a range
        for r in ranges:
            below = low <= r.high if r.right else low < r.high
            touching.append(below & (high >= r.low if r.left else high > r.low))
        possible = np.logical_and.reduce(touching)
        low, high = self._cut_off()
        inside = np.clip(np.minimum(high, top) - np.maximum(low, bottom), 0, None)
        wide = high > low
        width = np.where(wide, high - low, 1.0)
        points = certain
        if not self._bounded:
            points = possible & np.logical_and.reduce([r.holds(low) for r in ranges])
        return ConditionMatch(certain, np.where(wide, inside / width, points), possible)

    def _match_points(self, points: list[float], ranges: list[Range]) -> ConditionMatch:
        kept = np.array([p for p in points if all(r.holds(p) for r in ranges)])
        first = np.searchsorted(kept, self.low, "left")
        count = np.searchsorted(kept, self.high, "right") - first
        possible = count > 0
        possible[-1] = True
        if not self._bounded:
            possible |= self.anything
        alone = self.low == self.high
        certain = alone & possible
        low, high = self._cut_off()
        numbers = kept[kept % 1 == 0]
        inside = np.searchsorted(numbers, high, "right") - np.searchsorted(numbers, low)
        lasting = np.where(
            _are_whole(low) & _are_whole(high), np.floor(high) - np.ceil(low) + 1, np.inf
        )
        share = np.divide(inside, lasting, out=np.zeros(len(low)), where=lasting > 0)
        return ConditionMatch(certain, np.where(alone, certain, share), possible)

    def _match_by_name(
        self, names: set[str], ranges: list[Range], found: ConditionMatch
    ) -> ConditionMatch:
        """A cell that is called as was asked meets the condition, unless it may be anything."""
        called = self._are_called(names) & ~self.anything
        if ranges:
            called &= self._match_ranges(ranges).certain
        return ConditionMatch(
            found.certain | called, np.where(called, 1.0, found.share), found.possible | called
        )

    def _are_called(self, names: set[str]) -> Flags:
        if not names.intersection(self.labels):
            return np.zeros(len(self.low), np.bool_)
        return np.array([*(label in names for label in self.labels), False])

    def _points_asked(self, names: set[str]) -> list[float]:
        if not self.labels:
            return sorted(set(map(self.column.score, names)))
        return sorted({p for name in names if (p := plain_number(name)) is not None})

    def _cut_off(self) -> tuple[Floats, Floats]:
        """The ends of each cell, those without bound at the least and the greatest other end."""
        if self._bounded:
            low, high = self.low.copy(), self.high.copy()
            low[-1] = high[-1] = 0.0  # a missing value is expected to be like the others
            return low, high
        ends = np.concatenate([self.low, self.high])
        ends = ends[np.isfinite(ends)]
        if not len(ends):
            return np.zeros(len(self.low)), np.zeros(len(self.low))
        low = np.where(np.isneginf(self.low), np.minimum(ends.min(), self.high), self.low)
        return low, np.where(np.isposinf(self.high), np.maximum(ends.max(), low), self.high)

    def width(self, domain: tuple[float, float] | None = None) -> Floats:
        """How wide each cell is: no width for one number, without end for what may be anything.

        With the ends of a domain, ranges without end are cut off there.
        """
        low, high = self.low, self.high
        if domain is not None:
            low = np.where(np.isneginf(low), np.minimum(domain[0], high), low)
            high = np.where(np.isposinf(high), np.maximum(domain[1], low), high)
        return np.asarray(high - low)

    def meanings(self) -> tuple[Meaning, ...]:
        """What each cell, and a missing value, may stand for."""
        if self.labels:
            return (*self.read, ANYTHING)
        ends = zip(self.names, self.low[:-1].tolist(), self.high[:-1].tolist(), strict=False)
        return (*(Meaning((name,), (Range(low, high),)) for name, low, high in ends), ANYTHING)


def _are_whole(values: Floats) -> npt.NDArray[Any]:
    """Which ends are whole numbers, or lie next to one because it does not belong to the range."""
    return np.abs(values - np.rint(values)) <= np.spacing(np.abs(values))
