"""Ranks under ties: equal values share a block of ranks, from its first to its last."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Floats, Ints, Rows
from verikit.errors import RecordError


class RankedColumn(Protocol):
    """A published column in ascending order, without its missing values.

    A sorted array is one, and so is a `WindowedColumn`: whoever asks for lengths, places, slices
    and ranks need not know whether the column is in memory, in a file or in an engine.
    """

    def __len__(self) -> int: ...

    def __getitem__(self, place: Any, /) -> Any: ...

    def searchsorted(self, values: Any, /, side: Any = "left", sorter: Any = None) -> Any:
        """Count what lies below values, or not above them."""


class Block(NamedTuple):
    """The ranks that a value may take, from first to last; more than one where values tie."""

    first: int
    last: int


def blocks(values: Floats, ordered: RankedColumn | None = None) -> tuple[Ints, Ints]:
    """The first and the last rank of each value's block.

    ``ordered`` is the sorted column the ranks are taken in; by default the values themselves.
    Costs one sort and two binary searches per value, O(n log n).

    Examples
    --------
    >>> first, last = blocks(np.array([5.0, 1.0, 5.0]))
    >>> first.tolist(), last.tolist()
    ([2, 1, 2], [3, 1, 3])
    """
    if ordered is not None:
        return ordered.searchsorted(values, "left") + 1, ordered.searchsorted(values, "right")
    order = np.argsort(values)
    return ordered_blocks(values[order], order)


def ordered_blocks(ordered: Floats, order: Rows) -> tuple[Ints, Ints]:
    """The same blocks for a column that is at hand sorted: its values, and the rows in that order.

    Examples
    --------
    >>> first, last = ordered_blocks(np.array([1.0, 5.0, 5.0]), np.array([1, 0, 2]))
    >>> first.tolist(), last.tolist()
    ([2, 1, 2], [3, 1, 3])
    """
    new = ordered[1:] != ordered[:-1]
    if new.all():
        alone = np.empty(len(ordered), np.int64)
        alone[order] = np.arange(1, len(ordered) + 1)
        return alone, alone.copy()
    starts = np.flatnonzero(np.r_[True, new])
    sizes = np.diff(np.r_[starts, len(ordered)])
    first = np.empty(len(ordered), np.int64)
    last = np.empty(len(ordered), np.int64)
    first[order] = np.repeat(starts + 1, sizes)
    last[order] = np.repeat(starts + sizes, sizes)
    return first, last


def mid_ranks(values: Floats) -> Floats:
    """The middle of each value's block of ranks; of several lines, line by line.

    Examples
    --------
    >>> mid_ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [2.5, 1.0, 2.5]
    >>> mid_ranks(np.array([[5.0, 1.0, 5.0], [1.0, 2.0, 3.0]])).tolist()
    [[2.5, 1.0, 2.5], [1.0, 2.0, 3.0]]
    """
    if values.ndim == 1:
        first, last = blocks(values)
        return (first + last) / 2
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    places = np.broadcast_to(np.arange(1.0, values.shape[-1] + 1), values.shape)
    new = np.ones(values.shape, np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    if not new.all():  # each block from its first place to the place before the next block
        starts = np.flatnonzero(new)
        sizes = np.diff(np.r_[starts, new.size])
        places = np.repeat(places.ravel()[starts] + (sizes - 1) / 2, sizes).reshape(values.shape)
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, places, axis=-1)
    return ranks


def normal_scores(ranks: npt.ArrayLike, n: int) -> Floats:
    """The normal quantiles of ranks out of n, each in the middle of its place.

    Examples
    --------
    >>> normal_scores([1, 2, 3], 3).round(3).tolist()
    [-0.967, 0.0, 0.967]
    """
    from scipy.special import ndtri

    return np.asarray(ndtri((np.asarray(ranks, dtype=np.float64) - 0.5) / n))


def gap(first: Ints, last: Ints, block: Block) -> Ints:
    """The fewest places between a block and others: 0 if they touch or overlap in rank.

    It is the smallest distance that any way of breaking the ties gives.

    Examples
    --------
    >>> gap(np.array([12, 13]), np.array([12, 13]), Block(8, 8)).tolist()
    [4, 5]
    """
    return np.maximum(np.maximum(first - block.last, block.first - last), 0)


PART = 1 << 15


def closest(ordered: Floats, value: float) -> Block:
    """The ranks of the published value closest to a given one ([DM]_ Algorithm 2).

    A value half-way between two published ones admits the ranks of both.

    Examples
    --------
    >>> closest(np.array([1.0, 4.0, 4.0, 9.0]), 3.0)
    Block(first=2, last=3)
    >>> closest(np.array([1.0, 4.0, 4.0, 9.0]), 6.5)
    Block(first=2, last=4)
    """
    first, last = closest_blocks(ordered, np.array([value], dtype=np.float64))
    return Block(int(first[0]), int(last[0]))


def closest_blocks(ordered: Floats, values: Floats) -> tuple[Ints, Ints]:
    """The ranks of the closest published values, for many values at once.

    O(log n) for each value; fastest where the values come in ascending order.
    """
    if not len(ordered):
        raise RecordError("The column is empty, so no value is closest.")
    find_places = _find_closest_places if len(values) <= PART else _find_places_in_parts
    first, last = find_places(ordered, values)
    if len(first) * 8 < len(ordered):
        low, high = ordered[first], ordered[last]
        return blocks(low, ordered)[0], blocks(high, ordered)[1]
    new = ordered[1:] != ordered[:-1]
    if new.all():
        first += 1
        return first, first if last is first else last + 1
    starts = np.flatnonzero(np.r_[True, new])
    run = np.cumsum(np.r_[0, new])
    return starts[run[first]] + 1, np.r_[starts[1:], len(ordered)][run[last]]


def _find_places_in_parts(ordered: Floats, values: Floats) -> tuple[Ints, Ints]:
    """The same places part by part, for which caches hold what comes between."""
    first = last = np.empty(len(values), np.int64)
    for start in range(0, len(values), PART):
        part = slice(start, start + PART)
        first[part], other = found = _find_closest_places(ordered, values[part])
        if last is first and other is not found[0]:
            last = first.copy()
        if last is not first:
            last[part] = other
    return first, last


def _find_closest_places(ordered: Floats, values: Floats) -> tuple[Ints, Ints]:
    """Places, counted from 0, of the first and the last published value that is closest."""
    n = len(ordered)
    above = np.searchsorted(ordered, values, "left")
    below = np.maximum(above - 1, 0)
    np.minimum(above, n - 1, out=above)
    low, high = ordered[below], ordered[above]
    lean = (values - low) - (high - values)
    first = np.where(lean > 0, above, below)
    last = first
    middle = find_half_way(lean, low, high)
    if len(middle):
        last = first.copy()
        exact = high[middle] == values[middle]
        first[middle] = np.where(exact, above[middle], below[middle])
        last[middle] = above[middle]
    return first, last


def closest_others(ordered: Floats, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """The ranks of what is closest to published values that are taken out themselves.

    A value that others share stands where it stood. One that is alone takes the ranks of its
    closer neighbour, of both where it lies half-way; its own rank is counted in, so that the gaps
    to all others are those in the column without it.

    Parameters
    ----------
    ordered
        The published column, sorted; at least two values.
    first, last
        The blocks in it of the values taken out, each by itself.

    Examples
    --------
    Without the 4, the closest value is 3; without the 3, it is 4; both 7s are closest to a 7.

    >>> ordered = np.array([1.0, 3.0, 4.0, 7.0, 7.0])
    >>> first, last = closest_others(ordered, np.array([3, 2, 4]), np.array([3, 2, 5]))
    >>> first.tolist(), last.tolist()
    ([2, 2, 4], [3, 3, 5])
    """
    ordered = ordered.astype(np.float64, copy=False)
    place, end = first - 1, len(ordered) - 1
    low, high = ordered[np.maximum(place - 1, 0)], ordered[np.minimum(place + 1, end)]
    lean = (ordered[place] - low) - (high - ordered[place])
    lean[place == 0], lean[place == end] = np.inf, -np.inf
    both = np.zeros(len(lean), bool)
    both[find_half_way(lean, low, high)] = True
    alone = first == last
    return (
        np.where(alone & (both | (lean <= 0)), blocks(low, ordered)[0], first),
        np.where(alone & (both | (lean > 0)), blocks(high, ordered)[1], last),
    )


def find_half_way(lean: Floats, low: Floats, high: Floats) -> Rows:
    """Where a value leans to neither neighbour, up to the rounding of their own digits."""
    slack = 4 * np.finfo(np.float64).eps
    most = slack * max(np.abs(low).max(), np.abs(high).max()) if len(lean) else 0.0
    near = np.flatnonzero(np.abs(lean) <= most)
    size = np.maximum(np.abs(low[near]), np.abs(high[near]))
    return near[np.abs(lean[near]) <= slack * size]
