"""Many numbers in ascending order with their places, found by sorting whole numbers alone."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["ascending"]

Floats: TypeAlias = npt.NDArray[np.float64]

PACKED_FROM = 100_000
FEW = 64


def ascending(scores: Floats) -> tuple[npt.NDArray[np.intp], Floats]:
    """The places of numbers from the smallest up, equal ones in no special order; the numbers so.

    The bits of floats sort as whole numbers do. The last bits, which hardly ever decide, give way
    to the place of each number, so that one sort moves both; where they would have decided,
    neighbours change places afterwards. O(n log n).

    Parameters
    ----------
    scores
        Numbers, none of them missing.

    Examples
    --------
    >>> ascending(np.array([2.5, -1.0, 0.0]))[0].tolist()
    [1, 2, 0]
    """
    n = len(scores)
    if n < PACKED_FROM:
        return _plain(scores)
    low = (1 << (n - 1).bit_length()) - 1
    keys = (scores + 0.0).view(np.int64)  # no -0.0, whose bits are other ones
    if scores.min() < 0:
        keys ^= (keys >> 63) & np.int64(2**63 - 1)
    keys &= ~low
    keys |= np.arange(n, dtype=np.int32)
    keys.sort()
    keys &= low
    ordered = scores[keys]
    return (keys, ordered) if _put_right(keys, ordered) else _plain(scores)


def _put_right(order: npt.NDArray[np.int64], ordered: Floats) -> bool:
    """Let neighbours change places until all ascend, if these are few; else False."""
    for _ in range(FEW):
        wrong = np.flatnonzero(ordered[1:] < ordered[:-1])
        if not len(wrong):
            return True
        if len(wrong) > FEW:
            return False
        for place in wrong.tolist():
            if ordered[place] > ordered[place + 1]:
                pair, turned = slice(place, place + 2), [place + 1, place]
                order[pair], ordered[pair] = order[turned], ordered[turned]
    return False


def _plain(scores: Floats) -> tuple[npt.NDArray[np.intp], Floats]:
    order = np.argsort(scores)
    return order, scores[order]
