"""What the card of a question on a graph shows: bounds, means and the truth on one scale."""

from __future__ import annotations

from math import isnan
from typing import NamedTuple

import pandas as pd

from verikit._support import html as _html
from verikit.analyst import Answer
from verikit.widgets import _draw as draw
from verikit.widgets._pieces import listing, note
from verikit.widgets._query_card import number

__all__ = ["Asked", "drawn", "rests", "table", "words"]

ROW = 56.0
HALO = f'stroke="{draw.PAPER}" stroke-width="4" paint-order="stroke"'
DASHES = 'stroke-dasharray="6 4"'


class Asked(NamedTuple):
    """What the release tells, the tightest that can be told from it, and the truth."""

    answer: Answer
    tight: Answer | None
    true: Answer

    def lines(self) -> list[tuple[str, Answer, str]]:
        """Each answer from the release with its name and its mark."""
        found = [("quick bounds", self.answer, "diamond")]
        if self.tight is not None:
            found.append(("all choices", self.tight, "square"))
        return found


def words(found: Asked) -> tuple[str, str]:
    """The answer in a sentence; and the truth, and how loose the bounds are."""
    answer, true = found.answer, found.true
    if isnan(answer.lower):
        return "There is no answer: nobody in the graph is meant.", ""
    if answer.exact:
        first = f"Exactly {number(answer.estimate)}."
    else:
        first = (
            f"For certain from {number(answer.lower)} to {number(answer.upper)}; "
            f"{number(answer.estimate)} is to be expected."
        )
    said = f"The truth, which only the publisher knows: {number(true.estimate)}."
    if found.tight is None:
        return first, f"{said} There are too many choices of nodes to try all for tighter bounds."
    loose = (answer.upper - answer.lower) - (found.tight.upper - found.tight.lower)
    told = f"wider by {number(loose)} than need be" if loose > 1e-9 else "as tight as can be"
    return first, f"{said} The quick bounds are {told}."


def table(found: Asked) -> str:
    """One line each: the answers, then the truth."""
    lines = [*((name, one) for name, one, _ in found.lines()), ("the truth", found.true)]
    frame = pd.DataFrame(
        {
            "answer": [name for name, _ in lines],
            "at least": [_told(one.lower) for _, one in lines],
            "expected": [_told(one.estimate) for _, one in lines],
            "at most": [_told(one.upper) for _, one in lines],
        }
    )
    return listing(frame, "The answers", what=("answer", "answers"))


def _told(value: float) -> str:
    return "–" if isnan(value) else number(value)


def drawn(found: Asked) -> str:
    """What is certain as a bar, what to expect as a mark on it, and the truth as a dot."""
    lines, true = found.lines(), found.true.estimate
    if isnan(found.answer.lower) or isnan(true):
        return ""
    most = max([one.upper for _, one, _ in lines] + [true]) or 1.0

    def at(value: float) -> float:
        return 2 + 96 * value / most

    height = ROW * len(lines)
    rows = [draw.line((at(true), 6), (at(true), height + 4), "currentColor", extra=DASHES)]
    for row, (name, one, shape) in enumerate(lines):
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
    label = " ".join(words(found))
    return draw.picture(height + 22, "The answer and the truth", label, "".join(rows))


def rests(found: Asked) -> str:
    """What the answer takes for granted, and what it does not mean; folded away."""
    lines = [
        note(f"The answer rests on this: {found.answer.rests_on}."),
        note(
            "Bounds hold whatever anybody knows; what is to be expected holds for somebody who "
            "knows the release only."
        ),
    ]
    return _html.element(
        "details", f"<summary>What the answer rests on</summary>{''.join(lines)}", id="vk-graph"
    )
