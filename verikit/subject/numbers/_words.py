"""What groups of permuted numbers tell of one person, in the order of the screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from verikit._support.html import MANY
from verikit.languages import localize_number, sentence_text
from verikit.subject._answer import say, say_better_guesser, say_figure, say_headline
from verikit.subject._guess import MAX_LINES, MISSING, Guess
from verikit.subject._report import Figure, Headline, Sentence
from verikit.subject._requirement import Requirement
from verikit.subject.numbers._find import Left, NumberFits
from verikit.subject.split._words import (
    say_guess,
    say_likeliest,
    say_own_guess,
    say_possible,
    which_groups,
)
from verikit.table import Column

NEARLY = 0.01  # of the range of the whole table
CLOSE = 1e-12
PART = 10  # closeness is looked at within a tenth of the range that is left


def headlines(fits: NumberFits) -> Iterator[Headline]:
    """What may stand first, the worst first."""
    if not len(fits.groups):
        yield say_headline("split.none-fits")
    yield from _list_warnings(fits)
    left = [part for part in fits.left if part.different]
    if not left:
        yield say_headline("numbers.none-left", title=fits.left[0].column.title)
    yield from _table_warning(fits)
    narrowest = min(left, key=_share_left)
    yield say_headline("numbers.no-warning", **_range_values(narrowest))


def _list_warnings(fits: NumberFits) -> Iterator[Headline]:
    """The worst that someone who knows her values finds out."""
    for guess in fits.guesses:
        told = {"title": guess.column.title, "value": _value_text(fits, guess)}
        if MISSING in guess.values:
            continue
        if guess.possible == 1:
            yield say_headline("split.learns", **told)
        if guess.surest >= fits.sure > guess.everywhere[guess.top]:
            yield say_headline("split.guesses", **told, surest=guess.surest)
    for part in fits.left:
        if part.different > 1 and not part.gaps and _share_left(part) <= NEARLY:
            yield say_headline("numbers.learns-nearly", **_range_values(part))


def _table_warning(fits: NumberFits) -> Iterator[Headline]:
    """How many people are in groups that give a sensitive value away, where anybody is."""
    release = fits.release
    found = [(_count_exposed(fits, column), column.title) for column in release.schema.sensitive]
    people, title = max(found, key=lambda pair: pair[0])
    if people:
        told = {"people": people, "records": len(release), "title": title}
        yield say_headline("split.table-gives-away", **told)


def _count_exposed(fits: NumberFits, column: Column) -> int:
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
        yield say_figure("split.figure-none")
        return
    yield say_figure(f"split.figure-group{'s' * (count > 1)}", people=fits.people)
    part = fits.left[0]
    yield say_figure("numbers.figure-values", values=part.different, title=part.column.title)
    if part.different:
        yield say_figure("numbers.figure-range", **_range_values(part))


def sentences(fits: NumberFits, headline: Headline) -> Iterator[Sentence]:
    """Everything that may be said."""
    if len(fits.groups):
        yield from _say_groups(fits)
        for part in fits.left:
            yield from _say_left(fits, part)
            if not part.gaps:
                yield from _say_likely(fits, part)
        for guess in fits.guesses:
            if guess not in [part.guess for part in fits.left]:
                yield from say_guess(guess, say_better_guesser(fits.release))
        yield say("common.unattacked")
    if headline.state != "warning-you":
        yield say("common.no-conclusion")


def _say_groups(fits: NumberFits) -> Iterator[Sentence]:
    """P1 and P2: where she may be, and whether a row shows all her values."""
    count = len(fits.groups)
    groups = len(fits.sizes)
    yield say(which_groups(count, groups), count=count, groups=groups, people=fits.people)
    if fits.shown:
        yield say("split.published-rows")
    else:
        yield say("numbers.perhaps-rows", rows=int(fits.copies.sum()))


def _say_left(fits: NumberFits, part: Left) -> Iterator[Sentence]:
    """E1 to E5: which numbers are left, how far apart, and what neither of both tells."""
    if part.different < 2:
        return
    told = _range_values(part)
    yield say("numbers.left", **told, better=say_better_guesser(fits.release))
    if part.width < part.whole_width:
        ends = [amount_text(end, part.column) for end in part.whole]
        yield say(
            "numbers.of-all",
            title=told["title"],
            low=ends[0],
            high=ends[1],
            share=_share_left(part),
        )
    if len(fits.groups) > 1:
        yield _say_each_group(fits, part)
    yield from _say_between(part, say_better_guesser(fits.release))
    if len(fits.groups) == 1:
        yield say("numbers.struck-out", title=told["title"], others=fits.people - 1)


def _say_likely(fits: NumberFits, part: Left) -> Iterator[Sentence]:
    """P3 to P6, but for what E4 and E6 say already."""
    guess = part.guess
    if not part.one_stands_out:
        yield say_likeliest(guess, say_better_guesser(fits.release), _value_text(fits, guess))
    if guess.own is not None:
        yield say_own_guess(guess, guess.own, amount_text(float(guess.own), part.column))
    if len(fits.groups) > 1:
        yield from say_possible(guess)


def _say_each_group(fits: NumberFits, part: Left) -> Sentence:
    """E3: what is left to somebody who finds out which of several groups is hers."""
    found = fits.in_each_group(part.column)
    told = {"fewest": int(found.different.min()), "title": part.column.title}
    narrowest = float(np.nanmin(found.high - found.low))
    return say("numbers.in-one-group", **told, width=width_text(narrowest, part.column))


def _say_between(part: Left, who: str) -> Iterator[Sentence]:
    """E4: one number that is likelier than the others, and numbers that lie close to each other."""
    title, surest = part.column.title, float(part.chances.max())
    if part.one_stands_out:
        top = part.values[np.argmax(part.chances)]
        told = {"value": amount_text(top, part.column), "values": part.different}
        yield say("numbers.likelier", **told, surest=surest, title=title, better=who)
    reach = part.width / PART
    middle, near = part.closest(reach)
    if near >= 0.5 and near > surest + CLOSE:
        ends = {"value": amount_text(middle, part.column), "reach": width_text(reach, part.column)}
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
        *(part for left in fits.left for part in _say_too_little(fits, left, required)),
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


def _say_too_little(fits: NumberFits, part: Left, required: Requirement) -> Iterator[str]:
    title, column = part.column.title, part.column
    if required.k is not None and part.different < required.k:
        most = int(fits.release.sensitive[column.name].nunique())
        counts = {"values": part.different, "required": required.k, "most": most}
        yield sentence_text("numbers.too-few", title=title, **counts)
    if required.e is not None and part.width < required.e:
        widths = {"width": part.width, "required": required.e, "most": part.whole_width}
        ranges = {name: width_text(value, column) for name, value in widths.items()}
        yield sentence_text("numbers.too-narrow", title=title, **ranges)


def _value_text(fits: NumberFits, guess: Guess) -> str:
    """The likeliest value; a number as the other sentences write it."""
    value = guess.values[guess.top]
    known = value != MISSING and guess.column in [part.column for part in fits.left]
    return amount_text(float(value), guess.column) if known else guess.column.shown(value)


def _range_values(part: Left) -> dict[str, object]:
    low, high = (amount_text(end, part.column) for end in part.ends)
    width = width_text(part.width, part.column)
    return {
        "title": part.column.title,
        "values": part.different,
        "low": low,
        "high": high,
        "width": width,
    }


def _share_left(part: Left) -> float:
    """How much of the range of the whole table is left."""
    return part.width / part.whole_width if part.whole_width > 0 else 1.0


def amount_text(value: float, column: Column) -> str:
    """A number with the unit of its column; without one, a number below 10,000 may be a year.

    Examples
    --------
    >>> pay = Column("pay", "sensitive", unit="$")
    >>> amount_text(0.1 + 0.2, pay), amount_text(54000.0, pay), amount_text(7.0, Column("age"))
    ('0.3 $', '54,000 $', '7')
    """
    if column.dated:
        return column.shown(value)
    grouped = "," if column.unit or abs(value) >= MANY else ""
    return f"{localize_number(f'{value:{grouped}.12g}')} {column.unit}".strip()


def width_text(width: float, column: Column) -> str:
    """How far two numbers lie apart, with the unit; of dates it is days.

    Examples
    --------
    >>> width_text(5.0, Column("born", "sensitive", unit="days since 1970-01-01"))
    '5 days'
    """
    if column.dated:
        column = replace(column, unit="day" if width == 1 else "days")
    return amount_text(width, column)
