"""How a table was made, as its publisher tells, in the language that is spoken."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from verikit._support import html as _html
from verikit.languages import card_text, localize_number, own_texts, spoken_language, texts_of
from verikit.words import digits

__all__ = ["method_words", "methods_in"]


def method_words(method: str, parameters: Mapping[str, Any]) -> str:
    """Say by which method and parameters a table was made.

    Examples
    --------
    >>> print(method_words("noise", {"scale": {"X1": 5, "X2": 25}}))
    Method: Every number moves by a random amount (noise; scale: X1 5, X2 25). Published with all
    its parameters.
    >>> print(method_words("generalize", {"levels": None, "k": 10, "relaxed": False}))
    Method: One table, its values made coarse (generalize; at least 10 records in each group;
    relaxed: no). Published with all its parameters.
    """
    if not method:
        return card_text("untold")
    words = methods_in(spoken_language().code).get(method, "")
    phrases = [_parameter(name, value, bool(words)) for name, value in parameters.items()]
    parts = "; ".join(filter(None, [method.replace("_", " "), *phrases]))
    how = f"{words} ({parts})." if words else f"{parts}."
    tail = f" {card_text('parameters')}" if any(phrases) else ""
    return f"{card_text('method', told=how)}{tail}"


def methods_in(language: str) -> Mapping[str, str]:
    """What each method does, in a language that has words for it; in English as it is registered.

    Examples
    --------
    >>> methods_in("en")["rank_swap"], methods_in("nl")["noise"]
    ('Values change places with others of nearby rank', 'Elk getal verschuift willekeurig')
    """
    from verikit.mask import METHODS

    english = {name: method.words.rstrip(".") for name, method in METHODS.items() if method.words}
    return {**english, **own_texts(language, "card").get("methods", {})}


def _parameter(name: str, value: Any, known: bool) -> str:
    """One parameter, of a known method in words; empty where it was not set."""
    if value is None or (isinstance(value, (Mapping, list, tuple)) and not value):
        return ""
    phrase = texts_of(spoken_language().code, "card")["parameters"].get(name)
    if known and phrase and isinstance(value, int) and not isinstance(value, bool):
        return spoken_language().fill_in(phrase, {"value": value})
    return f"{name.replace('_', ' ')}: {_plain(value)}"


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{n} {_plain(part)}" for n, part in value.items() if part is not None)
    if isinstance(value, (bool, np.bool_)):
        return card_text("yes" if value else "no")
    if isinstance(value, (list, tuple)):
        return ", ".join(_plain(part) for part in value if part is not None)
    number = isinstance(value, (int, float, np.number)) and math.isfinite(value)
    return localize_number(_amount(value)) if number else str(value)


def _amount(value: float) -> str:
    """A number as a person reads it: four digits of what is no whole number.

    Examples
    --------
    >>> _amount(12000), _amount(5.0), _amount(0.012345), _amount(17693.4)
    ('12,000', '5', '0.01235', '17693')
    """
    whole = value == int(value)
    return _html.cell(int(value)) if whole else digits(float(value), 4)
