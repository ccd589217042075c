"""Running a function that somebody else wrote, in a process of its own that the kernel holds."""

from __future__ import annotations

import builtins
import json
import signal
import subprocess
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from verikit import errors
from verikit._support.arrays import Floats
from verikit._support.child import find_modules, limit_resources, run_child
from verikit._support.resources import data_path
from verikit.errors import RecordError
from verikit.exercises._sandbox import refuse_event
from verikit.release import Masked
from verikit.table import Column, Microdata, Schema
from verikit.words import joined

SECONDS, BYTES, WRITTEN, WAIT = 20, 3_000_000_000, 10_000_000, 60
MEMORY = "it needs more memory than it is given"
PACKAGES = ("verikit", "numpy", "pandas", "scipy")
FENCE = Path(__file__).with_name("_sandbox.py")
READABLE = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store", "/gnu/store", "/etc/ld.so.cache",
    "/usr/share/zoneinfo", "/etc/localtime", "/dev/null", "/dev/urandom",
)  # fmt: skip
GAPS = {
    "system": "this system or processor has no fence that verikit knows; Linux has",
    "threads": "the process that would hold it has threads",
    "files": "its kernel closes no files (Landlock, from Linux 5.13)",
    "writing": "its kernel refuses no writing",
    "marks": "its kernel lets the marks of files be changed",
    "processes": "its kernel lets it start processes",
    "signals": "its kernel lets it send signals",
    "network": "its kernel lets it open the network",
    "programs": "its kernel lets it run programs",
}
_TRUSTED: ContextVar[bool] = ContextVar("trusted", default=False)


@contextmanager
def trusting(trust: bool = True) -> Iterator[None]:
    """Run answers that are functions also where the kernel cannot hold them.

    Parameters
    ----------
    trust
        Whether they are trusted: their author's own notebook, or a class one knows.

    Returns
    -------
    Iterator of None
        A context; within it answers are trusted, or not.

    Examples
    --------
    >>> with trusting():
    ...     trusted()
    True
    """
    before = _TRUSTED.set(trust)
    try:
        yield
    finally:
        _TRUSTED.reset(before)


def trusted() -> bool:
    """Tell whether answers are trusted here, as `trusting` says.

    Returns
    -------
    bool
        Whether they are run even where the kernel cannot hold them.

    Examples
    --------
    >>> trusted()
    False
    """
    return _TRUSTED.get()


@cache
def missing_fence() -> str:
    """Say why no function of a stranger can be held on this machine; empty if one can.

    Returns
    -------
    str
        What is missing.

    Examples
    --------
    >>> "fence" in missing_fence() or "kernel" in missing_fence() or not missing_fence()
    True
    """
    report = _run_process({}, "the fence")
    return (
        GAPS.get(report["gap"], "")
        if isinstance(report, dict) and "gap" in report
        else GAPS["system"]
    )


def make_rows(
    function: str | Callable[[Microdata, int], Masked],
    name: str,
    data: Microdata,
    seeds: Sequence[int],
) -> list[Floats]:
    """Make rows of the data by a function, with each seed, in the order of the original.

    Lines of text are somebody else's, and run in a process of their own; a function is ours. No
    word of that process is repeated: of an error its kind and its line alone.

    Raises
    ------
    RecordError
        If it fails, ends its process, takes too long, returns something else, or cannot be held
        on this machine and is not trusted.
    """
    if callable(function):
        made = [function(data, seed) for seed in seeds]
        return [m.release.frame.iloc[m.key.rows].to_numpy(float) for m in made]  # type: ignore[attr-defined]
    if not isinstance(function, str):
        raise RecordError.given(name, function, "a function")
    columns = {str(name): values.tolist() for name, values in data.frame.items()}
    job = {"source": function, "name": name, "columns": columns, "seeds": list(seeds)}
    report = _run_process(job | {"seconds": SECONDS, "bytes": BYTES}, name)
    report = report if isinstance(report, dict) else {}
    if "gap" in report and missing_fence():
        raise RecordError(f"{name} was not run: {missing_fence()}.")
    if "made" not in report:
        raise RecordError(f"{name} did not run: {_explain_failure(report)}.")
    return _check_rows(report["made"], name, data, len(seeds))


def _explain_failure(report: dict[str, Any]) -> str:
    """Explain what became of it in our words; of errors, only names that everybody knows."""
    kind, line = report.get("error"), report.get("line")
    if kind is None:
        return "it ended its own process"
    if kind == "MemoryError":
        return MEMORY
    known = isinstance(kind, str) and (_is_error(builtins, kind) or _is_error(errors, kind))
    said = kind if known else "an error of its own"
    return f"{said} in line {line}" if type(line) is int and 0 < line < 10**5 else str(said)


