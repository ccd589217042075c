"""Values that need care: dates as days, and whole numbers with more digits than a float keeps."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.digits import plain_digits
from verikit._support.rules import CELLS, PARTS
from verikit._support.told import Told
from verikit.errors import SchemaError, quoted
from verikit.words import text

DAYS = "days since 1970-01-01"
DATES = ("date", "datetime", "datetime64")
FIRST, ROWS_TRIED = dt.date(1970, 1, 1), 20
SECONDS = 24 * 60 * 60


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


def dates_in(values: pd.Series[Any]) -> tuple[pd.Series[Any], str] | None:
    """Read a column of texts as days, and tell which part stands first; None if no dates.

    Where day and month may be either in every one of them, they are left as they are.

    Examples
    --------
    >>> days, first = dates_in(pd.Series(["11/18/2026", None, "02/01/1970"]))
    >>> days.tolist(), first
    ([20775.0, nan, 31.0], 'month')
    >>> dates_in(pd.Series(["02/01/1970"])), dates_in(pd.Series(["2020-01", "2020-02"]))
    (None, None)
    """
    if not all(possible_days(str(one)) for one in values.head(ROWS_TRIED).dropna().unique()):
        return None  # as most texts are none, the others need not be told apart
    codes, found = pd.factorize(values)
    texts = [str(one) for one in found]
    if not texts or not all(possible_days(one) for one in texts[:ROWS_TRIED]):
        return None
    read = [possible_days(one) for one in texts]
    # 02/01/1970 may begin with the day or the month: one cell that fits only one of them decides
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
    held = values.dropna()
    if held.dtype.kind == "M":
        return bool((held.dt.normalize() == held).all())
    return all(one.time() == dt.time() for one in held if isinstance(one, dt.datetime))


def as_days(values: pd.Series[Any]) -> Sequence[float] | Floats:
    """Count the days of a column of dates, or of texts that are some; a missing one is NaN."""
    if values.dtype.kind == "M":
        plain = values.dt.tz_localize(None) if values.dt.tz is not None else values
        seconds = plain.to_numpy("datetime64[s]")
        return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64) / SECONDS)
    found: list[float] = []
    for value in values:
        days = list(possible_days(value).values()) if isinstance(value, str) else []
        if isinstance(value, dt.date) and not pd.isna(value):
            days = [days_of(value)]
        found.append(np.nan if pd.isna(value) else days[0] if len(days) == 1 else float(value))
    return found


def code_names(values: pd.Series[Any], title: str) -> tuple[Rows, list[str]]:
    """Code a column by the names of its values; -1 where one is missing.

    Examples
    --------
    >>> codes, names = code_names(pd.Series([True, 1, "1", None]), "code")
    >>> codes.tolist(), names
    ([0, 1, 1, -1], ['True', '1'])
    """
    try:
        if values.dtype.kind == "O" and pd.api.types.infer_dtype(values).startswith("mixed"):
            pd.factorize(values)  # refuses collections
            values = values.map(text, na_action="ignore")  # else True and 1 are one
        codes, found = pd.factorize(values)
    except TypeError:
        raise SchemaError(
            f"Column {quoted(title)} holds lists or other collections; give each record one value."
        ) from None
    names = np.asarray(found, object).tolist()
    return codes, names if isinstance(values.dtype, pd.StringDtype) else [*map(text, names)]


EXACT = 2**53  # up to which every whole number is a float
WHOLES = {"integer", "mixed-integer", "mixed-integer-float", "decimal", "mixed"}


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


def long_numbers_as_names(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Read as names the columns of numbers that hold such a number, and note it.

    Examples
    --------
    >>> found, notes = long_numbers_as_names(pd.DataFrame({"id": [110101199003070011]}))
    >>> found["id"].tolist(), notes[0][:31]
    (['110101199003070011'], "'id' is read as names: whole nu")
    """
    changed, notes = {}, []
    for name, values in frame.items():
        if isinstance(values.dtype, (pd.CategoricalDtype, pd.StringDtype)):
            continue
        if values.dtype.kind not in "iu" and pd.api.types.infer_dtype(values) not in WHOLES:
            continue
        lost = find_lost_number(values)
        if lost is not None:
            changed[name] = values.astype(object).map(text, na_action="ignore")
            notes.append(note_long_number(name, lost))
    return (frame.assign(**changed) if changed else frame), notes


def with_gaps(frame: pd.DataFrame, again: Callable[[list[str]], pd.DataFrame]) -> pd.DataFrame:
    """Restore whole numbers where gaps beside them made floats that lost digits.

    ``again`` reads some of its columns with whole numbers that may be missing.
    """
    large = _large_floats(frame)
    wholes = again(large).select_dtypes("integer").items() if large else ()
    lost = {name: values for name, values in wholes if find_lost_whole(values) is not None}
    return frame.assign(**lost) if lost else frame


def _large_floats(frame: pd.DataFrame) -> list[str]:
    """The columns of floats that hold numbers of which not every one is a float."""
    floats = frame.columns[[kind == np.dtype(np.float64) for kind in frame.dtypes]]
    return [name for name in floats if bool((frame[name].abs() >= EXACT).any())]


