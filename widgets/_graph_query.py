"""A question on a graph: what the release tells for certain and on average, and the truth."""

from __future__ import annotations

from math import isnan
from typing import Any, NamedTuple

import pandas as pd
import traitlets

from verikit.analyst import Answer, average_links, count_linked, count_links, most_links
from verikit.errors import InfeasibleError
from verikit.release import GraphRelease
from verikit.table import BipartiteGraph, Side, name_column, require_graph, require_side
from verikit.utility import Bounds
from verikit.widgets import _kit as kit
from verikit.widgets._graph_picture import SIDES, has_room
from verikit.widgets._grouping import ORDERS, make_example, publish_graph
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Number, Option, View, read_value
from verikit.words import count, number

QUESTIONS = {
    "links": "Links between those meant",
    "linked": "Those linked to one meant",
    "average": "Links of each, on average",
    "most": "The most links of one",
}
BY_DEGREE = ("average", "most")
OFFERED = 60


class Question(NamedTuple):
    """What is asked: a key of `QUESTIONS`, of which side, and who is meant on each side."""

    kind: str
    side: Side
    left: dict[str, Any]
    right: dict[str, Any]
    degree: Any

    def put(self, release: GraphRelease, *, tight: bool = False) -> Answer:
        """Put the question to a release."""
        meant: dict[str, Any] = {"left": self.left, "right": self.right}
        if self.kind == "links":
            return count_links(release, **meant, tight=tight)
        if self.kind == "linked":
            return count_linked(release, self.side, **meant, tight=tight)
        if self.kind == "most":
            return most_links(release, self.side, **meant, degree=self.degree, tight=tight)
        return average_links(release, self.side, where=meant[self.side], degree=self.degree)


