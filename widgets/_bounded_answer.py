"""One question, its interval from two ways of publishing the same groups, and the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import traitlets

from verikit import partition
from verikit._support import requests
from verikit.analyst import Query, answer, help_rows
from verikit.datasets import load, published
from verikit.errors import RecordError
from verikit.mask import generalize, permute_sensitive
from verikit.partition import Partition
from verikit.query import Intervals, evidence_of
from verikit.release import Release
from verikit.table import Microdata, require_table
from verikit.widgets import _bounded_card as cards
from verikit.widgets._asking import Asking
from verikit.widgets._panel import Part
from verikit.widgets._pieces import note
from verikit.widgets._releases import in_two_tables
from verikit.widgets._view import Answered
from verikit.words import count

__all__ = ["BoundedAnswer"]

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


class BoundedAnswer(Asking):
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
    BOXES = ("where", "aggregate", "source", "grouping", "k", "e")
    NUMBERS = ("k", "e")

    aggregate = traitlets.Any("sum", help="What is asked of the number.")
    source = traitlets.Any("made", help="Whose releases are asked.")
    grouping = traitlets.Any("min_sum_error", help="How records are put into groups.")
    k = traitlets.Any(2, help="How many different values a group holds.")
    e = traitlets.Any(0, help="How far apart the ends of a group lie.")

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
        _known("aggregate", self.aggregate, ASKED)
        query = self._query()
        releases = self.call(self._releases, self.source, self.grouping, self.k, self.e)
        found = Intervals(
            evidence_of(self._data).answer(query),
            *(answer(query, release) for release in releases),
        )
        rows = help_rows(query, in_two_tables(releases.permuted))
        html = (
            note(f"Asked: {query!r}.")
            + cards.drawn(found)
            + cards.lines(rows, query.aggregate)
            + note(WHOSE)
            + note(cards.LIMITS)
        )
        return Answered(found, found, "for certain" if found.hold else "no value", html)

    def _query(self) -> Query:
        if self.aggregate == "count":
            return Query.count(self.where)
        ask: Callable[..., Query] = getattr(Query, self.aggregate)
        return ask(self._column.name, self.where)

    def _releases(self, source: str, grouping: str, k: Any, e: Any) -> Pair:
        _known("source", source, self._sources())
        if source == "printed":
            return Pair(*map(published, PRINTED))
        _known("grouping", grouping, GROUPINGS)
        find: Callable[..., Partition] = getattr(partition, grouping)
        name = self._column.name
        groups = find(self._data, k=k, e=requests.within(e, "e"), sensitive=name, seed=SEED)
        made = permute_sensitive(self._data, partition=groups, sensitive=name, seed=SEED)
        return Pair(made.release, generalize(self._data, partition=groups, seed=SEED).release)

    def _sources(self) -> dict[str, str]:
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
            self.choice("source", "Releases", self._sources().items()),
            self.choice("grouping", "Groups made for", GROUPINGS.items()),
            self.box("k", "Different values in each group (k)", "for releases made here"),
            self.box("e", "Range of each group at least (e)", "for releases made here"),
        ]
        what = [self.choice("aggregate", "Asked for", options)]
        about = f"{count(len(self._data), 'record')}; the same groups are published in two ways."
        return [
            Part("query", "1\u2002The question", [(told, "soft")], [*what, *asked]),
            Part("releases", "2\u2002The releases", [(about, "soft")], made),
        ]


def _known(box: str, name: Any, known: dict[str, str]) -> None:
    if name not in known:
        raise RecordError(
            f"{box} was given as {name!r}; expected one of {', '.join(known)}.",
            field=box,
            value=name,
        )
