"""Alike records together, as long as the sensitive values of each group spread evenly enough."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Flags, Rows
from verikit._support.requests import whole
from verikit.errors import InfeasibleError, SchemaError
from verikit.partition._codes import value_codes
from verikit.partition._ell import sensitive_name
from verikit.partition._partition import Partition
from verikit.table import Microdata, Missing, refuse_missing, require_table

__all__ = ["entropy_diverse"]

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
    most = _effective(hidden)
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
    for group, rows in enumerate(_groups(cells, hidden, least)):
        labels[rows] = group
    return Partition(labels, "entropy_diverse", {"ell": least, "sensitive": name})


def _groups(cells: Rows, hidden: Rows, ell: int) -> list[Rows]:
    """The groups that cannot be cut, from the lower to the upper parts of the cuts."""
    spans = np.maximum(cells.max(axis=1), 1)
    waiting, done = [np.arange(cells.shape[1])], []
    while waiting:
        rows = waiting.pop()
        left = _cut(cells[:, rows], hidden[rows], ell, spans)
        if left is None:
            done.append(rows)
        else:
            waiting += [rows[~left], rows[left]]
    return done


def _cut(cells: Rows, hidden: Rows, ell: int, spans: Rows) -> Flags | None:
    """The lower part of the first cut that leaves both parts diverse; None where there is none."""
    widths = (cells.max(axis=1) - cells.min(axis=1)) / spans
    for column in np.argsort(-widths, kind="stable"):
        values = cells[column]
        median = np.partition(values, (len(values) - 1) // 2)[(len(values) - 1) // 2]
        for left in (values <= median, values < median):
            if _diverse(hidden[left], ell) and _diverse(hidden[~left], ell):
                return left
    return None


def _diverse(hidden: Rows, ell: int) -> bool:
    return len(hidden) >= ell and _effective(hidden) >= ell


def _effective(hidden: Rows) -> float:
    """As how many equally frequent values some values are diverse; a whole number if nearly so."""
    counts = np.bincount(hidden)
    held = counts[counts > 0]
    found = float(np.exp(np.log(len(hidden)) - (held * np.log(held)).sum() / len(hidden)))
    return float(round(found)) if abs(found - round(found)) < TOLERANCE else found
