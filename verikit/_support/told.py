"""A sentence in English that remembers how it is said in other languages."""

from __future__ import annotations

from typing import Any


class Told(str):
    """A sentence that a person may read, with its name and what it is filled with.

    Who raises it or notes it writes English; whoever speaks another language looks the name up in
    a table of that language and fills in the same values (`verikit.subject`).

    Parameters
    ----------
    english
        The whole sentence.
    says
        Its name in the tables of other languages.
    values
        What it is filled with there.

    Examples
    --------
    >>> no_number = Told("'age' is no number.", "no-number", name="'age'")
    >>> no_number == "'age' is no number.", no_number.says, no_number.values
    (True, 'no-number', {'name': "'age'"})
    """

    says: str
    values: dict[str, Any]

    def __new__(cls, english: str = "", says: str = "", **values: Any) -> Told:
        """Keep what is behind the words."""
        made = super().__new__(cls, english)
        made.says, made.values = says, values
        return made


class English(str):
    """A sentence that stands in English where another language is spoken, which lacks it."""

    __slots__ = ()


def mark_language(said: str) -> dict[str, str]:
    """The attribute that tells a reader of screens to read a sentence as English, if it is.

    Examples
    --------
    >>> mark_language(English("The key is damaged.")), mark_language("Der Schlüssel fehlt.")
    ({'lang': 'en'}, {})
    """
    return {"lang": "en"} if isinstance(said, English) else {}
