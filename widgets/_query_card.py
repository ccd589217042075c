"""What the card of the query bench shows: the true count, and the estimates beside it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from verikit._support import html as _html
from verikit.query import WAYS, Estimates
from verikit.widgets import _draw as draw
from verikit.widgets._pieces import listing, note
from verikit.words import Said, number

__all__ = ["drawn", "rests", "table"]

MARKS = {
    "generalized": ("square", f'fill="{draw.ORANGE}"'),
    "anatomized": ("diamond", f'fill="{draw.GREEN}"'),
    "permuted": ("disc", f'fill="{draw.BLUE}"'),
}
ROW = 52.0
DASHES = 'stroke-dasharray="6 4"'
HALO = f'stroke="{draw.PAPER}" stroke-width="4" paint-order="stroke"'


def table(found: Estimates, errors: Sequence[float | None]) -> str:
    """One line each: the truth, then the releases."""
    frame = pd.DataFrame(
        {
            "table": ("original", *WAYS),
            "count": [one.estimate for one in found],
            "at least": [one.lower for one in found],
            "at most": [one.upper for one in found],
            "off by, %": [
                0.0,
                *(None if error is None else round(100 * error, 1) for error in errors),
            ],
        }
    )
    return listing(frame.astype({"off by, %": float}), "The answers", digits=3)


def drawn(found: Estimates, told: Said) -> str:
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
    below = f"true: {number(found.true.estimate)}"
    rows.append(draw.text(true, height + 22, below, anchor=anchor))
    label = f"True count {number(found.true.estimate)}. {told.why}"
    return draw.picture(height + 30, "The true count and three estimates", label, "".join(rows))


def rests(found: Estimates) -> str:
    """What each estimate takes for granted, folded away."""
    lines = [
        note(f"{way[:1].upper()}{way[1:]}: {one.rests_on}.")
        for way, one in zip(WAYS, found[1:], strict=True)
    ]
    return _html.element(
        "details", f"<summary>What the estimates rest on</summary>{''.join(lines)}", id="vk-rests"
    )
