"""What the card says beside the answer: how a table was made, its columns and its cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import unescape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit.languages import (
    card_text,
    localize_number,
    spoken_language,
    texts_of,
)
from verikit.table import Schema
from verikit.values.dates import date_text
from verikit.words import digits

if TYPE_CHECKING:
    from verikit.subject._report import SubjectReport


def _card_texts() -> Mapping[str, Mapping[str, str]]:
    return texts_of(spoken_language().code, "card")


def measure_text(criterion: str) -> str:
    """What the numbers of the table are: of a variance its root is shown."""
    name = "packing" if criterion.startswith("packing") else criterion
    words = _card_texts()["measures"].get(name, criterion)
    return words + criterion.removeprefix(name)


def spread_words(criterion: str) -> str:
    """What the spread of a report is; empty for a criterion of somebody's own."""
    name = "packing" if criterion.startswith("packing") else criterion
    return _card_texts()["spread"].get(name, "")


def tied_words(report: SubjectReport) -> str:
    """What the lines show where no single one of the closest records is that near on all of them.

    Examples
    --------
    >>> import verikit as vk
    >>> tied_words(vk.check(vk.load("dm_table1").record(2), vk.published("dm_table1_masked")))
    ''
    """
    gaps = report.matches.iloc[:, 1:].to_numpy()
    if report.facts.get("named"):  # all lines are about that record
        return ""
    one = (gaps == report.attributes["distance"].to_numpy()).all(axis=1).any()
    return (
        ""
        if one
        else spoken_language().fill_in(_card_texts()["terms"]["tied"], {"count": len(gaps)})
    )


def nearest_words(report: SubjectReport) -> str:
    """Which rows of the table are closest, the first ten of them by their numbers.

    Examples
    --------
    >>> import verikit as vk
    >>> nearest_words(vk.check({"X1": 100.8}, vk.published("dm_table1_masked")))
    'Closest: row 6 of the table.'
    """
    rows = [str(row) for row in report.matches["row"].head(10)]
    more = card_text("more") if len(report.matches) > len(rows) else ""
    return card_text("rows", rows=", ".join(rows) + more)


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
    language = spoken_language()
    words = methods_in(language.code).get(method, "")
    known = texts_of(language.code, "card")["parameters"] if words else {}
    phrases = []
    for name, value in parameters.items():
        if value is None or (isinstance(value, (Mapping, list, tuple)) and not value):
            continue
        if known.get(name) and isinstance(value, int) and not isinstance(value, bool):
            phrases.append(language.fill_in(known[name], {"value": value}))
        else:
            phrases.append(f"{name.replace('_', ' ')}: {_value_text(value)}")
    parts = "; ".join([method.replace("_", " "), *phrases])
    how = f"{words} ({parts})." if words else f"{parts}."
    tail = f" {card_text('parameters')}" if phrases else ""
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
    return {**english, **texts_of(language, "card")["methods"]}


def _value_text(value: Any) -> str:
    """A parameter as a person reads it: four digits of what is no whole number.

    Examples
    --------
    >>> _value_text([12000, 5.0, 0.012345, 17693.4])
    '12,000, 5, 0.01235, 17693'
    """
    if isinstance(value, Mapping):
        return ", ".join(
            f"{n} {_value_text(part)}" for n, part in value.items() if part is not None
        )
    if isinstance(value, (bool, np.bool_)):
        return card_text("yes" if value else "no")
    if isinstance(value, (list, tuple)):
        return ", ".join(_value_text(part) for part in value if part is not None)
    number = isinstance(value, (int, float, np.number)) and math.isfinite(value)
    if not number:
        return str(value)
    whole = value == int(value)
    return localize_number(_html.cell(int(value)) if whole else digits(float(value), 4))


MOST_CELLS = 3
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
    "of 100 for you": "column-you",
    "of 100 in the target": "in-target",
    "links of others learned": "column-learned",
    "of 100 at most": "column-most",
    "any of": "any-of",
    "links to your group": "links-to",
    "of 100 at least one": "some-of",
    "of 100 each": "each-of",
    "differ in": "column-differ",
    "of 100 cases yours, each": "column-mine-each",
    "of 100 cases yours, together": "column-mine-together",
    "rows": "column-rows",
    "of 100 rows drawn anew": "column-anew",
    "rows that show it": "column-show",
    "different values": "column-different",
    "lowest": "column-lowest",
    "highest": "column-highest",
    "range": "column-range",
    "lowest of all": "column-lowest-all",
    "highest of all": "column-highest-all",
}
OF_COLUMN = {"different ": "column-different-of", "range of ": "column-range-of"}


