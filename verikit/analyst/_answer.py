"""Counts from a release, each with the interval that is certain to hold the true one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from verikit._estimate import Answer
from verikit._evidence import evidence_of
from verikit._guard import guard
from verikit._query import Query
from verikit.errors import RecordError
from verikit.release import Release

__all__ = ["answer"]


@overload
def answer(query: Query | str, release: Release) -> Answer: ...  # type: ignore[overload-overlap]


@overload
def answer(query: Sequence[Query | str], release: Release) -> list[Answer]: ...


@guard("The query or the release", RecordError)
def answer(query: Query | str | Sequence[Query | str], release: Release) -> Answer | list[Answer]:
    """Count records in a release, as well as what was published allows.

    Parameters
    ----------
    query
        A `Query`, or a text such as ``select count(*) from t where age between 20 and 30 and
        disease = 'flu'``, which is taken apart and never run; or several of them, which are
        answered much faster together.
    release
        What was published.

    Returns
    -------
    Answer or list of Answer
        The least and the largest count possible, and what to expect of it.

    Raises
    ------
    RecordError
        If the query asks for something else, a column that does not exist, or a value that its
        column cannot have.
    SchemaError
        If there is no release to ask.

    Notes
    -----
    Generalized tables: values are spread evenly over an interval, over the values of a group, or
    by the weights of its hierarchy. An interval without length counts if it lies in the range
    asked for. Two tables joined by groups: inside a group what they say is independent, and so
    are single columns where all were shuffled. In Example 2 one factor is misprinted; its value
    is right. O(n) for each condition on one table, O(groups) where counts by group can be kept.

    References
    ----------
    [LHCC]_ Examples 1 and 2

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
    0.9, for certain from 0 to 2: every link inside a group being equally likely
    """
    evidence = evidence_of(release)
    if isinstance(query, (Query, str)):
        return evidence.answer(_read(query))
    if not isinstance(query, Sequence):
        raise RecordError(
            f"A query was given as {type(query).__name__}; expected a Query, a text in SQL, or a "
            "list of them."
        )
    return [evidence.answer(_read(one)) for one in query]


def _read(query: Query | str) -> Query:
    return Query.sql(query) if isinstance(query, str) else query
