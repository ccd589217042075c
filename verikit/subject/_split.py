"""The check of a record against two tables joined by groups: where she is, and what that tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from verikit._support import requests
from verikit._support.guard import guard
from verikit.alike import classes_of, held_by
from verikit.errors import RecordError
from verikit.release import SplitRelease
from verikit.subject import _split_words as words
from verikit.subject._fit_words import of_100
from verikit.subject._report import Figure, Headline, SubjectReport
from verikit.subject._split_fits import GroupFits, find_group_fits

__all__ = ["check_split"]


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
        She requires that no guess is right in more than one of so many cases.
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
    many rows with her values it is expected to hold. The chance that she can be shown to be in
    the data counts every way to undo the shuffling; Lemma 1's smaller figure, for one given row,
    is among the facts. O(n) a column.

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
    asked = None if ell is None else requests.whole(ell, "ell")
    share = requests.share(sure, "sure")
    fits = find_group_fits(record, release)
    headline = _headline(fits, share)
    return SubjectReport(
        headline=headline,
        figures=_figures(fits),
        sentences=words.sentences(fits, headline.state == "warning-you"),
        tables={"groups": _groups(fits), "values": _values(fits)},
        facts=_facts(fits, asked, share),
        notes=words.notes(fits),
        met=_met(fits, asked),
    )


def _met(fits: GroupFits, ell: int | None) -> bool | None:
    if ell is None or not len(fits.fit.groups):
        return None
    return all(guess.surest * ell <= 1 + 1e-12 for guess in fits.guesses)


def _headline(fits: GroupFits, sure: float) -> Headline:
    if not len(fits.fit.groups):
        return Headline(
            "cannot-tell",
            "No group of this table fits your values: either you are not in it, or a value is "
            "written otherwise there.",
        )
    for guess in fits.guesses:
        title, value = guess.column.title, guess.values[guess.top]
        if guess.possible == 1:
            text = f"Someone who knows your values learns your {title}: it can only be {value}."
            return Headline("warning-you", text)
        if guess.surest >= sure > guess.everywhere[guess.top]:
            return Headline(
                "warning-you",
                f"Someone who knows your values can guess your {title}: {value} is right in "
                f"{of_100(guess.surest)} cases.",
            )
    table = _table_warning(fits)
    if table is not None:
        return Headline("warning-table", table)
    surest = max(fits.guesses, key=lambda guess: guess.surest)
    return Headline(
        "no-warning",
        f"The best guess of your {surest.column.title} from your values is right in "
        f"{of_100(surest.surest)} cases. This alone neither warns you nor shows that you are "
        "protected.",
    )


def _table_warning(fits: GroupFits) -> str | None:
    """How many people are in groups that give a sensitive value away; None for nobody."""
    release = fits.release
    worst, title = 0, ""
    for column in release.schema.sensitive:
        held = held_by(release, classes_of(release), column.name, "own value")
        alone = np.bincount(held.owner, minlength=len(release.sizes)) == 1
        people = int(release.sizes[alone].sum())
        if people > worst:
            worst, title = people, column.title
    if not worst:
        return None
    return (
        f"{worst:,} of the {len(release):,} people in this table are in groups that hold one "
        f"{title} only, and so give it away."
    )


def _figures(fits: GroupFits) -> tuple[Figure, ...]:
    count = len(fits.fit.groups)
    if not count:
        return (Figure("0 groups", "fit your values"),)
    guess = fits.guesses[0]
    people = f"{fits.people:,} {'person' if fits.people == 1 else 'people'}"
    return (
        Figure(people, f"in the {'group' if count == 1 else 'groups'} that fit your values"),
        Figure(of_100(guess.surest), f"best guesses of your {guess.column.title} are right"),
        Figure(of_100(fits.presence), "ways to read the tables show a person with your values"),
    )


def _groups(fits: GroupFits) -> pd.DataFrame:
    """One line a group that fits: its people, how many rows show her values, its weight."""
    fit = fits.fit
    frame = pd.DataFrame(
        {
            "group": fits.release.labels.names[fit.groups],
            "people": fits.release.sizes[fit.groups],
            "rows like yours": fit.copies,
            "of 100 cases yours": 100 * fit.weights,
        }
    )
    return frame.sort_values(
        "of 100 cases yours", ascending=False, kind="stable", ignore_index=True
    )


def _values(fits: GroupFits) -> pd.DataFrame:
    """One line a sensitive value that may be hers: its chances, the likeliest first."""
    lines = [
        {
            "attribute": guess.column.name,
            "value": guess.values[place],
            "of 100 here": 100 * guess.here[place],
            "of 100 everywhere": 100 * guess.everywhere[place],
            "formula in print": 100 * guess.printed[place],
        }
        for guess in fits.guesses
        for place in np.argsort(-guess.here, kind="stable")[: guess.possible]
    ]
    columns = ["attribute", "value", "of 100 here", "of 100 everywhere", "formula in print"]
    return pd.DataFrame(lines, columns=columns)


def _facts(fits: GroupFits, ell: int | None, sure: float) -> dict[str, Any]:
    return {
        "records": len(fits.release),
        "attributes": [column.name for column in fits.columns],
        "left_out": [column.name for column in fits.left_out],
        "groups": len(fits.fit.groups),
        "people": fits.people,
        "presence": fits.presence,
        "lemma": fits.lemma,
        "ell": ell,
        "sure": sure,
        "method": fits.release.method,
        "parameters": dict(fits.release.parameters),
    }
