"""What an exercise is: data that are drawn, an answer that is worked out, mistakes with hints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from verikit.errors import RecordError, quoted
from verikit.exercises._stored import source_of

__all__ = ["Answer", "Data", "Exercise", "Kind", "Mistake", "Statement", "explain", "same"]

Kind: TypeAlias = Literal["read", "compute", "explain", "break", "build", "disprove"]
Data: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = Mapping[str, Any]

LETTERS = "abcdef"
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Mistake:
    """A typical wrong way.

    Parameters
    ----------
    gives
        What it yields on the data, in the parts that it changes.
    hint
        What is said to an answer that equals it.
    """

    gives: Callable[[Data], Answer]
    hint: str


@dataclass(frozen=True, eq=False)
class Exercise:
    """A question whose data are drawn for each student.

    Parameters
    ----------
    name
        Topic and number, such as ``"ka-02"``.
    kind
        What is asked for: to read, compute, explain, break, build or disprove.
    title
        A few words.
    text
        The question; ``{k}`` stands for the drawn value of that name.
    make
        Draws the data by name from a generator; names that begin with ``_`` are not handed out.
    right
        A right answer by part, worked out by verikit's functions.
    mistakes
        Typical mistakes, from the special to the general.
    judge
        Where many answers are right: names the mistake of an answer, ``""`` for one without a
        name, and None if it is right.
    points
        One for each part unless told.
    code
        The name of the function that is asked for, where the answer is one.
    """

    name: str
    kind: Kind
    title: str
    text: str
    make: Callable[[np.random.Generator], Data]
    right: Callable[[Data], Answer]
    mistakes: Mapping[str, Mistake] = field(default_factory=dict)
    judge: Callable[[Data, Answer], str | None] | None = None
    points: int = 0
    code: str = ""

    @property
    def topic(self) -> str:
        """The two letters of the topic."""
        return self.name[:2]

    def written(self, answer: object) -> object:
        """The answer; a function as the lines that define it, so that it runs outside."""
        if not self.code or answer is None or answer is ...:
            return answer
        function = answer.get(self.code) if isinstance(answer, Mapping) else answer
        given = function is not None and function is not ...
        return {self.code: source_of(function, self.code)} if given else {}


@dataclass(frozen=True)
class Statement:
    """Something that may be said of the data, when it is true, and what to say to who chose it."""

    text: str
    holds: Callable[[Data], bool]
    hint: str = ""


def explain(
    name: str,
    title: str,
    text: str,
    make: Callable[[np.random.Generator], Data],
    statements: Sequence[Statement],
) -> Exercise:
    """An exercise that asks which one of some statements is true of the data."""

    def drawn(rng: np.random.Generator) -> Data:
        data = make(rng)
        order = rng.permutation(len(statements)).tolist()
        told = {LETTERS[at]: statements[of].text.format_map(data) for at, of in enumerate(order)}
        return {**data, "statements": told, "_order": order}

    def right(data: Data) -> Answer:
        true = [at for at, of in enumerate(data["_order"]) if statements[of].holds(data)]
        return {"letter": LETTERS[true[0]] if len(true) == 1 else None}

    def chosen(of: int) -> Callable[[Data], Answer]:
        return lambda data: {"letter": LETTERS[data["_order"].index(of)]}

    wrong = {
        f"statement {of + 1}": Mistake(chosen(of), statement.hint)
        for of, statement in enumerate(statements)
        if statement.hint
    }
    asked = f"{text} Answer with the letter of the one statement that follows."
    return Exercise(name, "explain", title, asked, drawn, right, wrong, points=1)


def same(given: object, truth: object) -> bool:
    """Whether an answer is the right one: numbers to a millionth, words but for case and ends."""
    if isinstance(truth, bool) or isinstance(given, (bool, np.bool_)):
        return isinstance(given, (bool, np.bool_)) and bool(given) == truth
    if isinstance(truth, str):
        return isinstance(given, str) and given.strip().lower() == truth.strip().lower()
    if isinstance(truth, frozenset):
        return _same_set(given, truth)
    if isinstance(truth, Sequence):
        return _same_list(given, truth)
    return _is_number(given) and abs(float(given) - float(truth)) <= TOLERANCE  # type: ignore[arg-type]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and bool(np.isfinite(value))


def _same_list(given: object, truth: Sequence[object]) -> bool:
    if isinstance(given, np.ndarray):
        given = given.tolist()
    alike = isinstance(given, Sequence) and not isinstance(given, str) and len(given) == len(truth)
    return alike and all(same(one, other) for one, other in zip(given, truth, strict=True))  # type: ignore[call-overload]


def _same_set(given: object, truth: frozenset[object]) -> bool:
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, (set, frozenset, list, tuple)) or len(given) != len(truth):
        return False
    return all(any(same(one, other) for one in given) for other in truth)


def wanted(truth: object) -> str:
    """What a part of an answer has to be, in words, without telling it."""
    if isinstance(truth, bool):
        return "True or False"
    if isinstance(truth, (int, np.integer)):
        return "a whole number"
    if isinstance(truth, str):
        return "a word in quotes"
    if isinstance(truth, frozenset):
        return "a list, in any order"
    return "a list" if isinstance(truth, Sequence) else "a number"


def refuse_type(part: str, given: object, truth: object) -> None:
    """Say what was expected where an answer is of another kind."""
    kinds: tuple[type, ...] = (int, float, np.integer, np.floating)
    if isinstance(truth, bool):
        kinds = (bool, np.bool_)
    elif isinstance(truth, str):
        kinds = (str,)
    elif isinstance(truth, (frozenset, Sequence)):
        kinds = (list, tuple, set, frozenset, np.ndarray)
    if not isinstance(given, kinds) or (isinstance(given, bool) and not isinstance(truth, bool)):
        raise RecordError(f"{part} was given as {quoted(given)}; expected {wanted(truth)}.")
