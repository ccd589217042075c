"""The form of the self-check: the table, a box or a choice for each attribute, a requirement."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from verikit.errors import RecordError
from verikit.languages import criterion_text as offered_as
from verikit.languages import form_text, localize_number
from verikit.ranks.spread import Criterion
from verikit.release import Release, TableRelease, by_nodes, whole_records
from verikit.subject import measure_text as measure_words
from verikit.subject import method_words, names_rows, read_typed, spellings_of
from verikit.table import Column, number
from verikit.values.dates import date_text
from verikit.values.typed import to_plain_number
from verikit.widgets._panel import LIMIT, Field, Part
from verikit.words import count, joined

MOST = 100
FEW, SHORT = 6, 12
OF_LINKS = ("your name", "one that you are linked to, if you like; or look it up by itself")
NODE = (
    "What may be known of you: this group of values, and nothing below it",
    "one of the published tree; the whole range lets nothing be known",
)
ACCEPTED = (
    ".csv,.tsv,.txt,.zip,.gz,.parquet,.pq,.feather,.xlsx,.dta,.sav,.zsav,.por,.sas7bdat,.xpt,"
    ".rds,.RData,.json,.xz,.bz2"
)
LABELS = {
    "generalized": {"k": "k", "ell": "ell"},
    "masked": {"match": "match"},
    "split": {"ell": "ell-guess"},
}


def list_columns(release: Release, *, ranked: bool) -> tuple[list[Column], list[tuple[str, str]]]:
    """The columns a person can be asked for, and why others are not: a sentence and a title."""
    asked: list[Column] = []
    reasons: list[tuple[str, str]] = []
    unranked = release.schema.quasi if whole_records(release) else release.asked
    for column in release.schema if ranked else unranked:
        reason = _refuse_column(cast("TableRelease", release), column, ranked=ranked)
        if reason:
            reasons.append((reason, column.title))
        elif len(asked) < MOST:
            asked.append(column)
        else:
            reasons.append(("unused-more", ""))
            break
    return asked, reasons


def _refuse_column(release: TableRelease, column: Column, *, ranked: bool) -> str:
    if names_rows(release, column):
        return "unused-rows"
    if not ranked or release.compares(column.name):
        return ""
    spans = isinstance(release.frame[column.name].dtype, pd.IntervalDtype)
    return "unused-intervals" if spans else "unused-empty"


def table_part(source: str, release: Release, path: str, *, example: bool) -> Part:
    """Which table is checked against, how it was made, and how to choose another."""
    told = form_text("file-help", most=LIMIT // 10**6)
    fields = [
        Field("path", "text", form_text("path"), path, help=form_text("path-help"), wide=True),
        Field("file", "file", form_text("file"), help=told, accept=ACCEPTED),
    ]
    if not example:
        fields.append(Field("example", "press", form_text("example")))
    if by_nodes(release):
        sides = [f"{len(release.side(s)):,} {release.title(s)}" for s in ("left", "right")]
        size = f"{count(len(release), 'link')} between {joined(sides)}"
    else:
        size = form_text("size", records=len(release), attributes=len(release.schema))
    made = method_words(release.method, release.parameters)
    lines = [(source, "strong"), (size, ""), (made, "soft")]
    return Part("table", f"1\u2002{form_text('table')}", lines, fields, form_text("choose"))


def make_field(release: Release, column: Column, value: str, *, ranked: bool) -> Field:
    """The box of a column, with what was published, or how a number in it was understood."""
    place, numeric = f"record/{column.name}", column.kind == "numeric"
    names = (ranked and column.categories) or offered_words(release, column)
    if not numeric and (names if ranked else column.hierarchy is not None):
        options = (("", form_text("silent")), *((name, name) for name in names))
        return Field(place, "choice", column.title, value, options=options)
    unit = form_text("date") if column.dated else column.unit
    title = f"{column.title} ({unit})" if unit else column.title
    said = published_range(cast("TableRelease", release), column) if ranked and numeric else ""
    if by_nodes(release):
        said = OF_LINKS[column.name == release.title("right")]
    if numeric:
        with suppress(RecordError):  # which stands at the box
            found = read_typed(value, column, release)
            if found.read:
                said = form_text("read-as", value=localize_number(column.shown(found.value)))
    if 0 < len(names) <= FEW and not said:
        said = form_text("published", cells=list(names))
    return Field(
        place,
        "text",
        title,
        value,
        said,
        hint=form_text("not-said"),
        options=tuple((name, name) for name in names),
        decimal=numeric,
        wide=any(len(name) > SHORT for name in names),
    )


def offered_words(release: Release, column: Column) -> tuple[str, ...]:
    """The words to choose from: what is declared, or what published cells name.

    Examples
    --------
    >>> import verikit as vk
    >>> crimes = vk.published("ks_table4")
    >>> [offered_words(crimes, crimes.schema[name]) for name in ("Marital Status", "DOB")]
    [('Married', 'Separated', 'Single'), ('1991',)]
    """
    if by_nodes(release):
        side = release.left if column.name == release.title("left") else release.right
        return tuple(sorted(side.frame[column.name])) if len(side) <= MOST else ()
    return spellings_of(release, column).offered


def published_range(release: TableRelease, column: Column) -> str:
    """The lowest and the highest published number, as a person would type them."""
    if not len(release):
        return ""
    ordered = release.ordered(column.name)
    low, high = float(ordered[0]), float(np.nanmax(ordered))
    if column.dated:
        ends = (date_text(low), date_text(high))
    else:
        digits = 6
        if high > low:
            widest = min(high - low, sys.float_info.max)
            digits = max(0, 4 - int(np.floor(np.log10(widest))))
        # Both with as many decimals as the one that needs more
        written = [f"{end:.{min(digits, 12)}f}" for end in (low, high)]
        written = [end.rstrip("0").rstrip(".") if "." in end else end for end in written]
        if high > low:
            decimals = max(len(end.partition(".")[2]) for end in written)
            written = [f"{end:,.{decimals}f}" for end in (low, high)]
        elif written[0] in ("-0", ""):
            written = ["0", "0"]
        ends = (localize_number(written[0]), localize_number(written[1]))
    if low == high:
        return form_text("everywhere", value=ends[0])
    return form_text("range", low=ends[0], high=ends[1])


def show_typed(value: Any) -> str:
    """What was typed, as a box holds it."""
    return "" if value is None or isinstance(value, Mapping) else str(value)


def read_values(
    columns: Sequence[Column], record: Mapping[str, Any], release: Release
) -> tuple[dict[str, Any], dict[str, RecordError]]:
    """What was typed, empty boxes left out; and by attribute why it is no value of its own.

    Examples
    --------
    >>> import verikit as vk
    >>> release = vk.published("dm_table1_masked")
    >>> read_values(tuple(release.schema), {"X1": " 100 ", "X2": "heavy"}, release)
    ({'X1': 100}, {'X2': RecordError("'X2' was given as 'heavy'; expected a number.")})
    """
    values: dict[str, Any] = {}
    errors: dict[str, RecordError] = {}
    for column in columns:
        said = show_typed(record.get(column.name)).strip()
        try:
            if said:
                values[column.name] = read_typed(said, column, release).value
        except RecordError as error:
            errors[column.name] = error
    return values, errors


class Requirement(NamedTuple):
    """What is required now, by measure; and the criteria, columns and nodes that are offered."""

    given: Mapping[str, Any]
    criteria: Mapping[str, Criterion]
    offered: Sequence[str]
    columns: Sequence[Column]
    nodes: Sequence[str] = ()


def requirement_part(kind: Any, asked: Requirement) -> Part:
    """What would be enough for her: the boxes of what a kind of release judges."""
    fields: list[Field] = []
    for measure, meaning in kind.judges.items():
        now = show_typed(asked.given[measure])
        if measure == "diversity":
            fields += _make_diversity(asked)
        elif measure == "distance":
            said = f"{form_text('every')}{_say_numbers_now(asked.given[measure])}"
            fields.append(Field("distance", "text", form_text("distance"), now, said, decimal=True))
        elif measure == "node":
            options = tuple((name, name) for name in asked.nodes)
            fields.append(Field("node", "text", NODE[0], now, NODE[1], options=options, wide=True))
        else:
            known = LABELS.get(kind.name, {}).get(measure)
            label = f"{meaning[:1].upper()}{meaning[1:]}, at least"
            label = form_text(known) if known else label
            fields.append(Field(measure, "text", label, now, decimal=True))
    return Part("requirement", form_text("enough"), fields=fields, fold=form_text("require"))


def read_variance(text: str) -> float | str:
    """The variance of a typed deviation; the text itself where it is none, to be refused.

    Examples
    --------
    >>> read_variance("5"), read_variance("-5"), read_variance("wide")
    (25.0, '-5', 'wide')
    """
    try:
        found = number(to_plain_number(text), "deviation")
    except RecordError:
        return text
    return found * found if found >= 0 else text


def show_deviation(value: Any) -> str:
    """The deviation that a box shows for a required variance.

    Examples
    --------
    >>> show_deviation(read_variance("0.1")), show_deviation("wide"), show_deviation(None)
    ('0.1', 'wide', '')
    """
    if value is None or isinstance(value, str):
        return show_typed(value)
    return localize_number(f"{float(np.sqrt(value)):.12g}") if value >= 0 else str(value)


def read_requirements(required: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Requirements as `check` takes them, by measure; what is no number stays, to be refused.

    Examples
    --------
    >>> read_requirements({"k": "3", "e": " ", "diversity": {"a": 1.0, "b": 2.0}}, {"a": 5})
    {'k': 3, 'e': None, 'diversity': {'a': 1.0}}
    >>> read_requirements({"k": "many", "ell": "2.5", "e": "2.5"}, {})
    {'k': 'many', 'ell': '2.5', 'e': 2.5}
    """
    asked: dict[str, Any] = {}
    for name, value in required.items():
        if isinstance(value, Mapping):  # only for the values given
            asked[name] = {column: part for column, part in value.items() if column in values}
        elif value is None or not str(value).strip():
            asked[name] = None
        elif isinstance(value, str):
            said = to_plain_number(value)
            if name in ("k", "ell", "match"):
                asked[name] = int(said.strip()) if said.strip().isdecimal() else said
            elif name == "e":
                asked[name] = said
                with suppress(RecordError):
                    asked[name] = number(said, "e")
            else:
                asked[name] = said
        else:
            asked[name] = value
    return asked


