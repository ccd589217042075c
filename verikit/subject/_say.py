"""What a report is made of: sentences, headlines and figures, each from its line of the table."""

from __future__ import annotations

from typing import Any, cast

from verikit.languages import spoken_language
from verikit.release import Release, by_secrets
from verikit.subject._report import Figure, Headline, Sentence, State

__all__ = ["better", "figure", "head", "rests", "say"]


def better(release: Release) -> str:
    """Who may guess better than a chance that takes all links of a group as equally likely.

    Examples
    --------
    >>> import verikit as vk
    >>> better(vk.published("lhcc_table4"))
    'whoever learns from the whole table may do better'
    """
    return rests("repeater" if by_secrets(release) else "learner")


def rests(name: str) -> str:
    """A phrase for what a chance rests on, in the language that is spoken.

    Examples
    --------
    >>> rests("drawn")
    "if the publisher's chances hold"
    """
    return str(spoken_language().words["rests"][name])


def say(name: str, /, **values: Any) -> Sentence:
    """Say a sentence, with its number and its condition."""
    language = spoken_language()
    line = language.sentences[name]
    text, when = language.fill_in(line.text, values), language.fill_in(line.when, values)
    return Sentence(line.key, text, when)


def head(name: str, /, **values: Any) -> Headline:
    """Say a headline, with its state."""
    language = spoken_language()
    line = language.sentences[name]
    return Headline(cast("State", line.state), language.fill_in(line.text, values), language.code)


def figure(name: str, /, **values: Any) -> Figure:
    """Give a number for the top of the screen, and the words below it."""
    language = spoken_language()
    line = language.sentences[name]
    return Figure(language.fill_in(line.value, values), language.fill_in(line.text, values))
