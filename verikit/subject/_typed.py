"""Numbers as people write them: with a decimal comma, spaces between thousands, a unit behind."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from verikit._support.digits import plain_digits
from verikit._support.told import Told
from verikit.cells import Spellings
from verikit.errors import RecordError, quoted
from verikit.languages import LANGUAGES, localize_number, own_texts, spoken_language
from verikit.subject._known import published_cells, refuse_date
from verikit.table import Column, date_text, days_of, number, possible_days
from verikit.words import text as written

Number = TypeVar("Number", int, float)

PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
YEAR = re.compile(r"[12]\d{3}")
BETWEEN = re.compile(r"(?<=\d)[\s\u00a0\u202f'’](?=\d{3}(?!\d))")
NO_END = ("inf", "infinity", "nan")
SIGN = re.compile(r"^[€$£¥]\s*|\s*[€$£¥%]$")
UNITS = [unit for name in LANGUAGES for unit in own_texts(name, "units").get("behind", "").split()]
BEHIND = "|".join(UNITS)
USUAL = re.compile(rf"(?<=[\d.])\s*(?:{BEHIND})$|^(?:eur|usd|gbp|chf)\s+", re.IGNORECASE)
THOUSANDS = {
    mark: re.compile(rf"[+-]?(?!0)\d{{1,3}}(?:{re.escape(mark)}\d{{3}})+") for mark in ",."
}


class Typed(NamedTuple):
    """A number, and whether it was written otherwise than Python, or the language, writes it."""

    value: float
    read: bool


def typed_number(given: str, column: Column, published: Any = None) -> Typed:
    """The number that a person means.

    Parameters
    ----------
    given
        What she wrote.
    column
        What it is a value of; its unit may stand behind the number.
    published
        The published numbers, or what gives them when they are needed; they decide where a comma
        may stand for either of two things.

    Raises
    ------
    RecordError
        If it is no number, or may be two.

    Examples
    --------
    >>> pay = Column("pay", unit="euro")
    >>> [typed_number(one, pay).value for one in ("100,87", "1 000", "5,108.54", "12 euro")]
    [100.87, 1000.0, 5108.54, 12.0]
    >>> typed_number("1,234", pay)
    Traceback (most recent call last):
    verikit.errors.RecordError: 'pay' was given as '1,234', which may be 1234 or 1.234; write it
    without a comma.
    >>> typed_number("1,234", pay, [1.1, 2.5]).value
    1.234
    """
    if column.dated and YEAR.fullmatch(given.strip()):
        said = (
            f"{quoted(column.name)} was given as {quoted(given)}, but it holds dates; give day, "
            "month and year, such as 2026-11-18."
        )
        raise RecordError(Told(said, "whole-date", name=quoted(column.name), given=quoted(given)))
    if column.dated and not PLAIN.fullmatch(given.strip()):
        return _typed_date(given, column, published)
    plain = " ".join(plain_digits(given).split())
    if (PLAIN.fullmatch(plain) and not _has_thousands(plain)) or plain.lower().lstrip(
        "+-"
    ) in NO_END:
        return Typed(number(plain, column.name), False)
    bare = _without_unit(SIGN.sub("", plain), column)
    readings = _possible_numbers(BETWEEN.sub("", bare))
    if not readings:
        said = f"{quoted(column.name)} was given as {quoted(given)}; expected a number."
        raise RecordError(Told(said, "no-number", name=quoted(column.name), given=quoted(given)))
    readings = _as_spoken(bare, _published_among(readings, published))
    if len(readings) > 1:
        either = " or ".join(map(written, readings))
        raise RecordError(
            f"{quoted(column.name)} was given as {quoted(given)}, which may be {either}; write it "
            "without a comma.",
            field=column.name,
            value=given,
        )
    return Typed(number(readings[0], column.name), plain != localize_number(written(readings[0])))


def _typed_date(given: str, column: Column, published: Any) -> Typed:
    """The days to the date that a person means; the published ones decide which part is the day."""
    found = sorted(set(possible_days(given).values()))
    if not found:
        said = (
            f"{quoted(column.name)} was given as {quoted(given)}; expected a date such as "
            "2026-11-18."
        )
        raise RecordError(Told(said, "no-date", name=quoted(column.name), given=quoted(given)))
    found = _published_among(found, published)
    if len(found) > 1:
        either = " or ".join(map(date_text, found))
        raise RecordError(
            Told(
                f"{quoted(column.name)} was given as {quoted(given)}, which may be {either}; write "
                "it so.",
                "two-dates",
                name=quoted(column.name),
                given=quoted(given),
                first=date_text(found[0]),
                second=date_text(found[-1]),
            ),
            field=column.name,
            value=given,
        )
    return Typed(float(found[0]), date_text(found[0]) != given.strip())


def _published_among(readings: list[Number], published: Any) -> list[Number]:
    """Of several numbers that may be meant those within the published range; all if none is."""
    if len(readings) < 2 or published is None:
        return readings
    known = published() if callable(published) else published
    low, high = np.nanmin(known), np.nanmax(known)
    return [one for one in readings if low <= one <= high] or readings


def to_plain_number(given: str) -> str:
    """A number that is written as the language spoken writes it, as Python does; else the text.

    Examples
    --------
    >>> from verikit.languages import use_language
    >>> with use_language("de"):
    ...     (
    ...         to_plain_number("2,5"),
    ...         to_plain_number("1.000"),
    ...         to_plain_number("1.000,5"),
    ...         to_plain_number("many"),
    ...     )
    ('2.5', '1000', '1000.5', 'many')
    """
    given = plain_digits(given)
    bare = BETWEEN.sub("", " ".join(given.split()))
    if PLAIN.fullmatch(bare) and not _has_thousands(bare):
        return given
    readings = _as_spoken(bare, _possible_numbers(bare))
    return written(readings[0]) if len(readings) == 1 else given


def _has_thousands(plain: str) -> bool:
    """Whether the language spoken may mean thousands by the point in a number."""
    return spoken_language().words["thousands"] == "." and bool(THOUSANDS["."].fullmatch(plain))


def _as_spoken(bare: str, readings: list[float]) -> list[float]:
    """Of two numbers that may be meant the one that the language spoken writes so.

    English is also what is spoken where nobody said which: there both stay.
    """
    marks = spoken_language().words
    if len(readings) < 2 or marks["decimal"] == ".":
        return readings
    thousands, decimals = readings
    return [thousands if marks["thousands"] in bare else decimals]


def in_words(value: float, column: Column) -> str:
    """A value as it is shown: a number, or a date."""
    return column.shown(value)


def _without_unit(plain: str, column: Column) -> str:
    """A number without its column's unit; where the column has none, without any usual one."""
    if column.unit:
        same = plain.casefold().endswith(column.unit.casefold())
        return plain[: -len(column.unit)].strip() if same else plain
    return USUAL.sub("", plain)


