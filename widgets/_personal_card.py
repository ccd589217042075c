"""What the card of the personal view draws: each person's value and requirement on the tree."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import pandas as pd

from verikit.targets import Tree
from verikit.widgets import _draw as draw
from verikit.widgets._pieces import listing, note
from verikit.words import count

__all__ = ["DRAWN", "One", "people", "searches", "table"]

DRAWN, WIDE, LEVELS = 12, 16, 6
LEVEL, PERSON, LEFT = 28.0, 44.0, 2.0


class One(NamedTuple):
    """One person: what she is called, her value, her node, where she is, and what came of it."""

    name: str
    value: str
    wish: str
    group: str
    published: str
    respected: bool

    def words(self) -> str:
        """The person in words."""
        met = "respected" if self.respected else "not respected"
        return (
            f"{self.name}: value {self.value}, asks for {self.wish}, published as "
            f"{self.published} in group {self.group}, {met}"
        )


def people(tree: Tree, shown: Sequence[One]) -> str:
    """The tree as nested bars; below it one line a person over the values of her node."""
    bars, top = _bars(tree)
    lines = [_person(tree, one, top + PERSON * at) for at, one in enumerate(shown[:DRAWN])]
    said = "; ".join(one.words() for one in shown[:DRAWN])
    title = "The tree, and what each person asks for"
    picture = draw.picture(
        top + PERSON * len(lines) + 4, title, f"{said}.", bars + "".join(lines), least=0
    )
    more = len(shown) - DRAWN
    rest = note(f"and {count(more, 'more person', 'more people')}") if more > 0 else ""
    return picture + _legend() + rest


def _across(tree: Tree, node: int) -> tuple[float, float]:
    """Where a node begins and ends, from left to right."""
    wide = (100 - 2 * LEFT) / len(tree.leaves)
    return LEFT + wide * tree.first[node], LEFT + wide * tree.last[node]


def _bars(tree: Tree) -> tuple[str, float]:
    """The upper levels of the tree, as many as have room for names, and where they end."""
    row, drawn, top = [tree.root], [], 0.0
    for _ in range(LEVELS):
        drawn += [_bar(tree, node, top, named=len(row) <= 8) for node in row]
        top += LEVEL
        below = [child for node in row for child in tree.children[node]]
        if not below or len(below) > WIDE:
            break
        row = below
    return "".join(drawn), top + 6


def _bar(tree: Tree, node: int, top: float, *, named: bool) -> str:
    start, end = _across(tree, node)
    middle, edge = top + LEVEL / 2, f'stroke="{draw.EDGE}" stroke-width="1.5"'
    box = (
        f'<rect x="{start + 0.3:.2f}%" y="{top + 2:g}" width="{end - start - 0.6:.2f}%" '
        f'height="{LEVEL - 4:g}" rx="4" fill="{draw.PAPER}" {edge}/>'
    )
    name = tree.names[node]
    fits = named and 2.6 * len(name) <= end - start
    words = draw.text((start + end) / 2, middle + 5, name, anchor="middle") if fits else ""
    return f"<g><title>{escape(name)}</title>{box}{words}</g>"


def _person(tree: Tree, one: One, top: float) -> str:
    start, end = _across(tree, tree.numbers[one.wish])
    left, right = _across(tree, tree.numbers[one.value])
    out, until = _across(tree, tree.numbers[one.published])
    middle, sign = top + 30, "✓" if one.respected else "✕ not respected:"
    words = f"{sign} {one.name} ({one.group})"
    dashes = "" if one.respected else 'stroke-dasharray="5 4"'
    return (
        f"<g><title>{escape(one.words())}</title>"
        + draw.text(0, top + 15, words)
        + draw.text(100, top + 15, f"asks for {one.wish}", anchor="end")
        + draw.line(*_inside(start, end, middle), draw.SKY, width=14, extra=dashes)
        + draw.line(*_inside(out, until, middle), draw.ORANGE, width=5)
        + draw.disc(
            (left + right) / 2, middle, 6,
            f'fill="{draw.PAPER}" stroke="{draw.BLUE}" stroke-width="2.5"',
        )
        + "</g>"
    )  # fmt: skip


def _inside(start: float, end: float, at: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ends of a line from one place to another, a little apart from its neighbours."""
    apart = min(0.6, (end - start) / 8)
    return (start + apart, at), (end - apart, at)


def _legend() -> str:
    marks = {
        "her value (never published as hers)": draw.disc(
            50, 9, 6, f'fill="{draw.PAPER}" stroke="{draw.BLUE}" stroke-width="2.5"'
        ),
        "what she asks for: below it only the target may be seen": draw.line(
            (5, 9), (95, 9), draw.SKY, width=14
        ),
        "the node that stands for her in the release": draw.line(
            (5, 9), (95, 9), draw.ORANGE, width=5
        ),
    }
    parts = "".join(
        f'<span><svg width="28" height="18" aria-hidden="true">{mark}</svg>{escape(words)}</span>'
        for words, mark in marks.items()
    )
    return f'<p class="vk-legend">{parts}</p>'


def table(shown: Sequence[One]) -> str:
    """The people by group: what each asks for, and what stands for her."""
    frame = pd.DataFrame([one._asdict() for one in shown]).sort_values("group", kind="stable")
    frame = frame.rename(
        columns={"name": "person", "wish": "asks for", "published": "published as"}
    )
    return listing(frame, "The people by group", what=("person", "people"))


def searches(found: Sequence[tuple[str, int, int]], wished: int) -> str:
    """What each search publishes, in number of values, beside what was asked for."""
    bars = [
        draw.Bar(name, published, f"{published:,} published, {_saved(saved)}", published <= wished)
        for name, published, saved in found
    ]
    limit = (float(wished), f"asked for: {wished:,}")
    return draw.bars(bars, "Values published, by search", limit)


def _saved(saved: int) -> str:
    return f"{saved:,} saved" if saved >= 0 else f"{-saved:,} too many"
