"""One group before and after: its records on the left, what is published on the right, and lines.

A line leads from each record to the published row that shows its values: a solid one to the first
thing that others may know, a dashed one to the secret, where these were moved apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np
import pandas as pd

from verikit.release import Key, Release, by_groups
from verikit.table import Microdata
from verikit.widgets import _draw as draw
from verikit.widgets._pieces import note, span
from verikit.widgets._releases import in_one_table
from verikit.words import count, joined, text

__all__ = ["Sides", "group_drawn", "legend", "sides"]

ROW, TOP, LETTERS, MOST = 46, 28, 20, 8
LEFT, RIGHT, WORDS = 42.0, 57.0, 61.0
APART = (
    "Published are two tables: what stands above is in the first, what stands below in the second. "
    "Only the number of the group joins them."
)
KNOWN = f'stroke="{draw.BLUE}" stroke-width="2"'
SECRET = f'stroke="{draw.ORANGE}" stroke-width="2" stroke-dasharray="5 4"'


class Sides(NamedTuple):
    """The records of a group and the rows published of them, each as two short lines; the ways.

    ``ways`` has for each record the published rows that show its first known value and its secret.
    """

    before: Sequence[tuple[str, str]]
    after: Sequence[tuple[str, str]]
    ways: Sequence[tuple[int, int]]


def sides(
    data: Microdata, release: Release, key: Key, records: np.ndarray, places: np.ndarray
) -> Sides:
    """What is to be drawn of one group."""
    secret = [column.name for column in data.schema.sensitive]
    known = [column.name for column in data.schema.quasi]
    shown, hidden = _frames(release)
    after = zip(_written(shown, known, places), _written(hidden, secret, places), strict=True)
    before = zip(
        _written(data.frame, known, records), _written(data.frame, secret, records), strict=True
    )
    return Sides(list(before), list(after), _ways(key, known + secret[:1], records, places))


def _frames(release: Release) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables that hold known and secret values; one table may hold both."""
    if by_groups(release):
        return release.quasi, release.sensitive
    frame = in_one_table(release).frame
    return frame, frame


def _ways(
    key: Key, columns: list[str], records: np.ndarray, places: np.ndarray
) -> list[tuple[int, int]]:
    first, last = (key.columns.get(name, key.rows)[records] for name in (columns[0], columns[-1]))
    ends = np.searchsorted(places, np.column_stack([first, last]))
    return [(int(known), int(secret)) for known, secret in ends]


def _written(frame: pd.DataFrame, names: list[str], rows: np.ndarray) -> list[str]:
    """The values of some rows, each row as one short line."""
    shown = frame[[name for name in names if name in frame]].take(rows)
    lines = shown.itertuples(index=False, name=None)
    return [_short(", ".join(text(span(value)) for value in line)) for line in lines]


def _short(words: str) -> str:
    return words if len(words) <= LETTERS else f"{words[: LETTERS - 1]}…"


def group_drawn(name: str, drawn: Sides) -> str:
    """The picture of one group; of a large one the first records, and the rows these lead to."""
    most = min(len(drawn.before), MOST)
    ways = drawn.ways[:most]
    last = max(most, *(max(way) + 1 for way in ways))
    parts = [
        draw.text(0, 15, "before", extra=f'fill="{draw.SOFT}"'),
        draw.text(WORDS, 15, "published", extra=f'fill="{draw.SOFT}"'),
        *(_line(at, *way) for at, way in enumerate(ways)),
        *(_cell(0, at, lines) for at, lines in enumerate(drawn.before[:most])),
        *(_cell(WORDS, at, lines) for at, lines in enumerate(drawn.after[:last])),
    ]
    more = len(drawn.before) - most
    rest = f" {count(more, 'more record')} not drawn." if more else ""
    height = TOP + ROW * last + 6
    return draw.picture(height, f"Group {name}", _said(drawn, most) + rest, "".join(parts))


def _said(drawn: Sides, most: int) -> str:
    """The picture in words."""
    pairs = zip(drawn.before[:most], drawn.ways, strict=False)
    return " ".join(
        f"{known or 'A record'}: in published row {to + 1}"
        + (f", {secret} in row {there + 1}." if secret and there != to else ".")
        for (known, secret), (to, there) in pairs
    )


def _middle(at: int) -> float:
    return TOP + ROW * at + ROW / 2


def _line(at: int, known: int, secret: int) -> str:
    """From a record to the row of its known value, and to that of its secret if it is another."""
    start = _middle(at)
    lines = _way((start - 4, _middle(known) - 4), KNOWN)
    lines += _way((start + 6, _middle(secret) + 6), SECRET)
    lines += draw.disc(RIGHT, _middle(known) - 4, 4, f'fill="{draw.BLUE}"')
    return lines + draw.box(RIGHT, _middle(secret) + 6, (8, 8), f'fill="{draw.ORANGE}"')


def _way(heights: tuple[float, float], look: str) -> str:
    start, end = heights
    return f'<line x1="{LEFT}%" y1="{start:g}" x2="{RIGHT}%" y2="{end:g}" {look}/>'


def _cell(x: float, at: int, lines: tuple[str, str]) -> str:
    return draw.text(x, _middle(at) - 2, lines[0]) + draw.text(
        x, _middle(at) + 16, lines[1], extra=f'fill="{draw.SOFT}"'
    )


def legend(data: Microdata, release: Release) -> str:
    """What the two lines lead to."""
    known = next((column.title for column in data.schema.quasi), "what others may know")
    secret = joined([column.title for column in data.schema.sensitive[:1]])
    marks = ((KNOWN, f"to the row with their {known}"), (SECRET, f"to the row with their {secret}"))
    parts = "".join(
        '<span><svg width="34" height="18" aria-hidden="true">'
        f'<line x1="0" x2="34" y1="9" y2="9" {look}/></svg>{escape(words)}</span>'
        for look, words in marks
    )
    told = note(APART) if by_groups(release) else ""
    return f'<p class="vk-legend">{parts}</p>{told}'
