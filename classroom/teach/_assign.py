"""Making an assignment: a notebook of exercises, handed out by nbgrader's own step."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from verikit._support.extras import needed
from verikit._support.writing import together
from verikit.errors import FormatError, RecordError, shortened
from verikit.exercises import EXERCISES, TOPICS, draw
from verikit.teach._course import (
    ROSTER,
    Course,
    check_name,
    enter_due_date,
    parse_due_date,
    read_roster,
)
from verikit.teach._notebook import merge_notebooks, read_notebook
from verikit.words import count

SOMEBODY = "somebody"
HEAD = """\
# {name}

Put your id in the place of `"{somebody}"`; the data are drawn for you alone. What a task shows is
at hand by its name: `list(task)` gives the names, `task["..."]` what stands there. After each
answer one sentence says what was misunderstood; answer again as often as you like. `check(...)`
stays the last line of its cell: it leaves your answer in this file. **Save the notebook before you
hand it in**, under any name. {points}.
"""
CONFIG = """\
c = get_config()  # noqa: F821
c.CourseDirectory.root = {root!r}
c.ClearSolutions.enabled = False  # the cells hold no solutions, and stay as they are
# verikit teach grade gives the points: nbgrader autograde runs no cell here, and takes none away.
# Remove these two lines if the course has assignments that nbgrader is to grade.
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = []
"""
PUBLISH = "def {code}(data, seed):\n    return vk.mask.noise(data, scale=0.5, seed=seed)"


def assign(
    name: str,
    exercises: Iterable[str],
    *,
    course: str | Path = ".",
    students: str | Path | None = None,
    due: str | None = None,
) -> Path:
    """Make an assignment that can be handed out.

    Made again, it keeps the cells that were added to it, and those that were rewritten.

    Parameters
    ----------
    name
        Its name, such as ``"ps1"``.
    exercises
        Exercises such as ``"ka-02"``, or whole topics such as ``"ka"``.
    course
        The folder of the course; made if it is not there.
    students
        A roster to keep in the course: CSV with the column ``id``, and where known
        ``first_name``, ``last_name`` and ``email``.
    due
        When it is due, such as ``"2027-05-01 18:00"``, in the zone of this computer; what came
        later is noted in ``grades.csv`` and in the gradebook.

    Returns
    -------
    Path
        The notebook to hand out.

    Raises
    ------
    RecordError
        If a name is none.
    FormatError
        If nbgrader is missing or refuses, the roster cannot be read, or a rewritten cell would
        be lost; then nothing is changed.
    """
    chosen = exercises_of(exercises)
    needed("verikit teach", "teach", "nbgrader")
    home = Course(Path(course).absolute())
    source = home.place("source", check_name(name)) / f"{name}.ipynb"
    people = None if students is None else read_roster(Path(students))
    date = "" if due is None else parse_due_date(due)
    before = source.read_bytes() if source.is_file() else None
    made = _make_notebook(name, chosen)
    if before is not None:
        old = read_notebook(before, source.name)
        planned = tuple(cell["id"] for cell in old["cells"] if cell.get("id") in EXERCISES)
        made = merge_notebooks(made, old, _make_notebook(name, planned))
        date = date or home.due(name)
    made["metadata"]["verikit"] |= {"due": date} if date else {}
    with together() as new:
        new.parents(source.parent)
        new.file(source, json.dumps(made, indent=1), replace=True)
        config = home.root / "nbgrader_config.py"
        if not config.exists():
            new.file(config, CONFIG.format(root=str(home.root)))
        if people is not None:
            new.file(home.root / ROSTER, people.to_csv(index=False), replace=True)
    with _restored_on_error(home.place("release", name)):
        try:
            _generate_release(home, name)
            if date:
                enter_due_date(home.root, name, date)
        except BaseException:
            if before is not None:
                with together() as new:
                    new.file(source, before, replace=True)
            raise
    return home.place("release", name) / f"{name}.ipynb"


def exercises_of(names: Iterable[str]) -> tuple[str, ...]:
    """List the exercises that names and topics stand for, each once.

    Parameters
    ----------
    names
        Exercises such as ``"ka-02"``, or whole topics such as ``"ka"``.

    Returns
    -------
    tuple of str
        Their names in this order.

    Raises
    ------
    RecordError
        If one is neither, or none is given.

    Examples
    --------
    >>> exercises_of(["in-08", "cr"])
    ('in-08', 'cr-01', 'cr-02', 'cr-03', 'cr-04', 'cr-05', 'cr-06')
    """
    found: list[str] = []
    for name in names:
        fitting = [one for one in EXERCISES if name in (one, EXERCISES[one].topic)]
        if not fitting:
            raise RecordError.given(
                "The exercise", name, f"a name such as 'ka-01', or a topic: {', '.join(TOPICS)}"
            )
        found += fitting
    if not found:
        raise RecordError("No exercise was given; name some, such as ka-01 ka-02.")
    return tuple(dict.fromkeys(found))


@contextmanager
def _restored_on_error(folder: Path) -> Iterator[None]:
    """Put a folder back as it was if what is done ends in an error: nbgrader empties it first."""
    with tempfile.TemporaryDirectory() as kept:
        copy = Path(kept) / folder.name
        if folder.is_dir():
            shutil.copytree(folder, copy, symlinks=True)
        try:
            yield
        except BaseException:
            if copy.is_dir():
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(copy, folder, symlinks=True)
            raise


def _generate_release(course: Course, name: str) -> None:
    """Let nbgrader make the release and its entries in the gradebook."""
    beside = sysconfig.get_path("scripts")  # nbgrader calls alembic by its name
    done = subprocess.run(  # noqa: S603 our own interpreter
        [sys.executable, "-m", "nbgrader", "generate_assignment", name, "--create", "--force"],
        cwd=course.root, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": os.pathsep.join([beside, os.environ.get("PATH", "")])},
    )  # fmt: skip
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if re.match(r"[\w.]+(Error|Exception)\b", line)] or lines
        reason = shortened(errors[-1], 200) if errors else "it does not say why"
        raise FormatError(f"nbgrader generate_assignment {name} failed: {reason}.")


def _make_notebook(name: str, chosen: tuple[str, ...]) -> dict[str, Any]:
    """Make the notebook of an assignment: three cells for each exercise."""
    points = {one: EXERCISES[one].full_points(draw(EXERCISES[one], SOMEBODY)) for one in chosen}
    total = count(sum(points.values()), "point")
    cells = [
        _make_cell("about", HEAD.format(name=name, somebody=SOMEBODY, points=total)),
        _make_cell("imports", "import verikit as vk\nfrom verikit.exercises import check, start"),
    ]
    for one in chosen:
        exercise = EXERCISES[one]
        whose = f', student="{SOMEBODY}"' if one == chosen[0] else ""
        asked = f"{exercise.kind.capitalize()}, {count(points[one], 'point')}."
        if exercise.code:
            begun = f'{PUBLISH.format(code=exercise.code)}\ncheck("{one}", {exercise.code})'
        else:
            right = exercise.right_answer(draw(exercise, SOMEBODY))
            parts = ", ".join(f'"{part}": ...' for part in right)
            begun = f'answer = {{{parts}}}\ncheck("{one}", answer)'
        cells += [
            _make_cell(f"{one}-about", f"## {one} · {exercise.title}\n\n*{asked}*"),
            _make_cell(f"{one}-start", f'task = start("{one}"{whose})\ntask'),
            _make_cell(one, begun, points=points[one]),
        ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about: dict[str, Any] = {"kernelspec": kernel, "verikit": {"assignment": name}}
    return {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def _make_cell(name: str, source: str, points: int = 0) -> dict[str, Any]:
    """Make a cell, which nbgrader grades if it has points."""
    code = not source.startswith("#")
    cell: dict[str, Any] = {
        "cell_type": "code" if code else "markdown",
        "id": name,
        "metadata": {},
        "source": source.splitlines(keepends=True),
    }
    if code:
        cell |= {"execution_count": None, "outputs": []}
    if points:
        cell["metadata"]["nbgrader"] = {
            "grade": True, "grade_id": name, "locked": False, "points": points,
            "schema_version": 3, "solution": True, "task": False,
        }  # fmt: skip
    return cell
