"""Judging an answer: its points, its mistake, and one sentence that never holds the right value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from verikit.errors import RecordError, VerikitError, quoted
from verikit.exercises._exercise import Answer, Data, Exercise, refuse_type, same
from verikit.exercises._stored import MIME, plain
from verikit.words import joined

__all__ = ["Judged", "judge"]


@dataclass(frozen=True, repr=False)
class Judged:
    """What an answer is worth, and what is said to it.

    Parameters
    ----------
    points, most
        The points it earns, and those of a full answer.
    mistake
        The name of the mistake that yields it; empty if none that is known.
    sentence
        What the student is told.
    stored
        The answer itself, which a notebook keeps beside the sentence for whoever grades it.
    """

    points: int
    most: int
    mistake: str
    sentence: str
    stored: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"{self.sentence} ({self.points} of {self.most} points)"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        shown: dict[str, Any] = {"text/plain": repr(self)}
        return shown | ({MIME: dict(self.stored)} if self.stored else {})


def judge(exercise: Exercise, data: Data, answer: object) -> Judged:
    """Judge an answer on the data it was given for; one that cannot be read earns nothing."""
    truth = truth_of(exercise, data)
    most = exercise.points or len(truth)
    try:
        given = _parts(answer, truth)
        if exercise.judge is not None:
            return _open(exercise, data, given, most)
        return _closed(exercise, data, given, most)
    except VerikitError as error:
        return Judged(0, most, "", str(error))
    except RecursionError:
        return Judged(0, most, "", "The answer holds itself; give numbers, words and lists.")


def truth_of(exercise: Exercise, data: Data) -> Answer:
    """The right answer: what was worked out when the data were drawn, or anew."""
    found: Answer = data["_right"] if "_right" in data else exercise.right(data)
    return found


def _parts(answer: object, truth: Answer) -> Mapping[str, object]:
    if not isinstance(answer, Mapping) and len(truth) == 1 and answer is not None:
        answer = {next(iter(truth)): answer}
    if not isinstance(answer, Mapping):
        parts = ", ".join(f'"{part}": ...' for part in truth)
        raise RecordError(f"The answer was given as {quoted(answer)}; give a dict {{{parts}}}.")
    unknown = [str(part) for part in answer if part not in truth]
    if unknown:
        raise RecordError(
            f"{quoted(unknown[0])} is no part of this answer; expected {joined(list(truth))}."
        )
    return {part: _one(given, truth[part]) for part, given in plain(answer).items()}


def _one(given: object, truth: object) -> object:
    """The only value of a list, where no list is asked for."""
    several = isinstance(truth, (list, tuple, frozenset, Mapping))
    return given[0] if isinstance(given, list) and len(given) == 1 and not several else given


def _open(exercise: Exercise, data: Data, given: Answer, most: int) -> Judged:
    truth = truth_of(exercise, data)
    missing = [part for part in truth if part not in given]
    if missing:
        return Judged(0, most, "", f"Still open: {joined(missing)}.")
    found = exercise.judge(data, given) if exercise.judge else ""
    if found is None:
        return Judged(most, most, "", "Right.")
    hint = exercise.mistakes[found].hint if found else "This is not yet what is asked for."
    return Judged(0, most, found, hint)


def _closed(exercise: Exercise, data: Data, given: Answer, most: int) -> Judged:
    truth = truth_of(exercise, data)
    for part, value in given.items():
        refuse_type(part, value, truth[part])
    wrong = [part for part in given if not same(given[part], truth[part])]
    missing = [part for part in truth if part not in given]
    points = (len(truth) - len(wrong) - len(missing)) * most // len(truth)
    mistake = _mistake(exercise, data, given, wrong)
    if mistake:
        return Judged(points, most, mistake, exercise.mistakes[mistake].hint)
    if wrong:
        return Judged(points, most, "", _habit(given, truth, wrong) or _not_yet(wrong))
    return Judged(points, most, "", f"Still open: {joined(missing)}." if missing else "Right.")


def _not_yet(wrong: list[str]) -> str:
    return f"Not yet right: {joined(wrong)}."


def _habit(given: Answer, truth: Answer, wrong: list[str]) -> str:
    """What is said where a right number was only written otherwise; empty if it was not."""
    pairs = [(given[part], truth[part]) for part in wrong]
    if not all(isinstance(true, float) for _, true in pairs):
        return ""
    if all(_rounded(value, true) for value, true in pairs):
        return f"Rounded: {joined(wrong)}. Give all digits, or a fraction such as 2/3."
    if all(abs(true) < 1 and same(value, 100 * true) for value, true in pairs):
        return f"In per cent: {joined(wrong)}. Give the number itself, such as 0.5 for 50 %."
    return ""


def _rounded(value: Any, true: float) -> bool:
    """Whether a number has two to five digits after the point, and these are right."""
    digits = len(repr(float(value)).partition(".")[2])
    return 2 <= digits <= 5 and float(value) == round(true, digits)


def _mistake(exercise: Exercise, data: Data, given: Answer, wrong: list[str]) -> str:
    """The first mistake that yields what was given in every part it names, all of them wrong."""
    for key, mistake in exercise.mistakes.items() if wrong else ():
        gives = mistake.gives(data)
        if gives and all(part in wrong and same(given[part], of) for part, of in gives.items()):
            return key
    return ""
