"""Collecting what was downloaded: every file is listed, with what became of it."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import pandas as pd

from verikit._support.writing import together
from verikit.errors import FormatError, VerikitError, quoted
from verikit.teach._course import ROSTER, Course
from verikit.teach._download import File, is_notebook, list_downloads
from verikit.teach._notebook import find_assignment, find_student, read_answers, read_notebook
from verikit.words import joined

LATE_FILE = "late.txt"
ASIDE = "not taken: several folders or files say that they are hers; keep one of them: "


@dataclass(frozen=True)
class Upload:
    """A file, whose it is, and what is to be said of it; without a student it is not taken.

    Parameters
    ----------
    file
        The file.
    student
        Whose it is; empty if nobody's.
    became
        What is said of it.
    place
        Where its student was named: files of one place may replace each other, others not.
    named
        Whether the path names her, and not a cell alone.
    readable
        Whether it is a notebook.
    """

    file: File
    student: str
    became: str
    place: str = ""
    named: bool = True
    readable: bool = True


def collect(name: str, downloads: str | Path, *, course: str | Path = ".") -> pd.DataFrame:
    """Put the downloaded files of an assignment where they can be graded.

    A file is hers whose id, or first and last name, or email, stands in its path, in the highest
    folder that names somebody; a path that names two is nobody's. Else it is hers whose id it
    holds, if no other file says so. Any name of a notebook will do. What is taken is copied;
    links are not followed.

    Parameters
    ----------
    name
        The assignment.
    downloads
        A folder, or a zip, with what the students handed in, at any depth.
    course
        The folder of the course, with its ``students.csv``.

    Returns
    -------
    DataFrame
        A line for each file, and one for each student without any: file, student, became.

    Raises
    ------
    FormatError
        If there are no such downloads, no such assignment, or no roster.
    """
    home = Course(Path(course).absolute())
    plan, people = home.plan(name), People(home.roster())
    if not people.ids:
        raise FormatError(
            f"{quoted(str(home.root))} has no {ROSTER}; write one with the column id, a line for "
            "each student."
        )
    files = list_downloads(Path(downloads))
    uploads = _keep_best_content(_look_at(file, name, plan, people) for file in files)
    found = _set_rivals_aside(uploads)
    # Of several files of one student the newest that can be read.
    taken = {one.student: one for one in sorted(found, key=_rank_upload) if one.student}
    with together() as new:
        for student, one in taken.items():
            folder = home.place("submitted", name, student)
            new.parents(folder)
            new.file(folder / f"{name}.ipynb", one.file.content, replace=True)
            when = f"{one.file.when:%Y-%m-%d %H:%M:%S} UTC"
            new.file(folder / "timestamp.txt", when, replace=True)
            parts = PurePosixPath(one.file.path).parts
            # Canvas says in a name that it came late: lovelaceada_LATE_12_34_ps1.ipynb
            late = "late" if any(re.match(r"[^_]+_LATE_", part) for part in parts) else ""
            new.file(folder / LATE_FILE, late, replace=True)
    lines = []
    for one in found:
        better = taken.get(one.student, one)
        other = f"not taken: {quoted(better.file.path)} is newer, or can be read"
        lines.append((one.file.path, one.student, one.became if better is one else other))
    seen = {one.student for one in uploads}
    nothing = {one: f"nothing was {'taken' if one in seen else 'handed in'}" for one in people.ids}
    lines += [("", one, said) for one, said in nothing.items() if one not in taken]
    return pd.DataFrame(lines, columns=["file", "student", "became"])


class People:
    """Whom a path may name: ids, full names in both orders, and addresses."""

    def __init__(self, roster: pd.DataFrame) -> None:
        self.ids: list[str] = roster["id"].tolist()
        self._called: dict[str, set[str]] = defaultdict(set)
        for one in roster.to_dict("records"):
            first, last = _keep_letters(one["first_name"]), _keep_letters(one["last_name"])
            names = {first + last, last + first} if first and last else set()
            for called in names | {_keep_letters(one["email"])} - {""}:
                self._called[called].add(one["id"])

    def find_named(self, part: str) -> set[str]:
        """Find the people whom one part of a path names."""
        head, _, rest = part.partition("_")
        called = self._called.get(_keep_letters(head), set())
        if not called:
            return self._find_ids(part)
        same = {one for one in self.ids if _keep_letters(one) == _keep_letters(head)}
        return called | same | self._find_ids(rest)

    def _find_ids(self, part: str) -> set[str]:
        """Find the ids in a text, without those that are a part of another that stands there."""
        low = part.lower()
        spans = {
            found.span(): one
            for one in self.ids
            for found in re.finditer(rf"(?<![\w.-]){re.escape(one)}(?![a-z0-9])", low)
        }
        first = re.split(r"[_ ]", low)[0]
        spans |= {(0, len(first)): first} if first in self.ids else {}
        return {
            one
            for (begin, end), one in spans.items()
            if not any(b <= begin and end <= e and (b, e) != (begin, end) for b, e in spans)
        }


def _keep_letters(text: str) -> str:
    """Write a name as learning platforms may: no case, accents, blanks or signs."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(one for one in plain if one.isalnum())


