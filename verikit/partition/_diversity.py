"""Partitions by sensitive values: anatomy, diverse, and diverse by entropy; what they ask for."""

from __future__ import annotations

import heapq
from typing import get_args

import numpy as np

from verikit._support.arrays import Flags, Rows
from verikit._support.requests import one_of, whole
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, SchemaError
from verikit.partition._halving import Corners, split_table, task_of
from verikit.partition._partition import (
    Partition,
    check_request,
    sensitive_name,
    value_codes,
)
from verikit.table import Microdata, Missing, refuse_missing, require_table

LOTS = 2**20
MAX_TRIES = 10_000  # more would not end on a large table


def anatomy(
    data: Microdata,
    *,
    ell: int,
    sensitive: str | None = None,
    missing: Missing = "refuse",
    seed: int,
) -> Partition:
    """Group records so that each group holds at least ``ell`` sensitive values, once each.

    Records with the same sensitive value form a bucket. While ``ell`` buckets hold records, a new
    group takes one at random from each of the ``ell`` fullest. Fewer than ``ell`` records remain;
    each joins a random group that does not hold its value yet. What else is known of the records
    plays no part.

    Parameters
    ----------
    data
        The records.
    ell
        How many different sensitive values a group must hold at least.
    sensitive
        The column whose values are mixed; needed only if several are sensitive.
    missing
        Whether a missing sensitive value is refused or counts as a value of its own.
    seed
        The randomness.

    Returns
    -------
    Partition
        Groups of ``ell`` records, and of one more for each record left over, if all fall into
        different groups; the number left over is its ``residue``.

    Raises
    ------
    InfeasibleError
        If one value fills more than one in ``ell`` records; the message names the largest ``ell``.
    SchemaError
        If there is no record, no one sensitive column, or a missing value in it.
    RecordError
        If ``ell`` is no whole number from 1 up.

    References
    ----------
    [LHCC]_ section 1, Table 3; Xiao and Tao 2006 as cited there

    Notes
    -----
    Equally full buckets are taken by lot. In the order of their values neighbouring values would
    share a group again and again: a neighbour would learn an ordered value nearly as it is, and
    questions about ranges would be answered better than anatomy can. O(n log v) for v values.

    Examples
    --------
    >>> import verikit as vk
    >>> anatomy(vk.load("lhcc_table1"), ell=4, seed=1)
    Partition(9 records in 2 groups, 1 of them left over and added; method anatomy)
    """
    request = check_request(data, ell, sensitive, missing, "anatomy")
    rng = generator(seed)
    order = rng.permutation(data.canonical_order())
    order = order[np.argsort(request.codes[order], kind="stable")]
    counts = np.bincount(request.codes, minlength=request.values)
    chosen = schedule_buckets(counts, request.ell, rng)
    labels = np.full(len(order), -1, np.intp)
    taken = np.bincount(chosen, minlength=len(counts))
    starts = np.cumsum(counts) - counts
    inside = np.arange(len(order)) - np.repeat(starts, counts) < np.repeat(taken, counts)
    labels[order[inside]] = np.argsort(chosen, kind="stable") // request.ell
    groups = np.sort(chosen.reshape(-1, request.ell), axis=1)
    left = order[~inside]
    for row in left:
        free = np.flatnonzero((groups != request.codes[row]).all(axis=1))
        labels[row] = rng.choice(free)
    parameters = {"ell": request.ell, "sensitive": request.name}
    return Partition(labels, "anatomy", parameters, len(left))


def schedule_buckets(counts: Rows, ell: int, rng: np.random.Generator) -> Rows:
    """The buckets that the groups take from, ``ell`` for each group in the order of the groups.

    An entry of the heap is the size of a bucket, then its lot, then its number, in one integer.

    Examples
    --------
    >>> schedule_buckets(np.array([3, 2, 0, 1]), 3, generator(1)).tolist()
    [0, 1, 3]
    """
    buckets = len(counts)
    size = LOTS * buckets
    lots = iter(rng.integers(LOTS, size=int(counts.sum()) + buckets).tolist())
    heap = [next(lots) * buckets + b - int(n) * size for b, n in enumerate(counts) if n]
    heapq.heapify(heap)
    chosen: list[int] = []
    while len(heap) >= ell:
        fullest = [heapq.heappop(heap) for _ in range(ell)]
        chosen += [entry % buckets for entry in fullest]
        for entry in fullest:
            left = entry // size + 1
            if left:
                heapq.heappush(heap, left * size + next(lots) * buckets + entry % buckets)
    return np.array(chosen, dtype=np.intp)


