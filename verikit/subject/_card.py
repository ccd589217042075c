"""The answer as a card: headline, three numbers, picture, table, limits, details, slip."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

import pandas as pd

from verikit._support import html as _html
from verikit._support import svg as _svg
from verikit._support.told import mark_language
from verikit.languages import card_text, sentence_text, spoken_language
from verikit.subject._card_words import (
    block_words,
    do_now,
    make_ranked_table,
    measure_text,
    name_columns,
    nearest_words,
    say_of_her,
    spread_words,
    table_name,
    term_text,
    tied_words,
    write_cells,
)
from verikit.subject._guess import MAX_LINES
from verikit.subject._pictures import draw_chances, draw_crowd
from verikit.table import Schema

if TYPE_CHECKING:
    from verikit.subject._report import SubjectReport

SHORT = 8
LINES = 20  # of a table of groups or values on the screen; the report holds all
TERM = "vk-term soft"  # what a word means, or what chances rest on, in small print
FORMULA = "formula in print"  # for those who follow the paper: it stands under the details
LIMITS = ("S7", "S12")
ELSEWHERE = (*LIMITS, "R", "S11")
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
    return write_body(report, schema) + details + _html.element("div", keep, class_="vk-slip")


def write_body(report: SubjectReport, schema: Schema, most: int = LINES, after: str = "") -> str:
    """What is the same on the screen and on the slip; of long tables the first lines.

    What follows the answer, with whatever comes ``after`` it, is one block, which paper sets in
    two columns.
    """
    figures = "".join(
        _html.element("div", _html.element("b", escape(f.value)) + escape(f.words))
        for f in report.figures
    )
    body = write_head(report) + write_notes(report)
    body += _html.element("div", figures, class_="vk-nums") if figures else ""
    if "first_rank" in report.attributes:
        groups, body = "", body + draw_places(report, schema)
    else:
        tables = dict(report.tables)  # with as many lines to draw from as are shown
        if "distribution" in tables:
            tables["distribution"] = tables["distribution"][:most]
        if "attribute" in tables.get("values", ()):
            tables["values"] = tables["values"].groupby("attribute", sort=False).head(most)
        drawn = draw_chances(tables)
        rests = card_text("resting", rests=report.facts["rests"]) if drawn else ""
        groups = draw_crowd(report) + drawn + write_paragraph(rests, class_=TERM)
        groups += write_tables(report, report.tables, most)
    limits = "".join(write_paragraph(report.sentence(key) or "") for key in LIMITS)
    limits = limits and _html.element("h3", escape(card_text("limits"))) + limits
    more = groups + write_sentences(report) + limits + after
    return body + _html.element("div", more, class_="vk-more")


def write_paragraph(words: str, **attributes: str) -> str:
    """A paragraph; nothing where there are no words."""
    return _html.element("p", escape(words), **attributes) if words else ""


def say_aloud(report: SubjectReport) -> str:
    """What a screen reader says when the answer changes: the headline, then her distance."""
    said = report.headline.text
    first = report.sentences[0].text if report.sentences else ""
    closest = report.sentence("S1") or first
    return f"{report.headline.tag}: {said} {closest if closest not in said else ''}".strip()


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


def write_head(report: SubjectReport) -> str:
    """What it means, how it is with her, and what she can do: the rest stands further down."""
    look, sign = LOOKS[report.headline.state.partition("-")[0]]
    tag = f'<span aria-hidden="true">{sign}</span> {escape(report.headline.tag)}'
    first, stop, rest = complete_headline(report).partition(". ")
    said = f"<b>{escape(first + stop.strip())}</b> {escape(rest)}"
    head = _html.element("span", tag, class_="vk-tag") + _html.element("p", said, class_="vk-first")
    for label, words in (("hers", say_of_her(report)), ("next", do_now(report))):
        name = _html.element("b", escape(card_text("labelled", label=card_text(label))))
        head += _html.element("p", f"{name} {escape(words)}") if words else ""
    return _html.element("div", head, class_=f"vk-head {look}".strip())


def complete_headline(report: SubjectReport) -> str:
    """The headline, and the end of the sentence that it begins, if that is short."""
    head = report.headline.text
    longer = (said.text for said in report.sentences if said.text.startswith(head))
    rest = next(longer, head).removeprefix(head).strip()
    return f"{head} {rest if len(rest.split()) <= SHORT else ''}".strip()


def write_sentences(report: SubjectReport) -> str:
    """The sentences behind the head, with the meaning of a term below the one that uses it."""
    lines, head = "", complete_headline(report)
    for said in report.sentences:
        text = said.text.removeprefix(report.headline.text).strip()
        if said.key not in ELSEWHERE and text not in head:  # as no text is
            lines += write_paragraph(text) + write_paragraph(term_text(said.key), class_=TERM)
    return _html.element("h3", escape(card_text("found"))) + lines if lines else ""


def write_notes(report: SubjectReport) -> str:
    """Whether her requirement is met, and what she should know of her values."""
    elsewhere = (sentence_text("split.formula"), sentence_text("common.cut", most=MAX_LINES))
    look = {True: "vk-met", False: "vk-unmet", None: "vk-note"}[report.met]
    return write_paragraph(report.sentence("R") or "", class_=look) + "".join(
        write_paragraph(note, class_="vk-note") for note in report.notes if note not in elsewhere
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
    texts = [report.sentence("S11") or ""]
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
