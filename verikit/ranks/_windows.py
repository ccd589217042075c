"""A window of a sorted column, for columns that nobody sorted or that are not in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verikit._support.arrays import Flags, Floats, Ints
from verikit.errors import SchemaError
from verikit.ranks._blocks import Block, closest

MAX_PENDING = 1 << 20  # values of a window that are kept one by one, before equal ones are counted


class WindowedColumn:
    """A sorted column of which only its ends and the ranks of a window are at hand.

    What lies outside the window is sorted when it is asked for, or refused where the column is
    not in memory.

    Parameters
    ----------
    values, counts
        The values in the window, ascending, and how often each occurs; None where equal values
        stand there as often as they occur.
    below, size
        How many values lie below the window, and in the whole column.
    ends
        The lowest and the highest value of the column.
    sort_whole
        Sorts the whole column; None where it is not in memory.

    Examples
    --------
    >>> column = WindowedColumn(np.array([4.0, 5]), np.array([2, 1]), 3, 9, (1.0, 8.0))
    >>> len(column), column[0], float(column[4]), column[-1], column[3:6].tolist()
    (9, 1.0, 4.0, 8.0, [4.0, 4.0, 5.0])
    >>> np.searchsorted(column, np.array([4.0]), "right").tolist()
    [5]
    """

    def __init__(
        self,
        values: Floats,
        counts: Ints | None,
        below: int,
        size: int,
        ends: tuple[float, float],
        sort_whole: Callable[[], Floats] | None = None,
    ) -> None:
        self.values = values
        self._edges = None if counts is None else np.r_[0, np.cumsum(counts)] + below
        self.below, self.size = below, size
        self.upto = below + len(values) if self._edges is None else int(self._edges[-1])
        self.ends = ends
        self._sort_whole = sort_whole
        self._whole: Floats | None = None

    def __len__(self) -> int:
        return self.size

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        """The whole column, sorted."""
        found = self[0 : self.size] if self._whole is None else self._whole
        return np.array(found, dtype, copy=copy)

    def __getitem__(self, place: Any) -> Any:
        if np.ndim(place):
            return np.asarray(self)[place]
        if isinstance(place, slice):
            return self._between(*place.indices(self.size)[:2])
        at = int(place) % self.size
        return self.ends[at > 0] if at in (0, self.size - 1) else self._between(at, at + 1)[0]

    def _between(self, start: int, stop: int) -> Floats:
        if start >= stop:
            return np.empty(0)
        if start < self.below or stop > self.upto:
            return self._require_whole(start, stop)[start:stop]
        if self._edges is None:
            return self.values[start - self.below : stop - self.below]
        first, last = np.searchsorted(self._edges, [start, stop - 1], "right") - 1
        ranks = np.minimum(self._edges[first + 1 : last + 2], stop)
        return np.repeat(self.values[first : last + 1], np.diff(ranks, prepend=start))

    def searchsorted(self, values: Any, side: Any = "left", sorter: None = None) -> Any:  # noqa: ARG002 - as numpy asks
        """Count what lies below values, or not above them; without the column, in the window."""
        asked = np.asarray(values)
        if self._sort_whole is not None and asked.size and not self._holds(asked):
            return np.searchsorted(self._require_whole(0, self.size), asked, side)
        return self._count_upto(np.searchsorted(self.values, asked, side))

    def _count_upto(self, at: Any) -> Any:
        """Count the values of the column below a place of the window."""
        return at + self.below if self._edges is None else self._edges[at]

    def _holds(self, values: Floats) -> bool:
        """Whether the closest of all values to some lie in the window."""
        if not len(self.values):
            return False
        below = self.below == 0 or not (values < self.values[0]).any()
        return bool(below and (self.upto == self.size or not (values > self.values[-1]).any()))

    def _require_whole(self, start: int, stop: int) -> Floats:
        if self._whole is None:
            if self._sort_whole is None:
                raise SchemaError(
                    f"The places {start} to {stop} of a column were asked for, of which those from "
                    f"{self.below} to {self.upto} are at hand; load the table, and check it so."
                )
            self._whole = self._sort_whole()
        return self._whole

    def closest(self, score: float) -> Block | None:
        """Find the ranks of the closest value; None where it may lie outside the window."""
        if not self._holds(np.array([score])):
            return None
        first, last = closest(self.values, score)
        return Block(int(self._count_upto(first - 1)) + 1, int(self._count_upto(last)))

    def covers(self, block: Block, places: int) -> bool:
        """Tell whether all ranks within some places of a block lie in the window."""
        first, last = max(block.first - places, 1), min(block.last + places, self.size)
        return self.below < first and last <= self.upto


class Window:
    """What one pass keeps of one column: the values from low to high, and counts of the rest."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.below = self.missing = self.pending = 0
        self.lowest, self.highest = np.inf, -np.inf
        self.parts: list[Floats] = []
        self.values, self.counts = np.empty(0), np.empty(0, np.int64)

    @property
    def held(self) -> int:
        """How many bytes it holds."""
        return 16 * len(self.values) + 8 * self.pending

    def add(self, values: Floats) -> Flags:
        """Look at some values; which of them lie in the window, as a missing one may."""
        lowest = values.min()
        if not np.isnan(lowest):
            return self._add_known(values, float(lowest))
        missing: Flags = np.isnan(values)
        self.missing += int(np.count_nonzero(missing))
        inside = missing.copy()
        if not missing.all():
            known = values[~missing]
            inside[~missing] = self._add_known(known, float(known.min()))
        return inside

    def _add_known(self, values: Floats, lowest: float) -> Flags:
        self.lowest = min(self.lowest, lowest)
        self.highest = max(self.highest, float(values.max()))
        inside: Flags = values >= self.low
        self.below += len(values) - int(np.count_nonzero(inside))
        inside &= values <= self.high
        self.parts.append(values.compress(inside))
        self.pending += len(self.parts[-1])
        if self.pending > MAX_PENDING:
            self._count_equal_values()
        return inside

    def _count_equal_values(self) -> None:
        """Count what is equal: a window may hold one value as often as there are records."""
        found, counts = np.unique(np.concatenate(self.parts), return_counts=True)
        self.parts, self.pending = [], 0
        both = np.concatenate([self.values, found])
        self.values, places = np.unique(both, return_inverse=True)
        number = np.concatenate([self.counts, counts])
        self.counts = np.bincount(places, number, len(self.values)).astype(np.int64)

    def to_column(
        self, records: int, sort_whole: Callable[[], Floats] | None = None
    ) -> WindowedColumn:
        """Make the column that a pass over so many records has shown."""
        size, ends = records - self.missing, (self.lowest, self.highest)
        if self.parts and not len(
            self.values
        ):  # sorting few is quicker than counting what is equal
            values = np.concatenate(self.parts)
            values.sort()
            return WindowedColumn(values, None, self.below, size, ends, sort_whole)
        if self.parts:
            self._count_equal_values()
        return WindowedColumn(self.values, self.counts, self.below, size, ends, sort_whole)