def set_diversity(
    now: Any, columns: Sequence[Column], attribute: str, text: str, criterion: Criterion
) -> Any:
    """The required diversities, after one was typed for one attribute: of a variance its root.

    Examples
    --------
    >>> columns, variance = [Column("age"), Column("pay")], Criterion("variance")
    >>> set_diversity(9.0, columns, "pay", "10", variance)
    {'age': 9.0, 'pay': 100.0}
    >>> set_diversity({"pay": 100.0}, columns, "pay", "", variance) is None
    True
    """
    if not isinstance(now, Mapping):
        now = {column.name: now for column in columns if now not in (None, "")}
    rest = {name: part for name, part in now.items() if name != attribute}
    asked: Any = read_variance(text) if "variance" in criterion.name else to_plain_number(text)
    return rest | ({attribute: asked} if text.strip() else {}) or None


def _make_diversity(asked: Requirement) -> list[Field]:
    names = [*dict.fromkeys(criterion.name for criterion in asked.criteria.values())]
    several = ", ".join(map(offered_as, names))
    options = tuple((name, offered_as(name)) for name in asked.offered)
    options = ((several, several), *options) if len(names) > 1 else options
    label, chosen = form_text("criterion"), several if len(names) > 1 else names[0]
    choice = Field("criterion", "choice", label, chosen, options=options)
    now, criterion = asked.given["diversity"], asked.criteria[asked.columns[0].name]
    if "variance" in criterion.name or len(names) > 1:
        boxes = [choice]
        for column in asked.columns:
            value, criterion = now, asked.criteria[column.name]
            if isinstance(now, Mapping):
                value = now.get(column.name)
            shown, said = show_typed(value), form_text("this", direction=criterion.direction)
            label = f"{column.title}: {measure_words(criterion.name)}"
            if "variance" in criterion.name:  # asked for as a deviation, in its own unit
                unit = f" ({column.apart})" if column.apart else ""
                label = form_text("spread-of", title=f"{column.title}{unit}")
                shown, said = show_deviation(value), form_text("deviation")
            place = f"diversity/{column.name}"
            boxes.append(Field(place, "text", label, shown, said, decimal=True))
        return boxes
    said = f"{form_text('this', direction=criterion.direction)}{_say_numbers_now(now)}"
    label = form_text("their", measure=measure_words(criterion.name))
    return [choice, Field("diversity", "text", label, show_typed(now), said, decimal=True)]


def _say_numbers_now(required: Any) -> str:
    if not isinstance(required, Mapping):
        return ""
    values = ", ".join(f"{name} {localize_number(str(value))}" for name, value in required.items())
    return f"; {form_text('now', values=values)}"
