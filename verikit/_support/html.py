"""Small pieces of HTML that reports share; every text is escaped here and nowhere else."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from verikit.errors import shortened
from verikit.words import digits, text

MANY = 10_000  # from here on whole numbers are written in thousands; below may be a year
STYLE = """
:root{--ink:#1b1f24;--soft:#55606b;--line:#d5dbe1;--wash:#f5f7f9;--blue:#0072b2;--warn:#9a4300}
.vk{font:16px/1.5 system-ui,"DejaVu Sans",sans-serif;color:var(--ink);max-width:46rem}
.vk table{border-collapse:collapse;font-size:.92em;margin:.6em 0}
.vk th,.vk td{padding:.25em .6em;border-bottom:1px solid var(--line);text-align:right}
.vk th:first-child,.vk td:first-child{text-align:left}.vk .soft{color:var(--soft)}
.vk .head{border-left:6px solid var(--blue);padding:.1em 0 .1em .8em}
.vk .head.warning{border-color:#d55e00}.vk .tag{font-weight:600;color:var(--blue)}
.vk .head.warning .tag{color:var(--warn)}
@media(prefers-color-scheme:dark){:root{--ink:#e8ebee;--soft:#a9b4be;--line:#46505a;--wash:#22272c;
--blue:#6cb8e6;--warn:#ffb27a}.vk-page{background:#16191c}}
"""


def element(tag: str, content: str, **attributes: str) -> str:
    """One element around content that is HTML already; attribute values are escaped."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value, quote=True)}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{content}</{tag}>"


def cell(value: Any) -> str:
    """One value as a person reads it: few digits, yes and no, a dash where there is none.

    Numbers of everyday size have two decimals, very small and large ones three digits.
    """
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return "–"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        plain = float(value)
        if plain and not 0.1 <= abs(plain) < 1e15:
            return escape(digits(plain, 3))
        return f"{plain:,.2f}".rstrip("0").rstrip(".")
    if isinstance(value, (int, np.integer)):
        size = abs(int(value))
        number = f"{value:,}" if MANY <= size < 1e15 else text(value)
        return escape(shortened(number, 200))
    return escape(str(value))


def alike(values: Sequence[Any]) -> list[str]:
    """The cells of one column: everyday numbers with as many decimals as the longest of them.

    Whole numbers among others are written as those are; among themselves all in thousands where one
    of them is large.

    Examples
    --------
    >>> alike([33.333, 50.0, None]), alike([12000, 3]), alike([0.00012, 5.0])
    (['33.33', '50.00', '–'], ['12,000', '3'], ['0.00012', '5'])
    >>> alike([12000, 3424]), alike([3424, 1996])
    (['12,000', '3,424'], ['3424', '1996'])
    >>> alike([1000, 999.1])
    ['1,000.0', '999.1']
    >>> alike([0.05, 0.1])
    ['0.05', '0.10']
    """
    wholes = [
        isinstance(v, (int, np.integer)) and not isinstance(v, bool) and abs(int(v)) < 1e15
        for v in values
    ]
    numbers = [isinstance(v, (float, np.floating)) and bool(np.isfinite(v)) for v in values]
    if any(numbers):
        numbers = [number or whole for number, whole in zip(numbers, wholes, strict=True)]
        values = [float(v) if whole else v for v, whole in zip(values, wholes, strict=True)]
    elif any(whole and abs(int(v)) >= MANY for v, whole in zip(values, wholes, strict=True)):
        shown = zip(values, wholes, strict=True)
        return [f"{int(v):,}" if whole else cell(v) for v, whole in shown]
    cells = [cell(value) for value in values]
    sizes = [abs(v) for v, number in zip(values, numbers, strict=True) if number and v]
    least = 0.01 if max(sizes, default=0) < 1 else 0.1
    if not any(numbers) or not all(least <= size < 1e15 for size in sizes):
        return cells
    lengths = [len(c.partition(".")[2]) for c, number in zip(cells, numbers, strict=True) if number]
    return [
        f"{value:,.{max(lengths)}f}" if number else shown
        for value, number, shown in zip(values, numbers, cells, strict=True)
    ]


def table(frame: pd.DataFrame, names: Mapping[str, str] | None = None) -> str:
    """A frame as a table with a header line and no index."""
    names = names or {}
    heads = "".join(
        element("th", escape(names.get(str(n), str(n))), scope="col") for n in frame.columns
    )
    columns = [alike(frame.iloc[:, at].tolist()) for at in range(frame.shape[1])]
    lines = "".join(
        element("tr", "".join(element("td", value) for value in row))
        for row in zip(*columns, strict=True)
    )
    return element("table", element("thead", element("tr", heads)) + element("tbody", lines))


def result(said: str, *tables: pd.DataFrame) -> str:
    """What a result comes to: a paragraph for each line that is said, its tables below."""
    shown = write_paragraphs(*said.split("\n")) + "".join(map(table, tables))
    return f"<style>{STYLE}</style>" + element("div", shown, class_="vk")


def write_paragraphs(*sentences: str) -> str:
    """Write a paragraph for each sentence that says anything."""
    return "".join(element("p", escape(words)) for words in sentences if words)


def name(text: str) -> str:
    """A name or id that somebody chose, in letters of any direction, which end with it."""
    return element("bdi", escape(text))


def hashed(content: str) -> str:
    """How a policy names a script or a style: by its hash."""
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


def page(
    title: str, body: str, *, style: str = STYLE, script: str = "", language: str = "en"
) -> str:
    """A page of its own that asks nothing from outside, as its policy forbids it.

    Parameters
    ----------
    title
        What stands on the tab.
    body
        HTML.
    style
        Its style sheet.
    script
        The one script that may run; nothing else may, whatever the body holds.
    language
        Of its words.
    """
    policy = "; ".join(
        (
            "default-src 'none'",
            *([f"script-src {hashed(script)}"] if script else []),
            "style-src 'unsafe-inline'",
            "img-src data:",
            "form-action 'none'",
            "base-uri 'none'",
        )
    )
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{style}</style>"
    )
    body += f"<script>{script}</script>" if script else ""
    body = f'<body class="vk-page">{body}</body>'
    return f'<!doctype html><html lang="{language}"><head>{head}</head>{body}</html>'
