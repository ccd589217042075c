"""The target editor: weights on a tree, and at once what it costs to show them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from html import escape
from typing import Any, NamedTuple

import traitlets

from verikit import targets
from verikit._support import html as _html
from verikit.datasets import load
from verikit.errors import RecordError, quoted
from verikit.hierarchy import Hierarchy
from verikit.mask import Tolerance, disguise, equal_people, example_target, one_sensitive
from verikit.models import Target, TargetVerdict, target_privacy
from verikit.release import SplitRelease
from verikit.table import Column, Microdata, require_table
from verikit.targets import Tree, require_target, tree_of
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Found, Number, Option, View
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
LINE, DEEPER, SHARES = 42.0, 3.5, 46.0
HANDLE = f'fill="{kit.PAPER}" stroke="{kit.BLUE}" stroke-width="3"'
MARKS = {
    "original": lambda x, y: kit.draw_disc(x, y, 7, kit.HOLLOW),
    "target": lambda x, y: kit.draw_mark(
        x, y, "diamond", f'fill="none" stroke="{kit.ORANGE}" stroke-width="2.5"'
    ),
    "published": lambda x, y: kit.draw_box(x, y, (9, 9), f'fill="{kit.GREEN}"'),
}
LEGEND = (
    ("original", "in the table (never published)"),
    ("target", "the target"),
    ("published", "what the release shows"),
)
DRAWN, SEED = 250_000, 1
STARTS = {
    "given": "as it was given",
    "uniform": "every value alike",
    "data": "as in the table",
    "normal": "normal, shares in tenths",
    "zipf": "Zipf, shares in tenths",
}
ROWS = 23


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

    start = Option("uniform", "Begin with")
    weights = traitlets.Dict(help="By node its weight against its siblings, where changed.")
    below = traitlets.Any(None, help="The node below which weights are edited; None for the root.")
    fakes = Number(0, "Values that are nobody’s, up to")
    tolerance = Number(0, "Shares of siblings may be off by", limits=(0, 1, 0.05))
    search = Option("printed", "A tolerance is used to", SEARCHES)
    groups = Option("together", "Who shows the target", GROUPS)
    target = Found(Hierarchy, "The tree with the weights.")
    verdict = Found(TargetVerdict, "What the release shows.")

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
        without = {"given"} if target is None else set()
        without |= set() if self._column.kind == "numeric" else {"normal"}
        self._starts = {name: words for name, words in STARTS.items() if name not in without}
        self._edges: Mapping[str, Any] = targets.edges(self._hierarchy)
        first = {"start": next(iter(self._starts)), "fakes": fakes, "tolerance": tolerance}
        super().__init__(self._data, **(first | boxes))

    def answer(self) -> Answered:
        """The release that shows the target, and the tree with what is published where."""
        if self.below is not None and text(self.below) not in self._tree.numbers:
            expected = f"a node of the tree, such as {quoted(self._hierarchy.root)}"
            raise RecordError.given("below", self.below, expected)
        node = self._shown_node()
        views.require_option("start", self.start, self._starts)
        start = self._make_start()
        edges = {**self.call_once(targets.edges, start), **self.weights}
        target = self.call_once(targets.on_edges, start, dict(self.weights))
        near = Tolerance(self.tolerance, searched=self.search == "searched")
        release = self.call_once(publish_target, self._data, target, self.groups, self.fakes, near)
        verdict = self.call_once(target_privacy, release)
        self._edges = edges
        counts = Counter(map(text, release.sensitive[self._column.name].tolist()))
        original = self.call_once(read_shares, self._hierarchy, self._data, self._column)
        rows = outline_tree(self._tree, self._tree.numbers[node])
        scene = Scene(self._tree, rows, edges, counts, original, target, verdict)
        told = Target(release, verdict, target, float(near.share))
        html = (
            tabulate_numbers(release, target, counts)
            + _html.element("h3", "The tree: drag a weight, or use its box on the left")
            + kit.write_note(self._about_tree(node))
            + draw_weights(scene)
            + draw_distributions(scene)
            + _html.element("h3", "What this does not tell you")
            + kit.write_note(NOT_SAID)
        )
        more = {"target": target, "verdict": verdict}
        tag = "the target is shown" if verdict.met else "within the tolerance"
        return Answered(release, told, tag, html, "warning" if told.warns else "", more)

    def in_words(self, written: str) -> str:
        """Values and nodes as people write them; codes stay as they are."""
        return kit.make_readable(written) if self._column.kind == "numeric" else written

    def on_value(self, place: str, value: str) -> None:
        """A box changed; a weight changes one of the weights, another start forgets them."""
        kind, _, name = place.partition("/")
        if kind == "weight" and name in self._edges:
            self.weights = {**self.weights, name: views.read_value(value)}
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

    def _make_start(self) -> Hierarchy:
        """The target to begin with, on the tree."""
        tree = self._hierarchy
        if self.start == "uniform":
            return self.call_once(targets.uniform, tree)
        if self.start == "data":
            return self.call_once(read_shares, tree, self._data, self._column)
        if self.start == "normal":
            return targets.rounded(self.call_once(targets.normal, tree, 4))
        return (
            targets.rounded(self.call_once(targets.zipf, tree, 1)) if self.start == "zipf" else tree
        )

    def _fields(self) -> list[Field]:
        """Which node is open, and a slider for each of its children."""
        children = self._list_children()
        weights = [self._edges.get(name) for name in children]
        most = max([10, *(int(w) for w in weights if isinstance(w, (int, float)))])
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

    def _about_tree(self, node: str) -> str:
        tree: Tree = self._tree
        every = f"{count(len(tree.leaves), 'value')} in all. "
        path = " below ".join(self._hierarchy.path(node))
        return (
            f"{every}Shown: {path}. A press on a node with parts opens it; 2× means that "
            "the node itself stands twice in the release."
        )


class Scene(NamedTuple):
    """What to draw: the shown lines of a tree, the weights on its edges, and what came of them."""

    tree: Tree
    rows: list[Row]
    weights: Mapping[str, Any]
    published: Mapping[str, int]
    original: Hierarchy
    target: Hierarchy
    verdict: TargetVerdict

    def name(self, node: int) -> str:
        """The name of a node."""
        return self.tree.names[node]

    def size(self, node: int) -> int:
        """The number of values below a node."""
        return self.tree.last[node] - self.tree.first[node]

    def shown(self, node: int) -> tuple[Fraction, Fraction]:
        """The least and the greatest chance of a node that any group shows."""
        leaves = self.target.leaves(self.name(node))
        sums = [
            sum((seen[leaf] for leaf in leaves), Fraction(0))
            for seen in self.verdict.shown.values()
        ]
        return min(sums), max(sums)

    def most(self) -> int:
        """The end of the lines of weights: 10, or what a greater one needs."""
        given = [float(Fraction(str(self.weights[self.name(row.node)]))) for row in self.rows[1:]]
        return max(10, *(-int(-weight // 1) for weight in given)) if given else 10


def tabulate_numbers(release: SplitRelease, target: Hierarchy, counts: Mapping[str, int]) -> str:
    """Three numbers: what was made coarse, what is nobody's, what all of it costs."""
    every = sum(counts.values())
    coarse = every - sum(number for name, number in counts.items() if name in target.levels)
    told = [
        (f"{coarse:,}", f"of {every:,} published values made coarse"),
        (f"{int(release.parameters['added']):,}", "of them nobody’s (fakes)"),
        (
            _html.cell(float(Fraction(release.parameters["sum of ranges"]))),
            "sum of the ranges of all published values",
        ),
    ]
    boxes = "".join(
        _html.element("div", _html.element("b", value) + escape(words)) for value, words in told
    )
    return _html.element("div", boxes, class_="vk-nums")


