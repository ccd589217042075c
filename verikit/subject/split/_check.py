"""The check of a record against two tables joined by groups: where she is, and what that tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verikit._support.guard import guard
from verikit._support.requests import within
from verikit.errors import RecordError
from verikit.languages import insert_phrases
from verikit.release import SplitRelease
from verikit.subject._answer import assemble_report
from verikit.subject._check import Tests, checking
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject.split import _find, _words
from verikit.subject.split._find import find_group_fits

JUDGES = {
    "ell": insert_phrases(
        "in one of how many cases a guess of your sensitive value may be right, {rests:links}"
    )
}


@guard("The record or the release", RecordError)
def check_split(
    record: Mapping[str, Any],
    release: SplitRelease,
    *,
    ell: int | None = None,
    sure: float = 0.9,
) -> SubjectReport:
    """Check what two tables joined by groups give away about one record.

    Someone who knows her values looks for the groups she may be in. From what they hold he
    guesses her sensitive values; and he may find out whether she is in the data at all. She does
    the same first.

    Parameters
    ----------
    record
        Her values by column; a quasi-identifier left out, or None, is not used. Her sensitive
        values may be given too, and then tell how likely he is to guess them.
    release
        What was published.
    ell
        She requires that no guess is right in more than one of so many cases, if within a group
        each value is equally likely for everyone.
    sure
        From which chance on a guess of her sensitive value is a warning, if the whole table would
        not give it as surely.

    Returns
    -------
    SubjectReport
        Sentences with their conditions first; then the ``groups`` that fit, and the sensitive
        ``values`` with the chance of each, beside the formula in print.

    Raises
    ------
    RecordError
        If a column, a value or a requirement cannot be used as given.

    Notes
    -----
    The chance of a value is its share in her group, and over several groups each counts by how
    many rows with her values it is expected to hold. That takes each value of a group as equally
    likely for everyone in it: whoever learns from the whole table which values go with which, or
    repeats a method that made the groups from the sensitive values, may do better. The chance that
    she can be shown to be in the data counts every way to undo the shuffling, all being equally
    likely; Lemma 1's smaller figure, for one given row, is among the facts. O(n) a column.

    References
    ----------
    [LHCC]_ Theorem 1, Lemma 1, Example 3

    Examples
    --------
    >>> import verikit as vk
    >>> bob = {"Age": 65, "Sex": "M", "Disease": "Emphysema"}
    >>> report = check_split(bob, vk.published("lhcc_table4"))
    >>> print(report.figures[1].value, "|", report.figures[2].value)
    20 of 100 | 40 of 100
    >>> print(report.sentence("P1"))
    Your values fit one of the 2 groups of this table, a group of 5 people; if you are in this
    table, you are in that group.
    """
    share = within(sure, "sure", 0, 1)
    return _check(record, release, Requirement(ell=ell), Tests(), share)


@checking("split", judges=JUDGES, words="a table published by groups, which has no places")
def _check(
    record: Mapping[str, Any],
    release: SplitRelease,
    requirement: Requirement,
    _: Tests,
    sure: float = 0.9,
) -> SubjectReport:
    return assemble_report(find_group_fits(record, release, sure), _words, _find, requirement)
