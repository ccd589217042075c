"""Answers as the notebook stores them: plain data beside the sentence, for whoever grades it."""

from __future__ import annotations

import inspect
import json
import math
import textwrap
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from verikit.errors import RecordError

MIME = "application/vnd.verikit.answer+json"
LONGEST = 50_000
EXACT = 2**53  # above it not every whole number has a float of its own


def as_stored(name: str, student: str, answer: object) -> dict[str, Any]:
    """An answer as data, with its exercise and whose it is; empty if it cannot be one.

    Examples
    --------
    >>> as_stored("ka-02", "ada", {"k": 2.0, "alone": ...})
    {'exercise': 'ka-02', 'student': 'ada', 'answer': {'k': 2}}
    """
    try:
        told = {"exercise": name, "student": student, "answer": to_plain_data(answer)}
        long = len(json.dumps(told, allow_nan=True)) > LONGEST
    except (TypeError, ValueError, RecursionError):
        return {}
    return {} if long else told


def to_plain_data(value: Any) -> Any:
    """An answer as numbers, words, lists and dictionaries, however it was given.

    Arrays, columns and sets become lists, numbers of other kinds int or float (whole ones int, and
    one too large for a float infinite); what is still open is left out, what is no data stays.

    Examples
    --------
    >>> import numpy as np
    >>> to_plain_data({"share": Fraction(2, 5), "groups": np.array([0.0, 2.0]), "open": ...})
    {'share': 0.4, 'groups': [0, 2]}
    """
    if callable(getattr(value, "tolist", None)):
        value = value.tolist()
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float, Fraction, Decimal)):
        return _to_plain_number(value)
    if isinstance(value, Mapping):
        kept = {k: v for k, v in value.items() if v is not None and v is not ...}
        return {str(k): to_plain_data(v) for k, v in kept.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_plain_data(one) for one in value]
    return None if value is ... else value


def _to_plain_number(value: int | float | Fraction | Decimal) -> int | float:
    try:
        found = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a signalling NaN of decimal
        return math.nan
    return int(found) if found.is_integer() and abs(found) < EXACT else found


def source_of(function: object, name: str) -> str:
    """The lines that define a function; it has to stand alone, with its own imports.

    Examples
    --------
    >>> source_of("def publish(data, seed): ...", "publish")
    'def publish(data, seed): ...'
    """
    if isinstance(function, str):
        return function
    try:
        text = textwrap.dedent(inspect.getsource(function))  # type: ignore[arg-type]
    except (TypeError, OSError):
        text = ""
    if not text.startswith(f"def {name}("):
        raise RecordError.given(
            name, function, f"a function {name}(data, seed) that a cell of this notebook defines"
        )
    return text
