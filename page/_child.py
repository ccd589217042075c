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
from contextvars import ContextVar
from importlib import import_module
from typing import Any
from uuid import uuid4

HOST = "127.0.0.1"
PARTING = 5.0  # seconds


def listen(wanted: int = 0) -> socket.socket:
    """Take a port of the loopback for this process alone; 0 takes a free one.

    Examples
    --------
    >>> with listen() as ours:
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
    orders = _read_line(lifeline)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    try:
        listener = listen(orders["port"])
    except (OSError, OverflowError) as error:
        _send_report(report, error=str(error))
        return
    port = listener.getsockname()[1]
    _send_report(report, port=port)
    threading.Thread(
        target=_end_with_parent, args=(lifeline, orders["private"]), daemon=True
    ).start()
    _share_listener(listener)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            _run_jupyter(orders, port)
    finally:
        shutil.rmtree(orders["private"], ignore_errors=True)


def _read_line(source: int) -> dict[str, Any]:
    """Read one line of JSON, byte by byte, because the pipe stays open behind it."""
    read = bytearray()
    while not read.endswith(b"\n"):
        part = os.read(source, 1)
        if not part:
            sys.exit("verikit starts this file itself; use  verikit app  or  verikit lab.")
        read += part
    orders: dict[str, Any] = json.loads(read)
    return orders


def _send_report(report: int, **words: Any) -> None:
    os.write(report, json.dumps(words).encode() + b"\n")
    os.close(report)


def _end_with_parent(lifeline: int, private: str) -> None:
    """Wait for the parent to end, however it ends: then nothing holds the pipe any more."""
    while os.read(lifeline, 64):
        pass
    os.kill(os.getpid(), signal.SIGTERM)  # Jupyter ends its kernels
    time.sleep(PARTING)
    shutil.rmtree(private, ignore_errors=True)
    os._exit(1)  # kernels end by themselves when their server is gone


def _share_listener(listener: socket.socket) -> None:
    """Let every server of this process listen where we do; a port of its own it would not get."""
    import tornado.netutil

    def share_listener(*_: Any, **__: Any) -> list[socket.socket]:
        return [listener.dup()]

    tornado.netutil.bind_sockets = (
        share_listener  # before its servers are imported, which take it by name
    )


def _hide_node() -> None:
    """Let JupyterLab find no node, which it would ask for settings of builds that it never does."""
    import jupyterlab_server.process

    from verikit.errors import FormatError

    def refuse_program(command: str, *_: Any, **__: Any) -> str:
        raise FormatError(f"{command} is not used here, nor looked for.")

    jupyterlab_server.process.which = refuse_program


def _run_jupyter(orders: dict[str, Any], port: int) -> None:
    """Run Jupyter's module as a command, with arguments that only this process sees."""
    options = [f"--{orders['section']}.port={port}", f"--IdentityProvider.token={orders['token']}"]
    if orders["module"] == "jupyterlab":
        _hide_node()
    if orders["module"] == "voila":
        limit_visitors()
    sys.argv = [orders["module"], *orders["options"], *options]
    runpy.run_module(orders["module"], run_name="__main__", alter_sys=True)


MAX_VISITORS, VISITORS = 8, "VERIKIT_VISITORS"  # some 120 MB each
TOO_MANY_OPEN = (
    "The self-check is open {} already, which is as often as its owner allows. Close one of its "
    "tabs and load this page again; one that nobody uses ends after ten minutes."
)


def limit_visitors() -> None:
    """Let Voilà open no more pages at a time than some, and say so to whoever comes then.

    A page that is being opened holds a place under the name that its kernel will have, so that many
    who come at once are counted too.
    """
    from verikit._support.html import element, page
    from verikit.words import count

    most = int(os.environ.get(VISITORS, MAX_VISITORS))
    tornado: Any = import_module("tornado.web")
    handler: Any = import_module("voila.tornado.handler").TornadoVoilaHandler
    kernels: Any = import_module("jupyter_client.multikernelmanager").MultiKernelManager
    opening: set[str] = set()
    place: ContextVar[str | None] = ContextVar("place", default=None)
    get, new_id = handler.get, kernels.new_kernel_id

    async def get_if_there_is_room(self: Any, path: str | None = None) -> Any:
        warm = self.kernel_manager.get_pool_size(self.notebook_path or path)
        if len(opening.union(self.kernel_manager.list_kernel_ids())) >= most + warm:
            self.set_status(503)
            words = TOO_MANY_OPEN.format(count(most, "time"))
            return self.finish(page("verikit", element("main", element("p", words), class_="vk")))
        mine = str(uuid4())
        opening.add(mine)
        place.set(mine)
        try:
            return await get(self, path)
        finally:
            opening.discard(mine)

    def take_kernel_id(self: Any, **kwargs: Any) -> str:
        mine = place.get()
        place.set(None)
        return mine or str(new_id(self, **kwargs))

    handler.get, kernels.new_kernel_id = tornado.authenticated(get_if_there_is_room), take_kernel_id


if __name__ == "__main__":
    main()
