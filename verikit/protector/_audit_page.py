"""The audit as a page of its own, which asks nothing from outside and can be printed."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any, NamedTuple

import pandas as pd

from verikit._support import html as _html
from verikit._support.html import element
from verikit.words import chance, count, joined, not_compared, share

Facts = dict[str, Any]
MAX_LINES = 100
STYLE = """
.vk h1{font-size:1.5em;line-height:1.25}.vk h2{font-size:1.15em;margin:1.6em 0 .3em}
.vk-page{margin:0;padding:16px}.vk .wide{overflow-x:auto}.vk li{margin:.3em 0}
.vk p,.vk li,.vk h1{overflow-wrap:anywhere}
@page{margin:1.5cm}
@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--blue:#0072b2;--warn:#9a4300}
.vk-page{background:#fff;padding:0}.vk{max-width:none;font-size:11pt}.vk .wide{overflow:visible}
.vk tr,.vk svg,.vk li{break-inside:avoid}.vk h2{break-after:avoid}
.vk svg,.vk .head{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""
PUBLIC = "For everybody: this page holds no value, no record and no link of anybody."
INTERNAL = (
    "Internal: this page says which rows can be linked to which people. Keep it as closely as the "
    "key."
)
NAMES = {
    "correct": "right links",
    "attributes": "columns",
    "attribute": "column",
    "places": "places moved (mean)",
    "unmoved": "share unmoved",
    "residual": "spread left",
    "p": "as many by luck",
    "protector": "places moved",
    "subject": "places to the closest row",
    "own": "her own row",
    "rows": "rows",
}


def audit_page(told: Facts) -> str:
    """Write a page from the facts of an audit."""
    tag = INTERNAL if told["internal"] else PUBLIC
    kind = "head warning" if told["internal"] else "head"
    parts = [
        _html.element("h1", "Audit of a release"),
        _write_paragraphs(not_compared(told["not_compared"])),
        _html.element("div", _write_paragraphs(tag), class_=kind),
        *_what_is_published(told),
        *_show_links(told),
        *_show_baselines(told),
        *_show_requirement(told),
        *(_show_records(told) if told["internal"] else ()),
        _write_heading("What this does not mean"),
        _html.element("ul", "".join(_html.element("li", escape(s)) for s in told["does_not_mean"])),
    ]
    body = _html.element("main", "".join(parts), class_="vk")
    style = f"<style>{BAR_STYLE}{STYLE}</style>"
    title = "Audit of a release, internal" if told["internal"] else "Audit of a release"
    return _html.page(title, style + body)


def _write_heading(words: str) -> str:
    return _html.element("h2", escape(words))


def _write_paragraphs(*sentences: str) -> str:
    return "".join(_html.element("p", escape(words)) for words in sentences if words)


def _what_is_published(told: Facts) -> Iterable[str]:
    made = f"Made by {told['method']}." if told["method"] else "It is not told how it was made."
    yield _write_heading("What is published")
    names = joined(map(_html.name, [*told["columns"], *told["not_compared"]]))
    words = f"{count(told['records'], 'record')} of {names}. {escape(made)}"
    yield _html.element("p", words)


def _show_links(told: Facts) -> Iterable[str]:
    yield _write_heading("Can people be linked to their rows?")
    found = told["links"]
    if found is None:
        yield _write_paragraphs("The right links were not counted for this audit.")
        return
    right = "more than half" if found["right"] is None else f"{found['right']:,}"
    lucky = f"about {found['luck']:.2g}"
    known = f" of {joined(told['columns'])}" if told["not_compared"] else ""
    yield _write_paragraphs(
        f"The strongest of {count(found['attacks'], 'test attack')} knows all original values"
        f"{known} and links {right} of {count(found['of'], 'person', 'people')} "
        f"rightly, without knowing which of its links are right. Luck would give {lucky}.",
        told["undone"],
    )
    length = 0.5 if found["right"] is None else found["right"] / found["of"]
    drawn = [
        Bar("linked rightly", length, f"{right} of {found['of']:,}"),
        Bar("by luck", found["luck"] / found["of"], f"{lucky} of {found['of']:,}", "open"),
    ]
    yield draw_bars(drawn, f"Right links: {right} of {found['of']:,}; by luck {lucky}.", "links")


def _show_baselines(told: Facts) -> Iterable[str]:
    yield _write_heading("Does it matter to be in the table?")
    if not told["baselines"]:
        yield _write_paragraphs(
            "This was not measured: the method cannot be repeated on half of the people."
        )
        return
    yield _write_paragraphs(
        "The same attack was made on people of a table and on others who are not in it. What it "
        "finds out of the others follows from what the table says of people in general; only what "
        "goes beyond comes from being in it.",
        told["others"],
    )
    drawn: list[Bar] = []
    for line in told["baselines"]:
        drawn.append(Bar(_name_secret(line)))
        for name, column, look in (
            ("people of the table", "found", "solid"),
            ("others", "control", "striped"),
            ("naive guess", "naive", "open"),
        ):
            drawn.append(Bar(name, line[column], share(line[column]), look))
    alt = " ".join(
        f"{_name_secret(line)}: {share(line['found'])} people of the table, "
        f"{share(line['control'])} others, {share(line['naive'])} by a naive guess."
        for line in told["baselines"]
    )
    yield draw_bars(drawn, alt, "baselines")
    items = (f"{_name_secret(line)}. {line['said'][1]}" for line in told["baselines"])
    yield _html.element("ul", "".join(_html.element("li", escape(words)) for words in items))


def _name_secret(line: Facts) -> str:
    return f"Guessing {line['secret']}" if line["secret"] else "Said to be in the table"


def _show_requirement(told: Facts) -> Iterable[str]:
    asked = told["requirement"]
    if asked is None:
        return
    yield _write_heading("What was required")
    wanted = [
        f"{n} moved by at least {count(v, 'place')}" for n, v in asked["distance"].items() if v
    ]
    wanted += [
        f"{n} with {asked['criterion']} {asked['direction']} {v:g} around it"
        for n, v in asked["diversity"].items()
        if v is not None
    ]
    failed = f"not met for {count(asked['failed'], 'record')}" if "failed" in asked else "not met"
    met = "met for every record" if asked["met"] else failed
    yield _write_paragraphs(
        f"{joined(wanted) or 'no distance'}: {met}.", "Meeting it says nothing of links."
    )


def _show_records(told: Facts) -> Iterable[str]:
    """What only the protector may read."""
    least = joined(f"{name} {places:,}" for name, places in told["places_of_every_record"].items())
    tables = {
        "Right links by attack": "attacks",
        "Columns, the least masked first": "columns_least_masked_first",
        "Sets of columns, those that give most away first": "sets_of_columns",
        "Candidates, those who are found first": "candidates",
        "Records, the worst first": "records_one_by_one",
    }
    for words, name in tables.items():
        lines = told.get(name)
        if lines:
            yield _write_heading(words)
            if name == "records_one_by_one":
                yield _write_paragraphs(
                    f"Every record was moved at least this many places: {least}."
                )
            yield _scrolling_table(lines, words)


def _scrolling_table(lines: list[Facts], words: str) -> str:
    """A table that scrolls by itself on a small screen; the JSON holds the lines left out."""
    frame = pd.DataFrame(lines[:MAX_LINES])
    if "p" in frame:
        frame["p"] = frame["p"].map(chance)
    held = _html.table(frame, NAMES)
    left = len(lines) - len(frame)
    more = _write_paragraphs(f"{left:,} more are in the JSON version.") if left else ""
    wide = _html.element("div", held, class_="wide", role="region", aria_label=words, tabindex="0")
    return wide + more


WIDTH, HEIGHT, HEAD = 320, 34, 32
FILLS = ("solid", "striped", "open")
BAR_STYLE = """
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


def draw_bars(drawn: Iterable[Bar], alt: str, name: str) -> str:
    """Draw bars one below the other, each under its words; ``alt`` stands for the picture.

    Looks differ by their filling, never by colour alone. ``name`` is the picture's own, so that
    several may stand on one page.

    Examples
    --------
    >>> draw_bars([Bar("right", 0.5, "3 of 6")], "3 of 6 links are right.", "links")[:44]
    '<svg role="img" aria-label="3 of 6 links are'
    """
    line = element("path", "", d="M0 6L6 0", stroke_width="1.5")
    tile = {"width": "6", "height": "6", "patternUnits": "userSpaceOnUse"}
    stripes = element("pattern", line, id=f"{name}-stripes", **tile)
    parts, top = [element("defs", stripes)], 0
    for bar in drawn:
        top += HEAD if bar.share is None else HEIGHT
        parts.append(_draw_bar(bar, top, name))
    content = element("title", escape(alt)) + "".join(parts)
    box = f"0 0 {WIDTH} {top + 6}"
    return element("svg", content, role="img", aria_label=alt, viewBox=box)


def _draw_bar(bar: Bar, foot: int, name: str) -> str:
    if bar.share is None:
        return element("text", escape(bar.label), x="0", y=str(foot - 4), class_="head")
    words = escape(f"{bar.label}: {bar.value}")
    said = element("text", words, x="0", y=str(foot - 16))
    look = (
        {"style": f"fill:url(#{name}-stripes)"} if bar.look == "striped" else {"class_": bar.look}
    )
    length = f"{max(1.0, (WIDTH - 2) * min(bar.share, 1)):.1f}"
    return said + element("rect", "", x="1", y=str(foot - 11), width=length, height="9", **look)
