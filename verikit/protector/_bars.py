"""Bars with their words, drawn without a library: sharp on a small screen and on paper."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from verikit._support.html import element

__all__ = ["STYLE", "Bar", "bars"]

WIDTH, HEIGHT, HEAD = 320, 34, 32
FILLS = ("solid", "striped", "open")
STYLE = """
.vk svg{display:block;width:100%;max-width:22rem;height:auto;margin:.6em 0}
.vk svg text{font:14px system-ui,"DejaVu Sans",sans-serif;fill:var(--ink)}
.vk svg .head{font-weight:600}.vk svg rect{stroke:var(--blue);stroke-width:1.5}
.vk svg .solid{fill:var(--blue)}.vk svg .open{fill:none}.vk svg path{stroke:var(--blue)}
"""


class Bar(NamedTuple):
    """One bar: what it is of, its length as a share, what stands at it, and its look.

    A bar without a length is a heading.
    """

    label: str
    share: float | None = None
    value: str = ""
    look: str = FILLS[0]


def bars(drawn: Iterable[Bar], alt: str, name: str) -> str:
    """Draw bars one below the other, each under its words; ``alt`` stands for the picture.

    Looks differ by their filling, never by colour alone. ``name`` is the picture's own, so that
    several may stand on one page.

    Examples
    --------
    >>> bars([Bar("right", 0.5, "3 of 6")], "3 of 6 links are right.", "links")[:44]
    '<svg role="img" aria-label="3 of 6 links are'
    """
    parts, top = [_stripes(name)], 0
    for bar in drawn:
        top += HEAD if bar.share is None else HEIGHT
        parts.append(_bar(bar, top, name))
    content = element("title", escape(alt)) + "".join(parts)
    box = f"0 0 {WIDTH} {top + 6}"
    return element("svg", content, role="img", aria_label=alt, viewBox=box)


def _bar(bar: Bar, foot: int, name: str) -> str:
    if bar.share is None:
        return element("text", escape(bar.label), x="0", y=str(foot - 4), class_="head")
    words = escape(f"{bar.label}: {bar.value}")
    said = element("text", words, x="0", y=str(foot - 16))
    look = (
        {"style": f"fill:url(#{name}-stripes)"} if bar.look == "striped" else {"class_": bar.look}
    )
    length = f"{max(1.0, (WIDTH - 2) * min(bar.share, 1)):.1f}"
    return said + element("rect", "", x="1", y=str(foot - 11), width=length, height="9", **look)


def _stripes(name: str) -> str:
    line = element("path", "", d="M0 6L6 0", stroke_width="1.5")
    tile = {"width": "6", "height": "6", "patternUnits": "userSpaceOnUse"}
    return element("defs", element("pattern", line, id=f"{name}-stripes", **tile))
