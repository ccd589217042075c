"""A generalized table: the records that fit a person, and what they show."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Rows
from verikit._support.guard import guard
from verikit._support.requests import within
from verikit.cells import cell_text, cells_of, rows_that_may_be
from verikit.errors import RecordError, quoted
from verikit.languages import Line, sentence_text, spoken_language
from verikit.matching import (
    candidates,
    classes_of,
    drop_hidden,
    find_certain_classes,
    find_hidden_rows,
    find_known_values,
    group_rows,
    held_by,
    is_absent,
    suppresses_classes,
)
from verikit.models import beside
from verikit.release import TableRelease
from verikit.subject._answer import make_report, say_better_guesser, say_condition
from verikit.subject._check import Tests, checking
from verikit.subject._guess import keep_texts
from verikit.subject._known import Given, is_unnamed
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.table import Column
from verikit.words import text

__all__ = ["check_generalized"]

CONTRADICTED = (  # by a record that is left out, if it is hers
    "only-one", "learns", "learns-kind", "table-picked-out", "table-gives-away", "picked-out",
    "show-the-same", "of-one-kind", "two-values", "several-values", "own-absent", "own-once",
    "own-among",
)  # fmt: skip
Z = 1.959963984540054
JUDGES = {
    "k": "how many published records fit your values",
    "ell": "how many different sensitive values these show",
}


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What the records that fit show of one sensitive column.

    ``here`` counts the values of the ``fitting`` records and ``everywhere`` those of all
    ``records``, by name, the most frequent first; missing ones are in neither. ``own`` is her own
    value where she gave it, ``kind`` the lowest group of the hierarchy that covers all that is
    shown here, where it says more than its root.
    """

    column: Column
    here: pd.Series[int]
    everywhere: pd.Series[int]
    fitting: int
    records: int
    own: str | None
    kind: str | None

    @property
    def share(self) -> float:
        """The share of the most frequent value among the records that fit."""
        return float(self.here.iloc[0] / self.fitting)

    @property
    def gaps(self) -> int:
        """How many of the records that fit show no value."""
        return self.fitting - int(self.here.sum())

    def list_shares(self) -> list[tuple[str, float, float]]:
        """Each value that is shown here, with its share here and in the whole table."""
        everywhere = self.everywhere.to_dict()
        return [
            (value, count / self.fitting, everywhere[value] / self.records)
            for value, count in self.here.to_dict().items()
        ]

    def describe(self) -> dict[str, Any]:
        """What sentences say of it."""
        values = len(self.here)
        return {
            "title": self.column.title,
            "top": self.column.shown(self.here.index[0]),
            "shown": int(self.here.iloc[0]),
            "share": self.share,
            "alike": int((self.here == self.here.iloc[0]).sum()),
            "count": self.fitting,
            "values": values,
            "others": values - 1,
            "group": self.kind and self.column.shown(self.kind),
            "own": self.own,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Fits(Given):
    """The values she gave, the records that fit them, and which records were suppressed.

    Suppressed records fit almost anyone, so they count only where no other record fits. ``taken``
    has a cell for each column that made a table be taken as generalized, and ``unread`` a label
    for each that could not be read; such a label may be anything. A value in ``unnamed`` stands on
    no label, and only cells that may be anything could be it. A column in ``empty`` shows no value
    at all. ``sure`` is the share from which on a guess is a warning.
    """

    release: TableRelease
    known: Mapping[str, Any]
    rows: Rows
    hidden: Flags
    shown: tuple[Shown, ...]
    taken: Mapping[str, str]
    unread: Mapping[str, str]
    unnamed: Mapping[str, str]
    empty: tuple[Column, ...]
    sure: float = 0.9

    @property
    def only_hidden(self) -> bool:
        """Whether only suppressed records fit."""
        return bool(len(self.rows)) and bool(self.hidden[self.rows].all())

    @property
    def is_certain(self) -> bool:
        """Whether it is promised that every cell holds, or covers, what is true of one person."""
        return self.release.promise in ("as it was", "covers")

    @property
    def may_be_hidden(self) -> bool:
        """Whether her record may be a suppressed one though others fit her."""
        return bool(self.hidden.any()) and not (self.by_class or self.only_hidden)

    @property
    def by_class(self) -> bool:
        """Whether it was published that records who look alike are suppressed all or none."""
        return suppresses_classes(self.release)

    def make_tables(self) -> dict[str, pd.DataFrame]:
        """What is published in place of her values, the groups that fit, and what they show."""
        values = [
            {
                "attribute": shown.column.name,
                "value": shown.column.shown(value),
                "records": int(count),
                "of 100 here": 100 * here,
                "of 100 everywhere": 100 * everywhere,
            }
            for shown in self.shown
            for (value, here, everywhere), count in zip(
                shown.list_shares(), shown.here, strict=True
            )
        ]
        columns = ["attribute", "value", "records", "of 100 here", "of 100 everywhere"]
        found = pd.DataFrame(values, columns=columns)
        found["value"] = keep_texts(line["value"] for line in values)
        return {
            "attributes": self.list_attributes(), "groups": self.list_groups(), "values": found
        }  # fmt: skip

    def list_attributes(self) -> pd.DataFrame:
        """One line a value she gave: what is published in its place, how many records fit it."""
        lines = []
        for column in self.columns:
            cells, own = self.release.frame[column.name], self.known[column.name]
            found = sorted({column.shown(cell_text(cell)) for cell in cells.take(self.rows)})
            lines.append(
                {
                    "attribute": column.name,
                    "own": column.shown(own) if column.dated else own,
                    "published": tuple(found) if len(found) > 1 else next(iter(found), None),
                    "fit this alone": int(
                        rows_that_may_be(cells, column, own, sets=self.release.holds_sets).sum()
                    ),
                }
            )
        found = pd.DataFrame(lines)
        return found.assign(published=keep_texts(line["published"] for line in lines))

    def list_groups(self) -> pd.DataFrame:
        """One line a group of records that fit and look alike: its cells, its number of records."""
        quasi = self.release.schema.quasi
        names = [column.name for column in quasi]
        if not len(self.rows):
            return pd.DataFrame(columns=[*names, "records"])
        cells = self.release.frame[names].take(self.rows).astype(object).map(cell_text)
        for column in quasi:
            if column.dated:
                cells[column.name] = cells[column.name].map(column.shown)
        classes = group_rows(cells)
        found = classes.cells()
        for column in quasi:
            if column.kind == "numeric":
                found[column.name] = keep_texts(map(column.shown, found[column.name]))
        return beside(found, {"records": classes.sizes})

    def list_facts(self) -> dict[str, Any]:
        """How many records fit and are suppressed, what made this a generalized table."""
        return {
            "fits": len(self.rows),
            "suppressed": int(self.hidden.sum()),
            "taken_as_generalized": dict(self.taken),
            "unread": dict(self.unread),
            "unnamed": dict(self.unnamed),
            "sure": self.sure,
            "rests": say_condition("records"),
        }


def find_fits(record: Mapping[str, Any], release: TableRelease, sure: float = 0.9) -> Fits:
    """Find the records that a person fits, and what they show."""
    known = find_known_values(record, release.schema)
    hidden = find_hidden_rows(release)
    rows = drop_hidden(candidates(record, release), hidden)
    shown = [
        find_shown(column, release.frame[column.name], rows, record.get(column.name))
        for column in release.schema.sensitive
    ]
    cells = {
        name: cells_of(release.frame[name], release.schema[name], sets=release.holds_sets)
        for name in known
    }
    return Fits(
        release,
        known,
        rows,
        hidden,
        shown=tuple(part for part in shown if part is not None),
        taken={} if release.promise != "untold" else release.generalized_columns(known),
        unread={name: part.unread[0] for name, part in cells.items() if part.unread},
        unnamed={
            name: text(known[name]) for name, part in cells.items() if is_unnamed(known[name], part)
        },
        empty=tuple(
            release.schema[name] for name, part in cells.items() if part.withheld[part.codes].all()
        ),
        sure=sure,
    )


def find_shown(column: Column, values: pd.Series[Any], rows: Rows, own: Any) -> Shown | None:
    """Find what some rows show; None where all their values are missing."""
    named = values.dropna().map(lambda cell: column.shown(cell_text(cell))).astype(str)
    # the most frequent value first, and equals by name
    everywhere, here = (
        part.value_counts().sort_index().sort_values(ascending=False, kind="stable")
        for part in (named, named[np.isin(np.flatnonzero(values.notna()), rows)])
    )
    if here.empty:
        return None
    tree, kind = column.hierarchy, None
    complete = int(here.sum()) == len(rows)
    if tree is not None and complete and len(here) > 1 and set(here.index) <= set(tree.nodes):
        covering = tree.cover(here.index)
        kind = covering if covering != tree.root else None
    shown = None if is_absent(own) else column.shown(own)
    return Shown(column, here, everywhere, len(rows), len(values), shown, kind)


class Exposed(NamedTuple):
    """Which records are exposed: picked out, or by the sensitive column of this title."""

    records: Flags
    title: str = ""


def find_exposed(fits: Fits) -> list[Exposed]:
    """Find the records of people who are picked out, and by column those who give its value away.

    A record counts if all that its person may fit, whatever her values, are this one alone, or
    show the same known value. Suppressed records fit almost anyone and are left out.
    """
    release = fits.release
    classes = classes_of(release, "own value")
    seen = np.bincount(classes.labels, fits.hidden, len(classes)) == 0  # suppressed: no group
    told = [np.where(classes.sizes == 1, np.arange(len(classes)), -1)]
    for shown in fits.shown:  # the one known value that each class shows; -1 for none, or several
        held = held_by(release, classes, shown.column.name, "own value")
        alone = (np.bincount(held.owner) == 1) & held.known[held.starts]
        told.append(np.where(alone, held.place[held.starts], -1))
    flags = find_certain_classes(release, classes, told, seen)
    titles = ["", *(shown.column.title for shown in fits.shown)]
    return [Exposed(flag[classes.labels], title) for flag, title in zip(flags, titles, strict=True)]


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
    return check_records(record, release, Requirement(k=k, ell=ell), Tests(), share)


@checking(
    "generalized",
    judges=JUDGES,
    words="a generalized table, whose cells have no places",
    release="table",
    when=lambda release, names: release.generalized_in(names),
)
def check_records(
    record: Mapping[str, Any],
    release: TableRelease,
    requirement: Requirement,
    _: Tests,
    sure: float = 0.9,
) -> SubjectReport:
    """Find the records that she fits, and say what they show."""
    fits = find_fits(record, release, sure)
    count, k, ell = len(fits.rows), requirement.k, requirement.ell or 0
    unmet: list[Line] = [
        ("generalized.too-few", count < (k or 0), {"count": count, "required": k}),
        *(
            ("generalized.too-alike", len(s.here) < ell, s.describe() | {"required": ell})
            for s in fits.shown
        ),
    ]
    judged = count and (k is not None or fits.shown)
    headlines, lines = (set_aside(fits, part) for part in (list_headlines(fits), list_lines(fits)))
    return make_report(fits, requirement, headlines, lines, unmet if judged else None)


def set_aside(fits: Fits, lines: Iterable[Line]) -> Iterator[Line]:
    """Say of what a suppressed record may contradict that these, which may be hers, are aside."""
    for name, said, values in lines:
        aside = fits.may_be_hidden and name.removeprefix("generalized.") in CONTRADICTED
        yield name, said, {**values, "around": "generalized.aside"} if aside else values


def list_headlines(fits: Fits) -> Iterator[Line]:
    """What may stand first, the worst first."""
    count, certain, told = len(fits.rows), fits.is_certain, {"count": len(fits.rows)}
    yield f"generalized.{'none-fits' if certain else 'untold-none'}", not count, {}
    yield "generalized.unnamed", fits.unnamed, {"values": name_unnamed(fits)}
    yield "generalized.only-one", certain and count == 1 and not fits.unread, {}
    if certain and count > 1:
        for shown in fits.shown:
            sure = shown.share >= fits.sure > shown.list_shares()[0][2]
            yield "generalized.learns", shown.share == 1, shown.describe()
            yield "generalized.guesses", sure and not fits.unread, shown.describe()
        for shown in fits.shown:
            yield "generalized.learns-kind", shown.kind is not None, shown.describe()
    yield "generalized.unread", fits.unread, {"columns": name_unread(fits)}
    yield "generalized.only-suppressed", fits.only_hidden, {}
    yield "generalized.untold", not certain, told
    worst = max(find_exposed(fits), key=lambda part: int(part.records.sum()))
    people, hers = int(worst.records.sum()), int(worst.records[fits.rows].sum())
    among = "none" if not hers else "one" if hers == 1 else "several"
    exposed = {"people": people, "records": len(fits.release), "title": worst.title}
    exposed["hers"] = sentence_text(f"generalized.{among}-among", count=hers)
    yield f"generalized.table-{'gives-away' if worst.title else 'picked-out'}", people, exposed
    surest = max(fits.shown, key=lambda part: part.share, default=None)
    if surest is not None:
        better = {"better": say_better_guesser(fits.release)}
        yield "generalized.no-warning-guess", True, surest.describe() | better
    yield "generalized.no-warning", True, told


def name_unnamed(fits: Fits) -> list[str]:
    """Name those of her values that stand on no label."""
    titles = {column.name: column.title for column in fits.columns}
    return [
        sentence_text("generalized.unnamed-value", title=titles[name], own=quoted(own))
        for name, own in fits.unnamed.items()
    ]


def name_unread(fits: Fits) -> list[str]:
    """Name the columns that hold labels that cannot be read."""
    return [
        sentence_text("generalized.unread-label", name=name, label=repr(label))
        for name, label in fits.unread.items()
    ]


def list_lines(fits: Fits) -> Iterator[Line]:
    """What may be said, in the order of the screen."""
    count, certain = len(fits.rows), fits.is_certain
    told: dict[str, Any] = {
        "count": count,
        "records": len(fits.release),
        "guess": 1 / max(count, 1),
        "names": [column.title for column in fits.empty],
        "values": name_unnamed(fits),
        "columns": name_unread(fits),
    }
    fit = "may-fit" if fits.unread or fits.unnamed else "fits" if count == 1 else "fit"
    yield f"generalized.figure-{fit}", True, told
    yield "common.figure-published", not fits.shown, told
    for shown in fits.shown[:1]:
        top = shown.describe()
        yield "generalized.figure-values", True, top
        yield f"generalized.figure-top{'' if top['alike'] == 1 else '-tied'}", True, top
    cells = [
        sentence_text("generalized.taken-cell", name=name, cell=repr(cell))
        for name, cell in fits.taken.items()
    ]
    yield "generalized.taken", fits.taken, {"columns": cells}
    yield "generalized.unread", fits.unread, told
    yield "generalized.unnamed", count and fits.unnamed, told
    if count and not fits.unnamed:  # else nobody knows how many fit what was meant
        yield from list_fitting_lines(fits, told)
    if certain and not fits.unnamed:
        for shown in fits.shown:
            yield from list_shown_lines(shown, say_better_guesser(fits.release))
        number = int(fits.hidden.sum())
        name = f"generalized.hidden-{'one' if number == 1 else 'several'}"
        kind = "others" if fits.by_class else "perhaps"
        kind = "only" if fits.only_hidden and not fits.unread else kind
        yield f"generalized.hidden-{kind}", number, {"hidden": sentence_text(name, count=number)}
    yield "generalized.empty-column", fits.empty, told
    for shown in fits.shown:
        yield "generalized.gaps", shown.gaps, shown.describe() | {"count": shown.gaps}


def list_fitting_lines(fits: Fits, told: Mapping[str, Any]) -> Iterator[Line]:
    """G1 and G2: how many records fit, and whether hers can be told from them."""
    one, certain = len(fits.rows) == 1, fits.is_certain and not fits.unread
    unsure = "at-most" if fits.unread else "untold"
    yield f"generalized.{unsure}-{'one' if one else 'several'}", not certain, told
    unless = "-unless" if fits.may_be_hidden else ""
    yield f"generalized.{'fits' if one else 'fit'}{unless}", certain, told
    yield f"generalized.{'picked-out' if one else 'cannot-pick'}", certain, told
    sample = estimate_alike(fits) if certain and not fits.only_hidden else None
    yield "generalized.sample", sample, sample or {}


def estimate_alike(fits: Fits) -> dict[str, int] | None:
    """Estimate how many people of the population fit as she does, where the table is a sample.

    Of a record that stands for w people each of them is in it with a chance of 1/w. Whether she is
    in the table or not, the others who fit are at least one record less than fit, and at most
    all of them and the suppressed ones; their expected number is bounded as that of rare events.
    """
    about, count, records = fits.release.about, len(fits.rows), len(fits.release)
    population = about.get("population", "")
    if not re.fullmatch("[0-9]{1,12}", population) or int(population) < records:
        return None
    people = int(population)
    ends = re.fullmatch("([0-9]{1,9}) to ([0-9]{1,9})", about.get("weights", ""))
    found = ends.groups() if ends else (people // records, -(-people // records))
    least, most = map(int, found)
    if not 1 <= least <= most:
        return None
    others, more = count - 1, count + 1 + (int(fits.hidden.sum()) if fits.may_be_hidden else 0)
    part = 1 - 1 / (9 * others) - Z / (3 * math.sqrt(others)) if others else 0.0
    low = max(count, 1 + least * others * part * part * part)
    part = 1 - 1 / (9 * more) + Z / (3 * math.sqrt(more))
    high = min(people, 1 + most * more * part * part * part)
    low, high = round_to_two(low, 0), round_to_two(high, 1)
    likely = min(max(round_to_two(count * people / records, 0.5), low), high)
    told = {"population": people, "likely": likely, "low": low, "high": high}
    return told | {"least": least, "most": most}


def round_to_two(value: float, up: float) -> int:
    """Round to two digits: down, up by 1, or to the nearest by one half.

    Examples
    --------
    >>> round_to_two(1234.5, 0), round_to_two(1234.5, 1), round_to_two(12.0, 1)
    (1200, 1300, 12)
    """
    step = 1
    while value / step >= 100:
        step *= 10
    return (math.ceil(value / step) if up == 1 else math.floor(value / step + up)) * step


def list_shown_lines(shown: Shown, better: str) -> Iterator[Line]:
    """G3 to G8: how frequent its values are, who may do better, how alike, what hers would add."""
    told, values = shown.describe() | {"better": better}, len(shown.here)
    frequent = "most-frequent" if told["alike"] == 1 else "one-of-the-most-frequent"
    same = "show-the-same" if shown.share == 1 else frequent
    yield f"generalized.{'shows' if shown.fitting == 1 else same}", True, told
    gained, here, everywhere = max(shown.list_shares(), key=lambda part: part[1] - part[2])
    written = {spoken_language().format_part(part) for part in (here, everywhere)}
    gains = {"value": shown.column.shown(gained), "here": here, "everywhere": everywhere}
    yield "generalized.gains", 1 > here > everywhere and len(written) > 1, gains
    yield "generalized.of-one-kind", shown.kind is not None, told
    if shown.gaps:  # a record that shows none may be hers
        return
    yield f"generalized.{'two' if values == 2 else 'several'}-values", values > 1, told
    if shown.own is not None:
        own, here_too = shown.here.get(shown.own, 0), shown.fitting > 1
        once = own and shown.everywhere[shown.own] == 1
        name = "own-once" if once else "own-among"
        said = not own or once or (own == 1 and here_too)
        yield f"generalized.{name if own else 'own-absent'}", said, told
