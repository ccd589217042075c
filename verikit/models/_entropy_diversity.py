"""Entropy diversity: the sensitive values of everyone's class are many and evenly spread."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.requests import within
from verikit.alike import Holdings, Table, holdings_of
from verikit.models._verdict import ModelVerdict, verdict
from verikit.ranks.spread import equally_frequent
from verikit.table import Missing

__all__ = ["entropy_diversity"]


def entropy_diversity(
    release: Table | Holdings,
    *,
    ell: float | None = None,
    sensitive: str | None = None,
    missing: Missing = "refuse",
) -> ModelVerdict:
    """Measure how evenly each class spreads over its sensitive values, as a number of values.

    A class is as diverse as that many equally frequent values would be: the exponential of the
    entropy of its sensitive values.

    Parameters
    ----------
    release
        The table, masked or not.
    ell
        What each class should reach: its entropy is at least the logarithm of ell; None only
        measures.
    sensitive
        The sensitive column; the one with that role where there is just one.
    missing
        ``"refuse"`` missing values, or let each be a value of its own: ``"own value"``.

    Returns
    -------
    ModelVerdict
        The smallest value, that of each class, and for each record.

    Raises
    ------
    SchemaError
        If there is no record, no quasi-identifier or no sensitive column, if the sensitive column
        is itself a quasi-identifier, or if values are missing.
    RecordError
        If ell is below 1 or no number.

    Notes
    -----
    The survey's formula (1) takes the logarithm of another value's share than it multiplies with;
    one value is meant throughout. A result within 1e-9 of a whole number is that number, so that
    four equally frequent values are 4-diverse whatever the last digit of the logarithm.

    Each class is judged by itself, as if each value were equally likely for everyone in it. Whoever
    learns from the whole table which values go with which, or repeats a method that made the
    classes from the sensitive values, may do better.

    References
    ----------
    [KS]_ section 4.2, formulas (1) and (2)

    Examples
    --------
    >>> import verikit as vk
    >>> entropy_diversity(vk.published("ks_table6")).per_class.round(4).tolist()
    [3.0, 4.0, 2.8284]
    """
    asked = None if ell is None else within(ell, "ell", 1)
    holdings = holdings_of(release, sensitive, missing)
    classes = holdings.classes
    spread = _effective(holdings)
    worst = int(np.argmin(spread))
    why = (
        f"The class {classes.name(worst)} is as diverse as {spread[worst]:.2f} equally frequent "
        f"values of {holdings.column.name}; it holds {holdings.told(worst)}."
    )
    met = None if asked is None else spread >= asked
    return verdict("entropy diversity", classes, spread, worst, why, (asked, met))


def _effective(holdings: Holdings) -> Floats:
    sizes = holdings.classes.sizes
    logs = np.add.reduceat(holdings.count * np.log(holdings.count), holdings.starts)
    return equally_frequent(np.log(sizes) - logs / sizes)
