"""A work in a thread of its own, that can be left before it is done."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, Generic, NoReturn, TypeVar

from verikit._support.told import Told
from verikit.errors import VerikitError

__all__ = ["NAME", "Apart", "StoppedError", "left", "stop"]

T = TypeVar("T")
NAME = "verikit, at work for a view"
HERE = threading.local()


class StoppedError(VerikitError):
    """Somebody did not want to wait for an answer."""


class Apart(Generic[T]):
    """A work that is done in a thread, and what is done with what it found.

    Only the one who started it hears of it, in a turn of his event loop, once at most. What was
    left goes on until it asks whether it was, or to its end, unheard.

    Parameters
    ----------
    work
        What takes long.
    then
        Given what returns what the work returned, or raises what it raised.
    """

    def __init__(self, work: Callable[[], T], then: Callable[[Callable[[], T]], None]) -> None:
        self._work, self._then = work, then
        self._found: Future[T] = Future()
        self._thread: threading.Thread | None = None
        self._told = False
        self.left = False

    def start(self, loop: Any, before: Apart[Any] | None) -> bool:
        """Begin, after another that was left has come to its end; whether there are threads."""
        context = copy_context()

        def run() -> None:
            if before is not None:
                before.wait()
            context.run(self._do)
            with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody listens
                loop.call_soon_threadsafe(self.finish, context=context)

        self._thread = threading.Thread(target=run, name=NAME, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # a browser's Python has none
            return False
        return True

    def _do(self) -> None:
        HERE.apart = self
        try:
            self._found.set_result(stop() if self.left else self._work())
        except BaseException as error:
            self._found.set_exception(error)

    def wait(self) -> None:
        """Wait for the end of the thread."""
        if self._thread is not None:
            self._thread.join()

    def finish(self) -> None:
        """Wait for what is found, and do with it what is to be done, once."""
        if not self._told:
            self._told = True
            self._then(self._found.result)

    def leave(self, *, told: bool = False) -> None:
        """Wait no longer; where it is told, what is asked of the work raises `StoppedError`."""
        was, self._told, self.left = self._told, True, True
        if told and not was:
            self._then(stop)


def left() -> bool:
    """Whether the work in whose thread this is asked was left.

    Examples
    --------
    >>> left()
    False
    """
    apart = getattr(HERE, "apart", None)
    return apart is not None and apart.left


def stop() -> NoReturn:
    """What a work comes to that was left."""
    words = "You stopped this before it was done; ask once more, or change what you ask."
    raise StoppedError(Told(words, "left"))
