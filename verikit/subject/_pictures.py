"""Pictures of chances: a distribution beside its target, likely links, and what learning adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

import pandas as pd

from verikit._support import html as _html
from verikit._support import svg as _svg
from verikit.languages import card_text, localize_number
from verikit.words import count

if TYPE_CHECKING:
    from verikit.subject._report import SubjectReport

ROW = 42
MOST = 8
WIDE = 72  # per cent of the width for the bars; the numbers stand to the right of them
LETTERS = 36


def draw_chances(tables: Mapping[str, pd.DataFrame]) -> str:
    """What a report has of chances as a picture; nothing where it has none.

    Examples
    --------
    >>> frame = pd.DataFrame({"value": ["30", "40"], "of 100 for you": [50.0, 50.0]})
    >>> frame["of 100 in the target"] = [25.0, 75.0]
    >>> drawn = draw_chances({"distribution": frame})
    >>> drawn[drawn.index("aria-label") :].split('"')[1]
    'Chances of 100. 30: for you 50, in the target 25. 40: for you 50, in the target 75.'
    >>> draw_chances({})
    ''
    """
    if len(shown := tables.get("distribution", ())):
        return _draw_beside(shown, ("what can be inferred for you", "the target"))
    if len(links := tables.get("links", ())):
        return _draw_links(links.head(MOST)) + _draw_learned(tables["learned"])
    values = tables.get("values", pd.DataFrame())
    return _draw_values(values) if {"of 100 here", "attribute"} <= set(values) else ""


def _draw_values(values: pd.DataFrame) -> str:
    """For each sensitive attribute its likeliest values, for her and in the whole table."""
    return "".join(
        f"<h3>{escape(card_text('likely', title=str(name)))}</h3>"
        + _draw_beside(
            part.nlargest(MOST, "of 100 here")[["value", "of 100 here", "of 100 everywhere"]],
            (card_text("likely-you"), card_text("likely-all")),
            _of_table,
        )
        for name, part in values.groupby("attribute", sort=False, observed=True)
    )


def _of_table(name: str, here: str, there: str) -> str:
    return card_text("chances-of", name=name, here=here, there=there)


def _of_target(name: str, here: str, there: str) -> str:
    return f"{name}: for you {here}, in the target {there}."


def _draw_beside(
    frame: pd.DataFrame, words: tuple[str, str], told: Callable[..., str] = _of_target
) -> str:
    """A bar for her and a stroke for all at each value."""
    lines = [(str(name), *chances) for name, *chances in frame.itertuples(index=False, name=None)]
    most = max(max(chances) for _, *chances in lines) or 1
    said = " ".join(
        told(name, _chance_text(here), _chance_text(there)) for name, here, there in lines
    )
    drawn = "".join(
        _draw_row(at, name, here, WIDE * here / most)
        + _draw_stroke(WIDE * there / most, ROW * at + 28)
        for at, (name, here, there) in enumerate(lines)
    )
    marks = ((_svg._bar(10, 90, 9, 10, _svg.YOU), words[0]), (_draw_stroke(45, 9), words[1]))
    return _svg._picture(ROW * len(lines), card_text("chances", told=said), drawn) + _write_legend(
        marks
    )


def _draw_row(at: int, name: str, chance: float, length: float) -> str:
    """A name, a bar below it, and the number beside the bar."""
    short = name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"
    return (
        _svg._text("0", ROW * at + 15, short)
        + _svg._bar(0, length, ROW * at + 28, 10, _svg.YOU)
        + _svg._text("100%", ROW * at + 33, card_text("of-100", chance=_chance_text(chance)), "end")
    )


def _draw_stroke(x: float, middle: int) -> str:
    """An upright stroke where the target ends, seen on the bar and beside it."""
    return (
        f'<rect x="{x:.2f}%" y="{middle - 9}" width="5" height="18" transform="translate(-2 0)" '
        f'fill="{_svg.RECORD}" stroke="var(--vk-paper, #fff)"/>'
    )


def _write_legend(marks: Sequence[tuple[str, str]]) -> str:
    parts = "".join(
        f'<span><svg width="20" height="18" aria-hidden="true">{drawn}</svg>{words}</span>'
        for drawn, words in marks
    )
    return f'<p class="vk-legend">{parts}</p>'


def _draw_links(frame: pd.DataFrame) -> str:
    named = zip(frame["any of"], frame["of 100 each"], strict=True)
    each = [(f"one of {names}:", float(chance)) for names, chance in named]
    return "<h3>Links that you may have: how likely each looks</h3>" + _draw_bars(each)


def _draw_learned(frame: pd.DataFrame) -> str:
    if not len(frame):
        return ""
    each = [
        (f"{step} link{'s' * (step != 1)} of others learned: at most", float(most))
        for step, most in frame.itertuples(index=False, name=None)
    ]
    return "<h3>How sure a guess may become with each link somebody learns</h3>" + _draw_bars(each)


def _draw_bars(each: Sequence[tuple[str, float]]) -> str:
    """Bars to one scale, from 0 to 100."""
    drawn = "".join(
        _svg._bar(0, WIDE, ROW * at + 28, 10, _svg.LINE)
        + _draw_row(at, name, chance, WIDE * chance / 100)
        for at, (name, chance) in enumerate(each)
    )
    said = " ".join(f"{name} {_chance_text(chance)} of 100." for name, chance in each)
    return _svg._picture(ROW * len(each), said, drawn)


def _chance_text(value: float) -> str:
    whole = value >= 10 or value == int(value)
    return f"{value:.0f}" if whole else localize_number(f"{value:.2g}")


EACH = 60  # of smaller tables every record is drawn
SIDE = 100 / 20
LABELS = {"fits": "crowd-fits", "people": "crowd-people"}
COUNTED = {"possible": "may be yours", "matches": "may be the closest to yours"}


def draw_crowd(report: SubjectReport) -> str:
    """The records that may be hers among all, and the range of each number that may be hers.

    Examples
    --------
    >>> import verikit as vk
    >>> crimes = vk.published("ks_table4")
    >>> drawn = draw_crowd(vk.check({"Zip": "19552"}, crimes))
    >>> drawn[drawn.index("aria-label") :].split('"')[1]
    'Of 11 records, 4 fit your values.'
    """
    facts = report.facts
    name = next((name for name in (*LABELS, *COUNTED) if name in facts), "")
    if not name or not facts.get("records"):
        return ""
    among, all_of_them = int(facts[name]), int(facts["records"])
    said = _count_text(name, among, all_of_them)
    drawn = _draw_records if all_of_them <= EACH else _draw_line
    ranges = report.tables.get("ranges", pd.DataFrame())
    return drawn(among, all_of_them, said) + _draw_ranges(ranges)


def _count_text(name: str, among: int, all_of_them: int) -> str:
    if name in LABELS:
        return card_text(LABELS[name], records=all_of_them, count=among)
    return f"Of {count(all_of_them, 'record')}, {among:,} {COUNTED[name]}."


def _draw_records(among: int, all_of_them: int, said: str) -> str:
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


def _draw_line(among: int, all_of_them: int, said: str) -> str:
    """All records a line, those that may be hers the beginning of it."""
    drawn = _svg._bar(0, 100, 12, 6, _svg.LINE)
    drawn += _svg._bar(0, max(100 * among / all_of_them, 0.5), 12, 14, _svg.YOU)
    return _svg._picture(44, said, drawn + _svg._text("0", 38, said))


def _draw_ranges(frame: pd.DataFrame) -> str:
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