def draw_weights(scene: Scene) -> str:
    """The tree line by line; each node but the first has a handle at its weight."""
    most = scene.most()
    drawn = [_draw_weight(scene, row, LINE * at, most) for at, row in enumerate(scene.rows)]
    title = "The tree and the weights of its nodes against their siblings"
    said = "; ".join(_describe_weights(scene, row) for row in scene.rows)
    return kit.draw_picture(LINE * len(scene.rows) + 6, title, f"{said}.", "".join(drawn))


def _describe_weights(scene: Scene, row: Row) -> str:
    name = scene.name(row.node)
    weight = f"weight {scene.weights[name]}, " if name in scene.weights else ""
    hidden = scene.size(row.node) if not row.opened else 1
    below = f" ({hidden:,} values)" if hidden > 1 else ""
    return f"{name}{below}: {weight}published {count(scene.published.get(name, 0), 'time')}"


def _draw_weight(scene: Scene, row: Row, top: float, most: int) -> str:
    name, left = scene.name(row.node), DEEPER * row.depth
    number = scene.published.get(name, 0)
    told = [f"weight {scene.weights[name]}"] if name in scene.weights else []
    told += [f"{number:,}×"] if number else []
    words = kit.draw_text(left, top + 15, name, extra='font-weight="600"') + kit.draw_text(
        100, top + 15, " · ".join(told), anchor="end", extra=kit.SOFTLY
    )
    opens = bool(scene.tree.children[row.node])
    press = f' data-press="open/{escape(name, quote=True)}"' if opens else ""
    title = f"<title>{escape(_describe_weights(scene, row))}</title>"
    line = (
        _draw_line(name, scene.weights[name], top + 28, (left, most))
        if name in scene.weights
        else ""
    )
    room = f'<rect x="0" y="{top:g}" width="100%" height="20" fill="transparent"/>' * opens
    return f"<g{press}>{title}{room}{words}</g>{line}"


