"""Entering the points into nbgrader's gradebook, so that a teacher can go on in formgrader."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings

import pandas as pd

if TYPE_CHECKING:
    from verikit.teach._grade import Graded

__all__ = ["enter"]

KNOWN = ("first_name", "last_name", "email")


def enter(root: Path, name: str, graded: Sequence[Graded], people: pd.DataFrame) -> bool:
    """Enter points and sentences; a score that the teacher gave by hand stays.

    Nothing is done, and False returned, where there is no gradebook or no nbgrader.
    """
    book = root / "gradebook.db"
    if not book.is_file() or find_spec("nbgrader") is None:
        return False
    from nbgrader.api import Gradebook

    with catch_warnings(action="ignore"), Gradebook(f"sqlite:///{book}") as gradebook:
        for one in graded:
            known = people.loc[one.student].to_dict() if one.student in people.index else {}
            gradebook.update_or_create_student(
                one.student, **{part: known[part] for part in KNOWN if known.get(part)}
            )
            if one.answers or one.notebook:
                _enter_one(gradebook, name, one)
        gradebook.db.commit()
    return True


def _enter_one(gradebook: Any, name: str, one: Graded) -> None:
    gradebook.update_or_create_submission(name, one.student)
    for exercise, judged in one.judged.items():
        grade = gradebook.find_grade(exercise, name, name, one.student)
        grade.auto_score = float(judged.points)
        grade.needs_manual_grade = False
        comment = gradebook.find_comment(exercise, name, name, one.student)
        comment.auto_comment = judged.sentence
