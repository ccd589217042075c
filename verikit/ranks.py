"""Ranks under ties, the closest published value, windows of ranks, reverse mapping.

Arrays come in, arrays go out. Ranks count from 1. Equal values share a *block* of ranks, from its
first to its last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verikit._seed import generator
from verikit.errors import RecordError

__all__ = [
    "Block",
    "blocks",
    "closest",
    "closest_blocks",
    "closest_others",
    "gap",
    "mid_ranks",
    "normal_scores",
    "ordered_blocks",
    "reverse_map",
]

Floats = npt.NDArray[np.float64]
Ranks = npt.NDArray[np.int64]
_Words = npt.NDArray[np.uint64]

PART = 1 << 16


class Block(NamedTuple):
    """The ranks that a value may take, from first to last; more than one where values tie."""

    first: int
    last: int


def blocks(values: Floats, ordered: Floats | None = None) -> tuple[Ranks, Ranks]:
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
        return np.searchsorted(ordered, values, "left") + 1, np.searchsorted(
            ordered, values, "right"
        )
    order = np.argsort(values)
    return ordered_blocks(values[order], order)


def ordered_blocks(ordered: Floats, order: npt.NDArray[np.intp]) -> tuple[Ranks, Ranks]:
    """The same blocks for a column that is at hand sorted: its values, and the rows in that order.

    Examples
    --------
    >>> first, last = ordered_blocks(np.array([1.0, 5.0, 5.0]), np.array([1, 0, 2]))
    >>> first.tolist(), last.tolist()
    ([2, 1, 2], [3, 1, 3])
    """
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]][: len(ordered)])
    sizes = np.diff(np.r_[starts, len(ordered)])
    first = np.empty(len(ordered), np.int64)
    last = np.empty(len(ordered), np.int64)
    first[order] = np.repeat(starts + 1, sizes)
    last[order] = np.repeat(starts + sizes, sizes)
    return first, last


def mid_ranks(values: Floats) -> Floats:
    """The middle of each value's block of ranks.

    Examples
    --------
    >>> mid_ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    first, last = blocks(values)
    return (first + last) / 2


def normal_scores(ranks: npt.ArrayLike, n: int) -> Floats:
    """The normal quantiles of ranks out of n, each in the middle of its place.

    Examples
    --------
    >>> normal_scores([1, 2, 3], 3).round(3).tolist()
    [-0.967, 0.0, 0.967]
    """
    from scipy.special import ndtri

    return np.asarray(ndtri((np.asarray(ranks, dtype=np.float64) - 0.5) / n))


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


def closest_blocks(ordered: Floats, values: Floats) -> tuple[Ranks, Ranks]:
    """The ranks of the closest published values, for many values at once.

    O(log n) for each value; fastest where the values come in ascending order.
    """
    n = len(ordered)
    if not n:
        raise RecordError("The column is empty, so no value is closest.")
    above = np.searchsorted(ordered, values, "left")
    below = np.maximum(above - 1, 0)
    np.minimum(above, n - 1, out=above)
    low, high = ordered[below], ordered[above]
    lean = (values - low) - (high - values)
    first = np.where(lean > 0, above, below)
    last = first
    middle = _half_way(lean, low, high)
    if len(middle):
        last = first.copy()
        exact = high[middle] == values[middle]
        first[middle] = np.where(exact, above[middle], below[middle])
        last[middle] = above[middle]
    return _edges(ordered, first, last)


def closest_others(ordered: Floats, first: Ranks, last: Ranks) -> tuple[Ranks, Ranks]:
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
    both[_half_way(lean, low, high)] = True
    alone = first == last
    return (
        np.where(alone & (both | (lean <= 0)), blocks(low, ordered)[0], first),
        np.where(alone & (both | (lean > 0)), blocks(high, ordered)[1], last),
    )


def _half_way(lean: Floats, low: Floats, high: Floats) -> npt.NDArray[np.intp]:
    """Where a value leans to neither neighbour, up to the rounding of their own digits."""
    slack = 4 * np.finfo(np.float64).eps
    most = slack * max(np.abs(low).max(), np.abs(high).max()) if len(lean) else 0.0
    near = np.flatnonzero(np.abs(lean) <= most)
    size = np.maximum(np.abs(low[near]), np.abs(high[near]))
    return near[np.abs(lean[near]) <= slack * size]