def block_words(first: int | None, last: int) -> str:
    """Ranks in words: ``8``, or ``65 to 67`` where equal values share them; a dash for none."""
    if first is None:
        return "–"
    low, high = (localize_number(f"{rank:,}") for rank in (first, last))
    return low if first == last else card_text("to", first=low, last=high)


def make_ranked_table(report: SubjectReport, schema: Schema) -> pd.DataFrame:
    """One line an attribute: hers, the closest value, places, spread, and whether it is enough.

    Examples
    --------
    >>> import verikit as vk
    >>> release = vk.published("dm_table1_masked")
    >>> report = vk.check(vk.load("dm_table1").record(2), release)
    >>> make_ranked_table(report, release.schema).iloc[0, :5].tolist()
    ['X1', '100.87', '100.41', '8', '12']
    """
    lines = report.attributes
    columns = [schema[name] for name in lines["attribute"]]
    spreads: list[Any] = lines["diversity"].tolist()
    measures = [*dict.fromkeys(lines["criterion"])]
    for at, (criterion, column) in enumerate(zip(lines["criterion"], columns, strict=True)):
        if pd.isna(lines["first_rank"].iloc[at]):  # without an order
            spreads[at] = write_cells([spreads[at]])[0]
        elif "variance" in criterion:
            deviation = localize_number(_html.cell(float(np.sqrt(spreads[at]))))
            spreads[at] = f"± {deviation}" + (f" {column.apart}" if column.apart else "")
    pairs = []  # hers and the closest, days as the dates they stand for
    for column, *pair in zip(columns, lines["own"], lines["closest"], strict=True):
        pairs.append(write_cells([date_text(v) if column.dated else v for v in pair]))
    ranks = {
        name: [block_words(*block) for block in zip(lines[first], lines[last], strict=True)]
        for name, first, last in (
            ("place", "first_rank", "last_rank"),
            ("record-place", "match_first", "match_last"),
        )
    }
    shown = {
        card_text("attribute"): [
            f"{c.title} ({c.unit})" if c.unit and not c.dated else c.title for c in columns
        ],
        card_text("own"): [own for own, _ in pairs],
        card_text("closest"): [closest for _, closest in pairs],
        **{card_text(name): words for name, words in ranks.items()},
        card_text("away"): lines["distance"],
        card_text("spread", measure=", ".join(map(measure_text, measures))): spreads,
    }
    met = {} if report.met is None else {card_text("met"): lines["met"]}
    return pd.DataFrame({**shown, **met})


def table_name(name: str) -> str:
    """The heading of a table; of one of several releases with its number."""
    labels, kind = texts_of(spoken_language().code, "card")["labels"], name.rstrip(" 0123456789")
    shown = labels.get(f"table-{kind}", kind.replace("_", " ").capitalize())
    return f"{shown}{name[len(kind) :]}"


def name_columns(frame: pd.DataFrame, report: SubjectReport) -> pd.DataFrame:
    """The table with words for its columns; those of the data keep their names."""
    if spoken_language().code == "en":
        return frame.rename(columns=lambda name: str(name).replace("_", " "))
    hers = set(report.facts.get("attributes", ()))
    words = {n: card_text(key) for n, key in COLUMNS.items() if n not in hers}
    for name in map(str, set(frame.columns) - hers):
        for before, key in OF_COLUMN.items():
            if name.startswith(before) and name not in words:
                words[name] = card_text(key, title=name.removeprefix(before))
    return frame.rename(columns=words)


def write_cells(values: Sequence[Any]) -> list[str]:
    """The values of one column as they are written, not yet as HTML.

    Examples
    --------
    >>> write_cells([12.5, 12000.0]), write_cells(["R&D", None])
    (['12.5', '12,000.0'], ['R&D', '–'])
    """
    written, language = [], spoken_language()
    values = [join_cells(value) if isinstance(value, tuple) else value for value in values]
    for value, cell in zip(values, map(unescape, _html.alike(values)), strict=True):
        if isinstance(value, (bool, np.bool_)):
            written.append(card_text("yes" if value else "no"))
        else:
            number = isinstance(value, (int, float, np.number))
            written.append(
                localize_number(cell)
                if number
                else language.format_value(value if isinstance(value, str) else cell)
            )
    return written


def join_cells(cells: Sequence[str]) -> str:
    """The first of several cells, of which each may be meant.

    Examples
    --------
    >>> join_cells(("[20, 29]", "[30, 39]")), join_cells("abcd")
    ('[20, 29] or [30, 39]', 'a or b or c …')
    """
    shown = map(spoken_language().format_value, cells[:MOST_CELLS])
    return f" {card_text('or')} ".join(shown) + (" …" if len(cells) > MOST_CELLS else "")
