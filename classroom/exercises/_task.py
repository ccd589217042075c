"""The data of one student, drawn so that no typical mistake is right by chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from html import escape
from importlib import import_module
from types import MappingProxyType
from typing import Any

import pandas as pd

from verikit._support.html import table
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, RecordError, quoted
from verikit.exercises._answer_storage import as_stored
from verikit.exercises._exercise import (
    TOPICS,
    Answer,
    Data,
    Exercise,
    Judged,
    judge,
    refuse_lonely_texts,
)
from verikit.exercises._run import trusting
from verikit.release import Published
from verikit.table import BipartiteGraph, Microdata

MAX_TURNS = 1000  # where 1.4 % of drawn data are fair, 1 student in a million gets none
MAX_ROWS_SHOWN = 40


@dataclass(frozen=True, repr=False)
class Task:
    """An exercise as one student gets it: ``task["table"]`` is a part of her data.

    Parameters
    ----------
    name, student
        Which exercise, and whose.
    title, text
        What is asked.
    parts
        The parts of an answer.
    points
        What a full answer is worth.
    data
        What was drawn for her, by name.
    """

    name: str
    student: str
    title: str
    text: str
    parts: tuple[str, ...]
    points: int
    data: Mapping[str, Any] = field(compare=False)

    def __getitem__(self, name: str) -> Any:
        """Get one part of the data."""
        if name not in self.data:
            there = ", ".join(self.data)
            raise RecordError(f"{quoted(name)} is not in this task; expected one of: {there}.")
        return self.data[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the data."""
        return iter(self.data)

    def __repr__(self) -> str:
        parts = ", ".join(f'"{part}": ...' for part in self.parts)
        shown = "".join(f"\n\n{name}:\n{_render_text(value)}" for name, value in self.data.items())
        head = f"{self.name} · {self.title} ({self.points} points, for {self.student})"
        return f"{head}\n{self.text}\nanswer = {{{parts}}}{shown}"

    def shown_as_html(self, *, tables: bool = False) -> str:
        """Show the data as tables and lines, or as tables alone."""
        return "".join(
            _render_html(name, value)
            for name, value in self.data.items()
            if not tables or _list_frames(value) is not None
        )

    def _repr_html_(self) -> str:
        parts = ", ".join(f'"{part}": ...' for part in self.parts)
        shown = self.shown_as_html()
        title = f"{self.name} · {self.title}"
        head = (
            f"<strong>{escape(title)}</strong> ({self.points} points, for {escape(self.student)})"
        )
        asked = f"<p>{head}</p><p>{escape(self.text)}</p>"
        return f"{asked}{shown}<p>Answer: {escape('{' + parts + '}')}</p>"


def student_id(student: object) -> str:
    """Write the id of a student in small letters without blanks around it."""
    if not isinstance(student, str) or not student.strip():
        raise RecordError.given("student", student, 'your id, such as student="ada"')
    return student.strip().lower()


def mistaken(exercise: Exercise, data: Data, key: str) -> Answer:
    """Give the answer of somebody who makes one mistake and no other."""
    gives = exercise.wrong_answers(data)[key]
    return dict(gives) if exercise.judge else {**exercise.right_answer(data), **gives}


@lru_cache(maxsize=256)
def draw(exercise: Exercise, student: str) -> Data:
    """Draw data until the right answer is full and each mistake is wrong and known as itself.

    Examples
    --------
    >>> from verikit.exercises import EXERCISES
    >>> draw(EXERCISES["ka-02"], "ada")["table"]
    Microdata(24 records of Age, Zip, Illness)
    """
    text = f"verikit|{student}|{exercise.name}"
    # A hash of id and exercise, not Python's own, which differs from run to run.
    seed = int(sha256(text.encode()).hexdigest()[:8], 16)
    for turn in range(MAX_TURNS):
        # Each turn has a generator of its own: one that draws more moves none of the others.
        data = answered_if_fair(exercise, exercise.make(generator(seed + turn * 2**32)))
        if data is not None:
            return data
    raise InfeasibleError(
        f"{exercise.name} found no data for {quoted(student)} in {MAX_TURNS} turns; the exercise "
        "has to be made with more room, so tell its author."
    )


def answered_if_fair(exercise: Exercise, made: Data) -> Data | None:
    """Add the right and the wrong answers to drawn data; None where these data are not fair.

    They are fair if the right answer is full, and each mistake is wrong and known as itself.
    """
    if not exercise.fits(made):
        return None
    data = {**made, "_right": exercise.right(made)}
    full = judge(exercise, data, data["_right"])
    if full.points < full.most:
        return None
    data["_wrong"] = exercise.wrong(data)
    for key in exercise.possible(data):
        found = judge(exercise, data, mistaken(exercise, data, key))
        parts = len(data["_wrong"][key]) if exercise.judge is None else full.most
        if found.mistake != key or found.points > full.most - min(parts, full.most):
            return None
    return data


