"""What the card of grouped numbers shows: dots on a line, brackets below, and their errors."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from verikit.partition import Grouped, described
from verikit.widgets import _draw as draw
from verikit.widgets._pieces import listing, note
from verikit.words import column, count, text

__all__ = ["drawn", "table", "undrawn"]

DOTS, BRACKETS, LANES, NAMED = 300, 45, 4, 10
LANE, HEAD = 17.0, 26.0
LOOKS = (
    (draw.BLUE, ""),
    (draw.ORANGE, 'stroke-dasharray="9 3"'),
    (draw.GREEN, 'stroke-dasharray="2 3"'),
    (draw.PURPLE, 'stroke-dasharray="9 3 2 3"'),
    (draw.GREY, 'stroke-dasharray="4 4"'),
)


def table(lines: Sequence[Grouped]) -> str:
    """The partitioners side by side; the least of each error is marked."""
    sums = [sum(line.errors) for line in lines]
    widest = [max(line.errors) for line in lines]
    frame = pd.DataFrame(
        {
            "groups made for": [line.words for line in lines],
            "groups": [len(line.ends) for line in lines],
            "sum of errors": _marked(sums),
            "widest error": _marked(widest),
        }
    )
    return listing(frame, "The errors of each partitioner")


def drawn(values: Sequence[float], lines: Sequence[Grouped], title: str) -> str:
    """The values as dots, and below them a row of brackets for each partitioner."""
    low, high = values[0], values[-1]

    def at(value: float) -> float:
        return 3 + 94 * (value - low) / (high - low) if high > low else 50.0

    content, top = _dots(values, at(low), [at(value) for value in values]), 64.0
    for line, look in zip(lines, LOOKS, strict=False):
        row, height = _row(line, look, top, [(at(a), at(b)) for a, b in line.ends])
        content += row
        top += height
    name = f"{title}: {count(len(values), 'different value')} as dots, groups as brackets"
    return draw.picture(top, name, described(lines), content)


def _dots(values: Sequence[float], start: float, places: Sequence[float]) -> str:
    parts = [draw.line((start, 36), (places[-1], 36))]
    if len(values) <= DOTS:
        parts += [draw.disc(place, 36, 4, f'fill="{draw.GREY}"') for place in places]
    else:
        parts.append(draw.line((start, 36), (places[-1], 36), draw.GREY, width=7))
    shown = range(len(values)) if len(values) <= NAMED else (0, len(values) - 1)
    for place in shown:
        anchor = "start" if place == 0 else "end" if place == len(values) - 1 else "middle"
        parts.append(draw.text(places[place], 22, text(values[place]), anchor=anchor))
    return "".join(parts)


def _row(
    line: Grouped, look: tuple[str, str], top: float, places: Sequence[tuple[float, float]]
) -> tuple[str, float]:
    """The brackets of one partitioner, those that overlap below each other; and their height."""
    lanes = _lanes(line)
    parts = [
        _bracket(span, top + HEAD + LANE * lane, look)
        for span, lane in zip(places, lanes, strict=True)
        if lane >= 0
    ]
    label = draw.text(0, top + 14, f"{line.words}: {count(len(line.ends), 'group')}")
    return label + "".join(parts), HEAD + LANE * (max(lanes) + 1) + 10


def _lanes(line: Grouped) -> list[int]:
    """How far down each bracket is drawn, so that none covers another; -1 where it is not."""
    used: list[float] = []
    found = []
    for place, (low, high) in enumerate(line.ends):
        lane = next((n for n, end in enumerate(used) if low >= end), len(used))
        if lane >= LANES or place >= BRACKETS:
            found.append(-1)
            continue
        used[lane:] = [high, *used[lane + 1 :]]
        found.append(lane)
    return found


def undrawn(lines: Sequence[Grouped]) -> str:
    """How many brackets had no room."""
    left = [(line.words, sum(lane < 0 for lane in _lanes(line))) for line in lines]
    told = [f"{words}: {count(number, 'more bracket')}" for words, number in left if number]
    return note(f"Not drawn, {'; '.join(told)}.") if told else ""


def _bracket(span: tuple[float, float], top: float, look: tuple[str, str]) -> str:
    """A line with its ends turned up; a value alone is a short upright line."""
    colour, dash = look
    start, end = span
    sides = [draw.line((x, top - 5), (x, top + 3), colour, width=2.5) for x in (start, end)]
    return "".join(sides) + draw.line(
        (start, top + 3), (end, top + 3), colour, width=2.5, extra=dash
    )


def _marked(values: Sequence[float]) -> list[str]:
    """The numbers of a column, the least of them marked."""
    shown = zip(values, column(values), strict=True)
    return [f"{told} (least)" if value == min(values) else told for value, told in shown]
