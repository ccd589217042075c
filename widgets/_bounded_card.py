"""What the card of a bounded answer shows: two intervals on one scale, and the truth as a dot."""

from __future__ import annotations

from math import isfinite

import pandas as pd

from verikit._support import html as _html
from verikit.analyst import Answer
from verikit.query import Intervals, span
from verikit.widgets import _draw as draw
from verikit.widgets._pieces import listing, note
from verikit.words import count

__all__ = ["LIMITS", "drawn", "lines"]

ROW = 62.0
LOOKS = {
    "permuted": (draw.BLUE, 'stroke-linecap="butt"'),
    "generalized": (draw.ORANGE, 'stroke-dasharray="7 3"'),
}
LIMITS = (
    "A narrow interval does not mean that somebody is in danger, nor a wide one that nobody is: "
    "what an attacker learns about one person is judged by k and e, not by these answers."
)
AGGREGATES = {
    "sum": "The bounds of the sum are added.",
    "avg": "The bounds of the sum are added and divided by all hits.",
    "min": "The least of each column counts.",
    "max": "The greatest of each column counts.",
    "count": "The hits are added.",
}


def drawn(found: Intervals) -> str:
    """Both intervals on one scale; the truth is a dot on each."""
    shown = [one for one in found if isfinite(one.lower) and isfinite(one.upper)]
    if not found.hold or not shown:
        return ""
    low, high = min(one.lower for one in shown), max(one.upper for one in shown)

    def at(value: float) -> float:
        inside = min(max(value, low), high)
        return 3 + 94 * (inside - low) / (high - low) if high > low else 50.0

    true = at(found.true.estimate)
    bottom = ROW * 2 + 10
    content = [draw.line((true, 4), (true, bottom), "currentColor", extra='stroke-dasharray="3 4"')]
    for row, (way, one) in enumerate(zip(LOOKS, found[1:], strict=True)):
        content += _interval(way, one, ROW * row, (at(one.lower), at(one.upper)), true)
    anchor = "end" if true > 66 else "start" if true < 33 else "middle"
    words = f"truth: {_plain(found.true.estimate)}"
    content.append(draw.text(true, bottom + 16, words, anchor=anchor))
    label = f"{found.means} {found.why}".strip()
    return draw.picture(bottom + 26, "The truth and two intervals", label, "".join(content))


def _interval(
    way: str, one: Answer, top: float, ends: tuple[float, float], true: float
) -> list[str]:
    colour, dash = LOOKS[way]
    middle, (start, end) = top + 42, ends
    halo = f'stroke="{draw.PAPER}" stroke-width="4" paint-order="stroke"'
    bars = [draw.line((x, middle - 9), (x, middle + 9), colour, width=3) for x in (start, end)]
    return [
        draw.text(0, top + 20, f"{way}: {span(one)}", extra=halo),
        draw.line((3, middle), (97, middle)),
        draw.line((start, middle), (end, middle), colour, width=6, extra=dash),
        *bars,
        draw.mark(true, middle, "disc", f'fill="currentColor" stroke="{draw.PAPER}"'),
    ]


def lines(rows: pd.DataFrame, aggregate: str) -> str:
    """The lines of the help table that were used, and how they are put together."""
    if not len(rows):
        return note("No line of the help table is used: nobody meets the conditions.")
    shown = rows.rename(columns=lambda name: str(name).replace("_lower", " at least"))
    shown = shown.rename(columns=lambda name: str(name).replace("_upper", " at most"))
    used = f"{count(len(rows), 'line')} of the help table used, one for each group with hits."
    return note(f"{used} {AGGREGATES[aggregate]}") + listing(shown, "Lines of the help table")


def _plain(value: float) -> str:
    return _html.cell(float(value))
