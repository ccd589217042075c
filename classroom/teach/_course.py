"""A course on the disk: nbgrader's folders, the roster, and a secret of the teacher's."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings
from zoneinfo import ZoneInfo

import pandas as pd

from verikit._support.writing import together
from verikit.errors import FormatError, RecordError, quoted
from verikit.exercises import EXERCISES
from verikit.teach._notebook import open_notebook
from verikit.words import joined

if TYPE_CHECKING:
    from verikit.teach._grade import StudentGrade


OWN = ".verikit-secret"
ROSTER = "students.csv"
PEOPLE = ("id", "first_name", "last_name", "email")


@dataclass(frozen=True)
class Course:
    """The folder of a course.

    Parameters
    ----------
    root
        Where ``source``, ``release``, ``submitted``, ``autograded`` and ``feedback`` lie.
    """

    root: Path

    def place(self, step: str, name: str, student: str = "") -> Path:
        """Name the folder of an assignment at one of nbgrader's steps."""
        return self.root.joinpath(step, *([student] if student else []), name)

    def handed_out(self, name: str) -> dict[str, Any]:
        """Read the notebook of an assignment, as the teacher's own copy has it."""
        source = self.place("source", check_name(name)) / f"{name}.ipynb"
        if not source.is_file():
            raise FormatError(
                f"There is no assignment {quoted(name)} in {quoted(str(self.root))}; make it first "
                f"with  verikit teach assign {name} ka-01."
            )
        return open_notebook(source)

    def plan(self, name: str) -> tuple[str, ...]:
        """List the exercises of an assignment."""
        cells = [c.get("metadata", {}).get("nbgrader", {}) for c in self.handed_out(name)["cells"]]
        return tuple(c["grade_id"] for c in cells if c.get("grade_id") in EXERCISES)

    def roster(self) -> pd.DataFrame:
        """Read who is enrolled, by id; empty where there is no students.csv."""
        path = self.root / ROSTER
        if not path.is_file():
            return pd.DataFrame(columns=list(PEOPLE))
        return read_roster(path)

    def students(self, name: str) -> dict[str, list[str]]:
        """List by id who is enrolled or handed something in, with the names of her folders."""
        given = self.root / "submitted"
        folders = [path.parent.name for path in given.glob(f"*/{name}") if path.is_dir()]
        found: dict[str, list[str]] = {}
        for one in sorted(folders):
            found.setdefault(one.strip().lower(), []).append(one)
        for one in self.roster()["id"]:
            found.setdefault(one, [one])
        return dict(sorted(found.items()))

    def due(self, name: str) -> str:
        """Tell when an assignment is due, as `assign` was told; empty if it is not."""
        about = self.handed_out(name).get("metadata", {}).get("verikit", {})
        return str(about.get("due", ""))

    def secret_seeds(self, student: str, exercise: str, many: int) -> list[int]:
        """Derive seeds that only the holder of the course knows; the same each time."""
        path = self.root / OWN
        if not path.exists():
            with together() as new:
                new.file(path, secrets.token_hex(16), private=True)
        text = f"{path.read_text(encoding='utf-8')}|{student}|{exercise}"
        return [int(sha256(f"{text}|{turn}".encode()).hexdigest()[:7], 16) for turn in range(many)]


def read_roster(path: Path) -> pd.DataFrame:
    """Read the people of a roster, with ids in small letters, each once."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False, skipinitialspace=True)
    if "id" not in table.columns:
        raise FormatError(
            f"{quoted(str(path))} has the columns {quoted(list(table.columns))}; expected one "
            "called id, and where known first_name, last_name and email."
        )
    people = table.reindex(columns=list(PEOPLE), fill_value="")
    people["id"] = people["id"].str.strip().str.lower()
    wrong = [one for one in people["id"] if not re.fullmatch(r"[\w@.+-]+", one) or one[0] in ".+-"]
    twice = people["id"][people["id"].duplicated()].tolist()
    if wrong or twice:
        raise FormatError(
            f"The id {quoted([*wrong, *twice][0])} in {quoted(str(path))} "
            f"{'stands twice' if not wrong else 'cannot name a folder'}; expected letters, digits "
            "and . _ - @, each id once."
        )
    return people


def check_name(name: Any) -> str:
    """Refuse what cannot be the name of folders and files."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
        raise RecordError.given("The assignment", name, "letters, digits, _ and -, such as 'ps1'")
    return name


