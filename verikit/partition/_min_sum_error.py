"""Groups of neighbouring values whose ranges add up to the least: [QZ]_ Algorithm 1 in O(n)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from verikit._support.compiled import compiled
from verikit.partition._apart import Floats, Places, consecutive, line_of
from verikit.partition._partition import Partition
from verikit.table import Microdata

__all__ = ["COMPILED_FROM", "ends_of", "min_sum_error"]

COMPILED_FROM = 200_000


def min_sum_error(data: Microdata, *, k: int, e: float, sensitive: str | None = None) -> Partition:
    """Group records so that the ranges of a number inside the groups add up to the least.

    Each group holds at least ``k`` different values, and its largest and smallest lie at least
    ``e`` apart, so that nobody's value can be guessed closely. Narrow groups answer questions
    about sums and averages closely; of all partitions this one has the smallest sum of ranges.

    Parameters
    ----------
    data
        The records.
    k
        How many different values a group must hold at least.
    e
        How far apart its largest and its smallest value must lie at least, in the column's unit.
    sensitive
        The numeric column; needed only if several columns are sensitive.

    Returns
    -------
    Partition
        Groups of neighbouring values; two groups may share the value between them.

    Raises
    ------
    InfeasibleError
        If not even all records together reach ``k`` or ``e``; the message names the largest.
    SchemaError
        If there is no record, no one numeric sensitive column, or a missing value in it.
    RecordError
        If ``k`` is no whole number from 1 up, or ``e`` no number from 0 up.

    References
    ----------
    [QZ]_ Algorithm 1, equation 2.1, Theorem 3, Lemma 2.6.1

    Notes
    -----
    Printed with f[0] infinite no input gets a value, and printed with max it solves the other
    problem; here f[0] is 0 and errors are added. The cost of the first i records is
    x_i + min over d of (f(d-1) - x_d), and the last d at which a group that ends in i may begin
    never moves back, so one running minimum serves all: O(n) after one sort, where the text needs
    O(n^2) time and space.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"age": [31, 52, 40, 25], "pay": [1, 10, 2, 11]})
    >>> data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    >>> min_sum_error(data, k=2, e=1).labels.tolist()
    [0, 1, 0, 1]
    """
    line = line_of(data, k, e, sensitive, "min_sum_error")
    begin, whole = _cheapest(line.values, line.counts, line.k, line.e)
    return consecutive(data, line, ends_of(line.counts, begin, whole), "min_sum_error")


@compiled(large=COMPILED_FROM)
def _cheapest(
    values: Floats, counts: Places, k: int, e: float
) -> tuple[Places, npt.NDArray[np.bool_]]:
    """Where the last group up to each value begins at the least sum, and with which copies.

    All copies of a value cost the same, for a group may begin at the same places whichever of
    them it ends in. A group that begins with the first copy of value b leaves the values below
    it to the groups before; one that begins with a later copy leaves b to them too.
    """
    n = len(values)
    cost = np.empty(n)
    begin = np.empty(n, np.intp)
    whole = np.empty(n, np.bool_)
    least, start, first_copy = np.inf, -1, True
    seen = 0  # values to begin with, and what stands before such a group, less that value
    for at in range(n):
        while seen <= at - k + 1 and values[at] - values[seen] >= e:
            below = cost[seen - 1] if seen else 0.0
            with_it = cost[seen] if counts[seen] > 1 and seen < at else np.inf
            entry = min(below, with_it) - values[seen]
            if entry < least:
                least, start, first_copy = entry, seen, below <= with_it
            seen += 1
        cost[at] = values[at] + least
        begin[at], whole[at] = start, first_copy
    return begin, whole


@compiled(large=COMPILED_FROM)
def ends_of(counts: Places, begin: Places, whole: npt.NDArray[np.bool_]) -> Places:
    """The ends of the groups, found backwards from the last record."""
    n = len(counts)
    upto = np.cumsum(counts)
    ends = np.empty(n + 1, np.intp)
    found = 0
    at, end = n - 1, upto[n - 1]
    while end > 0:
        ends[found] = end
        found += 1
        start = begin[at]
        if whole[at]:
            at, end = start - 1, upto[start] - counts[start]
        else:
            at, end = start, upto[start] - counts[start] + 1
    return ends[:found][::-1]
