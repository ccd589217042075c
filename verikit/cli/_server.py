"""A Jupyter server of our own: loopback, token, own settings, ended by Ctrl-C."""

from __future__ import annotations

import contextlib
import http.client
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verikit.errors import FormatError

__all__ = ["HOST", "Server", "add_options", "answers", "free_port", "serve"]

HOST = "127.0.0.1"
SETTINGS = Path(__file__).resolve().parent.parent / "_jupyter"
# Between server and kernel: sockets in a folder of the user, not ports that others can listen to.
PRIVATE = ("--KernelManager.transport=ipc",) if os.name == "posix" else ()
PATIENCE, PARTING = 60.0, 5.0


@dataclass(frozen=True, slots=True)
class Server:
    """What to start, where it will answer, and what it is told by its environment."""

    module: str
    options: Sequence[str]
    folder: Path
    port: int
    page: str = "/"
    environment: Mapping[str, str] = field(default_factory=dict)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    @property
    def address(self) -> str:
        """The page to open, with the token that opens it."""
        return f"http://{HOST}:{self.port}{self.page}?token={self.token}"

    def start(self) -> subprocess.Popen[bytes]:
        """Start it in our own process group, so that Ctrl-C ends both."""
        command = [sys.executable, "-m", self.module, "--no-browser", *PRIVATE, *self.options]
        return subprocess.Popen(command, env=self._environment(), cwd=self.folder)

    def _environment(self) -> dict[str, str]:
        known = dict(os.environ)
        for name, part in (("JUPYTER_PATH", "share/jupyter"), ("JUPYTER_CONFIG_PATH", "etc")):
            ours = str(SETTINGS / part)
            known[name] = os.pathsep.join(filter(None, [ours, known.get(name)]))
        known.pop("JUPYTER_NO_CONFIG", None)
        ours_first = {"JUPYTER_PREFER_ENV_PATH": "1", "JUPYTER_TOKEN": self.token}
        return known | ours_first | dict(self.environment)


def add_options(command: Any) -> None:
    """Add the options that every server has."""
    command.add_argument("--port", type=int, help="the port; a free one if none is given")
    command.add_argument("--no-browser", action="store_true", help="open no browser")


def free_port(wanted: int | None = None) -> int:
    """A free port on the loopback, or the wanted one if it is free."""
    with socket.socket() as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, wanted or 0))
        except (OSError, OverflowError) as error:
            raise FormatError(
                f"Port {wanted} cannot be used ({error}); leave --port away to get a free one."
            ) from error
        return int(probe.getsockname()[1])


def answers(port: int) -> bool:
    """Whether a web server answers on a port of this computer."""
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("HEAD", "/api")
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def wait(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait until the server answers, or say that it did not start."""
    until = time.monotonic() + PATIENCE
    while not answers(port):
        if process.poll() is not None:
            raise FormatError("The server stopped before it answered; its last words are above.")
        if time.monotonic() > until:
            raise FormatError(f"The server did not answer within {PATIENCE:.0f} seconds.")
        time.sleep(0.05)


def serve(server: Server, *, browser: bool) -> int:
    """Run a server until it ends, Ctrl-C is pressed, or we are told to end."""
    process = server.start()
    previous = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        wait(process, server.port)
        print(f"Your values stay on this computer. Open {server.address}", flush=True)
        if browser:
            threading.Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()
        return process.wait()
    except KeyboardInterrupt:  # the server got it too, and ends its kernels first
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PARTING)
        return 0
    finally:
        stop(process)
        signal.signal(signal.SIGTERM, previous)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a server and its kernels; the second signal is for one that does not listen."""
    for end in (process.terminate, process.kill):
        if process.poll() is None:
            with contextlib.suppress(OSError):
                end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PARTING)
