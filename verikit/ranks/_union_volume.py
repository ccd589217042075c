"""The exact volume of a union of boxes, in any number of dimensions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from verikit._support.compiled import compiled

__all__ = ["union_volume"]

Floats = npt.NDArray[np.float64]
LARGE = 256
CROWD = 8
DEEP = 4096


@compiled(LARGE)
def union_volume(low: Floats, high: Floats, budget: float = np.inf) -> float:
    """How much space boxes cover together.

    Parameters
    ----------
    low, high
        The corners of the boxes, one row a box and one column a dimension; whole numbers.
    budget
        How many looks at a box may be taken.

    Returns
    -------
    float
        The volume, exact up to 2**53 and to the last digits of a float beyond; NaN where the
        budget did not suffice.

    Notes
    -----
    Space is cut in two again and again, and each part keeps the boxes that reach into it. A part
    ends when a box covers it, when none reaches it, or when one is left; a box that spans it in
    all dimensions but one, from its end, is cut off beforehand. That is how Klee's measure problem
    is solved in O(n ** (m / 2)) in theory; with equal boxes far less is needed.

    Examples
    --------
    >>> low, high = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[2.0, 2.0], [3.0, 3.0]])
    >>> float(union_volume(low, high))
    7.0
    """
    n, m = low.shape
    floor, ceiling, begins = np.empty((DEEP, m)), np.empty((DEEP, m)), np.zeros(DEEP, np.int64)
    boxes = np.arange(4 * n + 64)
    for j in range(m):
        floor[0, j], ceiling[0, j] = low[:, j].min(), high[:, j].max()
    covered, parts, end = 0.0, 1, n
    while parts:
        parts -= 1
        begin = begins[parts]
        budget -= end - begin
        if budget < 0:
            return np.nan
        end, cut = _trim(low, high, boxes, begin, end, floor[parts], ceiling[parts])
        covered += cut
        if end - begin <= 1:
            for at in range(begin, end):
                covered += _shared(low, high, boxes[at], floor[parts], ceiling[parts])
            end = begin
            continue
        if 2 * end > len(boxes):
            boxes = np.concatenate((boxes, np.empty(2 * len(boxes), np.int64)))
        axis, where = _cut(low, high, boxes, begin, end, floor[parts], ceiling[parts])
        floor[parts + 1], ceiling[parts + 1] = floor[parts], ceiling[parts]
        floor[parts, axis] = where
        ceiling[parts + 1, axis] = where
        begins[parts + 1], end = _deal(low, high, boxes, begin, end, axis, where)
        parts += 2
    return covered


def _volume(floor: Floats, ceiling: Floats) -> float:
    volume = 1.0
    for j in range(len(floor)):
        volume *= max(ceiling[j] - floor[j], 0.0)
    return volume


def _shared(low: Floats, high: Floats, box: int, floor: Floats, ceiling: Floats) -> float:
    """The volume that one box has in common with a part of space."""
    volume = 1.0
    for j in range(len(floor)):
        volume *= max(min(ceiling[j], high[box, j]) - max(floor[j], low[box, j]), 0.0)
    return volume


def _trim(
    low: Floats, high: Floats, boxes: npt.NDArray[np.int64], begin: int, end: int,
    floor: Floats, ceiling: Floats,
) -> tuple[int, float]:  # fmt: skip
    """Drop the boxes outside a part, and cut off what a box covers from one end of it.

    A box that reaches through the part in all dimensions but one, and to one end of that one,
    covers a slice and nothing else of it: the part is that much shorter, the slice is counted,
    and the box need not be looked at again. What is left may now be spanned by others that were
    kept before, so all are looked at again until nothing was cut off. Most boxes of a crowded
    part go this way, and no part is made for them.
    """
    covered, again = 0.0, True
    while again and end > begin:
        again, kept = False, begin
        for at in range(begin, end):
            box = boxes[at]
            inside, axis = _reach(low, high, box, floor, ceiling)
            if inside < 0:
                continue
            if inside == 0:
                return begin, covered + _volume(floor, ceiling)
            if inside > 1 or (low[box, axis] > floor[axis] and high[box, axis] < ceiling[axis]):
                boxes[kept] = box
                kept += 1
                continue
            before, again = _volume(floor, ceiling), True
            if low[box, axis] <= floor[axis]:
                floor[axis] = high[box, axis]
            else:
                ceiling[axis] = low[box, axis]
            covered += before - _volume(floor, ceiling)
        end = kept
    return end, covered


def _cut(
    low: Floats, high: Floats, boxes: npt.NDArray[np.int64], begin: int, end: int,
    floor: Floats, ceiling: Floats,
) -> tuple[int, float]:  # fmt: skip
    """Where to cut a part: through its middle, or with few boxes at the face nearest to it.

    After trimming every box ends somewhere inside the part. A cut along such a face takes one end
    out of both halves, so that few boxes are settled by few cuts, however wide the part is. To
    find the face that lies nearest the middle, all must be looked at; in a crowd that costs more
    than it gains, and the longest side is halved, which sends about half of small boxes to either
    side. The middle is rounded down: with whole corners all parts keep whole corners.
    """
    axis = 0
    if end - begin > CROWD:
        for j in range(len(floor)):
            if ceiling[j] - floor[j] > ceiling[axis] - floor[axis]:
                axis = j
        return axis, np.floor((floor[axis] + ceiling[axis]) / 2)
    least, where = 0.5, 0.0
    for at in range(begin, end):
        for j in range(len(floor)):
            middle, half = (floor[j] + ceiling[j]) / 2, (ceiling[j] - floor[j]) / 2
            face = low[boxes[at], j]
            if abs(high[boxes[at], j] - middle) < abs(face - middle):
                face = high[boxes[at], j]
            if abs(face - middle) / half / 2 < least:
                least, axis, where = abs(face - middle) / half / 2, j, face
    return axis, where


def _reach(low: Floats, high: Floats, box: int, floor: Floats, ceiling: Floats) -> tuple[int, int]:
    """In how many dimensions a box ends inside a part, and the last of them; -1 if outside it."""
    inside, axis = 0, 0
    for j in range(len(floor)):
        if high[box, j] <= floor[j] or low[box, j] >= ceiling[j]:
            return -1, 0
        if low[box, j] > floor[j] or high[box, j] < ceiling[j]:
            inside, axis = inside + 1, j
    return inside, axis


def _deal(
    low: Floats, high: Floats, boxes: npt.NDArray[np.int64], begin: int, end: int,
    axis: int, where: float,
) -> tuple[int, int]:  # fmt: skip
    """Lay the boxes above a cut where they were, and those below it after them.

    All parts that are still open lie one after the other in one array, like plates on a pile, and
    the last one is always the next to be looked at: no list is made or freed in the loop. A box
    on both sides of the cut is laid down twice, so up to as many places again are needed. The
    boxes below are put aside first, behind the end, as those above overwrite the part.
    """
    below = end
    for at in range(begin, end):
        if low[boxes[at], axis] < where:
            boxes[below] = boxes[at]
            below += 1
    above = begin
    for at in range(begin, end):
        if high[boxes[at], axis] > where:
            boxes[above] = boxes[at]
            above += 1
    for at in range(below - end):
        boxes[above + at] = boxes[end + at]
    return above, above + below - end
