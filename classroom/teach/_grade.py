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
from verikit.exercises import EXERCISES, Judged, draw, judge, missing_fence, trusted, trusting
from verikit.teach._collect import LATE_FILE
from verikit.teach._course import PEOPLE, Course, Total, enter_points, measure_lateness
from verikit.teach._notebook import HandedIn, open_notebook, read_answers
from verikit.words import joined

REPORT_FILE = "verikit.json"
GRADE_COLUMNS = [
    "assignment", "duedate", "timestamp", "late", "student_id", "last_name", "first_name",
    "email", "raw_score", "score", "max_score", "note",
]  # fmt: skip
NOT_GRADED = "Not graded: "


@dataclass(frozen=True)
class StudentGrade:
    """What one student handed in, and what it is worth."""

    student: str
    judged: Mapping[str, Judged]
    notes: Sequence[str] = ()
    answers: Mapping[str, HandedIn] = field(default_factory=dict)
    timestamp: str = ""
    called_late: bool = False
    notebook: bytes = b""
    ungraded: Sequence[str] = ()

    @property
    def points(self) -> int:
        """All points together."""
        return sum(one.points for one in self.judged.values())

    @property
    def most(self) -> int:
        """The points of full answers."""
        return sum(one.most for one in self.judged.values())

    def show_answer(self, exercise: str) -> Any:
        """Give the answer to an exercise as its page shows it; nobody sees that of another id."""
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
            _grade_safely(home, name, plan, student, folders)
            for student, folders in home.students(name).items()
        ]
    graded = _note_copies(graded)
    people = home.roster().set_index("id", drop=False)
    due = home.due(name)
    totals = enter_points(home.root, name, graded, people, due)
    rows = [_make_line(name, one, people, due, totals.get(one.student)) for one in graded]
    lines = pd.DataFrame(rows, columns=GRADE_COLUMNS)
    grades = home.root / "grades.csv"
    before = pd.DataFrame(columns=GRADE_COLUMNS)
    if grades.is_file():
        before = pd.read_csv(grades, dtype=str, keep_default_na=False)
        before = before.reindex(columns=GRADE_COLUMNS)
    others = before[before["assignment"] != name].astype(object)
    with together() as new:
        for one in graded:
            _save_report(new, home, name, one, totals.get(one.student))
        new.file(
            grades, pd.concat([others, lines.astype(object)]).to_csv(index=False), replace=True
        )
        points = pd.DataFrame(
            [
                (one.student, exercise, j.points, j.most, j.mistake, j.sentence)
                for one in graded
                for exercise, j in one.judged.items()
            ],
            columns=["student_id", "exercise", "points", "most", "mistake", "sentence"],
        )
        new.file(home.root / f"points-{name}.csv", points.to_csv(index=False), replace=True)
    return lines


def _grade_safely(
    home: Course, name: str, plan: Sequence[str], student: str, folders: Sequence[str]
) -> StudentGrade:
    """Grade what one student handed in; whatever that is, the others are graded."""
    nothing = {exercise: _give_nothing(exercise) for exercise in plan}
    try:
        if len(folders) > 1:
            raise FormatError(f"Two folders are hers, {joined(map(quoted, folders))}; keep one.")
        return _grade_student(home, name, plan, student, *folders)
    except FormatError as error:
        return StudentGrade(student, nothing, [_make_writable(str(error))])
    except (Exception, RecursionError) as error:
        said = f"What was handed in could not be read: {type(error).__name__}; look at it yourself."
        return StudentGrade(student, nothing, [said])


def _grade_student(
    home: Course, name: str, plan: Sequence[str], student: str, own: str
) -> StudentGrade:
    folder = home.place("submitted", name, own)
    if any(place.is_symlink() for place in (folder, folder.parent)):
        raise FormatError(f"{quoted(own)} is a link; put the files themselves there.")
    timestamp = _read_beginning(folder / "timestamp.txt")
    late = bool(_read_beginning(folder / LATE_FILE))
    nothing = {exercise: _give_nothing(exercise) for exercise in plan}
    try:
        path, notes = _find_notebook(folder, name)
        notebook = open_notebook(path)
    except FormatError as error:
        return StudentGrade(student, nothing, [_make_writable(str(error))], {}, timestamp, late)
    answers = read_answers(notebook, home.handed_out(name))
    judged, more, ungraded = _judge_answers(home, plan, student, answers)
    said = [_make_writable(note) for note in (*notes, *more)]
    with open_regular(path, links=False) as file:
        content = file.read()
    return StudentGrade(student, judged, said, answers, timestamp, late, content, ungraded)


def _make_writable(text: str) -> str:
    """Make a text one that any file can hold."""
    return text.encode("utf-8", "backslashreplace").decode()


def _find_notebook(folder: Path, name: str) -> tuple[Path, list[str]]:
    """Find the notebook of a folder, whatever its name, and what is to be said of that."""
    wanted = folder / f"{name}.ipynb"
    if wanted.is_file():
        return wanted, []
    others = sorted(p for p in folder.glob("*") if ".ipynb" in p.name.lower() and p.is_file())
    if not others:
        raise FormatError("Nothing was handed in yet.")
    newest = max(others, key=lambda path: (path.stat().st_mtime, path.name))
    return newest, [f"Its name is {quoted(newest.name)}."]


