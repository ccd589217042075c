"""Groups of neighbouring values whose ranges add up to the least: [QZ]_ Algorithm 1 in O(n)."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats, Rows, SmallInts
from verikit._support.compiled import compiled
from verikit.partition._apart import COMPILED_FROM, Line, consecutive, last_starts, line_of
from verikit.partition._partition import Partition
from verikit.table import Microdata

__all__ = ["ends_of", "least_sum", "min_sum_error"]


def min_sum_error(
    data: Microdata, *, k: int, e: float, sensitive: str | None = None, seed: int
) -> Partition:
    """Group records so that the ranges of a number inside the groups add up to the least.

    Each group holds at least ``k`` different values, and its largest and smallest lie at least
    ``e`` apart, so that a group alone tells nobody's value closely. Narrow groups answer questions
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
    seed
        The randomness, which breaks ties: who has which group's copy of a value that two share.

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
        If ``k`` is no whole number from 1 up, ``e`` no number from 0 up, or the seed none.

    References
    ----------
    [QZ]_ Problem 2.6.1, Algorithm 1, equation 2.1, Theorem 3, Lemma 2.6.1

    Notes
    -----
    Printed with f[0] infinite no input gets a value, and printed with max it solves the other
    problem; here f[0] is 0 and errors are added. The cost of the first i records is
    x_i + min over d of (f(d-1) - x_d), and the last d at which a group that ends in i may begin
    never moves back, so one running minimum serves all: O(n) after one sort, where the text needs
    O(n^2) time and space.
    Ties are broken at random, so that the groups tell nothing but their values: the same groups are
    as likely whoever of a group has which of its values.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"age": [31, 52, 40, 25], "pay": [1, 10, 2, 11]})
    >>> data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    >>> min_sum_error(data, k=2, e=1, seed=1).labels.tolist()
    [0, 1, 0, 1]
    """
    line = line_of(data, k, e, sensitive, "min_sum_error")
    last = last_starts(line.values, line.k, line.e)
    return consecutive(data, line, least_sum(line, last), "min_sum_error", seed)


def least_sum(line: Line, last: SmallInts) -> Rows:
    """After how many records each group ends, given the last value that each may begin with."""
    return ends_of(line.counts, _least_sum(line.values, line.counts, last))


@compiled(large=COMPILED_FROM)
def _least_sum(values: Floats, counts: SmallInts, last: SmallInts) -> SmallInts:
    """With which value the last group up to each value begins at the least sum.

    All copies of a value cost the same, for a group may begin at the same places whichever of
    them it ends in. A group that begins with the first copy of value b leaves the values below
    it to the groups before; one that begins with a later copy leaves b to them too, and ~b is
    written for it.
    """
    n = len(values)
    back = 0  # how far a group may begin before the value that it ends in
    for at in range(n):
        back = max(back, at - last[at])
    ring = 1
    while ring <= back:
        ring = 2 * ring + 1
    price = np.empty(ring + 1)  # the least up to each of the last values of what stands before a
    start = np.empty(ring + 1, np.int32)  # group, less the value it begins with; and that value
    begin = np.zeros(n, np.int32)
    cost, least, first = 0.0, np.inf, 0
    for at in range(n):
        value = values[at]
        if cost - value < least:
            least, first = cost - value, at
        price[at & ring], start[at & ring] = least, first
        cost = np.inf
        if last[at] >= 0:
            cost = value + price[last[at] & ring]
            begin[at] = start[last[at] & ring]
        if counts[at] > 1 and cost - value < least:
            least, first = cost - value, ~at
            price[at & ring], start[at & ring] = least, first
    return begin


@compiled(large=COMPILED_FROM)
def ends_of(counts: SmallInts, begin: SmallInts) -> Rows:
    """The ends of the groups, found backwards from the last record."""
    ends = np.empty(len(counts) + 1, np.intp)
    found, at = 0, len(counts) - 1
    end = upto = counts.sum()  # records up to the value that the group ends in
    while end > 0:
        ends[found] = end
        found += 1
        start = begin[at]
        first = max(start, ~start)
        while at > first:
            upto -= counts[at]
            at -= 1
        if start >= 0:
            upto -= counts[first]
            at -= 1
        end = upto if start >= 0 else upto - counts[first] + 1
    return ends[:found][::-1]
