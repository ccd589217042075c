"""What the cards of the views are put together from: headlines, tables, notes and pictures.

Pictures are inline SVG, places across in per cent, down in pixels. Texts are escaped here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import Any, NamedTuple, Protocol

import pandas as pd

from verikit._support import html as _html
from verikit._support import svg as _svg
from verikit.cells import cell_text
from verikit.words import column, count, number

BLUE, ORANGE, SKY, EDGE, GREY = _svg.YOU, _svg.RECORD, _svg.NEAR, _svg.LINE, _svg.DOT
GREEN, PURPLE = "var(--vk-green, #009e73)", "var(--vk-purple, #cc79a7)"
PAPER, SOFT = "var(--vk-paper, #fff)", "var(--vk-soft, #55606b)"
HALO = f'stroke="{PAPER}" stroke-width="4" paint-order="stroke"'
HOLLOW = f'fill="{PAPER}" stroke="{BLUE}" stroke-width="2.5"'
SOFTLY = f'fill="{SOFT}"'
write_legend = _svg.write_legend
BAR, INTERVAL = 46.0, 56.0  # pixels from one line to the next
DASHES = 'stroke-dasharray="6 4"'
SHAPES = {
    "square": "M-7-7H7V7H-7z",
    "diamond": "M0-9 9 0 0 9-9 0z",
    "triangle": "M0-9 8.5 6.5H-8.5z",
    "disc": "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0z",
    "cross": "M-7-3V3H-3V7H3V3H7V-3H3V-7H-3V-3z",
}
LEFT, RIGHT, TOP, FLOOR = 14.0, 98.0, 30.0, 44.0
MOST = 12
READ = re.compile(r'(?<=>)[^<]+|(?<=aria-label=")[^"]*')
BETWEEN = re.compile(r"\[(-?[\d.]+), (-?[\d.]+)\]")
LONG = re.compile(r"(?<![\w.,&#])\d{5,}(?!\w)")


def draw_picture(height: float, title: str, label: str, content: str, *, least: int = 0) -> str:
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


def draw_text(x: float, y: float, words: str, *, anchor: str = "start", extra: str = "") -> str:
    """Words beginning, centred (``middle``) or ending at a place."""
    return f'<text x="{x:.2f}%" y="{y:g}" text-anchor="{anchor}" {extra}>{escape(words)}</text>'


def draw_line(start: tuple[float, float], end: tuple[float, float], colour: str = EDGE, *,
         width: float = 1.5, extra: str = "") -> str:  # fmt: skip
    """A straight line between two places."""
    return (
        f'<line x1="{start[0]:.2f}%" y1="{start[1]:g}" x2="{end[0]:.2f}%" y2="{end[1]:g}" '
        f'stroke="{colour}" stroke-width="{width:g}" {extra}/>'
    )


def draw_box(x: float, y: float, size: tuple[float, float], extra: str) -> str:
    """A box of a size in pixels around a place."""
    width, height = size
    return (
        f'<rect x="{x:.2f}%" y="{y - height / 2:g}" width="{width:g}" height="{height:g}" '
        f'transform="translate({-width / 2:g} 0)" {extra}/>'
    )


def draw_disc(x: float, y: float, radius: float, extra: str) -> str:
    """A disc around a place."""
    return f'<circle cx="{x:.2f}%" cy="{y:g}" r="{radius:g}" {extra}/>'


def draw_mark(x: float, y: float, shape: str, extra: str) -> str:
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


def draw_bars(lines: Sequence[Bar], title: str, limit: tuple[float, str] | None = None) -> str:
    """Bars to one scale; one that misses the limit is hollow and dashed, and says so.

    Examples
    --------
    >>> drawn = draw_bars([Bar("north", 3, "3 records", True)], "Classes", (2, "at least 2"))
    >>> drawn[drawn.index("aria-label") :].split('"')[1]
    'Classes. north: 3 records. Line: at least 2.'
    """
    most = max([line.length for line in lines] + ([limit[0]] if limit else [])) or 1
    height, drawn = BAR * len(lines), []
    for at, bar in enumerate(lines):
        top, length = BAR * at, max(bar.length * 100 / most, 0.4)
        look = f'fill="{BLUE}"'
        if bar.met is False:
            look = f'fill="{PAPER}" stroke="{ORANGE}" stroke-width="2" stroke-dasharray="4 3"'
        drawn += [
            draw_text(0, top + 15, bar.label),
            draw_text(100, top + 15, bar.words, anchor="end"),
            f'<rect x="0" y="{top + 22:g}" width="{length:.2f}%" height="13" {look}/>',
        ]
    if limit:
        x, words = 100 * limit[0] / most, limit[1]
        drawn += [
            *(
                draw_line((x, BAR * at + 19), (x, BAR * at + 38), "currentColor", width=3)
                for at in range(len(lines))
            ),
            draw_text(x, height + 16, words, anchor="end" if x > 50 else "start"),
        ]
    said = "; ".join(f"{bar.label}: {bar.words}" for bar in lines)
    told = f"{said}. Line: {limit[1]}." if limit else f"{said}."
    return draw_picture(height + (24 if limit else 4), title, told, "".join(drawn))


class Interval(NamedTuple):
    """An answer: its name, its words, its lower end, estimate and upper end; and its mark."""

    name: str
    words: str
    values: tuple[float, float, float]
    shape: str
    colour: str


def draw_intervals(
    lines: Sequence[Interval], truth: tuple[float, str], title: str, label: str
) -> str:
    """What is certain as bars, what is expected as marks on them, the truth as a line across.

    ``truth`` is its number, and what it is called.
    """
    true, name = truth
    most = max([line.values[2] for line in lines] + [true]) or 1.0
    height, place = INTERVAL * len(lines), 2 + 96 * true / most
    drawn = [draw_line((place, 6), (place, height + 4), "currentColor", extra=DASHES)]
    for row, line in enumerate(lines):
        middle = INTERVAL * row + 36
        low, expected, high = (2 + 96 * value / most for value in line.values)
        drawn += [
            draw_text(0, middle - 18, line.name, extra=HALO),
            draw_text(100, middle - 18, line.words, anchor="end", extra=f"{HALO} {SOFTLY}"),
            draw_line((2, middle), (98, middle)),
            draw_line((low, middle), (high, middle), SKY, width=10, extra='opacity=".5"'),
            draw_mark(expected, middle, line.shape, f'fill="{line.colour}"'),
        ]
    anchor, aside = ("end", -2) if place > 50 else ("start", 2)
    drawn += [
        draw_disc(place, height + 6, 6, 'fill="currentColor"'),
        draw_text(place + aside, height + 11, f"{name}: {number(true)}", anchor=anchor),
    ]
    return draw_picture(height + 22, title, label, "".join(drawn))


class Shift(NamedTuple):
    """Two shares, from 0 to 1, such as before and now; the words for them, and for who hears them.

    ``heard`` is said where there is no room for it in the picture.
    """

    label: str
    before: float
    after: float
    words: str
    heard: str = ""


def draw_shifts(lines: Sequence[Shift], title: str) -> str:
    """One line each from an open disc to a filled square, such as from before to now.

    Examples
    --------
    >>> drawn = draw_shifts([Shift("flu", 0.25, 1, "25 % before, 100 % now")], "How sure")
    >>> drawn[drawn.index("aria-label") :].split('"')[1]
    'How sure. flu: 25 % before, 100 % now.'
    """
    drawn, floor = [], BAR * len(lines) + 14
    for at, shift in enumerate(lines):
        before, after = (2 + 96 * place for place in (shift.before, shift.after))
        middle = BAR * at + 30
        drawn += [
            draw_text(0, middle - 15, shift.label),
            draw_text(100, middle - 15, shift.words, anchor="end"),
            draw_line((2, middle), (98, middle)),
            draw_line((before, middle), (after, middle), ORANGE, width=4),
            draw_disc(before, middle, 6, HOLLOW),
            draw_box(after, middle, (14, 14), f'fill="{ORANGE}"'),
        ]
    drawn += [draw_text(0, floor, "0 %"), draw_text(100, floor, "100 %", anchor="end")]
    said = "; ".join(f"{shift.label}: {shift.heard or shift.words}" for shift in lines)
    return draw_picture(floor + 6, title, f"{said}.", "".join(drawn))


class Axis(NamedTuple):
    """What runs along one side: its name, and its least and greatest number."""

    label: str
    low: float
    high: float

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1; in the middle if they are one."""
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5