def _draw_line(name: str, weight: Any, middle: float, ends_at: tuple[float, int]) -> str:
    """A line from 0 to the greatest weight with a handle, and the place where it is dragged."""
    left, most = ends_at
    start, end = left + 2, 97.0
    place = start + (end - start) * float(Fraction(str(weight))) / most
    field = escape(f"weight/{name}", quote=True)
    grip = (
        f'<rect data-drag="{field}" data-low="0" data-high="{most}" data-step="1" '
        f'x="{start:.2f}%" y="{middle - 11:g}" width="{end - start:.2f}%" height="22" '
        'fill="transparent"/>'
    )
    return (
        kit.draw_line((start, middle), (end, middle), kit.EDGE, width=4)
        + kit.draw_line((start, middle), (place, middle), kit.BLUE, width=6)
        + kit.draw_disc(place, middle, 8, HANDLE)
        + grip
    )


def draw_distributions(scene: Scene) -> str:
    """The chance of what the tree ends in on the card: in the table, the target, the release."""
    shown = list_ends(scene.rows)
    lines = [
        (
            scene.name(node),
            scene.original.share(scene.name(node)),
            scene.target.share(scene.name(node)),
            scene.shown(node),
        )
        for node in shown
    ]
    top = max(float(max(was, goal, seen[1])) for _, was, goal, seen in lines) or 1.0
    drawn = [_draw_chances(line, SHARES * at, top) for at, line in enumerate(lines)]
    bottom = SHARES * len(lines) + 14
    scale = kit.draw_text(2, bottom, "0 %", anchor="middle") + kit.draw_text(
        98, bottom, _write_percent(top), anchor="end"
    )
    said = "; ".join(f"{line[0]}: {_write_three(line)}" for line in lines)
    title = "Chances in the table, in the target, and as published"
    picture = kit.draw_picture(bottom + 8, title, f"{said}.", "".join(drawn) + scale)
    head = _html.element("h3", "What the table holds, what the target says, what is shown")
    legend = kit.write_legend([(MARKS[mark](50, 10), words) for mark, words in LEGEND], 24, 20)
    return head + legend + kit.write_note("Numbers on the right in the same order.") + picture


