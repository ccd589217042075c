"""Grading: stored answers, judged on data made again from the id of the folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.files import open_regular
from verikit._support.writing import together
from verikit.errors import FormatError, VerikitError, quoted
from verikit.exercises import (
    EXERCISES,
    Judged,
    draw,
    judge,
    missing_fence,
    trusted,
    trusting,
)
from verikit.teach._collect import LATE
from verikit.teach._course import PEOPLE, Course
from verikit.teach._due import lateness
from verikit.teach._gradebook import Total, enter
from verikit.teach._notebook import Given, answers_in, opened
from verikit.words import joined

__all__ = ["NOT_GRADED", "grade"]

REPORT = "verikit.json"
COLUMNS = [
    "assignment", "duedate", "timestamp", "late", "student_id", "last_name", "first_name",
    "email", "raw_score", "score", "max_score", "note",
]  # fmt: skip
NOT_GRADED = "Not graded: "


@dataclass(frozen=True)
class Graded:
    """What one student handed in, and what it is worth."""

    student: str
    judged: Mapping[str, Judged]
    notes: Sequence[str] = ()
    answers: Mapping[str, Given] = field(default_factory=dict)
    timestamp: str = ""
    called_late: bool = False
    notebook: bytes = b""
    ungraded: Sequence[str] = ()

    @property
    def points(self) -> int:
        """All points together."""
        return sum(one.points for one in self.judged.values())

    def shown(self, exercise: str) -> Any:
        """The answer to an exercise, as its page shows it; nobody sees that of another id."""
        given = self.answers.get(exercise)
        return given.answer if given and given.student == self.student else None


def grade(name: str, *, course: str | Path = ".", trust: bool = False) -> pd.DataFrame:
    """Grade an assignment; nobody who is enrolled or handed something in is left out.

    Answers are read from the notebooks as data, and judged in this process; no cell is run. Of an
    answer that is a function, its lines run in a process of its own that the kernel holds: short
    of time and memory, without network, other processes, or any file but those of Python itself.
    Where no kernel can hold it, such an answer is not graded unless it is trusted. Points given
    by hand in nbgrader's gradebook count. Students are told by `feedback`.

    Parameters
    ----------
    name
        The assignment.
    course
        The folder of the course.
    trust
        Whether functions are run even where the kernel cannot hold them.

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
    with trusting(trust):
        graded = [
            _guarded(home, name, plan, student, folders)
            for student, folders in home.students(name).items()
        ]
    graded = _with_copies(graded)
    people = home.roster().set_index("id", drop=False)
    due = home.due(name)
    totals = enter(home.root, name, graded, people, due)
    rows = [_line(name, one, people, due, totals.get(one.student)) for one in graded]
    lines = pd.DataFrame(rows, columns=COLUMNS)
    with together() as new:
        for one in graded:
            _keep(new, home, name, one)
        grades = home.root / "grades.csv"
        new.file(grades, _all(grades, name, lines), replace=True)
        new.file(home.root / f"points-{name}.csv", _points(graded), replace=True)
    return lines


def _guarded(
    home: Course, name: str, plan: Sequence[str], student: str, folders: Sequence[str]
) -> Graded:
    """What one student handed in; whatever that is, the others are graded."""
    nothing = {exercise: _nothing(exercise) for exercise in plan}
    try:
        if len(folders) > 1:
            raise FormatError(f"Two folders are hers, {joined(map(quoted, folders))}; keep one.")
        return _student(home, name, plan, student, *folders)
    except FormatError as error:
        return Graded(student, nothing, [_writable(str(error))])
    except (Exception, RecursionError) as error:
        said = f"What was handed in could not be read: {type(error).__name__}; look at it yourself."
        return Graded(student, nothing, [said])


def _student(home: Course, name: str, plan: Sequence[str], student: str, own: str) -> Graded:
    folder = home.place("submitted", name, own)
    if any(place.is_symlink() for place in (folder, folder.parent)):
        raise FormatError(f"{quoted(own)} is a link; put the files themselves there.")
    timestamp, late = _text(folder / "timestamp.txt"), bool(_text(folder / LATE))
    nothing = {exercise: _nothing(exercise) for exercise in plan}
    try:
        path, notes = _submission(folder, name)
        notebook = opened(path)
    except FormatError as error:
        return Graded(student, nothing, [_writable(str(error))], {}, timestamp, late)
    answers = answers_in(notebook, home.handed_out(name))
    judged, more, ungraded = _judged(home, plan, student, answers)
    said = [_writable(note) for note in (*notes, *more)]
    with open_regular(path, links=False) as file:
        content = file.read()
    return Graded(student, judged, said, answers, timestamp, late, content, ungraded)


