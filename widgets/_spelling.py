"""How a file was understood to be written, and the boxes that say it otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from verikit.table.reading import Asked
from verikit.table.reading._layout import SEPARATORS
from verikit.widgets._panel import Field, Part

__all__ = ["SPELLING", "Opened", "spelling_parts"]

SPELLING = "spelling"
FOUND = ("", "find out")
LETTERS = {
    "utf-8": "UTF-8",
    "cp1252": "Windows, Western Europe",
    "cp1250": "Windows, Central Europe",
    "cp1251": "Windows, Cyrillic",
    "mac_roman": "Mac OS, older",
    "utf-16": "UTF-16",
}
MARKS = {".": "a point", ",": "a comma"}
BETWEEN = {"\t": "tab", " ": "space"}
WORDS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "encoding": ("Letters", LETTERS),
    "separator": ("Between two values", {BETWEEN.get(k, k): v for k, v in SEPARATORS.items()}),
    "decimal": ("Before the decimals", MARKS),
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
            label,
            getattr(file.asked, name) or "",
            error=errors.get(f"{SPELLING}/{name}", ""),
            options=(FOUND, *words.items()),
        )
        for name, (label, words) in WORDS.items()
    ]
    fields.append(_sheet(file, errors))
    lines = [(_understood(file), "")]
    return [Part(SPELLING, "How the file is written", lines, fields, fold="Say it otherwise…")]


def _sheet(file: Opened, errors: Mapping[str, str]) -> Field:
    return Field(
        f"{SPELLING}/sheet",
        "text",
        "Which sheet or table",
        file.asked.sheet or "",
        help="of a file that holds several; then press Enter",
        error=errors.get(f"{SPELLING}/sheet", ""),
        wide=True,
    )


def _understood(file: Opened) -> str:
    """How it was read, in words."""
    how = file.how
    if not file.read:
        return f"{file.name} could not be read; the table above is another one."
    if how is None:
        return f"{file.name} was read."
    letters = LETTERS.get(str(how.encoding).removesuffix("-sig"), str(how.encoding))
    between, before = SEPARATORS[how.separator or ","], MARKS[how.decimal or "."]
    return (
        f"Read with the letters {letters}, {between} between two values and {before} before the "
        "decimals."
    )
