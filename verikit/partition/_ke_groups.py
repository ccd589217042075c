"""(k,e)-anonymous groups: neighbours with the least ranges, as many as can be, or at random."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

import numpy as np

from verikit._support.arrays import Floats, Rows, SmallInts
from verikit._support.compiled import compiled
from verikit._support.requests import flag
from verikit._support.seed import generator
from verikit.partition._numeric_order import (
    COMPILED_FROM,
    Line,
    group_neighbours,
    last_starts,
    line_of,
    order_records,
)
from verikit.partition._overlapping import search_overlapping
from verikit.partition._partition import Partition, partitioner
from verikit.table import Microdata


@partitioner(resists="repetition")
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
    return group_neighbours(data, line, least_sum(line, last), "min_sum_error", seed)


def least_sum(line: Line, last: SmallInts) -> Rows:
    """Find where groups of the least sum end, given the last value each may begin with."""
    return trace_ends(line.counts, _least_sum_starts(line.values, line.counts, last))


@compiled(large=COMPILED_FROM)
def _least_sum_starts(values: Floats, counts: SmallInts, last: SmallInts) -> SmallInts:
    """Find the value with which the last group up to each value begins at the least sum.

    All copies of a value cost the same, for a group may begin at the same places whichever of
    them it ends in. A group that begins with the first copy of value b leaves the values below
    it to the groups before; one that begins with a later copy leaves b to them too, and ~b is
    written for it.
    """
    # dynamic programming over ends, with a running minimum in place of the inner loop
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
def trace_ends(counts: SmallInts, begin: SmallInts) -> Rows:
    """Trace the ends of the groups backwards from the last record."""
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


@partitioner(resists="repetition")
def min_max_error(
    data: Microdata,
    *,
    k: int,
    e: float,
    sensitive: str | None = None,
    overlapping: bool = False,
    seed: int,
) -> Partition:
    """Group records so that the widest range of a number inside a group is the least.

    Each group holds at least ``k`` different values that lie at least ``e`` apart. No question
    about a single group is then answered worse than it must be.

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
    overlapping
        Whether the ranges of groups may overlap, which can make the widest narrower.
    seed
        The randomness, which breaks ties: who has which group's copy of a value that two share.

    Returns
    -------
    Partition
        Groups of neighbouring values; two groups may share the value between them. Of all
        partitions with the least widest range, the one whose ranges add up to the least. If ranges
        may overlap and that helps, some groups with the least widest range of all partitions.

    Raises
    ------
    InfeasibleError
        If not even all records together reach ``k`` or ``e``; the message names the largest.
    SchemaError
        If there is no record, no one numeric sensitive column, or a missing value in it.
    RecordError
        If ``k`` is no whole number from 1 up, ``e`` no number from 0 up, ``overlapping`` neither
        True nor False, or the seed none.

    References
    ----------
    [QZ]_ Algorithm 2, Problems 2.6.2 and 2.6.3, Lemma 2.6.2, Theorem 4

    Notes
    -----
    A late beginning makes the last group narrow, but what stands before it may be worse, so the
    last beginning is not always best. Beginnings wait in a queue in which both their place and
    their cost ascend; those that every later end would reach at a higher price leave it: O(n)
    after one sort. Groups whose ranges overlap can do better, at most twice as well (Theorem 4).
    Without a rule for ties one wide group would make all others arbitrary, so ties go to the
    smaller sum. Ties of records are broken at random, so that the groups tell nothing but their
    values: the same groups are as likely whoever of a group has which of its values.

    With overlap Algorithm 2 as printed finds values that no partition has (too small in one case
    of six), because it leaves out the first group's range, the offset of its base case, and copies
    of a value; here a bound is tried by going through the values once, with the most different
    values that each possible beginning of a group can hold, in O(m w k) for m different values of
    which w lie within the bound, inside a binary search, where the text needs O(n^6). The search
    ends at once where consecutive groups are no wider than some single value requires.

    Examples
    --------
    The example of section 2.6.2: 7 is the least without overlap, where overlapping groups reach 5.

    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"age": range(8), "pay": [1, 2, 3, 5, 5, 6, 6, 8]})
    >>> data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    >>> len(min_max_error(data, k=4, e=5, seed=1))
    1
    >>> groups = min_max_error(data, k=4, e=5, overlapping=True, seed=1)
    >>> [frame["pay"][rows].tolist() for rows in groups.groups()]
    [[1, 2, 5, 6], [3, 5, 6, 8]]
    """
    flag(overlapping, "overlapping")
    line = line_of(data, k, e, sensitive, "min_max_error")
    dealt = search_overlapping(line, find_least_width(line)) if overlapping else None
    if dealt is None:
        found = group_neighbours(data, line, find_narrowest(line), "min_max_error", seed)
    else:
        places = np.repeat(np.arange(len(line.values)), line.counts)
        copy = np.arange(len(places)) - np.repeat(np.cumsum(line.counts) - line.counts, line.counts)
        labels = np.empty(len(places), np.intp)
        order = order_records(data, line, dealt.copies < line.counts, seed)
        labels[order] = dealt.group[places] + (copy >= dealt.copies[places])
        found = Partition(labels, "min_max_error", line.parameters())
    return replace(found, parameters={**found.parameters, "overlapping": bool(overlapping)})


def find_narrowest(line: Line) -> Rows:
    """Find where groups end that have the least widest range, and then the least sum.

    Some group holds the first value, and some the last. Where the partition of the least sum, or
    one of groups no wider than these two must be, is no wider than they are, nothing is better.
    """
    least = _width_at_ends(line)
    last = last_starts(line.values, line.k, line.e)
    ends = least_sum(line, last)
    if _is_within(line, ends, least):
        return ends
    begin, cost = _cheapest_starts(line.values, line.counts, last, least)
    if cost == np.inf:
        least = _least_width(line.values, line.counts, last)
        begin, _ = _cheapest_starts(line.values, line.counts, last, least)
    return trace_ends(line.counts, begin)


def _width_at_ends(line: Line) -> float:
    """Find the wider of the two narrowest groups that hold the first and the last value."""
    values, places = line.values, range(line.k - 1, len(line.values))
    first = bisect_left(places, True, key=lambda at: values[at] - values[0] >= line.e)
    last = bisect_left(places, True, key=lambda at: values[-1] - values[-1 - at] >= line.e)
    return float(max(values[places[first]] - values[0], values[-1] - values[-1 - places[last]]))


def _is_within(line: Line, ends: Rows, limit: float) -> bool:
    """Tell whether no group is wider than a limit."""
    if len(line.values) == len(line.order):
        first, last = np.concatenate([[0], ends[:-1]]), ends - 1
    else:
        upto = np.cumsum(line.counts)
        first = np.searchsorted(upto, np.concatenate([[0], ends[:-1]]), "right")
        last = np.searchsorted(upto, ends - 1, "right")
    return bool((line.values[last] - line.values[first] <= limit).all())


def find_least_width(line: Line) -> float:
    """Find the least widest range of consecutive groups."""
    last = last_starts(line.values, line.k, line.e)
    return float(_least_width(line.values, line.counts, last))


@compiled(large=COMPILED_FROM)
def _least_width(values: Floats, counts: SmallInts, last: SmallInts) -> float:
    """Find the least widest range, given the last value that each group may begin with."""
    n = len(values)
    widest = np.empty(n)
    begins = np.empty(n)  # values to begin with; what stands before them ascends
    before = np.empty(n)
    head = tail = seen = 0  # a monotone queue of beginnings
    for at in range(n):
        value = values[at]
        while seen <= last[at]:
            entry = widest[seen - 1] if seen else 0.0
            if counts[seen] > 1 and seen < at:
                entry = min(entry, widest[seen])
            while tail > head and before[tail - 1] >= entry:
                tail -= 1
            before[tail], begins[tail] = entry, values[seen]
            tail += 1
            seen += 1
        while head + 1 < tail and value - begins[head + 1] >= before[head + 1]:
            head += 1
        if head == tail:
            widest[at] = np.inf
            continue
        found = max(before[head], value - begins[head])
        if head + 1 < tail:
            found = min(found, before[head + 1])
        widest[at] = found
    return widest[n - 1]


@compiled(large=COMPILED_FROM)
def _cheapest_starts(
    values: Floats, counts: SmallInts, last: SmallInts, limit: float
) -> tuple[SmallInts, float]:
    """Find the value each last group begins with at the least sum, none wider than a limit.

    The sum itself is infinite where a limit is too low for any partition.

    As in `min_sum_error`, ~b stands for a group that begins with a later copy of b.
    """
    n = len(values)
    cost = np.empty(n)
    begin = np.zeros(n, np.int32)
    queue = np.empty(n, np.int32)  # values to begin with, the cheapest first
    begins = np.empty(n)
    price = np.empty(n)  # what stands before such a group, less the value it begins with
    head = tail = seen = 0
    for at in range(n):
        value = values[at]
        while seen <= last[at]:
            found = seen
            before = cost[seen - 1] if seen else 0.0
            if counts[seen] > 1 and seen < at and cost[seen] < before:
                before, found = cost[seen], ~seen
            before -= values[seen]
            while tail > head and price[tail - 1] > before:
                tail -= 1
            queue[tail], begins[tail], price[tail] = found, values[seen], before
            tail += 1
            seen += 1
        while head < tail and value - begins[head] > limit:
            head += 1
        cost[at] = np.inf
        if head < tail:
            cost[at] = value + price[head]
            begin[at] = queue[head]
    return begin, cost[n - 1]


@partitioner(resists="repetition")
def max_groups(
    data: Microdata, *, k: int, e: float, sensitive: str | None = None, seed: int
) -> Partition:
    """Group neighbouring values into as many groups as ``k`` and ``e`` allow.

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
        Groups of neighbouring values; two groups may share the value between them. The records
        left over at the end, its ``residue``, are in the last group.

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
    [QZ]_ section 2.7.1

    Notes
    -----
    A group is closed as soon as it meets both, which leaves most for the others. O(n) after one
    sort. The maximum is over groups of neighbours; groups of any kind can be more.
    Ties are broken at random, so that the groups tell nothing but their values: the same groups are
    as likely whoever of a group has which of its values.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"age": range(7), "pay": [1, 2, 3, 5, 5, 6, 9]})
    >>> data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    >>> max_groups(data, k=2, e=1, seed=1)
    Partition(7 records in 3 groups, 1 of them left over and added; method max_groups)
    """
    line = line_of(data, k, e, sensitive, "max_groups")
    ends = _find_ends(line.values, line.counts, line.k, line.e)
    left = len(data) - int(ends[-1])
    ends[-1] += left
    return replace(group_neighbours(data, line, ends, "max_groups", seed), residue=left)


@compiled(large=COMPILED_FROM)
def _find_ends(values: Floats, counts: SmallInts, k: int, e: float) -> Rows:
    """Close each group at the first copy of the first value that completes it."""
    n, records = len(values), counts.sum()
    ends = np.empty(records, np.intp)
    found = start = value = last = 0
    upto, below = counts[0], 0  # records up to the first value of the group, and below its last
    while start < records:
        while start >= upto:
            value += 1
            upto += counts[value]
        while last < n and (last < value + k - 1 or values[last] - values[value] < e):
            below += counts[last]
            last += 1
        if last >= n:
            break
        start = max(start, below) + 1
        ends[found] = start
        found += 1
    return ends[:found]


@partitioner(resists="repetition")
def sequential(
    data: Microdata, *, k: int, e: float, sensitive: str | None = None, seed: int
) -> Partition:
    """Fill a group with records in random order until it meets ``k`` and ``e``, then the next.

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
        The randomness.

    Returns
    -------
    Partition
        Small groups of records that have nothing to do with each other; the records left over at
        the end, its ``residue``, are in the last group.

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
    [QZ]_ section 2.7.1

    Notes
    -----
    The text does not say what becomes of the records left over; here they join the last group.
    O(n) after one sort.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"age": range(8), "pay": [1, 2, 3, 5, 5, 6, 6, 8]})
    >>> data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    >>> bool(sequential(data, k=2, e=1, seed=1).sizes.min() >= 2)
    True
    """
    line = line_of(data, k, e, sensitive, "sequential")
    order = data.canonical_order()[generator(seed).permutation(len(data))]
    ends = _find_ends_in_turn(data.scores(line.name)[order], line)
    left = len(order) - ends[-1]
    ends[-1] += left
    labels = np.empty(len(order), np.intp)
    labels[order] = np.searchsorted(ends, np.arange(len(order)), "right")
    return Partition(labels, "sequential", line.parameters(), int(left))


def _find_ends_in_turn(scores: Floats, line: Line) -> Rows:
    """After how many records in the drawn order each group is complete."""
    ends: list[int] = []
    held: set[float] = set()
    low, high = np.inf, -np.inf
    for place, score in enumerate(scores.tolist(), start=1):
        held.add(score)
        low, high = min(low, score), max(high, score)
        if len(held) >= line.k and high - low >= line.e:
            ends.append(place)
            held, low, high = set(), np.inf, -np.inf
    return np.array(ends, np.intp)
