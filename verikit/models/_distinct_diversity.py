"""Distinct diversity: everyone's class holds at least ell different sensitive values."""

from __future__ import annotations

import numpy as np

from verikit._support.requests import whole
from verikit.alike import Holdings, Table, holdings_of
from verikit.models._verdict import ModelVerdict, verdict
from verikit.table import Missing
from verikit.words import count

__all__ = ["distinct_diversity"]


def distinct_diversity(
    release: Table | Holdings,
    *,
    ell: int | None = None,
    sensitive: str | None = None,
    missing: Missing = "refuse",
) -> ModelVerdict:
    """Count the different sensitive values of each class; the smallest count is the diversity.

    Parameters
    ----------
    release
        The table, masked or not.
    ell
        How many different values each class should hold at least; None only measures.
    sensitive
        The sensitive column; the one with that role where there is just one.
    missing
        ``"refuse"`` missing values, or let each be a value of its own: ``"own value"``.

    Returns
    -------
    ModelVerdict
        The smallest number of different values, of each class, and for each record.

    Raises
    ------
    SchemaError
        If there is no record, no quasi-identifier or no sensitive column, if the sensitive column
        is itself a quasi-identifier, or if values are missing.
    RecordError
        If ell is no whole number from 1 up.

    Notes
    -----
    The survey defines diversity twice; this is its Definition 2, which only counts. A class may
    hold ell values and still all but give one away: see `entropy_diversity`.

    Each class is judged by itself, as if each value were equally likely for everyone in it. Whoever
    learns from the whole table which values go with which, or repeats a method that made the
    classes from the sensitive values, may do better.

    References
    ----------
    [KS]_ Definition 2, section 4.1

    Examples
    --------
    >>> import verikit as vk
    >>> distinct_diversity(vk.published("ks_table4"), ell=2)
    distinct diversity: 1, 2 asked for, not met. The class Marital Status Single, DOB 20**,
    Zip 19552 holds 1 value of Crime in 4 records: 4 Theft.
    """
    asked = None if ell is None else whole(ell, "ell")
    holdings = holdings_of(release, sensitive, missing)
    classes = holdings.classes
    found = np.bincount(holdings.owner, minlength=len(classes))
    worst = int(np.argmin(found))
    why = (
        f"The class {classes.name(worst)} holds {count(found[worst], 'value')} of "
        f"{holdings.column.name} in {count(classes.sizes[worst], 'record')}: "
        f"{holdings.told(worst)}."
    )
    met = None if asked is None else found >= asked
    return verdict("distinct diversity", classes, found, worst, why, (asked, met))