def _edges(ordered: Floats, first: Ranks, last: Ranks) -> tuple[Ranks, Ranks]:
    """The first rank of the block that holds one place, and the last rank of another's."""
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


def gap(first: Ranks, last: Ranks, block: Block) -> Ranks:
    """The fewest places between a block and others: 0 if they touch or overlap in rank.

    It is the smallest distance that any way of breaking the ties gives.

    Examples
    --------
    >>> gap(np.array([12, 13]), np.array([12, 13]), Block(8, 8)).tolist()
    [4, 5]
    """
    return np.maximum(np.maximum(first - block.last, block.first - last), 0)


def reverse_map(
    original: npt.ArrayLike, masked: npt.ArrayLike, *, seed: int
) -> npt.NDArray[np.generic]:
    """Give each masked value the original value of the same rank ([DM]_ Algorithm 1).

    The result has the values of the original and the ranks of the masked column. Equal masked
    values are ranked at random.

    Parameters
    ----------
    original, masked
        Columns of numbers of the same length.
    seed
        Seed for breaking ties; where masked values do not tie it changes nothing.

    Returns
    -------
    numpy.ndarray
        The reverse-mapped column.

    Raises
    ------
    RecordError
        If the columns differ in length or hold values without a rank.

    Notes
    -----
    O(n log n): an argsort of the masked and a sort of the original column. Among equal masked
    values the order follows random keys of the original values, so that the result does not
    depend on the order of the rows.

    References
    ----------
    [DM]_ Algorithm 1, Table 1

    Examples
    --------
    The first record of the running example: 108.18 has rank 14, and so becomes 108.21.

    >>> import verikit as vk
    >>> original, masked = vk.load("dm_table1"), vk.load("dm_table1_masked")
    >>> float(reverse_map(original.scores("X1"), masked.scores("X1"), seed=1)[0])
    108.21
    """
    x, y = np.asarray(original), np.asarray(masked)
    if x.shape != y.shape or x.ndim != 1:
        raise RecordError(
            f"The columns have shapes {x.shape} and {y.shape}; expected two columns of one length."
        )
    if any(np.isnan(v).any() for v in (x, y) if v.dtype.kind == "f"):
        raise RecordError("A missing value has no rank; remove or fill missing values first.")
    order = np.argsort(y)
    ordered = y.take(order)
    tied = ordered[1:] == ordered[:-1]
    if tied.any():
        _shuffle_ties(order, tied, x, generator(seed))
    mapped = ordered if ordered.dtype == x.dtype else np.empty_like(x)
    mapped[order] = np.sort(x)
    return mapped


def _shuffle_ties(
    order: npt.NDArray[np.intp],
    tied: npt.NDArray[np.bool_],
    original: npt.NDArray[np.generic],
    rng: np.random.Generator,
) -> None:
    """Put the rows of each tied run of ``order`` into an order of random keys, in place.

    Keys are made part by part: fresh memory costs more than the arithmetic.
    """
    begins = np.r_[True, ~tied]
    inside = np.r_[tied, False] | ~begins
    room = np.uint64(64 - int(np.count_nonzero(begins)).bit_length())
    secret = rng.integers(2**64, dtype=np.uint64)
    rows = order[inside]
    keys = np.empty(len(rows), np.uint64)
    done, runs = 0, np.uint64(0)
    for start in range(0, len(order), PART):
        part = slice(start, start + PART)
        run = runs + np.cumsum(begins[part], dtype=np.uint64)
        held = run[inside[part]]
        here = slice(done, done + len(held))
        mixed = _random_keys(original.take(rows[here]), secret)
        keys[here] = (held << room) | (mixed >> (np.uint64(64) - room))
        done, runs = here.stop, run[-1]
    order[inside] = rows.take(np.argsort(keys), out=keys.view(np.intp), mode="clip")


def _random_keys(values: npt.NDArray[np.generic], secret: np.uint64) -> _Words:
    """Scatter values over all 64-bit words by a secret mixing: the same value, the same word."""
    words = (values.astype(np.float64, copy=False) + 0.0).view(np.uint64)
    words ^= secret
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        words ^= words >> np.uint64(shift)
        words *= np.uint64(factor)
    return words
