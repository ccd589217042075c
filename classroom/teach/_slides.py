"""Slides of a notebook: one page that works without network, moved by the arrow keys."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

from verikit._support.extras import needed
from verikit._support.html import element, name, page
from verikit._support.resources import notebooks_dir
from verikit._support.writing import together
from verikit.errors import FormatError, quoted, shortened
from verikit.exercises import EXERCISES
from verikit.teach._course import Course
from verikit.teach._grade import REPORT_FILE
from verikit.teach._notebook import open_notebook
from verikit.words import count, joined

SLIDE_HEADING = r"^##? "
SLIDE_TAGS = ("slide", "skip", "notes")
STYLE = Path(__file__).with_name("slides.css").read_text(encoding="utf-8")
SCRIPT = Path(__file__).with_name("slides.js").read_text(encoding="utf-8")
NAVIGATION = (
    '<nav aria-label="Slides"><button id="back" aria-label="Back">←</button> '
    '<span id="where" aria-live="polite"></span> '
    '<button id="on" aria-label="On">→</button></nav>'
)


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
    cells = open_notebook(path)["cells"]
    pages = list(_group_cells(_prepare_cells(cells)))
    if not pages:
        raise FormatError(f"{quoted(path.name)} has no cell to show; tag fewer with skip.")
    shown = "".join(f"<section>{''.join(map(_render_cell, one))}</section>" for one in pages)
    with together() as new:
        main = f"<main>{shown}</main>{NAVIGATION}"
        new.file(file, page(path.stem, main, style=STYLE, script=SCRIPT), replace=replace)
    return len(pages)


def _prepare_cells(cells: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Prepare the cells to be projected: cut above headings, predictions asked and not answered."""
    asked = False
    for cell in cells:
        question = _read_prediction(cell)
        parts = _split_at_headings(cell)
        if question:
            parts = [{"cell_type": "markdown", "id": "asked", "metadata": {}, "source": question}]
        for part in parts:
            if asked and not _find_tag(part):  # the answer begins a slide of its own
                about = part.get("metadata", {})
                tags = [*about.get("tags", []), "slide"]
                part = {**part, "metadata": {**about, "tags": tags}}  # noqa: PLW2901
            yield part
            asked = False
        asked = bool(question)


