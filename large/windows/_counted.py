"""Exact ranks of many values in a large table, by counting what lies below each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Floats, Ints
from verikit.large._memory import allowed_bytes
from verikit.large._stream import Stream
from verikit.ranks import blocks, find_half_way


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Some values of a column with their ranks, and the values beside them.

    Parameters
    ----------
    values
        The values, ascending.
    first, last
        The first and the last rank of each.
    lower, higher
        The closest other values to each side; infinite at the ends.
    lower_count, higher_count
        How often these occur.
    """

    values: Floats
    first: Ints
    last: Ints
    lower: Floats
    higher: Floats
    lower_count: Ints
    higher_count: Ints

    def find_blocks(self, values: Floats) -> tuple[Ints, Ints]:
        """The ranks of values that were counted."""
        at = np.searchsorted(self.values, values)
        return self.first[at], self.last[at]

    def find_closest_others(self, values: Floats) -> tuple[Ints, Ints]:
        """The ranks of what is closest to values that are taken out; see `closest_others`."""
        at = np.searchsorted(self.values, values)
        first, last = self.first[at], self.last[at]
        low, high = self.lower[at], self.higher[at]
        lean = (values - low) - (high - values)
        inner = np.flatnonzero(np.isfinite(lean))
        both = np.zeros(len(lean), bool)
        both[inner[find_half_way(lean[inner], low[inner], high[inner])]] = True
        alone = first == last
        return (
            np.where(alone & (both | (lean <= 0)), first - self.lower_count[at], first),
            np.where(alone & (both | (lean > 0)), last + self.higher_count[at], last),
        )


class _Count:
    """What is counted of one column."""

    def __init__(self, values: Floats, beside: bool) -> None:
        size = len(values)
        self.values, self.beside = values, beside
        self.below, self.equal = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self.steps = np.zeros(size + 1, np.int64)
        self.sides = {-1: (np.full(size, -np.inf), np.zeros(size, np.int64)),
                      1: (np.full(size, np.inf), np.zeros(size, np.int64))}  # fmt: skip

    def add_batch(self, ordered: Floats) -> None:
        """Count a sorted batch: the shorter of both is looked up in the longer, if that will do."""
        if self.beside or len(self.values) < len(ordered):
            first, last = blocks(self.values, ordered)
            self.below += first - 1
            self.equal += last - first + 1
            if self.beside:
                self._update_neighbours(ordered, -1, first - 2)
                self._update_neighbours(ordered, 1, last)
        else:
            places = np.searchsorted(self.values, ordered, "right")
            self.steps += np.bincount(places, minlength=len(self.steps))
            found = places[self.values[places - 1] == ordered] - 1
            self.equal += np.bincount(found[found >= 0], minlength=len(self.equal))

    def _update_neighbours(self, ordered: Floats, side: int, places: Ints) -> None:
        """Take over the values at some places of a batch where they lie closer than before."""
        value, count = self.sides[side]
        asked = np.flatnonzero((places >= 0) & (places < len(ordered)))
        new = ordered[places[asked]]
        times = np.ones(len(new), np.int64)
        next_to = np.clip(places[asked] + side, 0, len(ordered) - 1)
        tied = np.flatnonzero((ordered[next_to] == new) & (next_to != places[asked]))
        first, last = blocks(new[tied], ordered)
        times[tied] = last - first + 1
        closer = side * (new - value[asked]) < 0
        count[asked] *= ~closer
        value[asked] = np.where(closer, new, value[asked])
        count[asked] += times * (new == value[asked])

    def finish(self) -> Counted:
        """The ranks."""
        below = self.below + np.cumsum(self.steps[:-1])
        (lower, few), (higher, many) = self.sides[-1], self.sides[1]
        return Counted(self.values, below + 1, below + self.equal, lower, higher, few, many)


def count_ranks(
    stream: Stream, names: Sequence[str], values: Sequence[Floats], beside: bool = False
) -> list[Counted]:
    """The first and the last rank of some values of each column, in one pass.

    What lies beside a value is known where it is asked for. Missing values have no rank, and are
    not counted.

    Notes
    -----
    Each batch is sorted and merged with the values: O(n log b) for batches of b records.
    """
    counts = [_Count(np.unique(part[~np.isnan(part)]), beside) for part in values]
    for batch in stream.scores(names):
        for count, column in zip(counts, batch, strict=True):
            ordered = np.sort(column)
            count.add_batch(ordered[: np.searchsorted(ordered, np.nan)])
    return [count.finish() for count in counts]


ODD = np.uint64(0x9E3779B97F4A7C15)


def share_of_copies(stream: Stream, names: Sequence[str]) -> float:
    """The share of records that show the same values as another one, in all of some columns.

    Notes
    -----
    Records are told apart by codes of 64 bits, which two of 10^8 different ones share once in a
    thousand tables. Where these do not fit into memory, the table is read several times, each time
    for a part of the codes.
    """
    if hasattr(stream.source, "count_copies"):  # the table's own engine counts them
        copies = stream.source.count_copies([stream.schema[name] for name in names])
        return float(copies / len(stream))
    parts = -(-24 * len(stream) // allowed_bytes())
    copies = sum(_count_copies(stream, names, part, parts) for part in range(parts))
    return copies / len(stream)


def share_of_unique(stream: Stream, name: str) -> float:
    """The share of records whose value of one column nobody shares.

    Notes
    -----
    A missing value is nobody's own, unless it is the only one.
    """
    if hasattr(stream.source, "count_missing"):
        missing = int(stream.source.count_missing(stream.schema[name]))
    else:
        missing = sum(int(np.isnan(part[0]).sum()) for part in stream.scores([name]))
    copies = share_of_copies(stream, [name]) * len(stream)
    return 1 - (round(copies) + missing * (missing > 1)) / len(stream)


def _count_copies(stream: Stream, names: Sequence[str], part: int, parts: int) -> int:
    codes = [np.empty(0, np.uint64)]
    for columns in stream.scores(names):
        found = _hash_records(columns)
        codes.append(found if parts == 1 else found[found % np.uint64(parts) == part])
    ordered = np.sort(np.concatenate(codes))
    same = ordered[1:] == ordered[:-1]
    return int(np.count_nonzero(np.r_[False, same] | np.r_[same, False])) if len(ordered) else 0


def _hash_records(columns: Sequence[Floats]) -> npt.NDArray[np.uint64]:
    missing = np.any([np.isnan(column) for column in columns], axis=0)
    known = [column[~missing] for column in columns] if missing.any() else columns
    code = np.zeros(len(known[0]), np.uint64)
    for column in known:
        code ^= (column + 0.0).view(np.uint64)  # one zero, whatever its sign
        for shift in (32, 29, 32):
            code ^= code >> np.uint64(shift)
            code *= ODD
    return code