def _read_beginning(path: Path) -> str:
    """Read the beginning of a small file; empty where there is none."""
    if not path.is_file():
        return ""
    with open_regular(path, links=False) as file:
        return _make_writable(file.read(40).decode("utf-8", "replace").strip())


def _judge_answers(
    home: Course, plan: Sequence[str], student: str, answers: Mapping[str, HandedIn]
) -> tuple[dict[str, Judged], list[str], list[str]]:
    """Judge each exercise by itself; say what is unusual, and what was not graded."""
    foreign = sorted({a.student for n, a in answers.items() if n in plan and a.student != student})
    mine = {n: answers[n].answer for n in plan if n in answers and answers[n].student == student}
    gap = missing_fence() if any(EXERCISES[n].code for n in mine) else ""
    ungraded = [n for n in mine if EXERCISES[n].code and gap and not trusted()]
    judged = {}
    for exercise in plan:
        if exercise in answers and exercise not in mine:
            judged[exercise] = _give_nothing(exercise, "The answer was made under another id.")
        elif exercise not in mine:
            judged[exercise] = _give_nothing(exercise)
        elif exercise in ungraded:
            judged[exercise] = _give_nothing(exercise, f"{NOT_GRADED}{gap}.")
        else:
            judged[exercise] = _judge_one(home, exercise, student, mine[exercise])
    unrun = [n for n in plan if n in answers and not answers[n].stored]
    notes = []
    if foreign:
        notes += [f"Answers were made as {joined(map(quoted, foreign))}, and do not count."]
    if unrun:
        notes += [f"Read from the lines of the cell, not stored: {joined(unrun)}."]
    if ungraded:
        notes += [f"{NOT_GRADED}{joined(ungraded)}; this machine has no fence, use --trust."]
    return judged, notes, ungraded


def _judge_one(home: Course, name: str, student: str, answer: Any) -> Judged:
    exercise = EXERCISES[name]
    try:
        data = draw(exercise, student)
        if "_seeds" in data:
            data = {**data, "_seeds": home.secret_seeds(student, name, len(data["_seeds"]))}
        judged = judge(exercise, data, answer)
        return replace(judged, sentence=_make_writable(judged.sentence))
    except (Exception, RecursionError, MemoryError) as error:  # one answer, one loss
        said = str(error) if isinstance(error, VerikitError) else type(error).__name__
        return _give_nothing(name, _make_writable(f"The answer could not be judged: {said}."))


def _give_nothing(name: str, said: str = "No answer was stored.") -> Judged:
    """Give no points for an exercise, and say why."""
    exercise = EXERCISES[name]
    return Judged(0, exercise.full_points(draw(exercise, "somebody")), "", said)


def _note_copies(graded: Sequence[StudentGrade]) -> list[StudentGrade]:
    """Say of whom all answers are those of another student; the points stay."""
    texts = {}
    for one in graded:
        answers = {name: handed.answer for name, handed in one.answers.items()}
        if sum(bool(answer) for answer in answers.values()) > 1:
            texts[one.student] = json.dumps(answers, sort_keys=True)
    # Two who left one answer the same prove nothing, so it takes two answers or more.
    noted: list[StudentGrade] = []
    for one in graded:
        mine = texts.get(one.student)
        same = [who for who, text in texts.items() if text == mine and who != one.student]
        said = f"All answers are the same as those of {joined(map(quoted, same))}."
        noted.append(replace(one, notes=[*one.notes, said]) if same else one)
    return noted


def _make_line(
    name: str, one: StudentGrade, people: pd.DataFrame, due: str, total: Total | None
) -> list[Any]:
    known = people.loc[one.student] if one.student in people.index else dict.fromkeys(PEOPLE, "")
    who = [one.student, known["last_name"], known["first_name"], known["email"]]
    late = measure_lateness(one.timestamp, due, called_late=one.called_late)
    found = total or Total(one.points, one.points, one.most)
    notes = " ".join([*one.notes, *found.notes])
    times = [due, one.timestamp, late]
    return [name, *times, *who, found.raw, found.score, found.most, notes]


def _save_report(new: Any, home: Course, name: str, one: StudentGrade, total: Total | None) -> None:
    """Save what feedback and formgrader need, beside each other."""
    folder = home.place("autograded", name, one.student)
    exercises = {
        exercise: {"points": judged.points, "most": judged.most, "sentence": judged.sentence,
                   "answer": one.show_answer(exercise)}
        for exercise, judged in one.judged.items()
    }  # fmt: skip
    report: dict[str, Any] = {"student": one.student, "assignment": name, "notes": list(one.notes)}
    report["exercises"] = exercises
    if total is not None and total.most != one.most:  # the teacher's own cells count too
        report["total"] = f"{total.score} of {total.most}"
    new.parents(folder)
    new.file(folder / REPORT_FILE, json.dumps(report, indent=1), replace=True)
    if one.notebook:
        new.file(folder / f"{name}.ipynb", one.notebook, replace=True)
    if one.timestamp:
        new.file(folder / "timestamp.txt", one.timestamp, replace=True)
