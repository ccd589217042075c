"""One way to say a thing: values, lists, counts, shares and places in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from verikit.errors import quoted
from verikit.values.names import text

__all__ = [
    "EVEN_NODES", "EVEN_VALUES", "EVEN_WAYS", "Said", "chance", "column", "count", "digits",
    "joined", "listed", "not_compared", "number", "places", "share", "text",
]  # fmt: skip

EVEN_VALUES = "if within a group each value is equally likely for everyone"
EVEN_NODES = "if within a group each node is equally likely for every name"
EVEN_WAYS = "if every way to undo the shuffling is equally likely"


class Said(NamedTuple):
    """What a result comes to: one sentence that says what it means, and what that rests on."""

    means: str
    why: str = ""


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


def not_compared(names: Sequence[str]) -> str:
    """Name the published columns that a comparison left out, and what that means; else nothing.

    Examples
    --------
    >>> not_compared(["village", "job"])
    'Not compared: village and job, which were published; whoever uses them may find more people.'
    """
    if not names:
        return ""
    were, them = ("was", "it") if len(names) == 1 else ("were", "them")
    return (
        f"Not compared: {joined(names)}, which {were} published; whoever uses {them} may find more "
        "people."
    )


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


def digits(value: float, most: int) -> str:
    """Write a number with so many digits, all that stand before the point, and no exponent.

    Examples
    --------
    >>> digits(0.000012345, 3), digits(17693.4, 4), digits(2.50, 6), digits(1e6, 3)
    ('0.0000123', '17693', '2.5', '1000000')
    """
    if not math.isfinite(value):
        return f"{value:g}"
    written = f"{value + 0.0:.{max(most - 1 - Decimal(value).adjusted(), 0)}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def column(values: Iterable[float | None], digits: int = 2) -> list[str]:
    """The numbers of one column: all with as many decimals as one of them needs, thousands apart.

    Numbers below 0.1 are given two digits, as long as four decimals show them.

    Examples
    --------
    >>> column([33.333, 50.0, None]), column([12000, 3]), column([0.00748, 1.018, 0.0])
    (['33.33', '50.00', '–'], ['12,000', '3'], ['0.0075', '1.0180', '0.0000'])
    >>> column([2165.0, 0.5]), column([1e-9, 2.0])
    (['2,165.0', '0.5'], ['1e-09', '2'])
    """
    known = [None if value is None or math.isnan(value) else float(value) for value in values]
    finite = [value for value in known if value is not None and math.isfinite(value)]
    if any(0 < abs(value) < 5e-5 or abs(value) >= 1e15 for value in finite):
        return ["–" if value is None else f"{value:.3g}" for value in known]
    needed = max((_decimals(value, digits) for value in finite), default=0)
    return ["–" if value is None else f"{value:,.{needed}f}" for value in known]


def _decimals(value: float, digits: int) -> int:
    """How many decimals a number needs at most."""
    if 0 < abs(value) < 0.1:
        digits = min(max(digits, 1 - math.floor(math.log10(abs(value)))), 4)
    return len(number(abs(value), digits).partition(".")[2])


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
