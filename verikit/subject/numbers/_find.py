"""The groups of permuted numbers that a person fits, and the numbers that are left for her."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit.cells import rows_that_may_be
from verikit.release import SplitRelease
from verikit.subject._answer import say_condition
from verikit.subject._guess import MAX_LINES, MISSING, Guess, guess_of, values_table
from verikit.subject._known import Given, find_rows_showing, usable_values
from verikit.table import Column


@dataclass(frozen=True, slots=True, eq=False)
class Left:
    """The numbers of one column that are left for her.

    Parameters
    ----------
    guess
        How likely each is, a missing value among them.
    values, chances
        The numbers in ascending order, and the chance of each.
    whole
        The lowest and the highest number of the whole table.
    gaps
        How many values of her groups are missing.
    """

    guess: Guess
    values: Floats
    chances: Floats
    whole: tuple[float, float]
    gaps: int

    @property
    def column(self) -> Column:
        """The column."""
        return self.guess.column

    @property
    def different(self) -> int:
        """How many different numbers are left."""
        return len(self.values)

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest number that is left."""
        return float(self.values[0]), float(self.values[-1])

    @property
    def width(self) -> float:
        """How far apart the lowest and the highest lie; 0 where none is left."""
        return self.ends[1] - self.ends[0] if len(self.values) else 0.0

    @property
    def whole_width(self) -> float:
        """How far apart the ends of the whole table lie."""
        return self.whole[1] - self.whole[0]

    @property
    def one_stands_out(self) -> bool:
        """Whether one number is at least twice as likely as if all were equally likely."""
        return self.different > 1 and float(self.chances.max()) * self.different >= 2

    def closest(self, reach: float) -> tuple[float, float]:
        """The number with the most cases no further away than some reach, and their share."""
        sums = np.append(0.0, np.cumsum(self.chances))
        first = np.searchsorted(self.values, self.values - reach, "left")
        last = np.searchsorted(self.values, self.values + reach, "right")
        near = sums[last] - sums[first]
        best = int(np.argmax(near))
        return float(self.values[best]), min(float(near[best]), 1.0)


