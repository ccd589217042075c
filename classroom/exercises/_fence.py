"""The process in which one function of a student runs: short of time, memory and network.

It is started by `verikit.exercises._run`, reads one job from its input, and writes what the
function returned, as numbers. It decides nothing: who started it judges the numbers.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from verikit.errors import RecordError, VerikitError, shortened
from verikit.release import Masked
from verikit.table import Column, Microdata, Schema

__all__ = ["main"]

NEW_USER, NEW_NET = 0x10000000, 0x40000000  # unshare(2) of Linux
FORBIDDEN = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn",
    "os.kill", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link",
    "os.symlink", "os.truncate", "shutil.", "ctypes.", "pty.", "signal.pthread_kill",
)  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main() -> None:
    """Run the job, and write what came of it."""
    job = json.load(sys.stdin)
    result = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).unshare(NEW_USER | NEW_NET)
    _limit(job["seconds"], job["bytes"])
    sys.addaudithook(_refuse)
    with result:
        json.dump(_outcome(job), result)


def _limit(seconds: int, size: int) -> None:
    """What the platform can hold a process to; Windows knows none of these."""
    try:
        import resource
    except ImportError:
        return
    spent = int(time.process_time()) + 1  # on what is imported before
    limits = {resource.RLIMIT_CPU: spent + seconds, resource.RLIMIT_AS: size,
              resource.RLIMIT_FSIZE: 10_000_000, resource.RLIMIT_CORE: 0}  # fmt: skip
    for limit, most in limits.items():
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (most, most))


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    writes = event == "open" and bool(int(arguments[2] or 0) & WRITING)
    if writes or event.startswith(FORBIDDEN):
        refusal = PermissionError(f"{event} is not allowed here")  # libraries know this one
        raise refusal


def _outcome(job: dict[str, Any]) -> dict[str, Any]:
    """The rows for each seed, or one sentence on what went wrong."""
    try:
        space: dict[str, Any] = {"np": np, "pd": pd, "__name__": "answer"}
        space["vk"] = import_module("verikit")
        exec(compile(job["source"], "answer", "exec"), space)  # noqa: S102
        function = space[job["name"]]
        return {"made": [_rows(function(_data(job), seed), job) for seed in job["seeds"]]}
    except MemoryError:
        return {"error": "it needs more memory than it is given"}
    except VerikitError as error:
        return {"error": str(error).rstrip(".")}
    except BaseException as error:
        return {"error": f"{type(error).__name__}: {shortened(str(error), 200)}"}


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
        raise RecordError(
            f"{job['name']} gave back {type(made).__name__}; expected what a mask returns, or a "
            f"table of {', '.join(names)} with a row for each person."
        )
    return np.asarray(frame[names], dtype=float).tolist()


def _loaded() -> tuple[ModuleType, ...]:
    """What masks import when they are used, imported before files and libraries are closed."""
    import scipy.special
    import scipy.stats

    import verikit.exercises

    return (scipy.special, scipy.stats, verikit.exercises)


if __name__ == "__main__":
    os.chdir(Path(sys.argv[1]))
    _loaded()
    main()
