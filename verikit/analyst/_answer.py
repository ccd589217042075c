"""Answers from a release, each with the interval that is certain to hold the true one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from verikit._support.guard import guard
from verikit._support.requests import flag
from verikit.errors import RecordError
from verikit.query import Answer, Query, evidence_of, read_query
from verikit.release import Release


@overload
def answer(  # type: ignore[overload-overlap]
    query: Query | str, release: Release, *, measured: bool = False
) -> Answer: ...


@overload
def answer(
    query: Sequence[Query | str], release: Release, *, measured: bool = False
) -> list[Answer]: ...


@guard("The query or the release", RecordError)
def answer(
    query: Query | str | Sequence[Query | str], release: Release, *, measured: bool = False
) -> Answer | list[Answer]:
    """Answer a question from a release, as well as what was published allows.

    Parameters
    ----------
    query
        A `Query`, or a text such as ``select avg(pay) from t where age between 20 and 30 or not
        disease = 'flu'``, which is taken apart and never run; or several of them.
    release
        What was published.
    measured
        Whether whole numbers are spread over a range as real numbers are, by its length, as in the
        examples of the paper; else they are counted: 40 to 70 are 31 of the 40 from 31 to 70.

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
    by the weights of its hierarchy; of a column whose intervals all end in whole numbers, whole
    numbers are counted. Cells are cut by the condition before they are added up. Two tables joined
    by groups: inside a group every way to give its people the values is equally likely, and so are
    single columns where all were shuffled. ``tight`` says whether both bounds are reached; they are
    not always where one of three parts or more is asked twice. Whole rows whose values moved give
    the estimate as they stand; where it is told by how many ranks at most, and the conditions ask
    for columns that did not move, sums, averages and extremes are bounded by all moves that are
    possible together. A release that changed values, or does not say what it promises, gives an
    estimate only. Where values were drawn anew with published probabilities, a count of
    records that meet all of some conditions is corrected for that where it can be: mean and
    variance are those of the estimator, and the estimate is the mean brought between 0 and the
    number of records.
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
    ...     print(round(answer(query, vk.published(table), measured=True).estimate, 3))
    0.375
    0.9
    0.855
    >>> answer(query, vk.published("lhcc_table3"))
    0.9 records, for certain from 0 to 2: every link inside a group being equally likely
    """
    evidence = evidence_of(release, measured=flag(measured, "measured"))
    if isinstance(query, Sequence) and not isinstance(query, str):
        return [evidence.answer(read_query(one)) for one in query]
    return evidence.answer(read_query(query, "a Query, a text in SQL, or a list of them"))
