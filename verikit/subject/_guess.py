"""What somebody makes of one sensitive column: by value the chance that it is hers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit.alike import absent
from verikit.table import Column, number
from verikit.words import text

__all__ = ["MISSING", "Guess", "guess_of"]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
MISSING = "missing"


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """What a release says of one sensitive column of hers.

    Parameters
    ----------
    column
        The column.
    values
        Its values.
    here, everywhere
        By value the chance that it is hers, and its share in the whole table.
    own
        Her own value, where she gave it.
    """

    column: Column
    values: tuple[str, ...]
    here: Floats
    everywhere: Floats
    own: str | None

    @property
    def top(self) -> int:
        """The place of the likeliest value."""
        return int(np.argmax(self.here))

    @property
    def surest(self) -> float:
        """The chance of the likeliest value."""
        return float(self.here[self.top])

    @property
    def possible(self) -> int:
        """How many values may be hers."""
        return int(np.count_nonzero(self.here))

    @property
    def own_chance(self) -> float | None:
        """The chance of her own value; None where she did not give it."""
        if self.own is None:
            return None
        return float(self.here[self.values.index(self.own)]) if self.own in self.values else 0.0


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
    codes, found = _coded(values)
    here: Floats = np.bincount(codes[rows], weights, len(found) + 1).astype(np.float64)
    held = np.flatnonzero(here)
    counts = np.bincount(codes, minlength=len(found) + 1)
    named = [
        *map(text, found[held[held < len(found)]]),
        *[MISSING] * int((held == len(found)).sum()),
    ]
    return Guess(column, tuple(named), here[held], counts[held] / len(values), _named(column, own))


def _coded(values: pd.Series[Any]) -> tuple[Rows, npt.NDArray[Any]]:
    """A code of each row, in the order of the values; the last one is a missing value."""
    if pd.api.types.is_numeric_dtype(values.dtype):
        codes, found = pd.factorize(values.to_numpy(np.float64, na_value=np.nan))
        order = np.argsort(found)
        places = np.empty(len(found) + 1, np.intp)
        places[order], places[-1] = np.arange(len(found)), len(found)
        return places[codes], found[order]
    if not isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(object).map(str, na_action="ignore").astype("category")
    codes, found = values.cat.codes.to_numpy().astype(np.intp), values.cat.categories.to_numpy()
    return np.where(codes < 0, len(found), codes), found


def _named(column: Column, own: Any) -> str | None:
    if absent(own):
        return None
    return text(number(own, column.name) if column.kind == "numeric" else own)
