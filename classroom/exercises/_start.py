"""Where a student begins and is answered: start an exercise, check an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType

from verikit.errors import RecordError, quoted
from verikit.exercises._exercise import Exercise
from verikit.exercises._judge import Judged, judge
from verikit.exercises._run import trusting
from verikit.exercises._stored import as_stored
from verikit.exercises._task import Task, draw, student_id, task_of

__all__ = ["EXERCISES", "TOPICS", "check", "start"]

TOPICS: Mapping[str, str] = MappingProxyType(
    {
        "ka": "k-anonymity",
        "dc": "diversity and closeness",
        "at": "attack lab",
        "ap": "anatomy and permutation anonymization",
        "ra": "random anonymization",
        "ke": "(k,e) and bounded answers",
        "dd": "disguised distributions",
        "pr": "personal requirements",
        "bg": "bipartite graphs",
        "pp": "permutation paradigm",
        "cr": "check your record",
        "in": "intruder",
    }
)
MODULES = (
    "k_anonymity diversity attacks anatomy randomized bounded disguised personal graphs "
    "permuted record intruder publish"
)


def _all() -> Mapping[str, Exercise]:
    modules = [import_module(f"verikit.exercises._{name}") for name in MODULES.split()]
    return MappingProxyType({one.name: one for module in modules for one in module.EXERCISES})


EXERCISES: Mapping[str, Exercise] = _all()

_NOW: list[str] = []  # whose notebook this is, for as long as its kernel runs


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
    exercise = _named(name)
    if student is not None:
        _NOW[:] = [student_id(student)]
    return task_of(exercise, _whose())


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
    exercise, student = _named(name), _whose()
    try:
        given = exercise.written(answer)
    except RecordError as error:
        return Judged(0, exercise.points, "", str(error))
    with trusting():  # in her own notebook she may run what she wrote
        judged = judge(exercise, draw(exercise, student), given)
    return replace(judged, stored=as_stored(name, student, given))


def _named(name: object) -> Exercise:
    if not isinstance(name, str) or name not in EXERCISES:
        raise RecordError(
            f"The exercise was given as {quoted(name)}; expected a name such as 'ka-01', of the "
            f"topics {', '.join(TOPICS)}."
        )
    return EXERCISES[name]


def _whose() -> str:
    if not _NOW:
        raise RecordError('No student was told yet; begin with start("ka-01", student="your id").')
    return _NOW[0]
