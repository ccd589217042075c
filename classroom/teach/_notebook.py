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

__all__ = ["Given", "answers_in", "assignment_of", "opened", "read_notebook", "told_student"]

MOST = 20_000_000
LINES = 200_000  # characters of a cell that are looked at


@dataclass(frozen=True)
class Given:
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


def opened(path: Path) -> dict[str, Any]:
    """The notebook in a file."""
    try:
        if path.is_symlink():
            raise FormatError(f"{quoted(path.name)} is a link; hand in the file itself.")
        with open_regular(path, links=False) as file:
            content = file.read(MOST + 1)
        if len(content) > MOST:
            raise FormatError(f"{quoted(path.name)} is larger than {MOST // 1_000_000} MB.")
        return read_notebook(content, path.name)
    except OSError as error:
        raise FormatError(f"{quoted(path.name)} cannot be read: {error.strerror}.") from error


def read_notebook(content: bytes, name: str) -> dict[str, Any]:
    """A notebook from its bytes, with only such cells as a notebook can have.

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


def assignment_of(notebook: Mapping[str, Any]) -> str:
    """The assignment that a notebook says it is of; empty if it says none."""
    told = _at(_at(notebook, "metadata"), "verikit").get("assignment", "")
    return told if isinstance(told, str) else ""


def answers_in(
    notebook: Mapping[str, Any], handed_out: Mapping[str, Any] | None = None
) -> dict[str, Given]:
    """The last answer to each exercise: what `check` stored, else what the cell spells out.

    Cells that are still as they were handed out spell out nothing.
    """
    told = told_student(notebook)
    blank = {*_sources(handed_out)} if handed_out else set()
    found = {name: Given(answer, told, stored=False) for name, answer in _written(notebook, blank)}
    return found | dict(_stored(notebook))


def told_student(notebook: Mapping[str, Any]) -> str:
    """The last id that a cell begins with: ``start(..., student="ada")``."""
    told = ""
    for tree in map(_tree, _sources(notebook)):
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "student":
                value = node.value.value if isinstance(node.value, ast.Constant) else None
                told = value if isinstance(value, str) else told
    return told.strip().lower()


def _stored(notebook: Mapping[str, Any]) -> Iterator[tuple[str, Given]]:
    for cell in notebook["cells"]:
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else []:
            told = _at(_at(output, "data"), MIME)
            name, student = told.get("exercise"), told.get("student")
            if isinstance(name, str) and name in EXERCISES and isinstance(student, str):
                yield name, Given(_fitting(told.get("answer")), student.strip().lower())


def _fitting(answer: Any) -> Any:
    """No more than a notebook of ours would store, and nothing too deep to be written again."""
    try:
        return answer if len(json.dumps([[answer]], indent=1)) <= 4 * LONGEST else None
    except RecursionError:
        return None


def _written(notebook: Mapping[str, Any], blank: set[str]) -> Iterator[tuple[str, Any]]:
    """Answers that stand in a cell as plain values beside its check; nothing is run."""
    for source in _sources(notebook):
        tree = _tree("" if source in blank else source)
        checked = [name for node in ast.walk(tree) for name in _checked(node)]
        for name in checked[-1:]:
            answer = _spelled(tree, source, EXERCISES[name].code)
            if answer is not None:
                yield name, answer


def _checked(node: ast.AST) -> list[str]:
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.func, ast.Name):
        return []
    first = node.args[0]
    known = isinstance(first, ast.Constant) and first.value in EXERCISES
    return [first.value] if node.func.id == "check" and known else []  # type: ignore[attr-defined]


def _spelled(tree: ast.Module, source: str, code: str) -> Any:
    """The last plain value of ``answer``, or the lines of the function that is asked for."""
    found: Any = None
    for node in tree.body:
        if code and isinstance(node, ast.FunctionDef) and node.name == code:
            found = {code: ast.get_source_segment(source, node)}
        elif isinstance(node, ast.Assign) and _is_answer(node.targets[0]):
            try:
                found = json.loads(json.dumps(_open_left_out(ast.literal_eval(node.value))))
            except (ValueError, TypeError, MemoryError, RecursionError):
                found = None
    return found


def _is_answer(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "answer"


def _open_left_out(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _open_left_out(part) for key, part in value.items() if part is not ...}
    if isinstance(value, (list, tuple, set)):
        return [_open_left_out(part) for part in value]
    return value


def _sources(notebook: Mapping[str, Any]) -> Iterator[str]:
    for cell in notebook["cells"]:
        source = cell.get("source", "")
        if cell.get("cell_type") == "code":
            yield "".join(map(str, source)) if isinstance(source, list) else str(source)


def _tree(source: str) -> ast.Module:
    try:
        return ast.parse(source if len(source) <= LINES else "")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ast.Module([], [])


def _at(holder: Any, name: str) -> Mapping[str, Any]:
    """A part of some JSON that should be an object; an empty one where it is not."""
    part = holder.get(name) if isinstance(holder, dict) else None
    return part if isinstance(part, dict) else {}
