"""What somebody makes of one sensitive column: by value the chance that it is hers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit.languages import Line, spoken_language
from verikit.matching import is_absent
from verikit.table import Column, number
from verikit.words import text

MISSING = "missing"
VALUES = ["attribute", "value", "of 100 here", "of 100 everywhere"]
MAX_LINES = 100  # lines of a table that is to be read
DIGITS = 12
CLOSE = 10.0**-DIGITS  # chances that differ by less are alike: their last digits are rounding


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """What a release says of one sensitive column of hers.

    Parameters
    ----------
    column
        The column.
    values
        Its values; the last one stands for a missing value if there are ``gaps``.
    here, everywhere
        By value the chance that it is hers, and its share in the whole table.
    own
        Her own value, where she gave it.
    gaps
        How many of the records that may be hers show no value: it may be any.
    """

    column: Column
    values: tuple[str, ...]
    here: Floats
    everywhere: Floats
    own: str | None
    gaps: int

    @property
    def known(self) -> Floats:
        """By value the chance that it is hers; a missing one is no value."""
        return np.append(self.here[:-1], 0.0) if self.gaps else self.here

    @property
    def top(self) -> int:
        """The place of the likeliest value."""
        return int(np.argmax(self.known >= self.known.max() - CLOSE))

    @property
    def surest(self) -> float:
        """The chance of the likeliest value, without the last digits, which are rounding."""
        return round(float(self.known[self.top]), DIGITS)

    @property
    def possible(self) -> int:
        """How many values may be hers."""
        return int(np.count_nonzero(self.known))

    @property
    def own_chance(self) -> float | None:
        """The chance of her own value; None where she did not give it."""
        if self.own is None:
            return None
        return float(self.here[self.values.index(self.own)]) if self.own in self.values else 0.0

    def name_value(self, place: int) -> str:
        """Name a value as the screen shows it; a missing one in the language that is spoken."""
        if self.gaps and place == len(self.values) - 1:
            return str(spoken_language().words["missing"])
        return self.column.shown(self.values[place])

    def describe(self) -> dict[str, Any]:
        """What sentences say of its likeliest value, and of how many may be hers."""
        return {
            "title": self.column.title,
            "value": self.column.shown(self.values[self.top]),
            "surest": min(self.surest, 1.0),
            "everywhere": float(self.everywhere[self.top]),
            "alike": int((self.known >= self.known.max() - CLOSE).sum()),
            "values": self.possible,
            "others": self.possible - 1,
        }


def list_own_line(kind: str, guess: Guess, shown: str = "") -> Line:
    """How likely her own value is guessed, as it is ``shown``; not said where she gave none."""
    own = guess.own
    if own is None:
        return f"{kind}.own", False, {}
    told = {"title": guess.column.title, "own": shown or guess.column.shown(own)}
    if not guess.own_chance:
        return f"{kind}.own-absent", not guess.gaps, told
    everywhere = float(guess.everywhere[guess.values.index(own)])
    return f"{kind}.own", True, {**told, "here": guess.own_chance, "everywhere": everywhere}


def guess_of(
    column: Column, values: pd.Series[Any], rows: Rows, weights: Floats, own: Any
) -> Guess:
    """What rows say of a column, each as likely hers as its weight; O(n).

    Parameters
    ----------
    column, values
        The column, and what was published of it; a missing value counts as one of its own.
    rows, weights
        The rows that may be hers, and the chance of each.
    own
        Her own value, or None.

    Examples
    --------
    >>> pay = pd.Series([30.0, 10, 10, 20])
    >>> guess = guess_of(
    ...     Column("pay", "sensitive"), pay, np.array([0, 2]), np.array([0.25, 0.75]), 10
    ... )
    >>> guess.values, guess.here.tolist(), guess.everywhere.tolist(), guess.own
    (('10', '30'), [0.75, 0.25], [0.5, 0.25], '10')
    """
    count = _count_numbers if pd.api.types.is_numeric_dtype(values.dtype) else _count_labels
    named, places, everywhere = count(values, rows)
    here = np.bincount(places, weights, len(everywhere)).astype(np.float64)
    held = np.flatnonzero(here)
    names = [*map(text, named[held[held < len(named)]]), *[MISSING] * int(here[-1] > 0)]
    if is_absent(own):
        given = None
    else:
        given = text(number(own, column.name) if column.kind == "numeric" else own)
    gaps = int(np.count_nonzero(weights[places == len(named)]))
    return Guess(column, tuple(names), here[held], everywhere[held], given, gaps)


def order_by_chance(chances: Floats) -> Rows:
    """The places of chances, the likeliest first; of those alike the first.

    Examples
    --------
    >>> order_by_chance(np.array([0.1 + 0.2, 0.5, 0.3])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-chances.round(DIGITS), kind="stable")


def keep_texts(values: Iterable[Any]) -> pd.Series[Any]:
    """The texts of a table as they are: each language writes the numbers among them its own way."""
    return pd.Series([*values], dtype=object)


def values_table(guesses: Sequence[Guess]) -> pd.DataFrame:
    """One line a value that may be hers: its chances, the likeliest first, at most 100 a column."""
    lines = [
        (
            guess.column.name,
            guess.name_value(place),
            100 * guess.here[place],
            100 * guess.everywhere[place],
        )
        for guess in guesses
        for place in order_by_chance(guess.here)[:MAX_LINES].tolist()
    ]
    found = pd.DataFrame(lines, columns=VALUES).astype(dict.fromkeys(VALUES[2:], np.float64))
    return found.assign(value=keep_texts(value for _, value, *_ in lines))


def _count_numbers(values: pd.Series[Any], rows: Rows) -> tuple[npt.NDArray[Any], Rows, Floats]:
    """The numbers of some rows, the place of each row's among them, and their shares of all.

    The last place is a missing value.
    """
    numbers = values.to_numpy(np.float64, na_value=np.nan)
    inside, ordered = numbers[rows], np.sort(numbers)  # missing ones come last
    found = np.unique(inside[~np.isnan(inside)])
    known = int(np.searchsorted(ordered, np.inf, "right"))
    first, last = (np.searchsorted(ordered[:known], found, side) for side in ("left", "right"))
    shares = np.append(last - first, len(ordered) - known) / len(ordered)
    return found, np.searchsorted(found, inside), shares


def _count_labels(values: pd.Series[Any], rows: Rows) -> tuple[npt.NDArray[Any], Rows, Floats]:
    """The same of categories, in their order."""
    if not isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(object).map(str, na_action="ignore").astype("category")
    found, codes = values.cat.categories.to_numpy(), values.cat.codes.to_numpy().astype(np.intp)
    codes = np.where(codes < 0, len(found), codes)
    return found, codes[rows], np.bincount(codes, minlength=len(found) + 1) / len(codes)
