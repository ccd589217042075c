"""Anatomy's buckets: each group takes one record from each of the ell fullest buckets."""

from __future__ import annotations

import heapq

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.seed import generator
from verikit.partition._ell import asked
from verikit.partition._partition import Partition
from verikit.table import Microdata, Missing

__all__ = ["anatomy"]

LOTS = 2**20


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
    request = asked(data, ell, sensitive, missing, "anatomy")
    rng = generator(seed)
    order = rng.permutation(data.canonical_order())
    order = order[np.argsort(request.codes[order], kind="stable")]
    counts = np.bincount(request.codes, minlength=request.values)
    chosen = schedule(counts, request.ell, rng)
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


def schedule(counts: Rows, ell: int, rng: np.random.Generator) -> Rows:
    """The buckets that the groups take from, ``ell`` for each group in the order of the groups.

    An entry of the heap is the size of a bucket, then its lot, then its number, in one integer.

    Examples
    --------
    >>> schedule(np.array([3, 2, 0, 1]), 3, generator(1)).tolist()
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
