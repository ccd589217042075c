"""The language that a check speaks: its numbers, plurals, shares and chances."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from verikit.words import joined

__all__ = ["LANGUAGES", "Speech", "localized", "speaking", "speech", "speeches"]

LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pl", "pt")

_spoken: ContextVar[str] = ContextVar("verikit_language", default="en")


@dataclass(frozen=True, slots=True)
class Speech:
    """How one language writes what sentences are filled with; see ``speech.toml``."""

    language: str
    words: Mapping[str, Any]

    @property
    def tags(self) -> Mapping[str, str]:
        """The states of a headline in words."""
        tags: Mapping[str, str] = self.words["tags"]
        return tags

    def marked(self, number: str) -> str:
        """A number as Python writes it, with the marks of the language."""
        marks = {",": self.words["thousands"], ".": self.words["decimal"]}
        return "".join(marks.get(letter, letter) for letter in number)

    def plural(self, number: int, forms: Sequence[str]) -> str:
        """The form of a word for so many; a language has two or three.

        Examples
        --------
        >>> [speeches()["pl"].plural(n, ("rekord", "rekordy", "rekordów")) for n in (1, 3, 13)]
        ['rekord', 'rekordy', 'rekordów']
        """
        if number == 1 or (number == 0 and self.words["plural"] == "zero"):
            return forms[0]
        few = number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14)
        return forms[1] if few or self.words["plural"] != "few" else forms[-1]

    def count(self, number: int, forms: Sequence[str]) -> str:
        """A number of things."""
        return f"{self.marked(f'{number:,}')} {self.plural(number, forms)}"

    def share(self, part: float, of: int = 100) -> str:
        """A share as a count of a hundred; what is not quite none or all is never said to be it."""
        return self._of("share", part, of)

    def chance(self, part: float) -> str:
        """A chance as cases: in so many of a hundred, or in one of so many."""
        if part in (0, 1):
            return str(self.words["always" if part else "never"])
        if part < 1e-6:
            return self._of("chance", part, 1_000_000)
        if part < 0.01:
            return self._filled("chance", 1, round(1 / part))
        return self._of("chance", part, 100)

    def joined(self, parts: Sequence[str]) -> str:
        """Several words as a sentence puts them together."""
        return joined(parts, self.words["and"])

    def _of(self, name: str, part: float, of: int) -> str:
        if 0 < part < 1 / of:
            return self._filled(f"{name}-few", 1, of)
        if 1 - 1 / of < part < 1:
            return self._filled(f"{name}-most", of - 1, of)
        return self._filled(name, round(part * of), of)

    def _filled(self, name: str, a: int, b: int) -> str:
        text: str = self.words[name]
        return text.format(a=self.marked(f"{a:,}"), b=self.marked(f"{b:,}"))


@cache
def speeches() -> Mapping[str, Speech]:
    """By language how it speaks."""
    content = files("verikit.subject").joinpath("speech.toml").read_text(encoding="utf-8")
    return {name: Speech(name, words) for name, words in tomllib.loads(content).items()}


def speech() -> Speech:
    """How the language speaks that is spoken at this moment; English, unless told otherwise."""
    return speeches()[_spoken.get()]


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language as long as this lasts, in this thread only.

    Examples
    --------
    >>> with speaking("de"):
    ...     localized("1,234.5")
    '1.234,5'
    """
    token = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(token)


def localized(number: str) -> str:
    """A number as Python writes it, in the marks of the language that is spoken."""
    return speech().marked(number)
