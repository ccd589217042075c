"""The words of verikit beside those of the literature, to be looked up."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd
import traitlets

from verikit._support import html as _html
from verikit.exercises import glossary
from verikit.widgets._panel import Card, Field, Panel, Part
from verikit.widgets._pieces import note
from verikit.words import count

__all__ = ["Glossary"]


class Glossary(Panel):
    """A list of terms that shrinks as a word is looked for.

    Parameters
    ----------
    word
        What to look for to begin with.

    Notes
    -----
    ``result`` holds the terms shown, as `verikit.exercises.glossary` gives them.

    Examples
    --------
    >>> Glossary("median").result["ours"].tolist()
    ['in the middle']
    """

    word = traitlets.Unicode("", help="What is looked for.")

    def __init__(self, word: str = "") -> None:
        super().__init__(word=str(word))

    @property
    def result(self) -> pd.DataFrame:
        """The terms that hold the word."""
        return glossary(self.word)

    def lay_out(self) -> Sequence[Part]:
        """One box."""
        told = "ours or of the literature, or part of what it means"
        field = Field("word", "text", "Look for a word", self.word, told)
        return [Part("word", "Glossary", fields=[field])]

    def card(self) -> Card:
        """The terms found."""
        found = self.result
        said = f"{count(len(found), 'term', 'terms')} found."
        terms = "".join(_entry(**line) for line in found.to_dict("records"))
        return Card("What words mean", note(said) + terms, said)

    def typed(self, place: str, value: str) -> None:  # noqa: ARG002
        """A word was typed."""
        self.word = value
        self.show()

    def refuse(self, error: Exception, place: str) -> None:  # noqa: ARG002
        """A word that is not found is no error."""
        self.show()


def _entry(ours: str, literature: str, symbol: str, meaning: str, notebook: str) -> str:
    """A term, what it means, and where it is from."""
    sign = f" ({escape(symbol)})" if symbol else ""
    there = f"In the literature: {escape(literature)}. " if literature else ""
    said = f"{escape(meaning)}. {there}First in {escape(notebook)}."
    return _html.element("p", f"<b>{escape(ours)}</b>{sign}: {said}")
