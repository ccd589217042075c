"""A screen to which a person gives a table: by its path, as a file, and how it is written."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

from verikit.datasets import find_release
from verikit.languages import form_text
from verikit.release import Release, open_with_spelling
from verikit.widgets._guard import guarded
from verikit.widgets._panel import Panel
from verikit.widgets._spelling import SPELLING, Opened

__all__ = ["Opening", "elsewhere"]

FILE = "file"
ELSEWHERE = ("path", FILE)
T = TypeVar("T")


class Opening(Panel):
    """A panel that opens a table apart from its messages; a subclass says what it does with it.

    What is wrong with a table stands at the box by which it was given, and the one before it stays.
    """

    _path: str
    _file: Opened

    def _take(self, release: Release, named: str = "", *, file: Opened | None = None) -> None:
        """Make a release the one that is shown, and the file the one that it came from, if any."""
        raise NotImplementedError

    def _spelled(self, how: str, value: str) -> None:
        self._file = self._file.told(how, value)
        self._read_file(f"{SPELLING}/{how}")

    @guarded("path")
    def _open(self, path: str) -> None:
        """Open a table on this computer, named from where the person stands."""
        self._path = path
        if not path:
            return
        start = os.environ.get("VERIKIT_START", ".")
        place, name = Path(start) / Path(path).expanduser(), Path(path).name
        if _is_file(place):
            self._file = Opened(place, name)
            self._read_file("path")
            return
        read = partial(find_release, path, start)
        self._fetch(read, lambda release: self._take(release, name), "path", name)

    def _read_file(self, box: str) -> None:
        """Read the file that was given, in the way that is said of it."""
        file = self._file

        def take(found: tuple[Release, Any]) -> None:
            self._take(found[0], file.name, file=file.read_as(found[1]))

        self._fetch(partial(open_with_spelling, file.source, file.asked), take, box, file.name)

    def _fetch(self, read: Callable[[], T], take: Callable[[T], None], box: str, name: str) -> None:
        """Read what may be large, and take it; what is wrong with it stands at its box."""

        @guarded(box)
        def then(_: Opening, found: Callable[[], T]) -> None:
            take(found())

        self._latest.apart(read, partial(then, self), form_text("opening", name=name))

    def uploaded(self, stream: BytesIO) -> None:
        """A table arrived from the person's own computer."""
        self._file = Opened(stream, str(stream.name))
        self._read_file(FILE)


def elsewhere(place: str) -> bool:
    """Whether a box concerns another table than the one that is checked against."""
    return place in ELSEWHERE or place.startswith(f"{SPELLING}/")


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):  # no name that a file can have
        return False
