"""Tables of the card in the language that is spoken: their names, their headings, their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from html import unescape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit.languages import card_text, localize_number, spoken_language, texts_of
from verikit.subject._words_of_card import measure
from verikit.table import Column, Schema, date_text

if TYPE_CHECKING:
    from verikit.subject._report import SubjectReport

__all__ = ["block_words", "cells", "headed", "ranked", "table_name", "written"]

COLUMNS = {
    "attribute": "attribute",
    "own": "own",
    "published": "instead",
    "fit this alone": "alone",
    "group": "group",
    "people": "people",
    "rows like yours": "copies",
    "of 100 cases yours": "mine-of",
    "value": "value",
    "records": "records",
    "of 100 here": "here",
    "of 100 everywhere": "everywhere",
    "formula in print": "printed",
}


def block_words(first: int, last: int) -> str:
    """Ranks in words: ``8``, or ``65 to 67`` where equal values share them."""
    low, high = (localize_number(f"{rank:,}") for rank in (first, last))
    return low if first == last else card_text("to", first=low, last=high)


def ranked(report: SubjectReport, schema: Schema) -> pd.DataFrame:
    """One line an attribute: hers, the closest value, places, spread, and whether it is enough.

    Examples
    --------
    >>> import verikit as vk
    >>> release = vk.published("dm_table1_masked")
    >>> report = vk.check(vk.load("dm_table1").record(2), release)
    >>> ranked(report, release.schema).iloc[0, :5].tolist()
    ['X1', '100.87', '100.41', '8', '12']
    """
    lines = report.attributes
    criterion = report.facts.get("criterion", "")
    columns = [schema[name] for name in lines["attribute"]]
    shown_as = _dated(lines["own"], columns), _dated(lines["closest"], columns)
    pairs = [cells(pair) for pair in zip(*shown_as, strict=True)]
    yours, closest = zip(*pairs, strict=True) if pairs else ((), ())
    spreads = zip(lines["diversity"], columns, strict=True)
    shown = {
        card_text("attribute"): [_titled(column) for column in columns],
        card_text("own"): yours,
        card_text("closest"): closest,
        card_text("place"): _places(lines["first_rank"], lines["last_rank"]),
        card_text("record-place"): _places(lines["match_first"], lines["match_last"]),
        card_text("away"): lines["distance"],
        card_text("spread", measure=measure(criterion)): [
            _spread(value, criterion, column.apart) for value, column in spreads
        ],
    }
    met = {} if report.met is None else {card_text("met"): lines["met"]}
    return pd.DataFrame({**shown, **met})


def _dated(values: pd.Series[Any], columns: Sequence[Column]) -> list[Any]:
    """The values of a column of the report, numbers of days as the dates they stand for."""
    return [
        date_text(value) if column.dated else value
        for value, column in zip(values, columns, strict=True)
    ]


def _places(first: pd.Series[int], last: pd.Series[int]) -> list[str]:
    return [block_words(*block) for block in zip(first, last, strict=True)]


def _titled(column: Column) -> str:
    unit = "" if column.dated else column.unit
    return f"{column.title} ({unit})" if unit else column.title


def _spread(value: float, criterion: str, unit: str) -> Any:
    if "variance" not in criterion:
        return value
    return f"± {localize_number(_html.cell(float(np.sqrt(value))))}{f' {unit}' if unit else ''}"


def table_name(name: str) -> str:
    """The heading of a table."""
    labels = texts_of(spoken_language().code, "card")["labels"]
    return labels.get(f"table-{name}", name.replace("_", " ").capitalize())


def headed(frame: pd.DataFrame, report: SubjectReport) -> pd.DataFrame:
    """The table with words for its columns; those of the data keep their names."""
    if spoken_language().code == "en":
        return frame.rename(columns=lambda name: str(name).replace("_", " "))
    hers = set(report.facts.get("attributes", ()))
    return frame.rename(columns={n: card_text(key) for n, key in COLUMNS.items() if n not in hers})


def written(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with its numbers, and yes and no, as people of the language write them.

    Examples
    --------
    >>> from verikit.languages import use_language
    >>> with use_language("de"):
    ...     written(pd.DataFrame({"pay": [1234.5, 1.25], "met": [True, False]})).to_numpy().tolist()
    [['1.234,50', 'ja'], ['1,25', 'nein']]
    """
    if spoken_language().code == "en":
        return frame
    columns = [cells(frame.iloc[:, at].tolist()) for at in range(frame.shape[1])]
    shown = pd.DataFrame(dict(enumerate(columns)), dtype=object)
    return shown.set_axis(frame.columns, axis=1)


def cells(values: Sequence[Any]) -> list[str]:
    """The values of one column as they are written, not yet as HTML.

    Examples
    --------
    >>> cells([12.5, 12000.0]), cells(["R&D", None])
    (['12.5', '12,000.0'], ['R&D', '–'])
    """
    return [_cell(v, unescape(cell)) for v, cell in zip(values, _html.alike(values), strict=True)]


def _cell(value: Any, cell: str) -> str:
    if isinstance(value, (bool, np.bool_)):
        return card_text("yes" if value else "no")
    return localize_number(cell) if isinstance(value, (int, float, np.number)) else cell
