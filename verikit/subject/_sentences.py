"""The table of what a check may say: read once, each line filled in by name."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from verikit.subject._speech import speech, speeches

__all__ = [
    "Entry",
    "entries",
    "entries_in",
    "filled",
    "out_of",
    "read_in",
    "resting",
    "said",
    "stands_in",
]


class Entry(NamedTuple):
    """One line of the table of sentences: its number, its condition, and its words."""

    key: str
    when: str
    text: str
    state: str = ""
    value: str = ""


def entries() -> Mapping[str, Entry]:
    """Every sentence that a check may say, by kind and name, in the language that is spoken.

    Examples
    --------
    >>> entries()["split.own"].when
    'you gave it, and a group that fits shows it'
    """
    return entries_in(speech().language)


@cache
def entries_in(language: str) -> Mapping[str, Entry]:
    """The sentences in one language, each with its condition, which no screen shows.

    Examples
    --------
    >>> entries_in("de")["masked.figure-one"].value
    '1 Datensatz'
    """
    told = _lines(read_in(language, "sentences"))
    if language == "en":
        return {name: Entry(**line) for name, line in told.items()}
    english, conditions = entries_in("en"), read_in(language, "conditions")
    return {
        name: english[name]._replace(when=conditions[english[name].when], **words)
        for name, words in told.items()
    }


def stands_in(kind: str, language: str) -> bool:
    """Whether what is said of a kind of release stands in a language.

    Examples
    --------
    >>> stands_in("split", "de"), stands_in("graph", "de"), stands_in("graph", "en")
    (True, False, True)
    """
    return language == "en" or any(name.startswith(f"{kind}.") for name in entries_in(language))


def read_in(language: str, what: str) -> dict[str, Any]:
    """A table of words in a language, with what its chances rest on in the phrases of speech.toml.

    Examples
    --------
    >>> read_in("de", "form")["shared"]["language"]
    'Sprache'
    """
    import tomllib

    file = f"{what}.toml" if language == "en" else f"{what}.{language}.toml"
    content = files("verikit.subject").joinpath(file).read_text(encoding="utf-8")
    return tomllib.loads(resting(content, language))


def resting(text: str, language: str = "en") -> str:
    """A text with the phrases for what a chance rests on, each written once for its language.

    Examples
    --------
    >>> resting("right in 1 of 2 cases {rests:links}")
    'right in 1 of 2 cases if within a group each value is equally likely for everyone'
    """
    phrases = speeches()[language].words["rests"]
    return re.sub(r"\{rests:(\w+)\}", lambda place: str(phrases[place[1]]), text)


def _lines(read: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    return {
        f"{kind}.{name}": line if isinstance(line, dict) else {"text": line}
        for kind, lines in read.items()
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
    spoken = speech()
    if form == "places":
        return spoken.count(value, spoken.words["places"].split("/"))
    if form in ("share", "chance"):
        return spoken.chance(value) if form == "chance" else spoken.share(value, out_of(value))
    if form == "term":
        return str(spoken.words["terms"].get(value, value))
    if form:
        return spoken.count(value, form.split("/") if "/" in form else (form, f"{form}s"))
    if isinstance(value, str):
        return value
    return spoken.marked(f"{value:,}") if isinstance(value, int) else spoken.joined(list(value))
