"""Numbers: as plain text, exactly, and with more digits than a float keeps."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.rules import CELLS, RULES
from verikit.errors import SchemaError, quoted
from verikit.values.names import text

__all__ = [
    "EXACT", "PADDED", "exact_fraction", "filter_numbers", "find_lost_number", "find_lost_whole",
    "find_merged_number", "is_float", "plain_digits", "plain_number",
]  # fmt: skip

MARKS = str.maketrans(*RULES["other_marks"])


def plain_digits(text: str) -> str:
    """A text with the digits 0 to 9 for those of any script, and plain marks between them.

    Examples
    --------
    >>> plain_digits("٣١"), plain_digits("３１．５"), plain_digits("31")
    ('31', '31.5', '31')
    """
    if text.isascii() or not any(letter.isdecimal() for letter in text):
        return text
    plain = (str(unicodedata.decimal(one)) if one.isdecimal() else one for one in text)
    return "".join(plain).translate(MARKS)


PADDED = re.compile(r"-?0\d")


def plain_number(label: str) -> float | None:
    """The number that a label is; None for a code such as ``02138`` and for anything else.

    Examples
    --------
    >>> plain_number("45"), plain_number("02138"), plain_number("nurse")
    (45.0, None, None)
    """
    if PADDED.match(label):
        return None
    try:
        found = float(label)
    except ValueError:
        return None
    return found if np.isfinite(found) and not label[-1:].isspace() else None


def filter_numbers(labels: Iterable[str]) -> Iterator[float]:
    """Give the numbers among some labels."""
    return (found for label in labels if (found := plain_number(label)) is not None)


def exact_fraction(value: object, what: str, *, field: str = "") -> Fraction:
    """Read a finite number as the fraction that its decimal digits say."""
    try:
        return Fraction(text(value) if isinstance(value, int) else str(value))
    except (ValueError, ZeroDivisionError):
        said = f"{what} was given as {quoted(value)}; expected a finite number."
        raise SchemaError(said, field=field or what, value=value) from None


EXACT = 2**53  # up to which every whole number is a float


def find_lost_whole(values: pd.Series[Any]) -> int | None:
    """Find the first whole number of a column that is no float; None where there is none.

    Texts of digits count, as they would be read as numbers.

    Examples
    --------
    >>> find_lost_whole(pd.Series([2**53, 2**53 + 1])), find_lost_whole(pd.Series([2**53, 2**54]))
    (9007199254740993, None)
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = pd.Series(values.cat.remove_unused_categories().cat.categories)
    if values.dtype.kind in "iu":
        held = values.dropna().to_numpy()
        wholes = held[(held >= EXACT) | (held <= -EXACT)].tolist() if len(held) else []
    else:
        wholes = () if values.dtype.kind in "fbcmM" else map(_as_whole, values)
    return next((one for one in wholes if one is not None and not is_float(one)), None)


def find_merged_number(values: pd.Series[Any]) -> str | None:
    """Find the first number, as it is written, that would become the same float as another one.

    Examples
    --------
    >>> find_merged_number(pd.Series(["0.5", "0.50", "0.50000000000000000001"]))
    '0.50000000000000000001'
    """
    known: dict[float, Decimal] = {}
    for one in values.dropna().unique() if values.dtype.kind not in "biufcmM" else ():
        try:
            exact = Decimal(repr(one) if isinstance(one, float) else one)
        except (ArithmeticError, TypeError, ValueError):
            continue
        if exact.is_finite() and known.setdefault(float(exact), exact) != exact:
            return str(one).strip()
    return None


def find_lost_number(values: pd.Series[Any]) -> int | str | None:
    """Find a number with more digits than a float keeps: a whole one, or one that would merge."""
    lost = find_lost_whole(values)
    return find_merged_number(values) if lost is None else lost


def _as_whole(value: object) -> int | None:
    """The whole number that a value is, or that a text writes; none where a float keeps it.

    What is written with an exponent is kept if its float, written with as many digits, is the
    same: 6.02e23 stands for itself, and for no account.
    """
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, str) and len(value) < 400:
        if found := CELLS.pointed.fullmatch(value.strip()):
            return int(found[1])
        if CELLS.scientific.fullmatch(value.strip()):
            value = Decimal(value.strip())
            digits = len(value.as_tuple().digits)
            if f"{float(value):.{digits - 1}e}" in ("inf", "-inf", f"{value:.{digits - 1}e}"):
                return None
    short = isinstance(value, Decimal) and value.is_finite() and value.adjusted() < 400
    return int(value) if short and value == int(value) else None  # type: ignore[call-overload]


def is_float(whole: int) -> bool:
    """Whether a float keeps a whole number to its last digit."""
    try:
        return int(float(whole)) == whole
    except OverflowError:
        return False
