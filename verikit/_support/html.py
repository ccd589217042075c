"""Small pieces of HTML that reports share; every text is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from verikit.errors import shortened
from verikit.words import text

__all__ = ["cell", "element", "page", "table"]

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
    """One value as a person reads it: few digits, yes and no, a dash where there is none."""
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return "–"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return escape(_short(float(value)))
    return escape(shortened(text(value), 200) if isinstance(value, int) else str(value))


def _short(value: float) -> str:
    """Two decimals for numbers of everyday size, three digits for very small and large ones."""
    if value and not 0.1 <= abs(value) < 1e15:
        return f"{value:.3g}"
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def table(frame: pd.DataFrame, names: Mapping[str, str] | None = None) -> str:
    """A frame as a table with a header line and no index."""
    names = names or {}
    heads = "".join(
        element("th", escape(names.get(str(n), str(n))), scope="col") for n in frame.columns
    )
    rows: Iterable[tuple[Any, ...]] = frame.itertuples(index=False, name=None)
    lines = "".join(
        element("tr", "".join(element("td", cell(value)) for value in row)) for row in rows
    )
    return element("table", element("thead", element("tr", heads)) + element("tbody", lines))


def page(title: str, body: str) -> str:
    """A page of its own that asks nothing from outside."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
    )
    return f'<!doctype html><html lang="en">{head}<body class="vk-page">{body}</body></html>'
