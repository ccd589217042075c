"""Pictures of chances: a distribution beside its target, likely links, and what learning adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

import pandas as pd

from verikit._support import html as _html
from verikit._support import svg as _svg
from verikit.languages import card_text, localize_number, spoken_language
from verikit.values.dates import find_days

if TYPE_CHECKING:
    from verikit.subject._report import SubjectReport

ROW = 42
MOST = 8
WIDE = 72  # per cent of the width for the bars; the numbers stand to the right of them
LETTERS = 36
EACH = 60  # of smaller tables every record is drawn
SIDE = 100 / 20
CROWDS = ("fits", "people", "possible", "matches")  # facts that count records


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
        words = card_text("target-you"), card_text("target")
        if "attribute" not in shown:
            return draw_beside(shown, words, target=True)
        return "".join(
            f"<h3>{escape(card_text('likely', title=str(name)))}</h3>"
            + draw_beside(part.drop(columns="attribute"), words, target=True)
            for name, part in shown.groupby("attribute", sort=False, observed=True)
        )
    if len(links := tables.get("links", ())):
        named = zip(links["any of"][:MOST], links["of 100 each"], strict=False)
        likely = [(card_text("one-of", names=names), float(chance)) for names, chance in named]
        learned = [
            (card_text("learned-most", count=int(step)), float(most))
            for step, most in tables["learned"].itertuples(index=False, name=None)
        ]
        return draw_bars("links-likely", likely) + draw_bars("links-sure", learned)
    values = tables.get("values", pd.DataFrame())
    if not {"of 100 here", "attribute"} <= set(values):
        return ""
    words = card_text("likely-you"), card_text("likely-all")
    columns = ["value", "of 100 here", "of 100 everywhere"]
    return "".join(
        f"<h3>{escape(card_text('likely', title=str(name)))}</h3>"
        + draw_beside(part.nlargest(MOST, "of 100 here")[columns], words)
        for name, part in values.groupby("attribute", sort=False, observed=True)
    )


def draw_beside(frame: pd.DataFrame, words: tuple[str, str], *, target: bool = False) -> str:
    """A bar for her and a stroke for all, or for a target, at each value."""
    rows, shown = frame.itertuples(index=False, name=None), spoken_language().format_value
    lines = [(shown(name), *chances) for name, *chances in rows]
    most = max(max(chances) for _, *chances in lines) or 1
    said, drawn = [], ""
    for at, (name, here, there) in enumerate(lines):
        own, other = chance_text(here), chance_text(there)
        key = "target-of" if target else "chances-of"
        said.append(card_text(key, name=name, here=own, there=other))
        drawn += draw_row(at, name, here, WIDE * here / most)
        drawn += draw_stroke(WIDE * there / most, ROW * at + 28)
    marks = ((_svg._bar(10, 90, 9, 10, _svg.YOU), words[0]), (draw_stroke(45, 9), words[1]))
    legend = "".join(
        f'<span><svg width="20" height="18" aria-hidden="true">{mark}</svg>{meaning}</span>'
        for mark, meaning in marks
    )
    picture = _svg._picture(ROW * len(lines), card_text("chances", told=" ".join(said)), drawn)
    return f'{picture}<p class="vk-legend">{legend}</p>'


def draw_row(at: int, name: str, chance: float, length: float) -> str:
    """A name, a bar below it, and the number beside the bar."""
    short = name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"
    return (
        _svg._text("0", ROW * at + 15, short)
        + _svg._bar(0, length, ROW * at + 28, 10, _svg.YOU)
        + _svg._text("100%", ROW * at + 33, card_text("of-100", chance=chance_text(chance)), "end")
    )


def draw_stroke(x: float, middle: int) -> str:
    """An upright stroke where the target ends, seen on the bar and beside it."""
    return (
        f'<rect x="{x:.2f}%" y="{middle - 9}" width="5" height="18" transform="translate(-2 0)" '
        f'fill="{_svg.RECORD}" stroke="var(--vk-paper, #fff)"/>'
    )


def draw_bars(heading: str, each: Sequence[tuple[str, float]]) -> str:
    """Bars to one scale, from 0 to 100; nothing where there is none."""
    if not each:
        return ""
    drawn = "".join(
        _svg._bar(0, WIDE, ROW * at + 28, 10, _svg.LINE)
        + draw_row(at, name, chance, WIDE * chance / 100)
        for at, (name, chance) in enumerate(each)
    )
    said = ". ".join(
        f"{name} {card_text('of-100', chance=chance_text(chance))}" for name, chance in each
    )
    title = escape(card_text(heading))
    return f"<h3>{title}</h3>" + _svg._picture(ROW * len(each), f"{said}.", drawn)


def chance_text(value: float) -> str:
    """A chance of 100, small ones with two digits."""
    whole = value >= 10 or value == int(value)
    return f"{value:.0f}" if whole else localize_number(f"{value:.2g}")


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
    name = next((name for name in CROWDS if name in facts), "")
    if not name or not facts.get("records"):
        return ""
    among, size = int(facts[name]), int(facts["records"])
    said = card_text(f"crowd-{name}", records=size, count=among)
    if size <= EACH:  # every record a mark: full discs for those that may be hers, else dots
        places = [(SIDE * (at % 20 + 0.5), 14 + 24 * (at // 20)) for at in range(size)]
        drawn = "".join(_svg._disc(*place) for place in places[:among]) + "".join(
            f'<circle cx="{x:.2f}%" cy="{y}" r="3" fill="{_svg.DOT}"/>' for x, y in places[among:]
        )
        bottom, height = 24 * ((size - 1) // 20 + 1) + 24, 24 * ((size - 1) // 20 + 1) + 28
    else:  # all records a line, those that may be hers the beginning of it
        drawn = _svg._bar(0, 100, 12, 6, _svg.LINE)
        drawn += _svg._bar(0, max(100 * among / size, 0.5), 12, 14, _svg.YOU)
        bottom, height = 38, 44
    drawn = _svg._picture(height, said, drawn + _svg._text("0", bottom, said))
    return drawn + draw_ranges(report.tables.get("ranges", pd.DataFrame()))


def draw_ranges(frame: pd.DataFrame) -> str:
    """For each number the range that is left for her, within that of the whole table."""
    if not len(frame):
        return ""
    drawn, said = "", ""
    for at, line in enumerate(frame.to_dict("records")):
        values = [line[end] for end in ("lowest", "highest", "lowest of all", "highest of all")]
        lowest, highest, low, high = (localize_number(_html.cell(v)) for v in values)
        words = card_text("ends-yours", title=line["attribute"], low=lowest, high=highest)
        whole = card_text("ends-all", low=low, high=high)
        middle = 66 * at + 34
        places = [(find_days(v) or 0.0) if isinstance(v, str) else float(v) for v in values]
        ends = [_svg._place(place, *places[2:]) for place in places[:2]]
        drawn += _svg._text("0", middle - 18, words) + _svg._bar(0, 100, middle, 4, _svg.LINE)
        drawn += _svg._bar(ends[0], ends[1], middle, 14, _svg.YOU, edge=3)
        drawn += _svg._text("0", middle + 24, whole)
        said += f"{words}, {whole}. "
    return _svg._picture(66 * len(frame), said.strip(), drawn)
