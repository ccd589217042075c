"""What the card of the intruder shows: links against luck, and the candidates of one record."""

from __future__ import annotations

from html import escape
from typing import Any

from verikit._support import html as _html
from verikit._support.arrays import Rows
from verikit.intruder import Compared, Links
from verikit.protector import CorrectLinks
from verikit.widgets import _draw as draw
from verikit.widgets._pieces import listing, note
from verikit.words import count

__all__ = ["ATTACKS", "luck", "record"]

ATTACKS = {
    "maximum_rank": "nearest rank, as in the paper",
    "assignment": "each row given once",
    "normal_scores": "trust what was masked least",
    "published_mechanism": "repeat the published method",
    "strongest": "all of them",
}
MARKS = {
    "the record": ("disc", f'fill="{draw.BLUE}"'),
    "a candidate": ("square", f'fill="none" stroke="{draw.ORANGE}" stroke-width="3"'),
    "its own row": ("diamond", f'fill="{draw.GREEN}"'),
}
FEW, ROW = 60, 52.0


def luck(correct: CorrectLinks | None) -> str:
    """The correct links of each attempt as bars, beside what luck gives."""
    if correct is None:
        return ""
    lines = [
        draw.Bar(ATTACKS[row.attack], row.correct, f"{row.correct:,} right")
        for row in correct.to_frame().itertuples()
    ]
    lines.append(draw.Bar("luck", correct.luck, f"{correct.luck:.2g} right", met=False))
    frame = correct.attributes.rename(
        columns={"places": "moved by places", "residual": "left of normal scores"}
    )
    title = "What masking kept of each attribute, the least moved first"
    inside = note(f"{title}.") + listing(frame, title)
    more = f"<summary>How far each attribute was moved</summary>{inside}"
    return draw.bars(lines, "Right links") + _html.element("details", more, id="vk-kept")


def record(links: Links, tables: Compared, place: int, own: int | None) -> str:
    """The candidates of one record, among the places of each attribute, and as a table."""
    frame = links.of(place)
    told = count(len(frame), "candidate")
    title = _html.element("h3", escape(f"Record {place + 1:,}: {told}"))
    rows = links.rows[links.starts[place] : links.starts[place + 1]]
    shown = frame.drop(columns="record").rename(columns={"places": "at worst"})
    if own is not None:
        shown = shown.assign(**{"its own row": [row == own for row in rows]})
    said = note("Numbers are places between the record and a candidate, by attribute and at worst.")
    picture = _lines(tables, place, rows, own) + _legend(own is not None)
    return title + picture + said + listing(shown, "The candidates")


def _lines(tables: Compared, place: int, rows: Rows, own: int | None) -> str:
    """One line an attribute: the record, its candidates, and its own row if that is known."""
    size = len(tables)

    def at(first: Any, last: Any) -> float:
        return 2 + 96 * ((first + last) / 2 - 1) / max(size - 1, 1)

    drawn, said = [], []
    for j, name in enumerate(tables.attributes):
        middle = ROW * j + 34
        drawn += [draw.text(0, middle - 17, name), draw.line((2, middle), (98, middle))]
        if own is not None:
            true = at(tables.released_first[own, j], tables.released_last[own, j])
            drawn.append(draw.mark(true, middle, *MARKS["its own row"]))
        ranks = [int(tables.released_first[row, j]) for row in rows[:FEW]]
        ends = zip(ranks, tables.released_last[rows[:FEW], j], strict=True)
        drawn += [draw.mark(at(*end), middle, *MARKS["a candidate"]) for end in ends]
        mine = int(tables.first[place, j])
        drawn.append(draw.mark(at(mine, tables.last[place, j]), middle, *MARKS["the record"]))
        said.append(f"{name}: record {mine}, candidates {', '.join(map(str, ranks))}")
    floor = ROW * len(said) + 16
    drawn.append(draw.text(0, floor, "lowest value"))
    drawn.append(draw.text(100, floor, "highest value", anchor="end"))
    title = f"Places among {size:,} values"
    return draw.picture(floor + 8, title, f"{'; '.join(said)}.", "".join(drawn))


def _legend(known: bool) -> str:
    parts = "".join(
        f'<span><svg width="20" height="18" aria-hidden="true">{draw.mark(50, 9, *look)}</svg>'
        f"{name}</span>"
        for name, look in MARKS.items()
        if known or name != "its own row"
    )
    return f'<p class="vk-legend">{parts}</p>'
