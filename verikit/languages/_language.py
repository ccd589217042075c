"""How a language writes what sentences are filled with, and which language is spoken now."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple, TypeAlias

from verikit._support.rules import CELLS, PARTS
from verikit.languages._files import own_texts, texts_of
from verikit.words import joined

__all__ = [
    "Entry", "Language", "Line", "LocalNumber", "keep_number", "localize_number",
    "read_language", "speaks_of", "spoken_language", "use_language", "write_lines",
]  # fmt: skip


Line: TypeAlias = tuple[str, Any, Mapping[str, Any]]


class Entry(NamedTuple):
    """One line of the table of sentences: its number, its condition, its words, what is likely."""

    key: str
    when: str
    text: str
    state: str = ""
    value: str = ""
    likely: str = ""
    parts: tuple[float, ...] = ()
    better: str = ""


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
    def speakers(self) -> Mapping[str, Language]:
        """The language in which each sentence is said: English where this one lacks its text."""
        own, english = own_texts(self.code, "sentences"), read_language("en")
        names = ((name, *name.split(".", 1)) for name in self.sentences)
        return {name: self if line in own.get(kind, {}) else english for name, kind, line in names}

    @cached_property
    def marks(self) -> dict[int, str]:
        """What stands for the comma and the point of a number as Python writes it."""
        return str.maketrans({",": self.words["thousands"], ".": self.words["decimal"]})

    def format_count(self, number: int, *forms: str) -> str:
        """Write a number of things, in the form for so many; a language has two or three.

        Examples
        --------
        >>> polish = read_language("pl")
        >>> [polish.format_count(n, "rekord", "rekordy", "rekordów") for n in (1, 3, 13)]
        ['1 rekord', '3 rekordy', '13 rekordów']
        """
        few = number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14)
        if number == 1 or (number == 0 and self.words["plural"] == "zero"):
            form = forms[0]
        else:
            form = forms[1] if few or self.words["plural"] != "few" else forms[-1]
        return f"{number:,}".translate(self.marks) + f" {form}"

    def format_part(self, part: float, kind: str = "share") -> str:
        """Write a share as a count of 100 or 1,000, or a chance as in so many of 100 cases.

        Small chances are said as one in so many cases. What is not quite none or all is never
        said to be it; a sum of chances that is a little above 1 is 1.
        """
        part = min(part, 1.0)
        if kind == "chance" and part in (0, 1):
            return str(self.words["always" if part else "never"])
        least, of = (1e-6 if kind == "chance" else 1e-3), 100
        if 0 < part < 0.01:
            in_one_of = round(round(1 / part, 9)) if part >= least else 1_000_000
            of = in_one_of if kind == "chance" else 1000
        count = round(round(part * of, 9))  # halves, whose last digit is rounding, are halves
        if 0 < part < least:
            kind, count = f"{kind}-few", 1
        elif 1 - 1 / of < part < 1:
            kind, count = f"{kind}-most", of - 1
        a, b = f"{count:,}".translate(self.marks), f"{of:,}".translate(self.marks)
        return str(self.words[kind]).format(a=a, b=b)

    def format_dates(self, text: str) -> str:
        """Write a date, or a range of them, with the names of months; any other text as it is.

        Examples
        --------
        >>> read_language("fr").format_dates("1985-04-01")
        '1er avril 1985'
        >>> read_language("de").format_dates("[1985-04-03, 1985-12-31]")
        '[3. April 1985, 31. Dezember 1985]'
        """
        if not CELLS.of_dates.fullmatch(text):
            return text
        return PARTS.date.sub(lambda found: self._name_month(*map(int, found.groups())), text)

    def _name_month(self, year: int, month: int, day: int) -> str:
        first = self.words["first-day"] if day == 1 else str(day)
        name = self.words["months"].split()[month - 1]
        return str(self.words["date"]).format(day=first, month=name, year=year)

    def read_month(self, given: str) -> str:
        """A date whose month has its name, or the first letters of it, in digits; else the text.

        Examples
        --------
        >>> [read_language("en").read_month(one) for one in ("3 April 1985", "Apr. 3, 1985", "x")]
        ['1985-4-3', '1985-4-3', 'x']
        """
        if found := CELLS.day_named.fullmatch(given):
            day, name, year = found.groups()
        elif found := CELLS.month_named.fullmatch(given):
            name, day, year = found.groups()
        else:
            return given
        months = enumerate(self.words["months"].lower().split(), 1)
        fits = [number for number, month in months if month.startswith(name.lower())]
        return f"{year}-{fits[0]}-{day}" if len(fits) == 1 else given

    def format_value(self, value: Any) -> str:
        """Write a text as it is, a number or date in its own way, several words as a list."""
        if isinstance(value, LocalNumber):
            return f"{value.before}{self.format_number(value.plain)}{value.behind}"
        if isinstance(value, str):
            return self.format_dates(value)
        if isinstance(value, int):
            return f"{value:,}".translate(self.marks)
        return joined(map(self.format_value, value), self.words["and"])

    def format_number(self, plain: str) -> str:
        """Write a number, a range or set of them, or a date, that Python wrote.

        Examples
        --------
        >>> read_language("de").format_number("[1,020.5, 2,000]")
        '[1.020,5; 2.000]'
        """
        if (dated := self.format_dates(plain)) != plain:
            return dated
        apart = "; " if self.words["decimal"] == "," else ", "
        return apart.join(part.translate(self.marks) for part in plain.split(", "))

    def fill_in(self, text: str, values: Mapping[str, Any]) -> str:
        """Fill in the places of a text: ``{n:record}``, ``{n:person/people}``, ``{s:share}`` ...

        Examples
        --------
        >>> text = "{n:record} of {all}, {p:share}"
        >>> read_language("en").fill_in(text, {"n": 1, "all": 1200, "p": 0.004})
        '1 record of 1,200, 4 of 1,000'
        """
        parts = []
        for before, name, write, forms in _take_apart(self, text):
            parts.append(before)
            if name is not None:
                parts.append(write(self, values[name], *forms))
        return "".join(parts)


WRITERS: Mapping[str, Callable[..., str]] = {
    "": Language.format_value,
    "share": Language.format_part,
    "chance": Language.format_part,
    "term": lambda language, value: str(language.words["terms"].get(value, value)),
}


@lru_cache(maxsize=2**12)
def _take_apart(
    language: Language, text: str
) -> list[tuple[str, str | None, Callable[..., str], Sequence[str]]]:
    """Take a text apart once: words, then what is filled in and how it is written."""
    found = []
    for before, name, form, _ in string.Formatter().parse(text):
        write = WRITERS.get(form or "", Language.format_count)
        forms: Sequence[str] = (form,) if form in ("share", "chance") else ()
        if write is Language.format_count and form:
            words = language.words["places"] if form == "places" else form
            forms = words.split("/") if "/" in words else (words, f"{words}s")
        found.append((before, name, write, forms))
    return found


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
    >>> speaks_of("de", "split"), speaks_of("de", "rumour"), speaks_of("en", "rumour")
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


def write_lines(lines: Iterable[Line]) -> Iterator[Entry]:
    """Fill in lines that are said, each the name of a text, whether it is said, and its values.

    A value ``around`` names a text that is said around it, in place of its ``{said}``.

    Examples
    --------
    >>> lines = [("split.two-values", False, {}), ("common.cut", True, {"most": 100})]
    >>> [entry.text for entry in write_lines(lines)]
    ['The tables show the 100 likeliest lines of each; there are more.']
    """
    language = spoken_language()
    for name, holds, values in lines:
        if holds:
            entry = language.sentences[name]
            speaker = language.speakers[name]
            text = speaker.fill_in(entry.text, values)
            if around := values.get("around"):
                outer = language.sentences[around].text
                text = language.speakers[around].fill_in(outer, {"said": text})
            if entry.key == "figure":
                yield entry._replace(text=text, value=speaker.fill_in(entry.value, values))
            elif entry.key in ("note", "part"):
                yield entry._replace(text=text)
            else:
                parts = tuple(_work_out(part, values) for part in entry.likely.split())
                when = language.fill_in(entry.when, values) if entry.key != "headline" else ""
                better = str(values.get("better", ""))
                yield entry._replace(text=text, when=when, parts=parts, better=better)


def _work_out(part: str, values: Mapping[str, Any]) -> float:
    """A value by its name, or one of another: ``"surest"``, ``"links/records"``, ``"1/count"``."""
    above, _, below = part.partition("/")
    of = [float(values.get(name, name)) for name in (above, below) if name]
    return of[0] / (of[1] if below else 1)


class LocalNumber(str):
    """A number with the marks of a language, which can be written with those of another.

    ``before`` and ``behind`` stand around it, such as its unit.
    """

    __slots__ = ("before", "behind", "plain")
    plain: str
    before: str
    behind: str


def keep_number(plain: str) -> LocalNumber:
    """A number whose own text stays as Python wrote it, and which sentences write their own way."""
    found = LocalNumber(plain)
    found.plain, found.before, found.behind = plain, "", ""
    return found


def localize_number(plain: str, before: str = "", behind: str = "") -> LocalNumber:
    """Write a number, or a date, that Python wrote as the language does that is spoken."""
    found = LocalNumber(f"{before}{spoken_language().format_number(plain)}{behind}")
    found.plain, found.before, found.behind = plain, before, behind
    return found
