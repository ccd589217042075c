"""Grading: stored answers, judged on data made again from the id of the folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.writing import together
from verikit.errors import FormatError, VerikitError, quoted
from verikit.exercises import EXERCISES, Judged, draw, judge
from verikit.exercises._judge import truth_of
from verikit.teach._course import PEOPLE, Course
from verikit.teach._gradebook import enter
from verikit.teach._notebook import Given, answers_in, opened
from verikit.words import joined

__all__ = ["grade"]

REPORT = "verikit.json"
COLUMNS = [
    "assignment", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "score", "max_score", "note",
]  # fmt: skip


@dataclass(frozen=True)
class Graded:
    """What one student handed in, and what it is worth."""

    student: str
    judged: Mapping[str, Judged]
    notes: Sequence[str] = ()
    answers: Mapping[str, Given] = field(default_factory=dict)
    timestamp: str = ""
    notebook: bytes = b""

    @property
    def points(self) -> int:
        """All points together."""
        return sum(one.points for one in self.judged.values())


def grade(name: str, *, course: str | Path = ".") -> pd.DataFrame:
    """Grade an assignment; nobody who is enrolled or handed something in is left out.

    Answers are read from the notebooks as data, and judged in this process; no cell is run. Of an
    answer that is a function, its lines run in a process of its own with limits of time and memory
    and without network. Students are told by `feedback`, nbgrader by its gradebook.

    Parameters
    ----------
    name
        The assignment.
    course
        The folder of the course.

    Returns
    -------
    DataFrame
        The lines of this assignment in ``grades.csv``: one for each student.

    Raises
    ------
    FormatError
        If there is no such assignment.
    """
    home = Course(Path(course).absolute())
    plan = home.plan(name)
    students = home.students(name).items()
    graded = [_student(home, name, plan, student, folder) for student, folder in students]
    graded = _with_copies(graded)
    people = home.roster().set_index("id", drop=False)
    lines = pd.DataFrame([_line(name, one, people) for one in graded], columns=COLUMNS)
    with together() as new:
        for one in graded:
            _keep(new, home, name, one)
        grades = home.root / "grades.csv"
        new.file(grades, _all(grades, name, lines), replace=True)
        new.file(home.root / f"points-{name}.csv", _points(graded), replace=True)
    enter(home.root, name, graded, people)
    return lines


def _student(home: Course, name: str, plan: Sequence[str], student: str, own: str) -> Graded:
    folder = home.place("submitted", name, own)
    nothing = {exercise: _nothing(exercise) for exercise in plan}
    try:
        path, notes = _submission(folder, name)
        notebook = opened(path)
    except FormatError as error:
        return Graded(student, nothing, [str(error)], timestamp=_timestamp(folder))
    answers = answers_in(notebook, home.handed_out(name))
    judged, more = _judged(home, plan, student, answers)
    return Graded(student, judged, [*notes, *more], answers, _timestamp(folder), path.read_bytes())


def _submission(folder: Path, name: str) -> tuple[Path, list[str]]:
    """The notebook of a folder, whatever its name, and what is to be said of that."""
    wanted = folder / f"{name}.ipynb"
    if wanted.is_file():
        return wanted, []
    others = sorted(p for p in folder.glob("*") if ".ipynb" in p.name.lower() and p.is_file())
    if not others:
        raise FormatError("Nothing was handed in yet.")
    newest = max(others, key=lambda path: (path.stat().st_mtime, path.name))
    return newest, [f"Its name is {quoted(newest.name)}."]


def _timestamp(folder: Path) -> str:
    path = folder / "timestamp.txt"
    return path.read_text(encoding="utf-8", errors="replace").strip()[:40] if path.is_file() else ""


def _judged(
    home: Course, plan: Sequence[str], student: str, answers: Mapping[str, Given]
) -> tuple[dict[str, Judged], list[str]]:
    """Each exercise by itself; what one answer does cannot touch another."""
    foreign = sorted({a.student for n, a in answers.items() if n in plan and a.student != student})
    judged = {}
    for exercise in plan:
        given = answers.get(exercise)
        if given is None or given.student != student:
            judged[exercise] = _nothing(exercise, foreign=given is not None)
        else:
            judged[exercise] = _one(home, exercise, student, given.answer)
    unrun = [n for n in plan if n in answers and not answers[n].stored]
    notes = []
    if foreign:
        notes += [f"Answers were made as {joined(map(quoted, foreign))}, and do not count."]
    if unrun:
        notes += [f"Read from the lines of the cell, not stored: {joined(unrun)}."]
    return judged, notes


def _one(home: Course, name: str, student: str, answer: Any) -> Judged:
    exercise = EXERCISES[name]
    try:
        data = draw(exercise, student)
        if "_seeds" in data:
            data = {**data, "_seeds": home.secret_seeds(student, name, len(data["_seeds"]))}
        return judge(exercise, data, answer)
    except (Exception, RecursionError, MemoryError) as error:  # one answer, one loss
        said = str(error) if isinstance(error, VerikitError) else type(error).__name__
        return Judged(0, _most(name), "", f"The answer could not be judged: {said}.")


def _nothing(name: str, *, foreign: bool = False) -> Judged:
    said = "The answer was made under another id." if foreign else "No answer was stored."
    return Judged(0, _most(name), "", said)


def _most(name: str) -> int:
    exercise = EXERCISES[name]
    return exercise.points or len(truth_of(exercise, draw(exercise, "somebody")))


def _with_copies(graded: Sequence[Graded]) -> list[Graded]:
    """Say of whom all answers are those of another student; the points stay."""
    from dataclasses import replace

    told: list[Graded] = []
    for one in graded:
        same = [other.student for other in graded if other is not one and _alike(one, other)]
        said = f"All answers are the same as those of {joined(map(quoted, same))}."
        told.append(replace(one, notes=[*one.notes, said]) if same else one)
    return told


def _alike(one: Graded, other: Graded) -> bool:
    mine, theirs = ({n: a.answer for n, a in who.answers.items()} for who in (one, other))
    filled = [answer for answer in mine.values() if answer]
    return len(filled) > 1 and json.dumps(mine, sort_keys=True) == json.dumps(
        theirs, sort_keys=True
    )


def _line(name: str, one: Graded, people: pd.DataFrame) -> list[Any]:
    known = people.loc[one.student] if one.student in people.index else dict.fromkeys(PEOPLE, "")
    most = sum(judged.most for judged in one.judged.values())
    who = [one.student, known["last_name"], known["first_name"], known["email"]]
    return [name, one.timestamp, *who, one.points, one.points, most, " ".join(one.notes)]


def _all(path: Path, name: str, lines: pd.DataFrame) -> str:
    """The grades of all assignments, with the lines of this one made anew."""
    before = pd.DataFrame(columns=COLUMNS)
    if path.is_file():
        before = pd.read_csv(path, dtype=str, keep_default_na=False).reindex(columns=COLUMNS)
    kept = before[before["assignment"] != name]
    return pd.concat([kept.astype(object), lines.astype(object)]).to_csv(index=False)


def _points(graded: Sequence[Graded]) -> str:
    """A line for each student and exercise: what the class misunderstood."""
    lines = [
        (one.student, name, judged.points, judged.most, judged.mistake, judged.sentence)
        for one in graded
        for name, judged in one.judged.items()
    ]
    names = ["student_id", "exercise", "points", "most", "mistake", "sentence"]
    return pd.DataFrame(lines, columns=names).to_csv(index=False)


def _keep(new: Any, home: Course, name: str, one: Graded) -> None:
    """What feedback and formgrader need, beside each other."""
    folder = home.place("autograded", name, one.student)
    told = {
        exercise: {"points": judged.points, "most": judged.most, "sentence": judged.sentence,
                   "answer": one.answers[exercise].answer if exercise in one.answers else None}
        for exercise, judged in one.judged.items()
    }  # fmt: skip
    report: dict[str, Any] = {"student": one.student, "assignment": name, "notes": list(one.notes)}
    report["exercises"] = told
    new.parents(folder)
    new.file(folder / REPORT, json.dumps(report, indent=1), replace=True)
    if one.notebook:
        new.file(folder / f"{name}.ipynb", one.notebook, replace=True)
    if one.timestamp:
        new.file(folder / "timestamp.txt", one.timestamp, replace=True)
