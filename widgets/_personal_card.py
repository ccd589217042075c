"""What the card of the personal view draws: each person's value and requirement on the tree."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.requests import whole
from verikit.errors import RecordError, quoted
from verikit.hierarchy import Hierarchy
from verikit.mask import example_target, personalize
from verikit.release import Key, SplitRelease
from verikit.table import Column, Microdata, Schema
from verikit.targets import Tree, balanced
from verikit.widgets import _draw as svg
from verikit.widgets._pieces import write_note, write_table
from verikit.widgets._releases import as_two_tables
from verikit.words import count, text

DRAWN, WIDE, LEVELS = 12, 16, 6
LEVEL, PERSON, LEFT = 28.0, 44.0, 2.0


LEGEND = (
    (
        svg.draw_disc(50, 9, 6, f'fill="{svg.PAPER}" stroke="{svg.BLUE}" stroke-width="2.5"'),
        "her value (never published as hers)",
    ),
    (
        svg.draw_line((5, 9), (95, 9), svg.SKY, width=14),
        "what she asks for: below it only the target may be seen",
    ),
    (
        svg.draw_line((5, 9), (95, 9), svg.ORANGE, width=5),
        "the node that stands for her in the release",
    ),
)


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


def draw_people(tree: Tree, shown: Sequence[One]) -> str:
    """The tree as nested bars; below it one line a person over the values of her node."""
    bars, top = _draw_levels(tree)
    lines = [_draw_person(tree, one, top + PERSON * at) for at, one in enumerate(shown[:DRAWN])]
    said = "; ".join(one.words() for one in shown[:DRAWN])
    title = "The tree, and what each person asks for"
    picture = svg.draw_picture(
        top + PERSON * len(lines) + 4, title, f"{said}.", bars + "".join(lines), least=0
    )
    more = len(shown) - DRAWN
    rest = write_note(f"and {count(more, 'more person', 'more people')}") if more > 0 else ""
    return picture + svg.write_legend(LEGEND, 28) + rest


def _find_span(tree: Tree, node: int) -> tuple[float, float]:
    """Where a node begins and ends, from left to right."""
    wide = (100 - 2 * LEFT) / len(tree.leaves)
    return LEFT + wide * tree.first[node], LEFT + wide * tree.last[node]


def _draw_levels(tree: Tree) -> tuple[str, float]:
    """The upper levels of the tree, as many as have room for names, and where they end."""
    row, drawn, top = [tree.root], [], 0.0
    for _ in range(LEVELS):
        drawn += [_draw_bar(tree, node, top, named=len(row) <= 8) for node in row]
        top += LEVEL
        below = [child for node in row for child in tree.children[node]]
        if not below or len(below) > WIDE:
            break
        row = below
    return "".join(drawn), top + 6


def _draw_bar(tree: Tree, node: int, top: float, *, named: bool) -> str:
    start, end = _find_span(tree, node)
    middle, edge = top + LEVEL / 2, f'stroke="{svg.EDGE}" stroke-width="1.5"'
    box = (
        f'<rect x="{start + 0.3:.2f}%" y="{top + 2:g}" width="{end - start - 0.6:.2f}%" '
        f'height="{LEVEL - 4:g}" rx="4" fill="{svg.PAPER}" {edge}/>'
    )
    name = tree.names[node]
    fits = named and 2.6 * len(name) <= end - start
    words = svg.draw_text((start + end) / 2, middle + 5, name, anchor="middle") if fits else ""
    return f"<g><title>{escape(name)}</title>{box}{words}</g>"


def _draw_person(tree: Tree, one: One, top: float) -> str:
    start, end = _find_span(tree, tree.numbers[one.wish])
    left, right = _find_span(tree, tree.numbers[one.value])
    out, until = _find_span(tree, tree.numbers[one.published])
    middle, sign = top + 30, "✓" if one.respected else "✕ not respected:"
    words = f"{sign} {one.name} ({one.group})"
    dashes = "" if one.respected else 'stroke-dasharray="5 4"'
    return (
        f"<g><title>{escape(one.words())}</title>"
        + svg.draw_text(0, top + 15, words)
        + svg.draw_text(100, top + 15, f"asks for {one.wish}", anchor="end")
        + svg.draw_line(*_shrink_span(start, end, middle), svg.SKY, width=14, extra=dashes)
        + svg.draw_line(*_shrink_span(out, until, middle), svg.ORANGE, width=5)
        + svg.draw_disc(
            (left + right) / 2, middle, 6,
            f'fill="{svg.PAPER}" stroke="{svg.BLUE}" stroke-width="2.5"',
        )
        + "</g>"
    )  # fmt: skip


def _shrink_span(
    start: float, end: float, at: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ends of a line from one place to another, a little apart from its neighbours."""
    apart = min(0.6, (end - start) / 8)
    return (start + apart, at), (end - apart, at)


