"""Slides of a notebook: one page that works without network, moved by the arrow keys."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from verikit._support.extras import needed
from verikit._support.html import page
from verikit._support.resources import notebooks_dir
from verikit._support.writing import together
from verikit.errors import FormatError, quoted
from verikit.teach._notebook import opened

__all__ = ["slides"]

HEADING = r"^##? "
TAGS = ("slide", "skip", "notes")
STYLE = """
:root{color-scheme:light dark}
body{margin:0;font:clamp(18px,2.2vw,28px)/1.45 system-ui,"DejaVu Sans",sans-serif}
section{display:none;box-sizing:border-box;min-height:100vh;padding:4vh 6vw 12vh}
section.now{display:block}
pre{font-size:.72em;overflow:auto;padding:.6em;border:1px solid GrayText;border-radius:4px}
table{border-collapse:collapse;font-size:.8em}
th,td{padding:.2em .6em;border-bottom:1px solid GrayText}
img{max-width:100%}
aside,.anchor-link{display:none}
.speak aside{display:block;border-left:6px solid #0072b2;padding-left:1em}
nav{position:fixed;right:0;bottom:0;padding:.4em 1em;background:Canvas;
border-top:1px solid GrayText}
button{font:inherit;min-width:2.5em;min-height:2em}
@media print{section{display:block;break-after:page}nav{display:none}}
"""
SCRIPT = """
const all = [...document.querySelectorAll("section")];
let at = 0;
function go(to) {
  at = Math.max(0, Math.min(all.length - 1, to));
  all.forEach((one, i) => one.classList.toggle("now", i === at));
  document.getElementById("where").textContent = (at + 1) + " of " + all.length;
  scrollTo(0, 0);
}
addEventListener("keydown", (event) => {
  if (event.target.tagName === "BUTTON" && event.key === " ") return;
  const step = {ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1}[event.key];
  if (step) { event.preventDefault(); go(at + step); }
  if (event.key === "Home") go(0);
  if (event.key === "End") go(all.length - 1);
  if (event.key === "s") document.body.classList.toggle("speak");
});
document.getElementById("back").onclick = () => go(at - 1);
document.getElementById("on").onclick = () => go(at + 1);
go(0);
"""


def slides(notebook: str | Path, file: str | Path, *, replace: bool = False) -> int:
    """Write the slides of a notebook as one page.

    A heading begins a slide, as does a cell tagged ``slide``; a cell tagged ``skip`` is left out,
    one tagged ``notes`` is shown by the key s alone. What nbconvert's ``slideshow`` metadata say
    counts as such a tag. Nothing is run: outputs are those that the notebook holds. Of a prediction
    the question and its options are shown; what follows it begins a slide, as the answer.

    Parameters
    ----------
    notebook
        A file, or the name of a notebook of verikit, such as ``"01_k_anonymity"``.
    file
        Where to write the page.
    replace
        Whether it may replace what is there.

    Returns
    -------
    int
        How many slides they are.

    Raises
    ------
    FormatError
        If there is no such notebook, nbconvert is missing, or the page cannot be written.
    """
    needed("verikit teach slides", "jupyter", "nbconvert")
    own = notebooks_dir() / f"{notebook}.ipynb"
    path = own if own.is_file() else Path(notebook)
    cells = opened(path)["cells"]
    pages = list(_pages(_turned(cells)))
    if not pages:
        raise FormatError(f"{quoted(path.name)} has no cell to show; tag fewer with skip.")
    shown = "".join(f"<section>{''.join(map(_shown, one))}</section>" for one in pages)
    with together() as new:
        new.file(file, _page(path.stem, shown), replace=replace)
    return len(pages)


def _turned(cells: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The cells as they are projected: cut above headings, predictions asked and not answered."""
    asked = False
    for cell in cells:
        question = _question(cell)
        parts = [_told(question)] if question else _cut(cell)
        for part in parts:
            yield _tagged(part, "slide") if asked and not _tag(part) else part
            asked = False
        asked = bool(question)


def _cut(cell: dict[str, Any]) -> list[dict[str, Any]]:
    """A cell of prose, parted where a heading stands within it."""
    source = "".join(cell["source"])
    if cell["cell_type"] != "markdown" or _tag(cell) == "notes":
        return [cell]
    parts = [part for part in re.split(f"(?m)(?={HEADING})", source) if part.strip()]
    return [{**cell, "source": part} for part in parts or [source]]


def _question(cell: dict[str, Any]) -> str:
    """What a prediction asks, with its options and without its answer; empty for other cells."""
    try:
        last = ast.parse("".join(cell["source"])).body[-1]
        call = last.value if isinstance(last, ast.Expr) else None
        if not isinstance(call, ast.Call) or ast.unparse(call.func) != "Predict":
            return ""
        words, options = (ast.literal_eval(part) for part in call.args)
    except (SyntaxError, ValueError, IndexError):
        return ""
    return f"**Predict.** {words}\n\n" + "\n".join(f"- {option}" for option in options)


def _told(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": "asked", "metadata": {}, "source": source}


def _tagged(cell: dict[str, Any], tag: str) -> dict[str, Any]:
    about = cell.get("metadata", {})
    return {**cell, "metadata": {**about, "tags": [*about.get("tags", []), tag]}}


def _pages(cells: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The cells of each slide."""
    slide: list[dict[str, Any]] = []
    for cell in cells:
        tag = _tag(cell)
        if tag == "slide" and slide:
            yield slide
            slide = []
        slide += [] if tag == "skip" else [cell]
    if slide:
        yield slide


def _tag(cell: dict[str, Any]) -> str:
    about = cell.get("metadata", {})
    told = [*about.get("tags", []), about.get("slideshow", {}).get("slide_type", "")]
    tag = next((one for one in told if one in TAGS), "")
    heading = cell["cell_type"] == "markdown" and re.search(
        HEADING, "".join(cell["source"]), re.MULTILINE
    )
    return tag or ("slide" if heading else "")


def _shown(cell: dict[str, Any]) -> str:
    """One cell as HTML, by nbconvert."""
    nbconvert: Any = import_module("nbconvert")
    nbformat: Any = import_module("nbformat")
    exporter = nbconvert.HTMLExporter(template_name="basic", exclude_input_prompt=True)
    exporter.exclude_output_prompt = True
    whole = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    body: str = exporter.from_notebook_node(nbformat.reads(json.dumps(whole), as_version=4))[0]
    body = body.replace("<pre", '<pre tabindex="0"')
    return f"<aside>{body}</aside>" if _tag(cell) == "notes" else body


def _page(title: str, shown: str) -> str:
    moves = (
        '<nav aria-label="Slides"><button id="back" aria-label="Back">←</button> '
        '<span id="where" aria-live="polite"></span> '
        '<button id="on" aria-label="On">→</button></nav>'
    )
    return page(title, f"<main>{shown}</main>{moves}", style=STYLE, script=SCRIPT)
