"""A Jupyter server of our own: loopback, token, own settings, ended with its command."""

from __future__ import annotations

import contextlib
import html
import http.client
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import quote

from verikit.errors import FormatError
from verikit.page import _child
from verikit.page._child import HOST, PARTING

SETTINGS = Path(str(files("verikit"))) / "_jupyter"
# Between server and kernel: sockets in a folder of the user, not ports that others can listen to.
IPC_OPTIONS = ("--KernelManager.transport=ipc",) if os.name == "posix" else ()
DROPPED_VARIABLES = ("JUPYTER_NO_CONFIG", "JUPYTER_TOKEN", "JUPYTER_TOKEN_FILE")
MAX_WAIT = 60.0
STOPPED = "The server stopped before it answered; its last words are above."
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


@contextmanager
def run_server(server: Server) -> Iterator[Running]:
    """Run a server until the block ends; whatever ends the block, nothing of it is left."""
    token = secrets.token_urlsafe(24)
    with private_folder(token) as private:
        process = _start_child(server, private)
        try:
            with _forward_signals(process):
                port = _read_port(process, server, token, private)
                _wait_until_ready(process, port)
                yield Running(process, port, server.page, token, private)
        finally:
            _stop_child(process)


def _start_child(server: Server, private: Path) -> subprocess.Popen[bytes]:
    """Start our child in our own process group, so that Ctrl-C ends both."""
    command = [sys.executable, "-P", _child.__file__]
    with private_files():
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # open as long as we live: its end is our end
            stdout=subprocess.PIPE,
            env=_build_environment(server, private),
            cwd=server.folder,
        )


def _build_environment(server: Server, private: Path) -> dict[str, str]:
    known = {name: value for name, value in os.environ.items() if name not in DROPPED_VARIABLES}
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


def _read_port(process: subprocess.Popen[bytes], server: Server, token: str, private: Path) -> int:
    """Tell the child what no command line should show, and hear which port it holds."""
    orders = {
        "module": server.module,
        "section": server.section,
        "options": [
            "--no-browser",
            *IPC_OPTIONS,
            f"--Voila.connection_dir_root={private}",
            *server.options,
        ],
        "port": server.port or 0,
        "token": token,
        "private": str(private),
    }
    # The child ends when this pipe does, also where we are killed and could tell it nothing.
    lifeline, reports = cast("tuple[IO[bytes], IO[bytes]]", (process.stdin, process.stdout))
    with contextlib.suppress(BrokenPipeError):  # it has ended; its report is empty
        lifeline.write(json.dumps(orders).encode() + b"\n")
        lifeline.flush()
    report = json.loads(reports.readline() or "{}")
    if "error" in report:
        raise FormatError(
            f"Port {server.port} cannot be used ({report['error']}); leave --port away to get a "
            "free one."
        )
    if not report:
        raise FormatError(STOPPED)
    return int(report["port"])


def _is_answering(port: int) -> bool:
    """Tell whether a web server answers on a port of this computer."""
    connection = http.client.HTTPConnection(HOST, port, timeout=1)
    try:
        connection.request("HEAD", "/api")
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def _wait_until_ready(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait until our own child answers.

    It held the port before it told us, and holds it as long as it lives; so whoever answered
    before it was seen alive is no stranger.
    """
    until = time.monotonic() + MAX_WAIT
    answered = False
    while not answered:
        answered = _is_answering(port)
        if process.poll() is not None:
            raise FormatError(STOPPED)
        if time.monotonic() > until:
            raise FormatError(f"The server did not answer within {MAX_WAIT:.0f} seconds.")


def serve(server: Server, *, browser: bool) -> int:
    """Run a server until it ends, Ctrl-C is pressed, or we are told to end."""
    print("Starting; this takes a few seconds.", file=sys.stderr, flush=True)
    try:
        with run_server(server) as run:
            print(f"Your values stay on this computer. Open {run.address}")
            print("Keep this window open; Ctrl-C ends it.", flush=True)
            if browser:
                what = (run.address, run.private)
                threading.Thread(target=open_privately, args=what, daemon=True).start()
            return run.process.wait()
    except KeyboardInterrupt:
        return 0


@contextmanager
def _forward_signals(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Pass on to the server that we are told to end, or that our terminal was closed."""
    heeded = [ending for ending in ENDINGS if signal.getsignal(ending) is not signal.SIG_IGN]
    before = {ending: signal.signal(ending, lambda *_: process.terminate()) for ending in heeded}
    try:
        yield
    finally:
        for ending, handler in before.items():
            signal.signal(ending, handler)


def _stop_child(process: subprocess.Popen[bytes]) -> None:
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


# Sockets of kernels lie in the folder, and their names may have some hundred characters in all.
LONGEST = 24
FORGETFUL = {"HistoryManager": {"enabled": False}}
REDIRECT = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>verikit</title>
<p><a href="{address}">Open the page</a></p>
</html>
"""


@contextmanager
def private_files() -> Iterator[None]:
    """Make every file and folder for their owner alone, also those that children make."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def private_folder(token: str) -> Iterator[Path]:
    """Give a run its own folder: cookies, sockets and settings of its kernels end with it.

    Its pages are told the token in what they are made from, as JupyterLab's are, and kernels that
    they keep no history of what was typed.
    """
    usual = tempfile.gettempdir()
    short = "/tmp" if os.name == "posix" and len(usual) > LONGEST else usual  # noqa: S108
    folder = Path(tempfile.mkdtemp(prefix="verikit-", dir=short))
    try:
        with private_files():
            (folder / "runtime").mkdir()
            _write_json(folder / "etc" / "labconfig" / "page_config.json", {"token": token})
            profile = folder / "ipython" / "profile_default"
            _write_json(profile / "ipython_kernel_config.json", FORGETFUL)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def open_privately(address: str, folder: Path) -> bool:
    """Open an address in the browser without its standing on the browser's command line."""
    page = folder / "open.html"
    with private_files():
        page.write_text(REDIRECT.format(address=html.escape(address)), encoding="utf-8")
    return webbrowser.open(page.as_uri())
