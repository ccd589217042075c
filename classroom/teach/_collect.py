"""Collecting what was downloaded: every file is listed, with what became of it."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import pandas as pd

from verikit._support.writing import together
from verikit.errors import FormatError, quoted
from verikit.teach._course import ROSTER, Course
from verikit.teach._notebook import MOST, answers_in, assignment_of, read_notebook, told_student

__all__ = ["collect"]


@dataclass(frozen=True)
class File:
    """A downloaded file: where it lay, when it was written, and what is in it."""

    path: str
    when: datetime
    content: bytes


@dataclass(frozen=True)
class Sorted:
    """A file, whose it is, and what is to be said of it; without a student it is not taken."""

    file: File
    student: str
    became: str
    readable: bool = True


def collect(name: str, downloads: str | Path, *, course: str | Path = ".") -> pd.DataFrame:
    """Put the downloaded files of an assignment where they can be graded.

    A file is hers whose id stands in its path, in the highest folder that names one; else hers
    whose id it holds. Any name of a notebook will do. What is taken is copied.

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
    plan, ids = home.plan(name), home.roster()["id"].tolist()
    if not ids:
        raise FormatError(
            f"{quoted(str(home.root))} has no {ROSTER}; write one with the column id, a line for "
            "each student."
        )
    found = [_sorted(file, name, plan, ids) for file in _files(Path(downloads))]
    taken = _newest(found)
    with together() as new:
        for student, one in taken.items():
            folder = home.place("submitted", name, student)
            new.parents(folder)
            new.file(folder / f"{name}.ipynb", one.file.content, replace=True)
            when = f"{one.file.when:%Y-%m-%d %H:%M:%S} UTC"
            new.file(folder / "timestamp.txt", when, replace=True)
    lines = [(one.file.path, one.student, _became(one, taken)) for one in found]
    lines += [("", student, "nothing was handed in") for student in ids if student not in taken]
    return pd.DataFrame(lines, columns=["file", "student", "became"])


def _files(downloads: Path) -> Iterator[File]:
    if downloads.is_dir():
        for path in sorted(p for p in downloads.rglob("*") if p.is_file()):
            when = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            inner = path.relative_to(downloads).as_posix()
            content = path.read_bytes() if path.stat().st_size <= MOST else b""
            yield from _unpacked(File(inner, when, content))
    elif downloads.is_file() and zipfile.is_zipfile(downloads):
        when = datetime.fromtimestamp(downloads.stat().st_mtime, UTC)
        yield from _unpacked(File("", when, downloads.read_bytes()), name=downloads.name)
    else:
        raise FormatError(
            f"{quoted(str(downloads))} is neither a folder nor a zip; name what was downloaded."
        )


def _unpacked(file: File, name: str = "", depth: int = 0) -> Iterator[File]:
    """A file itself, or what a zip of a learning platform holds, with one more zip in it."""
    if PurePosixPath(name or file.path).suffix.lower() != ".zip" or depth > 1:
        yield file
        return
    from io import BytesIO

    try:
        with zipfile.ZipFile(BytesIO(file.content)) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    content = archive.read(entry) if entry.file_size <= MOST else b""
                    when = datetime(*entry.date_time, tzinfo=UTC)
                    inner = f"{file.path}/{entry.filename}".lstrip("/")
                    yield from _unpacked(File(inner, when, content), depth=depth + 1)
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError):
        yield file


def _sorted(file: File, name: str, plan: Sequence[str], ids: Sequence[str]) -> Sorted:
    """Whose a file is, and whether it is of the assignment."""
    parts = PurePosixPath(file.path).parts
    if ".ipynb" not in parts[-1].lower() or {"__MACOSX", ".ipynb_checkpoints"} & {*parts}:
        return Sorted(file, "", "not taken: no notebook of a student")
    student = _whose(parts, ids)
    try:
        notebook = read_notebook(file.content, parts[-1])
    except FormatError as error:
        said = f"taken, though it cannot be graded: {error}"
        return Sorted(file, student, said if student else f"not taken: {error}", readable=False)
    other = assignment_of(notebook)
    if other != name and (other or not set(answers_in(notebook)) & {*plan}):
        return Sorted(
            file, "", f"not taken: it is of {quoted(other) if other else 'no assignment'}"
        )
    told = told_student(notebook)
    if student:
        return Sorted(file, student, "taken")
    if told in ids:
        return Sorted(file, told, "taken: nothing in its path names a student, but a cell does")
    return Sorted(file, "", f"not taken: it says {quoted(told)}, and nobody enrolled is called so")


def _whose(parts: Sequence[str], ids: Sequence[str]) -> str:
    """The student whose id stands in the highest part of a path that names exactly one."""
    for part in parts:
        low = part.lower()
        named = [one for one in ids if re.search(rf"(?<![\w.-]){re.escape(one)}(?![a-z0-9])", low)
                 or re.split(r"[_ ]", low)[0] == one]  # fmt: skip
        longest = [one for one in named if len(one) == max(map(len, named))]
        if len(longest) == 1:
            return longest[0]
    return ""


def _newest(found: Sequence[Sorted]) -> dict[str, Sorted]:
    """Of several files of one student the newest that can be read."""
    taken: dict[str, Sorted] = {}
    for one in sorted(found, key=lambda one: (one.readable, one.file.when, one.file.path)):
        if one.student:
            taken[one.student] = one
    return taken


def _became(one: Sorted, taken: dict[str, Sorted]) -> str:
    if one.student and taken[one.student] is not one:
        return f"not taken: {quoted(taken[one.student].file.path)} is newer, or can be read"
    return one.became