class InGroup(NamedTuple):
    """By group that fits: how many different numbers it holds, the lowest and the highest."""

    different: Rows
    low: Floats
    high: Floats


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
    sizes
        How many people each group of the table holds.
    inside
        The rows of the sensitive table that belong to the groups that fit.
    guesses
        What the groups say of each sensitive column.
    left
        What they leave of each column of numbers.
    sure
        From which chance on a guess is a warning.
    """

    release: SplitRelease
    known: Mapping[str, Any]
    groups: Rows
    copies: Rows
    shown: int
    sizes: Rows
    inside: Rows
    guesses: tuple[Guess, ...]
    left: tuple[Left, ...]
    sure: float = 0.9

    @property
    def weights(self) -> Floats:
        """The chance that she is in each group, if she is in the table."""
        return self.copies / max(int(self.copies.sum()), 1)

    @property
    def people(self) -> int:
        """How many people are in the groups that fit."""
        return int(self.sizes[self.groups].sum())

    def in_each_group(self, column: Column) -> InGroup:
        """What each group that fits holds of a column of numbers; missing ones left out."""
        rows = self.inside
        values = _read_numbers(self.release, column)[rows]
        owner = np.searchsorted(self.groups, self.release.labels.sensitive[rows])
        there = ~np.isnan(values)
        values, owner = values[there], owner[there]
        order = np.lexsort((values, owner))
        values, owner = values[order], owner[order]
        new = np.diff(owner, prepend=-1) > 0
        other = new | (np.diff(values, prepend=np.nan) != 0)
        last = np.append(new[1:], True)[: len(new)]
        low, high = np.full((2, len(self.groups)), np.nan)
        low[owner[new]], high[owner[last]] = values[new], values[last]
        return InGroup(np.bincount(owner[other], minlength=len(self.groups)), low, high)


def numeric_columns(release: SplitRelease) -> tuple[Column, ...]:
    """The sensitive columns that were published as single numbers."""
    return tuple(
        column
        for column in release.schema.sensitive
        if column.kind == "numeric"
        and pd.api.types.is_numeric_dtype(release.sensitive[column.name].dtype)
    )


def find_numbers(record: Mapping[str, Any], release: SplitRelease, sure: float = 0.9) -> NumberFits:
    """Find the groups that a person fits, and what they leave of each number; O(n) a column.

    A cell of hers that is missing, or stands for several values, fits if it may be her value.
    """
    known = usable_values(record, release.schema)
    rows = _count_fitting(known, release)
    copies = np.bincount(release.labels.quasi[rows], minlength=len(release.labels.names))
    groups = np.flatnonzero(copies)
    inside = _find_rows_inside(release, groups)
    guesses = _guess_columns(record, release, copies, inside)
    numbers = numeric_columns(release)
    return NumberFits(
        release,
        known,
        groups,
        copies[groups],
        shown=int(np.count_nonzero(find_rows_showing(release.quasi, known, rows))),
        sizes=release.sizes,
        inside=inside,
        guesses=guesses,
        left=tuple(_find_left(release, part, inside) for part in guesses if part.column in numbers),
        sure=sure,
    )


def _count_fitting(known: Mapping[str, Any], release: SplitRelease) -> Rows:
    """The rows whose cells may all be her values."""
    fits = np.ones(len(release), bool)
    for name, value in known.items():
        fits &= rows_that_may_be(release.quasi[name], release.schema[name], value)
    return np.flatnonzero(fits)


def _find_rows_inside(release: SplitRelease, groups: Rows) -> Rows:
    """The rows of the sensitive table that belong to some groups."""
    fits = np.zeros(len(release.labels.names), bool)
    fits[groups] = True
    return np.flatnonzero(fits[release.labels.sensitive])


def _guess_columns(
    record: Mapping[str, Any], release: SplitRelease, copies: Rows, inside: Rows
) -> tuple[Guess, ...]:
    """What each sensitive column says; the chance of a row is that of its group, divided."""
    each = copies / np.maximum(release.sizes, 1) / max(int(copies.sum()), 1)
    chances = each[release.labels.sensitive[inside]]
    return tuple(
        guess_of(c, release.sensitive[c.name], inside, chances, record.get(c.name))
        for c in release.schema.sensitive
    )


def _read_numbers(release: SplitRelease, column: Column) -> Floats:
    return release.sensitive[column.name].to_numpy(np.float64, na_value=np.nan)


def _find_left(release: SplitRelease, guess: Guess, inside: Rows) -> Left:
    values = _read_numbers(release, guess.column)
    known = np.array([name != MISSING for name in guess.values], bool)
    numbers = np.array([float(name) for name in guess.values if name != MISSING])
    whole = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))  # past missing ones
    gaps = int(np.count_nonzero(np.isnan(values[inside])))
    return Left(guess, numbers, guess.here[known], whole, gaps)


def tables(fits: NumberFits) -> Mapping[str, pd.DataFrame]:
    """The ranges that are left, the groups that fit, and the values that may be hers."""
    return {
        "ranges": _list_ranges(fits),
        "groups": _list_groups(fits),
        "values": values_table(fits.guesses),
    }


def facts(fits: NumberFits) -> dict[str, Any]:
    """How many groups, people and rows fit, and how many of these rows show all her values."""
    return {
        "groups": len(fits.groups),
        "people": fits.people,
        "rows": int(fits.copies.sum()),
        "shown": fits.shown,
        "sure": fits.sure,
        "rests": say_condition("links"),
    }


def _list_ranges(fits: NumberFits) -> pd.DataFrame:
    """One line a column of numbers: how many are left for her, their ends, those of the table."""
    lines = [
        {
            "attribute": part.column.name,
            "different values": part.different,
            "lowest": _write_end(part.ends[0], part.column),
            "highest": _write_end(part.ends[1], part.column),
            "range": part.width,
            "lowest of all": _write_end(part.whole[0], part.column),
            "highest of all": _write_end(part.whole[1], part.column),
        }
        for part in fits.left
        if part.different
    ]
    names = ["attribute", "different values", "lowest", "highest", "range"]
    return pd.DataFrame(lines, columns=[*names, "lowest of all", "highest of all"])


def _write_end(value: float, column: Column) -> float | str:
    """An end of a range, a date as such."""
    return column.shown(value) if column.dated else value


def _list_groups(fits: NumberFits) -> pd.DataFrame:
    """One line a group that fits: its people, its rows like hers, its numbers and their range."""
    frame = pd.DataFrame(
        {
            "group": fits.release.labels.names[fits.groups],
            "people": fits.sizes[fits.groups],
            "rows like yours": fits.copies,
            "of 100 cases yours": 100 * fits.weights,
        }
    )
    for part in fits.left:
        found, name = fits.in_each_group(part.column), part.column.name
        frame[f"different {name}"] = found.different
        frame[f"range of {name}"] = found.high - found.low
    order = np.argsort(-fits.weights, kind="stable")[:MAX_LINES]
    return frame.take(order).reset_index(drop=True)
