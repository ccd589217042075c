"""Small pictures as inline SVG: places in per cent, so that they fit any width and stay legible.

Colours are Okabe and Ito's, taken from the page's variables where it has some; every mark also has
a shape of its own. Texts are escaped here.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape, unescape
from itertools import pairwise
from typing import NamedTuple

from verikit._support.html import element

YOU, RECORD, NEAR, DOT, LINE = (
    f"var(--vk-{name}, {colour})"
    for name, colour in (
        ("blue", "#0072b2"),
        ("orange", "#d55e00"),
        ("sky", "#56b4e9"),
        ("dot", "#7d8790"),
        ("line", "#d5dbe1"),
    )
)
ROW = 54
DOTS = 60
INSIDE = r"(?:[^<]|<(?!/?svg\b))*"  # a picture may hold pictures, and these none
DRAWN = re.compile(rf"<svg\b[^>]*>(?:{INSIDE}<svg\b[^>]*>{INSIDE}</svg>)*{INSIDE}</svg>")
GIVEN = re.compile(r' ([\w-]+)="([^"]*)"')
LOOK = re.compile(r"var\(--[\w-]+, ?([^()]*)\)")
ALONE = (
    '<svg xmlns="http://www.w3.org/2000/svg" color="#1b1f24" '
    'font-family="system-ui, DejaVu Sans, sans-serif"'
)
PAPER = '<rect width="100%" height="100%" fill="#fff"/>'


class RankLine(NamedTuple):
    """One attribute: the ranks of her closest value, of the record, and of the window.

    Equal values share several ranks, from the first to the last.
    """

    label: str
    own: tuple[int, int]
    record: tuple[int, int]
    window: tuple[int, int]


class ValueLine(NamedTuple):
    """One column: all its values, and the one the picture is about."""

    label: str
    values: Sequence[float]
    marked: float


def rank_lines(lines: Sequence[RankLine], size: int, label: str, ends: tuple[str, str]) -> str:
    """One line an attribute, from the lowest published rank to the highest.

    ``label`` says the picture, and ``ends`` both ends of a line, in the reader's language.

    Examples
    --------
    >>> line = RankLine("age", (8, 8), (12, 12), (4, 12))
    >>> drawn = rank_lines([line], 20, "a picture", ("lowest", "highest"))
    >>> drawn[drawn.index("aria-label") :].split('"')[1]
    'a picture'
    """
    drawn = ""
    for row, line in enumerate(lines):
        middle = ROW * row + 38
        # of ranks that equal values share, those of hers and of the record nearest to each other
        you = min(max(line.record[0], line.own[0]), line.own[1])
        match = min(max(you, line.record[0]), line.record[1])
        ranks = (*line.window, *line.own, *line.record, you, match)
        low, high, *shared, you_at, match_at = (_place(rank, 1, size) for rank in ranks)
        dots = [_place(rank, 1, size) for rank in range(1, size + 1)] if size <= DOTS else ()
        drawn += _text("0", middle - 22, line.label)
        drawn += _bar(low, high, middle, 18, NEAR, 'opacity=".35" stroke-linejoin="round"', edge=7)
        drawn += _axis(dots, middle)
        drawn += _bar(shared[0], shared[1], middle, 6, YOU) if shared[0] < shared[1] else ""
        drawn += _bar(shared[2], shared[3], middle, 3, RECORD) if shared[2] < shared[3] else ""
        drawn += _disc(you_at, middle) + _square(match_at, middle)
    bottom = ROW * len(lines) + 16
    drawn += _text("0", bottom, ends[0]) + _text("100%", bottom, ends[1], "end")
    return _picture(bottom + 8, label, drawn)


def value_lines(lines: Sequence[ValueLine], label: str) -> str:
    """One line a column on one scale of values, and the way of the marked value through them.

    Examples
    --------
    >>> value_lines([ValueLine("before", [1, 2], 1), ValueLine("after", [1, 3], 3)], "").count(
    ...     "<line"
    ... )
    1
    """
    low = min(min(line.values) for line in lines)
    high = max(max(line.values) for line in lines)
    places = [_place(line.marked, low, high) for line in lines]
    drawn = []
    for row, (line, place) in enumerate(zip(lines, places, strict=True)):
        middle = ROW * row + 38
        shown = line.values if len(line.values) <= DOTS else ()
        drawn.append(_text("0", middle - 22, line.label))
        drawn.append(_axis([_place(value, low, high) for value in shown], middle))
        drawn.append((_square if row == 1 else _disc)(place, middle))
    ways = [
        f'<line x1="{a:.2f}%" y1="{ROW * row + 46}" x2="{b:.2f}%" y2="{ROW * row + 84}" '
        f'stroke="{YOU}" stroke-width="2" stroke-dasharray="5 3"/>'
        for row, (a, b) in enumerate(pairwise(places))
    ]
    title = ", ".join(line.label for line in lines)
    return _picture(ROW * len(lines) + 6, label, "".join(drawn + ways), title)


def bars(lines: Sequence[tuple[str, float, str]], label: str) -> str:
    """Horizontal bars to one scale: a label, a length, and the words for it."""
    most = max((length for _, length, _ in lines), default=0) or 1
    drawn = [
        _text("0", 44 * at + 15, name)
        + _text("100%", 44 * at + 15, words, "end")
        + _bar(0, 100 * length / most, 44 * at + 28, 12, (RECORD, YOU)[at % 2])
        for at, (name, length, words) in enumerate(lines)
    ]
    return _picture(44 * len(lines), label, "".join(drawn), label.partition(".")[0])


def show_as_images(content: str) -> str:
    """Write each picture as an image, which also stands where drawings and styles are taken out.

    Examples
    --------
    >>> shown = show_as_images('<p><svg width="9" height="9" aria-label="a dot"></svg></p>')
    >>> shown[:29], shown[shown.index(" alt") :]
    ('<p><img src="data:image/svg+x', ' alt="a dot" width="9" height="9"></p>')
    """
    return DRAWN.sub(_write_image, content)


def _write_image(found: re.Match[str]) -> str:
    head, _, content = LOOK.sub(r"\1", found[0]).partition(">")
    given = {name: unescape(value) for name, value in GIVEN.findall(head)}
    alone = f"{ALONE}{head.removeprefix('<svg')}>{PAPER}{content}"
    source = f"data:image/svg+xml;base64,{b64encode(alone.encode()).decode()}"
    size = {name: given[name] for name in ("class", "width", "height", "style") if name in given}
    image = element("img", "", src=source, alt=given.get("aria-label", ""), **size)
    return image.removesuffix("</img>")


PERSON = "a3 3 0 1 0 .1 0zm-4 12.5v-2a4 4 0 0 1 8 0v2z"  # from the top of the head


def people(counted: Sequence[int], label: str) -> str:
    """A hundred people, so many of them filled; of two numbers the second is filled lighter.

    Examples
    --------
    >>> people((25,), "25 of 100").count(PERSON)
    100
    """
    ends, looks = [0, *counted, 100], [YOU, NEAR][: len(counted)]
    drawn = ""
    for first, last, look in zip(ends, ends[1:], [*looks, "none"], strict=False):
        heads = ((10 * (n % 20) + 5, 15 * (n // 20) + 1) for n in range(first, last))
        places = "".join(f"M{x} {y}{PERSON}" for x, y in heads)
        drawn += f'<path d="{places}" fill="{look}" stroke="{DOT if look == "none" else look}"/>'
    name = escape(label, quote=True)
    return (
        '<svg class="vk-people" viewBox="0 0 200 76" role="img" stroke-width=".8" '
        f'aria-label="{name}">{drawn}</svg>'
    )


def legend(marks: Iterable[tuple[str, str]]) -> str:
    """What the marks ``you``, ``record`` and ``near`` mean."""
    drawn = {
        "you": _disc(50, 9),
        "record": _square(50, 9),
        "near": _bar(20, 80, 9, 8, NEAR, 'opacity=".35" stroke-linejoin="round"', edge=5),
    }
    return write_legend((drawn[mark], words) for mark, words in marks)


def write_legend(
    marks: Iterable[tuple[str, str]], width: int = 20, height: int = 18, look: str = ""
) -> str:
    """Say what marks mean: each as a picture of its own, with its words."""
    parts = "".join(
        f'<span><svg width="{width}" height="{height}" aria-hidden="true"{look}>{mark}</svg>'
        f"{escape(words)}</span>"
        for mark, words in marks
    )
    return f'<p class="vk-legend">{parts}</p>'


def _picture(height: int, label: str, content: str, title: str = "") -> str:
    named = f"<title>{escape(title)}</title>" if title else ""
    return (
        f'<svg width="100%" height="{height}" role="img" aria-label="{escape(label, quote=True)}" '
        f'font-size="13.5" fill="currentColor">{named}{content}</svg>'
    )


def _place(value: float, low: float, high: float) -> float:
    """A value's place in per cent, with room for a mark at both ends."""
    return 2 + 96 * (value - low) / (high - low) if high > low else 50.0


