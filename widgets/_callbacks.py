"""Of many values sent one after another only the newest are checked; and signs of life meanwhile.

A kernel takes the messages of a page one by one, each in a turn of its event loop. What a message
brings is stored at once; the check of it waits until no more of them come in, and is worked out
apart, so that a press of Stop is heard while it lasts.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, Generic, NoReturn, TypeVar

from verikit._support.told import Told
from verikit.errors import VerikitError
from verikit.languages import form_text, translate

QUIET = 0.02  # seconds without a message, after which none is taken to be waiting
SOON = 0.3  # seconds after which it is said that something takes time
BEAT = 2.0  # seconds between two signs of life
T = TypeVar("T")
NAME = "verikit, at work for a view"
HERE = threading.local()


class Debouncer:
    """Wait until all messages are taken, and do the newest work only, once.

    Parameters
    ----------
    alive
        Told every other second while work is done, with nothing, from a thread of its own; and
        once with the words for work apart, as soon as it can be said to take time.
    """

    def __init__(self, alive: Callable[[str], object]) -> None:
        self._say_alive = alive
        self._hearing = False
        self._free = False  # whether messages can come in while work is done apart
        self._apart: BackgroundTask[Any] | None = None
        self._before: BackgroundTask[Any] | None = None  # the last that was begun, left or not
        self._timer: asyncio.TimerHandle | None = None
        self._long: asyncio.TimerHandle | None = None
        self._work: Callable[[], None] | None = None

    @property
    def has_work(self) -> bool:
        """Whether there is work that waits, or is done apart."""
        return self._work is not None or self._apart is not None

    @property
    def can_stop(self) -> bool:
        """Whether work is done apart, which may be left."""
        return self._apart is not None

    @contextlib.contextmanager
    def take_message(self) -> Iterator[None]:
        """Take one message: the work that it asks for may wait, if others can come in meanwhile."""
        self._hearing = True
        try:
            with self._signs_of_life(), self._set_free():
                yield
        finally:
            self._hearing = False

    def postpone(self, work: Callable[[], None]) -> bool:
        """Do it once no more messages come in; where no message asked for it, tell so."""
        loop = _get_loop() if self._hearing else None
        self._drop_work()
        if loop is not None:
            self._work = work
            self._timer = loop.call_later(QUIET, self._do_waiting)
        return loop is not None

    def now(self) -> None:
        """Do what waits now, because what comes next builds on its result."""
        while self._apart is not None:  # what is done with its result may begin another
            self._apart.finish()
        work = self._work
        self._drop_work()
        if work is not None:
            with self._set_free(free=False):
                work()

    def stop(self) -> None:
        """Leave the long work that is done between messages, and what is done apart."""
        self._end_steps()
        if self._apart is not None:
            self._apart.abandon_task(told=True)

    def start_apart(
        self, work: Callable[[], T], then: Callable[[Callable[[], T]], None], words: str
    ) -> bool:
        """Do a work in a thread where messages can come in meanwhile; where none can, tell so.

        Parameters
        ----------
        work
            What takes long. Of its steps each may ask `left` whether anybody waits for it still.
        then
            Given what returns what the work returned, or raises what it raised; a `StoppedError`
            where somebody did not want to wait. Not called if newer work took its place.
        words
            What is said of the work if it takes time.
        """
        loop = _get_loop() if self._free else None
        if self._apart is not None:
            self._apart.abandon_task()

        def finish(found: Callable[[], T]) -> None:
            self._apart = None if self._apart is apart else self._apart
            with self._set_free():
                then(found)

        apart = BackgroundTask(work, finish) if loop is not None else None
        if apart is None or not apart.start(loop, self._before):
            self._apart = None
            return False
        self._apart = self._before = apart
        self._repeat_sign(loop, apart, SOON, words)
        return True

    def _repeat_sign(
        self, loop: Any, apart: BackgroundTask[Any], seconds: float, words: str
    ) -> None:
        """Say after a while that work is done apart, and then again and again that it still is."""

        def tell() -> None:
            if self._apart is apart:
                self._say_alive(words)
                self._repeat_sign(loop, apart, BEAT, "")

        loop.call_later(seconds, tell)

    def do_meanwhile(self, step: Callable[[], bool]) -> bool:
        """Do a long work step by step between messages, until it says that it is done.

        New work ends it. Where no messages can come in, nothing is done, and this is told.
        """
        loop = _get_loop()
        self._end_steps()
        if loop is not None:
            self._long = loop.call_later(QUIET, self._step, step)
        return loop is not None

    def _step(self, step: Callable[[], bool]) -> None:
        self._long = None
        if self.has_work or not step():
            loop = _get_loop()
            if loop is not None:
                self._long = loop.call_later(QUIET, self._step, step)

    def _end_steps(self) -> None:
        if self._long is not None:
            self._long.cancel()
        self._long = None

    def _drop_work(self) -> None:
        self._end_steps()
        if self._apart is not None:
            self._apart.abandon_task()
        self._apart = None
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._work = None

    def _do_waiting(self) -> None:
        work, self._work = self._work, None
        if work is not None:
            with self._signs_of_life(), self._set_free():
                work()

    @contextlib.contextmanager
    def _set_free(self, *, free: bool = True) -> Iterator[None]:
        """Whether messages can come in while what is asked for now is worked out."""
        before, self._free = self._free, free
        try:
            yield
        finally:
            self._free = before

    @contextlib.contextmanager
    def _signs_of_life(self) -> Iterator[None]:
        """Signs of life from a thread while something is done; only where a kernel runs."""
        done = threading.Event()
        if _get_loop() is not None:
            beat = functools.partial(copy_context().run, self._send_beats, done)
            with contextlib.suppress(RuntimeError):  # a browser's Python has no threads
                threading.Thread(target=beat, daemon=True).start()
        try:
            yield
        finally:
            done.set()

    def _send_beats(self, done: threading.Event) -> None:
        while not done.wait(BEAT):
            self._say_alive("")


def _get_loop() -> Any:
    """The event loop that runs now, if one does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class StoppedError(VerikitError):
    """Somebody did not want to wait for an answer."""


