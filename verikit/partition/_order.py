"""Many numbers in ascending order with their places, found by sorting whole numbers alone."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats, Ints, Rows

__all__ = ["ascending"]


PACKED_FROM = 100_000
FEW = 64  # pairs put right one by one


def ascending(scores: Floats) -> tuple[Rows, Floats]:
    """The places of numbers from the smallest up, equal ones in no special order; the numbers so.

    The bits of floats sort as whole numbers do. The last bits, which hardly ever decide, give way
    to the place of each number, so that one sort moves both; where they would have decided,
    numbers change places afterwards. O(n log n).

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
        order = np.argsort(scores)
        return order, scores[order]
    low = (1 << (n - 1).bit_length()) - 1
    keys = _cells(scores, low)
    keys |= np.arange(n, dtype=np.int32)
    keys.sort()
    keys &= low
    ordered = scores[keys]
    if not _put_right(keys, ordered):
        _sort_alike(keys, ordered, low)
    return keys, ordered


def _cells(scores: Floats, low: int) -> Ints:
    """Numbers as whole ones of the same order, without their last bits."""
    found = (scores + 0.0).view(np.int64)  # no -0.0, whose bits are other ones
    if scores.min() < 0:
        found ^= (found >> 63) & np.int64(2**63 - 1)
    found &= ~low
    return found


def _put_right(order: Ints, ordered: Floats) -> bool:
    """Let neighbours change places until all ascend; False where that is too much."""
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


def _sort_alike(order: Ints, ordered: Floats, low: int) -> None:
    """Sort those again that are alike but for their last bits."""
    cells = _cells(ordered, low)
    alike = np.concatenate([[False], cells[1:] == cells[:-1], [False]])
    places = np.flatnonzero(alike[1:] | alike[:-1])
    turned = places[np.lexsort((ordered[places], cells[places]))]
    order[places], ordered[places] = order[turned], ordered[turned]
