"""Pieces that the cards of the views are put together from: headlines, tables, numbers in words."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape
from typing import Any, Protocol

import pandas as pd

from verikit._support import html as _html
from verikit.cells import cell_text
from verikit.words import column, count

MOST = 12
READ = re.compile(r'(?<=>)[^<]+|(?<=aria-label=")[^"]*')
BETWEEN = re.compile(r"\[(-?[\d.]+), (-?[\d.]+)\]")
LONG = re.compile(r"(?<![\w.,&#])\d{5,}(?!\w)")


class Told(Protocol):
    """What a result says of itself: one sentence of meaning, and what that rests on."""

    @property
    def means(self) -> str:
        """What it comes to, in one sentence."""

    @property
    def why(self) -> str:
        """What that rests on; empty where nothing is to be said."""


def write_head(told: Told, tag: str, look: str = "") -> str:
    """The first lines of a card, in the words of the result itself."""
    return write_headline(told.means, tag, look) + (write_note(told.why) if told.why else "")


def write_headline(words: str, tag: str, look: str = "") -> str:
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


def write_note(words: str) -> str:
    """A quiet line."""
    return _html.element("p", escape(words), class_="soft")


def write_table(
    frame: pd.DataFrame,
    label: str,
    *,
    most: int = MOST,
    what: tuple[str, str] = ("line", "lines"),
    counted: Collection[str] | None = None,
    digits: int = 2,
) -> str:
    """A table that can be scrolled by keyboard; of a long one its first lines.

    ``counted`` names the columns that hold what was found, not values of people, which may be
    years or codes; without it all do. Their numbers have decimals alike and thousands apart.
    """
    shown = frame.head(most)
    names = [name for name in shown.columns if counted is None or name in counted]
    for name in shown.columns:
        if any(isinstance(value, pd.Interval) for value in shown[name]):
            shown = shown.assign(**{name: [write_span(value) for value in shown[name]]})
        elif name in names and _is_number(shown[name]):
            told = column([None if pd.isna(v) else v for v in shown[name]], digits)
            shown = shown.assign(**{name: told})
    wide = _html.element("div", _html.table(shown), style=f"min-width:{4 * shown.shape[1]}rem")
    inside = wide if shown.shape[1] > 4 else _html.table(shown)
    content = _html.element(
        "div", inside, class_="vk-scroll", role="region", tabindex="0", aria_label=label
    )
    rest = len(frame) - len(shown)
    more = count(rest, *(f"more {name}" for name in what))
    return content + (write_note(f"and {more}") if rest > 0 else "")


def _is_number(values: pd.Series[Any]) -> bool:
    types = pd.api.types
    return bool(types.is_numeric_dtype(values) and not types.is_bool_dtype(values))


def write_span(value: Any) -> Any:
    """A closed interval with few digits; another with its brackets; anything else as it is."""
    if not isinstance(value, pd.Interval):
        return value
    if value.closed != "both":
        return cell_text(value)
    low, high = _html.cell(value.left), _html.cell(value.right)
    return low if low == high else f"{low} to {high}"


def make_readable(card: str) -> str:
    """A card about numbers with its ranges in words and its thousands apart.

    What is read and heard changes, what a press sends does not. Not for cards that show codes.

    Examples
    --------
    >>> make_readable('<b data-press="open/[30000, 60000]">[30000, 60000]: 40000</b>')
    '<b data-press="open/[30000, 60000]">30,000 to 60,000: 40,000</b>'
    """
    return READ.sub(lambda found: _in_words(found[0]), f">{card}")[1:]


def _in_words(words: str) -> str:
    return LONG.sub(lambda found: f"{int(found[0]):,}", BETWEEN.sub(r"\1 to \2", words))
