"""The words of verikit beside those of the literature, from one table."""

from __future__ import annotations

import pandas as pd

from verikit._support.resources import data_path
from verikit.errors import RecordError


def glossary(word: str = "") -> pd.DataFrame:
    """Look terms up: ours, those of the literature, their symbols, and where they come first.

    ``iso_20889`` is what that standard calls it, ``criterion`` which of the three criteria of the
    Article 29 Working Party it is about: singling out, linkability or inference.

    Parameters
    ----------
    word
        What some column must hold; everything where it is empty.

    Returns
    -------
    DataFrame
        One line a term.

    Raises
    ------
    RecordError
        If the word is no text.

    Examples
    --------
    >>> glossary("equivalence class")[["ours", "notebook"]].to_numpy().tolist()
    [['class', '01_k_anonymity']]
    """
    if not isinstance(word, str):
        raise RecordError.given("word", word, "a text, such as 'class'")
    table = pd.read_csv(data_path("glossary.csv"), dtype=str, keep_default_na=False)
    sought = word.strip().lower()
    found = [any(sought in str(cell).lower() for cell in row) for row in table.to_numpy()]
    return table[found].reset_index(drop=True)
