"""Groups filled greedily: as many as there can be, or in random order as a baseline."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verikit._support.arrays import Floats, Rows, SmallInts
from verikit._support.compiled import compiled
from verikit._support.seed import generator
from verikit.partition._numeric_order import COMPILED_FROM, Line, group_neighbours, line_of
from verikit.partition._partition import Partition
from verikit.table import Microdata


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
