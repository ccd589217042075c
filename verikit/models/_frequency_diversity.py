"""Frequency diversity: no sensitive value fills more than one in ell of anyone's class."""

from __future__ import annotations

import numpy as np

from verikit._support.requests import whole
from verikit.alike import Holdings, Table, holdings_of
from verikit.models._verdict import ModelVerdict, verdict
from verikit.table import Missing
from verikit.words import count

__all__ = ["frequency_diversity"]


def frequency_diversity(
    release: Table | Holdings,
    *,
    ell: int | None = None,
    sensitive: str | None = None,
    missing: Missing = "refuse",
) -> ModelVerdict:
    """Divide each class by its most frequent sensitive value; the smallest result is the diversity.

    Parameters
    ----------
    release
        The table, masked or not, or two tables joined by groups.
    ell
        In how many records of a class a value may occur at most once, on average; None only
        measures.
    sensitive
        The sensitive column; the one with that role where there is just one.
    missing
        ``"refuse"`` missing values, or let each be a value of its own: ``"own value"``.

    Returns
    -------
    ModelVerdict
        The largest whole number met, by the table, by each class, and for each record.

    Raises
    ------
    SchemaError
        If there is no record, no quasi-identifier or no sensitive column, if the sensitive column
        is itself a quasi-identifier, or if values are missing.
    RecordError
        If ell is no whole number from 1 up.

    Notes
    -----
    A guess of someone's value from her class alone is right in at most one of ell cases, if within
    the class each value is equally likely for everyone. Whoever learns from the whole table which
    values go with which, or repeats a method that made the classes from the sensitive values, may
    do better. A class then holds ell values at least, so `distinct_diversity` is never smaller.

    References
    ----------
    [LHCC]_ Definition 2

    Examples
    --------
    >>> import verikit as vk
    >>> frequency_diversity(vk.published("lhcc_table2"), ell=4)
    frequency diversity: 4, 4 asked for, met. In the class Age [10, 50], Sex F/M 1 of 4 records
    holds the most frequent value of Disease: Bronchitis.
    """
    asked = None if ell is None else whole(ell, "ell")
    holdings = holdings_of(release, sensitive, missing)
    classes, top = holdings.classes, holdings.top()
    most = holdings.count[top]
    found = classes.sizes // most
    worst = int(np.argmin(found))
    (name,) = holdings.named([holdings.place[top[worst]]])
    alike = count(classes.sizes[worst], "record")
    why = (
        f"In the class {classes.name(worst)} "
        f"{count(most[worst], f'of {alike} holds', f'of {alike} hold')} the most "
        f"frequent value of {holdings.column.name}: {name}."
    )
    met = None if asked is None else found >= asked
    return verdict("frequency diversity", classes, found, worst, why, (asked, met))
