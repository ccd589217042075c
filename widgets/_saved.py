"""The copy of a view that stays in a saved notebook: what it showed, without Python or script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from verikit._support import html as _html
from verikit.languages import form_text

if TYPE_CHECKING:
    from verikit.widgets._panel import Card, Field, Part

__all__ = ["saved"]

STYLE = Path(__file__).parent / "_panel.css"
ACTIVE = re.compile(r' (?:data-(?:press|drag|low|high|step)|tabindex)="[^"]*"')
FOLDED = re.compile(r'<details id="[^"]*"')
SLIP = re.compile(r'<div class="vk-slip">.*?</div>', re.DOTALL)
SHOWN = ("text", "choice", "range")


def saved(parts: Sequence[Part], card: Card) -> str:
    """A form and its card as HTML that stands by itself and asks nothing from outside.

    Parameters
    ----------
    parts
        The form; its boxes become lines of text.
    card
        The answer; nothing in it can be pressed, and there is no slip of it.

    Returns
    -------
    str
        One element with the style it needs.

    Examples
    --------
    >>> from verikit.widgets._panel import Card, Field, Part
    >>> part = Part("k", "How many", fields=[Field("k", "range", "Group size", "3")])
    >>> copy = saved([part], Card("What it means", '<g data-press="a">three</g>', "three"))
    >>> "Group size" in copy, "<g>three</g>" in copy, "data-press=" in copy
    (True, True, False)
    """
    form = _html.element("div", "".join(map(_part, parts)), class_="vk-form")
    top = _html.element("h2", escape(card.title)) + _html.element(
        "p", escape(form_text("copy")), class_="soft"
    )
    answer = _html.element("div", _still(card.html), class_="vk-answer")
    grid = _html.element(
        "div", form + _html.element("section", top + answer, class_="vk-card"), class_="vk-grid"
    )
    style = _html.element("style", STYLE.read_text(encoding="utf-8"))
    return _html.element("div", style + grid, class_="vk-panel vk-saved")


def _still(shown: str) -> str:
    """The answer without what only a running page can do; texts in it are escaped, tags are not."""
    return FOLDED.sub("<details", ACTIVE.sub("", SLIP.sub("", shown)))


def _part(part: Part) -> str:
    lines = [_html.element("p", escape(text), class_=kind) for text, kind in part.lines]
    boxes = [_box(field) for field in part.fields if field.kind in SHOWN]
    return _html.element(
        "section", _html.element("h2", escape(part.title)) + "".join(lines + boxes)
    )


def _box(field: Field) -> str:
    """One box as a line: what it asks, what stood in it, and what was wrong with that."""
    words = dict(field.options).get(field.value, field.value) or "–"
    told = _html.element("b", escape(field.label)) + ": " * bool(field.label) + escape(words)
    wrong = _html.element("p", escape(field.error), class_="vk-error") if field.error else ""
    return _html.element("p", told) + wrong
