"""What is done inside the fence: a function of a student's runs once for each seed."""

from __future__ import annotations

import traceback
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from verikit.errors import RecordError
from verikit.release import Masked
from verikit.table import Column, Microdata, Schema

__all__ = ["outcome"]

FILE = "answer"


def outcome(job: dict[str, Any]) -> dict[str, Any]:
    """The rows for each seed, or the kind of error and its line: no word of the process."""
    try:
        space: dict[str, Any] = {"np": np, "pd": pd, "__name__": FILE}
        space["vk"] = import_module("verikit")
        exec(compile(job["source"], FILE, "exec"), space)  # noqa: S102
        function = space[job["name"]]
        made = [function(_data(job), seed) for seed in job["seeds"]]
    except BaseException as error:
        return {"error": type(error).__name__, "line": _line(error)}
    try:
        return {"made": [_rows(one, job) for one in made]}
    except BaseException:
        return {"made": []}


def _line(error: BaseException) -> int:
    """The last line of the answer that the error went through; 0 if none."""
    if isinstance(error, SyntaxError):
        return error.lineno or 0
    steps = traceback.extract_tb(error.__traceback__)
    return next((step.lineno or 0 for step in reversed(steps) if step.filename == FILE), 0)


def _data(job: dict[str, Any]) -> Microdata:
    frame = pd.DataFrame(job["columns"])
    return Microdata(frame, Schema(tuple(Column(name, kind="numeric") for name in frame.columns)))


def _rows(made: Any, job: dict[str, Any]) -> list[list[float]]:
    """The masked values, person by person, in the order of the original."""
    if isinstance(made, Masked):
        frame: Any = made.release.frame.iloc[made.key.rows]  # type: ignore[attr-defined]
    else:
        frame = made.frame if isinstance(made, Microdata) else made
    names = list(job["columns"])
    if not isinstance(frame, pd.DataFrame) or not set(names) <= set(frame.columns):
        raise RecordError(f"{type(made).__name__} is no table of {', '.join(names)}.")
    return np.asarray(frame[names], dtype=float).tolist()
