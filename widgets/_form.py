"""The form of the self-check: the table, a box or a choice for each attribute, a requirement."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from verikit.cells import meanings
from verikit.errors import RecordError
from verikit.languages import form_text, localize_number
from verikit.release import Release, TableRelease, by_nodes, whole_records
from verikit.subject import (
    TABLES,
    in_words,
    method_words,
    names_rows,
    published_numbers,
    typed_number,
)
from verikit.table import Column, date_text
from verikit.widgets._panel import LIMIT, Field, Part
from verikit.words import count, joined

MOST = 100
FEW, SHORT = 6, 12
OF_LINKS = ("your name", "one that you are linked to, if you like; or look it up by itself")


class Reason(NamedTuple):
    """Why a column is not asked for: the name of the line that says it, and the column's title."""

    name: str
    title: str = ""

    def words(self) -> str:
        """The reason in the language that is spoken."""
        return form_text(self.name, title=self.title, most=MOST)


def columns_asked(release: Release, *, ranked: bool) -> tuple[list[Column], list[Reason]]:
    """The columns a person can be asked for, and why others are not among them."""
    asked: list[Column] = []
    reasons: list[Reason] = []
    unranked = release.schema.quasi if whole_records(release) else release.asked
    for column in release.schema if ranked else unranked:
        reason = _refuse_column(cast("TableRelease", release), column, ranked=ranked)
        if reason:
            reasons.append(Reason(reason, column.title))
        elif len(asked) < MOST:
            asked.append(column)
        else:
            reasons.append(Reason("unused-more"))
            break
    return asked, reasons


def _refuse_column(release: TableRelease, column: Column, *, ranked: bool) -> str:
    if names_rows(release, column):
        return "unused-rows"
    if not ranked:
        return ""
    if not column.ranked:
        return "unused-order"
    if isinstance(release.frame[column.name].dtype, pd.IntervalDtype):
        return "unused-intervals"
    if len(release) and np.isnan(release.ordered(column.name)[0]):
        return "unused-empty"
    return ""


