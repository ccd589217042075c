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
from verikit.teach._download import File, downloaded, is_notebook
from verikit.teach._notebook import answers_in, assignment_of, read_notebook, told_student
from verikit.words import joined

__all__ = ["LATE", "collect"]

LATE = "late.txt"
ASIDE = "not taken: several folders or files say that they are hers; keep one of them: "


@dataclass(frozen=True)
class Sorted:
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
    files = downloaded(Path(downloads))
    told = _lightened(_guarded(file, name, plan, people) for file in files)
    found = _settled(told)
    taken = _newest(found)
    with together() as new:
        for student, one in taken.items():
            folder = home.place("submitted", name, student)
            new.parents(folder)
            new.file(folder / f"{name}.ipynb", one.file.content, replace=True)
            when = f"{one.file.when:%Y-%m-%d %H:%M:%S} UTC"
            new.file(folder / "timestamp.txt", when, replace=True)
            late = "late" if _called_late(one.file.path) else ""
            new.file(folder / LATE, late, replace=True)
    lines = [(one.file.path, one.student, _became(one, taken)) for one in found]
    seen = {one.student for one in told}
    nothing = {one: f"nothing was {'taken' if one in seen else 'handed in'}" for one in people.ids}
    lines += [("", one, said) for one, said in nothing.items() if one not in taken]
    return pd.DataFrame(lines, columns=["file", "student", "became"])


class People:
    """Whom a path may name: ids, full names in both orders, and addresses."""

    def __init__(self, roster: pd.DataFrame) -> None:
        self.ids: list[str] = roster["id"].tolist()
        self._called: dict[str, set[str]] = defaultdict(set)
        for one in roster.to_dict("records"):
            first, last = _letters(one["first_name"]), _letters(one["last_name"])
            names = {first + last, last + first} if first and last else set()
            for called in names | {_letters(one["email"])} - {""}:
                self._called[called].add(one["id"])

    def named(self, part: str) -> set[str]:
        """The people whom one part of a path names."""
        head, _, rest = part.partition("_")
        called = self._called.get(_letters(head), set())
        if not called:
            return self._with_id(part)
        same = {one for one in self.ids if _letters(one) == _letters(head)}
        return called | same | self._with_id(rest)

    def _with_id(self, part: str) -> set[str]:
        """The ids in a text, without those that are a part of another that stands there."""
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


def _letters(text: str) -> str:
    """A name as learning platforms may write it: no case, accents, blanks or signs."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(one for one in plain if one.isalnum())


def _guarded(file: File, name: str, plan: Sequence[str], people: People) -> Sorted:
    """What a file is, whatever stands in it: what one student hands in stops nobody else."""
    if file.fault:
        return Sorted(file, "", f"not taken: {file.fault}", readable=False)
    if not is_notebook(file.path):
        return Sorted(file, "", "not taken: no notebook of a student", readable=False)
    known, place = _whose(file.path, people)
    if len(known) > 1:
        said = f"not taken: its path names {joined(map(quoted, known))}; rename it"
        return Sorted(file, "", said, readable=False)
    student = next(iter(known), "")
    try:
        return _sorted(file, name, plan, (student, place, people.ids))
    except (Exception, RecursionError) as error:
        reason = str(error) if isinstance(error, VerikitError) else f"{type(error).__name__}."
        said = f"taken, though it cannot be graded: {reason}"
        said = said if student else f"not taken: {reason}"
        return Sorted(file, student, said, place, readable=False)


def _sorted(
    file: File, name: str, plan: Sequence[str], known: tuple[str, str, Sequence[str]]
) -> Sorted:
    """Whose a notebook is, and whether it is of the assignment."""
    student, place, ids = known
    notebook = read_notebook(file.content, PurePosixPath(file.path).name)
    other = assignment_of(notebook)
    if other != name and (other or not set(answers_in(notebook)) & {*plan}):
        said = f"not taken: it is of {quoted(other) if other else 'no assignment'}"
        return Sorted(_light(file), "", said, readable=False)
    if student:
        return Sorted(file, student, "taken", place)
    told = told_student(notebook)
    if told in ids:
        folder = str(PurePosixPath(file.path).parent)
        where = file.path if folder == "." else folder
        said = "taken: nothing in its path names a student, but a cell does"
        return Sorted(file, told, said, where, named=False)
    said = f"not taken: it says {quoted(told)}, and nobody enrolled is called so"
    return Sorted(_light(file), "", said, readable=False)


def _light(file: File) -> File:
    return replace(file, content=b"")


def _whose(path: str, people: People) -> tuple[list[str], str]:
    """The people whom the highest part of a path names that names any, and the place of it."""
    parts = PurePosixPath(path).parts
    for at, part in enumerate(parts):
        if named := sorted(people.named(part)):
            last = at == len(parts) - 1  # files of one name lie beside each other
            return named, "/".join(parts[:at] if last else parts[: at + 1])
    return [], ""


def _lightened(found: Iterable[Sorted]) -> list[Sorted]:
    """All files, with the content only of the best of each student and place."""
    every: list[Sorted] = []
    best: dict[tuple[str, str, bool], int] = {}
    for at, one in enumerate(found):
        every.append(one)
        if not one.student:
            continue
        key = one.student, one.place, one.named
        other = best.setdefault(key, at)
        if other != at:
            worse = other if _rank(every[other]) < _rank(one) else at
            best[key] = at if worse == other else other
            every[worse] = replace(every[worse], file=_light(every[worse].file))
    return every


def _rank(one: Sorted) -> tuple[object, ...]:
    return one.readable, one.file.when, one.file.path


def _settled(found: Sequence[Sorted]) -> list[Sorted]:
    """Let no file take the place of another folder's: a name in a path comes before a cell."""
    places: dict[str, set[str]] = defaultdict(set)
    named = {one.student for one in found if one.student and one.named}
    for one in found:
        if one.student and (one.named or one.student not in named):
            places[one.student].add(one.place)
    return [_aside(one, named, places) if one.student else one for one in found]


def _aside(one: Sorted, named: set[str], places: dict[str, set[str]]) -> Sorted:
    if not one.named and one.student in named:
        said = f"not taken: it says {quoted(one.student)}, but the path of another file names her"
        return Sorted(_light(one.file), "", said, readable=False)
    if len(places[one.student]) > 1:
        where = joined(quoted(place or "the downloads") for place in sorted(places[one.student]))
        return Sorted(_light(one.file), "", ASIDE + where, readable=False)
    return one


def _newest(found: Sequence[Sorted]) -> dict[str, Sorted]:
    """Of several files of one student the newest that can be read."""
    taken: dict[str, Sorted] = {}
    for one in sorted(found, key=_rank):
        if one.student:
            taken[one.student] = one
    return taken


def _became(one: Sorted, taken: dict[str, Sorted]) -> str:
    if one.student and taken[one.student] is not one:
        return f"not taken: {quoted(taken[one.student].file.path)} is newer, or can be read"
    return one.became


def _called_late(path: str) -> bool:
    """Whether Canvas says in a name that it came late: ``lovelaceada_LATE_12_34_ps1.ipynb``."""
    return any(re.match(r"[^_]+_LATE_", part) for part in PurePosixPath(path).parts)
