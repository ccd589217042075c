"""The lattice of generalization levels, and a search through it step by step."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import Any, ClassVar, NamedTuple

import pandas as pd
import traitlets

from verikit import lattice
from verikit._support import html as _html
from verikit.datasets import load
from verikit.errors import InfeasibleError, RecordError
from verikit.lattice import VERDICTS, Classified, Lattice, Node, Search, describe_node
from verikit.mask import generalize
from verikit.models import ApartVerdict, ModelVerdict, Requirement, judge
from verikit.table import Column, Microdata, require_table
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Found, Number, Option, View
from verikit.words import count

EXAMPLE = "ks_table2_unmasked"
SEARCHES = {
    "datafly": "Datafly: greedy, one step after the other",
    "samarati": "Samarati: halve the heights",
    "incognito": "Incognito: few columns first",
    "k_optimize": "k-Optimize: cut and prune",
}
LOOK = {"safe": "", "unsafe": "warning", "pruned": "unknown"}
MOST, WIDEST = 120, 24
ROW, TALL = 58, 28
LOOKS = {
    "safe": (14, kit.BLUE, "✓"),
    "unsafe": (0, kit.ORANGE, "✕"),
    "pruned": (5, kit.GREY, "–"),
}
FRAME = 'fill="none" stroke="currentColor" stroke-width="2.5"'
HALO = f'fill="{kit.SKY}" opacity=".45"'


class LatticeView(View):
    """The lattice of a table's generalization levels, and how a search finds its way through it.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy. By default the survey's small table.
    k, requirement, suppression, algorithm
        What is searched for, as `verikit.lattice` takes it, and by which of its searches; a
        requirement is written as `Requirement.read` takes it, several with ; between.

    Notes
    -----
    ``result`` is the search, ``verdict`` measures the classes at the node that is shown. ``step``
    is how many steps are shown, None for all; ``node`` is the node whose table is shown, None for
    the chosen one. Of several requirements each node tells which hold there.

    References
    ----------
    [KS]_ section 2, Figure 2

    Examples
    --------
    >>> view = LatticeView(k=2, suppression=0.2)
    >>> view.result.minimal
    ((0, 1), (1, 0))
    >>> view.node = (0, 0)
    >>> view.verdict.value
    1
    """

    TITLE = "3\u2002What the search finds"
    SHOWN_AT: ClassVar[Mapping[str, str]] = {
        **views.REQUIRED_AT, "node": "chosen", "ell": "requirement"
    }  # fmt: skip
    ALONE = ("level",)

    k = Number(2, "Records that must look alike (k)", "at least this many")
    requirement = Number("", "What each class must meet besides", views.REQUIRED)
    suppression = Number(0.0, "Share that may be left out", "from 0 to 1; 0.05 is 5 %")
    algorithm = Option("samarati", "Search", SEARCHES)
    step = Number(None, "Steps shown")
    node = traitlets.Any(None, help="The node whose table is shown; None for the chosen one.")
    verdict = Found(ModelVerdict, "The classes at the node shown.")

    def __init__(
        self,
        data: Microdata | None = None,
        *,
        k: int = 2,
        requirement: str = "",
        suppression: float = 0.0,
        algorithm: str = "samarati",
    ) -> None:
        self._data = load(EXAMPLE) if data is None else require_table(data, "LatticeView")
        self._lattice = Lattice.of(self._data)
        self._steps, self._now = 0, 0
        self._node = self._lattice.bottom
        asked = {"k": k, "requirement": requirement, "suppression": suppression}
        super().__init__(self._data, **asked, algorithm=algorithm)

    def answer(self) -> Answered:
        """The search, the steps that are shown of it, and the table at one node."""
        required = views.read_required(self.requirement)
        asked = {"k": self.k, "requirement": required, "suppression": self.suppression}
        find: Callable[..., Search] = getattr(lattice, self.algorithm)
        search = self.call_once(find, self._data, **asked)
        known = self.call_once(lattice.classify, self._data, **asked)
        single = self.call_once(_classify_each, self._data, search.requirements, self.suppression)
        steps = len(search.trail)
        now = steps if self.step is None else min(views.check_whole("step", self.step, 0), steps)
        node = search.node if self.node is None else self._find_node(self.node)
        levels = self._lattice.levels(node)
        masked = self.call_once(generalize, self._data, levels=levels, seed=0)
        verdicts = judge(views.as_one_table(masked.release), search.requirements)
        scene = _make_scene(search, known, now)._replace(single=single if now == steps else {})
        html = (
            draw_scene(scene, known)
            + show_trail(search, now, self._lattice)
            + show_classes(verdicts, node, search, self._lattice)
        )
        self._steps, self._now, self._node = steps, now, node
        look = "" if now == steps else LOOK[search.trail[now - 1].verdict] if now else "unknown"
        tag = f"Step {now} of {steps}"
        return Answered(search, search.told(now), tag, html, look, {"verdict": verdicts[0]})

    def _find_node(self, node: Any) -> Node:
        """A node given as levels, checked."""
        names = self._lattice.names
        if not isinstance(node, (tuple, list)) or len(node) != len(names):
            expected = f"{len(names)} levels, one for each of {', '.join(names)}"
            raise RecordError.given("node", node, expected)
        return self._lattice.node(dict(zip(names, node, strict=True)))

    def on_value(self, place: str, value: str) -> None:
        """A box changed; a level box changes one level of the node."""
        name, _, column = place.partition("/")
        if name == "level" and column in self._lattice.names:
            level = views.check_whole(column, views.read_value(value), 0)
            self.node = self._lattice.node(self._lattice.levels(self._node) | {column: level})
        else:
            super().on_value(place, value)

    def on_press(self, place: str) -> None:
        """One step back or on; the chosen node again; or a node of the picture."""
        name, _, levels = place.partition("/")
        if name in ("back", "next"):
            move = 1 if name == "next" else -1
            self.step = min(max(self._now + move, 0), self._steps)
        elif name == "chosen":
            self.node = None
        elif name == "node":
            self.node = self._find_node(tuple(int(level) for level in levels.split(",")))

    def lay_out(self) -> list[Part]:
        """What is searched for, the steps, and the node whose table is shown."""
        data, schema = self._data, self._data.schema
        size = f"{count(len(data), 'record')}; {len(self._lattice):,} ways to generalize them"
        steps = [
            self.field("step", limits=(0, self._steps, 1), value=str(self._now)),
            Field("back", "press", "Back"),
            Field("next", "press", "Next"),
        ]
        levels = [
            Field(
                f"level/{column.name}",
                "choice",
                f"Level of {column.title}",
                str(level),
                options=_list_levels(column),
            )
            for column, level in zip(schema.quasi, self._node, strict=True)
        ]
        back = Field("chosen", "press", "Show the chosen one")
        return [
            Part(
                "asked",
                "1\u2002What is asked for",
                [(size, "soft")],
                [
                    self.field("k"),
                    self.field("requirement", decimal=False),
                    *self.fields("suppression", "algorithm"),
                ],
            ),
            Part("steps", "2\u2002Step by step", fields=steps),
            Part("node", "Look into a node", fields=[*levels, back]),
        ]


def _list_levels(column: Column) -> tuple[tuple[str, str], ...]:
    """The levels of one column, each with the groups it has."""
    tree = column.hierarchy
    if tree is None:
        return ()
    found = []
    for level in range(tree.height + 1):
        names = list(dict.fromkeys(tree.level(value, level) for value in tree.order()))
        more = ", …" if len(names) > 3 else ""
        found.append((str(level), f"{level}: {', '.join(names[:3])}{more}"))
    return tuple(found)


def _classify_each(
    data: Microdata, requirements: Sequence[Requirement], suppression: float
) -> dict[str, Classified]:
    """Where each requirement holds by itself, by the name of its threshold; one needs no look."""
    if len(requirements) < 2:
        return {}
    found = {}
    for one in requirements:
        with suppress(InfeasibleError):  # of none of the nodes, as some records may be left out
            found[one.words] = lattice.classify(data, requirement=one, suppression=suppression)
    return found


def _make_scene(search: Search, known: Classified, now: int) -> Scene:
    """What the shown steps tell of each node; after the last one, the truth of all."""
    every = known.lattice
    steps = [step for step in search.trail[:now] if step.columns in ((), every.names)]
    seen = {step.node: Seen(step.verdict, step.verdict != "pruned") for step in steps}
    done = now == len(search.trail)
    if done and has_room(every):
        for node in every:
            if node not in seen or not seen[node].counted:
                seen[node] = Seen("safe" if known.verdicts[node] else "unsafe", counted=False)
    looked_at: tuple[Node, ...] = ()
    if now > 0 and not done:  # all nodes with the levels of the step, which may be of some columns
        step = search.trail[now - 1]
        places = [every.names.index(name) for name in step.columns or every.names]
        looked_at = tuple(n for n in every if tuple(n[place] for place in places) == step.node)
    return Scene(every, seen, search.node if done else None, looked_at)


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
    single: Mapping[str, Classified] = {}

    def words(self) -> str:
        """The whole picture in words."""
        told: dict[str, list[str]] = {verdict: [] for verdict in LOOKS}
        for node in self.lattice:
            if node in self.seen:
                told[self.seen[node].verdict].append(write_node(node))
        parts = [
            f"{len(nodes)} {VERDICTS[verdict]}"
            + (f" ({'; '.join(nodes)})" if 0 < len(nodes) <= 12 else "")
            for verdict, nodes in told.items()
            if nodes
        ]
        if len(self.seen) < len(self.lattice):
            parts.append(f"{len(self.lattice) - len(self.seen)} not looked at")
        end = f" Chosen: {write_node(self.chosen)}." if self.chosen is not None else ""
        return f"{len(self.lattice)} nodes: {', '.join(parts)}.{end}"

    def title(self, node: Node) -> str:
        """One node in words."""
        levels = ", ".join(f"{n} {level}" for n, level in self.lattice.levels(node).items())
        held = "".join(
            f"; {words} {'holds' if known.verdicts[node] else 'fails'}"
            for words, known in self.single.items()
        )
        return (
            f"{levels}: {self.seen[node].words() if node in self.seen else 'not looked at'}{held}"
        )


def has_room(lattice: Lattice) -> bool:
    """Whether a lattice is small enough to be drawn node by node."""
    rows = range(lattice.height + 1)
    return len(lattice) <= MOST and max(len(lattice.at(row)) for row in rows) <= WIDEST


def write_node(node: Sequence[int]) -> str:
    """A node as it is written in the picture.

    Examples
    --------
    >>> write_node((1, 0))
    '1,0'
    """
    return ",".join(map(str, node))


def draw_lattice(scene: Scene) -> str:
    """Every node with what is known of it; the chosen one framed, those looked at now haloed."""
    lattice = scene.lattice
    rows = [lattice.at(height) for height in range(lattice.height, -1, -1)]
    width = max(44, 24 + 8 * len(write_node(lattice.top)))
    places = {
        node: (9 + 91 * (at + 0.5) / len(row), 26.0 + ROW * down)
        for down, row in enumerate(rows)
        for at, node in enumerate(row)
    }
    edges = [
        kit.draw_line(places[node], places[up]) for node in places for up in lattice.parents(node)
    ]
    heights = [
        kit.draw_text(0, 31 + ROW * down, str(lattice.height - down), extra=kit.SOFTLY)
        for down in range(len(rows))
    ]
    marks = [_draw_node(scene, node, place, width) for node, place in places.items()]
    title = f"The lattice over {', '.join(lattice.names)}"
    least = max(map(len, rows)) * (width + 8)
    content = "".join(edges + heights + marks)
    return kit.draw_picture(ROW * len(rows) - 4, title, scene.words(), content, least=least)


def _draw_node(scene: Scene, node: Node, place: tuple[float, float], width: int) -> str:
    halo = outline = ""
    if node in scene.now:
        halo = kit.draw_box(*place, (width + 16, TALL + 16), f'rx="{(TALL + 16) // 2}" {HALO}')
    if node == scene.chosen:
        outline = kit.draw_box(*place, (width + 9, TALL + 9), f'rx="{(TALL + 9) // 2}" {FRAME}')
    shape = _draw_shape(write_node(node), place, (width, TALL), scene.seen.get(node))
    signs = "".join(
        LOOKS["safe" if k.verdicts[node] else "unsafe"][2] for k in scene.single.values()
    )
    shape += kit.draw_text(
        place[0], place[1] + 29, signs, anchor="middle", extra=f'font-size="12" {kit.HALO}'
    )
    title = f"<title>{escape(scene.title(node))}</title>"
    return f'<g data-press="node/{write_node(node)}">{title}{halo}{outline}{shape}</g>'


def _draw_shape(
    words: str, place: tuple[float, float], size: tuple[int, int], seen: Seen | None
) -> str:
    look = f'rx="5" fill="{kit.PAPER}" stroke="{kit.GREY}" stroke-dasharray="2 3"'
    ink = kit.SOFTLY
    if seen is not None:
        corner, colour, sign = LOOKS[seen.verdict]
        filled = seen.counted and seen.verdict == "safe"
        dashes = "" if seen.counted else 'stroke-dasharray="5 3"'
        fill = colour if filled else kit.PAPER
        look = f'rx="{corner}" fill="{fill}" stroke="{colour}" stroke-width="2.5" {dashes}'
        ink = f'fill="{kit.PAPER}" font-weight="600"' if filled else ""
        words = f"{sign} {words}".strip()
    written = kit.draw_text(place[0], place[1] + 5, words, anchor="middle", extra=ink)
    return kit.draw_box(*place, size, look) + written


def draw_heights(known: Classified) -> str:
    """How many nodes of each height are safe, for a lattice too large to be drawn in nodes."""
    lattice, safe = known.lattice, [0] * (known.lattice.height + 1)
    for node in known.safe:
        safe[sum(node)] += 1
    rows = []
    for down, height in enumerate(range(lattice.height, -1, -1)):
        every, middle = len(lattice.at(height)), 16.0 + 26 * down
        end = 12 + 60 * safe[height] / every
        rows += [
            kit.draw_text(0, middle + 5, str(height), extra=kit.SOFTLY),
            kit.draw_line((12, middle), (72, middle), kit.ORANGE, extra='stroke-dasharray="5 3"'),
            kit.draw_line((12, middle), (end, middle), kit.BLUE, width=12),
            kit.draw_text(100, middle + 5, f"{safe[height]:,} of {every:,}", anchor="end"),
        ]
    label = f"{sum(safe):,} of {len(lattice):,} nodes are safe."
    return kit.draw_picture(
        26 * (lattice.height + 1) + 6, "Safe nodes, by height", label, "".join(rows)
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
        "looked at now": kit.draw_box(*place, (30, 20), f'rx="10" {HALO}'),
        "chosen": kit.draw_box(*place, (30, 20), f'rx="10" {FRAME}'),
    }
    found = [(shape, mark) for mark, shape in shapes.items() if mark in marks]
    return kit.write_legend(found, 34, 24, ' font-size="13.5" fill="currentColor"')


def draw_scene(scene: Scene, known: Classified) -> str:
    """The lattice in nodes, with its legend; a large one by height."""
    if not has_room(scene.lattice):
        return kit.write_note("Safe nodes of each height of the lattice:") + draw_heights(known)
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
    if scene.single:
        told += f" Below it, in turn, what holds there: {'; '.join(scene.single)}."
    return draw_lattice(scene) + draw_legend(marks) + kit.write_note(told)


def show_trail(search: Search, now: int, whole: Lattice) -> str:
    """The steps shown as a table, the last first."""
    shown = search.trail[:now]
    frame = pd.DataFrame(
        {
            "step": range(1, now + 1),
            "levels": [describe_node(step.node, step.columns or whole.names) for step in shown],
            "verdict": [VERDICTS[step.verdict] for step in shown],
            f"records in {search.failing}": pd.array([s.short for s in shown], "Int64"),
            "why": [step.reason for step in shown],
        }
    )
    content = kit.write_table(frame.iloc[::-1], "The steps", what=("earlier step", "earlier steps"))
    title = f"{count(now, 'step')} as a table, the last first"
    return kit.fold_away(title, content, "vk-trail")


def show_classes(
    verdicts: Sequence[ModelVerdict | ApartVerdict], node: Node, search: Search, whole: Lattice
) -> str:
    """The classes of the table that a node would publish, the smallest first."""
    frame = verdicts[0].to_frame().drop(columns="value")
    for verdict, one in zip(verdicts[1:], search.requirements[1:], strict=True):
        frame[one.words] = verdict.met_per_class
    met = frame[["met", *(one.words for one in search.requirements[1:])]].astype(bool).all(axis=1)
    small = int(frame.loc[~met, "records"].sum())
    frame = frame.sort_values("records", kind="stable")
    said = (
        f"{count(len(frame), 'class', 'classes')} of records that look alike; {small or 'none'} of "
        f"{int(frame['records'].sum()):,} records in {search.failing}. "
        f"{search.allowed or 'None'} may be left out."
    )
    title = _html.element("h3", escape(f"The table at {describe_node(node, whole.names)}"))
    frame = frame.rename(columns={"met": f"at least {search.k}"})
    return (
        title
        + kit.write_note(said)
        + kit.write_table(
            frame, "The classes at this node", what=("class", "classes"), counted=("records",)
        )
    )
