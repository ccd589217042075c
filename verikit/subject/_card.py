"""The answer as a card: headline, three numbers, picture, table, limits, details, slip."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING

import pandas as pd

from verikit._support import html as _html
from verikit._support import svg as _svg
from verikit._support.told import mark_language
from verikit.languages import card_text, sentence_text, spoken_language
from verikit.subject._card_words import (
    block_words,
    make_ranked_table,
    measure_text,
    name_columns,
    nearest_words,
    spread_words,
    table_name,
    tied_words,
    write_cells,
)
from verikit.subject._guess import MAX_LINES
from verikit.subject._pictures import draw_chances, draw_crowd
from verikit.subject._view import term_text
from verikit.table import Schema

if TYPE_CHECKING:
    from verikit.subject._report import SubjectReport

LINES = 20  # of a table of groups or values on the screen; the report holds all
TERM = "vk-term soft"  # what a word means, or what chances rest on, in small print
FORMULA = "formula in print"  # for those who follow the paper: it stands under the details
LOOKS = {"warning": ("warning", "⚠\ufe0e"), "no": ("", "○"), "cannot": ("unknown", "?")}


def write_card(report: SubjectReport, schema: Schema, table: str = "") -> str:
    """The whole card of a report; the slip names the table."""
    slip = report.to_html(schema=schema, table=table).encode()
    link = _html.element(
        "a",
        escape(card_text("download")),
        class_="vk-button",
        download="verikit-slip.html",
        href=f"data:text/html;charset=utf-8;base64,{b64encode(slip).decode()}",
    )
    keep = link + write_paragraph(card_text("mine"), class_="soft")
    details = write_details(report)
    for letter in (part.text for part in report.parts if part.name == "letter"):
        summary = _html.element("summary", escape(card_text("letter")))
        details += _html.element("details", summary + write_paragraph(letter))
    return write_body(report, schema) + details + _html.element("div", keep, class_="vk-slip")


def write_body(report: SubjectReport, schema: Schema, most: int = LINES) -> str:
    """What is the same on the screen and on the slip; of long tables the first lines.

    What follows the head is one block, which paper sets in two columns.
    """
    told: dict[str, list[str]] = {}
    for name, text in report.parts:
        told.setdefault(name, []).append(text)
    steps = (_html.element("li", escape(step)) for step in told["now"][1:])
    body, more = write_head(report, told), _write_section("next", steps)
    look = {True: "vk-met", False: "vk-unmet", None: "vk-note"}[report.met]
    notes = [*((text, look) for text in told.get("asked", ()))]
    notes += [(text, "vk-note") for text in told.get("note", ())]
    more += "".join(write_paragraph(text, class_=name) for text, name in notes)
    more += _write_section("limits", map(write_paragraph, told.get("sure", ())))
    found = (
        write_paragraph(text, **({"class_": TERM} if name == "term" else {}))
        for name, text in report.parts
        if name in ("found", "term")
    )
    more += _write_section("found", found)
    figures = "".join(
        _html.element("div", _html.element("b", escape(f.value)) + escape(f.words))
        for f in report.figures
    )
    figures = _html.element("div", figures, class_="vk-nums") if figures else ""
    if "first_rank" in report.attributes:
        return (
            body
            + _html.element("div", more, class_="vk-more")
            + figures
            + draw_places(report, schema)
        )
    tables = dict(report.tables)  # with as many lines to draw from as are shown
    for name in ("distribution", "values"):
        if "attribute" in tables.get(name, ()):
            tables[name] = tables[name].groupby("attribute", sort=False).head(most)
        elif name == "distribution" and name in tables:
            tables[name] = tables[name][:most]
    drawn = draw_chances(tables)
    rests = card_text("resting", rests=report.facts["rests"]) if drawn else ""
    more += figures + draw_crowd(report) + drawn + write_paragraph(rests, class_=TERM)
    more += write_tables(report, report.tables, most)
    return body + _html.element("div", more, class_="vk-more")


def _write_section(heading: str, lines: Iterable[str]) -> str:
    """Lines below their heading; nothing where there are none."""
    written = "".join(lines)
    if written.startswith("<li"):
        written = _html.element("ul", written)
    return written and _html.element("h3", escape(card_text(heading))) + written


def write_head(report: SubjectReport, told: Mapping[str, list[str]]) -> str:
    """What somebody could learn of her, how likely that is, and what she can do now."""
    look, sign = LOOKS[report.headline.state.partition("-")[0]]
    tag = f'<span aria-hidden="true">{sign}</span> {escape(report.headline.tag)}'
    head = _html.element("span", tag, class_="vk-tag")
    head += "".join(map(write_paragraph, told.get("harm", ())))
    first, stop, rest = report.headline.text.partition(". ")
    said = f"<b>{escape(first + stop.strip())}</b> {escape(rest)}"
    head += _html.element("p", said.strip(), class_="vk-first")
    if report.headline.people:
        label = " – ".join(card_text("of-100", chance=str(n)) for n in report.headline.people)
        head += _svg.people(report.headline.people, label)
    head += "".join(write_paragraph(t) for t in told.get("share", ()))
    name = _html.element("b", escape(card_text("labelled", label=card_text("next"))))
    step = " ".join([told["now"][0], *told.get("whom", ())])
    head += _html.element("p", f"{name} {escape(step)}")
    return _html.element("div", head, class_=f"vk-head {look}".strip())


def say_aloud(report: SubjectReport) -> str:
    """What a screen reader says when the answer changes: the headline, then her distance."""
    said, closest = report.headline.text, report.sentence("S1") or ""
    told = [card_text("labelled", label=report.headline.tag), said]
    return " ".join([*told, *([closest] if closest not in said else [])])


def write_paragraph(words: str, **attributes: str) -> str:
    """A paragraph; nothing where there are no words."""
    return _html.element("p", escape(words), **attributes) if words else ""


def write_waiting(words: str) -> str:
    """The card before there is anything to answer."""
    return write_paragraph(words, class_="soft")


def write_problem(words: str) -> str:
    """An error that concerns no single box."""
    told = mark_language(words)
    return _html.element("p", escape(words), class_="vk-error", role="alert", **told)


def write_outdated(card: str) -> str:
    """The last answer, greyed: it was for other values."""
    word = write_paragraph(card_text("outdated"), class_="vk-word")
    return _html.element(
        "div", word + _html.element("div", card, class_="vk-old"), class_="vk-stale"
    )


def draw_places(report: SubjectReport, schema: Schema) -> str:
    """The picture of her places and those of the closest record, and the table of them."""
    lines = [
        _svg.RankLine(
            schema[line.attribute].title,
            (line.first_rank, line.last_rank),
            (line.match_first, line.match_last),
            (line.window_first, line.window_last),
        )
        for line in report.attributes.dropna(subset="first_rank").itertuples()
    ]
    size = int(report.facts["records"])
    asked = report.attributes["required_distance"].notna().any()
    near = card_text("window-asked" if asked else "window")
    of = "-named" if report.facts.get("named") else ""  # whose places the lines show
    marks = (("you", card_text("you")), ("record", card_text(f"record{of}")), ("near", near))
    said = [card_text("picture", records=size)]
    for line in lines:
        places = {"own": block_words(*line.own), "match": block_words(*line.record)}
        said.append(card_text(f"line{of}", title=line.label, **places))
    ends = card_text("lowest"), card_text("highest")
    drawn = _svg.rank_lines(lines, size, f"{'. '.join(said)}.", ends) + _svg.legend(marks)
    drawn = drawn if lines else ""
    ranked = make_scrollable(make_ranked_table(report, schema), card_text("numbers"))
    spreads = map(spread_words, dict.fromkeys(report.attributes["criterion"]))
    drawn += write_paragraph(term_text("places"), class_=TERM) + ranked
    return drawn + "".join(write_paragraph(w, class_=TERM) for w in (tied_words(report), *spreads))


def write_tables(
    report: SubjectReport, tables: Mapping[str, pd.DataFrame], most: int, without: str = FORMULA
) -> str:
    """The tables of a report that is about groups, not ranks, and how many lines follow."""
    written = ""
    for name, frame in tables.items():
        rest = len(frame) - most
        if len(frame):
            title = table_name(name)
            shown = name_columns(frame.drop(columns=without, errors="ignore")[:most], report)
            written += _html.element("h3", escape(title)) + make_scrollable(shown, title)
        if rest > 0:  # of a table that was cut before, nobody knows how many
            cut = len(frame) >= MAX_LINES
            lines = card_text("more").strip() if cut else card_text("lines", count=rest)
            written += _html.element("p", lines, class_="soft")
    return written


def make_scrollable(frame: pd.DataFrame, label: str) -> str:
    """A table that can be scrolled by itself, by keyboard too."""
    if spoken_language().code != "en":  # numbers, and yes and no, as its people write them
        columns = [write_cells(frame.iloc[:, at].tolist()) for at in range(frame.shape[1])]
        shown = pd.DataFrame(dict(enumerate(columns)), dtype=object)
        frame = shown.set_axis(frame.columns, axis=1)
    written = _html.table(frame)
    look = {"class_": "vk-scroll", "role": "region", "tabindex": "0", "aria_label": label}
    return _html.element("div", written, **look)


def write_details(report: SubjectReport) -> str:
    """Sentences for those who want to follow the numbers, with their source."""
    facts = report.facts
    texts = [part.text for part in report.parts if part.name == "detail"]
    if "criterion" in facts:
        pairs = zip(*(facts[name].split(", ") for name in ("criterion", "direction")), strict=True)
        for name, word in pairs:
            direction = spoken_language().fill_in("{direction:term}", {"direction": word})
            texts.append(card_text("measure", measure=measure_text(name), direction=direction))
    if len(report.matches):
        texts += [nearest_words(report), card_text("follow")]
    if sentence_text("split.formula") in report.notes:
        texts.append(sentence_text("split.formula"))
        printed = {name: frame for name, frame in report.tables.items() if FORMULA in frame}
        tables = write_tables(report, printed, LINES, without="of 100 everywhere")
    else:
        tables = ""
    lines = "".join(map(write_paragraph, texts)) + tables
    summary = _html.element("summary", escape(card_text("details")))
    return _html.element("details", summary + lines, id="vk-details") if lines else ""
