"""How a language writes what sentences are filled with, and which language is spoken now."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from verikit.languages._files import own_texts, texts_of
from verikit.words import joined

__all__ = [
    "Entry", "Language", "find_denominator", "localize_number", "read_language", "speaks_of",
    "spoken_language", "use_language",
]  # fmt: skip


class Entry(NamedTuple):
    """One line of the table of sentences: its number, its condition, and its words."""

    key: str
    when: str
    text: str
    state: str = ""
    value: str = ""


@dataclass(frozen=True, eq=False)
class Language:
    """How one language writes what sentences are filled with.

    Parameters
    ----------
    code
        Its name among languages, such as ``"de"``.
    words
        Its marks, plurals, shares and chances: ``[speech]`` of its file.

    Examples
    --------
    >>> read_language("de").sentences["masked.figure-one"].value
    '1 Datensatz'
    """

    code: str
    words: Mapping[str, Any]

    @cached_property
    def sentences(self) -> Mapping[str, Entry]:
        """Every sentence that a check may say, by kind and name, with the condition of it."""
        conditions = texts_of(self.code, "conditions")
        own = own_texts(self.code, "sentences")
        found = {}
        for kind, lines in own_texts("en", "sentences").items():
            for name, line in lines.items():
                entry = Entry(**line)
                given = own.get(kind, {}).get(name, {})
                words = given if isinstance(given, Mapping) else {"text": given}
                when = conditions.get(entry.when, entry.when)
                found[f"{kind}.{name}"] = entry._replace(**{"when": when, **words})
        return found

    @cached_property
    def marks(self) -> dict[int, str]:
        """What stands for the comma and the point of a number as Python writes it."""
        return str.maketrans({",": self.words["thousands"], ".": self.words["decimal"]})

    def choose_form(self, number: int, forms: Sequence[str]) -> str:
        """Choose the form of a word for so many; a language has two or three.

        Examples
        --------
        >>> polish = read_language("pl")
        >>> [polish.choose_form(n, ("rekord", "rekordy", "rekordów")) for n in (1, 3, 13)]
        ['rekord', 'rekordy', 'rekordów']
        """
        if number == 1 or (number == 0 and self.words["plural"] == "zero"):
            return forms[0]
        few = number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14)
        return forms[1] if few or self.words["plural"] != "few" else forms[-1]

    def format_count(self, number: int, *forms: str) -> str:
        """Write a number of things."""
        return f"{number:,}".translate(self.marks) + f" {self.choose_form(number, forms)}"

    def format_share(self, part: float, of: int | None = None) -> str:
        """Write a share as a count of a hundred, or of a thousand where it is small.

        What is not quite none or all is never said to be it.
        """
        return self._format_cases("share", part, of or find_denominator(part))

    def format_chance(self, part: float) -> str:
        """Write a chance as cases: in so many of a hundred, or in one of so many."""
        if part in (0, 1):
            return str(self.words["always" if part else "never"])
        if 1e-6 <= part < 0.01:
            return self._format_cases("chance", 1.0, round(1 / part), 1)
        return self._format_cases("chance", part, 1_000_000 if part < 1e-6 else 100)

    def _format_cases(self, name: str, part: float, of: int, count: int | None = None) -> str:
        if count is None:
            count = round(part * of)
            if 0 < part < 1 / of:
                name, count = f"{name}-few", 1
            elif 1 - 1 / of < part < 1:
                name, count = f"{name}-most", of - 1
        text: str = self.words[name]
        a, b = (f"{number:,}".translate(self.marks) for number in (count, of))
        return text.format(a=a, b=b)

    def format_term(self, value: str) -> str:
        """Write a word of ours, such as a measure of diversity."""
        return str(self.words["terms"].get(value, value))

    def format_value(self, value: Any) -> str:
        """Write a text as it is, a number with its marks, several words as a list."""
        if isinstance(value, str):
            return value
        if isinstance(value, int):
            return f"{value:,}".translate(self.marks)
        return self.join_words(list(value))

    def join_words(self, parts: Sequence[str]) -> str:
        """Put several words together as a sentence does."""
        return joined(parts, self.words["and"])

    def fill_in(self, text: str, values: Mapping[str, Any]) -> str:
        """Fill in the places of a text: ``{n:record}``, ``{n:person/people}``, ``{s:share}`` ...

        Examples
        --------
        >>> text = "{n:record} of {all}, {p:share}"
        >>> read_language("en").fill_in(text, {"n": 1, "all": 1200, "p": 0.004})
        '1 record of 1,200, 4 of 1,000'
        """
        return "".join(
            before if name is None else before + write(self, values[name], *forms)
            for before, name, write, forms in _take_apart(self, text)
        )


WRITERS: Mapping[str, Callable[..., str]] = {
    "": Language.format_value,
    "share": Language.format_share,
    "chance": Language.format_chance,
    "term": Language.format_term,
}


@lru_cache(maxsize=2**12)
def _take_apart(
    language: Language, text: str
) -> list[tuple[str, str | None, Callable[..., str], Sequence[str]]]:
    """Take a text apart once: words, then what is filled in and how it is written."""
    found = []
    for before, name, form, _ in string.Formatter().parse(text):
        write = WRITERS.get(form or "", Language.format_count)
        forms: Sequence[str] = ()
        if write is Language.format_count and form:
            words = language.words["places"] if form == "places" else form
            forms = words.split("/") if "/" in words else (words, f"{words}s")
        found.append((before, name, write, forms))
    return found


def find_denominator(part: float) -> int:
    """Find of how many a share is said: of a hundred, or of a thousand where it is small."""
    return 1000 if 0 < part < 0.01 else 100


@cache
def read_language(code: str) -> Language:
    """Read how a language speaks.

    Examples
    --------
    >>> read_language("fr").words["name"]
    'Français'
    """
    return Language(code, texts_of(code, "speech"))


def speaks_of(language: str, kind: str) -> bool:
    """Whether what is said of a kind of release stands in a language.

    Examples
    --------
    >>> speaks_of("de", "split"), speaks_of("de", "graph"), speaks_of("en", "graph")
    (True, False, True)
    """
    return language == "en" or kind in own_texts(language, "sentences")


_spoken: ContextVar[Language | None] = ContextVar("verikit_language", default=None)


def spoken_language() -> Language:
    """Give the language that is spoken at this moment; English, unless told otherwise."""
    return _spoken.get() or read_language("en")


@contextmanager
def use_language(code: str) -> Iterator[None]:
    """Speak a language as long as this lasts, in this thread only.

    Examples
    --------
    >>> with use_language("de"):
    ...     localize_number("1,234.5")
    '1.234,5'
    """
    token = _spoken.set(read_language(code))
    try:
        yield
    finally:
        _spoken.reset(token)


def localize_number(number: str) -> str:
    """Write a number as Python writes it with the marks of the language that is spoken."""
    return number.translate(spoken_language().marks)