def _writable(text: str) -> str:
    """A text as any file can hold it."""
    return text.encode("utf-8", "backslashreplace").decode()


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


def _text(path: Path) -> str:
    """The beginning of a small file; empty where there is none."""
    if not path.is_file():
        return ""
    with open_regular(path, links=False) as file:
        return _writable(file.read(40).decode("utf-8", "replace").strip())


def _judged(
    home: Course, plan: Sequence[str], student: str, answers: Mapping[str, Given]
) -> tuple[dict[str, Judged], list[str], list[str]]:
    """Each exercise by itself, what is to be said, and what was not graded."""
    foreign = sorted({a.student for n, a in answers.items() if n in plan and a.student != student})
    mine = {n: answers[n].answer for n in plan if n in answers and answers[n].student == student}
    gap = missing_fence() if any(EXERCISES[n].code for n in mine) else ""
    ungraded = [n for n in mine if EXERCISES[n].code and gap and not trusted()]
    judged = {}
    for exercise in plan:
        if exercise not in mine:
            judged[exercise] = _nothing(exercise, foreign=exercise in answers)
        elif exercise in ungraded:
            judged[exercise] = Judged(0, _most(exercise), "", f"{NOT_GRADED}{gap}.")
        else:
            judged[exercise] = _one(home, exercise, student, mine[exercise])
    unrun = [n for n in plan if n in answers and not answers[n].stored]
    notes = []
    if foreign:
        notes += [f"Answers were made as {joined(map(quoted, foreign))}, and do not count."]
    if unrun:
        notes += [f"Read from the lines of the cell, not stored: {joined(unrun)}."]
    if ungraded:
        notes += [f"{NOT_GRADED}{joined(ungraded)}; this machine has no fence, use --trust."]
    return judged, notes, ungraded


def _one(home: Course, name: str, student: str, answer: Any) -> Judged:
    exercise = EXERCISES[name]
    try:
        data = draw(exercise, student)
        if "_seeds" in data:
            data = {**data, "_seeds": home.secret_seeds(student, name, len(data["_seeds"]))}
        judged = judge(exercise, data, answer)
        return replace(judged, sentence=_writable(judged.sentence))
    except (Exception, RecursionError, MemoryError) as error:  # one answer, one loss
        said = str(error) if isinstance(error, VerikitError) else type(error).__name__
        return Judged(0, _most(name), "", _writable(f"The answer could not be judged: {said}."))


def _nothing(name: str, *, foreign: bool = False) -> Judged:
    said = "The answer was made under another id." if foreign else "No answer was stored."
    return Judged(0, _most(name), "", said)


def _most(name: str) -> int:
    exercise = EXERCISES[name]
    return exercise.points or len(exercise.right_answer(draw(exercise, "somebody")))


def _with_copies(graded: Sequence[Graded]) -> list[Graded]:
    """Say of whom all answers are those of another student; the points stay."""
    told: list[Graded] = []
    given = {one.student: _given(one) for one in graded}
    for one in graded:
        mine = given[one.student]
        same = [who for who, theirs in given.items() if mine == theirs and who != one.student]
        same = same if mine else []
        said = f"All answers are the same as those of {joined(map(quoted, same))}."
        told.append(replace(one, notes=[*one.notes, said]) if same else one)
    return told


def _given(one: Graded) -> str:
    """All answers of a student as one text; empty for fewer than two."""
    answers = {name: given.answer for name, given in one.answers.items()}
    filled = [answer for answer in answers.values() if answer]
    return json.dumps(answers, sort_keys=True) if len(filled) > 1 else ""


def _line(name: str, one: Graded, people: pd.DataFrame, due: str, total: Total | None) -> list[Any]:
    known = people.loc[one.student] if one.student in people.index else dict.fromkeys(PEOPLE, "")
    most = sum(judged.most for judged in one.judged.values())
    who = [one.student, known["last_name"], known["first_name"], known["email"]]
    late = lateness(one.timestamp, due, called_late=one.called_late)
    found = total or Total(one.points, one.points, most)
    notes = " ".join([*one.notes, *found.notes])
    times = [due, one.timestamp, late]
    return [name, *times, *who, found.raw, found.score, found.most, notes]


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
                   "answer": one.shown(exercise)}
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
