"""What other rooms refuse or note, in the language that is spoken; else in English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any

from verikit._support.told import Told
from verikit.errors import VerikitError
from verikit.subject._sentences import filled
from verikit.subject._speech import localized, speech
from verikit.words import text

__all__ = ["refusing", "spoken", "told_in"]

MOST = 12


@cache
def told_in(language: str) -> Mapping[str, str]:
    """What is told besides the sentences, in a language; English stands where it is raised."""
    import tomllib

    if language == "en":
        return {}
    content = files("verikit.subject").joinpath(f"told.{language}.toml")
    sections = tomllib.loads(content.read_text(encoding="utf-8"))
    return {name: line for lines in sections.values() for name, line in lines.items()}


def spoken(sentence: str) -> str:
    """A sentence in the language that is spoken, if it remembers its values and the table has it.

    Examples
    --------
    >>> from verikit.subject._speech import speaking
    >>> no_number = Told("'age' is no number.", "no-number", name="'age'", given="'old'")
    >>> with speaking("de"):
    ...     spoken(no_number), spoken("The key is damaged.")
    ("Für 'age' wurde 'old' angegeben; nötig ist eine Zahl.", 'The key is damaged.')
    """
    known = told_in(speech().language)
    if not isinstance(sentence, Told) or sentence.says not in known:
        return sentence
    told = {name: _value(value) for name, value in sentence.values.items()}
    return filled(known[sentence.says], told)


def _value(value: Any) -> Any:
    if isinstance(value, float):
        return localized(text(value))
    if isinstance(value, (list, tuple)):
        return [*value[:MOST], "…"] if len(value) > MOST else list(value)
    return value


@contextmanager
def refusing() -> Iterator[None]:
    """Let an error speak the language that is spoken; `VerikitError.told` keeps the English.

    Examples
    --------
    >>> from verikit.errors import RecordError
    >>> from verikit.subject._speech import speaking
    >>> with speaking("nl"), refusing():
    ...     raise RecordError(Told("The file is empty.", "empty-file"))
    Traceback (most recent call last):
    verikit.errors.RecordError: Het bestand is leeg; nodig is een regel met kolomnamen en daarna de
    records.
    """
    try:
        yield
    except VerikitError as error:
        error.args = (spoken(error.told),)
        raise
