"""What card, form and refusals say besides the sentences, in the language that is spoken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from verikit._support.told import English, Told
from verikit.errors import VerikitError
from verikit.languages._files import LANGUAGES, own_texts, texts_of
from verikit.languages._language import localize_number, read_language, spoken_language
from verikit.words import text

__all__ = [
    "card_text", "choose_language", "criterion_text", "form_text", "read_messages", "screen_words",
    "sentence_text", "tell", "translate", "translate_errors",
]  # fmt: skip

MAX_VALUES_SAID = 12


def sentence_text(name: str, /, **values: Any) -> str:
    """Say the words of one line, filled in.

    Examples
    --------
    >>> sentence_text("split.learns", title="illness", value="flu")
    'Someone who knows your values learns your illness: it can only be flu.'
    """
    language = spoken_language()
    return language.speakers[name].fill_in(language.sentences[name].text, values)


def card_text(name: str, /, **values: Any) -> str:
    """Say a heading or a label of the card, filled in.

    Examples
    --------
    >>> card_text("spread", measure="distinct")
    'spread within (distinct)'
    """
    language = spoken_language()
    texts = texts_of(language.code, "card")
    section = texts["shared" if name in texts["shared"] else "labels"]
    return language.fill_in(section[name], values)


def form_text(name: str, /, **values: Any) -> str:
    """Say a line of the form, filled in.

    Examples
    --------
    >>> form_text("size", records=1200, attributes=1)
    '1,200 records, 1 attribute'
    """
    language = spoken_language()
    texts = texts_of(language.code, "form")
    section = next(s for s in ("form", "shared", "spelling") if name in texts[s])
    return language.fill_in(texts[section][name], values)


def criterion_text(criterion: str) -> str:
    """Say a way to measure diversity, as the form offers it.

    Examples
    --------
    >>> criterion_text("entropy")
    'evenness (entropy)'
    """
    words = texts_of(spoken_language().code, "form")["measured"]
    return str(words.get(criterion, criterion))


def screen_words() -> dict[str, Mapping[str, str]]:
    """Give by language what the page itself says while it waits for Python.

    Examples
    --------
    >>> screen_words()["de"]["stop"]
    'Abbrechen'
    """
    return {name: texts_of(name, "form")["screen"] for name in LANGUAGES}


def choose_language(wanted: object) -> str:
    """Choose the first of the languages that a browser asks for which is spoken here, else English.

    Examples
    --------
    >>> choose_language(["fi-FI", "de-AT", "en"]), choose_language([]), choose_language("pt-BR")
    ('de', 'en', 'en')
    """
    asked = wanted if isinstance(wanted, list) else []
    names = [str(tag).split("-")[0].lower() for tag in asked]
    return next((name for name in names if name in LANGUAGES), "en")


@cache
def read_messages(language: str) -> Mapping[str, str]:
    """Read what other rooms refuse or note; some English stands where it is raised."""
    sections = own_texts(language, "told").values()
    return {name: line for lines in sections for name, line in lines.items()}


def tell(says: str, **values: Any) -> Told:
    """Say a refusal or a note in English, whose words stand with those of the other languages.

    Examples
    --------
    >>> tell("no-number", name="'age'", given="'old'")
    "'age' was given as 'old'; expected a number."
    """
    shown = {name: _shorten_value(value) for name, value in values.items()}
    return Told(read_language("en").fill_in(read_messages("en")[says], shown), says, **values)


def translate(sentence: str) -> str:
    """Say a sentence in the language that is spoken, if it remembers its values and is known there.

    Else it stays English, and is marked so.

    Examples
    --------
    >>> from verikit.languages import use_language
    >>> no_number = Told("'age' is no number.", "no-number", name="'age'", given="'old'")
    >>> with use_language("de"):
    ...     translate(no_number), translate("The key is damaged.")
    ("Für 'age' wurde 'old' angegeben; nötig ist eine Zahl.", 'The key is damaged.')
    """
    language = spoken_language()
    known = read_messages(language.code)
    if not isinstance(sentence, Told) or sentence.says not in known:
        return sentence if language.code == "en" else English(sentence)
    values = {name: _shorten_value(value) for name, value in sentence.values.items()}
    return language.fill_in(known[sentence.says], values)


def _shorten_value(value: Any) -> Any:
    """Write a float as text, and cut a long list of values."""
    if isinstance(value, float):
        return localize_number(text(value))
    if isinstance(value, (list, tuple)):
        return [*value[:MAX_VALUES_SAID], *(["…"] if len(value) > MAX_VALUES_SAID else [])]
    return value


@contextmanager
def translate_errors() -> Iterator[None]:
    """Let an error speak the language that is spoken; `VerikitError.told` keeps the English.

    Examples
    --------
    >>> from verikit.errors import RecordError
    >>> from verikit.languages import use_language
    >>> with use_language("nl"), translate_errors():
    ...     raise RecordError(Told("The file is empty.", "empty-file"))
    Traceback (most recent call last):
    verikit.errors.RecordError: Het bestand is leeg; nodig is een regel met kolomnamen en daarna de
    records.
    """
    try:
        yield
    except VerikitError as error:
        error.args = (translate(error.told),)
        raise
