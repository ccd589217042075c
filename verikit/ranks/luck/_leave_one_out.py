"""How close each released record is to another one."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Ints
from verikit.ranks._nearest import nearest

__all__ = ["leave_one_out"]


def leave_one_out(first: Ints, last: Ints) -> Ints:
    """For each released record the places to the closest other one: what "other people" look like.

    Examples
    --------
    >>> ranks = np.array([[1, 1], [2, 2], [4, 4], [3, 3]])
    >>> leave_one_out(ranks, ranks).tolist()
    [1, 1, 1, 1]
    """
    return nearest(first, last, first, last, own=np.arange(len(first)))[0]
