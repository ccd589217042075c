"""What the card of a question on a graph shows: bounds, means and the truth on one scale."""

from __future__ import annotations

from math import isnan

import pandas as pd

from verikit._support import html as _html
from verikit.analyst import Answer
from verikit.query import Bounds
from verikit.widgets import _draw as draw
from verikit.widgets._pieces import listing, note
from verikit.words import number

__all__ = ["drawn", "rests", "table"]

ROW = 56.0
HALO = f'stroke="{draw.PAPER}" stroke-width="4" paint-order="stroke"'
DASHES = 'stroke-dasharray="6 4"'


def lines(found: Bounds) -> list[tuple[str, Answer, str]]:
    """Each answer from the release with its name and its mark."""
    told = [("quick bounds", found.answer, "diamond")]
    return told if found.tight is None else [*told, ("all choices", found.tight, "square")]


def table(found: Bounds) -> str:
    """One line each: the answers, then the truth."""
    shown = [*((name, one) for name, one, _ in lines(found)), ("the truth", found.true)]
    frame = pd.DataFrame(
        {
            "answer": [name for name, _ in shown],
            "at least": [one.lower for _, one in shown],
            "expected": [one.estimate for _, one in shown],
            "at most": [one.upper for _, one in shown],
        }
    )
    return listing(frame, "The answers", what=("answer", "answers"), digits=3)


def drawn(found: Bounds) -> str:
    """What is certain as a bar, what to expect as a mark on it, and the truth as a dot."""
    told, true = lines(found), found.true.estimate
    if isnan(found.answer.lower) or isnan(true):
        return ""
    most = max([one.upper for _, one, _ in told] + [true]) or 1.0

    def at(value: float) -> float:
        return 2 + 96 * value / most

    height = ROW * len(told)
    rows = [draw.line((at(true), 6), (at(true), height + 4), "currentColor", extra=DASHES)]
    for row, (name, one, shape) in enumerate(told):
        middle = ROW * row + 36
        span = f"{number(one.lower)} to {number(one.upper)}, expected {number(one.estimate)}"
        ends = (at(one.lower), middle), (at(one.upper), middle)
        rows += [
            draw.text(0, middle - 18, name, extra=HALO),
            draw.text(100, middle - 18, span, anchor="end", extra=f'{HALO} fill="{draw.SOFT}"'),
            draw.line((2, middle), (98, middle)),
            draw.line(*ends, draw.SKY, width=10, extra='opacity=".5"'),
            draw.mark(at(one.estimate), middle, shape, f'fill="{draw.BLUE}"'),
        ]
    anchor = "end" if at(true) > 50 else "start"
    rows += [
        draw.disc(at(true), height + 6, 6, f'fill="{draw.ORANGE}"'),
        draw.text(at(true) + (-2 if anchor == "end" else 2), height + 11,
                  f"the truth: {number(true)}", anchor=anchor),
    ]  # fmt: skip
    label = f"{found.means} {found.why}".strip()
    return draw.picture(height + 22, "The answer and the truth", label, "".join(rows))


def rests(found: Bounds) -> str:
    """What the answer takes for granted, and what it does not mean; folded away."""
    notes = [
        note(f"The answer rests on this: {found.answer.rests_on}."),
        note(
            "Bounds hold whatever anybody knows; what is to be expected holds for somebody who "
            "knows the release only."
        ),
    ]
    return _html.element(
        "details", f"<summary>What the answer rests on</summary>{''.join(notes)}", id="vk-graph"
    )
