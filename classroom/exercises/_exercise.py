"""What an exercise is: data that are drawn, an answer that is worked out, mistakes with hints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from verikit.errors import RecordError, quoted
from verikit.exercises._stored import source_of

__all__ = [
    "Answer", "Data", "Exercise", "Kind", "Mistake", "Statement", "explain",
    "is_number", "same",
]  # fmt: skip

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
        What it yields on the data, in the parts that it changes; nothing where these data do not
        let it be made.
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
    fits
        Whether data may be drawn; those that leave a doubt, such as ties, may not.
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
    fits: Callable[[Data], bool] = lambda data: True
    points: int = 0
    code: str = ""

    @property
    def topic(self) -> str:
        """The two letters of the topic."""
        return self.name[:2]

    def possible(self, data: Data) -> list[str]:
        """The mistakes that can be made on these data."""
        return [key for key, mistake in self.mistakes.items() if mistake.gives(data)]

    def written(self, answer: object) -> object:
        """The answer; a function as the lines that define it, so that it runs outside."""
        if not self.code or answer is None or answer is ...:
            return answer
        function = answer.get(self.code) if isinstance(answer, Mapping) else answer
        given = function is not None and function is not ...
        return {self.code: source_of(function, self.code)} if given else {}


@dataclass(frozen=True)
class Statement:
    """A matter of which something true and something false can be said.

    Parameters
    ----------
    true, false
        Both, in words; which of them a student reads is drawn for her.
    hint
        What is said to whoever took the false one for true.
    holds
        Whether, on these data, the one is true and the other false.
    """

    true: str
    false: str
    hint: str
    holds: Callable[[Data], bool] = lambda data: True


def explain(
    name: str,
    title: str,
    text: str,
    make: Callable[[np.random.Generator], Data],
    statements: Sequence[Statement],
) -> Exercise:
    """An exercise that asks which one of some statements is true of the data.

    Which one that is, is drawn with the data: of one matter the student reads what is true, of all
    others what is false.
    """

    def drawn(rng: np.random.Generator) -> Data:
        data = make(rng)
        order, true = rng.permutation(len(statements)).tolist(), int(rng.integers(len(statements)))
        texts = [(s.true if of == true else s.false) for of, s in enumerate(statements)]
        told = {LETTERS[at]: texts[of].format_map(data) for at, of in enumerate(order)}
        return {**data, "statements": told, "_letters": [LETTERS[order.index(of)] for of in
                range(len(statements))], "_true": true}  # fmt: skip

    def wrong(of: int) -> Callable[[Data], Answer]:
        return lambda data: {} if data["_true"] == of else {"letter": data["_letters"][of]}

    return Exercise(
        name,
        "explain",
        title,
        f"{text} Answer with the letter of the one statement that follows.",
        drawn,
        right=lambda data: {"letter": data["_letters"][data["_true"]]},
        mistakes={
            f"statement {of + 1}": Mistake(wrong(of), statement.hint)
            for of, statement in enumerate(statements)
        },
        fits=lambda data: all(statement.holds(data) for statement in statements),
    )


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
    return is_number(given) and abs(float(given) - float(truth)) <= TOLERANCE  # type: ignore[arg-type]


def is_number(value: object, *, whole: bool = False) -> bool:
    """Whether a value is a finite number, or a whole one; True and False are none."""
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    return isinstance(value, kinds) and not isinstance(value, bool) and bool(np.isfinite(value))


def _same_list(given: object, truth: Sequence[object]) -> bool:
    if not isinstance(given, (list, tuple)) or len(given) != len(truth):
        return False
    return all(same(one, other) for one, other in zip(given, truth, strict=True))


def _same_set(given: object, truth: frozenset[object]) -> bool:
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
        kinds = (list, tuple, set, frozenset)
    if not isinstance(given, kinds) or (isinstance(given, bool) and not isinstance(truth, bool)):
        raise RecordError(f"{part} was given as {quoted(given)}; expected {wanted(truth)}.")
