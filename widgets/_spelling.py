"""How a file was understood to be written, and the boxes that say it otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from verikit.subject import worded
from verikit.table.reading import Asked
from verikit.widgets._panel import Field, Part

__all__ = ["SPELLING", "Opened", "spelling_parts"]

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
        How it was read; None where it was not, or is spelled in one way only.
    read
        Whether it was read.
    """

    source: Any = field(default=None, repr=False)
    name: str = ""
    asked: Asked = field(default_factory=Asked)
    how: Asked | None = None
    read: bool = False

    def told(self, name: str, value: str) -> Opened:
        """The same file, with one more thing said of it; the empty text takes it back."""
        return replace(self, asked=replace(self.asked, **{name: value.strip() or None}), read=False)

    def read_as(self, how: Asked | None) -> Opened:
        """The file as it was read; of a format that is spelled one way only, nothing is kept."""
        known = how is not None or self.asked.sheet is not None
        return replace(self, how=how, read=True) if known else Opened()


def spelling_parts(file: Opened, errors: Mapping[str, str]) -> list[Part]:
    """One part of the form where a file was given that may be written in several ways, else none.

    Examples
    --------
    >>> (part,) = spelling_parts(
    ...     Opened("a.csv", "a.csv", how=Asked("utf-8", ";", ","), read=True), {}
    ... )
    >>> part.lines[0][0]
    'Read with the letters UTF-8, a semicolon between two values and a comma before the decimals.'
    """
    if file.source is None:
        return []
    fields = [
        Field(
            f"{SPELLING}/{name}",
            "choice",
            worded(label),
            getattr(file.asked, name) or "",
            error=errors.get(f"{SPELLING}/{name}", ""),
            options=(("", worded("find")), *((known, _words(known)) for known in choices)),
        )
        for name, (label, choices) in CHOICES.items()
    ]
    fields.append(_sheet(file, errors))
    lines = [(_understood(file), "")]
    return [Part(SPELLING, worded("spelled"), lines, fields, fold=worded("otherwise"))]


def _words(known: str) -> str:
    """What a way to write is called: letters, a separator or a mark before the decimals."""
    mark = {"tab": "\t", "space": " "}.get(known, known)
    name = LETTERS.get(mark) or SEPARATORS.get(mark) or MARKS.get(mark)
    return worded(name) if name else SAME.get(mark, mark)


def _sheet(file: Opened, errors: Mapping[str, str]) -> Field:
    return Field(
        f"{SPELLING}/sheet",
        "text",
        worded("sheet"),
        file.asked.sheet or "",
        help=worded("sheet-help"),
        error=errors.get(f"{SPELLING}/sheet", ""),
        wide=True,
    )


def _understood(file: Opened) -> str:
    """How it was read, in words."""
    how = file.how
    if not file.read:
        return worded("unread", name=file.name)
    if how is None:
        return worded("was-read", name=file.name)
    letters = _words(str(how.encoding).removesuffix("-sig"))
    between, before = _words(how.separator or ","), _words(how.decimal or ".")
    return worded("understood", letters=letters, between=between, before=before)
