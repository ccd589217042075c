"""The query bench: one count, its true answer, and what three ways of publishing make of it."""

from __future__ import annotations

from typing import Any

import traitlets

from verikit.analyst import Answer, Query, answer
from verikit.datasets import load, published
from verikit.errors import RecordError
from verikit.mask import anatomize, generalize, permute_all
from verikit.partition import diverse
from verikit.query import Estimates, estimated, evidence_of
from verikit.release import Release
from verikit.table import Microdata, require_table
from verikit.utility import relative_error
from verikit.widgets import _query_card as cards
from verikit.widgets._asking import Asking
from verikit.widgets._panel import Part
from verikit.widgets._pieces import note
from verikit.widgets._view import Answered

__all__ = ["QueryBench"]

EXAMPLE = "lhcc_table1"
PRINTED = ("lhcc_table2", "lhcc_table3", "lhcc_table4")
QUESTION = {"Age": (40, 70), "Sex": "F", "Disease": "Flu"}
SOURCES = {"printed": "as the paper prints them", "made": "made here, with the l below"}
SEED = 1


class QueryBench(Asking):
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
    BOXES = ("where", "source", "ell")
    NUMBERS = ("ell",)

    source = traitlets.Any("made", help="Whose releases are asked.")
    ell = traitlets.Any(4, help="How many different values a group holds.")

    def __init__(self, data: Microdata | None = None, *, ell: int = 4, **boxes: Any) -> None:
        self._example = data is None
        self._data = load(EXAMPLE) if data is None else require_table(data, "QueryBench")
        first = {"where": QUESTION, "source": "printed"} if self._example else {}
        super().__init__(self._data, **(first | {"ell": ell} | boxes))

    def answer(self) -> Answered:
        """The true count, the three estimates, and how far off each is."""
        query = Query.count(self.where)
        if self.source not in self._sources():
            raise RecordError(
                f"source was given as {self.source!r}; expected one of "
                f"{', '.join(self._sources())}.",
                field="source",
                value=self.source,
            )
        if self.source == "printed":
            releases = self.call(_printed)
        else:
            releases = self.call(_made, self._data, self.ell)
        found = Estimates(
            evidence_of(self._data).answer(query), *(answer(query, r) for r in releases)
        )
        errors = [_error(self._data, release, query, found.true) for release in releases]
        told = estimated(found, errors, len(self._data))
        html = (
            note(f"Asked: {query!r}.")
            + cards.drawn(found, told)
            + cards.table(found, errors)
            + cards.rests(found)
        )
        return Answered(found, told, "the true count", html)

    def _sources(self) -> dict[str, str]:
        return {name: words for name, words in SOURCES.items() if self._example or name == "made"}

    def lay_out(self) -> list[Part]:
        """The question column by column, and the releases."""
        columns = self._data.schema.released
        asked = [field for column in columns for field in self.asked_of(column)]
        lines = [("Count the records that meet all of this; empty asks for nothing.", "soft")]
        fields = [
            self.choice("source", "Releases", self._sources().items()),
            self.box("ell", "Different values in each group (l)", "for releases made here"),
        ]
        return [
            Part("query", "1\u2002The question", lines, asked),
            Part("releases", "2\u2002The releases", fields=fields),
        ]


def _printed() -> tuple[Release, ...]:
    return tuple(published(name) for name in PRINTED)


def _made(data: Microdata, ell: Any) -> tuple[Release, ...]:
    """Three releases of the same groups."""
    groups = diverse(data, ell=ell, seed=SEED)
    ways = (generalize, anatomize, permute_all)
    return tuple(way(data, partition=groups, seed=SEED).release for way in ways)


def _error(data: Microdata, release: Release, query: Query, true: Answer) -> float | None:
    """How far an estimate is off, as a share of the true count; None where that is 0."""
    return float(relative_error(data, release, [query]).errors[0]) if true.estimate else None
