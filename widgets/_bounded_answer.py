"""One question, its interval from two ways of publishing the same groups, and the truth."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, NamedTuple

import pandas as pd

from verikit import partition
from verikit._support import html as _html
from verikit._support import requests
from verikit.analyst import Answer, Query, answer, help_rows
from verikit.datasets import load, published
from verikit.mask import generalize, permute_sensitive
from verikit.partition import Partition
from verikit.query import Intervals, describe_bounds, evidence_of
from verikit.release import Release
from verikit.table import Microdata, require_table
from verikit.widgets import _draw as svg
from verikit.widgets._panel import Part
from verikit.widgets._pieces import write_note, write_table
from verikit.widgets._releases import as_two_tables
from verikit.widgets._view import Answered, Number, Option, QuestionView, require_option
from verikit.words import count

EXAMPLE, PRINTED = "qz_table2_1", ("qz_table2_3", "qz_table2_2")
QUESTION = {"age": (35, 55)}
ASKED = {
    "sum": "the sum",
    "avg": "the average",
    "min": "the least",
    "max": "the greatest",
    "count": "the number of records",
}
SOURCES = {"printed": "as the text prints them", "made": "made here, with the k and e below"}
GROUPINGS = {
    "min_sum_error": "least sum of errors",
    "min_max_error": "least widest error",
    "max_groups": "most groups",
}
SEED = 1
WHOSE = (
    "This view holds the original, so it is for protectors and teachers. Who has only what was "
    "published sees the intervals, never the dot."
)


class Pair(NamedTuple):
    """The same groups, published in two ways."""

    permuted: Release
    generalized: Release


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
        self._example = data is None
        self._data = load(EXAMPLE) if data is None else require_table(data, "BoundedAnswer")
        found = partition.min_sum_error(self._data, k=1, e=0, sensitive=sensitive, seed=SEED)
        self._column = self._data.schema[str(found.parameters["sensitive"])]
        first = {"where": QUESTION, "source": "printed"} if self._example else {}
        super().__init__(self._data, **(first | {"k": k, "e": e} | boxes))

    def answer(self) -> Answered:
        """The true answer, the intervals of both releases, and the lines of the help table."""
        query = self._make_query()
        releases = self.call_once(self._make_releases, self.source, self.grouping, self.k, self.e)
        found = Intervals(
            evidence_of(self._data).answer(query),
            *(answer(query, release) for release in releases),
        )
        rows = help_rows(query, as_two_tables(releases.permuted))
        html = (
            write_note(f"Asked: {query!r}.")
            + draw_intervals(found)
            + list_help_lines(rows, query.aggregate)
            + write_note(WHOSE)
            + write_note(LIMITS)
        )
        return Answered(found, found, "for certain" if found.hold else "no value", html)

    def _make_query(self) -> Query:
        if self.aggregate == "count":
            return Query.count(self.where)
        ask: Callable[..., Query] = getattr(Query, self.aggregate)
        return ask(self._column.name, self.where)

    def _make_releases(self, source: str, grouping: str, k: Any, e: Any) -> Pair:
        require_option("source", source, self._list_sources())
        if source == "printed":
            return Pair(*map(published, PRINTED))
        find: Callable[..., Partition] = getattr(partition, grouping)
        name = self._column.name
        groups = find(self._data, k=k, e=requests.within(e, "e"), sensitive=name, seed=SEED)
        made = permute_sensitive(self._data, partition=groups, sensitive=name, seed=SEED)
        return Pair(made.release, generalize(self._data, partition=groups, seed=SEED).release)

    def _list_sources(self) -> dict[str, str]:
        return {name: words for name, words in SOURCES.items() if self._example or name == "made"}

    def lay_out(self) -> list[Part]:
        """What is asked, of whom, and of which releases."""
        columns = [c for c in self._data.schema.released if c.role != "sensitive"]
        asked = [field for column in columns for field in self.asked_of(column)]
        told = f"Asked of {self._column.title}, over the records that meet all of this."
        options = [
            (name, words if name == "count" else f"{words} of {self._column.title}")
            for name, words in ASKED.items()
        ]
        made = [
            self.field("source", options=self._list_sources()),
            *self.fields("grouping", "k", "e"),
        ]
        what = [self.field("aggregate", options=options)]
        about = f"{count(len(self._data), 'record')}; the same groups are published in two ways."
        return [
            Part("query", "1\u2002The question", [(told, "soft")], [*what, *asked]),
            Part("releases", "2\u2002The releases", [(about, "soft")], made),
        ]


ROW = 62.0
LOOKS = {
    "permuted": (svg.BLUE, 'stroke-linecap="butt"'),
    "generalized": (svg.ORANGE, 'stroke-dasharray="7 3"'),
}
LIMITS = (
    "A narrow interval does not mean that somebody is in danger, nor a wide one that nobody is: "
    "what an attacker learns about one person is judged by k and e, not by these answers."
)
AGGREGATES = {
    "sum": "The bounds of the sum are added.",
    "avg": "The bounds of the sum are added and divided by all hits.",
    "min": "The least of each column counts.",
    "max": "The greatest of each column counts.",
    "count": "The hits are added.",
}


def draw_intervals(found: Intervals) -> str:
    """Both intervals on one scale; the truth is a dot on each."""
    shown = [one for one in found if isfinite(one.lower) and isfinite(one.upper)]
    if not found.hold or not shown:
        return ""
    low, high = min(one.lower for one in shown), max(one.upper for one in shown)

    def at(value: float) -> float:
        inside = min(max(value, low), high)
        return 3 + 94 * (inside - low) / (high - low) if high > low else 50.0

    true = at(found.true.estimate)
    bottom = ROW * 2 + 10
    content = [
        svg.draw_line((true, 4), (true, bottom), "currentColor", extra='stroke-dasharray="3 4"')
    ]
    for row, (way, one) in enumerate(zip(LOOKS, found[1:], strict=True)):
        content += _draw_interval(way, one, ROW * row, (at(one.lower), at(one.upper)), true)
    anchor = "end" if true > 66 else "start" if true < 33 else "middle"
    words = f"truth: {_plain(found.true.estimate)}"
    content.append(svg.draw_text(true, bottom + 16, words, anchor=anchor))
    label = f"{found.means} {found.why}".strip()
    return svg.draw_picture(bottom + 26, "The truth and two intervals", label, "".join(content))


def _draw_interval(
    way: str, one: Answer, top: float, ends: tuple[float, float], true: float
) -> list[str]:
    colour, dash = LOOKS[way]
    middle, (start, end) = top + 42, ends
    halo = f'stroke="{svg.PAPER}" stroke-width="4" paint-order="stroke"'
    bars = [svg.draw_line((x, middle - 9), (x, middle + 9), colour, width=3) for x in (start, end)]
    return [
        svg.draw_text(0, top + 20, f"{way}: {describe_bounds(one)}", extra=halo),
        svg.draw_line((3, middle), (97, middle)),
        svg.draw_line((start, middle), (end, middle), colour, width=6, extra=dash),
        *bars,
        svg.draw_mark(true, middle, "disc", f'fill="currentColor" stroke="{svg.PAPER}"'),
    ]


def list_help_lines(rows: pd.DataFrame, aggregate: str) -> str:
    """The lines of the help table that were used, and how they are put together."""
    if not len(rows):
        return write_note("No line of the help table is used: nobody meets the conditions.")
    shown = rows.rename(columns=lambda name: str(name).replace("_lower", " at least"))
    shown = shown.rename(columns=lambda name: str(name).replace("_upper", " at most"))
    used = f"{count(len(rows), 'line')} of the help table used, one for each group with hits."
    return write_note(f"{used} {AGGREGATES[aggregate]}") + write_table(
        shown, "Lines of the help table"
    )


def _plain(value: float) -> str:
    return _html.cell(float(value))