def with_digits(
    frame: pd.DataFrame,
    again: Callable[..., pd.DataFrame],
    long: bool,
    kept: Container[str] = (),
) -> tuple[pd.DataFrame, list[str]]:
    """Restore what was written where a column was read as floats that lost digits.

    ``again`` reads the table with other options of `pandas.read_csv`, and ``long`` says whether
    some number may have more digits than a float: then different ones may have become equal. It
    is noted of these columns, and of those of numbers that are words for that, but for those
    ``kept`` as text; blanks around their numbers are left out.
    """
    find = dict.fromkeys(_large_floats(frame), find_lost_number)
    if long:
        floats = frame.select_dtypes("float64").columns.difference(list(find), sort=False)
        tied = [name for name in floats if frame[name].dropna().duplicated().any()]
        find |= dict.fromkeys(tied, find_merged_number)
    written = again(usecols=list(find), dtype=str) if find else frame
    lost = {name: look(written[name]) for name, look in find.items()}
    words = [
        name
        for name, kind in frame.dtypes.items()
        if name not in kept and (kind.kind == "O" or isinstance(kind, pd.StringDtype))
    ]
    numbers = {name: _read_plain_numbers(frame[name]) for name in words}
    lost |= {name: find_lost_number(read) for name, read in numbers.items() if read is not None}
    notes = [note_long_number(name, one) for name in frame if (one := lost.get(name)) is not None]
    texts = {name: written if name in find else frame for name in lost if lost[name] is not None}
    stripped = {name: read[name].str.strip() for name, read in texts.items()}
    return (frame.assign(**stripped) if stripped else frame), notes


def _read_plain_numbers(values: pd.Series[Any]) -> pd.Series[Any] | None:
    """The different texts of a column in which all are numbers and none a code such as 02138."""
    found = []
    for one in np.asarray(values.dropna().unique(), object):
        plain = plain_digits(one).strip() if isinstance(one, str) else ""
        if not _is_plain_number(plain):
            return None
        found.append(plain)
    return pd.Series(found, dtype=object)


def _is_plain_number(plain: str) -> bool:
    fits = CELLS.plain.fullmatch(plain) or CELLS.infinite.fullmatch(plain)
    return fits is not None and not PARTS.code.search(plain)


def note_long_number(name: object, lost: int | str) -> str:
    """Note that a column is read as names for a number that a float does not keep."""
    told = {"name": quoted(str(name)), "cell": str(lost)}
    if isinstance(lost, int):
        said = f"{told['name']} is read as names: whole numbers such as {lost} have more digits "
        return Told(f"{said}than a number keeps.", "long-names", **told)
    said = f"{told['name']} is read as names: numbers such as {lost} have more digits than a "
    return Told(f"{said}number keeps, and different ones would become equal.", "merged", **told)


def note_lost_digits(frame: pd.DataFrame) -> list[str]:
    """Note of each column of whole numbers so long that its file held them rounded.

    Examples
    --------
    >>> note_lost_digits(pd.DataFrame({"id": [1.5e17], "pay": [1e17 / 3**30]}))[0][:51]
    "'id' holds whole numbers such as 150000000000000000"
    """
    notes = []
    for name, values in frame.items():
        if isinstance(values.dtype, pd.CategoricalDtype) or values.dtype.kind not in "iuf":
            continue
        found = values.dropna().to_numpy(np.float64)
        long = found[np.abs(found) >= EXACT]
        if len(long) and bool((np.isfinite(found) & (found == np.rint(found))).all()):
            notes.append(
                f"{quoted(str(name))} holds whole numbers such as {int(long[0])}, which have more "
                "digits than a number keeps: the last were lost when the file was written, and "
                "different numbers may have become the same."
            )
    return notes


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


SAID = {"year": "", "day": ", the day first", "month": ", the month first"}


def with_dates(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Read texts that are dates as dates, with a note of each such column.

    Examples
    --------
    >>> found, notes = with_dates(pd.DataFrame({"born": ["18.11.1996", "01.02.1980"]}))
    >>> found["born"].dt.year.tolist(), notes
    ([1996, 1980], ["'born' was read as dates, the day first, as in '18.11.1996'."])
    """
    changed: dict[str, Any] = {}
    notes: list[str] = []
    for name, values in frame.items():
        if values.dtype.kind in "biufcM" or isinstance(values.dtype, pd.CategoricalDtype):
            continue
        found = dates_in(values)
        if found is None:
            continue
        days, first = found
        missing = days.isna().to_numpy()
        seconds = np.where(missing, 0, days * SECONDS).astype("datetime64[s]")  # of any year
        moments = np.where(missing, np.datetime64("NaT", "s"), seconds)
        changed[str(name)] = pd.Series(moments, index=values.index)
        shown = quoted(str(values.dropna().iloc[0]))
        said = f"{quoted(str(name))} was read as dates{SAID[first]}, as in {shown}."
        notes.append(Told(said, f"dates-{first}", name=quoted(str(name)), cell=shown))
    return (frame.assign(**changed) if changed else frame), notes
