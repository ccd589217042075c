"""A column in buckets of neighbouring values: which ranks each may have, and how far apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Flags, Floats, Ints
from verikit.ranks import closest

__all__ = ["Between", "Buckets"]


class Between(NamedTuple):
    """A block of ranks that is known within bounds: those of its first and of its last rank."""

    first: tuple[int, int]
    last: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """A column whose equal values are never parted.

    Parameters
    ----------
    counts
        How many values each bucket holds, in ascending order of values.
    lowest, highest
        The values at its ends.

    Examples
    --------
    >>> made = Buckets.of(np.array([1.0, 1, 1, 4, 5, 7, 8]), 2)
    >>> made.counts.tolist(), made.lowest.tolist(), made.highest.tolist()
    ([3, 4], [1.0, 4.0], [1.0, 8.0])
    """

    counts: Ints
    lowest: Floats
    highest: Floats

    @classmethod
    def of(cls, ordered: Floats, most: int) -> Buckets:
        """The buckets of a sorted column: about as many values in each, and at most so many."""
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        wanted = most
        while len(starts) > most:
            found = _starts(ordered, starts, wanted)
            if len(found) <= most:
                starts = found
                break
            wanted = wanted * 9 // 10
        ends = np.r_[starts[1:], len(ordered)]
        return cls(ends - starts, ordered[starts], ordered[ends - 1])

    def codes(self, values: Floats) -> npt.NDArray[np.uint16]:
        """The bucket of each value; a missing one has the number of buckets."""
        places = np.searchsorted(self.lowest, values, "right") - 1
        return np.where(np.isnan(values), len(self.counts), places).astype(np.uint16)

    @property
    def single(self) -> Flags:
        """Which buckets hold one value, so that its ranks are known exactly."""
        return self.lowest == self.highest

    @property
    def first(self) -> Ints:
        """The first rank of each bucket."""
        return self.last - self.counts + 1

    @property
    def last(self) -> Ints:
        """The last rank of each bucket."""
        return np.cumsum(self.counts)

    @property
    def widest(self) -> int:
        """The largest number of values of which the order is not known."""
        mixed = self.counts[~self.single]
        return int(mixed.max()) if len(mixed) else 1

    def nearest(self, score: float) -> Between:
        """The ranks of the value closest to a score, within bounds."""
        at = int(np.searchsorted(self.lowest, score, "right")) - 1
        if at >= 0 and self.lowest[at] < score < self.highest[at]:
            ends = int(self.first[at]), int(self.last[at])
            return Between(ends, ends)
        edges = np.unique(np.r_[self.lowest, self.highest])
        block = closest(edges, score)
        low, high = (self._edge(edges[rank - 1]) for rank in (block.first, block.last))
        return Between(low.first, high.last)

    def _edge(self, value: float) -> Between:
        """The ranks of a value at the end of its bucket."""
        at = int(np.searchsorted(self.lowest, value, "right")) - 1
        first, last = int(self.first[at]), int(self.last[at])
        if self.single[at]:
            return Between((first, first), (last, last))
        if value == self.lowest[at]:
            return Between((first, first), (first, last - 1))
        return Between((first + 1, last), (last, last))

    def gaps(self, block: Between) -> tuple[Ints, Ints]:
        """By bucket the fewest and the most places between a block and a value in it."""
        first, last = self.first, self.last
        fewest = np.maximum(np.maximum(first - block.last[1], block.first[0] - last), 0)
        begin = np.where(self.single, first, last)
        end = np.where(self.single, last, first)
        most = np.maximum(np.maximum(begin - block.last[0], block.first[1] - end), 0)
        return fewest, most


def _starts(ordered: Floats, starts: Ints, wanted: int) -> Ints:
    """Where about so many buckets begin: at even steps, and around values that fill one."""
    size = len(ordered)
    steps = np.arange(wanted) * size // max(wanted, 1)
    even = starts[np.searchsorted(starts, steps, "right") - 1]
    lengths = np.diff(np.r_[starts, size])
    heavy = np.flatnonzero(lengths * wanted >= size)
    around = np.r_[starts[heavy], starts[heavy] + lengths[heavy]]
    return np.unique(np.r_[0, even, around[around < size]])
