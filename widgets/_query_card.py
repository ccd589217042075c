"""What the card of the query bench shows: the true count, and the estimates beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from verikit._support import html as _html
from verikit.analyst import Answer
from verikit.widgets import _draw as draw
from verikit.widgets._pieces import listing, note

__all__ = ["Answers", "drawn", "number", "rests", "table", "words"]

WAYS = ("generalized", "anatomized", "permuted")
MARKS = {
    "generalized": ("square", f'fill="{draw.ORANGE}"'),
    "anatomized": ("diamond", f'fill="{draw.GREEN}"'),
    "permuted": ("disc", f'fill="{draw.BLUE}"'),
}
ROW = 52.0
DASHES = 'stroke-dasharray="6 4"'
HALO = f'stroke="{draw.PAPER}" stroke-width="4" paint-order="stroke"'


class Answers(NamedTuple):
    """The true count, and what each release makes of it."""

    true: Answer
    generalized: Answer
    anatomized: Answer
    permuted: Answer


def number(value: float) -> str:
    """A count with as many of three decimals as it needs.

    Examples
    --------
    >>> number(0.375), number(1200.0)
    ('0.375', '1,200')
    """
    return f"{value:,.3f}".rstrip("0").rstrip(".")


def _percent(error: float | None) -> str:
    return "not defined" if error is None else f"{number(round(100 * error, 1))} %"


def table(found: Answers, errors: Sequence[float | None]) -> str:
    """One line each: the truth, then the releases."""
    frame = pd.DataFrame(
        {
            "table": ("original", *WAYS),
            "count": [number(one.estimate) for one in found],
            "at least": [number(one.lower) for one in found],
            "at most": [number(one.upper) for one in found],
            "off by": ["0 %", *map(_percent, errors)],
        }
    )
    return listing(frame, "The answers")


def words(found: Answers, errors: Sequence[float | None]) -> str:
    """The estimates in a sentence."""
    said = []
    for way, one, error in zip(WAYS, found[1:], errors, strict=True):
        off = "" if error is None else f", off by {_percent(error)}"
        said.append(f"{way} {number(one.estimate)}{off}")
    return f"Estimates: {'; '.join(said)}."


def drawn(found: Answers, errors: Sequence[float | None]) -> str:
    """The true count as a line across, each estimate with what is certain about it."""
    most = max(one.upper for one in found) or 1.0

    def at(value: float) -> float:
        return 2 + 96 * value / most

    true = at(found.true.estimate)
    height = ROW * len(WAYS)
    rows = [draw.line((true, 0), (true, height + 6), "currentColor", extra=DASHES)]
    for row, (way, one) in enumerate(zip(WAYS, found[1:], strict=True)):
        middle = ROW * row + 34
        span = f"certain: {number(one.lower)} to {number(one.upper)}"
        rows += [
            draw.text(0, middle - 18, f"{way}: {number(one.estimate)}", extra=HALO),
            draw.text(100, middle - 18, span, anchor="end", extra=f'{HALO} fill="{draw.SOFT}"'),
            draw.line((2, middle), (98, middle)),
            draw.line(
                (at(one.lower), middle),
                (at(one.upper), middle),
                draw.SKY,
                width=9,
                extra='opacity=".5"',
            ),
            draw.mark(at(one.estimate), middle, *MARKS[way]),
        ]
    anchor = "end" if true > 50 else "start"
    told = f"true: {number(found.true.estimate)}"
    rows.append(draw.text(true, height + 22, told, anchor=anchor))
    label = f"True count {number(found.true.estimate)}. {words(found, errors)}"
    return draw.picture(height + 30, "The true count and three estimates", label, "".join(rows))


def rests(found: Answers) -> str:
    """What each estimate takes for granted, folded away."""
    lines = [
        note(f"{way[:1].upper()}{way[1:]}: {one.rests_on}.")
        for way, one in zip(WAYS, found[1:], strict=True)
    ]
    return _html.element(
        "details", f"<summary>What the estimates rest on</summary>{''.join(lines)}", id="vk-rests"
    )