def _axis(dots: Iterable[float], middle: int) -> str:
    """A line with a dot for each value; a band where there are too many to tell apart."""
    marks = "".join(f'<circle cx="{x:.2f}%" cy="{middle}" r="3" fill="{DOT}"/>' for x in dots)
    if marks:
        return _bar(2, 98, middle, 2, LINE) + marks
    return _bar(2, 98, middle, 6, DOT, 'opacity=".5"')


def _bar(
    start: float, end: float, middle: int, height: int, colour: str, extra: str = "", edge: int = 0
) -> str:
    border = f'stroke="{colour}" stroke-width="{edge}" ' if edge else ""
    return (
        f'<rect x="{start:.2f}%" y="{middle - height / 2:g}" width="{end - start:.2f}%" '
        f'height="{height}" fill="{colour}" {border}{extra}/>'
    )


def _disc(x: float, middle: int) -> str:
    return f'<circle cx="{x:.2f}%" cy="{middle}" r="7.5" fill="{YOU}"/>'


def _square(x: float, middle: int) -> str:
    return (
        f'<rect x="{x:.2f}%" y="{middle - 7}" width="14" height="14" transform="translate(-7 0)" '
        f'fill="none" stroke="{RECORD}" stroke-width="3"/>'
    )


def _text(x: str, y: int, content: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(content)}</text>'
