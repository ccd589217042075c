"""How a file was understood to be written, and the boxes that say it otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from verikit.languages import form_text
from verikit.table.reading import MISSING, Asked
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
        How it was read, as far as files of its format may differ; None where it was not.
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
        said: Any = _marks(value) if name == "missing" else value.strip() or None
        return replace(self, asked=replace(self.asked, **{name: said}), read=False)

    def read_as(self, how: Asked | None) -> Opened:
        """The file as it was read; of a described release, of which nothing can be said, none."""
        return Opened() if how is None else replace(self, how=how, read=True)


def spelling_parts(file: Opened) -> list[Part]:
    """One part of the form where a file was given that may be written in several ways, else none.

    Examples
    --------
    >>> (part,) = spelling_parts(Opened("a.csv", "a.csv", how=Asked("utf-8", ";", ","), read=True))
    >>> part.lines[0][0]
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
            options=(("", form_text("find")), *((known, _words(known)) for known in choices)),
        )
        for name, (label, choices) in CHOICES.items()
    ]
    textual = file.how is None or file.how.encoding is not None
    if not textual:
        fields = []
    if textual or file.asked.sheet:
        fields.append(_text_box("sheet", file.asked.sheet or ""))
    fields.append(_text_box("missing", "; ".join(_told(file.asked))))
    lines = [(_understood(file), "")]
    return [Part(SPELLING, form_text("spelled"), lines, fields, fold=form_text("otherwise"))]


def _words(known: str) -> str:
    """What a way to write is called: letters, a separator or a mark before the decimals."""
    mark = {"tab": "\t", "space": " "}.get(known, known)
    name = LETTERS.get(mark) or SEPARATORS.get(mark) or MARKS.get(mark)
    return form_text(name) if name else SAME.get(mark, mark)


def _text_box(name: str, value: str) -> Field:
    place, told = f"{SPELLING}/{name}", form_text(f"{name}-help")
    return Field(place, "text", form_text(name), value, help=told, wide=True)


def _marks(value: str) -> tuple[str, ...] | None:
    """What stands for a missing value besides what does anyway; None where nothing is said."""
    told = [mark.strip() for mark in value.split(";") if mark.strip()]
    return (*MISSING, *told) if told else None


def _told(asked: Asked) -> Sequence[str]:
    """The marks that were told, without those that stand for a missing value anyway."""
    return (asked.missing or MISSING)[len(MISSING) :]


def _understood(file: Opened) -> str:
    """How it was read, in words."""
    how = file.how
    if not file.read:
        return form_text("unread", name=file.name)
    if how is None or how.encoding is None:
        return form_text("was-read", name=file.name)
    letters = _words(str(how.encoding).removesuffix("-sig"))
    between, before = _words(how.separator or ","), _words(how.decimal or ".")
    return form_text("understood", letters=letters, between=between, before=before)
