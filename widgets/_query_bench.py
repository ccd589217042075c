"""The query bench: one count, its true answer, and what three ways of publishing make of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from verikit._support import html as _html
from verikit.analyst import Answer, Query, answer
from verikit.datasets import load, published
from verikit.mask import anatomize, generalize, permute_all
from verikit.partition import diverse
from verikit.query import WAYS, Estimates, describe_estimates, evidence_of
from verikit.release import Release
from verikit.table import Microdata, require_table
from verikit.utility import relative_error
from verikit.widgets import _draw as svg
from verikit.widgets._panel import Part
from verikit.widgets._pieces import write_note, write_table
from verikit.widgets._view import Answered, Number, Option, QuestionView, require_option
from verikit.words import Said, number

EXAMPLE = "lhcc_table1"
PRINTED = ("lhcc_table2", "lhcc_table3", "lhcc_table4")
QUESTION = {"Age": (40, 70), "Sex": "F", "Disease": "Flu"}
SOURCES = {"printed": "as the paper prints them", "made": "made here, with the l below"}
SEED = 1


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

    source = Option("made", "Releases")
    ell = Number(4, "Different values in each group (l)", "for releases made here")

    def __init__(self, data: Microdata | None = None, *, ell: int = 4, **boxes: Any) -> None:
        self._example = data is None
        self._data = load(EXAMPLE) if data is None else require_table(data, "QueryBench")
        first = {"where": QUESTION, "source": "printed"} if self._example else {}
        super().__init__(self._data, **(first | {"ell": ell} | boxes))

    def answer(self) -> Answered:
        """The true count, the three estimates, and how far off each is."""
        query = Query.count(self.where)
        require_option("source", self.source, self._list_sources())
        if self.source == "printed":
            releases = self.call_once(_open_printed)
        else:
            releases = self.call_once(_make_releases, self._data, self.ell)
        found = Estimates(
            evidence_of(self._data).answer(query), *(answer(query, r) for r in releases)
        )
        errors = [_find_error(self._data, release, query, found.true) for release in releases]
        told = describe_estimates(found, errors, len(self._data))
        html = (
            write_note(f"Asked: {query!r}.")
            + draw_estimates(found, told)
            + tabulate_estimates(found, errors)
            + explain_estimates(found)
        )
        return Answered(found, told, "the true count", html)

    def _list_sources(self) -> dict[str, str]:
        return {name: words for name, words in SOURCES.items() if self._example or name == "made"}

    def lay_out(self) -> list[Part]:
        """The question column by column, and the releases."""
        columns = self._data.schema.released
        asked = [field for column in columns for field in self.asked_of(column)]
        lines = [("Count the records that meet all of this; empty asks for nothing.", "soft")]
        fields = [
            self.field("source", options=self._list_sources()),
            self.field("ell"),
        ]
        return [
            Part("query", "1\u2002The question", lines, asked),
            Part("releases", "2\u2002The releases", fields=fields),
        ]


def _open_printed() -> tuple[Release, ...]:
    return tuple(published(name) for name in PRINTED)


def _make_releases(data: Microdata, ell: Any) -> tuple[Release, ...]:
    """Three releases of the same groups."""
    groups = diverse(data, ell=ell, seed=SEED)
    ways = (generalize, anatomize, permute_all)
    return tuple(way(data, partition=groups, seed=SEED).release for way in ways)


def _find_error(data: Microdata, release: Release, query: Query, true: Answer) -> float | None:
    """How far an estimate is off, as a share of the true count; None where that is 0."""
    return float(relative_error(data, release, [query]).errors[0]) if true.estimate else None


MARKS = {
    "generalized": ("square", f'fill="{svg.ORANGE}"'),
    "anatomized": ("diamond", f'fill="{svg.GREEN}"'),
    "permuted": ("disc", f'fill="{svg.BLUE}"'),
}
ROW = 52.0
DASHES = 'stroke-dasharray="6 4"'
HALO = f'stroke="{svg.PAPER}" stroke-width="4" paint-order="stroke"'


def tabulate_estimates(found: Estimates, errors: Sequence[float | None]) -> str:
    """One line each: the truth, then the releases."""
    frame = pd.DataFrame(
        {
            "table": ("original", *WAYS),
            "count": [one.estimate for one in found],
            "at least": [one.lower for one in found],
            "at most": [one.upper for one in found],
            "off by, %": [
                0.0,
                *(None if error is None else round(100 * error, 1) for error in errors),
            ],
        }
    )
    return write_table(frame.astype({"off by, %": float}), "The answers", digits=3)


def draw_estimates(found: Estimates, told: Said) -> str:
    """The true count as a line across, each estimate with what is certain about it."""
    most = max(one.upper for one in found) or 1.0

    def at(value: float) -> float:
        return 2 + 96 * value / most

    true = at(found.true.estimate)
    height = ROW * len(WAYS)
    rows = [svg.draw_line((true, 0), (true, height + 6), "currentColor", extra=DASHES)]
    for row, (way, one) in enumerate(zip(WAYS, found[1:], strict=True)):
        middle = ROW * row + 34
        span = f"certain: {number(one.lower)} to {number(one.upper)}"
        rows += [
            svg.draw_text(0, middle - 18, f"{way}: {number(one.estimate)}", extra=HALO),
            svg.draw_text(100, middle - 18, span, anchor="end", extra=f'{HALO} fill="{svg.SOFT}"'),
            svg.draw_line((2, middle), (98, middle)),
            svg.draw_line(
                (at(one.lower), middle),
                (at(one.upper), middle),
                svg.SKY,
                width=9,
                extra='opacity=".5"',
            ),
            svg.draw_mark(at(one.estimate), middle, *MARKS[way]),
        ]
    anchor = "end" if true > 50 else "start"
    below = f"true: {number(found.true.estimate)}"
    rows.append(svg.draw_text(true, height + 22, below, anchor=anchor))
    label = f"True count {number(found.true.estimate)}. {told.why}"
    return svg.draw_picture(height + 30, "The true count and three estimates", label, "".join(rows))


def explain_estimates(found: Estimates) -> str:
    """What each estimate takes for granted, folded away."""
    lines = [
        write_note(f"{way[:1].upper()}{way[1:]}: {one.rests_on}.")
        for way, one in zip(WAYS, found[1:], strict=True)
    ]
    return _html.element(
        "details", f"<summary>What the estimates rest on</summary>{''.join(lines)}", id="vk-rests"
    )
