"""The texts of every language: one file each, read by sections, English where one is missing."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["LANGUAGES", "find_missing_texts", "insert_phrases", "own_texts", "texts_of"]

FOLDER = files("verikit.languages")
ENGLISH = "en"
LANGUAGES = (  # what lies in the folder, English first
    ENGLISH,
    *sorted({file.name[:-5] for file in FOLDER.iterdir() if file.name.endswith(".toml")} - {"en"}),
)
TABLE = re.compile(r"^(?=\[(\w+))", re.MULTILINE)
PHRASE = re.compile(r"\{rests:(\w+)\}")
SAID_ELSEWHERE = ("told.", "card.methods.")  # their English stands where it is raised or registered


@cache
def texts_of(language: str, section: str) -> Mapping[str, Any]:
    """Give a section of a language, with English in the place of each text that it lacks.

    Examples
    --------
    >>> texts_of("de", "form")["shared"]["language"]
    'Sprache'
    """
    english = own_texts(ENGLISH, section)
    return english if language == ENGLISH else _overlay_texts(english, own_texts(language, section))


@cache
def own_texts(language: str, section: str) -> Mapping[str, Any]:
    """Give what the file of a language itself holds in a section.

    Only this section is parsed, as a check needs little of a file, and `cells` a few words of all.

    Examples
    --------
    >>> [name for name in ("en", "de") if "english_only" in own_texts(name, "checks")]
    ['en']
    """
    text = _text_by_section(language).get(section, "")
    if section != "speech":
        text = insert_phrases(text, language)
    return tomllib.loads(text).get(section, {})


def insert_phrases(text: str, language: str = ENGLISH) -> str:
    """Put in what chances rest on, each phrase of which is written once for its language.

    Examples
    --------
    >>> insert_phrases("right in 1 of 2 cases {rests:links}")
    'right in 1 of 2 cases if within a group each value is equally likely for everyone'
    """
    phrases = texts_of(language, "speech")["rests"]
    return PHRASE.sub(lambda place: str(phrases[place[1]]), text)


@cache
def _text_by_section(language: str) -> Mapping[str, str]:
    """Take a file apart at its tables, whatever their order."""
    content = FOLDER.joinpath(f"{language}.toml").read_text(encoding="utf-8")
    _, *parts = TABLE.split(content)
    found: dict[str, str] = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        found[name] = found.get(name, "") + text
    return found


def _overlay_texts(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Lay texts over others, table by table."""
    merged = {**below, **above}
    for name, inner in below.items():
        if isinstance(inner, Mapping) and isinstance(above.get(name), Mapping):
            merged[name] = _overlay_texts(inner, above[name])
    return merged


def find_missing_texts(language: str) -> list[str]:
    """List what a language lacks of the texts that languages have, which it says in English.

    What stands in English only so far (``[checks] english_only`` of ``en.toml``) is not listed.

    Examples
    --------
    >>> find_missing_texts("en")
    []
    """
    if language == ENGLISH:
        return []
    english_only = tuple(own_texts(ENGLISH, "checks")["english_only"])
    wanted = {*_name_texts(ENGLISH)}
    for name in _name_texts(ENGLISH):
        section, _, rest = name.partition(".")
        if section == "sentences" and not name.startswith(english_only):
            kind, _, line = rest.partition(".")
            wanted.add(f"conditions.{own_texts(ENGLISH, section)[kind][line]['when']}")
    for other in LANGUAGES:
        wanted |= {name for name in _name_texts(other) if name.startswith(SAID_ELSEWHERE)}
    wanted = {name for name in wanted if not name.startswith(english_only)}
    return sorted(wanted - {*_name_texts(language)})


def _name_texts(language: str) -> list[str]:
    """Name the texts of a language by section, table and key."""
    found = []
    waiting: list[tuple[str, Any]] = [
        (section, own_texts(language, section))
        for section in _text_by_section(language)
        if section != "checks"
    ]
    while waiting:
        name, texts = waiting.pop()
        if isinstance(texts, Mapping) and "text" not in texts:
            waiting += [(f"{name}.{key}", inner) for key, inner in texts.items()]
        else:
            found.append(name)
    return found
