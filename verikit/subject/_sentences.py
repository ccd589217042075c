"""The table of what a check may say: read once, each line filled in by name."""

from __future__ import annotations

import string
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from verikit.words import chance, count, joined, places, share

__all__ = ["Entry", "entries", "filled", "out_of", "said"]

SENTENCES = "sentences.toml"


class Entry(NamedTuple):
    """One line of the table of sentences: its number, its condition, and its words."""

    key: str
    when: str
    text: str
    state: str = ""
    value: str = ""


@cache
def entries() -> Mapping[str, Entry]:
    """Every sentence that a check may say, by kind and name.

    Examples
    --------
    >>> entries()["split.own"].when
    'you gave it, and a group that fits shows it'
    """
    import tomllib

    content = files("verikit.subject").joinpath(SENTENCES).read_text(encoding="utf-8")
    return {
        f"{kind}.{name}": Entry(**line)
        for kind, lines in tomllib.loads(content).items()
        for name, line in lines.items()
    }


def said(name: str, /, **told: Any) -> str:
    """The words of one line, filled in.

    Examples
    --------
    >>> said("split.learns", title="illness", value="flu")
    'Someone who knows your values learns your illness: it can only be flu.'
    """
    return filled(entries()[name].text, told)


def filled(text: str, told: Mapping[str, Any]) -> str:
    """A text with its places filled in.

    Examples
    --------
    >>> filled("{n:record} of {all}, {p:share}", {"n": 1, "all": 1200, "p": 0.004})
    '1 record of 1,200, 4 of 1,000'
    """
    return "".join(
        before if name is None else before + _shown(told[name], form or "")
        for before, name, form in _pieces(text)
    )


def out_of(part: float) -> int:
    """Of how many a share is said: of a hundred, or of a thousand where it is small."""
    return 1000 if 0 < part < 0.01 else 100


@cache
def _pieces(text: str) -> tuple[tuple[str, str | None, str | None], ...]:
    """A text taken apart once: words, then the name and the form of what is filled in."""
    return tuple(piece[:3] for piece in string.Formatter().parse(text))


def _shown(value: Any, form: str) -> str:
    """A value as ``{n:record}``, ``{n:person/people}``, ``{d:places}`` or ``{s:share}`` says it."""
    if form == "places":
        return places(value)
    if form == "share":
        return share(value, out_of(value))
    if form == "chance":
        return chance(value)
    if form:
        one, _, many = form.partition("/")
        return count(value, one, many)
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else joined(value)
