"""What groups of permuted numbers tell of one person, in the order of the screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from verikit._support.html import MANY
from verikit.languages import localize_number, sentence_text
from verikit.subject._answer import better, figure, head, say
from verikit.subject._guess import MAX_LINES, MISSING, Guess
from verikit.subject._report import Figure, Headline, Sentence
from verikit.subject._requirement import Requirement
from verikit.subject.numbers._find import Left, NumberFits
from verikit.subject.split._words import (
    likeliest,
    own_guessed,
    ruled_out,
    told_by,
    which_groups,
)
from verikit.table import Column

NEARLY = 0.01  # of the range of the whole table
CLOSE = 1e-12
PART = 10  # closeness is looked at within a tenth of the range that is left


def headlines(fits: NumberFits) -> Iterator[Headline]:
    """What may stand first, the worst first."""
    if not len(fits.groups):
        yield head("split.none-fits")
    yield from _warnings(fits)
    left = [part for part in fits.left if part.different]
    if not left:
        yield head("numbers.none-left", title=fits.left[0].column.title)
    yield from _table_warning(fits)
    narrowest = min(left, key=_share)
    yield head("numbers.no-warning", **_told(narrowest))


def _warnings(fits: NumberFits) -> Iterator[Headline]:
    """The worst that someone who knows her values finds out."""
    for guess in fits.guesses:
        told = {"title": guess.column.title, "value": _value(fits, guess)}
        if MISSING in guess.values:
            continue
        if guess.possible == 1:
            yield head("split.learns", **told)
        if guess.surest >= fits.sure > guess.everywhere[guess.top]:
            yield head("split.guesses", **told, surest=guess.surest)
    for part in fits.left:
        if part.different > 1 and not part.gaps and _share(part) <= NEARLY:
            yield head("numbers.learns-nearly", **_told(part))


def _table_warning(fits: NumberFits) -> Iterator[Headline]:
    """How many people are in groups that give a sensitive value away, where anybody is."""
    release = fits.release
    found = [(_alone(fits, column), column.title) for column in release.schema.sensitive]
    people, title = max(found, key=lambda pair: pair[0])
    if people:
        told = {"people": people, "records": len(release), "title": title}
        yield head("split.table-gives-away", **told)


def _alone(fits: NumberFits, column: Column) -> int:
    """How many people are in groups that hold one value of a column; one pass."""
    release = fits.release
    labels, values = release.labels.sensitive, release.sensitive[column.name]
    if column in [part.column for part in fits.left]:
        codes = values.to_numpy(np.float64, na_value=np.nan)
    else:
        codes = values.astype("category").cat.codes.to_numpy(np.float64)
        codes[codes < 0] = np.nan
    some = np.full(len(fits.sizes), np.nan)
    some[labels] = codes
    several = np.zeros(len(some), bool)
    several[labels[codes != some[labels]]] = True
    return int(fits.sizes[~several].sum())


def figures(fits: NumberFits) -> Iterator[Figure]:
    """How many people are in her groups, how many numbers are left for her, how far apart."""
    count = len(fits.groups)
    if not count:
        yield figure("split.figure-none")
        return
    yield figure(f"split.figure-group{'s' * (count > 1)}", people=fits.people)
    part = fits.left[0]
    yield figure("numbers.figure-values", values=part.different, title=part.column.title)
    if part.different:
        yield figure("numbers.figure-range", **_told(part))


def sentences(fits: NumberFits, headline: Headline) -> Iterator[Sentence]:
    """Everything that may be said."""
    if len(fits.groups):
        yield from _groups(fits)
        for part in fits.left:
            yield from _left(fits, part)
            if not part.gaps:
                yield from _likely(fits, part)
        for guess in fits.guesses:
            if guess not in [part.guess for part in fits.left]:
                yield from told_by(guess, better(fits.release))
        yield say("common.unattacked")
    if headline.state != "warning-you":
        yield say("common.no-conclusion")


def _groups(fits: NumberFits) -> Iterator[Sentence]:
    """P1 and P2: where she may be, and whether a row shows all her values."""
    count = len(fits.groups)
    groups = len(fits.sizes)
    yield say(which_groups(count, groups), count=count, groups=groups, people=fits.people)
    if fits.shown:
        yield say("split.published-rows")
    else:
        yield say("numbers.perhaps-rows", rows=int(fits.copies.sum()))


def _left(fits: NumberFits, part: Left) -> Iterator[Sentence]:
    """E1 to E5: which numbers are left, how far apart, and what neither of both tells."""
    if part.different < 2:
        return
    told = _told(part)
    yield say("numbers.left", **told, better=better(fits.release))
    if part.width < part.whole_width:
        ends = [measured(end, part.column) for end in part.whole]
        yield say(
            "numbers.of-all", title=told["title"], low=ends[0], high=ends[1], share=_share(part)
        )
    if len(fits.groups) > 1:
        yield _each_group(fits, part)
    yield from _between(part, better(fits.release))
    if len(fits.groups) == 1:
        yield say("numbers.struck-out", title=told["title"], others=fits.people - 1)


def _likely(fits: NumberFits, part: Left) -> Iterator[Sentence]:
    """P3 to P6, but for what E4 and E6 say already."""
    guess = part.guess
    if not part.one_stands_out:
        yield likeliest(guess, better(fits.release), _value(fits, guess))
    if guess.own is not None:
        yield own_guessed(guess, guess.own, measured(float(guess.own), part.column))
    if len(fits.groups) > 1:
        yield from ruled_out(guess)


def _each_group(fits: NumberFits, part: Left) -> Sentence:
    """E3: what is left to somebody who finds out which of several groups is hers."""
    found = fits.in_each_group(part.column)
    told = {"fewest": int(found.different.min()), "title": part.column.title}
    narrowest = float(np.nanmin(found.high - found.low))
    return say("numbers.in-one-group", **told, width=apart(narrowest, part.column))


def _between(part: Left, who: str) -> Iterator[Sentence]:
    """E4: one number that is likelier than the others, and numbers that lie close to each other."""
    title, surest = part.column.title, float(part.chances.max())
    if part.one_stands_out:
        top = part.values[np.argmax(part.chances)]
        told = {"value": measured(top, part.column), "values": part.different}
        yield say("numbers.likelier", **told, surest=surest, title=title, better=who)
    reach = part.width / PART
    middle, near = part.closest(reach)
    if near >= 0.5 and near > surest + CLOSE:
        ends = {"value": measured(middle, part.column), "reach": apart(reach, part.column)}
        yield say("numbers.close", **ends, near=near, title=title)


def notes(fits: NumberFits) -> Iterator[str]:
    """What the person should know about gaps in the table, and lines that are not shown."""
    for part in fits.left:
        if part.gaps:
            yield sentence_text("numbers.gaps", gaps=part.gaps, title=part.column.title)
    if max(len(fits.groups), *(guess.possible for guess in fits.guesses)) > MAX_LINES:
        yield sentence_text("common.cut", most=MAX_LINES)


def unmet(fits: NumberFits, required: Requirement) -> list[str] | None:
    """The numbers that are too few, too close or guessed too surely; None where no group fits."""
    if not len(fits.groups):
        return None
    return [
        *(part for left in fits.left for part in _too_little(fits, left, required)),
        *(
            sentence_text(
                "split.too-sure", title=g.column.title, surest=g.surest, required=required.ell
            )
            for g in fits.guesses
            if _too_sure(g, required.ell)
        ),
    ]


def _too_sure(guess: Guess, ell: int | None) -> bool:
    """Whether a value is guessed right too often; a missing one is none."""
    known = [c for name, c in zip(guess.values, guess.here, strict=True) if name != MISSING]
    return ell is not None and max(known, default=0.0) * ell > 1 + CLOSE


def _too_little(fits: NumberFits, part: Left, required: Requirement) -> Iterator[str]:
    title, column = part.column.title, part.column
    if required.k is not None and part.different < required.k:
        most = int(fits.release.sensitive[column.name].nunique())
        counts = {"values": part.different, "required": required.k, "most": most}
        yield sentence_text("numbers.too-few", title=title, **counts)
    if required.e is not None and part.width < required.e:
        widths = {"width": part.width, "required": required.e, "most": part.whole_width}
        ranges = {name: apart(value, column) for name, value in widths.items()}
        yield sentence_text("numbers.too-narrow", title=title, **ranges)


def _value(fits: NumberFits, guess: Guess) -> str:
    """The likeliest value; a number as the other sentences write it."""
    value = guess.values[guess.top]
    known = value != MISSING and guess.column in [part.column for part in fits.left]
    return measured(float(value), guess.column) if known else guess.column.shown(value)


def _told(part: Left) -> dict[str, object]:
    low, high = (measured(end, part.column) for end in part.ends)
    width = apart(part.width, part.column)
    return {
        "title": part.column.title,
        "values": part.different,
        "low": low,
        "high": high,
        "width": width,
    }


def _share(part: Left) -> float:
    """How much of the range of the whole table is left."""
    return part.width / part.whole_width if part.whole_width > 0 else 1.0


def measured(value: float, column: Column) -> str:
    """A number with the unit of its column; without one, a number below 10,000 may be a year.

    Examples
    --------
    >>> pay = Column("pay", "sensitive", unit="$")
    >>> measured(0.1 + 0.2, pay), measured(54000.0, pay), measured(7.0, Column("age"))
    ('0.3 $', '54,000 $', '7')
    """
    if column.dated:
        return column.shown(value)
    grouped = "," if column.unit or abs(value) >= MANY else ""
    return f"{localize_number(f'{value:{grouped}.12g}')} {column.unit}".strip()


def apart(width: float, column: Column) -> str:
    """How far two numbers lie apart, with the unit; of dates it is days.

    Examples
    --------
    >>> apart(5.0, Column("born", "sensitive", unit="days since 1970-01-01"))
    '5 days'
    """
    if column.dated:
        column = replace(column, unit="day" if width == 1 else "days")
    return measured(width, column)
