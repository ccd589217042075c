"""The answer as a card: headline, three numbers, picture, table, limits, details, slip."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

from verikit._support import html as _html
from verikit._support import svg as _svg
from verikit.languages import card_text, sentence_text, spoken_language
from verikit.subject._card_words import (
    block_words,
    do_now,
    localize_table,
    make_ranked_table,
    measure_text,
    name_columns,
    nearest_words,
    say_of_her,
    spread_words,
    table_name,
    term_text,
    tied_words,
)
from verikit.subject._guess import MAX_LINES
from verikit.subject._pictures import draw_chances, draw_crowd
from verikit.table import Schema

if TYPE_CHECKING:
    from verikit.subject._report import SubjectReport

SHORT = 8
LINES = 20  # of a table of groups or values on the screen; the report holds all
FORMULA = "formula in print"  # for those who follow the paper: it stands under the details
LIMITS = ("S7", "S12")
JUDGED = ("R",)
ELSEWHERE = (*LIMITS, *JUDGED, "S11")
LOOKS = {"warning": ("warning", "⚠\ufe0e"), "no": ("", "○"), "cannot": ("unknown", "?")}


def write_card(report: SubjectReport, schema: Schema, table: str = "") -> str:
    """The whole card of a report; the slip names the table."""
    return write_body(report, schema) + _write_details(report) + _link_slip(report, schema, table)


def write_body(report: SubjectReport, schema: Schema, most: int = LINES, after: str = "") -> str:
    """What is the same on the screen and on the slip; of long tables the first lines.

    What follows the answer, with whatever comes ``after`` it, is one block, which paper sets in
    two columns.
    """
    ranked = "first_rank" in report.attributes
    groups = "" if ranked else draw_crowd(report) + _draw_chances(report, most)
    tables = "" if ranked else _write_tables(report, report.tables, most)
    more = "".join((groups, tables, _write_found(report), _write_limits(report), after))
    return "".join(
        (
            _write_head(report),
            _write_notes(report),
            _write_figures(report),
            _draw_places(report, schema) + _write_ranked_table(report, schema) if ranked else "",
            _html.element("div", more, class_="vk-more"),
        )
    )


def _draw_chances(report: SubjectReport, most: int) -> str:
    """The picture of the chances, and below it what they rest on."""
    drawn = draw_chances(_cut_tables(report, most))
    return drawn and drawn + _write_term(card_text("resting", rests=report.facts["rests"]))


def _cut_tables(report: SubjectReport, most: int) -> dict[str, pd.DataFrame]:
    """The tables to draw from, each with as many lines as are shown of it."""
    tables = dict(report.tables)
    if "distribution" in tables:
        tables["distribution"] = tables["distribution"][:most]
    if "attribute" in tables.get("values", ()):
        tables["values"] = tables["values"].groupby("attribute", sort=False).head(most)
    return tables


def say_aloud(report: SubjectReport) -> str:
    """What a screen reader says when the answer changes: the headline, then her distance."""
    said = report.headline.text
    first = report.sentences[0].text if report.sentences else ""
    closest = report.sentence("S1") or first
    return f"{report.headline.tag}: {said} {closest if closest not in said else ''}".strip()


def write_waiting(words: str) -> str:
    """The card before there is anything to answer."""
    return _html.element("p", escape(words), class_="soft")


def write_problem(words: str) -> str:
    """An error that concerns no single box."""
    return _html.element("p", escape(words), class_="vk-error", role="alert")


def write_outdated(card: str) -> str:
    """The last answer, greyed: it was for other values."""
    word = _html.element("p", escape(card_text("outdated")))
    old = _html.element("div", card, class_="vk-old")
    return _html.element(
        "div", word.replace("<p", '<p class="vk-word"', 1) + old, class_="vk-stale"
    )


def _write_head(report: SubjectReport) -> str:
    """What it means, how it is with her, and what she can do: the rest stands further down."""
    look, sign = LOOKS[report.headline.state.partition("-")[0]]
    tag = f'<span aria-hidden="true">{sign}</span> {escape(report.headline.tag)}'
    first, stop, rest = _complete_headline(report).partition(". ")
    lines = [
        _html.element("span", tag, class_="vk-tag"),
        _html.element(
            "p", f"<b>{escape(first + stop.strip())}</b> {escape(rest)}", class_="vk-first"
        ),
        _write_labelled(card_text("hers"), say_of_her(report)),
        _write_labelled(card_text("next"), do_now(report)),
    ]
    return _html.element("div", "".join(lines), class_=f"vk-head {look}".strip())


def _complete_headline(report: SubjectReport) -> str:
    """The headline, and the end of the sentence that it begins, if that is short."""
    rest = next(
        (
            _rest_of(s.text, report)
            for s in report.sentences
            if s.text.startswith(report.headline.text)
        ),
        "",
    )
    return f"{report.headline.text} {rest if len(rest.split()) <= SHORT else ''}".strip()


def _rest_of(text: str, report: SubjectReport) -> str:
    return text.removeprefix(report.headline.text).strip()


def _write_labelled(what: str, words: str) -> str:
    head = _html.element("b", escape(card_text("labelled", label=what)))
    return _html.element("p", f"{head} {escape(words)}") if words else ""


def _write_found(report: SubjectReport) -> str:
    """The sentences behind the head, with the meaning of a term below the one that uses it."""
    said = [(_rest_of(s.text, report), s.key) for s in report.sentences if s.key not in ELSEWHERE]
    lines = "".join(
        _html.element("p", escape(text)) + _write_term(term_text(key))
        for text, key in said
        if text and text not in _complete_headline(report)
    )
    return _html.element("h3", escape(card_text("found"))) + lines if lines else ""


def _write_term(words: str) -> str:
    return _html.element("p", escape(words), class_="vk-term soft") if words else ""


def _write_notes(report: SubjectReport) -> str:
    elsewhere = (sentence_text("split.formula"), sentence_text("common.cut", most=MAX_LINES))
    known = [note for note in report.notes if note not in elsewhere]
    lines = [_html.element("p", escape(note), class_="vk-note") for note in known]
    judged = report.sentence("R")
    if judged:
        look = "vk-met" if report.met else "vk-unmet"
        lines.insert(0, _html.element("p", escape(judged), class_=look))
    return "".join(lines)


def _write_figures(report: SubjectReport) -> str:
    boxes = "".join(
        _html.element("div", _html.element("b", escape(f.value)) + escape(f.words))
        for f in report.figures
    )
    return _html.element("div", boxes, class_="vk-nums") if boxes else ""


def _draw_places(report: SubjectReport, schema: Schema) -> str:
    lines = [
        _svg.RankLine(
            schema[line.attribute].title,
            (line.first_rank, line.last_rank),
            (line.match_first, line.match_last),
            (line.window_first, line.window_last),
        )
        for line in report.attributes.itertuples()
    ]
    asked = report.attributes["required_distance"].notna().any()
    near = card_text("window-asked" if asked else "window")
    marks = (("you", card_text("you")), ("record", card_text("record")), ("near", near))
    drawn = _svg.rank_lines(lines, int(report.facts["records"]), _say_places) + _svg.legend(marks)
    return drawn + _write_term(term_text("places"))


def _write_ranked_table(report: SubjectReport, schema: Schema) -> str:
    ranked = _make_scrollable(
        localize_table(make_ranked_table(report, schema)), card_text("numbers")
    )
    spread = spread_words(str(report.facts.get("criterion", "")))
    return ranked + _write_term(tied_words(report)) + _write_term(spread)


def _say_places(name: str, **told: Any) -> str:
    """What the picture of places says, its ranks in words."""
    blocks = {k: block_words(*v) if isinstance(v, tuple) else v for k, v in told.items()}
    return card_text(name, **blocks)


def _write_tables(
    report: SubjectReport, tables: Mapping[str, pd.DataFrame], most: int, without: str = FORMULA
) -> str:
    """The tables of a report that is about groups, not ranks."""
    shown = {name: frame.drop(columns=without, errors="ignore") for name, frame in tables.items()}
    return "".join(
        _html.element("h3", escape(table_name(name)))
        + _make_scrollable(localize_table(name_columns(frame[:most], report)), table_name(name))
        + _count_left_out(len(frame[:most]), len(frame))
        for name, frame in shown.items()
        if len(frame)
    )


def _count_left_out(shown: int, lines: int) -> str:
    """How many lines follow; of a table that was cut before, nobody knows."""
    if shown >= lines:
        return ""
    rest = (
        card_text("lines", count=lines - shown) if lines < MAX_LINES else card_text("more").strip()
    )
    return _html.element("p", rest, class_="soft")


def _make_scrollable(frame: pd.DataFrame, label: str) -> str:
    """A table that can be scrolled by itself, by keyboard too."""
    return _html.element(
        "div",
        _html.table(frame),
        class_="vk-scroll",
        role="region",
        tabindex="0",
        aria_label=label,
    )


def _write_limits(report: SubjectReport) -> str:
    said = [report.sentence(key) for key in LIMITS]
    lines = "".join(_html.element("p", escape(text)) for text in said if text)
    return _html.element("h3", escape(card_text("limits"))) + lines if lines else ""


def _write_details(report: SubjectReport) -> str:
    """Sentences for those who want to follow the numbers, with their source."""
    facts = report.facts
    texts = [text for text in [report.sentence("S11")] if text]
    if "criterion" in facts:
        direction = spoken_language().fill_in("{direction:term}", {"direction": facts["direction"]})
        texts.append(
            card_text("measure", measure=measure_text(facts["criterion"]), direction=direction)
        )
    if len(report.matches):
        texts += [nearest_words(report), card_text("follow")]
    lines = "".join(_html.element("p", escape(text)) for text in texts) + _write_formula(report)
    summary = _html.element("summary", escape(card_text("details")))
    return _html.element("details", summary + lines, id="vk-details") * bool(lines)


def _write_formula(report: SubjectReport) -> str:
    """A formula in print beside the chances, for those who follow the paper."""
    values = {n: frame for n, frame in report.tables.items() if FORMULA in frame}
    if sentence_text("split.formula") not in report.notes:
        return ""
    note = _html.element("p", escape(sentence_text("split.formula")))
    return note + _write_tables(report, values, LINES, without="of 100 everywhere")


def _link_slip(report: SubjectReport, schema: Schema, table: str) -> str:
    content = b64encode(report.to_html(schema=schema, table=table).encode()).decode()
    link = _html.element(
        "a",
        escape(card_text("download")),
        class_="vk-button",
        download="verikit-slip.html",
        href=f"data:text/html;charset=utf-8;base64,{content}",
    )
    care = _html.element("p", escape(card_text("mine")), class_="soft")
    return _html.element("div", link + care, class_="vk-slip")
