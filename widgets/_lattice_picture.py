"""The lattice as a picture: nodes by height, round where k is met and square where it is missed.

The trade calls the former safe; nobody becomes so by it, and no screen says it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import NamedTuple

import pandas as pd

from verikit._support import html as _html
from verikit.lattice import VERDICTS, Classified, Lattice, Node, Search, describe_node
from verikit.models import ModelVerdict
from verikit.widgets import _draw as svg
from verikit.widgets._pieces import write_note, write_table
from verikit.words import count

MOST, WIDEST = 120, 24
ROW, TALL = 58, 28
LOOKS = {
    "safe": (14, svg.BLUE, "✓"),
    "unsafe": (0, svg.ORANGE, "✕"),
    "pruned": (5, svg.GREY, "–"),
}
FRAME = 'fill="none" stroke="currentColor" stroke-width="2.5"'
HALO = f'fill="{svg.SKY}" opacity=".45"'


class Seen(NamedTuple):
    """What is known of a node: its verdict, and whether its records were counted for it."""

    verdict: str
    counted: bool

    def words(self) -> str:
        """The verdict in words."""
        said = VERDICTS[self.verdict]
        return said if self.counted else f"{said}, without counting its records"


class Scene(NamedTuple):
    """What to draw: what is known of nodes, the chosen one, and those looked at now."""

    lattice: Lattice
    seen: Mapping[Node, Seen]
    chosen: Node | None = None
    now: Collection[Node] = ()

    def words(self) -> str:
        """The whole picture in words."""
        told: dict[str, list[str]] = {verdict: [] for verdict in LOOKS}
        for node in self.lattice:
            if node in self.seen:
                told[self.seen[node].verdict].append(label_of(node))
        parts = [
            f"{len(nodes)} {VERDICTS[verdict]}"
            + (f" ({'; '.join(nodes)})" if 0 < len(nodes) <= 12 else "")
            for verdict, nodes in told.items()
            if nodes
        ]
        if len(self.seen) < len(self.lattice):
            parts.append(f"{len(self.lattice) - len(self.seen)} not looked at")
        end = f" Chosen: {label_of(self.chosen)}." if self.chosen is not None else ""
        return f"{len(self.lattice)} nodes: {', '.join(parts)}.{end}"

    def title(self, node: Node) -> str:
        """One node in words."""
        levels = ", ".join(f"{n} {level}" for n, level in self.lattice.levels(node).items())
        return f"{levels}: {self.seen[node].words() if node in self.seen else 'not looked at'}"


def has_room(lattice: Lattice) -> bool:
    """Whether a lattice is small enough to be drawn node by node."""
    rows = range(lattice.height + 1)
    return len(lattice) <= MOST and max(len(lattice.at(row)) for row in rows) <= WIDEST


def label_of(node: Sequence[int]) -> str:
    """A node as it is written in the picture.

    Examples
    --------
    >>> label_of((1, 0))
    '1,0'
    """
    return ",".join(map(str, node))


def draw_lattice(scene: Scene) -> str:
    """Every node with what is known of it; the chosen one framed, those looked at now haloed."""
    lattice = scene.lattice
    rows = [lattice.at(height) for height in range(lattice.height, -1, -1)]
    width = max(44, 24 + 8 * len(label_of(lattice.top)))
    places = {
        node: (9 + 91 * (at + 0.5) / len(row), 26.0 + ROW * down)
        for down, row in enumerate(rows)
        for at, node in enumerate(row)
    }
    edges = [
        svg.draw_line(places[node], places[up]) for node in places for up in lattice.parents(node)
    ]
    heights = [
        svg.draw_text(0, 31 + ROW * down, str(lattice.height - down), extra=f'fill="{svg.SOFT}"')
        for down in range(len(rows))
    ]
    marks = [_draw_node(scene, node, place, width) for node, place in places.items()]
    title = f"The lattice over {', '.join(lattice.names)}"
    least = max(map(len, rows)) * (width + 8)
    content = "".join(edges + heights + marks)
    return svg.draw_picture(ROW * len(rows) - 4, title, scene.words(), content, least=least)


def _draw_node(scene: Scene, node: Node, place: tuple[float, float], width: int) -> str:
    halo = _draw_frame(place, width + 16, TALL + 16, HALO) if node in scene.now else ""
    outline = _draw_frame(place, width + 9, TALL + 9, FRAME) if node == scene.chosen else ""
    shape = _draw_shape(label_of(node), place, (width, TALL), scene.seen.get(node))
    title = f"<title>{escape(scene.title(node))}</title>"
    return f'<g data-press="node/{label_of(node)}">{title}{halo}{outline}{shape}</g>'


def _draw_frame(place: tuple[float, float], width: int, height: int, extra: str) -> str:
    return svg.draw_box(*place, (width, height), f'rx="{height // 2}" {extra}')


def _draw_shape(
    words: str, place: tuple[float, float], size: tuple[int, int], seen: Seen | None
) -> str:
    look = f'rx="5" fill="{svg.PAPER}" stroke="{svg.GREY}" stroke-dasharray="2 3"'
    ink = f'fill="{svg.SOFT}"'
    if seen is not None:
        corner, colour, sign = LOOKS[seen.verdict]
        filled = seen.counted and seen.verdict == "safe"
        dashes = "" if seen.counted else 'stroke-dasharray="5 3"'
        fill = colour if filled else svg.PAPER
        look = f'rx="{corner}" fill="{fill}" stroke="{colour}" stroke-width="2.5" {dashes}'
        ink = f'fill="{svg.PAPER}" font-weight="600"' if filled else ""
        words = f"{sign} {words}".strip()
    written = svg.draw_text(place[0], place[1] + 5, words, anchor="middle", extra=ink)
    return svg.draw_box(*place, size, look) + written


def by_height(known: Classified) -> str:
    """How many nodes of each height meet k, for a lattice too large to be drawn in nodes."""
    lattice, safe = known.lattice, [0] * (known.lattice.height + 1)
    for node in known.safe:
        safe[sum(node)] += 1
    rows = []
    for down, height in enumerate(range(lattice.height, -1, -1)):
        every, middle = len(lattice.at(height)), 16.0 + 26 * down
        end = 12 + 60 * safe[height] / every
        rows += [
            svg.draw_text(0, middle + 5, str(height), extra=f'fill="{svg.SOFT}"'),
            svg.draw_line((12, middle), (72, middle), svg.ORANGE, extra='stroke-dasharray="5 3"'),
            svg.draw_line((12, middle), (end, middle), svg.BLUE, width=12),
            svg.draw_text(100, middle + 5, f"{safe[height]:,} of {every:,}", anchor="end"),
        ]
    label = f"{sum(safe):,} of {len(lattice):,} nodes meet k."
    return svg.draw_picture(
        26 * (lattice.height + 1) + 6, "Nodes that meet k, by height", label, "".join(rows)
    )


def draw_legend(marks: Collection[str]) -> str:
    """What the shapes mean; ``marks`` are those that occur."""
    place, size = (50.0, 12.0), (26, 18)
    shapes = {
        VERDICTS["safe"]: _draw_shape("", place, size, Seen("safe", counted=True)),
        VERDICTS["unsafe"]: _draw_shape("", place, size, Seen("unsafe", counted=True)),
        "pruned": _draw_shape("", place, size, Seen("pruned", counted=False)),
        "dashed: not counted": _draw_shape("", place, size, Seen("safe", counted=False)),
        "not looked at": _draw_shape("", place, size, None),
        "looked at now": _draw_frame(place, 30, 20, HALO),
        "chosen": _draw_frame(place, 30, 20, FRAME),
    }
    found = [(shape, mark) for mark, shape in shapes.items() if mark in marks]
    return svg.write_legend(found, 34, 24, ' font-size="13.5" fill="currentColor"')


def draw_scene(scene: Scene, known: Classified) -> str:
    """The lattice in nodes, with its legend; a large one by height."""
    if not has_room(scene.lattice):
        return write_note("Nodes of each height of the lattice that meet k:") + by_height(known)
    marks = {
        VERDICTS[seen.verdict]
        for seen in scene.seen.values()
        if seen.counted or seen.verdict == "pruned"
    }
    if any(not seen.counted and seen.verdict != "pruned" for seen in scene.seen.values()):
        marks.add("dashed: not counted")
    if len(scene.seen) < len(scene.lattice):
        marks.add("not looked at")
    if scene.chosen is not None or scene.now:
        marks.add("chosen" if scene.chosen is not None else "looked at now")
    told = f"In a node: the levels of {', '.join(scene.lattice.names)}. On the left: their sum."
    return draw_lattice(scene) + draw_legend(marks) + write_note(told)


def show_trail(search: Search, now: int, whole: Lattice) -> str:
    """The steps shown as a table, the last first."""
    shown = search.trail[:now]
    frame = pd.DataFrame(
        {
            "step": range(1, now + 1),
            "levels": [describe_node(step.node, step.columns or whole.names) for step in shown],
            "verdict": [VERDICTS[step.verdict] for step in shown],
            f"records in classes under {search.k}": pd.array([s.short for s in shown], "Int64"),
            "why": [step.reason for step in shown],
        }
    )
    content = write_table(frame.iloc[::-1], "The steps", what=("earlier step", "earlier steps"))
    summary = f"<summary>{escape(count(now, 'step'))} as a table, the last first</summary>"
    return _html.element("details", summary + content, id="vk-trail")


def show_classes(verdict: ModelVerdict, node: Node, search: Search, whole: Lattice) -> str:
    """The classes of the table that a node would publish, the smallest first."""
    frame = verdict.to_frame().drop(columns="value").sort_values("records", kind="stable")
    small = int(frame.loc[~frame["met"].astype(bool), "records"].sum())
    said = (
        f"{count(len(frame), 'class', 'classes')} of records that look alike; {small or 'none'} of "
        f"{int(frame['records'].sum()):,} records in classes of fewer than {search.k}. "
        f"{search.allowed or 'None'} may be left out."
    )
    title = _html.element("h3", escape(f"The table at {describe_node(node, whole.names)}"))
    frame = frame.rename(columns={"met": f"at least {search.k}"})
    return (
        title
        + write_note(said)
        + write_table(
            frame, "The classes at this node", what=("class", "classes"), counted=("records",)
        )
    )