def _look_at(file: File, name: str, plan: Sequence[str], people: People) -> Upload:
    """Find out whose a file is; whatever one student hands in stops nobody else."""
    if file.fault:
        return Upload(file, "", f"not taken: {file.fault}", readable=False)
    if not is_notebook(file.path):
        return Upload(file, "", "not taken: no notebook of a student", readable=False)
    known, place = _find_owners(file.path, people)
    if len(known) > 1:
        said = f"not taken: its path names {joined(map(quoted, known))}; rename it"
        return Upload(file, "", said, readable=False)
    student = next(iter(known), "")
    try:
        return _look_into(file, name, plan, (student, place, people.ids))
    except (Exception, RecursionError) as error:
        reason = str(error) if isinstance(error, VerikitError) else f"{type(error).__name__}."
        kept = "taken, though it cannot be graded" if student else "not taken"
        return Upload(file, student, f"{kept}: {reason}", place, readable=False)


def _look_into(
    file: File, name: str, plan: Sequence[str], known: tuple[str, str, Sequence[str]]
) -> Upload:
    """Read whose a notebook is, and whether it is of the assignment."""
    student, place, ids = known
    notebook = read_notebook(file.content, PurePosixPath(file.path).name)
    other = find_assignment(notebook)
    if other != name and (other or not set(read_answers(notebook)) & {*plan}):
        said = f"not taken: it is of {quoted(other) if other else 'no assignment'}"
        return Upload(file.without_content(), "", said, readable=False)
    if student:
        return Upload(file, student, "taken", place)
    own = find_student(notebook)
    if own in ids:
        folder = str(PurePosixPath(file.path).parent)
        where = file.path if folder == "." else folder
        said = "taken: nothing in its path names a student, but a cell does"
        return Upload(file, own, said, where, named=False)
    said = f"not taken: it says {quoted(own)}, and nobody enrolled is called so"
    return Upload(file.without_content(), "", said, readable=False)


def _find_owners(path: str, people: People) -> tuple[list[str], str]:
    """Find whom the highest part of a path names that names anybody, and where that part ends."""
    parts = PurePosixPath(path).parts
    for at, part in enumerate(parts):
        if named := sorted(people.find_named(part)):
            last = at == len(parts) - 1  # files of one name lie beside each other
            return named, "/".join(parts[:at] if last else parts[: at + 1])
    return [], ""


def _keep_best_content(found: Iterable[Upload]) -> list[Upload]:
    """Drop the content of all files but the best of each student and place, to save memory."""
    # A class hands in gigabytes: of files that may replace each other, one content is held.
    every: list[Upload] = []
    best: dict[tuple[str, str, bool], int] = {}
    for at, one in enumerate(found):
        every.append(one)
        other = best.setdefault((one.student, one.place, one.named), at)
        if other == at or not one.student:
            continue
        worse, better = sorted((at, other), key=lambda place: _rank_upload(every[place]))
        best[one.student, one.place, one.named] = better
        every[worse] = replace(every[worse], file=every[worse].file.without_content())
    return every


def _rank_upload(one: Upload) -> tuple[object, ...]:
    return one.readable, one.file.when, one.file.path


def _set_rivals_aside(found: Sequence[Upload]) -> list[Upload]:
    """Let no file take the place of another folder's: a name in a path comes before a cell."""
    # Whoever writes another's id into a cell or a folder must not replace what she handed in.
    places: dict[str, set[str]] = defaultdict(set)
    named = {one.student for one in found if one.student and one.named}
    for one in found:
        if one.student and (one.named or one.student not in named):
            places[one.student].add(one.place)
    kept = []
    for one in found:
        said = ""
        if one.student and not one.named and one.student in named:
            said = (
                f"not taken: it says {quoted(one.student)}, but the path of another file names her"
            )
        elif one.student and len(places[one.student]) > 1:
            said = ASIDE + joined(quoted(p or "the downloads") for p in sorted(places[one.student]))
        aside = Upload(one.file.without_content(), "", said, readable=False)
        kept.append(aside if said else one)
    return kept
