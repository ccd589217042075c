"""Marks for the pictures of the views: places across in per cent, down in pixels; texts escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from verikit._support.svg import DOT, LINE, NEAR, RECORD, YOU

__all__ = [
    "BLUE",
    "EDGE",
    "GREEN",
    "GREY",
    "ORANGE",
    "PAPER",
    "PURPLE",
    "SKY",
    "SOFT",
    "Bar",
    "Shift",
    "bars",
    "box",
    "disc",
    "line",
    "mark",
    "picture",
    "shifts",
    "text",
]

BLUE, ORANGE, SKY, EDGE, GREY = YOU, RECORD, NEAR, LINE, DOT
GREEN, PURPLE = "var(--vk-green, #009e73)", "var(--vk-purple, #cc79a7)"
PAPER, SOFT = "var(--vk-paper, #fff)", "var(--vk-soft, #55606b)"

BAR = 46.0
SHAPES = {
    "square": "M-7-7H7V7H-7z",
    "diamond": "M0-9 9 0 0 9-9 0z",
    "triangle": "M0-9 8.5 6.5H-8.5z",
    "disc": "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0z",
    "cross": "M-7-3V3H-3V7H3V3H7V-3H3V-7H-3V-3z",
}


def picture(height: float, title: str, label: str, content: str, *, least: int = 0) -> str:
    """A picture as wide as its place, with a title and the words that stand for it.

    ``least`` is the width in pixels below which it scrolls.
    """
    drawn = (
        f'<svg width="100%" height="{height:g}" role="img" '
        f'aria-label="{escape(f"{title}. {label}", quote=True)}" font-size="13.5" '
        f'fill="currentColor" style="min-width:{least}px"><title>{escape(title)}</title>'
        f"{content}</svg>"
    )
    return f'<div class="vk-scroll" tabindex="0">{drawn}</div>' if least else drawn


def text(x: float, y: float, words: str, *, anchor: str = "start", extra: str = "") -> str:
    """Words beginning, centred (``middle``) or ending at a place."""
    return f'<text x="{x:.2f}%" y="{y:g}" text-anchor="{anchor}" {extra}>{escape(words)}</text>'


def line(start: tuple[float, float], end: tuple[float, float], colour: str = EDGE, *,
         width: float = 1.5, extra: str = "") -> str:  # fmt: skip
    """A straight line between two places."""
    return (
        f'<line x1="{start[0]:.2f}%" y1="{start[1]:g}" x2="{end[0]:.2f}%" y2="{end[1]:g}" '
        f'stroke="{colour}" stroke-width="{width:g}" {extra}/>'
    )


def box(x: float, y: float, size: tuple[float, float], extra: str) -> str:
    """A box of a size in pixels around a place."""
    width, height = size
    return (
        f'<rect x="{x:.2f}%" y="{y - height / 2:g}" width="{width:g}" height="{height:g}" '
        f'transform="translate({-width / 2:g} 0)" {extra}/>'
    )


def disc(x: float, y: float, radius: float, extra: str) -> str:
    """A disc around a place."""
    return f'<circle cx="{x:.2f}%" cy="{y:g}" r="{radius:g}" {extra}/>'


def mark(x: float, y: float, shape: str, extra: str) -> str:
    """A mark of a named shape around a place: a key of `SHAPES`."""
    return (
        f'<svg x="{x:.2f}%" y="{y:g}" overflow="visible"><path d="{SHAPES[shape]}" {extra}/></svg>'
    )


class Bar(NamedTuple):
    """One bar: its label, its length, the words for it, and whether it meets what was asked."""

    label: str
    length: float
    words: str
    met: bool | None = None


def bars(lines: Sequence[Bar], title: str, limit: tuple[float, str] | None = None) -> str:
    """Bars to one scale; one that misses the limit is hollow and dashed, and says so.

    Examples
    --------
    >>> drawn = bars([Bar("north", 3, "3 records", True)], "Classes", (2, "at least 2"))
    >>> drawn[drawn.index("aria-label") :].split('"')[1]
    'Classes. north: 3 records. Line: at least 2.'
    """
    most = max([line.length for line in lines] + ([limit[0]] if limit else [])) or 1
    height = BAR * len(lines)
    drawn = [_bar(bar, BAR * at, 100 / most) for at, bar in enumerate(lines)]
    if limit:
        x, words = 100 * limit[0] / most, limit[1]
        drawn += [
            *(
                line((x, BAR * at + 19), (x, BAR * at + 38), "currentColor", width=3)
                for at in range(len(lines))
            ),
            text(x, height + 16, words, anchor="end" if x > 50 else "start"),
        ]
    said = "; ".join(f"{bar.label}: {bar.words}" for bar in lines)
    told = f"{said}. Line: {limit[1]}." if limit else f"{said}."
    return picture(height + (24 if limit else 4), title, told, "".join(drawn))


def _bar(bar: Bar, top: float, scale: float) -> str:
    missed = bar.met is False
    colour = ORANGE if missed else BLUE
    look = (
        f'fill="{PAPER}" stroke="{colour}" stroke-width="2" stroke-dasharray="4 3"'
        if missed
        else f'fill="{colour}"'
    )
    length = max(bar.length * scale, 0.4)
    return (
        text(0, top + 15, bar.label)
        + text(100, top + 15, bar.words, anchor="end")
        + f'<rect x="0" y="{top + 22:g}" width="{length:.2f}%" height="13" {look}/>'
    )


class Shift(NamedTuple):
    """How sure somebody was before and is now, from 0 to 1, and the words for it."""

    label: str
    before: float
    after: float
    words: str


def shifts(lines: Sequence[Shift], title: str) -> str:
    """One line each from an open disc, before, to a filled square, now.

    Examples
    --------
    >>> drawn = shifts([Shift("flu", 0.25, 1, "25 % before, 100 % now")], "How sure")
    >>> drawn[drawn.index("aria-label") :].split('"')[1]
    'How sure. flu: 25 % before, 100 % now.'
    """
    drawn = [_shift(shift, BAR * at) for at, shift in enumerate(lines)]
    ends = text(0, BAR * len(lines) + 14, "0 %") + text(
        100, BAR * len(lines) + 14, "100 %", anchor="end"
    )
    said = "; ".join(f"{shift.label}: {shift.words}" for shift in lines)
    return picture(BAR * len(lines) + 20, title, f"{said}.", "".join(drawn) + ends)


def _shift(shift: Shift, top: float) -> str:
    before, after = (2 + 96 * place for place in (shift.before, shift.after))
    middle = top + 30
    return (
        text(0, top + 15, shift.label)
        + text(100, top + 15, shift.words, anchor="end")
        + line((2, middle), (98, middle))
        + line((before, middle), (after, middle), ORANGE, width=4)
        + disc(before, middle, 6, f'fill="{PAPER}" stroke="{BLUE}" stroke-width="2.5"')
        + box(after, middle, (14, 14), f'fill="{ORANGE}"')
    )
