"""What a report is made of: sentences, headlines and figures, each from its line of the table."""

from __future__ import annotations

from typing import Any, cast

from verikit.release import Release, by_secrets
from verikit.subject._report import Figure, Headline, Sentence, State
from verikit.subject._sentences import entries, filled, said
from verikit.subject._speech import speech

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
    return str(speech().words["rests"][name])


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
