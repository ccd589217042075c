"""Entering the points into nbgrader's gradebook, so that a teacher can go on in formgrader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings

import pandas as pd

from verikit.words import joined

if TYPE_CHECKING:
    from verikit.teach._grade import Graded

__all__ = ["Total", "due_in_gradebook", "enter"]

KNOWN = ("first_name", "last_name", "email")


@dataclass(frozen=True)
class Total:
    """What a student has in the gradebook, with the points given by hand.

    Parameters
    ----------
    raw, score, most
        Her points, the same less a penalty for lateness that stands there, and all there are.
    notes
        What is to be said of them.
    """

    raw: float
    score: float
    most: float
    notes: Sequence[str] = ()


def due_in_gradebook(root: Path, name: str, due: str) -> None:
    """Tell the gradebook when an assignment is due."""
    from nbgrader.api import Gradebook

    with catch_warnings(action="ignore"), Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        book.update_or_create_assignment(name, duedate=due or None)


def enter(
    root: Path, name: str, graded: Sequence[Graded], people: pd.DataFrame, due: str = ""
) -> dict[str, Total]:
    """Enter points, sentences and times; a score that the teacher gave by hand stays, and counts.

    Nothing is done, and nothing given back, where there is no gradebook or no nbgrader.
    """
    book = root / "gradebook.db"
    if not book.is_file() or find_spec("nbgrader") is None:
        return {}
    from nbgrader.api import Gradebook

    found: dict[str, Total] = {}
    with catch_warnings(action="ignore"), Gradebook(f"sqlite:///{book}") as gradebook:
        if due:
            gradebook.update_or_create_assignment(name, duedate=due)
        for one in graded:
            try:
                found[one.student] = _entered(gradebook, name, one, people)
            except Exception as error:  # one student, one loss
                gradebook.db.rollback()
                most = sum(judged.most for judged in one.judged.values())
                said = f"Not entered into the gradebook: {type(error).__name__}."
                found[one.student] = Total(one.points, one.points, most, [said])
    return found


def _entered(gradebook: Any, name: str, one: Graded, people: pd.DataFrame) -> Total:
    known = people.loc[one.student].to_dict() if one.student in people.index else {}
    gradebook.update_or_create_student(
        one.student, **{part: known[part] for part in KNOWN if known.get(part)}
    )
    if not (one.answers or one.notebook):
        gradebook.db.commit()
        most = _whole(gradebook.find_assignment(name).max_score)
        return Total(0, 0, most)
    _enter_one(gradebook, name, one)
    gradebook.db.commit()
    submission = gradebook.find_submission(name, one.student)
    raw, lost = submission.score, submission.late_submission_penalty or 0
    open_cells = [
        grade.name
        for notebook in submission.notebooks
        for grade in notebook.grades
        if grade.needs_manual_grade and grade.manual_score is None and grade.max_score
    ]
    notes = [f"Points by hand are missing: {joined(sorted(open_cells))}."] if open_cells else []
    score = max(0, raw - lost)
    return Total(_whole(raw), _whole(score), _whole(submission.max_score), notes)


def _enter_one(gradebook: Any, name: str, one: Graded) -> None:
    when = {"timestamp": one.timestamp} if one.timestamp else {}
    gradebook.update_or_create_submission(name, one.student, **when)
    for exercise, judged in one.judged.items():
        grade = gradebook.find_grade(exercise, name, name, one.student)
        waits = exercise in one.ungraded
        grade.auto_score = None if waits else float(judged.points)
        grade.needs_manual_grade = waits
        comment = gradebook.find_comment(exercise, name, name, one.student)
        comment.auto_comment = judged.sentence


def _whole(points: float) -> float:
    """Points without a needless ``.0``."""
    return int(points) if float(points).is_integer() else float(points)
