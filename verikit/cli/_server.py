"""A Jupyter server of our own: loopback, token, own settings, ended with its command."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import quote

from verikit.cli import _child
from verikit.cli._child import HOST, PARTING
from verikit.cli._private import open_privately, private_files, private_folder
from verikit.errors import FormatError

__all__ = ["Running", "Server", "add_options", "running", "serve"]

SETTINGS = Path(__file__).resolve().parent.parent / "_jupyter"
# Between server and kernel: sockets in a folder of the user, not ports that others can listen to.
PRIVATE = ("--KernelManager.transport=ipc",) if os.name == "posix" else ()
UNWANTED = ("JUPYTER_NO_CONFIG", "JUPYTER_TOKEN", "JUPYTER_TOKEN_FILE")
PATIENCE = 60.0
ENDINGS = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


@dataclass(frozen=True, slots=True)
class Server:
    """What to start, the page it will show, and what it is told by its environment."""

    module: str
    section: str
    options: Sequence[str]
    folder: Path
    port: int | None = None
    page: str = "/"
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers on a port that it alone holds."""

    process: subprocess.Popen[bytes]
    port: int
    page: str
    token: str = field(repr=False)
    private: Path

    @property
    def address(self) -> str:
        """Where to log in with the token; the server then leads to the page, without it."""
        leads = "" if self.page == "/" else f"&next={quote(self.page, safe='')}"
        return f"http://{HOST}:{self.port}/login?token={self.token}{leads}"


def add_options(command: Any) -> None:
    """Add the options that every server has."""
    command.add_argument("--port", type=int, help="the port; a free one if none is given")
    command.add_argument("--no-browser", action="store_true", help="open no browser")


@contextmanager
def running(server: Server) -> Iterator[Running]:
    """Run a server until the block ends; whatever ends the block, nothing of it is left."""
    token = secrets.token_urlsafe(24)
    with private_folder(token) as private:
        process = _start(server, private)
        try:
            with _ended_by_signals(process):
                port = _port(process, server, token, private)
                _wait(process, port)
                yield Running(process, port, server.page, token, private)
        finally:
            _stop(process)


def _start(server: Server, private: Path) -> subprocess.Popen[bytes]:
    """Start our child in our own process group, so that Ctrl-C ends both."""
    command = [sys.executable, "-P", _child.__file__]
    with private_files():
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # open as long as we live: its end is our end
            stdout=subprocess.PIPE,
            env=_environment(server, private),
            cwd=server.folder,
        )


def _environment(server: Server, private: Path) -> dict[str, str]:
    known = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    configured = [private / "etc", SETTINGS / "etc", known.get("JUPYTER_CONFIG_PATH")]
    data = [SETTINGS / "share" / "jupyter", known.get("JUPYTER_PATH")]
    own = {
        "JUPYTER_CONFIG_PATH": os.pathsep.join(map(str, filter(None, configured))),
        "JUPYTER_PATH": os.pathsep.join(map(str, filter(None, data))),
        "JUPYTER_PREFER_ENV_PATH": "1",
        "JUPYTER_RUNTIME_DIR": str(private / "runtime"),
        "IPYTHONDIR": str(private / "ipython"),
    }
    return known | dict(server.environment) | own


def _port(process: subprocess.Popen[bytes], server: Server, token: str, private: Path) -> int:
    """Tell the child what no command line should show, and hear which port it holds."""
    told = {
        "module": server.module,
        "section": server.section,
        "options": [
            "--no-browser",
            *PRIVATE,
            f"--Voila.connection_dir_root={private}",
            *server.options,
        ],
        "port": server.port or 0,
        "token": token,
        "private": str(private),
    }
    lifeline, reports = cast("tuple[IO[bytes], IO[bytes]]", (process.stdin, process.stdout))
    with contextlib.suppress(BrokenPipeError):  # it has ended; its report is empty
        lifeline.write(json.dumps(told).encode() + b"\n")
        lifeline.flush()
    report = json.loads(reports.readline() or "{}")
    if "error" in report:
        raise FormatError(
            f"Port {server.port} cannot be used ({report['error']}); leave --port away to get a "
            "free one."
        )
    return int(report["port"]) if report else _gone()


def _gone() -> int:
    raise FormatError("The server stopped before it answered; its last words are above.")


def _answers(port: int) -> bool:
    """Whether a web server answers on a port of this computer."""
    connection = http.client.HTTPConnection(HOST, port, timeout=1)
    try:
        connection.request("HEAD", "/api")
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait until our own child answers.

    It held the port before it told us, and holds it as long as it lives; so whoever answered
    before it was seen alive is no stranger.
    """
    until = time.monotonic() + PATIENCE
    answered = False
    while not answered:
        answered = _answers(port)
        if process.poll() is not None:
            _gone()
        if time.monotonic() > until:
            raise FormatError(f"The server did not answer within {PATIENCE:.0f} seconds.")


def serve(server: Server, *, browser: bool) -> int:
    """Run a server until it ends, Ctrl-C is pressed, or we are told to end."""
    print("Starting; this takes a few seconds.", file=sys.stderr, flush=True)
    try:
        with running(server) as run:
            print(f"Your values stay on this computer. Open {run.address}")
            print("Keep this window open; Ctrl-C ends it.", flush=True)
            if browser:
                what = (run.address, run.private)
                threading.Thread(target=open_privately, args=what, daemon=True).start()
            return run.process.wait()
    except KeyboardInterrupt:
        return 0


@contextmanager
def _ended_by_signals(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Pass on to the server that we are told to end, or that our terminal was closed."""
    heeded = [ending for ending in ENDINGS if signal.getsignal(ending) is not signal.SIG_IGN]
    before = {ending: signal.signal(ending, lambda *_: process.terminate()) for ending in heeded}
    try:
        yield
    finally:
        for ending, handler in before.items():
            signal.signal(ending, handler)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a server and its kernels; on Ctrl-C it got the signal too, and ends them itself."""
    if isinstance(sys.exception(), KeyboardInterrupt):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PARTING)
    for end in (process.terminate, process.kill):
        if process.poll() is None:
            with contextlib.suppress(OSError):
                end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PARTING)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
