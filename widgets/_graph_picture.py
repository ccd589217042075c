"""Graphs as pictures: names and links as they are, and the nodes and groups that are published."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from html import escape
from typing import NamedTuple

import numpy as np

from verikit.errors import shortened
from verikit.intruder import LearnedLinks
from verikit.release import GraphRelease
from verikit.table import BipartiteGraph, Side
from verikit.widgets import _kit as kit
from verikit.words import count, joined

MOST, LINKS = 16, 60
ROW, TOP, GAP = 30.0, 18.0, 16.0
SIDES: tuple[Side, Side] = ("left", "right")
NAMES = {"left": (23.0, "end"), "right": (77.0, "start")}
NODES = {"left": 29.0, "right": 71.0}
LOOKS = {
    "": (kit.GREY, 1.6, ""),
    "known": (kit.ORANGE, 4.5, ""),
    "possible": (kit.ORANGE, 2.5, 'stroke-dasharray="2 4"'),
    "certain": (kit.GREEN, 4.5, 'stroke-dasharray="9 4"'),
}
WORDS = {
    "": "a link",
    "known": "learned",
    "possible": "may be the learned one",
    "certain": "follows for certain",
}

Place = tuple[float, float]
Pair = tuple[int, int]


class Marked(NamedTuple):
    """Which links are known, which follow from them, and which one is chosen."""

    known: Collection[Pair] = ()
    certain: Collection[Pair] = ()
    possible: Collection[Pair] = ()
    chosen: Pair | None = None

    def look(self, pair: Pair) -> str:
        """How a link is drawn: a key of `LOOKS`."""
        kinds = {"known": self.known, "certain": self.certain, "possible": self.possible}
        return next((kind for kind, pairs in kinds.items() if pair in pairs), "")


def has_room(graph: BipartiteGraph) -> bool:
    """Whether a graph is small enough to be drawn link by link."""
    return max(len(graph.left), len(graph.right)) <= MOST and len(graph) <= LINKS


def draw_original(graph: BipartiteGraph, marked: Marked) -> str:
    """The names of both sides and their links; a press on a link reveals or forgets it."""
    places = [
        [(NODES[side], TOP + ROW * (at + 0.5)) for at in range(len(graph.side(side)))]
        for side in SIDES
    ]
    names = [graph.names(side).tolist() for side in SIDES]
    links = []
    for at, (i, j) in enumerate(graph.edges.tolist()):
        told = f"{names[0][i]} with {names[1][j]}: {WORDS[marked.look((i, j))]}"
        drawn = _draw_link(
            (places[0][i], places[1][j]), marked.look((i, j)), marked.chosen == (i, j)
        )
        wide = kit.draw_line(places[0][i], places[1][j], "transparent", width=13)
        links.append(f'<g data-press="link/{at}"><title>{escape(told)}</title>{drawn}{wide}</g>')
    marks = [
        _draw_node(side, place) + _draw_name(side, place[1], name)
        for side, of_side, named in zip(SIDES, places, names, strict=True)
        for place, name in zip(of_side, named, strict=True)
    ]
    height = TOP + ROW * max(map(len, places)) + 6
    heads = "".join(_draw_head(graph.title(side), side) for side in SIDES)
    content = heads + "".join(links + marks)
    return kit.draw_picture(
        height, "The graph as it is", _describe_original(graph, marked), content
    )


def _describe_original(graph: BipartiteGraph, marked: Marked) -> str:
    lefts, rights = (graph.names(side).tolist() for side in SIDES)
    near: dict[str, list[str]] = {}
    for i, j in graph.edges.tolist():
        sign = WORDS[marked.look((i, j))]
        near.setdefault(lefts[i], []).append(rights[j] + (f" ({sign})" if sign != "a link" else ""))
    return " ".join(f"{name} is linked to {joined(others)}." for name, others in near.items())


def draw_published(release: GraphRelease, found: LearnedLinks) -> str:
    """The groups with their names and their nodes, and the links between nodes."""
    seats = found.seating.seats
    placed = [
        {name: node for name, node in seats[0][at].items()
         if all(seat[at][name] == node for seat in seats)}
        for at in (0, 1)
    ]  # fmt: skip
    ways = [{(seat[0][i], seat[1][j]) for i, j in found.seating.pairs} for seat in seats]
    known = set.intersection(*ways)
    marked = Marked(known, _find_certain(release, found), set().union(*ways) - known)
    sides = [_draw_groups(release, side) for side in SIDES]
    places = [part[0] for part in sides]
    links = [
        _draw_link((places[0][i], places[1][j]), marked.look((i, j)), chosen=False)
        for i, j in release.links.tolist()
    ]
    ties = [
        kit.draw_line((NAMES[side][0] + (0.6 if at == 0 else -0.6), sides[at][1][name]),
                  places[at][node], kit.ORANGE, width=3)
        for at, side in enumerate(SIDES)
        for name, node in placed[at].items()
    ]  # fmt: skip
    marks = [_draw_node(s, p, str(node + 1)) for s, part in zip(SIDES, places, strict=True)
             for node, p in part.items()]  # fmt: skip
    frames = "".join(part[2] for part in sides)
    heads = "".join(_draw_head(release.title(side), side) for side in SIDES)
    height = max(part[3] for part in sides) + 6
    content = heads + frames + "".join(links + ties + marks)
    return kit.draw_picture(
        height, "What is published", _describe_published(release, found), content
    )


def _find_certain(release: GraphRelease, found: LearnedLinks) -> set[Pair]:
    """The nodes of the links that follow for certain."""
    seat, pairs = found.seating.seats[0], set()
    indexes = [release.names(side) for side in SIDES]
    for names in found.certain.itertuples(index=False, name=None):
        rows = [int(index.get_loc(name)) for index, name in zip(indexes, names, strict=True)]
        left, right = (found.seating.find_nodes(seat, at, row) for at, row in enumerate(rows))
        if len(left) == len(right) == 1:
            pairs.add((min(left), min(right)))
    return pairs


def _draw_groups(
    release: GraphRelease, side: Side
) -> tuple[dict[int, Place], dict[int, float], str, float]:
    """Where nodes and names of a side stand, their frames, and where these end."""
    names, top, drawn = release.names(side).tolist(), TOP + 4, []
    nodes: dict[int, Place] = {}
    heights: dict[int, float] = {}
    for group in range(len(release.sizes(side))):
        rows = np.flatnonzero(release.groups(side) == group).tolist()
        members = np.flatnonzero(release.nodes(side) == group).tolist()
        for at, (row, node) in enumerate(zip(rows, members, strict=True)):
            middle = top + ROW * (at + 0.5)
            nodes[node], heights[row] = (NODES[side], middle), middle
            drawn.append(_draw_name(side, middle, names[row]))
        drawn.append(_draw_frame(side, top, ROW * len(rows)))
        top += ROW * len(rows) + GAP
    return nodes, heights, "".join(drawn), top - GAP


def _draw_frame(side: Side, top: float, height: float) -> str:
    x = 0.5 if side == "left" else 64.5
    between = (NAMES[side][0] + NODES[side]) / 2 - (0.8 if side == "left" else -0.8)
    return (
        f'<rect x="{x}%" y="{top:g}" width="35%" height="{height:g}" rx="8" fill="none" '
        f'stroke="{kit.GREY}" stroke-width="1.5" stroke-dasharray="6 3"/>'
    ) + kit.draw_line((between, top + 4), (between, top + height - 4), kit.GREY)


def _describe_published(release: GraphRelease, found: LearnedLinks) -> str:
    said = []
    for side in SIDES:
        names = release.names(side)
        for group in range(len(release.sizes(side))):
            members = names[release.groups(side) == group].tolist()
            nodes = (np.flatnonzero(release.nodes(side) == group) + 1).tolist()
            some = ", in some order" if len(nodes) > 1 else ""
            said.append(f"{joined(members)}: {side} nodes {joined(map(str, nodes))}{some}.")
    placed = [name for names in found.identified.values() for name in names]
    said.append(f"Placed on their nodes: {joined(placed)}." if placed else "Nobody is placed.")
    return " ".join(said)


def _draw_link(ends: tuple[Place, Place], kind: str, chosen: bool) -> str:
    colour, width, extra = LOOKS[kind]
    halo = kit.draw_line(*ends, kit.SKY, width=11, extra='opacity=".45"') if chosen else ""
    return halo + kit.draw_line(*ends, colour, width=width, extra=extra)


def _draw_node(side: Side, place: Place, words: str = "") -> str:
    if side == "left":
        shape = kit.draw_disc(*place, 10 if words else 7, f'fill="{kit.BLUE}"')
    else:
        size = (19, 19) if words else (14, 14)
        shape = kit.draw_box(*place, size, f'fill="{kit.BLUE}"')
    ink = f'fill="{kit.PAPER}" font-size="11" font-weight="600"'
    return shape + (kit.draw_text(place[0], place[1] + 4, words, anchor="middle", extra=ink))


def _draw_name(side: Side, middle: float, name: str) -> str:
    x, anchor = NAMES[side]
    return kit.draw_text(x, middle + 5, shortened(name, 12), anchor=anchor)


def _draw_head(title: str, side: Side) -> str:
    extra = kit.SOFTLY
    ends = {"left": (0.5, "start"), "right": (99.5, "end")}
    return kit.draw_text(ends[side][0], 12, shortened(title, 16), anchor=ends[side][1], extra=extra)


def draw_degrees(release: GraphRelease, graph: BipartiteGraph) -> str:
    """How many names have how many links, for a graph too large to be drawn link by link."""
    return "".join(_draw_side_degrees(release, graph, side) for side in SIDES)


def _draw_side_degrees(release: GraphRelease, graph: BipartiteGraph, side: Side) -> str:
    nodes = np.diff(release.neighbours(side).starts)
    lines = [
        kit.Bar(words, before, f"{before:,} in the graph, {after:,} published")
        for words, before, after in _bin_counts_by_doublings(graph.degrees(side), nodes)
    ]
    groups = count(len(release.sizes(side)), "group")
    title = f"{graph.title(side)}: how many have so many links, in {groups}"
    words = f"<h3>{escape(title)}</h3>"
    return words + kit.draw_bars(lines, title)


def _bin_counts_by_doublings(
    before: np.ndarray, after: np.ndarray
) -> Iterable[tuple[str, int, int]]:
    """Numbers of links by their doublings: none, 1, 2, 3 to 4, 5 to 8 and so on."""
    low = high = 0
    while low <= max(before.max(initial=0), after.max(initial=0)):
        inside = [int(((part >= low) & (part <= high)).sum()) for part in (before, after)]
        words = count(high, "link") if low == high else f"{low} to {high} links"
        if any(inside):
            yield ("no link" if high == 0 else words), inside[0], inside[1]
        low, high = high + 1, max(1, 2 * high)


def draw_legend(kinds: Iterable[str]) -> str:
    """What the lines mean; ``kinds`` are those that occur."""
    lines = {kind: _draw_link(((0, 7), (100, 7)), kind, chosen=False) for kind in kinds}
    return kit.write_legend(((line, WORDS[kind]) for kind, line in lines.items()), 34, 14)
