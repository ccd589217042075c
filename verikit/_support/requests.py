"""What a function may be asked, checked once: a whole number, a number, a share, a word, a flag.

Each check gives the value back in one form, or says in one sentence what was given and what was
expected. Whatever needs a table to be judged is checked in `verikit.table`. The
errors are about the field of that name, unless another is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NoReturn, TypeVar, cast

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.told import Told
from verikit.errors import RecordError, SchemaError, quoted
from verikit.values.numbers import lost_whole
from verikit.words import joined, text

T = TypeVar("T")
FLAGS = (bool, np.bool_)
NUMBERS = (int, float, np.number, Fraction)


def whole(
    value: object, name: str, least: int = 1, most: int | None = None, *, field: str = ""
) -> int:
    """A whole number within bounds; ``2.0``, ``"2"`` and ``True`` are none.

    Examples
    --------
    >>> whole(np.int64(3), "k")
    3
    >>> whole(2.0, "runs", least=0)
    Traceback (most recent call last):
    verikit.errors.RecordError: runs was given as 2.0; expected a whole number from 0 up.
    """
    if isinstance(value, (int, np.integer)) and not isinstance(value, FLAGS):
        found = int(value)
        if found >= least and (most is None or found <= most):
            return found
    bounds = f"from {least} up" if most is None else f"from {least} to {most}"
    said = f"{name} was given as {quoted(value)}; expected a whole number {bounds}."
    told = Told(said, "no-whole", name=name, given=quoted(value), least=least)
    raise RecordError(told if most is None else said, field=field or name, value=value)


def number(value: object, name: str, *, field: str = "") -> float:
    """Read one finite number, or say what it is instead; ``True`` is none.

    Examples
    --------
    >>> number("100.87", "X1")
    100.87
    """
    field = field or name
    try:
        if isinstance(value, FLAGS):
            raise TypeError
        found = float(cast("float", value))
    except (TypeError, ValueError):
        _refuse_number("no-number", value, name, field)
    except OverflowError:
        found = np.inf
    if not np.isfinite(found):
        _refuse_number("not-finite", value, name, field)
    if lost_whole(value) is not None:
        _refuse_number("too-long", value, name, field)
    return found


def _refuse_number(says: str, value: object, name: str, field: str) -> NoReturn:
    """Say what is no number, in words that stand with those of other languages."""
    from verikit.languages import tell

    told = tell(says, name=quoted(name), given=quoted(value))
    raise RecordError(told, field=field, value=value) from None


def within(
    value: object, name: str, low: float = 0, high: float = np.inf, *, field: str = ""
) -> float:
    """A finite number within bounds, both included; text and ``True`` are none.

    Examples
    --------
    >>> within(2, "c"), within(Fraction(1, 2), "correlation", 0, 1)
    (2.0, 0.5)
    >>> within("0.5", "correlation", 0, 1)
    Traceback (most recent call last):
    verikit.errors.RecordError: correlation was given as '0.5'; expected a number from 0 to 1.
    """
    if (
        isinstance(value, NUMBERS)
        and not isinstance(value, FLAGS)
        and low <= value <= high
        and _is_finite(value)
    ):
        return float(value)
    bounds = f"from {text(low)} up" if np.isinf(high) else f"from {text(low)} to {text(high)}"
    raise RecordError.given(name, value, f"a number {bounds}", field=field or name)


def share(value: object, name: str, *, above: bool = False, below: bool = False) -> float:
    """A share from 0 to 1; where it must be ``above`` 0 or ``below`` 1, without that end.

    Examples
    --------
    >>> share(0.05, "suppression")
    0.05
    >>> share(5, "suppression")
    Traceback (most recent call last):
    verikit.errors.RecordError: suppression was given as 5; expected a share from 0 to 1 (0.05 for
    5 %).
    """
    if (
        isinstance(value, NUMBERS)
        and not isinstance(value, FLAGS)
        and (value > 0 if above else value >= 0)
        and (value < 1 if below else value <= 1)
    ):
        return float(value)
    bounds = {
        (False, False): "from 0 to 1",
        (True, False): "above 0 and at most 1",
        (False, True): "from 0 and below 1",
        (True, True): "between 0 and 1",
    }[above, below]
    raise RecordError.given(name, value, f"a share {bounds} (0.05 for 5 %)", field=name)


def one_of(value: object, name: str, known: Sequence[str]) -> str:
    """One of several words.

    Examples
    --------
    >>> one_of("printed", "exponent", ("corrected", "printed"))
    'printed'
    >>> one_of("exact", "exponent", ("corrected", "printed"))
    Traceback (most recent call last):
    verikit.errors.RecordError: exponent was given as 'exact'; expected 'corrected' or 'printed'.
    """
    if isinstance(value, str) and value in known:
        return value
    raise RecordError.given(name, value, joined(map(repr, known), "or"), field=name)


def flag(value: object, name: str) -> bool:
    """Yes or no.

    Examples
    --------
    >>> flag(np.True_, "permuted")
    True
    >>> flag(1, "permuted")
    Traceback (most recent call last):
    verikit.errors.RecordError: permuted was given as 1; expected True or False.
    """
    if isinstance(value, FLAGS):
        return bool(value)
    raise RecordError.given(name, value, "True or False", field=name)


def instance(value: object, kinds: type[T] | tuple[type[T], ...], who: str, expected: str) -> T:
    """A value of one of some kinds; of another, such as a bare frame, it is said what is needed.

    Examples
    --------
    >>> instance("age", str, "describe", "a name")
    'age'
    >>> instance([1, 2], dict, "audit", "Microdata (verikit.read makes it)")
    Traceback (most recent call last):
    verikit.errors.SchemaError: audit was given list; expected Microdata (verikit.read makes it).
    """
    if isinstance(value, kinds):
        return value
    raise SchemaError(f"{who} was given {type(value).__name__}; expected {expected}.")


def row_numbers(value: object, name: str, records: int, rows: int) -> Rows:
    """One row a record, counted from 0; the same row may be named several times.

    Examples
    --------
    >>> row_numbers([1, 1, 0], "match", 3, 2).tolist()
    [1, 1, 0]
    """
    found = np.asarray(value)
    if found.shape != (records,) or found.dtype.kind not in "iu":
        raise RecordError(
            f"{name} was given as {quoted(value)}; expected a list of whole numbers, the row of "
            f"each of the {records:,} records, counted from 0.",
            field=name,
            value=value,
        )
    if records and (found.min() < 0 or found.max() >= rows):
        worst = int(found.min() if found.min() < 0 else found.max())
        raise RecordError(
            f"{name} names the row {worst}, but there are {rows:,} rows, counted from 0.",
            field=name,
            value=worst,
        )
    return found.astype(np.intp)


def _is_finite(value: object) -> bool:
    """Whether a number is one, and none too large to be told from infinity."""
    try:
        return bool(np.isfinite(float(cast("float", value))))
    except OverflowError:
        return False
