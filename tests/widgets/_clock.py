"""An event loop whose clock a busy machine cannot hurry: time passes only while nobody works."""

import asyncio
import threading
import time

from verikit.widgets._callbacks import NAME

LOOK = 0.01


class Clock(asyncio.SelectorEventLoop):
    """What waits is not waited for: where nothing is left to do, the clock is put forward.

    While a thread of a view works, the clock goes as clocks do.
    """

    def __init__(self):
        self.passed = 0.0
        super().__init__()
        heard = self._selector.select

        def select(timeout=None):
            began, working = time.monotonic(), any(t.name == NAME for t in threading.enumerate())
            found = heard(min(timeout or 0, LOOK) if working else 0)
            if working:
                self.passed += time.monotonic() - began
            elif not found and timeout:
                self.passed += timeout
            return found

        self._selector.select = select

    def time(self):
        return self.passed


def live(coroutine):
    """What a coroutine gives, run as a kernel runs what it is told, by such a clock."""
    with asyncio.Runner(loop_factory=Clock) as runner:
        return runner.run(coroutine)