def _split_at_headings(cell: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a cell of prose where a heading stands within it."""
    source = "".join(cell["source"])
    if cell["cell_type"] != "markdown" or _find_tag(cell) == "notes":
        return [cell]
    parts = [part for part in re.split(f"(?m)(?={SLIDE_HEADING})", source) if part.strip()]
    return [{**cell, "source": part} for part in parts or [source]]


def _read_prediction(cell: dict[str, Any]) -> str:
    """Read what a prediction asks, without its answer; empty for other cells."""
    try:
        last = ast.parse("".join(cell["source"])).body[-1]
        call = last.value if isinstance(last, ast.Expr) else None
        if not isinstance(call, ast.Call) or ast.unparse(call.func) != "Predict":
            return ""
        words, options = (ast.literal_eval(part) for part in call.args)
    except (SyntaxError, ValueError, IndexError):
        return ""
    return f"**Predict.** {words}\n\n" + "\n".join(f"- {option}" for option in options)


def _group_cells(cells: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Group the cells of each slide."""
    slide: list[dict[str, Any]] = []
    for cell in cells:
        tag = _find_tag(cell)
        if tag == "slide" and slide:
            yield slide
            slide = []
        slide += [] if tag == "skip" else [cell]
    if slide:
        yield slide


def _find_tag(cell: dict[str, Any]) -> str:
    """Find what a cell is tagged as; a heading begins a slide."""
    about = cell.get("metadata", {})
    tags = [*about.get("tags", []), about.get("slideshow", {}).get("slide_type", "")]
    tag = next((one for one in tags if one in SLIDE_TAGS), "")
    heading = cell["cell_type"] == "markdown" and re.search(
        SLIDE_HEADING, "".join(cell["source"]), re.MULTILINE
    )
    return tag or ("slide" if heading else "")


def _render_cell(cell: dict[str, Any]) -> str:
    """Render a cell as HTML, by nbconvert."""
    nbconvert: Any = import_module("nbconvert")
    nbformat: Any = import_module("nbformat")
    exporter = nbconvert.HTMLExporter(template_name="basic", exclude_input_prompt=True)
    exporter.exclude_output_prompt = True
    whole = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    body: str = exporter.from_notebook_node(nbformat.reads(json.dumps(whole), as_version=4))[0]
    body = body.replace("<pre", '<pre tabindex="0"')
    return f"<aside>{body}</aside>" if _find_tag(cell) == "notes" else body


def feedback(name: str, *, course: str | Path = ".") -> list[Path]:
    """Write a page for each student whom `grade` has graded.

    Parameters
    ----------
    name
        The assignment.
    course
        The folder of the course.

    Returns
    -------
    list of Path
        The pages, by student.

    Raises
    ------
    FormatError
        If nobody has been graded, or nbgrader's own grading took something away since.
    """
    home = Course(Path(course).absolute())
    home.plan(name)
    reports = sorted((home.root / "autograded").glob(f"*/{name}/{REPORT_FILE}"))
    if not reports:
        raise FormatError(f"Nobody was graded yet; do so with  verikit teach grade {quoted(name)}.")
    folders = {path.parent.name for path in (home.root / "autograded").glob(f"*/{name}")}
    if undone := sorted(folders - {report.parent.parent.name for report in reports}):
        raise FormatError(
            f"nbgrader autograde took away what was graded of {joined(map(quoted, undone))}; "
            f"run  verikit teach grade {name}  again."
        )
    written = []
    with together() as new:
        for report in reports:
            student = report.parent.parent.name
            folder = home.place("feedback", name, student)
            new.parents(folder)
            try:
                text = _make_feedback_page(json.loads(report.read_text(encoding="utf-8")))
            except (Exception, RecursionError) as error:  # it stops nobody else's page
                title = f"{name} · {student}"
                said = f"This page could not be made: {type(error).__name__}; ask your teacher."
                main = element("h1", escape(title)) + element("p", escape(said))
                text = page(title, element("main", main, class_="vk"))
            content = text.encode("utf-8", "backslashreplace")
            written.append(new.file(folder / f"{name}.html", content, replace=True))
    return written


def _make_feedback_page(report: dict[str, Any]) -> str:
    """Make the page of a student: all points, notes and exercises."""
    exercises = report["exercises"]
    points = sum(one["points"] for one in exercises.values())
    most = sum(one["most"] for one in exercises.values())
    title = f"{report['assignment']} · {report['student']}"
    named = f"{escape(report['assignment'])} · {name(report['student'])}"
    head = element("h1", named) + element("p", f"{points} of {count(most, 'point')}.")
    if "total" in report:
        whole = f"With the points that your teacher gives by hand: {report['total']}."
        head += element("p", escape(whole))
    notes = "".join(element("p", name(note)) for note in report["notes"])
    parts = "".join(_show_exercise(task, one) for task, one in exercises.items())
    return page(title, element("main", head + notes + parts, class_="vk"))


def _show_exercise(task: str, one: dict[str, Any]) -> str:
    """Show an exercise: its points, the sentence and the answer, but no right value."""
    title = f"{task} · {EXERCISES[task].title}: {one['points']} of {one['most']}"
    answer, lines = one["answer"], []
    if isinstance(answer, dict):
        lines = [f"{k}: {v if isinstance(v, str) else json.dumps(v)}" for k, v in answer.items()]
    text = shortened("\n".join(lines) if isinstance(answer, dict) else json.dumps(answer), 4000)
    shown = "" if answer is None else element("pre", escape(text), tabindex="0")
    return element("h2", escape(title)) + element("p", name(one["sentence"])) + shown
