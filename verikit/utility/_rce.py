"""The reconstruction error: what publishing by groups costs, record by record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit._support.plotted import Plotted
from verikit._support.requests import flag, instance, whole
from verikit.errors import RecordError, SchemaError
from verikit.partition import Partition, sensitive_name, value_codes
from verikit.table import Microdata, checked_table

__all__ = ["ReconstructionError", "rce"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReconstructionError(Plotted):
    """How far what can be rebuilt of each record lies from the record.

    Parameters
    ----------
    per_record
        The error of each record.
    bound
        The right side of Theorem 2, or of its counterpart for anatomy.
    ell
        The diversity of the groups: no value fills more than one in ``ell`` of any.
    bound_holds
        Whether the bound is a bound here: no value occurs twice in a group.
    """

    per_record: Floats
    bound: float
    ell: int
    bound_holds: bool

    @property
    def total(self) -> float:
        """The error of the table: the sum over its records."""
        return float(self.per_record.sum())

    def __repr__(self) -> str:
        word = "at least" if self.bound_holds else "which does not hold here: at least"
        return (
            f"reconstruction error {self.total:,.6g}; Theorem 2, {word} {self.bound:,.6g} "
            f"for groups of diversity {self.ell}"
        )


def rce(
    data: Microdata,
    partition: Partition,
    *,
    permuted: bool = True,
    diversity: int | None = None,
    sensitive: str | None = None,
) -> ReconstructionError:
    """Measure the reconstruction error of publishing groups in two tables.

    Parameters
    ----------
    data
        The original.
    partition
        Its groups.
    permuted
        Whether every column is shuffled by itself (`mask.permute_all`), or the rows of each table
        are kept (`mask.anatomize`).
    diversity
        The ``ell`` of the bound; None takes what the groups attain, which is at least what they
        were made for.
    sensitive
        The sensitive column; needed only if several are.

    Returns
    -------
    ReconstructionError
        The error of each record, their sum, and the bound of Theorem 2 with its condition.

    Raises
    ------
    SchemaError
        If the partition is not one of this table, or the sensitive column is not clear.
    RecordError
        If ``permuted`` is neither true nor false, or the groups do not have the diversity.

    Notes
    -----
    For a record with value v, of a group in which v occurs c times, with chance d for one given
    row to hold its quasi-identifiers: 1 - 2 c d + d² times the sum of all squared counts of the
    group (one sum, where the definition in print has two). Anatomy has d = 1 / n in a group of n.
    Theorem 2's proof needs groups without repeated values, as groups of at most 2 ell - 1 have
    none; in others the error may fall below its bound. What is rebuilt is no density unless
    d = 1 / n: shuffling equal values loses nothing, and still has an error. So this shows the
    price of shuffling beside anatomy's, and is nothing to choose a partition by. O(n log n).

    References
    ----------
    [LHCC]_ formulas (4) to (9), Theorem 2

    Examples
    --------
    >>> import verikit as vk
    >>> groups = vk.Partition.of([1] * 5 + [2] * 4)
    >>> rce(vk.load("lhcc_table1"), groups)
    reconstruction error 7.49; Theorem 2, at least 7.434 for groups of diversity 4
    >>> rce(vk.load("lhcc_table1"), groups, permuted=False)
    reconstruction error 7; Theorem 2, at least 6.75 for groups of diversity 4
    """
    checked_table(data, "rce")
    flag(permuted, "permuted")
    instance(partition, Partition, "rce", "a Partition, as verikit.partition.mondrian makes it")
    if len(partition.labels) != len(data):
        raise SchemaError(
            f"The partition has {len(partition.labels)} records and the table {len(data)}; make "
            "the partition from this table."
        )
    labels, sizes = partition.labels, partition.sizes
    count = _times(labels, value_codes(data, sensitive_name(data.schema, sensitive)).codes)
    delta = np.prod(_shares(data, labels, sizes, permuted), axis=0)
    squares = np.bincount(labels, count)  # each value counts its own number of times
    most = np.maximum.reduceat(_grouped(count, labels), _starts(sizes))
    ell = _asked(int((sizes // most).min()), diversity)
    error = 1 - 2 * count * delta + delta**2 * squares[labels]
    part = delta if permuted else np.full(len(data), 1 / ell)
    return ReconstructionError(
        error, float((1 + ell * part**2 - 2 * part).sum()), ell, bool((count == 1).all())
    )


def _asked(attained: int, diversity: int | None) -> int:
    """The diversity of the bound: what is asked for, if the groups have it."""
    if diversity is None:
        return attained
    if whole(diversity, "diversity") > attained:
        raise RecordError(
            f"diversity was given as {diversity}, but the groups have {attained}; ask for at most "
            "that, or make groups that are more diverse."
        )
    return diversity


def _shares(data: Microdata, labels: Rows, sizes: Rows, permuted: bool) -> list[Floats]:
    """By column the share of its group that has a record's value; for anatomy its place alone."""
    if not permuted:
        return [1 / sizes[labels]]
    columns = [value_codes(data, column.name).codes for column in data.schema.quasi]
    return [_times(labels, codes) / sizes[labels] for codes in columns]


def _times(labels: Rows, codes: Rows) -> Rows:
    """How often the value of each record occurs in its group."""
    keys = labels * (int(codes.max()) + 1) + codes
    _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[place]


def _grouped(values: Rows, labels: Rows) -> Rows:
    return values[np.argsort(labels, kind="stable")]


def _starts(sizes: Rows) -> Rows:
    return np.cumsum(sizes) - sizes