class Plane(NamedTuple):
    """Two axes and the height of what is drawn between them, in pixels.

    Examples
    --------
    >>> plane = Plane(Axis("age", 0, 100), Axis("income", 0, 10), 200)
    >>> plane.at(0, 0), plane.at(100, 10), plane.at(50, 5)
    ((14.0, 230.0), (98.0, 30.0), (56.0, 130.0))
    """

    across: Axis
    up: Axis
    height: float = 320.0

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The place of a point: per cent from the left, pixels from the top."""
        along = LEFT + (RIGHT - LEFT) * self.across.share(x)
        return along, TOP + self.height * (1 - self.up.share(y))

    def boxes(
        self, sides: Iterable[tuple[tuple[float, float], tuple[float, float]]], look: str
    ) -> str:
        """Many boxes as one drawing, each between two values of each axis; none too thin to see."""
        drawn = []
        for x, y in sides:
            left, right = (round(1000 * self.across.share(end)) for end in x)
            floor, top = (round(1000 * (1 - self.up.share(end))) for end in y)
            drawn.append(f"M{left} {top}h{max(right - left, 4)}v{max(floor - top, 6)}H{left}z")
        return self._draw_stretched("".join(drawn), look)

    def dots(self, points: Iterable[tuple[float, float]], colour: str, width: float) -> str:
        """Many dots as one drawing: lines without length, round at any size of the picture."""
        drawn = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in self._find_thousandths(points))
        return self._draw_stretched(
            drawn, f'fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linecap="round"'
        )

    def path(self, points: Iterable[tuple[float, float]], look: str) -> str:
        """A line through points; its width stays the same at any size."""
        drawn = "L".join(f"{x:.1f} {y:.1f}" for x, y in self._find_thousandths(points))
        return self._draw_stretched(f"M{drawn}", f'fill="none" {look}')

    def _find_thousandths(self, points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(1000 * self.across.share(x), 1000 * (1 - self.up.share(y))) for x, y in points]

    def _draw_stretched(self, drawn: str, look: str) -> str:
        """A path in thousandths of both axes, whose lines keep their width at any size."""
        return (
            f'<svg x="{LEFT}%" y="{TOP:g}" width="{RIGHT - LEFT}%" height="{self.height:g}" '
            'viewBox="0 0 1000 1000" preserveAspectRatio="none" overflow="visible">'
            f'<path d="{drawn}" vector-effect="non-scaling-stroke" {look}/></svg>'
        )

    def picture(self, title: str, label: str, content: str) -> str:
        """The axes around what is drawn on them."""
        floor = TOP + self.height
        axes = [
            draw_line((LEFT, floor), (RIGHT, floor)),
            draw_line((LEFT, TOP), (LEFT, floor)),
            draw_text(0, 16, f"↑ {self.up.label}"),
            draw_text(LEFT - 1.5, TOP + 10, _html.cell(self.up.high), anchor="end", extra=SOFTLY),
            draw_text(LEFT - 1.5, floor, _html.cell(self.up.low), anchor="end", extra=SOFTLY),
            draw_text(LEFT, floor + 18, _html.cell(self.across.low), extra=SOFTLY),
            draw_text(RIGHT, floor + 18, _html.cell(self.across.high), anchor="end", extra=SOFTLY),
            draw_text((LEFT + RIGHT) / 2, floor + 36, f"{self.across.label} →", anchor="middle"),
        ]
        return draw_picture(floor + FLOOR, title, label, "".join(axes) + content)


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


def fold_away(title: str, content: str, place: str) -> str:
    """Content that is opened by a press on its title; ``place`` is its id on the page."""
    return _html.element("details", f"<summary>{escape(title)}</summary>{content}", id=place)


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
        elif name in names and shown[name].dtype.kind in "iufc":
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

    def write_in_words(found: re.Match[str]) -> str:
        words = BETWEEN.sub(r"\1 to \2", found[0])
        return LONG.sub(lambda long: f"{int(long[0]):,}", words)

    return READ.sub(write_in_words, f">{card}")[1:]
