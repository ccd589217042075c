"""What the card of the target editor draws: weights on the tree, and three distributions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from html import escape
from typing import Any, NamedTuple

from verikit._support import html as _html
from verikit.hierarchy import Hierarchy
from verikit.models import TargetVerdict
from verikit.release import SplitRelease
from verikit.targets import Tree
from verikit.widgets import _draw as draw
from verikit.widgets._outline import Row, ends
from verikit.widgets._pieces import note
from verikit.words import count

__all__ = ["Scene", "distributions", "numbers", "weights"]

LINE, DEEPER, SHARES = 42.0, 3.5, 46.0
HANDLE = f'fill="{draw.PAPER}" stroke="{draw.BLUE}" stroke-width="3"'
MARKS = {
    "original": lambda x, y: draw.disc(
        x, y, 7, f'fill="{draw.PAPER}" stroke="{draw.BLUE}" stroke-width="2.5"'
    ),
    "target": lambda x, y: draw.mark(
        x, y, "diamond", f'fill="none" stroke="{draw.ORANGE}" stroke-width="2.5"'
    ),
    "published": lambda x, y: draw.box(x, y, (9, 9), f'fill="{draw.GREEN}"'),
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


def numbers(release: SplitRelease, target: Hierarchy, counts: Mapping[str, int]) -> str:
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


def weights(scene: Scene) -> str:
    """The tree line by line; each node but the first has a handle at its weight."""
    most = scene.most()
    drawn = [_weight(scene, row, LINE * at, most) for at, row in enumerate(scene.rows)]
    title = "The tree and the weights of its nodes against their siblings"
    said = "; ".join(_said(scene, row) for row in scene.rows)
    return draw.picture(LINE * len(scene.rows) + 6, title, f"{said}.", "".join(drawn))


def _said(scene: Scene, row: Row) -> str:
    name = scene.name(row.node)
    weight = f"weight {scene.weights[name]}, " if name in scene.weights else ""
    hidden = scene.size(row.node) if not row.opened else 1
    below = f" ({hidden:,} values)" if hidden > 1 else ""
    return f"{name}{below}: {weight}published {count(scene.published.get(name, 0), 'time')}"


def _weight(scene: Scene, row: Row, top: float, most: int) -> str:
    name, left = scene.name(row.node), DEEPER * row.depth
    number = scene.published.get(name, 0)
    told = [f"weight {scene.weights[name]}"] if name in scene.weights else []
    told += [f"{number:,}×"] if number else []
    words = draw.text(left, top + 15, name, extra='font-weight="600"') + draw.text(
        100, top + 15, " · ".join(told), anchor="end", extra=f'fill="{draw.SOFT}"'
    )
    opens = bool(scene.tree.children[row.node])
    press = f' data-press="open/{escape(name, quote=True)}"' if opens else ""
    title = f"<title>{escape(_said(scene, row))}</title>"
    line = _line(name, scene.weights[name], top + 28, (left, most)) if name in scene.weights else ""
    room = f'<rect x="0" y="{top:g}" width="100%" height="20" fill="transparent"/>' * opens
    return f"<g{press}>{title}{room}{words}</g>{line}"


def _line(name: str, weight: Any, middle: float, ends_at: tuple[float, int]) -> str:
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
        draw.line((start, middle), (end, middle), draw.EDGE, width=4)
        + draw.line((start, middle), (place, middle), draw.BLUE, width=6)
        + draw.disc(place, middle, 8, HANDLE)
        + grip
    )


def distributions(scene: Scene) -> str:
    """The chance of what the tree ends in on the card: in the table, the target, the release."""
    shown = ends(scene.rows)
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
    drawn = [_chances(line, SHARES * at, top) for at, line in enumerate(lines)]
    bottom = SHARES * len(lines) + 14
    scale = draw.text(2, bottom, "0 %", anchor="middle") + draw.text(
        98, bottom, _percent(top), anchor="end"
    )
    said = "; ".join(f"{line[0]}: {_three(line)}" for line in lines)
    title = "Chances in the table, in the target, and as published"
    picture = draw.picture(bottom + 8, title, f"{said}.", "".join(drawn) + scale)
    head = _html.element("h3", "What the table holds, what the target says, what is shown")
    return head + _legend() + picture


def _chances(line: Any, top: float, scale: float) -> str:
    name, was, goal, (low, high) = line
    middle = top + 29

    def at(chance: Fraction) -> float:
        return 2 + 96 * float(chance) / scale

    seen = (low, high) if low != high else (low,)
    return (
        draw.text(0, top + 15, name, extra='font-weight="600"')
        + draw.text(100, top + 15, _three(line), anchor="end")
        + draw.line((2, middle), (98, middle))
        + draw.line((at(low), middle), (at(high), middle), draw.GREEN, width=5)
        + MARKS["original"](at(was), middle)
        + "".join(MARKS["published"](at(chance), middle) for chance in seen)
        + MARKS["target"](at(goal), middle)
    )


def _three(line: Any) -> str:
    _, was, goal, (low, high) = line
    shown = _percent(low) if low == high else f"{_percent(low)} to {_percent(high)}"
    return f"{_percent(was)} · {_percent(goal)} · {shown}"


def _percent(chance: Fraction | float) -> str:
    """A chance in per cent with two digits that tell something.

    Examples
    --------
    >>> _percent(Fraction(1, 4)), _percent(Fraction(1, 4096)), _percent(0)
    ('25 %', '0.024 %', '0 %')
    """
    share = 100 * float(chance)
    return f"{share:.2g} %" if share < 10 else f"{share:.0f} %"


def _legend() -> str:
    words = {
        "original": "in the table (never published)",
        "target": "the target",
        "published": "what the release shows",
    }
    parts = "".join(
        f'<span><svg width="24" height="20" aria-hidden="true">{MARKS[mark](50, 10)}</svg>'
        f"{escape(told)}</span>"
        for mark, told in words.items()
    )
    return f'<p class="vk-legend">{parts}</p>' + note("Numbers on the right in the same order.")
