"""Recursive diversity: the most frequent value of everyone's class is not too frequent."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.requests import whole, within
from verikit.alike import Holdings, Table, holdings_of
from verikit.models._verdict import ModelVerdict, verdict
from verikit.table import Missing

__all__ = ["recursive_diversity"]


def recursive_diversity(
    release: Table | Holdings,
    *,
    ell: int,
    c: float | None = None,
    sensitive: str | None = None,
    missing: Missing = "refuse",
) -> ModelVerdict:
    """Compare the most frequent sensitive value of each class with all from the ell-th on.

    With the counts of a class from the largest down, r1, r2 and so on, the class is recursively
    (c, ell)-diverse if r1 is less than c times the sum of r_ell and all after it. The value given
    is r1 divided by that sum: every larger c is met, and no other.

    Parameters
    ----------
    release
        The table, masked or not.
    ell
        From which place on the counts are added up.
    c
        How many times that sum the largest count must stay below; None only measures.
    sensitive
        The sensitive column; the one with that role where there is just one.
    missing
        ``"refuse"`` missing values, or let each be a value of its own: ``"own value"``.

    Returns
    -------
    ModelVerdict
        The largest ratio, that of each class, and for each record; infinite for a class with
        fewer than ell values, which no c can meet.

    Raises
    ------
    SchemaError
        If there is no record, no quasi-identifier or no sensitive column, if the sensitive column
        is itself a quasi-identifier, or if values are missing.
    RecordError
        If ell is no whole number from 1 up, or c is negative or no number.

    Notes
    -----
    The survey names only ell for a whole table; both parameters are meant, and the sum ends with
    the last of the class's values.

    Each class is judged by itself, as if each value were equally likely for everyone in it. Whoever
    learns from the whole table which values go with which, or repeats a method that made the
    classes from the sensitive values, may do better.

    References
    ----------
    [KS]_ section 4.3

    Examples
    --------
    >>> import verikit as vk
    >>> recursive_diversity(vk.published("ks_table6"), ell=2, c=1.5).per_class.tolist()
    [0.5, 0.3333333333333333, 1.0]
    """
    places = whole(ell, "ell")
    asked = None if c is None else within(c, "c")
    holdings = holdings_of(release, sensitive, missing)
    classes = holdings.classes
    ratio = _ratios(holdings, places)
    worst = int(np.argmax(ratio))
    lacking = "" if np.isfinite(ratio[worst]) else f", fewer than {places} values"
    why = (
        f"The class {classes.name(worst)} holds {holdings.told(worst)} of "
        f"{holdings.column.name}{lacking}."
    )
    met = None if asked is None else ratio < asked
    model = f"recursive diversity with ell {places}"
    return verdict(model, classes, ratio, worst, why, (asked, met))


def _ratios(holdings: Holdings, ell: int) -> Floats:
    order = np.lexsort((-holdings.count, holdings.owner))
    counts, starts = holdings.count[order], holdings.starts
    found = np.diff(starts, append=len(counts))
    before = np.concatenate([[0], np.cumsum(counts)])
    rest = before[starts + found] - before[starts + np.minimum(ell - 1, found)]
    largest = counts[starts].astype(np.float64)
    return np.divide(largest, rest, out=np.full(len(starts), np.inf), where=rest > 0)
