"""An event loop whose clock a busy machine cannot hurry: time passes only while nobody works."""

import asyncio


class Clock(asyncio.SelectorEventLoop):
    """What waits is not waited for: where nothing is left to do, the clock is put forward."""

    def __init__(self):
        self.passed = 0.0
        super().__init__()
        heard = self._selector.select

        def select(timeout=None):
            found = heard(0)
            if not found and timeout:
                self.passed += timeout
            return found

        self._selector.select = select

    def time(self):
        return self.passed


def live(coroutine):
    """What a coroutine gives, run as a kernel runs what it is told, by such a clock."""
    with asyncio.Runner(loop_factory=Clock) as runner:
        return runner.run(coroutine)


def take(seconds):
    """Work for so long, while messages come in."""
    asyncio.get_running_loop().passed += seconds
