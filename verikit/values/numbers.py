"""Numbers: as plain text, exactly, and with more digits than a float keeps."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.rules import CELLS, RULES
from verikit.errors import SchemaError, quoted
from verikit.values.names import text

__all__ = [
    "DIGITS_KEPT", "EXACT", "PADDED", "are_large", "exact_fraction", "filter_numbers",
    "find_lost_number", "find_lost_whole", "find_merged_number", "find_rounded", "lost_whole",
    "plain_digits", "plain_number", "read_floats",
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
    return re.sub(r"\d", lambda one: str(unicodedata.decimal(one[0])), text).translate(MARKS)


PADDED = re.compile(r"-?0\d")


def plain_number(label: str) -> float | None:
    """The number that a label is; None for a code such as ``02138`` and for anything else.

    Examples
    --------
    >>> plain_number("45"), plain_number("02138"), plain_number("nurse")
    (45.0, None, None)
    """
    plain = plain_digits(label)
    if PADDED.match(plain) or not CELLS.plain.fullmatch(plain):
        return None
    found = float(plain)
    return found if np.isfinite(found) else None


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


DIGITS_KEPT = 15  # of any decimal number, in a float
EXACT = 2**53  # up to which every whole number is a float
LONGEST = 400  # digits of a text that may be a number


def are_large(values: Any) -> Any:
    """Mark the numbers beside which not every whole number is a float.

    Examples
    --------
    >>> are_large(np.array([1e15, -1e16])).tolist()
    [False, True]
    """
    return (values >= EXACT) | (values <= -EXACT)


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
        gaps = not isinstance(values.dtype, np.dtype)
        held = (values.dropna() if gaps else values).to_numpy()
        wholes = held[are_large(held)].tolist() if len(held) else []
    else:
        wholes = () if values.dtype.kind in "fbcmM" else values
    return next((lost for one in wholes if (lost := lost_whole(one)) is not None), None)


def find_merged_number(values: pd.Series[Any]) -> str | None:
    """Find the first number, as it is written, that would become the same float as another one.

    Examples
    --------
    >>> find_merged_number(pd.Series(["0.5", "0.50", "0.50000000000000000001"]))
    '0.50000000000000000001'
    """
    if values.dtype.kind in "biufcmM":
        return None
    found, known = np.asarray(values.dropna().unique(), object), dict[float, Decimal]()
    with suppress(ArithmeticError, TypeError, ValueError):  # most have a float of their own
        found = found[pd.Series(found.astype(np.float64)).duplicated(keep=False).to_numpy()]
    for one in found:
        try:
            exact = Decimal(repr(one) if isinstance(one, float) else one)
        except (ArithmeticError, TypeError, ValueError):
            continue
        if exact.is_finite() and known.setdefault(float(exact), exact) != exact:
            return str(one).strip()
    return None


def read_floats(texts: Rows) -> Floats:
    """Read texts as Python reads them; none of them where one is no number."""
    try:
        return texts.astype(np.float64)
    except ValueError:
        return np.full(len(texts), np.nan)


def find_rounded(texts: Rows, among: Floats) -> set[float]:
    """Find those of some floats for which a text stands that says another number than the float.

    Examples
    --------
    >>> find_rounded(np.array(["0.50", "0.50000000000000000001"], object), np.array([0.5]))
    {0.5}
    >>> find_rounded(np.array(["0.50", "0.500000000000000000"], object), np.array([0.5]))
    set()
    """
    some = np.array([n for n in texts if len(n) > DIGITS_KEPT or "e" in n.lower()], object)
    floats = read_floats(some)
    held = np.isin(floats, among)
    pairs = zip(some[held], floats[held].tolist(), strict=True)
    return {one for n, one in pairs if n != repr(one) and Decimal(n) != Decimal(repr(one))}


def find_lost_number(values: pd.Series[Any]) -> int | str | None:
    """Find a number with more digits than a float keeps: a whole one, or one that would merge."""
    lost = find_lost_whole(values)
    return find_merged_number(values) if lost is None else lost


def lost_whole(value: object) -> int | None:
    """The whole number that a value is, or that a text writes, if no float keeps its last digit.

    What is written with an exponent is kept if its float, written with as many digits, is the
    same: 6.02e23 stands for itself, and for no account.

    Examples
    --------
    >>> lost_whole("9007199254740993e0"), lost_whole("9007199254740992"), lost_whole("6.02e23")
    (9007199254740993, None, None)
    """
    exact = value
    if isinstance(value, str):
        plain = plain_digits(value).strip() if len(value) < LONGEST else ""
        if not (CELLS.pointed.fullmatch(plain) or CELLS.scientific.fullmatch(plain)):
            return None
        exact = Decimal(plain)
        digits = len(exact.as_tuple().digits)
        same = ("inf", "-inf", f"{exact:.{digits - 1}e}")
        if "e" in plain.lower() and f"{float(exact):.{digits - 1}e}" in same:
            return None
    if isinstance(exact, Decimal) and not (exact.is_finite() and exact.adjusted() < LONGEST):
        return None
    if not isinstance(exact, (int, np.integer, Decimal)) or exact != int(exact):
        return None
    try:
        return None if int(float(exact)) == exact else int(exact)
    except OverflowError:
        return int(exact)
