"""A course on the disk: nbgrader's folders, the roster, and a secret of the teacher's."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.writing import together
from verikit.errors import FormatError, RecordError, quoted
from verikit.exercises import EXERCISES
from verikit.teach._notebook import opened

__all__ = ["Course", "named"]

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
        """The folder of an assignment at one of nbgrader's steps."""
        return self.root.joinpath(step, *([student] if student else []), name)

    def handed_out(self, name: str) -> dict[str, Any]:
        """The notebook of an assignment, as the teacher's own copy has it."""
        source = self.place("source", named(name)) / f"{name}.ipynb"
        if not source.is_file():
            raise FormatError(
                f"There is no assignment {quoted(name)} in {quoted(str(self.root))}; make it first "
                f"with  verikit teach assign {name} ka-01."
            )
        return opened(source)

    def plan(self, name: str) -> tuple[str, ...]:
        """The exercises of an assignment."""
        cells = [c.get("metadata", {}).get("nbgrader", {}) for c in self.handed_out(name)["cells"]]
        return tuple(c["grade_id"] for c in cells if c.get("grade_id") in EXERCISES)

    def roster(self) -> pd.DataFrame:
        """Everybody who is enrolled, by id; empty where there is no students.csv."""
        path = self.root / ROSTER
        if not path.is_file():
            return pd.DataFrame(columns=list(PEOPLE))
        return read_roster(path)

    def students(self, name: str) -> dict[str, list[str]]:
        """Everybody who is enrolled or handed something in: by id, the names of her folders."""
        given = self.root / "submitted"
        folders = [path.parent.name for path in given.glob(f"*/{name}") if path.is_dir()]
        found: dict[str, list[str]] = {}
        for one in sorted(folders):
            found.setdefault(one.strip().lower(), []).append(one)
        for one in self.roster()["id"]:
            found.setdefault(one, [one])
        return dict(sorted(found.items()))

    def due(self, name: str) -> str:
        """When an assignment is due, as `assign` was told; empty if it is not."""
        about = self.handed_out(name).get("metadata", {}).get("verikit", {})
        return str(about.get("due", ""))

    def secret_seeds(self, student: str, exercise: str, many: int) -> list[int]:
        """Seeds that nobody knows who does not have the teacher's folder; the same each time."""
        path = self.root / OWN
        if not path.exists():
            with together() as new:
                new.file(path, secrets.token_hex(16), private=True)
        text = f"{path.read_text(encoding='utf-8')}|{student}|{exercise}"
        return [int(sha256(f"{text}|{turn}".encode()).hexdigest()[:7], 16) for turn in range(many)]


def read_roster(path: Path) -> pd.DataFrame:
    """The people of a roster, with ids in small letters, each once."""
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


def named(name: Any) -> str:
    """The name of an assignment, which becomes that of folders and files."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
        raise RecordError(
            f"The assignment was given as {quoted(name)}; expected letters, digits, _ and -, "
            "such as 'ps1'."
        )
    return name
