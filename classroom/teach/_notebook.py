"""Reading what a student handed in: as data alone, whatever became of the file."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verikit._support.files import open_regular
from verikit.errors import FormatError, quoted
from verikit.exercises import EXERCISES, LONGEST, MIME

MAX_BYTES = 20_000_000
MAX_CELL = 200_000  # characters of a cell that are looked at


@dataclass(frozen=True)
class HandedIn:
    """One answer of a notebook.

    Parameters
    ----------
    answer
        The answer as data.
    student
        For whom the notebook was started, as it says itself.
    stored
        Whether `check` stored it; otherwise it was read from the lines of the cell.
    """

    answer: Any
    student: str
    stored: bool = True


def open_notebook(path: Path) -> dict[str, Any]:
    """Open the notebook in a file."""
    try:
        if path.is_symlink():
            raise FormatError(f"{quoted(path.name)} is a link; hand in the file itself.")
        with open_regular(path, links=False) as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise FormatError(f"{quoted(path.name)} is larger than {MAX_BYTES // 1_000_000} MB.")
        return read_notebook(content, path.name)
    except OSError as error:
        raise FormatError(f"{quoted(path.name)} cannot be read: {error.strerror}.") from error


def read_notebook(content: bytes, name: str) -> dict[str, Any]:
    """Read a notebook from its bytes, with only such cells as a notebook can have.

    Examples
    --------
    >>> read_notebook(b'{"cells": [', "ps1.ipynb")
    Traceback (most recent call last):
    verikit.errors.FormatError: 'ps1.ipynb' is no notebook that can be read; hand it in again.
    """
    try:
        found = json.loads(content.decode("utf-8-sig"))
        cells = found["cells"]
    except (ValueError, KeyError, TypeError, RecursionError):
        cells = None
    if not isinstance(cells, list):
        raise FormatError(f"{quoted(name)} is no notebook that can be read; hand it in again.")
    found["cells"] = [cell for cell in cells if isinstance(cell, dict)]
    return found


def find_assignment(notebook: Mapping[str, Any]) -> str:
    """Find the assignment that a notebook says it is of; empty if it says none."""
    name = _get_object(_get_object(notebook, "metadata"), "verikit").get("assignment", "")
    return name if isinstance(name, str) else ""


def read_answers(
    notebook: Mapping[str, Any], handed_out: Mapping[str, Any] | None = None
) -> dict[str, HandedIn]:
    """Read the last answer to each exercise: what `check` stored, else what the cell spells out.

    Cells that are still as they were handed out spell out nothing. Nothing is run.
    """
    student = find_student(notebook)
    blank = {*_list_sources(handed_out)} if handed_out else set()
    found = {}
    for source in _list_sources(notebook):
        tree = _parse_source("" if source in blank else source)
        checked = [name for node in ast.walk(tree) for name in _list_checked(node)]
        if not checked:
            continue
        answer = _read_plain_answer(tree, source, EXERCISES[checked[-1]].code)
        if answer is not None:
            found[checked[-1]] = HandedIn(answer, student, stored=False)
    return found | dict(_read_stored(notebook))


def find_student(notebook: Mapping[str, Any]) -> str:
    """Find the last id that a cell begins with: ``start(..., student="ada")``."""
    found = ""
    for tree in map(_parse_source, _list_sources(notebook)):
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "student":
                value = node.value.value if isinstance(node.value, ast.Constant) else None
                found = value if isinstance(value, str) else found
    return found.strip().lower()


def _read_stored(notebook: Mapping[str, Any]) -> Iterator[tuple[str, HandedIn]]:
    """Read the answers that `check` left in the outputs of cells."""
    for cell in notebook["cells"]:
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else []:
            stored = _get_object(_get_object(output, "data"), MIME)
            name, student = stored.get("exercise"), stored.get("student")
            if not isinstance(name, str) or name not in EXERCISES or not isinstance(student, str):
                continue
            answer = stored.get("answer")
            # No more than a notebook of ours would store, and nothing too deep to be written again.
            try:
                fits = len(json.dumps([[answer]], indent=1)) <= 4 * LONGEST
            except RecursionError:
                fits = False
            yield name, HandedIn(answer if fits else None, student.strip().lower())


def _list_checked(node: ast.AST) -> list[str]:
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.func, ast.Name):
        return []
    first = node.args[0]
    known = isinstance(first, ast.Constant) and first.value in EXERCISES
    return [first.value] if node.func.id == "check" and known else []  # type: ignore[attr-defined]


def _read_plain_answer(tree: ast.Module, source: str, code: str) -> Any:
    """Read the last plain value of ``answer``, or the lines of the function that is asked for."""
    found: Any = None
    for node in tree.body:
        if code and isinstance(node, ast.FunctionDef) and node.name == code:
            found = {code: ast.get_source_segment(source, node)}
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "answer":
            try:
                found = json.loads(json.dumps(_drop_open(ast.literal_eval(node.value))))
            except (ValueError, TypeError, MemoryError, RecursionError):
                found = None
    return found


def _drop_open(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _drop_open(part) for key, part in value.items() if part is not ...}
    if isinstance(value, (list, tuple, set)):
        return [_drop_open(part) for part in value]
    return value


def source_of(cell: Mapping[str, Any]) -> str:
    """Give the text of a cell, which may be stored as a list of lines."""
    source = cell.get("source", "")
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def _list_sources(notebook: Mapping[str, Any]) -> Iterator[str]:
    return (source_of(cell) for cell in notebook["cells"] if cell.get("cell_type") == "code")


def _parse_source(source: str) -> ast.Module:
    try:
        return ast.parse(source if len(source) <= MAX_CELL else "")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ast.Module([], [])


def _get_object(holder: Any, name: str) -> Mapping[str, Any]:
    """Get a part of some JSON that should be an object; an empty one where it is not."""
    part = holder.get(name) if isinstance(holder, dict) else None
    return part if isinstance(part, dict) else {}


def merge_notebooks(
    made: dict[str, Any], old: dict[str, Any], plain: dict[str, Any]
) -> dict[str, Any]:
    """Put the teacher's cells of an old notebook at their places in one made anew.

    Parameters
    ----------
    made
        The new notebook, as it would be without the old one.
    old
        The one that stands there.
    plain
        The old one as it was made, before anybody changed it.

    Raises
    ------
    FormatError
        If a cell that was rewritten has no place in the new notebook.

    Examples
    --------
    >>> made, old = (
    ...     {"cells": [{"id": one, "source": one} for one in ids]} for ids in ("ad", "abc")
    ... )
    >>> [
    ...     cell["id"]
    ...     for cell in merge_notebooks(made, old, {"cells": [{"id": "a", "source": "a"}]})["cells"]
    ... ]
    ['a', 'b', 'c', 'd']
    """
    ours = {cell["id"]: source_of(cell) for cell in plain["cells"]}
    cells = {cell["id"]: cell for cell in made["cells"]}
    order, before = [*cells], ""
    for at, cell in enumerate(old["cells"]):
        name = cell.get("id") or f"cell-{at}"
        if name in ours and source_of(cell) == ours[name]:
            before = name if name in cells else before
            continue
        if name in ours and name not in cells:
            raise FormatError(
                f"The cell {quoted(name)} was rewritten, and its exercise is not named any more; "
                "name it too, or delete the cell. Nothing was changed."
            )
        if name not in cells:
            order.insert(order.index(before) + 1 if before else 0, name)
        cells[name], before = cell, name
    return made | {"cells": [cells[name] for name in order]}
