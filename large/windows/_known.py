"""A sorted column of which only the ends and a window of values are at hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from verikit._support.arrays import Flags, Floats, Ints
from verikit.errors import SchemaError
from verikit.large._memory import check_room
from verikit.ranks import Block, blocks, closest

__all__ = ["Known", "Window"]


PENDING = 1 << 20


class Known:
    """A sorted column, known from one rank to another; elsewhere only its two ends.

    It is asked as a sorted array is: by place, by slice, by ``np.searchsorted``.

    Parameters
    ----------
    values, counts
        The different values in the window, ascending, and how often each occurs.
    below, size
        How many values lie below the window, and in the whole column.
    lowest, highest
        The ends of the column.

    Examples
    --------
    >>> column = Known(np.array([4.0, 5]), np.array([2, 1]), 3, 9, 1.0, 8.0)
    >>> len(column), column[0], float(column[4]), column[-1], column[3:6].tolist()
    (9, 1.0, 4.0, 8.0, [4.0, 4.0, 5.0])
    >>> np.searchsorted(column, np.array([4.0]), "right").tolist()
    [5]
    """

    def __init__(
        self, values: Floats, counts: Ints, below: int, size: int, lowest: float, highest: float
    ) -> None:
        self.values, self.counts = values, counts
        self.ends = below + np.cumsum(counts)
        self.below, self.upto = below, below + int(counts.sum())
        self.size, self.lowest, self.highest = size, lowest, highest

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._between(*key.indices(self.size)[:2])
        place = int(key) + self.size if key < 0 else int(key)
        if place in (0, self.size - 1):
            return self.lowest if place == 0 else self.highest
        self._check(place, place + 1)
        return self.values[np.searchsorted(self.ends, place, "right")]

    def _between(self, start: int, stop: int) -> Floats:
        if stop <= start:
            return np.empty(0)
        self._check(start, stop)
        first, last = np.searchsorted(self.ends, [start, stop - 1], "right")
        ends = np.minimum(self.ends[first : last + 1], stop)
        return np.repeat(self.values[first : last + 1], np.diff(ends, prepend=start))

    def _check(self, start: int, stop: int) -> None:
        if start < self.below or stop > self.upto:
            raise SchemaError(
                f"The places {start} to {stop} of a column were asked for, of which those from "
                f"{self.below} to {self.upto} are at hand; load the table, and check it so."
            )

    def searchsorted(self, values: Any, side: str = "left", sorter: None = None) -> Any:  # noqa: ARG002 - numpy gives it
        """The places of values that lie in the window or beside it."""
        at = np.searchsorted(self.values, values, "right" if side == "right" else "left")
        return np.r_[self.below, self.ends][at]

    def closest(self, score: float) -> Block | None:
        """The ranks of the closest value; None where it may lie outside the window."""
        if not len(self.values):
            return None
        left = self.below == 0 or self.values[0] <= score
        right = self.upto == self.size or self.values[-1] >= score
        if not left or not right:
            return None
        among = closest(self.values, score)
        return Block(int(self.ends[among.first - 1] - self.counts[among.first - 1]) + 1,
                     int(self.ends[among.last - 1]))  # fmt: skip

    def blocks(self, values: Floats) -> tuple[Ints, Ints]:
        """The first and the last rank of values of the window; a missing one has all ranks."""
        first, last = blocks(values, self)  # type: ignore[arg-type]
        missing = np.isnan(values)
        return np.where(missing, 1, first), np.where(missing, self.size, last)

    def covers(self, block: Block, places: int) -> bool:
        """Whether all ranks within some places of a block lie in the window."""
        first, last = max(block.first - places, 1), min(block.last + places, self.size)
        return self.below < first and last <= self.upto

    def array(self) -> Floats:
        """The whole column, where it is known."""
        check_room(8 * self.size, "The values of one column", "choose another criterion")
        return self._between(0, self.size)


class Window:
    """What one pass keeps of one column: the values from low to high, and counts of the rest."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.below = self.missing = self.pending = 0
        self.lowest, self.highest = np.inf, -np.inf
        self.parts: list[Floats] = []
        self.values, self.counts = np.empty(0), np.empty(0, np.int64)

    def take(self, values: Floats) -> Flags:
        """Look at some values; which of them lie in the window, as a missing one may."""
        if not np.isnan(values.min()):
            return self._take(values)
        missing: Flags = np.isnan(values)
        self.missing += int(np.count_nonzero(missing))
        if not missing.all():
            inside = missing.copy()
            inside[~missing] = self._take(values[~missing])
            return inside
        return missing

    def _take(self, values: Floats) -> Flags:
        self.lowest = min(self.lowest, float(values.min()))
        self.highest = max(self.highest, float(values.max()))
        above = values >= self.low
        self.below += len(values) - int(np.count_nonzero(above))
        inside: Flags = above & (values <= self.high)
        self.parts.append(values.compress(inside))
        self.pending += len(self.parts[-1])
        if self.pending > PENDING:
            self._merge()
        return inside

    def _merge(self) -> None:
        found, counts = np.unique(np.concatenate([np.empty(0), *self.parts]), return_counts=True)
        self.parts, self.pending = [], 0
        if not len(self.values):
            self.values, self.counts = found, counts
            return
        both = np.concatenate([self.values, found])
        self.values, places = np.unique(both, return_inverse=True)
        number = np.concatenate([self.counts, counts])
        self.counts = np.bincount(places, number, len(self.values)).astype(np.int64)

    @property
    def held(self) -> int:
        """How many bytes it holds."""
        return 16 * len(self.values) + 8 * self.pending

    def known(self, records: int) -> Known:
        """What the pass has shown of the column, of so many records."""
        self._merge()
        size = records - self.missing
        return Known(self.values, self.counts, self.below, size, self.lowest, self.highest)
