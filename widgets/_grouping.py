"""A graph and what is published of it; a link that somebody learns, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

import pandas as pd
import traitlets

from verikit._support import html as _html
from verikit.datasets import load
from verikit.errors import RecordError
from verikit.intruder import LearnedLinks, learned_links
from verikit.mask import group_nodes
from verikit.release import GraphRelease
from verikit.table import BipartiteGraph, require_graph
from verikit.widgets import _graph_picture as pictures
from verikit.widgets import _kit as kit
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Found, Number, Option, View
from verikit.words import count, joined

ORDERS = {"degree": "by number of links", "random": "by lot"}
SHOWN = 8


class GroupingView(View):
    """Who is linked to what, what is published of it, and what a learned link gives away.

    Parameters
    ----------
    graph
        Who is linked to what; by default six authors and six papers.
    k, ell
        How many names a group holds at least, left and right.

    Notes
    -----
    ``known`` holds the pairs of names that somebody has learned to be linked, ``result`` what
    follows from them, ``release`` what is published. A link of the picture is pressed, or chosen
    in the list and revealed by a button.

    References
    ----------
    [QZ]_ Figures 4.1 and 4.3, Theorem 7

    Examples
    --------
    >>> view = GroupingView(known=[("a1", "p2")])
    >>> view.result.ways, round(view.result.bound, 3)
    (2, 0.5)
    """

    TITLE = "2\u2002The graph, and what is published"
    SHOWN_AT: ClassVar[Mapping[str, str]] = {"known": "link"}

    k = Number(
        3, hint="at least; 1 hides nobody", help="How many names a group holds at least, left."
    )
    ell = Number(3, hint="at least", help="How many names a group holds at least, right.")
    order = Option("degree", "Put into groups", ORDERS)
    seed = Number(1, help="The lot by which groups and nodes are drawn.")
    known = traitlets.Any((), help="Pairs of names that are known to be linked.")
    of = traitlets.Any("", help="Of a large graph, whose links can be chosen.")
    release = Found(GraphRelease, "What is published.")

    def __init__(
        self, graph: BipartiteGraph | None = None, *, k: int = 3, ell: int = 3, **boxes: Any
    ) -> None:
        self._graph = make_example() if graph is None else require_graph(graph, "GroupingView")
        self._few = pictures.has_room(self._graph)
        self._chosen = ""
        super().__init__(self._graph, k=k, ell=ell, **boxes)

    def answer(self) -> Answered:
        """What is published, and what follows from the known links."""
        release = self.call_once(
            publish_graph, self._graph, self.k, self.ell, self.order, self.seed
        )
        before = learned_links(release, [])
        known = tuple(self.known) if isinstance(self.known, (list, tuple)) else self.known
        found = self.call_once(learned_links, release, known)
        self._list_named_links()  # refuses a name that is not there
        html = (
            (self._draw_graphs(release, found) if self._few else self._count_degrees(release))
            + self._show_chances(before, found)
            + kit.write_note(
                "That no more is certain does not mean that nothing was learned, and the numbers "
                "hold for somebody who knows the learned links and what is published, and no more."
            )
        )
        tag = f"{count(len(found.known), 'link')} learned"
        return Answered(
            found, found, tag, html, "warning" if len(found.certain) else "", {"release": release}
        )

    def _draw_graphs(self, release: GraphRelease, found: LearnedLinks) -> str:
        places = [
            dict(zip(self._graph.names(s), range(10**6), strict=False)) for s in pictures.SIDES
        ]
        certain = found.certain.itertuples(index=False, name=None)
        pairs = [{(places[0][i], places[1][j]) for i, j in part} for part in (found.known, certain)]
        links = self._list_links()
        edge = self._graph.edges[int(self._find_link())].tolist() if links else None
        chosen = None if edge is None else (edge[0], edge[1])
        marked = pictures.Marked(pairs[0], pairs[1], chosen=chosen)
        style = "flex:1 1 17rem;min-width:0"
        parts = [
            _html.element("div", f"<h3>{title}</h3>{picture}", style=style)
            for title, picture in (
                ("The graph as it is", pictures.draw_original(self._graph, marked)),
                ("What is published", pictures.draw_published(release, found)),
            )
        ]
        both = _html.element("div", "".join(parts), style="display:flex;flex-wrap:wrap;gap:0 24px")
        kinds = ["", "known", "possible", "certain"] if found.known else [""]
        return (
            both
            + pictures.draw_legend(kinds)
            + kit.write_note(
                "In a dashed frame stand the names and the nodes of a group; which name is which "
                "node is not published, however they stand. A line from a name to a node: it "
                "follows from the learned links."
            )
        )

    def _count_degrees(self, release: GraphRelease) -> str:
        graph = self._graph
        size = count(len(graph.left) + len(graph.right), "name")
        return kit.write_note(
            f"{size} and {count(len(graph), 'link')} are too many to be drawn one by one (up to "
            f"{pictures.MOST} a side are), so they are counted."
        ) + pictures.draw_degrees(release, graph)

    def _show_chances(self, before: LearnedLinks, found: LearnedLinks) -> str:
        """How much likelier the other true links look now: those that changed most."""
        links = self._list_true_links(found)
        chances = [(pair, before.chance(*pair), found.chance(*pair)) for pair in links]
        moved = [one for one in chances if abs(one[2] - one[1]) > 1e-9]  # not by rounding
        moved.sort(key=lambda one: one[1] - one[2])
        if not moved:
            return ""
        lines = [
            kit.Shift(
                f"{i} with {j}",
                old,
                new,
                f"{100 * old:.0f} % before, {100 * new:.0f} % now",
            )
            for (i, j), old, new in moved[:SHOWN]
        ]
        more = count(len(moved) - SHOWN, "more link")
        return (
            "<h3>How likely other true links look now</h3>"
            + kit.draw_shifts(lines, "How likely other true links look")
            + (kit.write_note(f"and {more} that changed") if len(moved) > SHOWN else "")
        )

    def _list_true_links(self, found: LearnedLinks) -> list[tuple[str, str]]:
        """The true links that were not learned; of a large graph those of names in learned ones."""
        known = set(found.known)
        if self._few:
            pairs = list(self._graph.to_frame().itertuples(index=False, name=None))
        else:
            pairs = [pair for left, _ in found.known for pair in self._list_links_of(left)]
        return [pair for pair in pairs if pair not in known]

    def _list_links_of(self, left: str) -> list[tuple[str, str]]:
        """The links of one name."""
        graph = self._graph
        edges = graph.edges[graph.edges[:, 0] == graph.place("left", left)]
        names = [graph.names(s)[edges[:, column]] for column, s in enumerate(pictures.SIDES)]
        return list(zip(*names, strict=True))

    def _list_links(self) -> dict[str, tuple[str, str]]:
        """The links that can be chosen, by the place of each."""
        frame = self._graph.to_frame()
        few = frame.itertuples(index=False, name=None) if self._few else self._list_named_links()
        return {str(at): pair for at, pair in enumerate(few)}

    def _list_named_links(self) -> list[tuple[str, str]]:
        """Of a large graph, the links of the name in the box; of the first one if it is empty."""
        if self._few or not len(self._graph):
            return []
        graph = self._graph
        name = self.of if self.of not in ("", None) else graph.names("left")[graph.edges[0, 0]]
        return self._list_links_of(name)

    def _find_link(self) -> str:
        """The place of the chosen link; of the first that is not learned if none is."""
        links, known = self._list_links(), set(map(tuple, self.known))
        if self._chosen in links and links[self._chosen] not in known:
            return self._chosen
        return next((at for at, pair in links.items() if pair not in known), next(iter(links), ""))

    def on_value(self, place: str, value: str) -> None:
        """A box changed, or another link was chosen."""
        if place == "link":
            self._chosen = value
            self._update()
        else:
            super().on_value(place, value)

    def on_press(self, place: str) -> None:
        """A link is learned or forgotten; all are; or another lot is drawn."""
        name, _, at = place.partition("/")
        if name == "forget":
            self.known = ()
        elif name in ("link", "reveal"):
            self._toggle_link(at if name == "link" else self._find_link())
        else:
            super().on_press(place)

    def _toggle_link(self, at: str) -> None:
        pair = self._list_links().get(at)
        if pair is None:
            raise RecordError(f"There is no link {at!r} to reveal; choose one of the list.")
        known = [tuple(one) for one in self.known] if self.last_error is None else []
        self._chosen = ""
        self.known = tuple(p for p in known if p != pair) if pair in known else (*known, pair)

    def lay_out(self) -> list[Part]:
        """How groups are made, and which links somebody learns."""
        graph = self._graph
        titles = [graph.title(side) for side in pictures.SIDES]
        sides = " and ".join(f"{len(graph.side(s)):,} {graph.title(s)}" for s in pictures.SIDES)
        about = f"{sides}, {count(len(graph), 'link')}"
        pairs = joined(
            [f"{i} with {j}" for i, j in (self.known if self.last_error is None else ())]
        )
        learned = f"Learned: {pairs}." if pairs else "Nothing is learned yet."
        fields = [
            self.field("k", label=f"{titles[0]} in a group (k)"),
            self.field("ell", label=f"{titles[1]} in a group (l)"),
            self.field("order"),
            Field("again", "press", "Draw another lot"),
        ]
        return [
            Part("asked", "1\u2002What is published", [(about, "soft")], fields),
            Part("learned", "What somebody learns", [(learned, "soft")], self._list_to_reveal()),
        ]

    def _list_to_reveal(self) -> list[Field]:
        """The list of links, whose names are chosen first in a large graph."""
        try:
            links = self._list_links()
            at = self._find_link() if self.last_error is None else ""
        except RecordError:
            links, at = {}, ""
        options = tuple((place, f"{i} with {j}") for place, (i, j) in links.items())
        shown = "" if self.of is None else str(self.of)
        title = f"Links of which {self._graph.title('left')}"
        first = [] if self._few else [Field("of", "text", title, shown, "empty: the first")]
        hint = "or press a link of the picture" if self._few else ""
        return [
            *first,
            Field("link", "choice", "A link", at, hint, options=options),
            Field("reveal", "press", "Somebody learns it"),
            Field("forget", "press", "Forget all"),
        ]


def make_example() -> BipartiteGraph:
    """The authors and papers of the chapter."""
    links, *tables = (load(f"qz_table4_1{part}") for part in "cab")
    return BipartiteGraph.of(pd.DataFrame(links.frame), *tables)


def publish_graph(graph: BipartiteGraph, k: Any, ell: Any, order: Any, seed: Any) -> GraphRelease:
    """What is published of a graph."""
    return cast("GraphRelease", group_nodes(graph, k, ell, order=order, seed=seed).release)
