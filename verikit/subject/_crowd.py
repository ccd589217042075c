"""A picture of how many in the table look like her, and between which numbers her own may lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from verikit._support import html as _html
from verikit._support import svg as _svg
from verikit.languages import card_text
from verikit.words import count

if TYPE_CHECKING:
    from verikit.subject._report import SubjectReport

__all__ = ["crowd_drawn"]

EACH = 60  # of smaller tables every record is drawn
SIDE = 100 / 20
LABELS = {"fits": "crowd-fits", "people": "crowd-people"}
COUNTED = {"possible": "may be yours", "matches": "may be the closest to yours"}


def crowd_drawn(report: SubjectReport) -> str:
    """The records that may be hers among all, and the range of each number that may be hers.

    Examples
    --------
    >>> import verikit as vk
    >>> crimes = vk.published("ks_table4")
    >>> drawn = crowd_drawn(vk.check({"Zip": "19552"}, crimes))
    >>> drawn[drawn.index("aria-label") :].split('"')[1]
    'Of 11 records, 4 fit your values.'
    """
    facts = report.facts
    name = next((name for name in (*LABELS, *COUNTED) if name in facts), "")
    if not name or not facts.get("records"):
        return ""
    among, all_of_them = int(facts[name]), int(facts["records"])
    said = _counted(name, among, all_of_them)
    drawn = _squares if all_of_them <= EACH else _line
    ranges = report.tables.get("ranges", pd.DataFrame())
    return drawn(among, all_of_them, said) + _ranges(ranges)


def _counted(name: str, among: int, all_of_them: int) -> str:
    if name in LABELS:
        return card_text(LABELS[name], records=all_of_them, count=among)
    return f"Of {count(all_of_them, 'record')}, {among:,} {COUNTED[name]}."


def _squares(among: int, all_of_them: int, said: str) -> str:
    """Every record a mark: full discs for those that may be hers, small dots for the others."""
    marks = "".join(
        _svg._disc(SIDE * (at % 20 + 0.5), 14 + 24 * (at // 20))
        if at < among
        else _dot(SIDE * (at % 20 + 0.5), 14 + 24 * (at // 20))
        for at in range(all_of_them)
    )
    bottom = 24 * ((all_of_them - 1) // 20 + 1) + 24
    return _svg._picture(bottom + 4, said, marks + _svg._text("0", bottom, said))


def _dot(x: float, middle: int) -> str:
    return f'<circle cx="{x:.2f}%" cy="{middle}" r="3" fill="{_svg.DOT}"/>'


def _line(among: int, all_of_them: int, said: str) -> str:
    """All records a line, those that may be hers the beginning of it."""
    drawn = _svg._bar(0, 100, 12, 6, _svg.LINE)
    drawn += _svg._bar(0, max(100 * among / all_of_them, 0.5), 12, 14, _svg.YOU)
    return _svg._picture(44, said, drawn + _svg._text("0", 38, said))


def _ranges(frame: pd.DataFrame) -> str:
    """For each number the range that is left for her, within that of the whole table."""
    if not len(frame):
        return ""
    drawn, said = "", ""
    for at, line in enumerate(frame.to_dict("records")):
        low, high = line["lowest of all"], line["highest of all"]
        own = line["lowest"], line["highest"]
        words = f"{line['attribute']}: yours from {_html.cell(own[0])} to {_html.cell(own[1])}"
        whole = f"in the table {_html.cell(low)} to {_html.cell(high)}"
        middle = 66 * at + 34
        ends = [_svg._place(value, low, high) for value in own]
        drawn += _svg._text("0", middle - 18, words) + _svg._bar(0, 100, middle, 4, _svg.LINE)
        drawn += _svg._bar(ends[0], ends[1], middle, 14, _svg.YOU, edge=3)
        drawn += _svg._text("0", middle + 24, whole)
        said += f"{words}, {whole}. "
    return _svg._picture(66 * len(frame), said.strip(), drawn)
