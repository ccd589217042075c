"""Queries: one question, its true answer, and what releases of the same groups make of it."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, ClassVar

import pandas as pd
import traitlets

from verikit import partition
from verikit._support import html as _html
from verikit._support import requests
from verikit.analyst import Query, answer, help_rows
from verikit.datasets import load, published
from verikit.mask import anatomize, generalize, permute_all, permute_sensitive
from verikit.partition import Partition, diverse
from verikit.query import evidence_of
from verikit.release import Release
from verikit.table import Column, Microdata, require_table
from verikit.utility import (
    WAYS,
    Estimates,
    Intervals,
    describe_bounds,
    describe_estimates,
)
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Number, Option, View
from verikit.words import count, number

SEED = 1
COUNTED, COUNTED_QUESTION = "lhcc_table1", {"Age": (40, 70), "Sex": "F", "Disease": "Flu"}
COUNTED_RELEASES = ("lhcc_table2", "lhcc_table3", "lhcc_table4")
BOUNDED, BOUNDED_QUESTION = "qz_table2_1", {"age": (35, 55)}
BOUNDED_RELEASES = ("qz_table2_3", "qz_table2_2")
MARKS = {
    "generalized": ("square", kit.ORANGE),
    "anatomized": ("diamond", kit.GREEN),
    "permuted": ("disc", kit.BLUE),
}
ASKED = {
    "sum": "the sum",
    "avg": "the average",
    "min": "the least",
    "max": "the greatest",
    "count": "the number of records",
}
AGGREGATES = {
    "sum": "The bounds of the sum are added.",
    "avg": "The bounds of the sum are added and divided by all hits.",
    "min": "The least of each column counts.",
    "max": "The greatest of each column counts.",
    "count": "The hits are added.",
}
GROUPINGS = {
    "min_sum_error": "least sum of errors",
    "min_max_error": "least widest error",
    "max_groups": "most groups",
}
INTERVAL = 62.0  # pixels from one interval to the next
INTERVALS = {
    "permuted": (kit.BLUE, 'stroke-linecap="butt"'),
    "generalized": (kit.ORANGE, 'stroke-dasharray="7 3"'),
}
WHOSE = (
    "This view holds the original, so it is for protectors and teachers. Who has only what was "
    "published sees the intervals, never the dot."
)
LIMITS = (
    "A narrow interval does not mean that somebody is in danger, nor a wide one that nobody is: "
    "what an attacker learns about one person is judged by k and e, not by these answers."
)


class QuestionView(View):
    """A view with a question in ``where``: ranges by two boxes, categories by a list."""

    SOURCES: ClassVar[dict[str, str]] = {}

    where = traitlets.Dict(help="The question: by column a range, a value, or a set of values.")
    _data: Microdata
    _is_example: bool

    def on_value(self, place: str, value: str) -> None:
        """A box changed; an end of a range, or a choice, changes the question."""
        kind, _, name = place.partition("/")
        if kind not in ("low", "high", "is"):
            super().on_value(place, value)
            return
        low, high = _split_ends(self.where.get(name))
        given: Any = value or None
        if kind != "is":
            low, high = (
                (views.read_value(value), high) if kind == "low" else (low, views.read_value(value))
            )
            given = None if (low, high) == (None, None) else (low, high)
        rest = {known: old for known, old in self.where.items() if known != name or given}
        self.where = rest if given is None else {**rest, name: given}

    def find_sources(self) -> dict[str, str]:
        """Where the releases come from: those that were printed are of the example only."""
        return {n: words for n, words in self.SOURCES.items() if self._is_example or n == "made"}

    def ask_of(self, column: Column) -> list[Field]:
        """The boxes of one column."""
        value = self.where.get(column.name)
        title = f"{column.title} ({column.unit})" if column.unit else column.title
        if column.kind == "numeric":
            low, high = ("" if end is None else str(end) for end in _split_ends(value))
            scores = self._data.scores(column.name)
            told = f"{_html.cell(float(scores.min()))} to {_html.cell(float(scores.max()))} occur"
            return [
                Field(f"low/{column.name}", "text", f"{title} from", low, told, decimal=True),
                Field(f"high/{column.name}", "text", f"{title} to", high, decimal=True),
            ]
        names = column.categories or tuple(self._data.codes(column.name)[1])
        options = (("", "any"), *((str(name), str(name)) for name in names))
        shown = "" if value is None else str(value)
        return [Field(f"is/{column.name}", "choice", title, shown, options=options)]


def _split_ends(value: Any) -> tuple[Any, Any]:
    """A range as its two ends; one number is a range of one."""
    return value if isinstance(value, tuple) and len(value) == 2 else (value, value)


class QueryBench(QuestionView):
    """Ask for a count, and see how near three releases of the same groups come to the truth.

    Parameters
    ----------
    data
        The records, one column of them sensitive; by default nine patients, as they were
        published in the paper.
    ell
        How many different sensitive values a group holds in releases made here.

    Notes
    -----
    ``result`` holds the four answers. ``where`` is the question, as `verikit.Query.count` takes
    it. Releases made here share their groups and differ in how these are published.

    References
    ----------
    [LHCC]_ Examples 1 and 2

    Examples
    --------
    >>> bench = QueryBench()
    >>> [round(found.estimate, 3) for found in bench.result]
    [1.0, 0.375, 0.9, 0.855]
    """

    TITLE = "3\u2002How near the answers come"
    SOURCES: ClassVar = {
        "printed": "as the paper prints them",
        "made": "made here, with the l below",
    }

    source = Option("made", "Releases")
    ell = Number(4, "Different values in each group (l)", "for releases made here")

    def __init__(self, data: Microdata | None = None, *, ell: int = 4, **boxes: Any) -> None:
        self._is_example = data is None
        self._data = load(COUNTED) if data is None else require_table(data, "QueryBench")
        first = {"where": COUNTED_QUESTION, "source": "printed"} if data is None else {}
        super().__init__(self._data, **(first | {"ell": ell} | boxes))

    def answer(self) -> Answered:
        """The true count, the three estimates, as the paper makes them, and how far off each is."""
        query = Query.count(self.where)
        views.require_option("source", self.source, self.find_sources())
        releases = self.call_once(_make_three, self._data, self.source, self.ell)
        found = Estimates(
            evidence_of(self._data).answer(query),
            *(answer(query, one, measured=True) for one in releases),
        )
        true = found.true.estimate
        errors: list[float | None] = [None] * len(releases)  # of a count of 0 there is no share
        if true:
            errors = [abs(one.estimate - true) / true for one in found[1:]]
        told = describe_estimates(found, errors, len(self._data))
        lines = [
            kit.Interval(
                f"{way}: {number(one.estimate)}",
                f"certain: {number(one.lower)} to {number(one.upper)}",
                (one.lower, one.estimate, one.upper),
                *MARKS[way],
            )
            for way, one in zip(WAYS, found[1:], strict=True)
        ]
        frame = pd.DataFrame(
            {
                "table": ("original", *WAYS),
                "count": [one.estimate for one in found],
                "at least": [one.lower for one in found],
                "at most": [one.upper for one in found],
                "off by, %": [0.0, *(None if e is None else round(100 * e, 1) for e in errors)],
            }
        ).astype({"off by, %": float})
        rests = [
            kit.write_note(f"{way[:1].upper()}{way[1:]}: {one.rests_on}.")
            for way, one in zip(WAYS, found[1:], strict=True)
        ]
        title = "The true count and three estimates"
        html = (
            kit.write_note(f"Asked: {query!r}.")
            + kit.draw_intervals(
                lines, (true, "true"), title, f"True count {number(true)}. {told.why}"
            )
            + kit.write_table(frame, "The answers", digits=3)
            + kit.fold_away("What the estimates rest on", "".join(rests), "vk-rests")
        )
        return Answered(found, told, "the true count", html)

    def lay_out(self) -> list[Part]:
        """The question column by column, and the releases."""
        asked = [field for column in self._data.schema.released for field in self.ask_of(column)]
        lines = [("Count the records that meet all of this; empty asks for nothing.", "soft")]
        made = [self.field("source", options=self.find_sources()), self.field("ell")]
        return [
            Part("query", "1\u2002The question", lines, asked),
            Part("releases", "2\u2002The releases", fields=made),
        ]


def _make_three(data: Microdata, source: str, ell: Any) -> tuple[Release, ...]:
    """Three releases of the same groups: those of the paper, or made here."""
    if source == "printed":
        return tuple(map(published, COUNTED_RELEASES))
    groups = diverse(data, ell=ell, seed=SEED)
    ways = (generalize, anatomize, permute_all)
    return tuple(way(data, partition=groups, seed=SEED).release for way in ways)


class BoundedAnswer(QuestionView):
    """Ask about a sensitive number, and see what is certain from two releases beside the truth.

    Parameters
    ----------
    data
        The records, a column of numbers sensitive; by default nine people, as they were published
        in the text.
    k, e
        How many different values, and what range, a group has in releases made here.
    sensitive
        The column of numbers; needed only if several columns are sensitive.

    Notes
    -----
    ``result`` holds the true answer and the two others. ``where`` is the question, as
    `verikit.Query.sum` takes it. The view holds the original: it is the protector's.

    References
    ----------
    [QZ]_ section 2.2, queries 1 to 3, Table 2.4, Theorem 2

    Examples
    --------
    >>> view = BoundedAnswer()
    >>> [(found.lower, found.upper) for found in view.result]
    [(530000.0, 530000.0), (530000.0, 540000.0), (210000.0, 615000.0)]
    """

    TITLE = "3\u2002What is certain, and the truth"
    SOURCES: ClassVar = {
        "printed": "as the text prints them",
        "made": "made here, with the k and e below",
    }

    aggregate = Option("sum", "Asked for", ASKED)
    source = Option("made", "Releases")
    grouping = Option("min_sum_error", "Groups made for", GROUPINGS)
    k = Number(2, "Different values in each group (k)", "for releases made here")
    e = Number(0, "Range of each group at least (e)", "for releases made here")

    def __init__(
        self,
        data: Microdata | None = None,
        *,
        k: int = 2,
        e: float = 0,
        sensitive: str | None = None,
        **boxes: Any,
    ) -> None:
        self._is_example = data is None
        self._data = load(BOUNDED) if data is None else require_table(data, "BoundedAnswer")
        found = partition.min_sum_error(self._data, k=1, e=0, sensitive=sensitive, seed=SEED)
        self._column = self._data.schema[str(found.parameters["sensitive"])]
        first = {"where": BOUNDED_QUESTION, "source": "printed"} if data is None else {}
        super().__init__(self._data, **(first | {"k": k, "e": e} | boxes))

    def answer(self) -> Answered:
        """The true answer, the intervals of both releases, and the lines of the help table."""
        ask: Callable[..., Query] = getattr(Query, self.aggregate)
        about = () if self.aggregate == "count" else (self._column.name,)
        query = ask(*about, self.where)
        releases = self.call_once(self._make_two, self.source, self.grouping, self.k, self.e)
        found = Intervals(
            evidence_of(self._data).answer(query), *(answer(query, one) for one in releases)
        )
        html = (
            kit.write_note(f"Asked: {query!r}.")
            + _draw_two(found)
            + _list_help_lines(help_rows(query, views.as_two_tables(releases[0])), query.aggregate)
            + kit.write_note(WHOSE)
            + kit.write_note(LIMITS)
        )
        return Answered(found, found, "for certain" if found.hold else "no value", html)

    def _make_two(self, source: str, grouping: str, k: Any, e: Any) -> tuple[Release, Release]:
        """The same groups published in two ways: numbers permuted, other values generalized."""
        views.require_option("source", source, self.find_sources())
        if source == "printed":
            return published(BOUNDED_RELEASES[0]), published(BOUNDED_RELEASES[1])
        find: Callable[..., Partition] = getattr(partition, grouping)
        name = self._column.name
        groups = find(self._data, k=k, e=requests.within(e, "e"), sensitive=name, seed=SEED)
        made = permute_sensitive(self._data, partition=groups, sensitive=name, seed=SEED)
        return made.release, generalize(self._data, partition=groups, seed=SEED).release

    def lay_out(self) -> list[Part]:
        """What is asked, of whom, and of which releases."""
        columns = [c for c in self._data.schema.released if c.role != "sensitive"]
        asked = [field for column in columns for field in self.ask_of(column)]
        told = f"Asked of {self._column.title}, over the records that meet all of this."
        options = [
            (name, words if name == "count" else f"{words} of {self._column.title}")
            for name, words in ASKED.items()
        ]
        what = self.field("aggregate", options=options)
        source = self.field("source", options=self.find_sources())
        about = f"{count(len(self._data), 'record')}; the same groups are published in two ways."
        made = [source, *self.fields("grouping", "k", "e")]
        return [
            Part("query", "1\u2002The question", [(told, "soft")], [what, *asked]),
            Part("releases", "2\u2002The releases", [(about, "soft")], made),
        ]


def _draw_two(found: Intervals) -> str:
    """Both intervals on one scale; the truth is a dot on each."""
    shown = [one for one in found if isfinite(one.lower) and isfinite(one.upper)]
    if not found.hold or not shown:
        return ""
    low, high = min(one.lower for one in shown), max(one.upper for one in shown)

    def find_place(value: float) -> float:
        inside = min(max(value, low), high)
        return 3 + 94 * (inside - low) / (high - low) if high > low else 50.0

    true, bottom = find_place(found.true.estimate), INTERVAL * 2 + 10
    dots = 'stroke-dasharray="3 4"'
    drawn = [kit.draw_line((true, 4), (true, bottom), "currentColor", extra=dots)]
    for row, ((way, (colour, dash)), one) in enumerate(
        zip(INTERVALS.items(), found[1:], strict=True)
    ):
        middle, start, end = INTERVAL * row + 42, find_place(one.lower), find_place(one.upper)
        drawn += [
            kit.draw_text(0, middle - 22, f"{way}: {describe_bounds(one)}", extra=kit.HALO),
            kit.draw_line((3, middle), (97, middle)),
            kit.draw_line((start, middle), (end, middle), colour, width=6, extra=dash),
            kit.draw_line((start, middle - 9), (start, middle + 9), colour, width=3),
            kit.draw_line((end, middle - 9), (end, middle + 9), colour, width=3),
            kit.draw_mark(true, middle, "disc", f'fill="currentColor" stroke="{kit.PAPER}"'),
        ]
    anchor = "end" if true > 66 else "start" if true < 33 else "middle"
    words = f"truth: {_html.cell(float(found.true.estimate))}"
    drawn.append(kit.draw_text(true, bottom + 16, words, anchor=anchor))
    label = f"{found.means} {found.why}".strip()
    return kit.draw_picture(bottom + 26, "The truth and two intervals", label, "".join(drawn))


def _list_help_lines(rows: pd.DataFrame, aggregate: str) -> str:
    """The lines of the help table that were used, and how they are put together."""
    if not len(rows):
        return kit.write_note("No line of the help table is used: nobody meets the conditions.")
    shown = rows.rename(columns=lambda name: str(name).replace("_lower", " at least"))
    shown = shown.rename(columns=lambda name: str(name).replace("_upper", " at most"))
    used = f"{count(len(rows), 'line')} of the help table used, one for each group with hits."
    table = kit.write_table(shown, "Lines of the help table")
    return kit.write_note(f"{used} {AGGREGATES[aggregate]}") + table
