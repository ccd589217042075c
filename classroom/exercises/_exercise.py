"""What an exercise is: data that are drawn, an answer that is worked out, mistakes with hints."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

from verikit.errors import FormatError, RecordError, VerikitError, quoted
from verikit.exercises._answer_storage import MIME, source_of, to_plain_data
from verikit.words import joined

Kind: TypeAlias = Literal["read", "compute", "explain", "break", "build", "disprove"]
Data: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = Mapping[str, Any]

TEXTS: dict[str, Any] = tomllib.loads(
    files("verikit.exercises").joinpath("texts.toml").read_text(encoding="utf-8")
)
TOPICS: Mapping[str, str] = MappingProxyType(TEXTS.pop("topics"))
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
    wrong
        What each typical mistake yields on the data, in the parts that it changes; nothing where
        these data do not let it be made. ``data["_right"]`` is the right answer.
    hints
        What is said to an answer that equals a mistake's, from the special to the general.
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
    wrong: Callable[[Data], Mapping[str, Answer]]
    hints: Mapping[str, str]
    judge: Callable[[Data, Answer], str | None] | None = None
    fits: Callable[[Data], bool] = lambda data: True
    points: int = 0
    code: str = ""

    @property
    def topic(self) -> str:
        """The two letters of the topic."""
        return self.name[:2]

    @property
    def mistakes(self) -> Mapping[str, Mistake]:
        """The typical mistakes by name, from the special to the general."""

        def answer_of(key: str) -> Callable[[Data], Answer]:
            return lambda data: self.wrong_answers(data)[key]

        return {key: Mistake(answer_of(key), hint) for key, hint in self.hints.items()}

    def right_answer(self, data: Data) -> Answer:
        """Give the answer that was worked out when the data were drawn, or work it out anew."""
        return data["_right"] if "_right" in data else self.right(data)

    def wrong_answers(self, data: Data) -> Mapping[str, Answer]:
        """Give what each mistake yields, as it was worked out when the data were drawn, or anew."""
        return data["_wrong"] if "_wrong" in data else self.wrong(data)

    def possible(self, data: Data) -> list[str]:
        """List the mistakes that can be made on these data."""
        found = self.wrong_answers(data)
        return [key for key in self.hints if found[key]]

    def full_points(self, data: Data) -> int:
        """Count the points of a full answer: one for each part unless told."""
        return self.points or len(self.right_answer(data))

    def with_source(self, answer: object) -> object:
        """Give the answer; a function as the lines that define it, so that it runs outside."""
        if not self.code or answer is None or answer is ...:
            return answer
        function = answer.get(self.code) if isinstance(answer, Mapping) else answer
        given = function is not None and function is not ...
        return {self.code: source_of(function, self.code)} if given else {}


def find_words(name: str) -> Mapping[str, Any]:
    """Find what ``texts.toml`` says of an exercise; an exercise without a text is refused."""
    if name not in TEXTS:
        raise FormatError(f"{name} has no text; expected a table [{name}] in texts.toml.")
    return TEXTS[name]


def refuse_lonely_texts(exercises: Collection[str]) -> None:
    """Refuse a text without its exercise."""
    if lonely := [name for name in TEXTS if name not in exercises]:
        raise FormatError(
            f"texts.toml has words for {joined(lonely)}; expected names of exercises, which Python "
            "computes."
        )


def pose(name: str, **computed: Any) -> Exercise:
    """Make an exercise of what computes it, and of its words in ``texts.toml``."""
    words = find_words(name)
    kind, title, text = words["kind"], words["title"], words["text"]
    return Exercise(name, kind, title, text, hints=words["hints"], **computed)


def explain(
    name: str,
    make: Callable[[np.random.Generator], Data],
    holds: Mapping[int, Callable[[Data], bool]] = MappingProxyType({}),
) -> Exercise:
    """Make an exercise that asks which one of some statements is true of the data.

    Which one that is, is drawn with the data: of one matter the student reads what is true, of all
    others what is false. ``holds`` tells of a statement, by its number, whether on these data what
    is said to be true is, and what is said to be false is not; one that it lacks always holds.
    """
    words = find_words(name)
    hints = {f"statement {number}": one["hint"] for number, one in words["statements"].items()}
    statements = list(words["statements"].values())

    def make_with_statements(rng: np.random.Generator) -> Data:
        data = make(rng)
        order, true = rng.permutation(len(statements)).tolist(), int(rng.integers(len(statements)))
        texts = [one["true" if of == true else "false"] for of, one in enumerate(statements)]
        said = {LETTERS[at]: texts[of].format_map(data) for at, of in enumerate(order)}
        letters = [LETTERS[order.index(of)] for of in range(len(statements))]
        return {**data, "statements": said, "_letters": letters, "_true": true}

    return Exercise(
        name,
        words["kind"],
        words["title"],
        words["text"],
        make_with_statements,
        right=lambda data: {"letter": data["_letters"][data["_true"]]},
        wrong=lambda data: {
            hint: {} if at == data["_true"] else {"letter": data["_letters"][at]}
            for at, hint in enumerate(hints)
        },
        hints=hints,
        fits=lambda data: all(true_of(data) for true_of in holds.values()),
    )


def equals(given: object, truth: object) -> bool:
    """Tell whether an answer is right: numbers to a millionth, words but for case and ends."""
    if isinstance(truth, bool) or isinstance(given, (bool, np.bool_)):
        return isinstance(given, (bool, np.bool_)) and bool(given) == truth
    if isinstance(truth, str):
        return isinstance(given, str) and given.strip().lower() == truth.strip().lower()
    if isinstance(truth, (frozenset, Sequence)):
        in_any_order = isinstance(truth, frozenset)
        kinds = (set, frozenset, list, tuple) if in_any_order else (list, tuple)
        if not isinstance(given, kinds) or len(given) != len(truth):
            return False
        if in_any_order:
            return all(any(equals(one, other) for one in given) for other in truth)
        return all(equals(one, other) for one, other in zip(given, truth, strict=True))
    return is_number(given) and abs(float(given) - float(truth)) <= TOLERANCE  # type: ignore[arg-type]


def is_number(value: object, *, whole: bool = False) -> bool:
    """Tell whether a value is a finite number, or a whole one; True and False are none."""
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    return isinstance(value, kinds) and not isinstance(value, bool) and bool(np.isfinite(value))


def refuse_type(part: str, given: object, truth: object) -> None:
    """Say what was expected where an answer is of another kind, without telling it."""
    kinds: tuple[type, ...] = (int, float, np.integer, np.floating)
    expected = "a whole number" if isinstance(truth, (int, np.integer)) else "a number"
    if isinstance(truth, bool):
        kinds, expected = (bool, np.bool_), "True or False"
    elif isinstance(truth, str):
        kinds, expected = (str,), "a word in quotes"
    elif isinstance(truth, (frozenset, Sequence)):
        kinds = (list, tuple, set, frozenset)
        expected = "a list, in any order" if isinstance(truth, frozenset) else "a list"
    if not isinstance(given, kinds) or (isinstance(given, bool) and not isinstance(truth, bool)):
        raise RecordError.given(part, given, expected)


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
    truth = exercise.right_answer(data)
    most = exercise.full_points(data)
    try:
        given = _read_parts(answer, truth)
        if exercise.judge is not None:
            return _judge_open(exercise, data, given, most)
        return _judge_closed(exercise, data, given, most)
    except VerikitError as error:
        return Judged(0, most, "", str(error))
    except RecursionError:
        return Judged(0, most, "", "The answer holds itself; give numbers, words and lists.")


def _read_parts(answer: object, truth: Answer) -> Mapping[str, object]:
    """Read an answer by part, as plain data; what cannot be one is refused."""
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
    given = to_plain_data(answer)
    for part, value in given.items():  # of a list the only value, where no list is asked for
        several = isinstance(truth[part], (list, tuple, frozenset, Mapping))
        if isinstance(value, list) and len(value) == 1 and not several:
            given[part] = value[0]
    return given


def _judge_open(exercise: Exercise, data: Data, given: Answer, most: int) -> Judged:
    """Judge an answer of which many are right: full or nothing."""
    truth = exercise.right_answer(data)
    missing = [part for part in truth if part not in given]
    if missing:
        return Judged(0, most, "", f"Still open: {joined(missing)}.")
    found = exercise.judge(data, given) if exercise.judge else ""
    if found is None:
        return Judged(most, most, "", "Right.")
    hint = exercise.hints[found] if found else "This is not yet what is asked for."
    return Judged(0, most, found, hint)


def _judge_closed(exercise: Exercise, data: Data, given: Answer, most: int) -> Judged:
    """Judge an answer of which one is right, part by part."""
    truth = exercise.right_answer(data)
    for part, value in given.items():
        refuse_type(part, value, truth[part])
    wrong = [part for part in given if not equals(given[part], truth[part])]
    missing = [part for part in truth if part not in given]
    # Rounded down: an exercise that is worth less than its parts gives no half points.
    points = (len(truth) - len(wrong) - len(missing)) * most // len(truth)
    mistake = _find_mistake(exercise, data, given, wrong)
    if mistake:
        return Judged(points, most, mistake, exercise.hints[mistake])
    if wrong:
        return Judged(
            points, most, "", _find_habit(given, truth, wrong) or f"Not yet right: {joined(wrong)}."
        )
    return Judged(points, most, "", f"Still open: {joined(missing)}." if missing else "Right.")


def _find_habit(given: Answer, truth: Answer, wrong: list[str]) -> str:
    """Find what is said where a right number was only written otherwise; empty if it was not."""
    pairs = [(given[part], truth[part]) for part in wrong]
    if not all(isinstance(true, float) for _, true in pairs):
        return ""
    # Rounded numbers have two to five digits after the point, and these are right.
    digits = [len(repr(float(value)).partition(".")[2]) for value, _ in pairs]
    near = [float(value) == round(true, n) for (value, true), n in zip(pairs, digits, strict=True)]
    if all(near) and all(2 <= n <= 5 for n in digits):
        return f"Rounded: {joined(wrong)}. Give all digits, or a fraction such as 2/3."
    if all(abs(true) < 1 and equals(value, 100 * true) for value, true in pairs):
        return f"In per cent: {joined(wrong)}. Give the number itself, such as 0.5 for 50 %."
    return ""


def _find_mistake(exercise: Exercise, data: Data, given: Answer, wrong: list[str]) -> str:
    """Find the first mistake that yields what was given, in all parts it names, which are wrong."""
    for key in exercise.hints if wrong else ():
        gives = exercise.wrong_answers(data)[key]
        if gives and all(part in wrong and equals(given[part], of) for part, of in gives.items()):
            return key
    return ""
