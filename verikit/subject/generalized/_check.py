"""The check of a record against a generalized table: who looks like her, and what that tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verikit._support.guard import guard
from verikit._support.requests import within
from verikit.errors import RecordError
from verikit.release import TableRelease
from verikit.subject._answer import assemble_report
from verikit.subject._check import Tests, checking
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject.generalized import _find, _words
from verikit.subject.generalized._find import find_fits

JUDGES = {
    "k": "how many published records fit your values",
    "ell": "how many different sensitive values these show",
}


@guard("The record or the release", RecordError)
def check_generalized(
    record: Mapping[str, Any],
    release: TableRelease,
    *,
    k: int | None = None,
    ell: int | None = None,
    sure: float = 0.9,
) -> SubjectReport:
    """Check what a generalized table gives away about one record.

    The records that her values fit are found; from these someone who knows her values would draw
    his conclusions, so she draws them first: how many look alike, which sensitive values they
    show, how frequent, how alike, and how few are left if some can be ruled out.

    Parameters
    ----------
    record
        Her values by column; a quasi-identifier left out, or None, is not used. Her sensitive
        values may be given too, and then tell what they would add.
    release
        What was published.
    k
        How many records she requires to fit her values.
    ell
        How many different sensitive values she requires them to show.
    sure
        From which share on a guess of her sensitive value is a warning, if the whole table would
        not give it as surely.

    Returns
    -------
    SubjectReport
        Sentences with their conditions first; ``attributes`` with what is published in place of
        her values, ``groups`` of the records that fit, and the sensitive ``values`` they show.

    Raises
    ------
    RecordError
        If a column, a value or a requirement cannot be used as given.

    References
    ----------
    [KS]_ sections 3.4, 3.5, 5.2 and 5.3

    Notes
    -----
    A record fits if it could be hers: its cells hold her values, or are withheld. Suppressed
    records fit almost anyone; they count only where no other fits, as whoever looks for her would
    do. O(n) a column.

    Examples
    --------
    >>> import verikit as vk
    >>> record = {"Marital Status": "Single", "DOB": "2001", "Zip": "19552"}
    >>> report = check_generalized(record, vk.published("ks_table4"))
    >>> report.headline.tag, report.headline.text
    ('Warning about you', 'Someone who knows your values learns your crime: all 4 records that fit
    them show Theft.')
    """
    share = within(sure, "sure", 0, 1)
    return _check(record, release, Requirement(k=k, ell=ell), Tests(), share)


@checking(
    "generalized",
    judges=JUDGES,
    words="a generalized table, whose cells have no places",
    release="table",
    when=lambda release, names: release.generalized_in(names),
)
def _check(
    record: Mapping[str, Any],
    release: TableRelease,
    requirement: Requirement,
    _: Tests,
    sure: float = 0.9,
) -> SubjectReport:
    return assemble_report(find_fits(record, release, sure), _words, _find, requirement)
