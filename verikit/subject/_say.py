"""What a report is made of: sentences, headlines and figures, each from its line of the table."""

from __future__ import annotations

from typing import Any, cast

from verikit.subject._report import Figure, Headline, Sentence, State
from verikit.subject._sentences import entries, filled, said
from verikit.subject._speech import speech

__all__ = ["figure", "head", "say"]


def say(name: str, /, **told: Any) -> Sentence:
    """A sentence with its number and its condition."""
    entry = entries()[name]
    return Sentence(entry.key, said(name, **told), filled(entry.when, told))


def head(name: str, /, **told: Any) -> Headline:
    """A headline with its state."""
    state = cast("State", entries()[name].state)
    return Headline(state, said(name, **told), speech().language)


def figure(name: str, /, **told: Any) -> Figure:
    """A number for the top of the screen, and the words below it."""
    return Figure(filled(entries()[name].value, told), said(name, **told))