def table_part(source: str, release: Release, path: str, *, example: bool) -> Part:
    """Which table is checked against, how it was made, and how to choose another."""
    fields = [
        Field(
            "path",
            "text",
            form_text("path"),
            path,
            help=form_text("path-help"),
            wide=True,
        ),
        Field(
            "file",
            "file",
            form_text("file"),
            help=form_text("file-help", most=LIMIT // 10**6),
            accept=".csv,.tsv,.txt,.zip,.gz,.parquet,.pq,.feather,.xlsx,.dta,.sav,.zsav,.por,.sas7bdat,.xpt,"
            ".rds,.RData,.json,.xz,.bz2",
        ),
    ]
    if not example:
        fields.append(Field("example", "press", form_text("example")))
    return Part(
        "table",
        f"1\u2002{form_text('table')}",
        [
            (source, "strong"),
            (_describe_size(release), ""),
            (method_words(release.method, release.parameters), "soft"),
        ],
        fields,
        fold=form_text("choose"),
    )  # fmt: skip


def _describe_size(release: Release) -> str:
    if by_nodes(release):
        sides = [f"{len(release.side(s)):,} {release.title(s)}" for s in ("left", "right")]
        return f"{count(len(release), 'link')} between {joined(sides)}"
    return form_text("size", records=len(release), attributes=len(release.schema))


def record_part(
    release: Release,
    columns: Sequence[Column],
    record: Mapping[str, Any],
    lines: Sequence[str],
    *,
    ranked: bool,
) -> Part:
    """One box a column, with its range or its categories, what was typed, and what is wrong."""
    fields = [
        _make_field(release, column, show_typed(record.get(column.name)), ranked=ranked)
        for column in columns
    ]
    said = [(line, "soft") for line in (form_text("leave"), *lines)]
    return Part("record", f"2\u2002{form_text('yours')}", said, fields)


def _make_field(release: Release, column: Column, value: str, *, ranked: bool) -> Field:
    place = f"record/{column.name}"
    if column.kind != "numeric" and (ranked or column.hierarchy is not None):
        names = column.categories or ()
        options = (("", form_text("silent")), *((name, name) for name in names))
        return Field(place, "choice", column.title, value, options=options)
    unit = form_text("date") if column.dated else column.unit
    title = f"{column.title} ({unit})" if unit else column.title
    said = published_range(cast("TableRelease", release), column) if ranked else ""
    if by_nodes(release):
        said = OF_LINKS[column.name == release.title("right")]
    number = column.kind == "numeric"
    said = (_read_as(value, column, release) if number else "") or said
    names = () if number else published_values(release, column)
    return Field(
        place,
        "text",
        title,
        value,
        form_text("published", cells=list(names)) if 0 < len(names) <= FEW and not said else said,
        hint=form_text("not-said"),
        options=tuple((name, name) for name in names),
        decimal=number,
        wide=any(len(name) > SHORT for name in names),
    )


def _read_as(value: str, column: Column, release: Release) -> str:
    """How a number was understood, if it was written in another way than it is shown."""
    try:
        found = typed_number(value.strip(), column, published_numbers(release, column.name))
    except RecordError:
        return ""
    shown = localize_number(in_words(found.value, column))
    return form_text("read-as", value=shown) if found.read else ""


def published_values(release: Release, column: Column) -> tuple[str, ...]:
    """The values that published cells name; a band or a starred code names none.

    Examples
    --------
    >>> import verikit as vk
    >>> crimes = vk.published("ks_table4")
    >>> [published_values(crimes, crimes.schema[name]) for name in ("Marital Status", "DOB")]
    [('Married', 'Separated', 'Single'), ('1991',)]
    """
    if by_nodes(release):
        side = release.left if column.name == release.title("left") else release.right
        return tuple(sorted(side.frame[column.name])) if len(side) <= MOST else ()
    table = getattr(release, TABLES.get(release.kind, ""), None)
    if table is None or column.name not in table:
        return ()
    cells = table[column.name].dropna().astype(str).unique().tolist()
    if len(cells) > MOST:
        return ()
    read = meanings(tuple(sorted(cells)), column)
    return tuple(sorted({name for part in read for name in part.names if not part.anything}))


def published_range(release: TableRelease, column: Column) -> str:
    """The lowest and the highest published number, in words."""
    if not len(release):
        return ""
    ordered = release.ordered(column.name)
    low, high = float(ordered[0]), float(np.nanmax(ordered))
    digits = (
        max(0, 4 - int(np.floor(np.log10(min(high - low, sys.float_info.max)))))
        if high > low
        else 6
    )
    ends = _write_dates(low, high) if column.dated else _write_alike(low, high, digits)
    ends = (localize_number(ends[0]), localize_number(ends[1])) if not column.dated else ends
    if low == high:
        return form_text("everywhere", value=ends[0])
    return form_text("range", low=ends[0], high=ends[1])


def _write_dates(low: float, high: float) -> tuple[str, str]:
    return date_text(low), date_text(high)


def _write_alike(low: float, high: float, digits: int) -> tuple[str, str]:
    """Two numbers with as many decimals as the one that needs more."""
    ends = plain_number(low, digits), plain_number(high, digits)
    if low == high:
        return ends
    decimals = max(len(end.partition(".")[2]) for end in ends)
    return f"{low:,.{decimals}f}", f"{high:,.{decimals}f}"


def plain_number(value: float, digits: int) -> str:
    """A number as a person would type it.

    Examples
    --------
    >>> plain_number(87.83, 3), plain_number(52000.0, 0), plain_number(-0.0001, 2)
    ('87.83', '52000', '0')
    """
    text = f"{value:.{min(digits, 12)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def show_typed(value: Any) -> str:
    """What was typed, as a box holds it."""
    return "" if value is None or isinstance(value, Mapping) else str(value)


def read_values(
    columns: Sequence[Column],
    record: Mapping[str, Any],
    release: Release | None = None,
    *,
    ranked: bool = True,
) -> tuple[dict[str, Any], dict[str, RecordError]]:
    """What was typed as values, empty boxes left out; and the errors by attribute.

    Where records are not ranked, a category may be one that the table holds only within a group.

    Examples
    --------
    >>> read_values([Column("age"), Column("weight")], {"age": " 41 ", "weight": "heavy"})
    ({'age': 41}, {'weight': RecordError("'weight' was given as 'heavy'; expected a number.")})
    """
    values: dict[str, Any] = {}
    errors: dict[str, RecordError] = {}
    for column in columns:
        said = show_typed(record.get(column.name)).strip()
        number = column.kind == "numeric"
        try:
            score = _read_score(said, column, release, ranked=ranked) if said else None
        except RecordError as error:
            errors[column.name] = error
            continue
        if said:
            values[column.name] = _drop_decimals(score) if number and score is not None else said
    return values, errors


def _read_score(said: str, column: Column, release: Any, *, ranked: bool) -> float | None:
    if column.kind == "numeric":
        return typed_number(said, column, published_numbers(release, column.name)).value
    return column.score(said) if ranked else None


def _drop_decimals(score: float) -> float:
    return int(score) if score.is_integer() else score