WRITTEN = "%Y-%m-%d %H:%M:%S UTC"


def parse_due_date(text: str) -> str:
    """Parse a time in the zone of this computer, or of its own, into what the gradebook writes.

    Examples
    --------
    >>> parse_due_date("2027-05-01T18:00+02:00")
    '2027-05-01 16:00:00 UTC'
    >>> parse_due_date("soon")
    Traceback (most recent call last):
    verikit.errors.RecordError: The due date was given as 'soon'; expected '2027-05-01 18:00'.
    """
    try:
        return datetime.fromisoformat(text).astimezone(UTC).strftime(WRITTEN)
    except (TypeError, ValueError, OverflowError, OSError):
        raise RecordError.given("The due date", text, "'2027-05-01 18:00'") from None


def measure_lateness(timestamp: str, due: str, *, called_late: bool = False) -> str:
    """Measure hours and minutes after the due date; empty if in time, or nothing is known.

    Parameters
    ----------
    timestamp, due
        When it came in and when it was due, such as ``"2027-05-01 16:00:00 UTC"``.
    called_late
        Whether the learning platform calls it late, which counts where the times do not say so.

    Examples
    --------
    >>> measure_lateness("2027-05-02 17:05:00 UTC", "2027-05-01 16:00:00 UTC")
    '25:05'
    >>> measure_lateness("2027-05-01 15:59:59 UTC", "2027-05-01 16:00:00 UTC")
    ''
    >>> measure_lateness("", "", called_late=True)
    'yes'
    """
    came, expected = _parse_time(timestamp), _parse_time(due)
    if came and expected and came > expected:
        minutes = -(-int((came - expected).total_seconds()) // 60)
        return f"{minutes // 60}:{minutes % 60:02}"
    return "yes" if called_late else ""


def _parse_time(text: str) -> datetime | None:
    """Parse a time as we or nbgrader write it: with the name of its zone last."""
    try:
        text, _, zone = text.strip().rpartition(" ")
        return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))
    except (ValueError, OSError, KeyError):
        return None


PERSONAL = ("first_name", "last_name", "email")


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


def enter_due_date(root: Path, name: str, due: str) -> None:
    """Tell the gradebook when an assignment is due."""
    from nbgrader.api import Gradebook

    with catch_warnings(action="ignore"), Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        book.update_or_create_assignment(name, duedate=due or None)


def enter_points(
    root: Path, name: str, graded: Sequence[StudentGrade], people: pd.DataFrame, due: str = ""
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
                found[one.student] = _enter_student(gradebook, name, one, people)
            except Exception as error:  # one student, one loss
                gradebook.db.rollback()
                said = f"Not entered into the gradebook: {type(error).__name__}."
                found[one.student] = Total(one.points, one.points, one.most, [said])
    return found


def _enter_student(gradebook: Any, name: str, one: StudentGrade, people: pd.DataFrame) -> Total:
    """Enter what one student earned, and add up what stands there now."""
    known = people.loc[one.student].to_dict() if one.student in people.index else {}
    gradebook.update_or_create_student(
        one.student, **{part: known[part] for part in PERSONAL if known.get(part)}
    )
    if not (one.answers or one.notebook):
        gradebook.db.commit()
        most = _drop_zero(gradebook.find_assignment(name).max_score)
        return Total(0, 0, most)
    when = {"timestamp": one.timestamp} if one.timestamp else {}
    gradebook.update_or_create_submission(name, one.student, **when)
    for exercise, judged in one.judged.items():
        grade = gradebook.find_grade(exercise, name, name, one.student)
        waits = exercise in one.ungraded
        grade.auto_score = None if waits else float(judged.points)
        grade.needs_manual_grade = waits
        comment = gradebook.find_comment(exercise, name, name, one.student)
        comment.auto_comment = judged.sentence
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
    return Total(_drop_zero(raw), _drop_zero(score), _drop_zero(submission.max_score), notes)


def _drop_zero(points: float) -> float:
    """Write points without a needless ``.0``."""
    return int(points) if float(points).is_integer() else float(points)
