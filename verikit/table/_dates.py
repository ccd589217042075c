"""Dates as numbers of days, so that they can be ranked; and as people write them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats

__all__ = [
    "DAYS",
    "FIRST",
    "as_days",
    "date_text",
    "dates_in",
    "days_of",
    "holds_dates",
    "readings",
]

DAYS = "days since 1970-01-01"
DATES = ("date", "datetime", "datetime64")
YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
MIDNIGHT = re.compile(r"[T ]00:00(:00(\.0+)?)?$")
FIRST, TRIED = dt.date(1970, 1, 1), 20
SECONDS = 24 * 60 * 60


def days_of(date: dt.date) -> int:
    """The days from the first of January 1970 to a date.

    Examples
    --------
    >>> days_of(dt.date(1970, 1, 31)), days_of(dt.datetime(1969, 12, 31))
    (30, -1)
    """
    return date.toordinal() - FIRST.toordinal()


def date_text(days: float) -> str:
    """A number of days as the date it stands for.

    Examples
    --------
    >>> date_text(20775), date_text(float("nan")), date_text(1e12)
    ('2026-11-18', '', '1000000000000 days')
    """
    if np.isnan(days):
        return ""
    try:
        return str(FIRST + dt.timedelta(days=round(days)))
    except OverflowError:
        return f"{days:.0f} days"


def readings(given: str) -> dict[str, int]:
    """The days that a text may mean, by the part of it that stands first.

    Examples
    --------
    >>> readings("2026-11-18"), readings("18.11.2026"), readings("11/18/2026")
    ({'year': 20775}, {'day': 20775}, {'month': 20775})
    >>> readings("2/1/1970"), readings("40.1.1970")
    ({'day': 1, 'month': 31}, {})
    """
    plain = MIDNIGHT.sub("", given.strip())
    if found := YEAR_FIRST.fullmatch(plain):
        orders = {"year": (found[1], found[3], found[4])}
    elif found := YEAR_LAST.fullmatch(plain):
        orders = {"day": (found[4], found[3], found[1]), "month": (found[4], found[1], found[3])}
        if found[2] == ".":
            del orders["month"]
    else:
        return {}
    days = {first: _days(*map(int, parts)) for first, parts in orders.items()}
    return {first: value for first, value in days.items() if value is not None}


def _days(year: int, month: int, day: int) -> int | None:
    try:
        return days_of(dt.date(year, month, day))
    except ValueError:
        return None


def dates_in(values: pd.Series[Any]) -> tuple[pd.Series[Any], str] | None:
    """A column of texts as days, and which part of them stands first; None if they are no dates.

    Where day and month may be either in every one of them, they are left as they are.

    Examples
    --------
    >>> days, first = dates_in(pd.Series(["11/18/2026", None, "02/01/1970"]))
    >>> days.tolist(), first
    ([20775.0, nan, 31.0], 'month')
    >>> dates_in(pd.Series(["02/01/1970"])), dates_in(pd.Series(["2020-01", "2020-02"]))
    (None, None)
    """
    if not all(readings(str(one)) for one in values.head(TRIED).dropna().unique()):
        return None  # as most texts are none, the others need not be told apart
    codes, found = pd.factorize(values)
    texts = [str(one) for one in found]
    if not texts or not all(readings(one) for one in texts[:TRIED]):
        return None
    read = [readings(one) for one in texts]
    fitting = [name for name in ("year", "day", "month") if all(name in one for one in read)]
    if len(fitting) != 1:
        return None
    days = np.array([*(one[fitting[0]] for one in read), np.nan], np.float64)
    return pd.Series(days[codes], index=values.index), fitting[0]


def holds_dates(values: pd.Series[Any]) -> bool:
    """Whether a column holds dates, all of them without a time of day.

    Examples
    --------
    >>> holds_dates(pd.Series([pd.Timestamp("2026-11-18")])), holds_dates(pd.Series(["x"]))
    (True, False)
    """
    if isinstance(values.dtype, pd.CategoricalDtype) or values.dtype.kind not in "MO":
        return False
    if pd.api.types.infer_dtype(values, skipna=True) not in DATES:
        return False
    return bool(_midnights(values.dropna()).all())


def _midnights(values: pd.Series[Any]) -> Flags:
    if values.dtype.kind == "M":
        return (values.dt.normalize() == values).to_numpy()
    clocks = [one.time() for one in values if isinstance(one, dt.datetime)]
    return np.array([clock == dt.time() for clock in clocks], bool)


def as_days(values: pd.Series[Any]) -> Sequence[float] | Floats:
    """A column of dates, or of texts that are some, as days; a missing one is no number."""
    if values.dtype.kind == "M":
        plain = values.dt.tz_localize(None) if values.dt.tz is not None else values
        seconds = plain.to_numpy("datetime64[s]")
        return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64) / SECONDS)
    return [_one(value) for value in values]


def _one(value: Any) -> float:
    if pd.isna(value):
        return np.nan
    if isinstance(value, dt.date):
        return days_of(value)
    if isinstance(value, str):
        found = list(readings(value).values())
        return found[0] if len(found) == 1 else float(value)
    return float(value)