class BackgroundTask(Generic[T]):
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

    def start(self, loop: Any, before: BackgroundTask[Any] | None) -> bool:
        """Begin, after another that was left has come to its end; whether there are threads."""
        context = copy_context()

        def run() -> None:
            if before is not None:
                before.wait()
            context.run(self._run_work)
            with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody listens
                loop.call_soon_threadsafe(self.finish, context=context)

        self._thread = threading.Thread(target=run, name=NAME, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # a browser's Python has none
            return False
        return True

    def _run_work(self) -> None:
        HERE.apart = self
        try:
            self._found.set_result(raise_stopped() if self.left else self._work())
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

    def abandon_task(self, *, told: bool = False) -> None:
        """Wait no longer; where it is told, what is asked of the work raises `StoppedError`."""
        was, self._told, self.left = self._told, True, True
        if told and not was:
            self._then(raise_stopped)


def is_abandoned() -> bool:
    """Whether the work in whose thread this is asked was left.

    Examples
    --------
    >>> is_abandoned()
    False
    """
    apart = getattr(HERE, "apart", None)
    return apart is not None and apart.left


def raise_stopped() -> NoReturn:
    """What a work comes to that was left."""
    words = "You stopped this before it was done; ask once more, or change what you ask."
    raise StoppedError(Told(words, "left"))


def say_error(error: Exception) -> str:
    """What to tell a person about an error.

    Examples
    --------
    >>> from verikit.errors import RecordError
    >>> say_error(RecordError("'age' was given as 'x'; expected a number."))
    "'age' was given as 'x'; expected a number."
    >>> say_error(ZeroDivisionError("division by zero"))
    'Could not do that. ZeroDivisionError: division by zero'
    """
    if isinstance(error, VerikitError):
        return translate(error.told)
    return form_text("failed", error=f"{type(error).__name__}: {error}")


@contextlib.contextmanager
def guard_box(widget: Any, place: str = "") -> Iterator[None]:
    """Show an error of what is done in here at its box, or where its field says."""
    try:
        yield
    except Exception as error:
        widget.show_error(error, place)
