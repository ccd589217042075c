"""Tables joined by groups that keep numbers apart: which are left for her, and how far apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.html import MANY
from verikit.cells import rows_that_may_be
from verikit.languages import Line, insert_phrases, localize_number, spoken_language
from verikit.matching import LearnedGuess, guess_by_learning
from verikit.release import SplitRelease
from verikit.subject._answer import make_report, say_better_guesser, say_condition
from verikit.subject._check import Tests, checking
from verikit.subject._guess import (
    MAX_LINES,
    MISSING,
    Guess,
    guess_of,
    order_by_chance,
    values_table,
)
from verikit.subject._known import Given, find_rows_showing, usable_values
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject.split import (
    describe_learned,
    list_exposed_line,
    list_guess_lines,
    list_learned_lines,
    list_too_sure,
    name_groups_line,
)
from verikit.table import Column
from verikit.values.ranges import read_range

__all__: list[str] = []

NEARLY = 0.01  # of the range of the whole table
CLOSE = 1e-12
PART = 10  # closeness is looked at within a tenth of the range that is left
KEPT = ("another order", "as it was")
RANGES = [
    "attribute", "different values", "lowest", "highest", "range",
    "lowest of all", "highest of all",
]  # fmt: skip
JUDGES = {
    "k": "how many different values of a sensitive number are left for you",
    "e": "how far apart the lowest and the highest of these values lie, in their unit",
    "ell": insert_phrases(
        "in one of how many cases a guess of your sensitive value may be right, {rests:links}"
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class Left:
    """The numbers of one column that are left for her.

    Parameters
    ----------
    guess
        How likely each is, a missing value among them.
    column
        The column.
    values, chances
        The numbers in ascending order, and the chance of each.
    low, high, width
        The lowest and the highest of them, and how far these lie apart; 0 where none is left.
    lowest, highest
        The ends of the whole table.
    gaps
        How many values of her groups are missing.
    """

    guess: Guess
    column: Column
    values: Floats
    chances: Floats
    low: float
    high: float
    width: float
    lowest: float
    highest: float
    gaps: int

    @property
    def share(self) -> float:
        """How much of the range of the whole table is left."""
        whole = self.highest - self.lowest
        return self.width / whole if whole > 0 else 1.0

    def describe(self) -> dict[str, Any]:
        """What sentences say of its numbers."""
        return {
            "title": self.column.title,
            "values": len(self.values),
            "low": amount_text(self.low, self.column),
            "high": amount_text(self.high, self.column),
            "width": width_text(self.width, self.column),
            "share": self.share,
            "gaps": self.gaps,
        }

    def find_crowded_number(self, reach: float) -> tuple[float, float]:
        """Find the number with the most cases no further away than some reach, and their share."""
        sums = np.append(0.0, np.cumsum(self.chances))
        first = np.searchsorted(self.values, self.values - reach, "left")
        last = np.searchsorted(self.values, self.values + reach, "right")
        near = sums[last] - sums[first]
        best = int(np.argmax(near))
        return float(self.values[best]), min(float(near[best]), 1.0)


class InGroup(NamedTuple):
    """By group that fits: how many different numbers it holds, and how far these lie apart."""

    different: Rows
    width: Floats


@dataclass(frozen=True, slots=True, eq=False)
class NumberFits(Given):
    """The values she gave, the groups that fit them, and what these leave of each number.

    Parameters
    ----------
    release
        What was published.
    known
        The quasi-identifiers she gave.
    groups, copies
        The groups that hold a row with her values, and how many such rows each holds.
    shown
        How many of these rows show all her values; others lack one, or cannot be read.
    inside
        The rows of the sensitive table that belong to the groups that fit.
    guesses
        What the groups say of each sensitive column.
    left
        What they leave of each column of numbers.
    learned
        By sensitive column what somebody guesses who learned from the whole table, a band of
        numbers; None where nothing bears it out.
    sure
        From which chance on a guess is a warning.
    """

    release: SplitRelease
    known: Mapping[str, Any]
    groups: Rows
    copies: Rows
    shown: int
    inside: Rows
    guesses: tuple[Guess, ...]
    left: tuple[Left, ...]
    learned: tuple[LearnedGuess | None, ...]
    sure: float = 0.9

    @property
    def people(self) -> int:
        """How many people are in the groups that fit."""
        return int(self.release.sizes[self.groups].sum())

    def look_in_each_group(self, column: Column) -> InGroup:
        """What each group that fits holds of a column of numbers; missing ones left out."""
        values = read_numbers(self.release, column)[self.inside]
        owner = np.searchsorted(self.groups, self.release.labels.sensitive[self.inside])
        there = ~np.isnan(values)
        values, owner = values[there], owner[there]
        order = np.lexsort((values, owner))
        values, owner = np.append(values[order], np.nan), owner[order]
        new = (np.diff(values[:-1], prepend=np.nan) != 0) | (np.diff(owner, prepend=-1) > 0)
        different = np.bincount(owner[new], minlength=len(self.groups))
        first = np.searchsorted(owner, np.arange(len(self.groups)))
        last = np.searchsorted(owner, np.arange(len(self.groups)), "right") - 1
        return InGroup(different, np.where(different > 0, values[last] - values[first], np.nan))

    def make_tables(self) -> dict[str, pd.DataFrame]:
        """The ranges that are left, the groups that fit, and the values that may be hers."""
        ranges: list[dict[str, Any]] = []
        for part in self.left:
            column, ends = part.column, (part.low, part.high, part.lowest, part.highest)
            written = [column.shown(end) if column.dated else end for end in ends]
            line = [column.name, len(part.values), *written[:2], part.width, *written[2:]]
            if len(part.values):
                ranges.append(dict(zip(RANGES, line, strict=True)))
        weights = self.copies / max(int(self.copies.sum()), 1)
        groups = {
            "group": self.release.labels.names[self.groups],
            "people": self.release.sizes[self.groups],
            "rows like yours": self.copies,
            "of 100 cases yours": 100 * weights,
        }
        for part in self.left:
            found, name = self.look_in_each_group(part.column), part.column.name
            groups |= {f"different {name}": found.different, f"range of {name}": found.width}
        order = order_by_chance(weights)[:MAX_LINES]
        return {
            "ranges": pd.DataFrame(ranges, columns=RANGES),
            "groups": pd.DataFrame(groups).take(order).reset_index(drop=True),
            "values": values_table(self.guesses),
        }

    def list_facts(self) -> dict[str, Any]:
        """How many groups, people and rows fit, and how many of these rows show all her values."""
        return {
            "groups": len(self.groups),
            "people": self.people,
            "rows": int(self.copies.sum()),
            "shown": self.shown,
            "sure": self.sure,
            "learned": {
                guess.column.name: learned._asdict()
                for guess, learned in zip(self.guesses, self.learned, strict=True)
                if learned
            },
            "rests": say_condition("links"),
        }


def numeric_columns(release: SplitRelease) -> tuple[Column, ...]:
    """The sensitive columns that were published as single numbers."""
    return tuple(
        column
        for column in release.schema.sensitive
        if column.kind == "numeric"
        and pd.api.types.is_numeric_dtype(release.sensitive[column.name].dtype)
    )


def read_numbers(release: SplitRelease, column: Column) -> Floats:
    """Read a sensitive column as numbers, missing ones as NaN."""
    return release.sensitive[column.name].to_numpy(np.float64, na_value=np.nan)


def find_numbers(record: Mapping[str, Any], release: SplitRelease) -> NumberFits:
    """Find the groups that a person fits, and what they leave of each number; O(n) a column.

    A cell of hers that is missing, or stands for several values, fits if it may be her value. The
    chance of a row of the sensitive table is that of its group, divided.
    """
    known = usable_values(record, release.schema)
    fits = np.ones(len(release), bool)
    for name, value in known.items():
        cells, column = release.quasi[name], release.schema[name]
        fits &= rows_that_may_be(cells, column, value, sets=release.holds_sets)
    rows, labels = np.flatnonzero(fits), release.labels
    copies = np.bincount(labels.quasi[rows], minlength=len(labels.names))
    groups = np.flatnonzero(copies)
    inside = np.flatnonzero(copies[labels.sensitive] > 0)
    each = copies / np.maximum(release.sizes, 1) / max(len(rows), 1)
    chances = each[labels.sensitive[inside]]
    guesses = tuple(
        guess_of(c, release.sensitive[c.name], inside, chances, record.get(c.name))
        for c in release.schema.sensitive
    )
    numbers, weights = numeric_columns(release), copies[groups] / max(len(rows), 1)
    return NumberFits(
        release,
        known,
        groups,
        copies[groups],
        shown=int(np.count_nonzero(find_rows_showing(release.quasi, known, rows))),
        inside=inside,
        guesses=guesses,
        left=tuple(find_left(release, part, inside) for part in guesses if part.column in numbers),
        learned=tuple(
            guess_by_learning(release, part.column.name, known, groups, weights, bands=True)
            for part in guesses
        ),
    )


def find_left(release: SplitRelease, guess: Guess, inside: Rows) -> Left:
    """Find the numbers of a column that are left for her."""
    values = read_numbers(release, guess.column)
    known = np.array([name != MISSING for name in guess.values], bool)
    numbers = np.array([float(name) for name in guess.values if name != MISSING])
    low, high = (numbers[0], numbers[-1]) if len(numbers) else (0.0, 0.0)
    return Left(
        guess,
        guess.column,
        numbers,
        guess.here[known],
        float(low),
        float(high),
        float(high - low),
        float(np.fmin.reduce(values)),  # past missing ones
        float(np.fmax.reduce(values)),
        gaps=int(np.count_nonzero(np.isnan(values[inside]))),
    )


def keeps_numbers(release: SplitRelease, _: object) -> bool:
    """Whether each group holds the numbers of its people, and the rows of the first table do."""
    made_up = bool(release.parameters.get("fakes"))
    kept = release.promise in KEPT and not made_up and not release.permuted
    return kept and bool(numeric_columns(release))


@checking(
    "numbers",
    judges=JUDGES,
    words="a table whose numbers were permuted in groups, which has no places",
    release="split",
    when=keeps_numbers,
)
def check_numbers(
    record: Mapping[str, Any], release: SplitRelease, requirement: Requirement, _: Tests
) -> SubjectReport:
    """Find the numbers that are left for her, how many differ, and how far apart they lie.

    Notes
    -----
    k counts different values, and e is met when it is reached ([QZ]_ Definition 2.4.2). Both are
    judged by all groups that she fits; where several do, the least of one group is said beside.
    """
    found = find_numbers(record, release)
    too_sure = list_too_sure(found.guesses, requirement.ell)
    unmet = chain(list_too_little(found, requirement), too_sure)
    return make_report(
        found,
        requirement,
        list_headlines(found),
        list_lines(found),
        unmet if len(found.groups) else None,
    )


def list_too_little(found: NumberFits, required: Requirement) -> Iterator[Line]:
    """The numbers that are too few, or too close."""
    for part in found.left:
        column, k, e = part.column, required.k or 0, required.e or 0
        most = int(found.release.sensitive[column.name].nunique())
        told = part.describe() | {"required": k, "most": most}
        yield "numbers.too-few", len(part.values) < k, told
        whole = part.highest - part.lowest
        widths = {"required": width_text(e, column), "most": width_text(whole, column)}
        yield "numbers.too-narrow", part.width < e, told | widths


def list_headlines(found: NumberFits) -> Iterator[Line]:
    """What may stand first, the worst first."""
    yield "split.none-fits", not len(found.groups), {}
    for guess in found.guesses:
        told = guess.describe() | {"value": value_text(found, guess)}
        yield "split.learns", not guess.gaps and guess.possible == 1, told
        sure = guess.surest >= found.sure > told["everywhere"]
        yield "split.guesses", not guess.gaps and sure, told
    for guess, learned in zip(found.guesses, write_bands(found), strict=True):
        told = describe_learned(learned, guess.column) if learned else {}
        sure = learned is not None and learned.chance >= found.sure > learned.everywhere
        yield "split.learned-guesses", sure, told
    for part in found.left:
        few = len(part.values) > 1 and not part.gaps
        yield "numbers.learns-nearly", few and part.share <= NEARLY, part.describe()
    left = [part for part in found.left if len(part.values)]
    yield "split.none-left", not left, {"title": found.left[0].column.title}
    release = found.release
    exposed = [(count_exposed_people(found, c), c.title) for c in release.schema.sensitive]
    yield list_exposed_line(exposed, len(release))
    yield "numbers.no-warning", True, min(left, key=lambda part: part.share).describe()


def count_exposed_people(found: NumberFits, column: Column) -> int:
    """Count the people in groups that hold one value of a column; one pass."""
    release = found.release
    labels, values = release.labels.sensitive, release.sensitive[column.name]
    if column in [part.column for part in found.left]:
        codes = values.to_numpy(np.float64, na_value=np.nan)
    else:
        codes = values.astype("category").cat.codes.to_numpy(np.float64)
        codes[codes < 0] = np.nan
    some = np.full(len(release.sizes), np.nan)
    some[labels] = codes
    several = np.zeros(len(some), bool)
    several[labels[codes != some[labels]]] = True  # as a missing value is, which differs from all
    return int(release.sizes[~several].sum())


def list_lines(found: NumberFits) -> Iterator[Line]:
    """What may be said, in the order of the screen."""
    count, groups = len(found.groups), len(found.release.sizes)
    if not count:
        yield "split.figure-none", True, {}
        return
    told = {"count": count, "groups": groups, "people": found.people, "most": MAX_LINES}
    told["rows"] = int(found.copies.sum())
    first, better = found.left[0], say_better_guesser(found.release)
    yield f"split.figure-group{'s' * (count > 1)}", True, told
    yield "numbers.figure-values", True, first.describe()
    yield "numbers.figure-range", len(first.values), first.describe()
    yield name_groups_line(count, groups), True, told
    yield "split.published-rows" if found.shown else "numbers.perhaps-rows", True, told
    for part in found.left:
        yield from list_range_lines(found, part, better)
        if not part.gaps:
            guess, own = part.guess, part.guess.own
            own = own and amount_text(float(own), part.column)
            lines = [*list_guess_lines(guess, better, value_text(found, guess), own or "")]
            yield from lines[stands_out(part) : None if count > 1 else 2]  # E4 and E6 say the rest
    for guess in found.guesses:
        if guess not in [part.guess for part in found.left]:
            yield from list_guess_lines(guess, better)
    for guess, learned in zip(found.guesses, write_bands(found), strict=True):
        if guess.possible > 1:
            yield from list_learned_lines(found.release, guess.column, learned)
    yield "common.unattacked", True, {}
    for part in found.left:
        yield "split.gaps", part.gaps, part.describe()
    yield "common.cut", max(count, *(guess.possible for guess in found.guesses)) > MAX_LINES, told


def stands_out(part: Left) -> bool:
    """Whether one number is at least twice as likely as if all were equally likely."""
    different = len(part.values)
    return different > 1 and float(part.chances.max()) * different >= 2


def list_range_lines(found: NumberFits, part: Left, better: str) -> Iterator[Line]:
    """E1 to E6: which numbers are left, how far apart, which are likelier, or close to others."""
    if len(part.values) < 2:
        return
    told, column = part.describe() | {"better": better, "others": found.people - 1}, part.column
    yield "numbers.left", True, told
    ends = {"low": amount_text(part.lowest, column), "high": amount_text(part.highest, column)}
    yield "numbers.of-all", part.width < part.highest - part.lowest, told | ends
    if len(found.groups) > 1:
        each = found.look_in_each_group(column)
        least = {"width": width_text(float(np.nanmin(each.width)), column)}
        yield "numbers.in-one-group", True, told | least | {"fewest": int(each.different.min())}
    surest, reach = float(part.chances.max()), part.width / PART
    likeliest = amount_text(part.values[np.argmax(part.chances)], column)
    yield "numbers.likelier", stands_out(part), told | {"value": likeliest, "surest": surest}
    middle, near = part.find_crowded_number(reach)
    close = {"value": amount_text(middle, column), "reach": width_text(reach, column), "near": near}
    yield "numbers.close", near >= 0.5 and near > surest + CLOSE, told | close
    yield "numbers.struck-out", len(found.groups) == 1, told


def value_text(found: NumberFits, guess: Guess) -> str:
    """The likeliest value; a number as the other sentences write it."""
    value = guess.values[guess.top]
    known = value != MISSING and guess.column in [part.column for part in found.left]
    return amount_text(float(value), guess.column) if known else guess.column.shown(value)


def write_bands(found: NumberFits) -> Iterator[LearnedGuess | None]:
    """The guesses by learning, with the ends of bands of numbers as other sentences write them."""

    def write(name: str) -> str:
        band = read_range(name)
        ends = (float(name),) if band is None else band.ends
        return " – ".join(amount_text(end, guess.column) for end in ends)

    for guess, learned in zip(found.guesses, found.learned, strict=True):
        if learned is None or guess.column not in [part.column for part in found.left]:
            yield learned
        else:
            yield learned._replace(value=write(learned.value), others=write(learned.others))


def amount_text(value: float, column: Column) -> str:
    """A number with the unit of its column; without one, a number below 10,000 may be a year.

    Examples
    --------
    >>> pay = Column("pay", "sensitive", unit="$")
    >>> amount_text(0.1 + 0.2, pay), amount_text(54000.0, pay), amount_text(7.0, Column("age"))
    ('0.3 $', '54,000 $', '7')
    """
    if column.dated:
        return str(localize_number(column.shown(value)))
    grouped = "," if column.unit or abs(value) >= MANY else ""
    return f"{localize_number(f'{value:{grouped}.12g}')} {column.unit}".strip()


def width_text(width: float, column: Column) -> str:
    """How far two numbers lie apart, with the unit; of dates it is days.

    Examples
    --------
    >>> width_text(5.0, Column("born", "sensitive", unit="days since 1970-01-01"))
    '5 days'
    """
    if not column.dated:
        return amount_text(width, column)
    speech = spoken_language()
    forms = speech.words["days"].split("/")
    if float(width).is_integer():
        return speech.format_count(int(width), *forms)
    return f"{localize_number(f'{width:,.12g}')} {forms[1]}"
