"""Permutation anonymization's groups: alike records first, then ell different values each."""

from __future__ import annotations

from typing import get_args

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.requests import one_of, whole
from verikit._support.seed import generator
from verikit.partition._ell import asked
from verikit.partition._halving import Corners, subtables, task_of
from verikit.partition._partition import Partition
from verikit.table import Microdata, Missing

__all__ = ["deal", "diverse"]


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
        If ``ell`` or ``tries`` is no whole number from 1 up, or there are no such corners.

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
    request = asked(data, ell, sensitive, missing, "diverse")
    tries = whole(tries, "tries")
    one_of(corners, "corners", get_args(Corners))
    rng = generator(seed)
    order = data.canonical_order()
    codes = request.codes[order]
    parts = subtables(task_of(data, request, missing).take(order), tries, rng, corners)
    labels = np.empty(len(order), np.intp)
    labels[order] = deal(parts, codes, request.ell, rng)
    parameters = {
        "ell": request.ell,
        "tries": tries,
        "corners": corners,
        "sensitive": request.name,
    }
    return Partition(labels, "diverse", parameters)


def deal(parts: Rows, codes: Rows, ell: int, rng: np.random.Generator) -> Rows:
    """The group of each record: the records of each part in turn, sorted by value (Algorithm 1).

    Examples
    --------
    >>> deal(np.zeros(5, int), np.array([0, 0, 1, 1, 2]), 2, generator(1)).tolist()
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
