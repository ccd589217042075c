"""What made-up records are drawn from, and some of them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from verikit._support.arrays import Ints
from verikit._support.seed import generator

__all__ = ["Blocks", "by_rank", "made_up"]

Blocks: TypeAlias = tuple[Ints, Ints]


def by_rank(first: Ints, last: Ints) -> Blocks:
    """The block that each rank from 1 to n stands for, column by column.

    Examples
    --------
    >>> first, last = by_rank(np.array([[2], [1], [2]]), np.array([[3], [1], [3]]))
    >>> first.ravel().tolist(), last.ravel().tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    return np.sort(first, axis=0), np.sort(last, axis=0)


def made_up(drawn: Blocks, draws: int, seed: int) -> Blocks:
    """Random made-up records: each value drawn from its column, independently ([DM]_ section 5.2).

    Examples
    --------
    >>> first, last = made_up((np.array([[1], [2]]), np.array([[1], [2]])), 5, seed=1)
    >>> first.ravel().tolist()
    [1, 2, 2, 2, 1]
    """
    n, m = drawn[0].shape
    ranks = generator(seed).integers(0, n, (draws, m))
    first, last = (np.take_along_axis(part, ranks, axis=0) for part in drawn)
    return first, last
