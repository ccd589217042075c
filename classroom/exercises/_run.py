"""Running a function that somebody else wrote, in a process of its own with limits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from verikit.errors import RecordError, quoted
from verikit.release import Masked
from verikit.table import Microdata

__all__ = ["rows_made"]

Rows: TypeAlias = npt.NDArray[np.float64]
SECONDS, BYTES, WAIT = 20, 3_000_000_000, 60
KEPT = ("PATH", "SYSTEMROOT", "PYTHONPATH", "LANG", "LC_ALL")  # of the environment, no more


def rows_made(
    function: str | Callable[[Microdata, int], Masked],
    name: str,
    data: Microdata,
    seeds: Sequence[int],
) -> list[Rows]:
    """What a function makes of the data with each seed: rows in the order of the original.

    Lines of text are somebody else's, and run in a process of their own; a function is ours.

    Raises
    ------
    RecordError
        If it fails, ends its process, takes too long, or returns something else.
    """
    if callable(function):
        made = [function(data, seed) for seed in seeds]
        return [m.release.frame.iloc[m.key.rows].to_numpy(float) for m in made]  # type: ignore[attr-defined]
    if not isinstance(function, str):
        raise RecordError(f"{name} was given as {quoted(function)}; expected a function.")
    columns = {str(name): values.tolist() for name, values in data.frame.items()}
    job = {"source": function, "name": name, "columns": columns, "seeds": list(seeds)}
    told = _told(json.dumps(job | {"seconds": SECONDS, "bytes": BYTES}), name)
    if not isinstance(told, dict) or "made" not in told:
        reason = told.get("error") if isinstance(told, dict) else None
        raise RecordError(f"{name} did not run: {reason or 'it ended its own process'}.")
    return [_checked(rows, name, data.frame.shape) for rows in told["made"]]


def _checked(rows: object, name: str, shape: tuple[int, int]) -> Rows:
    try:
        found = np.asarray(rows, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != shape or not np.isfinite(found).all():
        raise RecordError(
            f"{name} gave back {' by '.join(map(str, found.shape))} values; expected a number for "
            f"each of {shape[0]} people in each of {shape[1]} columns."
        )
    return found


def _told(job: str, name: str) -> Any:
    """What the process wrote; None where that cannot be read."""
    with tempfile.TemporaryDirectory(prefix="verikit-") as home:
        result = Path(home, "result.json")
        with result.open("wb") as file:
            process = subprocess.Popen(  # noqa: S603 our own module
                [sys.executable, "-P", "-m", "verikit.exercises._fence", home],
                stdin=subprocess.PIPE, stdout=file, stderr=subprocess.DEVNULL,
                env=_environment(home), text=True, start_new_session=True,
            )  # fmt: skip
            try:
                process.communicate(job, timeout=WAIT)
            except subprocess.TimeoutExpired:
                raise RecordError(f"{name} took longer than {SECONDS} seconds.") from None
            except BrokenPipeError:
                return None
            finally:
                _end(process)
        if -process.returncode in {getattr(signal, "SIGXCPU", 0), getattr(signal, "SIGKILL", 0)}:
            raise RecordError(f"{name} took longer than {SECONDS} seconds.")
        with suppress(ValueError, OSError, RecursionError):
            return json.loads(result.read_text(encoding="utf-8"))
        return None


def _environment(home: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    return kept | threads | {"HOME": home, "TMPDIR": home, "NUMBA_CACHE_DIR": home}


def _end(process: subprocess.Popen[str]) -> None:
    """End the process, and whatever it started."""
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
