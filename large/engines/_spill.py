"""The folder for what does not fit into memory, and those that killed processes left behind."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import IO

__all__ = ["Spill"]

PREFIX = "verikit-spill-"
HELD = "in-use"


class Spill:
    """A folder of its own, which others know to be in use as long as this process lives.

    Notes
    -----
    A process that is killed, as a kernel that is restarted, removes nothing. Its folder holds a
    file that it had locked; who makes the next folder, finds the lock gone and removes both.
    Windows has no such locks, and there such folders stay.

    Examples
    --------
    >>> made = Spill()
    >>> made.path.is_dir()
    True
    >>> made.remove()
    >>> made.path.exists()
    False
    """

    def __init__(self) -> None:
        for home in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
            if _abandoned(home):
                shutil.rmtree(home, ignore_errors=True)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        made = self.path / f"{HELD}-soon"
        self._held = made.open("w")
        if _lock(self._held):  # the name it is known by comes after the lock
            made.rename(self.path / HELD)

    def remove(self) -> None:
        """Give it up."""
        self._held.close()
        shutil.rmtree(self.path, ignore_errors=True)


def _abandoned(home: Path) -> bool:
    """Whether a folder is ours, and nobody holds its lock."""
    try:
        if home.is_symlink() or home.stat().st_uid != os.getuid():
            return False
        with (home / HELD).open("r+") as held:
            return _lock(held)
    except (OSError, AttributeError):
        return False


def _lock(file: IO[str]) -> bool:
    """Lock a file until it is closed; False where somebody else did, or nobody can."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