class GraphQuery(View):
    """Ask a published graph, and see what is certain, what to expect, and what is true.

    Parameters
    ----------
    graph
        Who is linked to what; by default six authors and six papers.
    k, ell
        How many names a group holds at least, left and right.

    Notes
    -----
    ``left`` and ``right`` say who is meant on each side: values by column. ``result`` holds the
    answer, the tightest one there is (None where there are too many choices to try), and the truth.

    References
    ----------
    [QZ]_ Examples 7 and 8

    Examples
    --------
    >>> view = GraphQuery(left={"Location": "EU"}, right={"Venue": "SIGMOD"})
    >>> view.result.answer.lower, view.result.answer.upper, view.result.true.estimate
    (0.0, 2.0, 2.0)
    """

    TITLE = "3\u2002What can be said about it"

    question = Option("linked", "Asked", QUESTIONS)
    side = Option("right", "Of", hint="who is counted, or whose links")
    left = traitlets.Dict(help="Who is meant on the left: values by column.")
    right = traitlets.Dict(help="Who is meant on the right: values by column.")
    degree = Number(None, "Only links to such as have so many", "links themselves; empty for any")
    k = Number(3, hint="at least", help="How many names a group holds at least, left.")
    ell = Number(3, hint="at least", help="How many names a group holds at least, right.")
    order = Option("degree", "Put into groups", ORDERS)
    seed = Number(1, "Lot number", "the same number, the same groups")

    def __init__(
        self, graph: BipartiteGraph | None = None, *, k: int = 3, ell: int = 3, **boxes: Any
    ) -> None:
        first = {"left": {"Location": "US"}, "right": {"Venue": "VLDB"}} if graph is None else {}
        self._graph = make_example() if graph is None else require_graph(graph, "GraphQuery")
        super().__init__(self._graph, **(first | {"k": k, "ell": ell} | boxes))

    def answer(self) -> Answered:
        """What the release tells, the tightest bounds, and the truth."""
        if self.question != "links":
            require_side(self.side)
        release = self.call_once(
            publish_graph, self._graph, self.k, self.ell, self.order, self.seed
        )
        asked = Question(self.question, self.side, self.left, self.right, self.degree)
        found = Bounds(
            asked.put(release),
            self._find_tightest(asked, release),
            asked.put(publish_graph(self._graph, 1, 1, "degree", 1)),  # each alone: the truth
        )
        html = kit.write_note(f"Asked: {self._in_words(asked)}") + _show_bounds(found)
        look = "" if found.answer.exact else "unknown"
        return Answered(found, found, "the answer from the release", html, look)

    def _find_tightest(self, asked: Question, release: GraphRelease) -> Answer | None:
        """The tightest bounds, where trying all choices of nodes takes no time."""
        if asked.kind == "average":
            return asked.put(release)
        try:
            return asked.put(release, tight=True) if has_room(self._graph) else None
        except InfeasibleError:
            return None

    def _in_words(self, asked: Question) -> str:
        """The question in words."""
        parts = []
        sides = (asked.side,) if asked.kind == "average" else SIDES
        for side in sides:
            where = asked.left if side == "left" else asked.right
            told = " and ".join(f"{name} {value}" for name, value in where.items())
            parts.append(f"{self._graph.title(side)}: {told or 'all'}")
        kind = QUESTIONS[asked.kind].lower()
        whose = "" if asked.kind == "links" else f" ({self._graph.title(asked.side)})"
        degree = asked.degree is not None and asked.kind in BY_DEGREE
        alone = f", to such as have {count(asked.degree, 'link')} themselves" if degree else ""
        return f"{kind}{whose}; {'; '.join(parts)}{alone}."

    def on_value(self, place: str, value: str) -> None:
        """A box changed; a choice of a column changes who is meant."""
        side, _, name = place.partition("/")
        if name and side in SIDES:
            rest = {known: v for known, v in getattr(self, side).items() if known != name}
            numeric = self._graph.side(side).schema[name].kind == "numeric"
            given = read_value(value) if numeric else value
            setattr(self, side, rest if value == "" else {**rest, name: given})
        else:
            super().on_value(place, value)

    def lay_out(self) -> list[Part]:
        """The question, who is meant on each side, and how the graph is published."""
        graph = self._graph
        titles = {side: graph.title(side) for side in SIDES}
        asked = [self.field("question")]
        if self.question != "links":
            asked += [self.field("side", options=titles)]
        asked += [field for side in SIDES for field in self._fields(side)]
        if self.question in BY_DEGREE:
            asked.append(self.field("degree"))
        fields = [
            self.field("k", label=f"{titles['left']} in a group (k)"),
            self.field("ell", label=f"{titles['right']} in a group (l)"),
            *self.fields("order", "seed"),
        ]
        lines = [("Who is meant; 'any' asks for nothing.", "soft")]
        return [
            Part("query", "1\u2002The question", lines, asked),
            Part("release", "2\u2002The release", fields=fields),
        ]

    def _fields(self, side: Side) -> list[Field]:
        """A box for every column of a side but its name and other identifiers."""
        table = self._graph.side(side)
        named = name_column(table).name
        fields = []
        for column in table.schema:
            if column.name == named or column.role == "identifier":
                continue
            value = getattr(self, side).get(column.name)
            shown = "" if value is None else str(value)
            label, place = f"{named}: {column.title}", f"{side}/{column.name}"
            names = [] if column.kind == "numeric" else list(table.codes(column.name)[1])
            if column.kind == "numeric" or len(names) > OFFERED:
                fields.append(Field(place, "text", label, shown, "empty for any"))
                continue
            options = (("", "any"), *((str(name), str(name)) for name in names))
            fields.append(Field(place, "choice", label, shown, options=options))
        return fields


def _show_bounds(found: Bounds) -> str:
    """The answers as a picture and a table, and what they take for granted, folded away."""
    told = {"quick bounds": (found.answer, "diamond")}
    if found.tight is not None:
        told["all choices"] = (found.tight, "square")
    lines = [
        kit.Interval(
            name,
            f"{number(one.lower)} to {number(one.upper)}, expected {number(one.estimate)}",
            (one.lower, one.estimate, one.upper),
            shape,
            kit.BLUE,
        )
        for name, (one, shape) in told.items()
    ]
    picture = ""
    if not isnan(found.answer.lower) and not isnan(found.true.estimate):
        label = f"{found.means} {found.why}".strip()
        true = (found.true.estimate, "the truth")
        picture = kit.draw_intervals(lines, true, "The answer and the truth", label)
    shown = [(name, one) for name, (one, _) in told.items()] + [("the truth", found.true)]
    frame = pd.DataFrame(
        {
            "answer": [name for name, _ in shown],
            "at least": [one.lower for _, one in shown],
            "expected": [one.estimate for _, one in shown],
            "at most": [one.upper for _, one in shown],
        }
    )
    rests = kit.write_note(f"The answer rests on this: {found.answer.rests_on}.") + kit.write_note(
        "Bounds hold whatever anybody knows; what is to be expected holds for somebody who knows "
        "the release only."
    )
    return (
        picture
        + kit.write_table(frame, "The answers", what=("answer", "answers"), digits=3)
        + kit.fold_away("What the answer rests on", rests, "vk-graph")
    )