def _is_error(module: Any, name: str) -> bool:
    found = getattr(module, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


def _check_rows(made: Any, name: str, data: Microdata, many: int) -> list[Floats]:
    shape = (many, *data.frame.shape)
    try:
        found = np.asarray(made, dtype=float)
    except (TypeError, ValueError, OverflowError):
        found = np.empty(0)
    if found.shape != shape or not np.isfinite(found).all():
        columns = joined(list(map(str, data.frame.columns)))
        raise RecordError(
            f"{name} gave back something else; expected what a mask returns, or a table of "
            f"{columns} with a number in each and a row for each of {shape[1]} people."
        )
    return list(found)


def _run_process(job: dict[str, Any], name: str) -> Any:
    """Run the process, and read what it wrote; None where that cannot be read."""
    fence = {"fence": str(FENCE), "readable": _find_readable(), "trust": trusted()}
    try:
        with run_child(run_answer, job | fence, WAIT) as (result, code):
            if -code in {getattr(signal, "SIGXCPU", 0), getattr(signal, "SIGKILL", 0)}:
                raise RecordError(f"{name} took longer than {SECONDS} seconds.")
            with suppress(ValueError, OSError, RecursionError):
                return json.loads(result.read_text(encoding="utf-8"))
    except subprocess.TimeoutExpired:
        raise RecordError(f"{name} took longer than {SECONDS} seconds.") from None
    return None


def _find_readable() -> list[str]:
    """Find what the process may read: Python, and the packages that an answer is given."""
    own = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    own += [str(Path(base, "lib")) for base in (sys.base_prefix, sys.base_exec_prefix)]
    loaded = [sys.modules[name].__file__ or "" for name in PACKAGES if name in sys.modules]
    modules = [str(Path(file).parent) for file in loaded]
    ours = [part for name, part in [*sys.modules.items()] if name.startswith("verikit.")]
    modules += [
        folder for part in ours for folder in getattr(part, "__path__", ())
    ]  # in a checkout
    return [*own, *find_modules()["packages"], *modules, str(data_path("")), *READABLE]


ANSWER_FILE = "answer"


def run_answer(job: dict[str, Any], result: BinaryIO) -> None:
    """Be the child: run the job where nothing is missing, or it is trusted, and write of it."""
    report = {"gap": job["gap"]}
    if "source" in job and (job["trust"] or not job["gap"]):
        limit_resources(job["seconds"], job["bytes"], WRITTEN, threads=0)
        if job["gap"]:
            sys.addaudithook(refuse_event)
        report = run_job(job)
    result.write(json.dumps(report).encode())


def run_job(job: dict[str, Any]) -> dict[str, Any]:
    """Make the rows for each seed, or the kind of error and its line: no word of the process."""
    try:
        space: dict[str, Any] = {"np": np, "pd": pd, "__name__": ANSWER_FILE}
        space["vk"] = import_module("verikit")
        exec(compile(job["source"], ANSWER_FILE, "exec"), space)  # noqa: S102
        function = space[job["name"]]
        columns = tuple(Column(name, kind="numeric") for name in job["columns"])
        made = [
            function(Microdata(pd.DataFrame(job["columns"]), Schema(columns)), seed)
            for seed in job["seeds"]
        ]
    except BaseException as error:
        return {"error": type(error).__name__, "line": _find_line(error)}
    try:
        return {"made": [_order_rows(one, job) for one in made]}
    except BaseException:
        return {"made": []}


def _find_line(error: BaseException) -> int:
    """Find the last line of the answer that the error went through; 0 if none."""
    if isinstance(error, SyntaxError):
        return error.lineno or 0
    steps = traceback.extract_tb(error.__traceback__)
    return next((step.lineno or 0 for step in reversed(steps) if step.filename == ANSWER_FILE), 0)


def _order_rows(made: Any, job: dict[str, Any]) -> list[list[float]]:
    """Order the masked values person by person, in the order of the original."""
    if isinstance(made, Masked):
        frame: Any = made.release.frame.iloc[made.key.rows]  # type: ignore[attr-defined]
    else:
        frame = made.frame if isinstance(made, Microdata) else made
    names = list(job["columns"])
    if not isinstance(frame, pd.DataFrame) or not set(names) <= set(frame.columns):
        raise RecordError(f"{type(made).__name__} is no table of {', '.join(names)}.")
    return np.asarray(frame[names], dtype=float).tolist()
