"""What the card of the target editor draws: weights on the tree, and three distributions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from fractions import Fraction
from html import escape
from typing import Any, NamedTuple

from verikit import targets
from verikit._support import html as _html
from verikit.errors import RecordError
from verikit.hierarchy import Hierarchy
from verikit.mask import Tolerance, disguise, equal_people
from verikit.models import TargetVerdict
from verikit.release import SplitRelease
from verikit.table import Column, Microdata
from verikit.targets import Tree
from verikit.widgets import _draw as svg
from verikit.widgets._pieces import write_note
from verikit.widgets._releases import as_two_tables
from verikit.words import count

LINE, DEEPER, SHARES = 42.0, 3.5, 46.0
HANDLE = f'fill="{svg.PAPER}" stroke="{svg.BLUE}" stroke-width="3"'
MARKS = {
    "original": lambda x, y: svg.draw_disc(
        x, y, 7, f'fill="{svg.PAPER}" stroke="{svg.BLUE}" stroke-width="2.5"'
    ),
    "target": lambda x, y: svg.draw_mark(
        x, y, "diamond", f'fill="none" stroke="{svg.ORANGE}" stroke-width="2.5"'
    ),
    "published": lambda x, y: svg.draw_box(x, y, (9, 9), f'fill="{svg.GREEN}"'),
}


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
    return svg.draw_picture(LINE * len(scene.rows) + 6, title, f"{said}.", "".join(drawn))


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
    words = svg.draw_text(left, top + 15, name, extra='font-weight="600"') + svg.draw_text(
        100, top + 15, " · ".join(told), anchor="end", extra=f'fill="{svg.SOFT}"'
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
        svg.draw_line((start, middle), (end, middle), svg.EDGE, width=4)
        + svg.draw_line((start, middle), (place, middle), svg.BLUE, width=6)
        + svg.draw_disc(place, middle, 8, HANDLE)
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
    scale = svg.draw_text(2, bottom, "0 %", anchor="middle") + svg.draw_text(
        98, bottom, _write_percent(top), anchor="end"
    )
    said = "; ".join(f"{line[0]}: {_write_three(line)}" for line in lines)
    title = "Chances in the table, in the target, and as published"
    picture = svg.draw_picture(bottom + 8, title, f"{said}.", "".join(drawn) + scale)
    head = _html.element("h3", "What the table holds, what the target says, what is shown")
    legend = svg.write_legend([(MARKS[mark](50, 10), words) for mark, words in LEGEND], 24, 20)
    return head + legend + write_note("Numbers on the right in the same order.") + picture


def _draw_chances(line: Any, top: float, scale: float) -> str:
    name, was, goal, (low, high) = line
    middle = top + 29

    def at(chance: Fraction) -> float:
        return 2 + 96 * float(chance) / scale

    seen = (low, high) if low != high else (low,)
    return (
        svg.draw_text(0, top + 15, name, extra='font-weight="600"')
        + svg.draw_text(100, top + 15, _write_three(line), anchor="end")
        + svg.draw_line((2, middle), (98, middle))
        + svg.draw_line((at(low), middle), (at(high), middle), svg.GREEN, width=5)
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


def list_starts(column: Column, *, given: bool) -> dict[str, str]:
    """The targets to begin with that suit the column."""
    numeric = column.kind == "numeric"
    return {
        name: words
        for name, words in STARTS.items()
        if (given or name != "given") and (numeric or name != "normal")
    }


def make_start(given: Hierarchy, data: Microdata, column: Column, start: str) -> Hierarchy:
    """The target of that name on the given tree."""
    ways = {
        "given": lambda: given,
        "uniform": lambda: targets.uniform(given),
        "data": lambda: read_shares(given, data, column),
        "normal": lambda: targets.rounded(targets.normal(given, 4)),
        "zipf": lambda: targets.rounded(targets.zipf(given, 1)),
    }
    return ways[start]()


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
    return as_two_tables(found.release)


ROWS = 23


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
