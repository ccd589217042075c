"""Of many values sent one after another only the newest are checked; and signs of life meanwhile.

A kernel takes the messages of a page one by one, each in a turn of its event loop. What a message
brings is stored at once; the check of it waits until no more of them come in.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

__all__ = ["Latest", "newest"]

QUIET = 0.02  # seconds without a message, after which none is taken to be waiting
BEAT = 2.0  # seconds between two signs of life

P = ParamSpec("P")


class Latest:
    """The work that waits until all messages are taken: the newest only, and never twice.

    Parameters
    ----------
    alive
        Told every other second while work is done, from a thread of its own.
    """

    def __init__(self, alive: Callable[[], object]) -> None:
        self._alive = alive
        self._hearing = False
        self._timer: asyncio.TimerHandle | None = None
        self._long: asyncio.TimerHandle | None = None
        self._work: Callable[[], None] | None = None

    @property
    def waiting(self) -> bool:
        """Whether there is work that waits."""
        return self._work is not None

    @contextlib.contextmanager
    def hearing(self) -> Iterator[None]:
        """Take one message: the work that it asks for may wait, if others can come in meanwhile."""
        self._hearing = True
        try:
            with self._beating():
                yield
        finally:
            self._hearing = False

    def do(self, work: Callable[[], None]) -> None:
        """Do it once no more messages come in; at once if it was no message that asked for it."""
        loop = _loop() if self._hearing else None
        self._drop()
        if loop is None:
            work()
            return
        self._work = work
        self._timer = loop.call_later(QUIET, self._wake)

    def now(self) -> None:
        """Do what waits now, because what comes next builds on its result."""
        work = self._work
        self._drop()
        if work is not None:
            work()

    def stop(self) -> None:
        """Leave the long work that is done between messages."""
        self._end()

    def meanwhile(self, step: Callable[[], bool]) -> bool:
        """Do a long work step by step between messages, until it says that it is done.

        New work ends it. Where no messages can come in, nothing is done, and this is told.
        """
        loop = _loop()
        self._end()
        if loop is not None:
            self._long = loop.call_later(QUIET, self._step, step)
        return loop is not None

    def _step(self, step: Callable[[], bool]) -> None:
        self._long = None
        if self.waiting or not step():
            loop = _loop()
            if loop is not None:
                self._long = loop.call_later(QUIET, self._step, step)

    def _end(self) -> None:
        if self._long is not None:
            self._long.cancel()
        self._long = None

    def _drop(self) -> None:
        self._end()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._work = None

    def _wake(self) -> None:
        with self._beating():
            self.now()

    @contextlib.contextmanager
    def _beating(self) -> Iterator[None]:
        """Signs of life from a thread while something is done; only where a kernel runs."""
        done = threading.Event()
        if _loop() is not None:
            beat = functools.partial(copy_context().run, self._beat, done)
            with contextlib.suppress(RuntimeError):  # a browser's Python has no threads
                threading.Thread(target=beat, daemon=True).start()
        try:
            yield
        finally:
            done.set()

    def _beat(self, done: threading.Event) -> None:
        while not done.wait(BEAT):
            self._alive()


class Merging(Protocol):
    """What holds the work that waits."""

    _latest: Latest


W = TypeVar("W", bound=Merging)


def newest(
    check: Callable[Concatenate[W, P], None],
) -> Callable[Concatenate[W, P], None]:
    """Make a check wait until all messages are taken, and run once for all of them."""

    @functools.wraps(check)
    def run(panel: W, *args: P.args, **kwargs: P.kwargs) -> None:
        panel._latest.do(lambda: check(panel, *args, **kwargs))

    return cast("Callable[Concatenate[W, P], None]", run)


def _loop() -> Any:
    """The event loop that runs now, if one does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
