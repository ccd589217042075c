"""A screen to which a person gives a table: by its path, as a file, and how it is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar, get_args

from verikit.datasets import find_release
from verikit.languages import form_text
from verikit.release import Promise, Release, open_with_spelling
from verikit.table.reading import MISSING, Asked
from verikit.widgets._callbacks import guard_box
from verikit.widgets._panel import Field, Panel, Part

FILE = "file"
ELSEWHERE = ("path", FILE)
UNTOLD = "untold"
T = TypeVar("T")
SPELLING = "spelling"
SAME = {"utf-8": "UTF-8", "utf-16": "UTF-16"}
LETTERS = {"cp1252": "western", "cp1250": "central", "cp1251": "cyrillic", "mac_roman": "mac"}
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
MARKS = {".": "point", ",": "comma"}
BETWEEN = {"\t": "tab", " ": "space"}
CHOICES: Mapping[str, tuple[str, Sequence[str]]] = {
    "encoding": ("letters", ("utf-8", *LETTERS, "utf-16")),
    "separator": ("between", [BETWEEN.get(mark, mark) for mark in SEPARATORS]),
    "decimal": ("decimals", list(MARKS)),
}


class TablePanel(Panel):
    """A panel that opens a table apart from its messages; a subclass says what it does with it.

    What is wrong with a table stands at the box by which it was given, and the one before it stays.
    """

    _path: str
    _file: Opened

    def _take_table(self, release: Release, named: str = "", *, file: Opened | None = None) -> None:
        """Make a release the one that is shown, and the file the one that it came from, if any."""
        raise NotImplementedError

    def _open_path(self, path: str, promise: str = UNTOLD) -> None:
        """Open a table on this computer, named from where the person stands."""
        self._path = path
        if not path:
            return
        with guard_box(self, "path"):
            start = os.environ.get("VERIKIT_START", ".")
            place, name = Path(start) / Path(path).expanduser(), Path(path).name
            if _is_file_here(place):
                self._file = Opened(place, name, promise=promise)
                self._read_file("path")
                return
            read = partial(find_release, path, start)
            self._fetch_table(read, lambda release: self._take_table(release, name), "path", name)

    def _read_file(self, box: str) -> None:
        """Read the file that was given, in the way that is said of it."""
        file = self._file

        def take(found: tuple[Release, Any]) -> None:
            self._take_table(found[0], file.name, file=file.read_as(found[1]))

        read = partial(open_with_spelling, file.source, file.asked, file.promise)
        self._fetch_table(read, take, box, file.name)

    def _fetch_table(
        self, read: Callable[[], T], take: Callable[[T], None], box: str, name: str
    ) -> None:
        """Read what may be large, and take it; what is wrong with it stands at its box."""

        def then(found: Callable[[], T]) -> None:
            with guard_box(self, box):
                take(found())

        if not self._latest.start_apart(read, then, form_text("opening", name=name)):
            then(read)

    def on_upload(self, stream: BytesIO) -> None:
        """A table arrived from the person's own computer."""
        self._file = Opened(stream, str(stream.name))
        self._read_file(FILE)


def concerns_table(place: str) -> bool:
    """Whether a box concerns another table than the one that is checked against."""
    return place in ELSEWHERE or place.startswith(f"{SPELLING}/")


def _is_file_here(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):  # no name that a file can have
        return False


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that was given, what was said of its spelling, and how it was read.

    Parameters
    ----------
    source
        Its path, or its content; None where no file was given, or nothing can be said of it.
    name
        What it is called.
    asked
        What was said of how it is written.
    how
        How it was read, as far as files of its format may differ; None where it was not.
    read
        Whether it was read.
    promise
        What was said of its values.
    """

    source: Any = field(default=None, repr=False)
    name: str = ""
    asked: Asked = field(default_factory=Asked)
    how: Asked | None = None
    read: bool = False
    promise: str = UNTOLD

    def change(self, name: str, value: str) -> Opened:
        """The same file, with one more thing said of it; the empty text takes it back."""
        said: Any = value.strip() or None
        if name == "promise":
            return replace(self, promise=said or UNTOLD, read=False)
        if name in ("missing", "words"):
            said = tuple(one.strip() for one in value.split(";") if one.strip()) or None
        if name == "missing" and said:  # besides what does anyway
            said = (*MISSING, *said)
        return replace(self, asked=replace(self.asked, **{name: said}), read=False)

    def read_as(self, how: Asked | None) -> Opened:
        """The file as it was read; of a described release, of which nothing can be said, none."""
        return Opened() if how is None else replace(self, how=how, read=True)


def spelling_parts(file: Opened) -> list[Part]:
    """Two parts of the form where a bare table was given: how it is written, what it promises.

    Examples
    --------
    >>> file = Opened("a.csv", "a.csv", how=Asked("utf-8", ";", ","), read=True)
    >>> spelled, promised = spelling_parts(file)
    >>> spelled.lines[0][0]
    'Read with the letters UTF-8, a semicolon between two values and a comma before the decimals.'
    """
    if file.source is None:
        return []
    fields = [
        Field(
            f"{SPELLING}/{name}",
            "choice",
            form_text(label),
            getattr(file.asked, name) or "",
            options=(
                ("", form_text("find")),
                *((known, _name_spelling(known)) for known in choices),
            ),
        )
        for name, (label, choices) in CHOICES.items()
    ]
    textual = file.how is None or file.how.encoding is not None
    if not textual:
        fields = []
    if textual or file.asked.sheet:
        fields.append(_make_text_box("sheet", file.asked.sheet or ""))
    fields.append(_make_text_box("words", "; ".join(file.asked.words or ())))
    fields.append(
        _make_text_box("missing", "; ".join((file.asked.missing or MISSING)[len(MISSING) :]))
    )
    lines = [(_describe_reading(file), "")]
    spelled = Part(SPELLING, form_text("spelled"), lines, fields, fold=form_text("otherwise"))
    known = reversed(get_args(Promise))  # what nothing is told of first
    options = tuple((name, form_text(f"promise-{name.replace(' ', '-')}")) for name in known)
    box = Field(
        f"{SPELLING}/promise", "choice", form_text("promise"), file.promise, options=options
    )
    return [spelled, Part("promise", "", (), [box])]


def _name_spelling(known: str) -> str:
    """What a way to write is called: letters, a separator or a mark before the decimals."""
    mark = {"tab": "\t", "space": " "}.get(known, known)
    name = LETTERS.get(mark) or SEPARATORS.get(mark) or MARKS.get(mark)
    return form_text(name) if name else SAME.get(mark, mark)


def _make_text_box(name: str, value: str) -> Field:
    place, told = f"{SPELLING}/{name}", form_text(f"{name}-help")
    return Field(place, "text", form_text(name), value, help=told, wide=True)


def _describe_reading(file: Opened) -> str:
    """How it was read, in words."""
    how = file.how
    if not file.read:
        return form_text("unread", name=file.name)
    if how is None or how.encoding is None:
        return form_text("was-read", name=file.name)
    letters = _name_spelling(str(how.encoding).removesuffix("-sig"))
    between, before = _name_spelling(how.separator or ","), _name_spelling(how.decimal or ".")
    return form_text("understood", letters=letters, between=between, before=before)
