"""What runs in the server's own process: its port, its parent's end, and then Jupyter.

The command starts this file by its path, so that it imports nothing but the standard library
until it holds the port. What others must not see comes through standard input and stands on no
command line and in no environment; the port is reported through standard output.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import shutil
import signal
import socket
import sys
import threading
import time
from typing import Any

from verikit.errors import FormatError

__all__ = ["HOST", "listening"]

HOST = "127.0.0.1"
PARTING = 5.0  # seconds


def listening(wanted: int = 0) -> socket.socket:
    """Take a port of the loopback for this process alone; 0 takes a free one.

    Examples
    --------
    >>> with listening() as ours:
    ...     ours.getsockname()[0]
    '127.0.0.1'
    """
    listener = socket.socket()
    # Windows lets others in with SO_REUSEADDR; elsewhere it only skips the wait after a stop.
    sharing = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
    try:
        listener.setsockopt(socket.SOL_SOCKET, sharing, 1)
        listener.bind((HOST, wanted))
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    listener.setblocking(False)
    return listener


def main() -> None:
    """Take the port, report it, and serve on it until the end or the parent's end."""
    lifeline, report = os.dup(0), os.dup(1)
    told = _line(lifeline)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    try:
        listener = listening(told["port"])
    except (OSError, OverflowError) as error:
        _say(report, error=str(error))
        return
    port = listener.getsockname()[1]
    _say(report, port=port)
    threading.Thread(target=_end_with, args=(lifeline, told["private"]), daemon=True).start()
    _hand_out(listener)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            _run(told, port)
    finally:
        shutil.rmtree(told["private"], ignore_errors=True)


def _line(source: int) -> dict[str, Any]:
    """Read one line of JSON, byte by byte, because the pipe stays open behind it."""
    read = bytearray()
    while not read.endswith(b"\n"):
        part = os.read(source, 1)
        if not part:
            sys.exit("verikit starts this file itself; use  verikit app  or  verikit lab.")
        read += part
    told: dict[str, Any] = json.loads(read)
    return told


def _say(report: int, **words: Any) -> None:
    os.write(report, json.dumps(words).encode() + b"\n")
    os.close(report)


def _end_with(lifeline: int, private: str) -> None:
    """Wait for the parent to end, however it ends: then nothing holds the pipe any more."""
    while os.read(lifeline, 64):
        pass
    os.kill(os.getpid(), signal.SIGTERM)  # Jupyter ends its kernels
    time.sleep(PARTING)
    shutil.rmtree(private, ignore_errors=True)
    os._exit(1)  # kernels end by themselves when their server is gone


def _hand_out(listener: socket.socket) -> None:
    """Let every server of this process listen where we do; a port of its own it would not get."""
    import tornado.netutil

    def ours(*_: Any, **__: Any) -> list[socket.socket]:
        return [listener.dup()]

    tornado.netutil.bind_sockets = ours  # before its servers are imported, which take it by name


def _without_node() -> None:
    """Let JupyterLab find no node, which it would ask for settings of builds that it never does."""
    import jupyterlab_server.process

    def which(command: str, *_: Any, **__: Any) -> str:
        raise FormatError(f"{command} is not used here, nor looked for.")

    jupyterlab_server.process.which = which


def _run(told: dict[str, Any], port: int) -> None:
    """Run Jupyter's module as a command, with arguments that only this process sees."""
    options = [f"--{told['section']}.port={port}", f"--IdentityProvider.token={told['token']}"]
    if told["module"] == "jupyterlab":
        _without_node()
    if told["module"] == "voila":
        from verikit.cli._visitors import limit_visitors

        limit_visitors()
    sys.argv = [told["module"], *told["options"], *options]
    runpy.run_module(told["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
