"""Pictures of chances: a distribution beside its target, likely links, and what learning adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from verikit.widgets import _svg

__all__ = ["chances_drawn"]

ROW = 40
MOST = 8


def chances_drawn(tables: Mapping[str, pd.DataFrame]) -> str:
    """What a report has of chances as a picture; nothing where it has none.

    Examples
    --------
    >>> frame = pd.DataFrame({"value": ["30", "40"], "of 100 for you": [50.0, 50.0]})
    >>> frame["of 100 in the target"] = [25.0, 75.0]
    >>> drawn = chances_drawn({"distribution": frame})
    >>> drawn[drawn.index("aria-label") :].split('"')[1]
    'Chances of 100. 30: for you 50, in the target 25. 40: for you 50, in the target 75.'
    >>> chances_drawn({})
    ''
    """
    if len(shown := tables.get("distribution", ())):
        return _beside_target(shown)
    if len(links := tables.get("links", ())):
        return _links(links.head(MOST)) + _learned(tables["learned"])
    return ""


def _beside_target(frame: pd.DataFrame) -> str:
    lines = list(frame.itertuples(index=False, name=None))
    said = " ".join(
        f"{name}: for you {_number(here)}, in the target {_number(target)}."
        for name, here, target in lines
    )
    most = max(max(here, target) for _, here, target in lines) or 1
    drawn = "".join(
        _svg._text("0", ROW * at + 15, str(name))
        + _svg._text("100%", ROW * at + 15, f"{_number(here)} of 100", "end")
        + _svg._bar(0, 100 * here / most, ROW * at + 26, 10, _svg.YOU)
        + _mark(100 * target / most, ROW * at + 26)
        for at, (name, here, target) in enumerate(lines)
    )
    picture = _svg._picture(ROW * len(lines), f"Chances of 100. {said}", drawn)
    return picture + _legend(
        (_bar_alone(), "what can be inferred for you"), (_mark(50, 9), "the target")
    )


def _mark(x: float, middle: int) -> str:
    """An upright stroke where the target ends, seen on the bar and beside it."""
    return (
        f'<rect x="{min(x, 99):.2f}%" y="{middle - 9}" width="4" height="18" fill="{_svg.RECORD}" '
        'stroke="var(--vk-paper, #fff)"/>'
    )


def _bar_alone() -> str:
    return _svg._bar(10, 90, 9, 10, _svg.YOU)


def _legend(*marks: tuple[str, str]) -> str:
    parts = "".join(
        f'<span><svg width="20" height="18" aria-hidden="true">{drawn}</svg>{words}</span>'
        for drawn, words in marks
    )
    return f'<p class="vk-legend">{parts}</p>'


def _links(frame: pd.DataFrame) -> str:
    each = [
        (f"one of {names}", float(chance))
        for names, chance in zip(frame["any of"], frame["of 100 each"], strict=True)
    ]
    return "<h3>Links that you may have: how likely each looks</h3>" + _bars(each)


def _learned(frame: pd.DataFrame) -> str:
    if not len(frame):
        return ""
    each = [
        (
            f"{step} links of others learned" if step != 1 else "1 link of others learned",
            float(most),
        )
        for step, most in frame.itertuples(index=False, name=None)
    ]
    return "<h3>How sure a guess may become with each link somebody learns</h3>" + _bars(each)


def _bars(each: Sequence[tuple[str, float]]) -> str:
    """Horizontal bars from 0 to 100, all alike."""
    drawn = "".join(
        _svg._text("0", ROW * at + 15, name)
        + _svg._text("100%", ROW * at + 15, f"{_number(length)} of 100", "end")
        + _svg._bar(0, 100, ROW * at + 26, 10, _svg.LINE)
        + _svg._bar(0, length, ROW * at + 26, 10, _svg.YOU)
        for at, (name, length) in enumerate(each)
    )
    said = " ".join(f"{name}: {_number(length)} of 100." for name, length in each)
    return _svg._picture(ROW * len(each), said, drawn)


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"
