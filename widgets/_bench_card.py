"""What the bench shows of a masking: before and after, the map of all that was tried, who is found.

Every number is of `verikit.audit`, `verikit.utility` or `verikit.intruder`; here it is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from math import isnan

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit.cells import cell_text
from verikit.mask import METHODS
from verikit.table import Microdata
from verikit.widgets import _kit as kit
from verikit.widgets._attack_lab import show_findings
from verikit.widgets._bench_try import Shape, Try
from verikit.widgets._view import as_one_table
from verikit.words import count, number, share

ACROSS = {
    "links": "linked rightly, all known",
    "drawn": "found by what others may know",
    "guessed": "values guessed rightly",
}
UP = {
    "answers": "answers kept",
    "order": "order kept",
    "cells": "cells kept",
}
ROLES = {
    "quasi": "others may know it",
    "sensitive": "must not be learned",
    "identifier": "names people: never published",
    "other": "published as it is",
}
LOOKS = ("disc", "square", "diamond", "triangle", "cross")
COLOURS = (kit.BLUE, kit.ORANGE, kit.GREEN, kit.PURPLE, kit.SKY)
FEW, LINE, LETTERS = 10, 100, 22
KEPT = {
    "shape": "shares differ by (0 to 1)",
    "mean": "mean moved (standard deviations)",
    "median": "median moved (standard deviations)",
    "penalty": "left open by cells (0 to 1)",
    "order": "order kept (rank correlation)",
}
EXPOSED = "<h3>Who is found, and why</h3>"
MEANT = (
    "Linked: people whose row is told rightly by the strongest attack, which knows every original "
    "value, a row drawn where several fit. Drawn: by who knows what others may know, and draws one "
    "of the rows that look alike there. Guessed: sensitive values, by who learns from the whole "
    "table. Answers: all less the middle relative error of 100 counts by two conditions. Order: "
    "the mean rank correlation of the columns. Cells: all less what generalized cells leave open. "
)
OTHERS = "Other roles were asked other counts, so that answers of such tries do not compare."
HEADS = {
    "try": "try",
    "tried": "what was done",
    "links": "linked %",
    "drawn": "drawn %",
    "guessed": "guessed %",
    "answers": "answers %",
    "order": "order %",
    "cells": "cells %",
    "met": "goal",
}


def draw_map(lines: pd.DataFrame, across: str, up: str, shown: int, *, several: bool) -> str:
    """Draw everything that was tried as a point, and below it as a table; a press goes back to it.

    A point is filled where the goal is met; the one that is shown has a ring.
    """
    axes = lines[[across, up]].notna().all(axis=1)
    placed, methods = lines[axes], list(dict.fromkeys(lines["method"]))
    html = ""
    if len(placed):
        most, least = float(placed[across].max()) or 1.0, float(placed[up].min())
        low = max(0.0, float(np.floor(10 * least) - 1)) * 10
        plane = kit.Plane(
            kit.Axis(f"of 100: {ACROSS[across]}", 0, 100 * most),
            kit.Axis(f"of 100: {UP[up]}", low, 100),
        )
        points = [
            _draw_point(plane, one, methods, shown, across, up) for one in placed.itertuples()
        ]
        picture = plane.picture(
            "Everything tried", f"{ACROSS[across]}, against {UP[up]}.", "".join(points)
        )
        html += picture.replace('role="img"', 'role="group"', 1)
        marks = [
            (kit.draw_mark(50, 10, *_look(methods, name, met=True)), _name(name))
            for name in methods
        ]
        html += kit.write_legend(marks, 22, 20)
        goal = "Filled points reach the goal, hollow ones do not. "
        goal *= bool(lines["met"].notna().any())
        html += kit.write_note(f"{goal}A ring marks the one shown below.")
    if len(placed) < len(lines):
        left = ", ".join(f"{one}" for one in lines.index[~axes] + 1)
        html += kit.write_note(f"Not on this map, as one of the two is not measured: try {left}.")
    frame = lines.assign(**{"try": [f"{at + 1}" for at in lines.index]})[list(HEADS)]
    for name in (*ACROSS, *UP):
        frame[name] = ["–" if isnan(value) else number(100 * value, 1) for value in frame[name]]
    frame["met"] = ["–" if met is None else "reached" if met else "missed" for met in frame["met"]]
    kept = [n for n in HEADS if n in ("try", "tried", "links") or (frame[n] != "–").any()]
    table = kit.write_table(frame[kept].rename(columns=HEADS), "Everything tried", most=LINE)
    return (
        _html.element("h3", "Everything tried")
        + html
        + table
        + kit.write_note(MEANT + OTHERS * several)
    )


def _draw_point(
    plane: kit.Plane, one: object, methods: list[str], shown: int, across: str, up: str
) -> str:
    at = getattr(one, "Index")  # noqa: B009 - of a named tuple of pandas
    x, y = plane.at(100 * getattr(one, across), 100 * getattr(one, up))
    risk, kept = share(getattr(one, across)), share(getattr(one, up))
    words = f"Try {at + 1}: {one.tried}; {risk} at risk, {kept} kept"  # type: ignore[attr-defined]
    ring = kit.draw_disc(x, y, 14, f'fill="none" stroke="{kit.GREY}" stroke-width="2"')
    mark = kit.draw_mark(x, y, *_look(methods, one.method, met=one.met is not False))  # type: ignore[attr-defined]
    label = kit.draw_text(x, y - 13, f"{at + 1}", anchor="middle", extra=kit.HALO)
    return (
        f'<g data-press="show/{at}" tabindex="0" role="button"><title>{escape(words)}</title>'
        f"{ring if at == shown else ''}{mark}{label}</g>"
    )


def _look(methods: list[str], name: str, *, met: bool) -> tuple[str, str]:
    at = methods.index(name) % len(LOOKS)
    fill = COLOURS[at] if met else kit.PAPER
    return LOOKS[at], f'fill="{fill}" stroke="{COLOURS[at]}" stroke-width="2"'


def _name(method: str) -> str:
    return method.replace("_", " ")


def show_before_and_after(tried: Try) -> str:
    """Show what is kept of each column and pair, and how values were spread before and are now."""
    lost = tried.lost
    frame = lost.columns.assign(order=lost.columns["column"].map(tried.order))
    used = frame.dropna(axis=1, how="all").rename(columns=KEPT)
    html = _html.element("h3", "Before and after") + "".join(map(kit.write_note, lost.sentences))
    if used.shape[1] > 1:
        html += kit.write_table(used, "What is kept of each column", most=LINE)
    if len(lost.pairs):
        pairs = kit.write_table(lost.pairs, "Rank correlations of columns", most=LINE)
        html += kit.fold_away("Rank correlations between columns", pairs, "vk-pairs")
    shapes = "".join(
        kit.fold_away(f"{name}: its values", draw_shape(name, shape), f"vk-shape-{at}")
        for at, (name, shape) in enumerate(tried.shapes.items())
    )
    many = len(tried.shapes) > kit.MOST
    return html + (kit.fold_away("The values of each column", shapes, "vk-all") if many else shapes)


def draw_shape(name: str, shape: Shape) -> str:
    """Draw one pair of bars a value or band: hollow before, filled after."""
    most = max([max(before, after) for _, before, after in shape] + [1.0])
    drawn, said = [], []
    for at, (label, before, after) in enumerate(shape):
        top = 26.0 * at
        words = f"{number(before, 0)} → {number(after, 0)}"
        said.append(f"{label}: {number(before, 0)} before, {number(after, 0)} after")
        short = label if len(label) < 24 else f"{label[:22]}…"
        drawn += [
            kit.draw_text(0, top + 15, short),
            kit.draw_text(100, top + 15, words, anchor="end", extra=kit.SOFTLY),
        ]
        for row, value, look in (
            (3, before, f'fill="{kit.PAPER}" stroke="{kit.BLUE}" stroke-width="1.5"'),
            (12, after, f'fill="{kit.BLUE}"'),
        ):
            width = max(46 * value / most, 0.2)
            drawn.append(
                f'<rect x="32%" y="{top + row:g}" width="{width:.2f}%" height="8" {look}/>'
            )
    title = f"{name}: people by value, before (hollow) and after (filled)"
    note = kit.write_note("People by value, before → after; above the first bar, below the second.")
    return note + kit.draw_picture(
        26 * len(shape) + 4, title, f"{'; '.join(said)}.", "".join(drawn)
    )


def show_exposed(tried: Try) -> str:
    """Show the people who are found, with their values and why; and what classes give away."""
    html = ""
    found = tried.find_exposed()
    if tried.links is not None:
        html += _html.element("p", escape(_say_found(tried, found)))
        html += _tabulate_exposed(tried, found) if found else ""
    if tried.given is not None:
        html += _html.element("p", escape(f"{tried.given.means} {tried.given.why}".strip()))
        frame = tried.given.frame.map(
            lambda cell: _shorten(cell_text(cell)) if isinstance(cell, str) else cell
        )
        classes = show_findings(replace(tried.given, frame=frame))
        html += kit.fold_away("The classes and their values", classes, "vk-given")
    html += "".join(
        _html.element("p", escape(said)) for part in tried.report.guessed for said in part.sentences
    )
    return EXPOSED + (html or kit.write_note("Of such a table no single record can be named."))


def _say_found(tried: Try, found: Sequence[int]) -> str:
    people, more = len(tried.data), len(found) - FEW
    attack = "" if tried.links is None else tried.links.attack.replace("_", " ")
    if not found:
        return (
            f"Of {count(people, 'person', 'people')} nobody's own row is the only one that fits "
            f"by the attack {attack}; another attack may find some."
        )
    rest = f" The {FEW} who were moved least are shown." if more > 0 else ""
    return (
        f"Of {people:,} people {len(found):,} are found: their own row is the only one that fits "
        f"by the attack {attack}.{rest}"
    )


def _tabulate_exposed(tried: Try, found: Sequence[int]) -> str:
    """One line a person: each value before and after, and what gives her away."""
    data, release = tried.data, as_one_table(tried.masked.release)
    judged = tried.report.judged
    place = {int(person): at for at, person in enumerate(judged)} if judged is not None else None
    lines = []
    for person in found[:FEW]:
        row = int(tried.masked.key.rows[person])
        places = tried.report.protector[person if place is None else place[person]]
        told = []
        for name in tried.report.attributes:
            cells = data.frame[name].iloc[person], release.frame[name].iloc[row]
            before, after = (
                _html.cell(one) if isinstance(one, float) else cell_text(one) for one in cells
            )
            now = "" if before == after else f" → {_shorten(after)}"
            told.append(f"{name} {_shorten(before)}{now}")
        most = int(places.argmax())
        moved = f"moved {count(int(places[most]), 'place')} at most"
        why = (
            f"{moved}, in {tried.report.attributes[most]}" if places[most] else "no value was moved"
        )
        why = "no other row covers these values" if release.holds_sets else why
        lines.append({"record": f"{person + 1:,}", "before → after": "; ".join(told), "why": why})
    return kit.write_table(pd.DataFrame(lines), "Who is found", most=FEW, counted=())


def _shorten(cell: str) -> str:
    """A cell as it is, or the beginning of one that names many values."""
    return cell if len(cell) <= LETTERS else f"{cell[:LETTERS]}…"


def show_columns(data: Microdata) -> str:
    """Show what each column holds, so that roles can be judged."""
    lines = [
        {
            "column": column.name,
            "role": ROLES[column.role],
            "kind": column.kind,
            "different": f"{data.frame[column.name].nunique():,}",
            "missing": f"{int(data.frame[column.name].isna().sum()):,}",
        }
        for column in data.schema
    ]
    return kit.write_table(pd.DataFrame(lines), "The columns", most=1000)


def list_methods() -> dict[str, str]:
    """What masks a table, with the sentence that says what it does."""
    return {
        name: f"{_name(name)}"
        for name, method in METHODS.items()
        if method.takes is Microdata and name != "from_key"
    }
