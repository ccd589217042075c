"""Numbers as people write them: with a decimal comma, spaces between thousands, a unit behind."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, TypeVar

import numpy as np

from verikit._support.requests import number
from verikit._support.rules import CELLS
from verikit.languages import LANGUAGES, localize_number, own_texts, spoken_language
from verikit.values.columns import Column, refuse_value
from verikit.values.dates import date_text, possible_days
from verikit.values.numbers import plain_digits
from verikit.words import text as written

__all__ = ["BEHIND", "Typed", "refuse_far", "to_plain_number", "typed_number"]

Number = TypeVar("Number", int, float)

PLAIN = CELLS.plain
YEAR, RECENT = re.compile(r"[12]\d{3}"), re.compile(r"(?:18|19|20)\d\d")
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
    """A value; of a number whether it was written otherwise than Python, or the language, does."""

    value: Any
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
    plain = " ".join(plain_digits(given).split())
    if column.dated and YEAR.fullmatch(plain):
        refuse_value(column, given, "whole-date")
    if column.dated and (CELLS.year_joined.fullmatch(plain) or not PLAIN.fullmatch(plain)):
        return _typed_date(given, column, published)
    endless = plain.lower().lstrip("+-") in NO_END
    if endless or (PLAIN.fullmatch(plain) and not _has_thousands(plain)):
        return Typed(number(plain, column.name), False)
    bare, unit = SIGN.sub("", plain), column.unit
    if not unit:
        bare = USUAL.sub("", bare)
    elif bare.casefold().endswith(unit.casefold()):
        bare = bare[: -len(unit)].strip()
    readings = _possible_numbers(BETWEEN.sub("", bare))
    if not readings:
        refuse_value(column, given, "no-number")
    readings = _as_spoken(bare, _published_among(readings, published))
    if len(readings) > 1:
        first, second = map(written, readings)
        refuse_value(column, given, "two-numbers", first=first, second=second)
    return Typed(number(readings[0], column.name), plain != localize_number(written(readings[0])))


def _typed_date(given: str, column: Column, published: Any) -> Typed:
    """The days to the date that a person means; the published ones decide which part is the day."""
    plain = " ".join(plain_digits(given).split())
    found = sorted(set(possible_days(spoken_language().read_month(plain)).values()))
    if not found:
        refuse_value(column, given, "no-date")
    found = _published_among(found, published)
    if len(found) > 1:
        first, second = date_text(found[0]), date_text(found[-1])
        refuse_value(column, given, "two-dates", first=first, second=second)
    told = date_text(found[0])
    return Typed(float(found[0]), plain not in (told, localize_number(told)))


def _published_among(readings: list[Number], published: Any) -> list[Number]:
    """Of several numbers that may be meant those within the published range; all if none is."""
    low, high = (_find_ends(published) if len(readings) > 1 else None) or (-np.inf, np.inf)
    return [one for one in readings if low <= one <= high] or readings


def _find_ends(published: Any) -> tuple[float, float] | None:
    """The lowest and the highest published number; None where none is known."""
    if published is None:
        return None
    known = np.asarray(published() if callable(published) else published, np.float64)
    known = known[np.isfinite(known)]
    return (float(known.min()), float(known.max())) if len(known) else None


def refuse_far(given: str, read: float, column: Column, published: Any) -> None:
    """Ask back where a number lies farther from the published ones than these from each other.

    A year for an age does, and mostly a digit too many; what lies nearer may be meant. A table
    that is not loaded is read once more only for what looks like a year.

    Examples
    --------
    >>> refuse_far("69", 69.0, Column("age"), [30, 50])
    >>> refuse_far("450", 450.0, Column("age"), [30, 50])
    Traceback (most recent call last):
    verikit.errors.RecordError: 'age' was given as '450', which lies far from all that the table
    shows, 30 to 50; correct it, or put it in quotes if it is meant.
    """
    ends = None if callable(published) and not RECENT.fullmatch(given) else _find_ends(published)
    if ends is not None and max(ends[0] - read, read - ends[1]) > ends[1] - ends[0] > 0:
        low, high = (localize_number(column.shown(end)) for end in ends)
        refuse_value(column, given, "far", low=low, high=high)


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