def task_of(exercise: Exercise, student: str) -> Task:
    """Make what a student is handed out: everything but what is hers to find."""
    data = draw(exercise, student)
    shown = {name: value for name, value in data.items() if not name.startswith("_")}
    right = exercise.right_answer(data)
    text = exercise.text.format_map(data)
    points = exercise.full_points(data)
    return Task(exercise.name, student, exercise.title, text, tuple(right), points, shown)


def _list_frames(value: Any) -> Mapping[str, pd.DataFrame] | None:
    """List the tables of a part of the data by name; None where it is no table."""
    if isinstance(value, Published):
        return {name: table for name, (table, _) in value.tables().items()}
    if isinstance(value, BipartiteGraph):
        return {"": value.to_frame()}
    frame = value.frame if isinstance(value, Microdata) else value
    return {"": frame} if isinstance(frame, pd.DataFrame) else None


def _render_text(value: Any) -> str:
    """Render a part of the data as text."""
    frames = _list_frames(value)
    if frames is None:
        return (
            "\n".join(f"{k}  {v}" for k, v in value.items())
            if isinstance(value, dict)
            else str(value)
        )
    return "\n".join(f"{name}\n{frame.to_string()}".strip() for name, frame in frames.items())


def _render_html(name: str, value: Any) -> str:
    """Render a part of the data as tables, whose rows are numbered as pandas counts them."""
    frames = _list_frames(value)
    if frames is None:
        return f"<p><em>{escape(name)}</em></p><pre>{escape(_render_text(value))}</pre>"
    parts = [f"<p><em>{escape(name)}</em></p>"]
    for frame in frames.values():
        numbered = frame.head(MAX_ROWS_SHOWN).astype(object)
        numbered.insert(0, "row (from 0)", range(len(numbered)), allow_duplicates=True)
        parts.append(table(numbered))
        if len(frame) > MAX_ROWS_SHOWN:
            parts.append(f"<p>These are the first {MAX_ROWS_SHOWN} of {len(frame):,} rows.</p>")
    return "".join(parts)


MODULES = (
    "k_anonymity diversity attacks anatomy randomized bounded disguised personal graphs "
    "permuted record intruder publish learning repeating guarantees synthetic"
)


EXERCISES: Mapping[str, Exercise] = MappingProxyType(
    {
        one.name: one
        for name in MODULES.split()
        for one in vars(import_module(f"verikit.exercises._{name}")).values()
        if isinstance(one, Exercise)
    }
)
refuse_lonely_texts(EXERCISES)

_STUDENT: list[str] = []  # whose notebook this is, for as long as its kernel runs


def start(name: str, *, student: str | None = None) -> Task:
    """Start an exercise on data of one's own.

    Parameters
    ----------
    name
        The exercise, such as ``"ka-02"``.
    student
        Your id, the same each time; it need be told once in a notebook.

    Returns
    -------
    Task
        The question and your data.

    Raises
    ------
    RecordError
        If there is no such exercise, or no id was told yet.

    Examples
    --------
    >>> start("ka-01", student="ada")["table"]
    Microdata(24 records of Age, Zip, Illness)
    """
    exercise = _find_exercise(name)
    if student is not None:
        _STUDENT[:] = [student_id(student)]
    return task_of(exercise, _get_student())


def check(name: str, answer: object) -> Judged:
    """Say in one sentence what an answer is; the correct value is never shown.

    As the last line of a cell it also leaves the answer in the notebook, for whoever grades it.

    Parameters
    ----------
    name
        The exercise, such as ``"ka-02"``.
    answer
        What `start` asked for: a value by part.

    Returns
    -------
    Judged
        Its points, and the sentence.

    Raises
    ------
    RecordError
        If there is no such exercise, or nobody has started one.

    Examples
    --------
    >>> task = start("ka-02", student="ada")
    >>> print(check("ka-02", {}))
    Still open: k, alone and open.
    """
    exercise, student = _find_exercise(name), _get_student()
    try:
        given = exercise.with_source(answer)
    except RecordError as error:
        return Judged(0, exercise.points, "", str(error))
    with trusting():  # in her own notebook she may run what she wrote
        judged = judge(exercise, draw(exercise, student), given)
    return replace(judged, stored=as_stored(name, student, given))


def _find_exercise(name: object) -> Exercise:
    """Find an exercise by its name."""
    if not isinstance(name, str) or name not in EXERCISES:
        raise RecordError.given(
            "The exercise", name, f"a name such as 'ka-01', of the topics {', '.join(TOPICS)}"
        )
    return EXERCISES[name]


def _get_student() -> str:
    """Get whose notebook this is."""
    if not _STUDENT:
        raise RecordError('No student was told yet; begin with start("ka-01", student="your id").')
    return _STUDENT[0]
