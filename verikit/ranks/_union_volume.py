"""The exact volumes of unions of boxes, in any number of dimensions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Rows

FEW = 3
MANY = 1 << 15


class Parts(NamedTuple):
    """Parts of space and the boxes that reach into each, one line a dimension.

    Parameters
    ----------
    union
        The union that each part of space belongs to.
    floor, ceiling
        The corners of the parts.
    part
        The part of each box, in rising order; a box that reaches into several is there for each.
    low, high
        The corners of the boxes.
    """

    union: Rows
    floor: Floats
    ceiling: Floats
    part: Rows
    low: Floats
    high: Floats


def union_volumes(low: Floats, high: Floats, union: Rows, budget: float = np.inf) -> Floats:
    """How much space boxes cover together, for several unions of boxes at once.

    Parameters
    ----------
    low, high
        The corners of the boxes, one row a box and one column a dimension; whole numbers.
    union
        Of which union each box is, in rising order from 0.
    budget
        How many looks at a box may be taken.

    Returns
    -------
    numpy.ndarray
        The volume of each union, exact up to 2**53 and to the last digits of a float beyond; NaN
        where the budget did not suffice.

    Notes
    -----
    Space is halved again and again, and each part keeps the boxes that reach into it. A part ends
    when a box covers it, or when so few are left that what they share can be counted; a box that
    spans it in all dimensions but one, from its end, is cut off beforehand. That is how Klee's
    measure problem is solved in O(n ** (m / 2)) in theory; with equal boxes far less is needed.
    All parts of a level are looked at together, as many as a processor keeps at hand.

    Examples
    --------
    >>> low, high = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[2.0, 2.0], [3.0, 3.0]])
    >>> union_volumes(low, high, np.array([0, 0])), union_volumes(low, high, np.array([0, 1]))
    (array([7.]), array([4., 4.]))
    """
    starts = np.flatnonzero(np.diff(union, prepend=-1))
    floor, ceiling = np.minimum.reduceat(low, starts).T, np.maximum.reduceat(high, starts).T
    corners = np.ascontiguousarray(low.T), np.ascontiguousarray(high.T)
    piles = [Parts(np.arange(len(starts)), floor, ceiling, union, *corners)]
    covered = np.zeros(len(starts))
    while piles:
        parts = piles.pop()
        budget -= len(parts.part)
        if budget < 0:
            return np.full(len(starts), np.nan)
        parts, cut_off = _trim_parts(parts, len(starts))
        parts, counted = _settle_small_parts(parts, len(starts))
        covered += cut_off + counted
        if len(parts.part):
            piles += _halve_parts(parts)
    return covered


def _trim_parts(parts: Parts, unions: int) -> tuple[Parts, Floats]:
    """Drop the boxes outside their part, and cut off what a box covers from one end of it.

    A box that reaches through the part in all dimensions but one, and to one end of that one,
    covers a slice and nothing else of it: the part is that much shorter, the slice is counted,
    and the box need not be looked at again. Most boxes of a crowded part go this way.
    """
    part = parts.part
    bottom, top = parts.floor.take(part, axis=1), parts.ceiling.take(part, axis=1)
    low, high = np.maximum(parts.low, bottom), np.minimum(parts.high, top)
    begins, ends = low > bottom, high < top
    kept = (low < high).all(axis=0)
    sides = begins.sum(axis=0, dtype=np.int8) + ends.sum(axis=0, dtype=np.int8)
    at = np.flatnonzero(kept & (sides <= 1))
    floor, ceiling = parts.floor.copy(), parts.ceiling.copy()
    full = part[at[sides[at] == 0]]
    ceiling[:, full] = floor[:, full]
    for j in range(len(floor)):
        lower, upper = at[ends[j, at]], at[begins[j, at]]
        np.maximum.at(floor[j], part[lower], high[j, lower])
        np.minimum.at(ceiling[j], part[upper], low[j, upper])
    corners = (parts.floor, parts.ceiling), (floor, ceiling)
    before, after = (np.prod(np.maximum(to - start, 0), axis=0) for start, to in corners)
    kept &= (sides > 1) & (after > 0)[part]
    trimmed = _select_boxes(
        Parts(parts.union, floor, ceiling, part, low, high), np.flatnonzero(kept)
    )
    cut_off = np.bincount(parts.union, before - after, unions)
    return trimmed, cut_off.astype(float, copy=False)


def _select_boxes(parts: Parts, boxes: Rows) -> Parts:
    low, high = parts.low.take(boxes, axis=1), parts.high.take(boxes, axis=1)
    return parts._replace(part=parts.part[boxes], low=low, high=high)


def _settle_small_parts(parts: Parts, unions: int) -> tuple[Parts, Floats]:
    """Count what one, two or three boxes cover of their part, and go on with the other parts.

    They cover what each covers, less what each two share, and so on.
    """
    held = np.bincount(parts.part, minlength=parts.floor.shape[1])
    first = np.cumsum(held) - held
    covered = np.zeros(unions)
    for count in range(1, FEW + 1):
        few = np.flatnonzero(held == count)
        boxes = first[few] + np.arange(count)[:, None]
        low = np.maximum(parts.low[:, boxes], parts.floor[:, None, few])
        high = np.minimum(parts.high[:, boxes], parts.ceiling[:, None, few])
        volume = np.zeros(len(few))
        for chosen in range(1, 1 << count):
            some = [place for place in range(count) if chosen >> place & 1]
            sides = np.maximum(high[:, some].min(axis=1) - low[:, some].max(axis=1), 0)
            volume += np.prod(sides, axis=0) * (-1) ** (len(some) + 1)
        covered += np.bincount(parts.union[few], volume, unions)
    crowded = held > FEW
    rest = _select_boxes(parts, np.flatnonzero(crowded[parts.part]))
    number = np.cumsum(crowded) - 1
    ends = parts.floor[:, crowded], parts.ceiling[:, crowded]
    return Parts(parts.union[crowded], *ends, number[rest.part], rest.low, rest.high), covered


def _halve_parts(parts: Parts) -> list[Parts]:
    """Every part cut in two through its longest side: one level, or two piles if it is large.

    The middle is rounded down: with whole corners all parts keep whole corners.
    """
    union, floor, ceiling, part, low, high = parts
    axis, every = (ceiling - floor).argmax(axis=0), np.arange(floor.shape[1])
    middle = np.floor((floor[axis, every] + ceiling[axis, every]) / 2)
    above, below = floor.copy(), ceiling.copy()
    above[axis, every] = below[axis, every] = middle
    box = np.arange(len(part))
    lower = np.flatnonzero(low[axis[part], box] < middle[part])
    upper = np.flatnonzero(high[axis[part], box] > middle[part])
    halves = [
        _select_boxes(Parts(union, floor, below, part, low, high), lower),
        _select_boxes(Parts(union, above, ceiling, part, low, high), upper),
    ]
    if len(lower) + len(upper) > MANY:
        return halves
    one, other = halves
    numbered = other._replace(part=other.part + len(every))
    return [Parts(*(np.concatenate(pair, axis=-1) for pair in zip(one, numbered, strict=True)))]
