"""Models that count in each class: k-anonymity, and distinct to recursive l-diversity."""

from __future__ import annotations

import numpy as np

from verikit._support.requests import whole, within
from verikit.matching import Holdings, Table, classes_of, holdings_of
from verikit.models._verdict import ModelVerdict, make_verdict
from verikit.ranks.spread import equally_frequent
from verikit.table import Missing
from verikit.words import count


def k_anonymity(
    release: Table | Holdings, *, k: int | None = None, missing: Missing = "refuse"
) -> ModelVerdict:
    """Count the records that share all their quasi-identifiers; the smallest count is k.

    Parameters
    ----------
    release
        The table, masked or not.
    k
        How many records each class should hold at least; None only measures.
    missing
        What to do where a quasi-identifier is missing: ``"refuse"``, or let a missing value be a
        value of its own, as a reader of the table sees it.

    Returns
    -------
    ModelVerdict
        The size of the smallest class, of each class, and of the class of each record.

    Raises
    ------
    SchemaError
        If there is no record or no quasi-identifier, or values are missing.
    RecordError
        If k is no whole number from 1 up.

    Notes
    -----
    O(n) for n records, and a sort of the distinct classes.

    References
    ----------
    [KS]_ Definition 1, Table 1

    Examples
    --------
    >>> import verikit as vk
    >>> k_anonymity(vk.published("ks_table1"), k=3)
    k-anonymity: 3, 3 asked for, met. The smallest of 3 classes holds 3 records: Marital Status
    Married, DOB 198*, Zip 36363.
    """
    asked = None if k is None else whole(k, "k")
    classes = release.classes if isinstance(release, Holdings) else classes_of(release, missing)
    sizes = classes.sizes
    worst = int(np.argmin(sizes))
    why = (
        f"The smallest of {count(len(classes), 'class', 'classes')} holds "
        f"{count(sizes[worst], 'record')}: {classes.name(worst)}."
    )
    met = None if asked is None else sizes >= asked
    return make_verdict("k-anonymity", classes, sizes, worst, why, (asked, met))


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
    return make_verdict("distinct diversity", classes, found, worst, why, (asked, met))


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
    sizes = holdings.classes.sizes
    logs = np.add.reduceat(holdings.count * np.log(holdings.count), holdings.starts)
    spread = equally_frequent(np.log(sizes) - logs / sizes)
    worst = int(np.argmin(spread))
    why = (
        f"The class {classes.name(worst)} is as diverse as {spread[worst]:.2f} equally frequent "
        f"values of {holdings.column.name}; it holds {holdings.told(worst)}."
    )
    met = None if asked is None else spread >= asked
    return make_verdict("entropy diversity", classes, spread, worst, why, (asked, met))


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
    (name,) = holdings.shown([holdings.place[top[worst]]])
    alike = count(classes.sizes[worst], "record")
    why = (
        f"In the class {classes.name(worst)} "
        f"{count(most[worst], f'of {alike} holds', f'of {alike} hold')} the most "
        f"frequent value of {holdings.column.name}: {name}."
    )
    met = None if asked is None else found >= asked
    return make_verdict("frequency diversity", classes, found, worst, why, (asked, met))


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
    order = np.lexsort((-holdings.count, holdings.owner))
    counts, starts = holdings.count[order], holdings.starts
    found = np.diff(starts, append=len(counts))
    before = np.concatenate([[0], np.cumsum(counts)])
    rest = before[starts + found] - before[starts + np.minimum(places - 1, found)]
    largest = counts[starts].astype(np.float64)
    ratio = np.divide(largest, rest, out=np.full(len(starts), np.inf), where=rest > 0)
    worst = int(np.argmax(ratio))
    lacking = "" if np.isfinite(ratio[worst]) else f", fewer than {places} values"
    why = (
        f"The class {classes.name(worst)} holds {holdings.told(worst)} of "
        f"{holdings.column.name}{lacking}."
    )
    met = None if asked is None else ratio < asked
    model = f"recursive diversity with ell {places}"
    return make_verdict(model, classes, ratio, worst, why, (asked, met))
