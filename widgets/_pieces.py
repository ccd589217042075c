"""Pieces that the cards of the views are put together from: headlines, tables, numbers in words."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd

from verikit._support import html as _html
from verikit.alike._classes import written

__all__ = ["MOST", "chance", "count", "headline", "listing", "note", "share"]

MOST = 12


def headline(words: str, tag: str, look: str = "") -> str:
    """The first lines of a card: a tag with its sign, and what it all comes to.

    ``look`` is empty, ``warning`` or ``unknown``.
    """
    sign = {"": "✓", "warning": "⚠\ufe0e", "unknown": "?"}[look]
    lines = [
        _html.element(
            "span", f'<span aria-hidden="true">{sign}</span> {escape(tag)}', class_="vk-tag"
        ),
        _html.element("p", f"<b>{escape(words)}</b>", class_="vk-first"),
    ]
    return _html.element("div", "".join(lines), class_=f"vk-head {look}".strip())


def note(words: str) -> str:
    """A quiet line."""
    return _html.element("p", escape(words), class_="soft")


def count(number: int, word: str, words: str = "") -> str:
    """A number with its word.

    Examples
    --------
    >>> count(1, "class", "classes"), count(0, "class", "classes"), count(2000, "record")
    ('1 class', '0 classes', '2,000 records')
    """
    return f"{number:,} {word if number == 1 else words or word + 's'}"


def share(part: float) -> str:
    """A share in per cent, never rounded to all or nothing where it is neither.

    Examples
    --------
    >>> share(1.0), share(0.3333), share(0.999), share(0.0001)
    ('100 %', '33 %', 'more than 99 %', 'less than 1 %')
    """
    if 0 < part < 0.005:
        return "less than 1 %"
    return "more than 99 %" if 0.995 <= part < 1 else f"{100 * part:.0f} %"


def chance(p: float) -> str:
    """A probability as so many cases.

    Examples
    --------
    >>> chance(0.25), chance(0.00059), chance(3e-9)
    ('in 25 of 100 cases', 'in 1 of 1,695 cases', 'in less than 1 of a million cases')
    """
    if p >= 1:
        return "in all cases"
    if p >= 0.01:
        return f"in {100 * p:.0f} of 100 cases"
    return f"in 1 of {1 / p:,.0f} cases" if p >= 1e-6 else "in less than 1 of a million cases"


def listing(frame: pd.DataFrame, label: str, *, most: int = MOST, what: str = "lines") -> str:
    """A table that can be scrolled by keyboard; of a long one its first lines."""
    shown = frame.head(most)
    for name in shown.columns:
        if any(isinstance(value, pd.Interval) for value in shown[name]):
            shown = shown.assign(**{name: [_span(value) for value in shown[name]]})
    wide = _html.element("div", _html.table(shown), style=f"min-width:{5 * shown.shape[1]}rem")
    inside = wide if shown.shape[1] > 4 else _html.table(shown)
    content = _html.element(
        "div", inside, class_="vk-scroll", role="region", tabindex="0", aria_label=label
    )
    rest = len(frame) - len(shown)
    return content + (note(f"and {rest:,} more {what}") if rest > 0 else "")


def _span(value: Any) -> Any:
    """A closed interval with few digits; another with its brackets; anything else as it is."""
    if not isinstance(value, pd.Interval):
        return value
    if value.closed != "both":
        return written(value)
    low, high = _html.cell(value.left), _html.cell(value.right)
    return low if low == high else f"{low} to {high}"