def _possible_numbers(bare: str) -> list[float]:
    """All that may be meant; the mark that comes last stands before the decimals."""
    points, commas = bare.count("."), bare.count(",")
    if points and commas:
        last = max(".,", key=bare.rfind)
        other = "," if last == "." else "."
        head, _, tail = bare.rpartition(last)
        fits = THOUSANDS[other].fullmatch(head) and tail.isdecimal()
        return [float(f"{head.replace(other, '')}.{tail}")] if fits else []
    mark = "." if points else ","
    found = []
    if THOUSANDS[mark].fullmatch(bare):
        found.append(float(bare.replace(mark, "")))
    if PLAIN.fullmatch(bare.replace(",", ".")):
        found.append(float(bare.replace(",", ".")))
    return found


def published_numbers(release: Any, name: str) -> Any:
    """The numbers of a column as they were published; None where they were not.

    Of a table that is not loaded, what finds its lowest and its highest number.
    """
    ends = getattr(release, "ends", None)
    if ends is not None:
        return partial(ends, name)
    given = getattr(release, "frame", {}).get(name)
    return given.to_numpy() if given is not None and given.dtype.kind in "if" else None


def understand_record(record: Any, release: Any) -> tuple[Any, list[str]]:
    """A record with numbers for what was written as text, and how each was read.

    Categories are given in the spelling of the table; what is no text stays as it is.
    """
    if not isinstance(record, (Mapping, pd.Series)):
        return record, []
    found, notes = dict(record.items()), []
    for name, value in found.items():
        column = release.schema[name] if name in release.schema.names else None
        if column is not None and column.dated and isinstance(value, dt.date):
            found[name] = days_of(value)
        if column is None or not isinstance(value, str) or not value.strip():
            continue
        refuse_date(value, column, published_cells(release, name))
        if column.kind != "numeric":
            found[name] = Spellings.of(column, published_cells(release, name)).find(value)
            continue
        if value.strip().startswith(("*", "[", "(")):
            continue
        read = typed_number(value, column, published_numbers(release, name))
        found[name] = int(read.value) if read.value.is_integer() else read.value
        if read.read:
            told = {"title": column.title, "given": quoted(" ".join(value.split()))}
            number = localize_number(in_words(read.value, column))
            notes.append(spoken_language().words["read"].format(**told, value=number))
    return found, notes