TOLERANCE = 1e-9


def entropy_diverse(
    data: Microdata, *, ell: int, sensitive: str | None = None, missing: Missing = "refuse"
) -> Partition:
    """Cut groups in two at the median of their widest column, as long as both stay diverse.

    A group is diverse if its sensitive values are as evenly spread as ``ell`` equally frequent
    ones: the exponential of their entropy is ``ell`` or more.

    Parameters
    ----------
    data
        The records. Numbers are cut by their size, categories in their declared order or by name.
    ell
        How many equally frequent values each group must amount to at least.
    sensitive
        The column whose values are mixed; needed only if several are sensitive.
    missing
        ``"refuse"``, or ``"own value"``: missing counts as a value after all others.

    Returns
    -------
    Partition
        The groups, numbered from the lower to the upper parts of the cuts.

    Raises
    ------
    InfeasibleError
        If not even all records together are so diverse; the message names the largest ``ell``.
    SchemaError
        If there is no record, no quasi-identifier, no one sensitive column, or a missing value.
    RecordError
        If ``ell`` is no whole number from 1 up.

    Notes
    -----
    The paper names no algorithm; this is Mondrian's with another condition. The widest column is
    the one whose values in the group span the largest share of its different values; at equal
    width it is the first. Equal values stay together. O(n m) a level of cuts.

    References
    ----------
    [YQ]_ Definition 5, section 7.2.2

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("yq_figure1")
    >>> groups = entropy_diverse(data, ell=2)
    >>> release, key = vk.mask.generalize(data, partition=groups, seed=7)
    >>> vk.models.entropy_diversity(release, ell=2).met
    True
    """
    columns = require_table(data, "entropy_diverse").schema.quasi
    if not columns:
        raise SchemaError(
            "The table has no quasi-identifier to cut; declare at least one column 'quasi'."
        )
    least, name = whole(ell, "ell"), sensitive_name(data.schema, sensitive)
    if not len(data):
        raise SchemaError("The table has no records, so there is nothing to group.")
    refuse_missing(data, (*columns, data.schema[name]), missing)
    hidden = value_codes(data, name).codes
    most = _count_effective_values(hidden)
    if most < least:
        raise InfeasibleError(
            f"ell was given as {least}, but the values of {name!r} in all {len(data)} records are "
            f"as diverse as {most:.2f} equally frequent ones; the largest ell that can be reached "
            f"is {int(most)}.",
            field="ell",
            value=least,
        )
    cells = np.array([value_codes(data, column.name).codes for column in columns])
    labels = np.empty(len(data), np.intp)
    for group, rows in enumerate(_cut_groups(cells, hidden, least)):
        labels[rows] = group
    return Partition(labels, "entropy_diverse", {"ell": least, "sensitive": name})


def _cut_groups(cells: Rows, hidden: Rows, ell: int) -> list[Rows]:
    """The groups that cannot be cut, from the lower to the upper parts of the cuts."""
    spans = np.maximum(cells.max(axis=1), 1)
    waiting, done = [np.arange(cells.shape[1])], []
    while waiting:
        rows = waiting.pop()
        left = _find_cut(cells[:, rows], hidden[rows], ell, spans)
        if left is None:
            done.append(rows)
        else:
            waiting += [rows[~left], rows[left]]
    return done


