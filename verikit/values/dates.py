"""Dates: as days, as text, and as people write them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit._support.rules import CELLS, PARTS
from verikit.values.numbers import plain_digits

__all__ = [
    "DAYS", "SECONDS", "as_days", "date_text", "days_of", "find_days", "holds_dates",
    "possible_days", "possible_years",
]  # fmt: skip

DAYS = "days since 1970-01-01"
FIRST = dt.date(1970, 1, 1)
SECONDS = 24 * 60 * 60
AT_ONCE = 2**15  # dates that are counted together


def days_of(date: dt.date) -> int:
    """Count the days from the first of January 1970 to a date.

    Examples
    --------
    >>> days_of(dt.date(1970, 1, 31)), days_of(dt.datetime(1969, 12, 31))
    (30, -1)
    """
    return date.toordinal() - FIRST.toordinal()


def date_text(days: float) -> str:
    """Write a number of days as the date it stands for.

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


def possible_days(given: str) -> dict[str, int]:
    """Read the days that a text may mean, by the part of it that stands first.

    Examples
    --------
    >>> possible_days("2026-11-18"), possible_days("18.11.2026"), possible_days("11/18/2026")
    ({'year': 20775}, {'day': 20775}, {'month': 20775})
    >>> possible_days("2/1/1970"), possible_days("40.1.1970")
    ({'day': 1, 'month': 31}, {})
    """
    plain = PARTS.midnight.sub("", plain_digits(given).strip())
    if found := CELLS.year_first.fullmatch(plain):
        orders = {"year": (found[1], found[3], found[4])}
    elif found := CELLS.year_last.fullmatch(plain):
        orders = {"day": (found[4], found[3], found[1]), "month": (found[4], found[1], found[3])}
        if found[2] == ".":
            del orders["month"]
    else:
        return {}
    days: dict[str, int] = {}
    for first, parts in orders.items():
        with suppress(ValueError):  # the 31st of February is no date
            days[first] = days_of(dt.date(*map(int, parts)))
    return days


def find_days(value: object) -> float | None:
    """The days of a date, or of a text that can be no other; None of anything else.

    Examples
    --------
    >>> find_days(dt.date(1970, 1, 31)), find_days("31.1.1970"), find_days("1/2/1970")
    (30.0, 30.0, None)
    """
    if isinstance(value, dt.date) and value is not pd.NaT:
        return float(days_of(value))
    days = set(possible_days(value).values()) if isinstance(value, str) else ()
    return float(*days) if len(days) == 1 else None


def possible_years(given: str) -> list[str]:
    """Read the years of the dates that a text may mean, however they are written.

    Examples
    --------
    >>> [possible_years(one) for one in ("14.05.2003", "May 14, 2003", "2003-05", "20030514")]
    [['2003'], ['2003'], ['2003'], ['2003']]
    >>> [possible_years(one) for one in ("14.5.03", "31/12/85", "2003", "2000-2009", "1012 AB")]
    [['2003'], ['1985'], [], [], []]
    """
    plain = plain_digits(given).strip()
    if days := possible_days(plain):
        return sorted({date_text(one)[:4] for one in days.values()})
    if (found := CELLS.year_joined.fullmatch(plain)) and possible_days("-".join(found.groups())):
        return [found[1]]
    if found := CELLS.year_short.fullmatch(plain):  # as POSIX reads two digits
        return [("19" if int(found[2]) >= 69 else "20") + found[2]]
    years = PARTS.four_digits.findall(plain)
    return years if len(years) == 1 and PARTS.few_digits.search(plain) else []


def holds_dates(values: pd.Series[Any]) -> bool:
    """Whether a column holds dates, all of them without a time of day.

    Examples
    --------
    >>> holds_dates(pd.Series([pd.Timestamp("2026-11-18")])), holds_dates(pd.Series(["x"]))
    (True, False)
    """
    if isinstance(values.dtype, pd.CategoricalDtype) or values.dtype.kind not in "MO":
        return False
    if pd.api.types.infer_dtype(values, skipna=True) not in {"date", "datetime", "datetime64"}:
        return False
    if values.dtype.kind == "M":
        parts = (values.iloc[at : at + AT_ONCE] for at in range(0, len(values), AT_ONCE))
        return all(((part.dt.normalize() == part) | part.isna()).all() for part in parts)
    return all(one.time() == dt.time() for one in values.dropna() if isinstance(one, dt.datetime))


def as_days(values: pd.Series[Any]) -> Sequence[float] | Floats:
    """Count the days of a column of dates, or of texts that are some; a missing one is NaN."""
    if values.dtype.kind == "M":
        plain = values.dt.tz_localize(None) if values.dt.tz is not None else values
        moments, days = plain.to_numpy(), np.empty(len(plain))
        for at in range(0, len(days), AT_ONCE):  # so that none is held twice
            seconds = moments[at : at + AT_ONCE].astype("datetime64[s]")
            held = np.where(np.isnat(seconds), np.nan, seconds.view(np.int64) / SECONDS)
            days[at : at + AT_ONCE] = held
        return days
    read = ((one, np.nan if pd.isna(one) else find_days(one)) for one in values)
    found = (float(one) if days is None else days for one, days in read)
    return np.fromiter(found, np.float64, len(values))
