"""Algorithm 2 of [QZ]_ in its own steps, with each of its printed faults to be put back.

Values are counted from 1 as in the text: ``first(d, r, i)`` is the least that the widest range can
be from value i on, where the group that begins there already holds ``d`` different values below i
and reaches down by ``r``.
"""

import math
from functools import cache

FAULTS = ("NA41", "NA42", "NA43", "NA44")


def algorithm_2(pay, k, e, faults=()):
    """The least widest range of groups that may overlap, as the text's program finds it."""
    x = [math.nan, *sorted(pay)]
    n = len(pay)

    @cache
    def first(d, r, i):
        if len(set(x[i:])) < k - d or x[n] - x[i] < e - r:
            return math.inf
        found = [x[n] - x[i] + (0 if "NA41" in faults else r)]
        for end in range(i, n):
            if "NA43" not in faults and x[end] == x[end + 1]:
                continue  # a group takes the last copy of its greatest value
            if "NA42" not in faults and x[end] - x[i] < e - r:
                continue
            found += [
                max(x[end] - x[i] + r, first(moved, x[end + 1] - x[start], end + 1))
                for start in range(i + 1, end + 2)
                if (moved := most_moved(x, k - d, (i, end, start), faults)) is not None
            ]
        return min(found)

    return first(0, 0, 1)


def most_moved(x, needed, places, faults):
    """The most different values from ``start`` on that the second group can have of the first's.

    None where the first would not hold what it needs, or, unless NA44 is put back, where the
    second would not begin at ``start``.
    """
    i, end, start = places
    strict = "NA44" not in faults
    if strict and start == end:
        return None  # the greatest value is the first group's
    stays, middle = {*x[i:start], x[end]}, x[start:end]
    twice = {value for value in middle if middle.count(value) > 1}
    alone = set(middle) - twice - stays
    lacking = max(needed - len(stays | twice), 0)
    able = len(alone - {x[start]}) if strict else len(alone)
    return None if lacking > able else len(set(middle)) - lacking


def printed_recurrence(pay, k, e):
    """The recurrence above the program: it passes on differences, and lets every group overlap."""
    x = [math.nan, *sorted(pay)]
    n = len(pay)

    @cache
    def g(d, r, i):
        if len(set(x[i:])) < k - d or x[n] - x[i] < e - r:
            return math.inf
        found = [x[n] - x[i] + r]
        for u in range(i, n):
            for v in range(i, u):
                moved = most_moved(x, k - d, (i, u, v), ())
                if moved is not None:
                    found.append(max(g(d - moved, r - (x[u + 1] - x[v]), u + 1), x[u] - x[i] + r))
        return min(found)

    return g(0, 0, 1)
