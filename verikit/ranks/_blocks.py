"""Ranks under ties: equal values share a block of ranks, from its first to its last."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Floats, Ints, Rows

__all__ = ["Block", "blocks", "gap", "mid_ranks", "normal_scores", "ordered_blocks"]


class Block(NamedTuple):
    """The ranks that a value may take, from first to last; more than one where values tie."""

    first: int
    last: int


def blocks(values: Floats, ordered: Floats | None = None) -> tuple[Ints, Ints]:
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


def gap(first: Ints, last: Ints, block: Block) -> Ints:
    """The fewest places between a block and others: 0 if they touch or overlap in rank.

    It is the smallest distance that any way of breaking the ties gives.

    Examples
    --------
    >>> gap(np.array([12, 13]), np.array([12, 13]), Block(8, 8)).tolist()
    [4, 5]
    """
    return np.maximum(np.maximum(first - block.last, block.first - last), 0)
