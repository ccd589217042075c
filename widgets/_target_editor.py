"""The target editor: weights on a tree, and at once what it costs to show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import traitlets

from verikit import targets
from verikit._support import html as _html
from verikit.datasets import load
from verikit.errors import RecordError, quoted
from verikit.hierarchy import Hierarchy
from verikit.mask import Tolerance, example_target, one_sensitive
from verikit.models import Target, TargetVerdict, target_privacy
from verikit.table import Microdata, require_table
from verikit.targets import Tree, require_target, tree_of
from verikit.widgets import _target_card as cards
from verikit.widgets import _target_card as steps
from verikit.widgets._panel import Field, Part
from verikit.widgets._pieces import make_readable, write_note
from verikit.widgets._target_card import Scene, outline_tree
from verikit.widgets._view import Answered, Number, Option, View, read_value, require_option
from verikit.words import count, text

EXAMPLE, FAMILY, FAKES = "qz_table3_1", 12, 20
GROUPS = {"together": "everybody together", "quasi": "people with equal known values"}
SEARCHES = {"printed": "move the target (as printed)", "searched": "search the numbers (best)"}
NOT_SAID = (
    "Who knows a person’s group, and reads each published node with the chances of the target, "
    "learns of her value what the target says. That does not say that the target is harmless, nor "
    "that nobody finds her row or group. Who repeats the method, and knows that as little as "
    "possible was made coarse, may infer a little more where groups are small."
)


class TargetEditor(View):
    """A target distribution with weights on its tree, and what a release that shows it costs.

    Parameters
    ----------
    data
        The records, one column of them sensitive; by default eleven people and their salaries.
    target
        The tree with the weights to begin with; by default a tree over the values of the
        sensitive column, all alike.
    fakes, tolerance
        What is allowed besides, as `verikit.mask.disguise` takes it.

    Notes
    -----
    ``result`` is the release, ``target`` the tree with its weights, ``verdict`` compares both.
    ``weights`` holds what was changed: by node its weight against its siblings. ``below`` is the
    node below which weights are edited, None for the root.

    References
    ----------
    [QZ]_ sections 3.3 to 3.6, Figure 3.1

    Examples
    --------
    >>> editor = TargetEditor()
    >>> editor.result.parameters["sum of ranges"]
    '50000'
    >>> editor.weights = {"[30000, 40000]": 2, "[50000, 60000]": 3}
    >>> editor.target.share(60000), editor.verdict.met
    (Fraction(3, 10), True)
    """

    TITLE = "4\u2002The tree, the target and what is published"
    RESULTS = ("result", "target", "verdict")

    start = Option("uniform", "Begin with")
    weights = traitlets.Dict(help="By node its weight against its siblings, where changed.")
    below = traitlets.Any(None, help="The node below which weights are edited; None for the root.")
    fakes = Number(0, "Values that are nobody’s, up to")
    tolerance = Number(0, "Shares of siblings may be off by", limits=(0, 1, 0.05))
    search = Option("printed", "A tolerance is used to", SEARCHES)
    groups = Option("together", "Who shows the target", GROUPS)
    target = traitlets.Instance(
        Hierarchy, allow_none=True, read_only=True, help="The tree with the weights."
    )
    verdict = traitlets.Instance(
        TargetVerdict, allow_none=True, read_only=True, help="What the release shows."
    )

    def __init__(
        self,
        data: Microdata | None = None,
        *,
        target: Hierarchy | None = None,
        fakes: int = 0,
        tolerance: float | str = 0,
        **boxes: Any,
    ) -> None:
        self._data = load(EXAMPLE) if data is None else require_table(data, "TargetEditor")
        self._column = one_sensitive(self._data, "TargetEditor")
        self._hierarchy = example_target(self._data) if target is None else require_target(target)
        self._tree = tree_of(self._hierarchy, numeric=False)
        self._starts = steps.list_starts(self._column, given=target is not None)
        self._edges: Mapping[str, Any] = targets.edges(self._hierarchy)
        first = {"start": next(iter(self._starts)), "fakes": fakes, "tolerance": tolerance}
        super().__init__(self._data, **(first | boxes))

    def answer(self) -> Answered:
        """The release that shows the target, and the tree with what is published where."""
        node = self._opened()
        require_option("start", self.start, self._starts)
        start = self.call_once(
            cards.make_start, self._hierarchy, self._data, self._column, self.start
        )
        edges = {**self.call_once(targets.edges, start), **self.weights}
        target = self.call_once(targets.on_edges, start, dict(self.weights))
        near = Tolerance(self.tolerance, searched=self.search == "searched")
        release = self.call_once(
            steps.publish_target, self._data, target, self.groups, self.fakes, near
        )
        verdict = self.call_once(target_privacy, release)
        self._edges = edges
        counts = Counter(map(text, release.sensitive[self._column.name].tolist()))
        original = self.call_once(steps.read_shares, self._hierarchy, self._data, self._column)
        rows = outline_tree(self._tree, self._tree.numbers[node])
        scene = Scene(self._tree, rows, edges, counts, original, target, verdict)
        told = Target(release, verdict, target, float(near.share))
        html = (
            cards.tabulate_numbers(release, target, counts)
            + _html.element("h3", "The tree: drag a weight, or use its box on the left")
            + write_note(self._about_tree(node))
            + cards.draw_weights(scene)
            + cards.draw_distributions(scene)
            + _html.element("h3", "What this does not tell you")
            + write_note(NOT_SAID)
        )
        more = {"target": target, "verdict": verdict}
        tag = "the target is shown" if verdict.met else "within the tolerance"
        return Answered(release, told, tag, html, "warning" if told.warns else "", more)

    def in_words(self, written: str) -> str:
        """Values and nodes as people write them; codes stay as they are."""
        return make_readable(written) if self._column.kind == "numeric" else written

    def on_value(self, place: str, value: str) -> None:
        """A box changed; a weight changes one of the weights, another start forgets them."""
        kind, _, name = place.partition("/")
        if kind == "weight" and name in self._edges:
            self.weights = {**self.weights, name: read_value(value)}
        elif kind == "below":
            self.below = value
        elif place == "start":
            with self.hold_trait_notifications():
                self.weights, self.start = {}, value
        else:
            super().on_value(place, value)

    def on_press(self, place: str) -> None:
        """A node of the picture is opened; or all changed weights are forgotten."""
        kind, _, name = place.partition("/")
        if kind == "open":
            self.below = name
        elif kind == "again":
            self.weights = {}

    def lay_out(self) -> list[Part]:
        """The target to begin with, the weights below one node, what is allowed besides."""
        size = f"{count(len(self._data), 'record')}; nobody should learn their true "
        fields = [
            self.field("start", options=self._starts),
            self.field("groups"),
        ]
        again = Field("again", "press", "Forget changed weights")
        limit = max(FAKES, self.fakes) if isinstance(self.fakes, int) else FAKES
        besides = [
            self.field("fakes", limits=(0, limit, 1)),
            *self.fields("tolerance", "search"),
        ]
        return [
            Part("asked", "1\u2002The target", [(size + self._column.title, "soft")], fields),
            Part("weights", "2\u2002Weights", self._lines(), [*self._fields(), again]),
            Part("besides", "3\u2002What is allowed besides", fields=besides),
        ]

    def _fields(self) -> list[Field]:
        """Which node is open, and a slider for each of its children."""
        children = self._list_children()
        most = max([10, *(_read_weight(self._edges.get(name)) for name in children)])
        sliders = [
            Field(
                f"weight/{name}",
                "range",
                self.in_words(name),
                str(self._edges.get(name, "")),
                limits=(0, most, 1),
            )
            for name in children[:FAMILY]
        ]
        where = Field(
            "below",
            "choice",
            "Nodes right below",
            self._shown_node(),
            options=tuple((name, self.in_words(name)) for name in self._list_reachable()),
        )
        return [where, *sliders]

    def _lines(self) -> list[tuple[str, str]]:
        children = len(self._list_children())
        lines = [("How much each counts against its siblings, in whole numbers.", "soft")]
        if children > FAMILY:
            more = count(children - FAMILY, "more node")
            lines.append((f"{more} can be set in Python, by weights.", "soft"))
        return lines

    def _shown_node(self) -> str:
        known = self.below is not None and text(self.below) in self._tree.numbers
        node = text(self.below) if known else self._hierarchy.root
        return (
            node
            if self._tree.children[self._tree.numbers[node]]
            else self._hierarchy.path(node)[:2][-1]
        )

    def _list_children(self) -> list[str]:
        tree, node = self._tree, self._shown_node()
        return [tree.names[child] for child in tree.children[tree.numbers[node]]]

    def _list_reachable(self) -> list[str]:
        """The nodes that can be opened from here: those above, this one, those right below."""
        tree = self._tree
        below = [name for name in self._list_children() if tree.children[tree.numbers[name]]]
        return [*reversed(self._hierarchy.path(self._shown_node())), *below[:FAMILY]]

    def _opened(self) -> str:
        if self.below is None or text(self.below) in self._tree.numbers:
            return self._shown_node()
        raise RecordError(
            f"below was given as {quoted(self.below)}; expected a node of the tree, such as "
            f"{quoted(self._hierarchy.root)}.",
            field="below",
            value=self.below,
        )

    def _about_tree(self, node: str) -> str:
        tree: Tree = self._tree
        every = f"{count(len(tree.leaves), 'value')} in all. "
        path = " below ".join(self._hierarchy.path(node))
        return (
            f"{every}Shown: {path}. A press on a node with parts opens it; 2× means that "
            "the node itself stands twice in the release."
        )


def _read_weight(weight: Any) -> int:
    return int(weight) if isinstance(weight, (int, float)) else 0
