"""Feedback for each student: one page without anything from outside, and without right values."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from verikit._support.html import element, name, page
from verikit._support.writing import together
from verikit.errors import FormatError, quoted, shortened
from verikit.exercises import EXERCISES
from verikit.teach._course import Course
from verikit.teach._grade import REPORT
from verikit.words import count, joined

__all__ = ["feedback"]


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
    reports = sorted((home.root / "autograded").glob(f"*/{name}/{REPORT}"))
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
            content = _guarded(report, name, student)
            written.append(new.file(folder / f"{name}.html", content, replace=True))
    return written


def _guarded(report: Path, name: str, student: str) -> bytes:
    """The page of one student; what cannot be shown is said there, and stops nobody's else."""
    try:
        text = _page(json.loads(report.read_text(encoding="utf-8")))
    except (Exception, RecursionError) as error:
        title = f"{name} · {student}"
        said = f"This page could not be made: {type(error).__name__}; ask your teacher."
        main = element("h1", escape(title)) + element("p", escape(said))
        text = page(title, element("main", main, class_="vk"))
    return text.encode("utf-8", "backslashreplace")


def _page(told: dict[str, Any]) -> str:
    exercises = told["exercises"]
    points = sum(one["points"] for one in exercises.values())
    most = sum(one["most"] for one in exercises.values())
    title = f"{told['assignment']} · {told['student']}"
    named = f"{escape(told['assignment'])} · {name(told['student'])}"
    head = element("h1", named) + element("p", f"{points} of {count(most, 'point')}.")
    notes = "".join(element("p", name(note)) for note in told["notes"])
    parts = "".join(_part(task, one) for task, one in exercises.items())
    return page(title, element("main", head + notes + parts, class_="vk"))


def _part(task: str, one: dict[str, Any]) -> str:
    title = f"{task} · {EXERCISES[task].title}: {one['points']} of {one['most']}"
    answer = one["answer"]
    shown = "" if answer is None else element("pre", escape(_shown(answer)), tabindex="0")
    return element("h2", escape(title)) + element("p", name(one["sentence"])) + shown


def _shown(answer: Any) -> str:
    if isinstance(answer, dict):
        lines = [f"{k}: {v if isinstance(v, str) else json.dumps(v)}" for k, v in answer.items()]
        return shortened("\n".join(lines), 4000)
    return shortened(json.dumps(answer), 4000)
