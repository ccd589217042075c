"""What the form of the app says, in the language that is spoken: headings, boxes, hints."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from verikit.subject._sentences import filled, read_in
from verikit.subject._speech import LANGUAGES, speech

__all__ = ["fitting", "form_in", "measured", "screen_words", "worded"]


@cache
def form_in(language: str) -> Mapping[str, Mapping[str, str]]:
    """What the form says, by section, in a language."""
    return read_in(language, "form")


def worded(name: str, /, **told: Any) -> str:
    """A line of the form in the language that is spoken, filled in.

    Examples
    --------
    >>> worded("size", records=1200, attributes=1)
    '1,200 records, 1 attribute'
    """
    texts = form_in(speech().language)
    section = next(s for s in ("form", "shared", "spelling") if name in texts[s])
    return filled(texts[section][name], told)


def measured(criterion: str) -> str:
    """A way to measure diversity, as the form offers it.

    Examples
    --------
    >>> measured("entropy")
    'evenness (entropy)'
    """
    return form_in(speech().language)["measured"].get(criterion, criterion)


def screen_words() -> dict[str, Mapping[str, str]]:
    """By language what the page itself says while it waits for Python.

    Examples
    --------
    >>> screen_words()["de"]["stop"]
    'Abbrechen'
    """
    return {name: form_in(name)["screen"] for name in LANGUAGES}


def fitting(wanted: object) -> str:
    """The first of the languages that a browser asks for which is spoken here, else English.

    Examples
    --------
    >>> fitting(["fi-FI", "de-AT", "en"]), fitting([]), fitting("pt-BR")
    ('de', 'en', 'en')
    """
    asked = wanted if isinstance(wanted, list) else []
    names = [str(tag).split("-")[0].lower() for tag in asked]
    return next((name for name in names if name in LANGUAGES), "en")
