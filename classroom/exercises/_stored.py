"""Answers as the notebook stores them: plain data beside the sentence, for whoever grades it."""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np

from verikit.errors import RecordError, quoted

__all__ = ["MIME", "as_stored", "source_of"]

MIME = "application/vnd.verikit.answer+json"
LONGEST = 50_000


def as_stored(name: str, student: str, answer: object) -> dict[str, Any]:
    """An answer as data, with its exercise and whose it is; empty if it cannot be one.

    Examples
    --------
    >>> as_stored("ka-02", "ada", {"k": np.int64(2), "alone": ...})
    {'exercise': 'ka-02', 'student': 'ada', 'answer': {'k': 2}}
    """
    try:
        told = {"exercise": name, "student": student, "answer": _plain(answer)}
        long = len(json.dumps(told, allow_nan=True)) > LONGEST
    except (TypeError, ValueError, RecursionError):
        return {}
    return {} if long else told


def _plain(value: object) -> Any:
    """Numbers, words, lists and dictionaries; sets become lists, what is still open is left out."""
    if isinstance(value, (np.generic, np.ndarray)):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items() if v is not None and v is not ...}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(one) for one in value]
    if value is None or value is ...:
        return None
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(type(value).__name__)


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
        raise RecordError(
            f"{name} was given as {quoted(function)}; expected a function {name}(data, seed) "
            "that a cell of this notebook defines."
        )
    return text
