"""Whole numbers with more digits than a float keeps: names, such as those of accounts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.told import Told
from verikit.errors import quoted
from verikit.words import text

__all__ = ["EXACT", "as_names", "is_float", "lost_whole", "with_digits", "with_gaps"]

EXACT = 2**53  # up to which every whole number is a float
DIGITS = re.compile(r"\s*([+-]?\d+)(?:\.0*)?\s*")
WHOLES = {"integer", "mixed-integer", "mixed-integer-float", "decimal", "mixed"}


def lost_whole(values: pd.Series[Any]) -> int | None:
    """The first whole number of a column that is no float; None where there is none.

    Texts of digits count, as they would be read as numbers.

    Examples
    --------
    >>> lost_whole(pd.Series([2**53, 2**53 + 1])), lost_whole(pd.Series([2**53, 2**54]))
    (9007199254740993, None)
    """
    return next((whole for whole in _large(values) if not is_float(whole)), None)


def as_names(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The table with names for the columns of numbers that hold such a whole number, and notes.

    Examples
    --------
    >>> found, notes = as_names(pd.DataFrame({"id": [110101199003070011]}))
    >>> found["id"].tolist(), notes[0][:31]
    (['110101199003070011'], "'id' is read as names: whole nu")
    """
    changed, notes = {}, []
    for name, values in frame.items():
        if isinstance(values.dtype, (pd.CategoricalDtype, pd.StringDtype)):
            continue
        lost = lost_whole(values) if _kind(values) in WHOLES else None
        if lost is not None:
            changed[name] = values.astype(object).map(text, na_action="ignore")
            notes.append(_note(name, lost))
    return (frame.assign(**changed) if changed else frame), notes


def with_gaps(frame: pd.DataFrame, again: Callable[[list[str]], pd.DataFrame]) -> pd.DataFrame:
    """The table with whole numbers, where gaps beside them made floats that lost digits.

    ``again`` reads some of its columns with whole numbers that may be missing.
    """
    large = _large_floats(frame)
    found = again(large) if large else frame
    lost = [n for n in large if found[n].dtype.kind in "iu" and lost_whole(found[n]) is not None]
    return frame.assign(**{name: found[name] for name in lost}) if lost else frame


def _large_floats(frame: pd.DataFrame) -> list[str]:
    """The columns of floats that hold numbers of which not every one is a float."""
    floats = frame.columns[[kind == np.dtype(np.float64) for kind in frame.dtypes]]
    return [name for name in floats if bool((frame[name].abs() >= EXACT).any())]


def with_digits(
    frame: pd.DataFrame, again: Callable[..., pd.DataFrame]
) -> tuple[pd.DataFrame, list[str]]:
    """The table with what was written, where a column was read as floats that lost digits.

    ``again`` reads the table with other options of `pandas.read_csv`. It is noted of these columns,
    and of those of digits alone that were kept as words.
    """
    large = _large_floats(frame)
    written = again(usecols=large, dtype=str) if large else frame
    lost = {name: lost_whole(written[name]) for name in large}
    kept = {name: written[name].str.strip() for name, one in lost.items() if one is not None}
    found = frame.assign(**kept) if kept else frame
    lost |= {name: lost_whole(found[name]) for name in _of_digits(found) if name not in lost}
    notes = [_note(name, one) for name in found if (one := lost.get(name)) is not None]
    return found, notes


def _of_digits(frame: pd.DataFrame) -> list[Any]:
    """The columns of texts all of which are whole numbers, the first of them without a zero."""
    kinds = frame.dtypes.items()
    texts = [n for n, kind in kinds if kind.kind == "O" or isinstance(kind, pd.StringDtype)]
    return [name for name in texts if all(map(_plain_whole, frame[name].dropna().unique()))]


def _plain_whole(value: object) -> bool:
    found = DIGITS.fullmatch(value) if isinstance(value, str) else None
    return found is not None and not found[1].lstrip("+-").startswith("0")


def _note(name: object, lost: int) -> str:
    told = {"name": quoted(str(name)), "cell": str(lost)}
    return Told(
        f"{told['name']} is read as names: whole numbers such as {lost} have more digits than a "
        "number keeps.",
        "long-names",
        **told,
    )


def _kind(values: pd.Series[Any]) -> str:
    return "integer" if values.dtype.kind in "iu" else pd.api.types.infer_dtype(values, skipna=True)


def _large(values: pd.Series[Any]) -> Iterable[int]:
    """The whole numbers of a column that a float may not keep."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = pd.Series(values.cat.remove_unused_categories().cat.categories)
    if values.dtype.kind in "iu":
        held = values.dropna().to_numpy()
        return held[(held >= EXACT) | (held <= -EXACT)].tolist() if len(held) else ()
    if values.dtype.kind in "fbcmM":
        return ()
    found = (_whole(value) for value in values)
    return (whole for whole in found if whole is not None and abs(whole) >= EXACT)


def _whole(value: object) -> int | None:
    """The whole number that a value is, or whose digits a text is."""
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, Decimal) and value.is_finite() and value == int(value):
        return int(value)
    found = DIGITS.fullmatch(value) if isinstance(value, str) and len(value) < 400 else None
    return int(found[1]) if found else None


def is_float(whole: int) -> bool:
    """Whether a float keeps a whole number to its last digit."""
    try:
        return int(float(whole)) == whole
    except OverflowError:
        return False
