"""What would be enough for her: a box for each measure that the kind of release can judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verikit.errors import RecordError
from verikit.languages import criterion_text as offered_as
from verikit.languages import form_text, localize_number
from verikit.ranks.spread import Criterion
from verikit.subject import measure_text as measure_words
from verikit.subject import to_plain_number
from verikit.table import Column, number
from verikit.widgets._form import show_typed
from verikit.widgets._panel import Field, Part

LABELS = {"generalized": {"k": "k", "ell": "ell"}, "split": {"ell": "ell-guess"}}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is required now, by measure; and the criteria and columns that are offered."""

    given: Mapping[str, Any]
    criterion: Criterion
    offered: Sequence[str]
    columns: Sequence[Column]
    nodes: Sequence[str] = ()
    kind: str = ""


def requirement_part(judges: Mapping[str, str], asked: Asked) -> Part:
    """What would be enough for her; empty boxes ask for nothing."""
    fields: list[Field] = []
    for measure, meaning in judges.items():
        fields += (
            BOXES[measure](asked) if measure in BOXES else [_make_count(measure, meaning, asked)]
        )
    return Part("requirement", form_text("enough"), fields=fields, fold=form_text("require"))


def by_deviation(criterion: Criterion) -> bool:
    """Whether diversity is asked for as a deviation, in each attribute's own unit."""
    return "variance" in criterion.name


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


def read_count(value: Any) -> Any:
    """A typed count as a whole number; what is none stays as it is, to be refused.

    Examples
    --------
    >>> read_count(" 3 "), read_count("2.5"), read_count("many"), read_count("")
    (3, '2.5', 'many', None)
    """
    said = to_plain_number(value.strip()) if isinstance(value, str) else value
    return (int(said) if said.isdecimal() else said or None) if isinstance(said, str) else said


def read_width(value: Any) -> Any:
    """A typed width as a number; what is none stays as it is, to be refused.

    Examples
    --------
    >>> read_width(" 2000 "), read_width("2.5"), read_width("wide"), read_width("")
    (2000.0, 2.5, 'wide', None)
    """
    said = to_plain_number(value.strip()) if isinstance(value, str) else value
    try:
        return number(said, "e") if said not in (None, "") else None
    except RecordError:
        return said


def read_requirements(required: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Requirements as `check` takes them, by measure.

    Examples
    --------
    >>> read_requirements({"k": "3", "e": " ", "diversity": {"a": 1.0, "b": 2.0}}, {"a": 5})
    {'k': 3, 'e': None, 'diversity': {'a': 1.0}}
    """
    asked = {name: _read_requirement(value, values) for name, value in required.items()}
    asked |= {name: read_count(asked[name]) for name in ("k", "ell") if name in asked}
    return asked | ({"e": read_width(asked["e"])} if "e" in asked else {})


def _read_requirement(required: Any, values: Mapping[str, Any]) -> Any:
    """A requirement as `check` takes it: nothing for an empty box, only for the values given."""
    if isinstance(required, Mapping):
        return {name: value for name, value in required.items() if name in values}
    if required is None or not str(required).strip():
        return None
    return to_plain_number(required) if isinstance(required, str) else required


def set_deviation(now: Any, columns: Sequence[Column], attribute: str, text: str) -> Any:
    """The required variances, after a deviation was typed for one attribute.

    Examples
    --------
    >>> set_deviation(9.0, [Column("age"), Column("pay")], "pay", "10")
    {'age': 9.0, 'pay': 100.0}
    >>> set_deviation({"pay": 100.0}, [Column("age"), Column("pay")], "pay", "") is None
    True
    """
    if not isinstance(now, Mapping):
        now = {column.name: now for column in columns if now not in (None, "")}
    rest = {name: part for name, part in now.items() if name != attribute}
    return rest | ({attribute: read_variance(text)} if text.strip() else {}) or None


def _make_distance(asked: Asked) -> list[Field]:
    now = asked.given["distance"]
    said = f"{form_text('every')}{_one_by_one(now)}"
    label = form_text("distance")
    return [Field("distance", "text", label, show_typed(now), said, decimal=True)]


def _make_diversity(asked: Asked) -> list[Field]:
    options = tuple((name, offered_as(name)) for name in asked.offered)
    label = form_text("criterion")
    choice = Field("criterion", "choice", label, asked.criterion.name, options=options)
    if by_deviation(asked.criterion):
        return [choice, *(_make_deviation(column, asked) for column in asked.columns)]
    now, criterion = asked.given["diversity"], asked.criterion
    said = f"{form_text('this', direction=criterion.direction)}{_one_by_one(now)}"
    label = form_text("their", measure=measure_words(criterion.name))
    return [choice, Field("diversity", "text", label, show_typed(now), said, decimal=True)]


def _make_deviation(column: Column, asked: Asked) -> Field:
    now, place = asked.given["diversity"], f"diversity/{column.name}"
    value = now.get(column.name) if isinstance(now, Mapping) else now
    unit = f" ({column.apart})" if column.apart else ""
    return Field(
        place,
        "text",
        form_text("spread-of", title=f"{column.title}{unit}"),
        show_deviation(value),
        form_text("deviation"),
        decimal=True,
    )


def _make_count(name: str, meaning: str, asked: Asked) -> Field:
    known = LABELS.get(asked.kind, {}).get(name)
    label = form_text(known) if known else f"{meaning[:1].upper()}{meaning[1:]}, at least"
    now = show_typed(asked.given[name])
    return Field(name, "text", label, now, decimal=True)


def _make_node(asked: Asked) -> list[Field]:
    label = "What may be known of you: this group of values, and nothing below it"
    options = tuple((name, name) for name in asked.nodes)
    said = "one of the published tree; the whole range lets nothing be known"
    now = show_typed(asked.given["node"])
    return [Field("node", "text", label, now, said, options=options, wide=True)]


def _one_by_one(required: Any) -> str:
    if not isinstance(required, Mapping):
        return ""
    values = ", ".join(f"{name} {localize_number(str(value))}" for name, value in required.items())
    return f"; {form_text('now', values=values)}"


BOXES: Mapping[str, Callable[[Asked], list[Field]]] = {
    "distance": _make_distance,
    "diversity": _make_diversity,
    "node": _make_node,
}
