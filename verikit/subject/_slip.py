"""The slip to keep: the card of a check as one page of paper, with what was checked and when."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from html import escape
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from verikit._support import html as _html
from verikit.languages import card_text, use_language
from verikit.subject._card import write_body
from verikit.subject._card_words import method_words
from verikit.table import Column, Schema

if TYPE_CHECKING:
    from verikit.subject._report import SubjectReport

LINES = 6
FULL, LINE = 2_600, 60  # from so many letters on, a line of a table being as many, print is smaller
STYLE = """
:root{--vk-ink:#1b1f24;--vk-soft:#55606b;--vk-line:#d5dbe1;--vk-edge:#7d8790;--vk-wash:#f5f7f9;
--vk-blue:#0072b2;--vk-orange:#d55e00;--vk-warn:#9a4300;--vk-sky:#56b4e9;--vk-dot:#7d8790;
--vk-paper:#fff;--vk-good:#00644b}
*{box-sizing:border-box}
body{margin:0 auto;padding:14px;max-width:46rem;color:var(--vk-ink);background:var(--vk-paper);
font:15px/1.4 system-ui,"DejaVu Sans",sans-serif;overflow-wrap:break-word}
h1{font-size:1.45em;line-height:1.25;margin:0 0 .3em}h2,h3{font-size:1.05em;margin:.8em 0 .2em}
p,ul{margin:.25em 0}ul{padding-left:1.2em}li{margin:.15em 0}.soft,small{color:var(--vk-soft)}
.vk-facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:0 .9em;
margin:.3em 0 .8em;font-size:.9em}.vk-facts dt{color:var(--vk-soft)}
.vk-facts dd{margin:0;overflow-wrap:anywhere}
.vk-head{border-left:6px solid var(--vk-blue);padding:.1em 0 .1em .8em}
.vk-head.warning{border-left-color:var(--vk-orange)}
.vk-head.unknown{border-left:6px double var(--vk-edge)}
.vk-tag{display:inline-block;border:1.5px solid var(--vk-blue);color:var(--vk-blue);
border-radius:99px;padding:0 .7em;font-size:.87em;font-weight:600}
.warning>.vk-tag{border-color:var(--vk-orange);color:var(--vk-warn)}
.unknown>.vk-tag{border-color:var(--vk-edge);color:var(--vk-soft)}
.vk-first>b{font-size:1.15em}.vk-met,.vk-unmet{font-weight:600}
.vk-met::before{content:"\\2713\\00A0"}.vk-unmet::before{content:"\\2717\\00A0"}
.vk-nums{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:8px;margin:.7em 0}
.vk-nums div{background:var(--vk-wash);border-radius:6px;padding:6px 10px;font-size:.93em}
.vk-nums b{display:block;font-size:1.3em}
svg{display:block;overflow:visible;margin:.3em 0}.vk-people{width:100%;max-width:21rem}
.vk-legend{display:flex;flex-wrap:wrap;gap:0 16px;font-size:.87em}
.vk-legend span{display:inline-flex;align-items:center;gap:5px}.vk-legend svg{margin:0}
table{border-collapse:collapse;width:100%;font-size:.87em;margin:.4em 0}
.vk-scroll{overflow-x:auto}
th,td{text-align:right;vertical-align:bottom;padding:2px 6px;border-bottom:1px solid var(--vk-line)}
.vk-term{font-size:.85em;margin:0}
th:first-child,td:first-child{text-align:left}th{color:var(--vk-soft)}
@media(max-width:30rem){.vk-nums,.vk-facts{grid-template-columns:minmax(0,1fr)}
.vk-facts dd{margin-bottom:.3em}table{font-size:.72em}th,td{padding:2px 3px}th{hyphens:auto}}
@media screen and (prefers-color-scheme:dark){:root{--vk-ink:#e8ebee;--vk-soft:#a9b4be;
--vk-line:#434c56;--vk-edge:#8a949e;--vk-paper:#1e2328;--vk-wash:#292f36;--vk-blue:#6cb8e6;
--vk-orange:#f08a3c;--vk-warn:#ffb27a;--vk-dot:#98a3ad;color-scheme:dark}}
@page{size:A4;margin:12mm 14mm}
@media print{.vk-people{max-width:10rem}
body{padding:0;max-width:none;font-size:9.4pt;line-height:1.3}
h1{margin:0 0 .1em}.vk-facts{margin:.2em 0 .5em}.vk-nums{margin:.5em 0}
.vk-scroll{overflow:visible}section,.vk-nums div,svg,table,p,li{break-inside:avoid}
.vk-more{columns:2;column-gap:9mm;margin-top:.6em}.vk-more>:first-child{margin-top:0}
h3{break-after:avoid}.vk-more :is(th,td){padding:2px 3px}
.vk-more table:has(th:nth-child(6)){font-size:.76em}.vk-scroll+.soft{break-before:avoid}
html:not([lang=en]) body{font-size:8.8pt;line-height:1.25}
html body:has(.vk-full){font-size:8.2pt;line-height:1.22}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""


def write_slip(report: SubjectReport, schema: Schema | None, table: str, checksum: str) -> str:
    """One page: what was checked, the answer as the card gives it, and what to do next.

    Parameters
    ----------
    report
        The check.
    schema
        The columns with their labels and units; by their names alone where none is given.
    table, checksum
        The name of what she checked against and the SHA-256 of its file, where they are known.

    Returns
    -------
    str
        A page of its own, which asks nothing from outside.

    Examples
    --------
    >>> import verikit as vk
    >>> report = vk.check({"X1": 100.87}, vk.published("dm_table1_masked"))
    >>> page = write_slip(report, None, "masked.csv", "")
    >>> "masked.csv, 20 records" in page, "What this does not tell you" in page
    (True, True)
    """
    facts, records = report.facts, int(report.facts.get("records", 0))
    name = ", ".join([*list_about(facts, "title"), *([table] if table else [])])
    if schema is None:  # the attributes by their names, as nothing else is known of them
        names = dict.fromkeys(facts.get("attributes") or ["value"])
        schema = Schema(tuple(Column(name, kind="nominal") for name in names))
    with use_language(report.headline.language):
        today = datetime.now(UTC).date().isoformat()
        known = {
            "table": card_text("table-of", table=name or card_text("unnamed"), records=records),
            "published-by": ", ".join(list_about(facts, "publisher", "contact", "year", "licence")),
            "concerns": ", ".join(list_about(facts, "people")),
            "making": method_words(str(facts.get("method", "")), facts.get("parameters", {})),
            "checksum": checksum,
            "checked": card_text("checked-on", date=today, version=version("verikit")),
        }
        lines = "".join(
            _html.element("dt", escape(card_text(name))) + _html.element("dd", _html.name(value))
            for name, value in known.items()
            if value
        )
        head = _html.element("h1", escape(card_text("slip")))
        head += _html.element("dl", lines, class_="vk-facts")
        content = head + write_body(report, schema, LINES)
        content += _html.element("p", escape(card_text("mine")), class_="soft")
        title = card_text("slip-title", table=name or card_text("some-table"))
    letters = len(re.sub(r"<[^>]*>", "", content)) + LINE * content.count("<tr")
    look = ' class="vk-full"' if letters > FULL else ""
    main = f"<main{look}>{content}</main>"
    return _html.page(title, main, style=STYLE, language=report.headline.language)


def list_about(facts: Mapping[str, Any], *names: str) -> list[str]:
    """What a publisher says of a publication, of some names."""
    about = facts.get("about", {})
    return [about[name] for name in names if name in about]
