"""One way to say a thing: values, lists, counts, shares and places in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from verikit.errors import quoted

__all__ = ["Said", "chance", "count", "joined", "listed", "number", "places", "share", "text"]


class Said(NamedTuple):
    """What a result comes to: one sentence that says what it means, and what that rests on."""

    means: str
    why: str = ""


def text(value: object) -> str:
    """Write a value as the text that names it: ``2138.0`` and ``2138`` are both ``"2138"``.

    Examples
    --------
    >>> text(2138.0), text("nurse"), text(2.5), text(True)
    ('2138', 'nurse', '2.5', 'True')
    """
    if isinstance(value, (str, bool, np.bool_)):
        return str(value)
    try:
        found = float(value)  # type: ignore[arg-type]
        whole = math.isfinite(found) and found == int(value)  # type: ignore[call-overload]
        return str(int(value)) if whole else str(found)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return _written(value)


def _written(value: object) -> str:
    try:
        return str(value)
    except ValueError:  # a whole number with more digits than Python writes out
        return hex(value)  # type: ignore[arg-type]


def listed(values: Iterable[object], most: int = 5) -> str:
    """Name values in a sentence, the first few of many.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    known = list(values)
    names = [quoted(text(value)) for value in known[:most]]
    while len(names) > 1 and sum(map(len, names)) > 80 + 20 * most:
        names.pop()
    rest = len(known) - len(names)
    return ", ".join(names) + (f" and {rest} more" if rest > 0 else "")


def joined(parts: Iterable[str], last: str = "and") -> str:
    """Put words together as a sentence does.

    Examples
    --------
    >>> joined(["age"]), joined(["age", "zip"]), joined(["age", "zip", "sex"], "or")
    ('age', 'age and zip', 'age, zip or sex')
    """
    *first, end = list(parts) or [""]
    return f"{', '.join(first)} {last} {end}" if first else end


def count(number: int, thing: str, many: str = "") -> str:
    """A number of things, one or many.

    Examples
    --------
    >>> count(1, "record"), count(12034, "record"), count(2, "person", "people")
    ('1 record', '12,034 records', '2 people')
    """
    return f"{number:,} {thing if number == 1 else many or thing + 's'}"


def number(value: float, digits: int = 3) -> str:
    """A number with as many of some decimals as it needs, thousands apart.

    Examples
    --------
    >>> number(0.375), number(1200.0), number(1234.5678, digits=2)
    ('0.375', '1,200', '1,234.57')
    """
    written = f"{value:,.{digits}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def places(number: int) -> str:
    """A distance in ranks.

    Examples
    --------
    >>> places(0), places(1), places(4200)
    ('0 places', '1 place', '4,200 places')
    """
    return count(number, "place")


def share(part: float, of: int = 100) -> str:
    """A share as a count of a hundred; what is not quite none or all is never said to be it.

    Examples
    --------
    >>> share(0.37), share(0.996), share(1), share(0.004), share(0)
    ('37 of 100', 'more than 99 of 100', '100 of 100', 'fewer than 1 of 100', '0 of 100')
    """
    if 0 < part < 1 / of:
        return f"fewer than 1 of {of:,}"
    if 1 - 1 / of < part < 1:
        return f"more than {of - 1:,} of {of:,}"
    return f"{round(part * of):,} of {of:,}"


def chance(part: float) -> str:
    """A chance as cases: in so many of a hundred, or in one of so many.

    Examples
    --------
    >>> chance(0.37), chance(0.004), chance(0.9999), chance(1), chance(0), chance(1e-9)
    ('in 37 of 100 cases', 'in 1 of 250 cases', 'in more than 99 of 100 cases', 'in all cases',
    'in no case', 'in fewer than 1 of 1,000,000 cases')
    """
    if part in (0, 1):
        return "in all cases" if part else "in no case"
    if part < 1e-6:
        return f"in {share(part, 1_000_000)} cases"
    if part < 0.01:
        return f"in 1 of {round(1 / part):,} cases"
    return f"in {share(part)} cases"
