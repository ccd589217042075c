"""The check of a record against a generalized table: who looks like her, and what that tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from verikit._support import requests
from verikit._support.guard import guard
from verikit.alike import classes_of, grouped, held_by
from verikit.alike._classes import written
from verikit.cells import rows_that_may_be
from verikit.errors import RecordError
from verikit.models._verdict import beside
from verikit.release import TableRelease
from verikit.subject import _fit_words as words
from verikit.subject._fits import Fits, find_fits
from verikit.subject._report import Figure, Headline, SubjectReport

__all__ = ["check_generalized"]

MOST_CELLS = 3


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
    asked = (
        None if k is None else requests.whole(k, "k"),
        None if ell is None else requests.whole(ell, "ell"),
    )
    share = requests.share(sure, "sure")
    fits = find_fits(record, release)
    headline = _headline(fits, share)
    warned = headline.state == "warning-you"
    return SubjectReport(
        headline=headline,
        figures=_figures(fits),
        sentences=words.sentences(fits, warned),
        tables={"attributes": _attributes(fits), "groups": _groups(fits), "values": _values(fits)},
        facts=_facts(fits, *asked, share),
        notes=words.notes(fits),
        met=_met(fits, *asked),
    )


def _met(fits: Fits, k: int | None, ell: int | None) -> bool | None:
    if k is None and ell is None:
        return None
    enough = k is None or len(fits.rows) >= k
    return enough and (ell is None or all(len(shown.here) >= ell for shown in fits.shown))


def _headline(fits: Fits, sure: float) -> Headline:
    count = len(fits.rows)
    if not count:
        return Headline(
            "cannot-tell",
            "No published record fits your values: either you are not in this table, or a value "
            "is written otherwise there.",
        )
    warning = _warning(fits, sure)
    if warning is not None:
        return Headline("warning-you", warning)
    if fits.unread:
        return Headline("cannot-tell", words.unread_words(fits))
    if fits.suppressed:
        return Headline(
            "cannot-tell",
            "Only suppressed records fit your values, and they would fit almost anyone's.",
        )
    table = _table_warning(fits)
    if table is not None:
        return Headline("warning-table", table)
    return Headline(
        "no-warning",
        f"{words.records(count)} fit your values. This alone neither warns you nor shows that you "
        "are protected.",
    )


def _warning(fits: Fits, sure: float) -> str | None:
    """The worst that someone who knows her values finds out, or None."""
    count = len(fits.rows)
    if count == 1 and fits.unread:
        return None
    if count == 1:
        return "Only one published record fits your values: whoever knows them can pick you out."
    for shown in fits.shown:
        whole = shown.share_everywhere(shown.top)
        if shown.share == 1:
            return (
                f"Someone who knows your values learns your {shown.column.title}: all {count:,} "
                f"records that fit them show {shown.top}."
            )
        if shown.share >= sure > whole and not fits.unread:
            return (
                f"Someone who knows your values can guess your {shown.column.title}: "
                f"{shown.here.iloc[0]:,} of the {count:,} records that fit them show {shown.top}."
            )
    for shown in fits.shown:
        if shown.kind is not None:
            return (
                f"Someone who knows your values learns that your {shown.column.title} is "
                f"{shown.kind}: that of all {count:,} records that fit them is."
            )
    return None


def _table_warning(fits: Fits) -> str | None:
    """How many people's record or sensitive value can be read off; None for nobody's."""
    release = fits.release
    classes = classes_of(release, "own value")
    exposed = [((classes.sizes == 1), "can be picked out by")]
    for shown in fits.shown:
        name = shown.column.name
        held = held_by(release, classes, name, "own value")
        alone = (np.bincount(held.owner) == 1) & held.known[held.starts]
        exposed.append((alone, f"give their {shown.column.title} away to"))
    worst, how = max(exposed, key=lambda pair: int(classes.sizes[pair[0]].sum()))
    people = int(classes.sizes[worst].sum())
    if not people:
        return None
    hers = int(worst[classes.labels[fits.rows]].sum())
    also = f"{hers:,} of the records that fit you" if hers else "No record that fits you"
    return (
        f"{people:,} of the {len(release):,} people in this table {how} someone who knows all "
        f"their values. {also} {'are' if hers > 1 else 'is'} among them."
    )


def _figures(fits: Fits) -> tuple[Figure, ...]:
    count = len(fits.rows)
    found = [
        Figure(
            words.records(count),
            f"{'may ' if fits.unread else ''}fit{'s' * (count == 1 and not fits.unread)} your "
            "values; at most one is yours",
        )
    ]
    if count and fits.shown:
        shown = fits.shown[0]
        values = len(shown.here)
        title = shown.column.title
        found += [
            Figure(f"{values:,} value{'' if values == 1 else 's'}", f"of {title} among them"),
            Figure(words.of_100(shown.share), f"of them show {shown.top}, the most frequent"),
        ]
    else:
        found.append(Figure(words.records(len(fits.release)), "were published"))
    return tuple(found)


def _attributes(fits: Fits) -> pd.DataFrame:
    """One line a value she gave: what is published in its place, and how many records fit it."""
    lines = []
    for column in fits.columns:
        cells, own = fits.release.frame[column.name], fits.known[column.name]
        found = list(dict.fromkeys(written(cell) for cell in cells.take(fits.rows)))
        rest = len(found) - MOST_CELLS
        published = " or ".join(sorted(found)[:MOST_CELLS]) + (
            f" or {rest} more" if rest > 0 else ""
        )
        alone = int(rows_that_may_be(cells, column, own).sum())
        lines.append(
            {
                "attribute": column.name,
                "own": own,
                "published": published or None,
                "fit this alone": alone,
            }
        )
    return pd.DataFrame(lines)


def _groups(fits: Fits) -> pd.DataFrame:
    """One line a group of records that fit and look alike: its cells, its number of records."""
    names = [column.name for column in fits.release.schema.quasi]
    if not len(fits.rows):
        return pd.DataFrame(columns=[*names, "records"])
    classes = grouped(fits.release.frame[names].take(fits.rows).astype(object).map(written))
    return beside(classes.cells(), {"records": classes.sizes})


def _values(fits: Fits) -> pd.DataFrame:
    """One line a sensitive value that they show: how many, and its shares here and everywhere."""
    lines = [
        {
            "attribute": shown.column.name,
            "value": value,
            "records": int(count),
            "of 100 here": 100 * shown.share_here(value),
            "of 100 everywhere": 100 * shown.share_everywhere(value),
        }
        for shown in fits.shown
        for value, count in shown.here.items()
    ]
    columns = ["attribute", "value", "records", "of 100 here", "of 100 everywhere"]
    return pd.DataFrame(lines, columns=columns)


def _facts(fits: Fits, k: int | None, ell: int | None, sure: float) -> dict[str, Any]:
    return {
        "records": len(fits.release),
        "attributes": [column.name for column in fits.columns],
        "left_out": [column.name for column in fits.left_out],
        "fits": len(fits.rows),
        "suppressed": int(fits.hidden.sum()),
        "taken_as_generalized": dict(fits.taken),
        "unread": dict(fits.unread),
        "k": k,
        "ell": ell,
        "sure": sure,
        "method": fits.release.method,
        "parameters": dict(fits.release.parameters),
    }
