"""A process of its own for what may crash, hang or fill the memory; it ends with what it started.

It is given a job as JSON and a file of bytes, and what it writes to its standard output is its
result. The child starts with this file, which imports nothing but Python's own modules.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import site
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
KEPT_VARIABLES = ("PATH", "SYSTEMROOT", "LANG", "LC_ALL", "TZ", "VERIKIT_UNPACKED_MB")
GIVEN, RESULT = "given", "result"


@contextmanager
def run_child(
    function: Callable[[dict[str, Any], BinaryIO], None],
    job: Mapping[str, Any],
    seconds: float,
    content: Iterable[bytes] = (),
) -> Iterator[tuple[Path, int]]:
    """Run a function of a module in a private folder, and give what it wrote and how it ended.

    Parameters
    ----------
    function
        Takes the job, and the open file for its result.
    job
        What it is told, beside the folder (``home``) and where modules lie. Of a file ``fence``,
        the function ``close_sandbox`` is called first, with what is ``readable``.
    seconds
        After which it is ended.
    content
        The parts of the file ``given`` in its folder.

    Returns
    -------
    Iterator of (Path, int)
        A context with its result, and its return code; afterwards the folder is gone.

    Raises
    ------
    subprocess.TimeoutExpired
        If it took longer.
    OSError
        If no process can be started here.
    """
    environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    environment |= dict.fromkeys(THREADS, "1") | {"ARROW_DEFAULT_MEMORY_POOL": "system"}
    with tempfile.TemporaryDirectory(prefix="verikit-") as home:
        environment |= dict.fromkeys(("HOME", "TMPDIR", "TEMP", "NUMBA_CACHE_DIR"), home)
        result = Path(home, RESULT)
        with Path(home, GIVEN).open("wb") as file:
            file.writelines(content)
        called = {"module": function.__module__, "function": function.__name__}
        told = json.dumps({**job, "home": home, **called, **find_modules()}).encode()
        with result.open("wb") as file:
            process = subprocess.Popen(  # noqa: S603 our own module
                [sys.executable, "-I", "-S", __file__],
                stdin=subprocess.PIPE, stdout=file, stderr=subprocess.DEVNULL,
                env=environment, start_new_session=True,
            )  # fmt: skip
            try:
                process.communicate(told, timeout=seconds)
            finally:
                _end_process(process)
        yield result, process.returncode


def find_modules() -> dict[str, list[str]]:
    """Find where Python looks for modules, and in which of these folders packages were installed.

    Examples
    --------
    >>> sorted(find_modules())
    ['packages', 'path']
    """
    packages = [one for one in sys.path if Path(one).name in {"site-packages", "dist-packages"}]
    return {"path": [one for one in sys.path if Path(one).is_absolute()], "packages": packages}


def _end_process(process: subprocess.Popen[bytes]) -> None:
    """End the process, and whatever it started."""
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def limit_resources(seconds: float, memory: int, written: int, threads: int | None = None) -> None:
    """Hold the child to what its platform can hold it to, after its imports; Windows to nothing."""
    try:
        import resource
    except ImportError:
        return
    until = int(time.process_time()) + 1 + int(seconds)  # beside what is imported before
    limits = {resource.RLIMIT_AS: memory, resource.RLIMIT_FSIZE: written, resource.RLIMIT_CORE: 0,
              resource.RLIMIT_CPU: until}  # fmt: skip
    if threads is not None:
        limits[resource.RLIMIT_NPROC] = threads
    for limit, most in limits.items():
        with suppress(OSError, ValueError):  # of time, the signal says which limit it was
            resource.setrlimit(limit, (most, most + (limit == resource.RLIMIT_CPU)))
    with suppress(OSError):  # where memory lacks, the kernel ends it and not its parent
        Path("/proc/self/oom_score_adj").write_text("1000")


def main() -> None:
    """Be the child: run the function that was named, with the job and the file for its result."""
    job = json.loads(sys.stdin.buffer.read())
    result = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # no library writes between the result
    os.chdir(job["home"])
    if "fence" in job:  # by path, before anything is imported that starts a thread
        job["gap"] = runpy.run_path(job["fence"])["close_sandbox"](job["readable"])
    sys.path[:] = job["path"]
    for folder in job["packages"]:
        site.addsitedir(folder)
    getattr(import_module(job["module"]), job["function"])(job, result)
    result.flush()
    os._exit(0)  # whatever was left to be done at the end


if __name__ == "__main__":
    main()