def _find_cut(cells: Rows, hidden: Rows, ell: int, spans: Rows) -> Flags | None:
    """The lower part of the first cut that leaves both parts diverse; None where there is none."""
    widths = (cells.max(axis=1) - cells.min(axis=1)) / spans
    for column in np.argsort(-widths, kind="stable"):
        values = cells[column]
        median = np.partition(values, (len(values) - 1) // 2)[(len(values) - 1) // 2]
        for left in (values <= median, values < median):
            if _is_diverse(hidden[left], ell) and _is_diverse(hidden[~left], ell):
                return left
    return None


def _is_diverse(hidden: Rows, ell: int) -> bool:
    return len(hidden) >= ell and _count_effective_values(hidden) >= ell


def _count_effective_values(hidden: Rows) -> float:
    """As how many equally frequent values some values are diverse; a whole number if nearly so."""
    counts = np.bincount(hidden)
    held = counts[counts > 0]
    found = float(np.exp(np.log(len(hidden)) - (held * np.log(held)).sum() / len(hidden)))
    return float(round(found)) if abs(found - round(found)) < TOLERANCE else found


def diverse(
    data: Microdata,
    *,
    ell: int,
    tries: int = 5,
    corners: Corners = "part",
    sensitive: str | None = None,
    missing: Missing = "refuse",
    seed: int,
) -> Partition:
    """Group alike records so that no sensitive value fills more than one in ``ell`` of a group.

    The table is halved again and again: each record goes to the half whose certainty penalty it
    raises less, and a cut is kept if both halves can still be made diverse. Then the records of
    each part, sorted by sensitive value, are dealt out in turn to groups of ``ell`` to
    ``2 * ell - 1`` records, in which no value occurs twice.

    Parameters
    ----------
    data
        The records.
    ell
        How many different sensitive values a group must hold at least.
    tries
        How many random orders of its records are tried to halve a part.
    corners
        A part is halved by growing its halves from two artificial records, at opposite corners
        of the ``"part"`` itself or of the whole ``"table"``.
    sensitive
        The column whose values are mixed; needed only if several are sensitive.
    missing
        Whether a missing category is refused or counts as a value of its own.
    seed
        The randomness.

    Returns
    -------
    Partition
        The groups.

    Raises
    ------
    InfeasibleError
        If one value fills more than one in ``ell`` records; the message names the largest ``ell``.
    SchemaError
        If there is no record, no one sensitive column, or a value is missing.
    RecordError
        If ``ell`` is no whole number from 1 up, ``tries`` none from 1 to 10,000, or there are no
        such corners.

    References
    ----------
    [LHCC]_ Algorithms 1 and 2, Theorem 3

    Notes
    -----
    Read with corrections: a table is refused only if a value fills *more* than its share; the
    number of groups is rounded down; an empty half is a failed try; the two artificial records
    count in the penalty but not in the test; since dealing never leaves a group of ``2 * ell``,
    none is split at random. Penalties are compared as whole numbers, so ties are true ties and
    go to the second half. Numbers that are not whole are placed on a fine grid for this.
    "The corresponding domains" of the artificial records may be the part's or the table's. With
    its own corners halving goes on until the parts are small, as the paper reports; with the
    table's a large part often stays whole, and groups are much less alike. Its own take longer,
    for 30,000 records by about two thirds. O(n log n) on average; with numba, tables of 50,000
    records and more are compiled. Whether a cut is kept depends on the sensitive values too, so
    that somebody who repeats the method can rule out some of the links that a group leaves.

    Examples
    --------
    >>> import verikit as vk
    >>> diverse(vk.load("lhcc_table1"), ell=4, seed=1)
    Partition(9 records in 2 groups; method diverse)
    """
    request = check_request(data, ell, sensitive, missing, "diverse")
    tries = whole(tries, "tries", most=MAX_TRIES)
    one_of(corners, "corners", get_args(Corners))
    rng = generator(seed)
    order = data.canonical_order()
    codes = request.codes[order]
    parts = split_table(task_of(data, request, missing).take(order), tries, rng, corners)
    labels = np.empty(len(order), np.intp)
    labels[order] = deal_records(parts, codes, request.ell, rng)
    parameters = {
        "ell": request.ell,
        "tries": tries,
        "corners": corners,
        "sensitive": request.name,
    }
    return Partition(labels, "diverse", parameters)


def deal_records(parts: Rows, codes: Rows, ell: int, rng: np.random.Generator) -> Rows:
    """The group of each record: the records of each part in turn, sorted by value (Algorithm 1).

    Examples
    --------
    >>> deal_records(np.zeros(5, int), np.array([0, 0, 1, 1, 2]), 2, generator(1)).tolist()
    [0, 1, 0, 1, 0]
    """
    sizes = np.bincount(parts)
    groups = sizes // ell
    order = rng.permutation(len(parts))
    order = order[np.argsort((parts * (int(codes.max()) + 1) + codes)[order], kind="stable")]
    place = np.arange(len(parts)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    labels = np.empty(len(parts), np.intp)
    labels[order] = np.repeat(np.cumsum(groups) - groups, sizes) + place % np.repeat(groups, sizes)
    return labels
