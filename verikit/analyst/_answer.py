"""Answers from a release, each with the interval that is certain to hold the true one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import pandas as pd

from verikit._support.guard import guard
from verikit._support.requests import share
from verikit.errors import RecordError
from verikit.query import Answer, Query, evidence_of, read_query
from verikit.release import Release, TableRelease
from verikit.table import Schema
from verikit.utility import itemsets, quasi_sensitive


@overload
def answer(query: Query | str, release: Release) -> Answer: ...  # type: ignore[overload-overlap]


@overload
def answer(query: Sequence[Query | str], release: Release) -> list[Answer]: ...


@guard("The query or the release", RecordError)
def answer(query: Query | str | Sequence[Query | str], release: Release) -> Answer | list[Answer]:
    """Answer a question from a release, as well as what was published allows.

    Parameters
    ----------
    query
        A `Query`, or a text such as ``select avg(pay) from t where age between 20 and 30 or not
        disease = 'flu'``, which is taken apart and never run; or several of them.
    release
        What was published.

    Returns
    -------
    Answer or list of Answer
        The least and the largest value possible, what to expect, and over all possible answers
        the mean and the variance where these are known.

    Raises
    ------
    RecordError
        If the query asks for something else, a column that does not exist, a sum of categories,
        or a value that its column cannot have.
    SchemaError
        If there is no release to ask.

    Notes
    -----
    Generalized tables: values are spread evenly over an interval, over the values of a group, or
    by the weights of its hierarchy. An interval without length counts if it lies in the range
    asked for. Two tables joined by groups: inside a group what they say is independent, and so
    are single columns where all were shuffled. Whole rows whose values moved give the estimate as
    they stand. A release that changed values, or does not say what it promises, gives an estimate
    only. Where values were drawn anew with published probabilities, a count of records that meet
    all of some conditions is corrected for that where it can be: mean and variance are those of the
    estimator, and the estimate is the mean brought between 0 and the number of records.
    A missing value meets neither a condition nor its opposite; one that was withheld may
    meet any. Averages and extremes suppose that some record is meant, and say so where none need
    be; where none can be, they have no value. In Example 2 one factor is misprinted; its value is
    right. What a question made of the columns is kept as long as the release. O(n) for each
    condition on one table, O(groups) where counts by group can be kept, O(n log n) for a sum.

    References
    ----------
    [LHCC]_ Examples 1 and 2; [QZ]_ sections 2.2 and 2.5; [YQ]_ formulas (12) and (13)

    Examples
    --------
    >>> import verikit as vk
    >>> query = (
    ...     "select count(*) from t where age between 40 and 70 and sex = 'F' and disease = 'Flu'"
    ... )
    >>> for table in ("lhcc_table2", "lhcc_table3", "lhcc_table4"):
    ...     print(round(answer(query, vk.published(table)).estimate, 3))
    0.375
    0.9
    0.855
    >>> answer(query, vk.published("lhcc_table3"))
    0.9 records, for certain from 0 to 2: every link inside a group being equally likely
    """
    evidence = evidence_of(release)
    if isinstance(query, Sequence) and not isinstance(query, str):
        return [evidence.answer(read_query(one)) for one in query]
    return evidence.answer(read_query(query, "a Query, a text in SQL, or a list of them"))


@guard("The release or a threshold", RecordError)
def associations(
    release: TableRelease, *, support: float = 0.08, confidence: float = 0.15
) -> pd.DataFrame:
    """Find the rules from quasi-identifying to sensitive values, as the release shows them.

    Parameters
    ----------
    release
        What was published, in one table; a table itself is taken too.
    support
        The share of the records that must hold all values of a rule.
    confidence
        Of the records that hold its quasi-identifying values, the share that must hold the
        sensitive ones.

    Returns
    -------
    pandas.DataFrame
        One line a rule, the surest first: ``left`` and ``right`` as text, ``length`` (the number of
        values on the left), ``support``, ``confidence``, and ``lift``, the confidence over the
        share of the right side.

    Raises
    ------
    RecordError
        If a threshold is no share above 0.
    SchemaError
        If the release is not one table, has no record, or values are missing.
    FormatError
        If mlxtend is not installed.

    Notes
    -----
    Frequent sets are found by mlxtend among the values that are frequent themselves.
    Where values were changed, supports and confidences are those of the changed table.

    References
    ----------
    [YQ]_ Definition 11, section 5.1

    Examples
    --------
    Three of four clerks have hypertension.

    >>> import verikit as vk
    >>> found = associations(vk.load("yq_figure1"), support=0.3, confidence=0.6)
    >>> found[["left", "right"]].iloc[0].tolist(), round(found["confidence"].iloc[0], 2)
    (['Job Clerk', 'Disease Hypertension'], np.float64(0.75))
    """
    least = share(support, "support", above=True)
    sure = share(confidence, "confidence", above=True)
    sets = itemsets(release, least)
    schema = release.schema
    sensitive = frozenset(column.name for column in release.schema.sensitive)
    lines = [
        (
            _describe_items(left, schema),
            _describe_items(right, schema),
            len(left),
            held,
            trust,
            trust / sets[right],
        )
        for (left, right), (held, trust) in quasi_sensitive(sets, sensitive, sure).items()
    ]
    names = ["left", "right", "length", "support", "confidence", "lift"]
    frame = pd.DataFrame(lines, columns=names)
    order = ["confidence", "support", "left", "right"]
    return frame.sort_values(order, ascending=[False, False, True, True], ignore_index=True)


def _describe_items(items: frozenset[tuple[str, str]], schema: Schema) -> str:
    return ", ".join(f"{name} {schema[name].shown(value)}" for name, value in sorted(items))