def tabulate_people(shown: Sequence[One]) -> str:
    """The people by group: what each asks for, and what stands for her."""
    frame = pd.DataFrame([one._asdict() for one in shown]).sort_values("group", kind="stable")
    frame = frame.rename(
        columns={"name": "person", "wish": "asks for", "published": "published as"}
    )
    return write_table(frame, "The people by group", what=("person", "people"))


def tabulate_searches(found: Sequence[tuple[str, int, int]], wished: int) -> str:
    """What each search publishes, in number of values, beside what was asked for."""
    bars = [
        svg.Bar(name, published, f"{published:,} published, {_saved(saved)}", published <= wished)
        for name, published, saved in found
    ]
    limit = (float(wished), f"asked for: {wished:,}")
    return svg.draw_bars(bars, "Values published, by search", limit)


def _saved(saved: int) -> str:
    return f"{saved:,} saved" if saved >= 0 else f"{-saved:,} too many"


WISH, SEED = "requirement", 1
SALARIES = (30_000, 40_000, 50_000, 60_000)


def target_of(data: Microdata, shipped: bool) -> Hierarchy:
    """The values of the table, all alike; of the shipped people all four salaries there are."""
    return balanced(SALARIES) if shipped else example_target(data)


def read_requirement(
    data: Microdata, column: Column, target: Hierarchy, requirement: str | int
) -> list[str]:
    """The node that each person names."""
    values = [text(value) for value in data.frame[column.name].tolist()]
    if isinstance(requirement, str):
        if requirement not in data.schema.names:
            raise RecordError(
                f"requirement was given as {quoted(requirement)}; expected the name of a column "
                "that holds nodes of the tree, or a level.",
                field="requirement",
                value=requirement,
            )
        named = data.frame[requirement]
        pairs = zip(named.tolist(), named.isna().tolist(), strict=True)
        return [target.root if gone else text(node) for node, gone in pairs]
    level = min(whole(requirement, "requirement", least=0), target.height)
    return [target.level(value, level) for value in values]


def with_wishes(data: Microdata, wished: tuple[str, ...]) -> tuple[Microdata, str]:
    """The people with what they ask for in a column of its own, and its name."""
    name = WISH
    others = tuple(column for column in data.schema if column.name != WISH)
    schema = Schema((*others, Column(name, "other", "nominal")))
    frame = data.frame[[column.name for column in others]].assign(
        **{name: np.array(wished, dtype=object)}
    )
    return Microdata(frame, schema), name


def publish_groups(
    data: Microdata, target: Hierarchy, name: str, search: Any
) -> tuple[SplitRelease, Key]:
    """The release and its key."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Of ")  # the card says both
        found = personalize(data, hierarchy=target, requirement=name, search=search, seed=SEED)
    return as_two_tables(found.release), found.key


def letter_groups(groups: Any) -> list[str]:
    """Groups as letters in the order of the people: A, B, ... Z, then numbers."""
    order: Mapping[int, int] = {
        group: at for at, group in enumerate(dict.fromkeys(groups.tolist()))
    }
    return [_name_group(order[group]) for group in groups.tolist()]


def _name_group(at: int) -> str:
    return chr(ord("A") + at) if at < 26 else str(at + 1)


def name_person(data: Microdata, at: int) -> str:
    """What a person is called: by an identifier named so, or by her number."""
    names = [column.name for column in data.schema if column.role == "identifier"]
    named = next((name for name in names if name.lower() == "name"), None)
    return str(data.frame[named].iloc[at]) if named else f"person {at + 1:,}"
