"""The lattice of generalization levels, and a search through it step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import traitlets

from verikit import lattice
from verikit.datasets import load
from verikit.errors import RecordError
from verikit.lattice import Classified, Lattice, Node, Search, Step
from verikit.mask import generalize
from verikit.models import ModelVerdict, k_anonymity
from verikit.table import Column, Microdata, require_table
from verikit.widgets import _lattice_picture as cards
from verikit.widgets._lattice_picture import Scene, Seen, has_room
from verikit.widgets._panel import Field, Part
from verikit.widgets._releases import as_one_table
from verikit.widgets._view import Answered, Number, Option, View, check_whole, read_value
from verikit.words import count

EXAMPLE = "ks_table2_unmasked"
SEARCHES = {
    "datafly": "Datafly: greedy, one step after the other",
    "samarati": "Samarati: halve the heights",
    "incognito": "Incognito: few columns first",
    "k_optimize": "k-Optimize: cut and prune",
}
LOOK = {"safe": "", "unsafe": "warning", "pruned": "unknown"}


class LatticeView(View):
    """The lattice of a table's generalization levels, and how a search finds its way through it.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy. By default the survey's small table.
    k, suppression, algorithm
        What is searched for, as `verikit.lattice` takes it, and by which of its searches.

    Notes
    -----
    ``result`` is the search, ``verdict`` measures the classes at the node that is shown. ``step``
    is how many steps are shown, None for all; ``node`` is the node whose table is shown, None for
    the chosen one.

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
    RESULTS = ("result", "verdict")
    SHOWN_AT: ClassVar[Mapping[str, str]] = {"node": "chosen"}
    ALONE = ("level",)

    k = Number(2, "Records that must look alike (k)", "at least this many")
    suppression = Number(0.0, "Share that may be left out", "from 0 to 1; 0.05 is 5 %")
    algorithm = Option("samarati", "Search", SEARCHES)
    step = Number(None, "Steps shown")
    node = traitlets.Any(None, help="The node whose table is shown; None for the chosen one.")
    verdict = traitlets.Instance(
        ModelVerdict, allow_none=True, read_only=True, help="The classes at the node shown."
    )

    def __init__(
        self,
        data: Microdata | None = None,
        *,
        k: int = 2,
        suppression: float = 0.0,
        algorithm: str = "samarati",
    ) -> None:
        self._data = load(EXAMPLE) if data is None else require_table(data, "LatticeView")
        self._lattice = Lattice.of(self._data)
        self._steps, self._now = 0, 0
        self._node = self._lattice.bottom
        super().__init__(self._data, k=k, suppression=suppression, algorithm=algorithm)

    def answer(self) -> Answered:
        """The search, the steps that are shown of it, and the table at one node."""
        search = self.call_once(_run_search, self._data, self.algorithm, self.k, self.suppression)
        known = self.call_once(_classify_nodes, self._data, self.k, self.suppression)
        steps = len(search.trail)
        now = steps if self.step is None else min(check_whole("step", self.step, 0), steps)
        node = search.node if self.node is None else self._found(self.node)
        verdict = self.call_once(_measure_node, self._data, node, search.k)
        scene = _make_scene(search, known, now)
        html = (
            cards.draw_scene(scene, known)
            + cards.show_trail(search, now, self._lattice)
            + cards.show_classes(verdict, node, search, self._lattice)
        )
        self._steps, self._now, self._node = steps, now, node
        look = "" if now == steps else LOOK[search.trail[now - 1].verdict] if now else "unknown"
        tag = f"Step {now} of {steps}"
        return Answered(search, search.told(now), tag, html, look, {"verdict": verdict})

    def _found(self, node: Any) -> Node:
        """A node given as levels, checked."""
        names = self._lattice.names
        if not isinstance(node, (tuple, list)) or len(node) != len(names):
            raise RecordError(
                f"node was given as {node!r}; expected {len(names)} levels, one for each of "
                f"{', '.join(names)}.",
                field="node",
                value=node,
            )
        return self._lattice.node(dict(zip(names, node, strict=True)))

    def on_value(self, place: str, value: str) -> None:
        """A box changed; a level box changes one level of the node."""
        name, _, column = place.partition("/")
        if name == "level" and column in self._lattice.names:
            levels = self._lattice.levels(self._node) | {
                column: check_whole(column, read_value(value), 0)
            }
            self.node = self._lattice.node(levels)
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
            self.node = self._found(tuple(int(level) for level in levels.split(",")))

    def lay_out(self) -> list[Part]:
        """What is searched for, the steps, and the node whose table is shown."""
        data, schema = self._data, self._data.schema
        size = f"{count(len(data), 'record')}; {len(self._lattice):,} ways to generalize them"
        asked = [
            *self.fields("k", "suppression", "algorithm"),
        ]
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
            Part("asked", "1\u2002What is asked for", [(size, "soft")], asked),
            Part("steps", "2\u2002Step by step", fields=steps),
            Part("node", "Look into a node", fields=[*levels, back]),
        ]


def _run_search(data: Microdata, algorithm: str, k: Any, suppression: Any) -> Search:
    found: Search = getattr(lattice, algorithm)(data, k=k, suppression=suppression)
    return found


def _classify_nodes(data: Microdata, k: Any, suppression: Any) -> Classified:
    return lattice.classify(data, k=k, suppression=suppression)


def _measure_node(data: Microdata, node: Node, k: int) -> ModelVerdict:
    levels = dict(zip((column.name for column in data.schema.quasi), node, strict=True))
    masked = generalize(data, levels=levels, seed=0)
    return k_anonymity(as_one_table(masked.release), k=k)


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
    looked_at = _mark_above(search.trail[now - 1], every) if now > 0 and not done else ()
    return Scene(every, seen, search.node if done else None, looked_at)


def _mark_above(step: Step, every: Lattice) -> tuple[Node, ...]:
    """The nodes of the whole lattice with the levels of a step over some of the columns."""
    places = [every.names.index(name) for name in step.columns or every.names]
    wanted = dict(zip(places, step.node, strict=True))
    return tuple(
        node for node in every if all(node[place] == level for place, level in wanted.items())
    )