def _draw_chances(line: Any, top: float, scale: float) -> str:
    name, was, goal, (low, high) = line
    middle = top + 29

    def at(chance: Fraction) -> float:
        return 2 + 96 * float(chance) / scale

    seen = (low, high) if low != high else (low,)
    return (
        kit.draw_text(0, top + 15, name, extra='font-weight="600"')
        + kit.draw_text(100, top + 15, _write_three(line), anchor="end")
        + kit.draw_line((2, middle), (98, middle))
        + kit.draw_line((at(low), middle), (at(high), middle), kit.GREEN, width=5)
        + MARKS["original"](at(was), middle)
        + "".join(MARKS["published"](at(chance), middle) for chance in seen)
        + MARKS["target"](at(goal), middle)
    )


def _write_three(line: Any) -> str:
    _, was, goal, (low, high) = line
    shown = (
        _write_percent(low) if low == high else f"{_write_percent(low)} to {_write_percent(high)}"
    )
    return f"{_write_percent(was)} · {_write_percent(goal)} · {shown}"


def _write_percent(chance: Fraction | float) -> str:
    """A chance in per cent with two digits that tell something.

    Examples
    --------
    >>> _write_percent(Fraction(1, 4)), _write_percent(Fraction(1, 4096)), _write_percent(0)
    ('25 %', '0.024 %', '0 %')
    """
    share = 100 * float(chance)
    return f"{share:.2g} %" if share < 10 else f"{share:.0f} %"


def read_shares(given: Hierarchy, data: Microdata, column: Column) -> Hierarchy:
    """The tree with the shares of the table itself."""
    return targets.of_values(given, data.frame[column.name])


def publish_target(
    data: Microdata, target: Hierarchy, groups: str, fakes: Any, near: Tolerance
) -> SplitRelease:
    """The release; that a target leaves nothing but the root is said by the card."""
    if groups == "quasi":
        cells = len(equal_people(data)) * len(target.levels)
        if cells > DRAWN:
            raise RecordError(
                f"groups was given as 'quasi', which makes {cells:,} chances to compare; the view "
                f"takes up to {DRAWN:,}, so use 'together', or verikit.mask.disguise."
            )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Of .* are the root")
        found = disguise(
            data,
            hierarchy=target,
            groups="quasi" if groups == "quasi" else None,
            fakes=fakes,
            tolerance=near,
            seed=SEED,
        )
    return views.as_two_tables(found.release)


class Row(NamedTuple):
    """One line: a node, how deep it lies below the first, and whether its children follow."""

    node: int
    depth: int
    opened: bool


def outline_tree(tree: Tree, start: int, most: int = ROWS) -> list[Row]:
    """The nodes below one, level by level as long as whole families fit; then in their order.

    Of a family too large for the card the first members are shown.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._distributions import tree_of
    >>> tree = tree_of(balanced(range(1, 9)), numeric=True)
    >>> [tree.names[row.node] for row in outline_tree(tree, tree.root, 5)]
    ['[1, 8]', '[1, 4]', '[1, 2]', '[3, 4]', '[5, 8]']
    """
    shown = {start: tree.children[start][: most - 1]}
    room, waiting = most - 1 - len(shown[start]), list(shown[start])
    for node in waiting:
        family = tree.children[node]
        if family and len(family) <= room:
            shown[node] = family
            room -= len(family)
            waiting += family
    rows, todo = [], [(start, 0)]
    while todo:
        node, depth = todo.pop()
        below = shown.get(node, ())
        rows.append(Row(node, depth, bool(below)))
        todo += [(child, depth + 1) for child in reversed(below)]
    return rows


def list_ends(rows: list[Row]) -> list[int]:
    """The nodes whose children are not shown: single values, or what was left closed."""
    return [row.node for row in rows if not row.opened]
