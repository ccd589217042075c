"""What is asked has one answer that follows, and whatever is given is judged, never a crash."""

import ast
import inspect
import json
import math
import re
import textwrap
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from verikit._support.seed import generator
from verikit.exercises import EXERCISES, check, draw, judge, mistaken, start
from verikit.exercises._task import MAX_TURNS, answered_if_fair

each = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=list(EXERCISES))
PLAIN = [exercise for exercise in EXERCISES.values() if not exercise.code]
JUDGED = [exercise for exercise in EXERCISES.values() if exercise.judge]
EXPLAIN = [exercise for exercise in PLAIN if exercise.kind == "explain"]
some = pytest.mark.parametrize("exercise", PLAIN, ids=lambda one: one.name)


def drawn(exercise, many):
    return [draw(exercise, f"student {number}") for number in range(many)]


def returned(function):
    """The words that a function returns somewhere in its lines."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and node.value is not None:
            parts, values = [node.value], []
            while parts:
                part = parts.pop()
                if isinstance(part, ast.IfExp):
                    parts += [part.body, part.orelse]
                else:
                    values.append(part)
            found |= {v.value for v in values if isinstance(v, ast.Constant)} - {None, ""}
    return found


@pytest.mark.parametrize(
    "exercise", [e for e in EXERCISES.values() if e.judge], ids=lambda e: e.name
)
def test_every_mistake_that_a_judge_names_is_a_listed_one(exercise):
    assert returned(exercise.judge)
    assert returned(exercise.judge) <= set(exercise.mistakes)


def changed(value, rng):
    """Another value of the same shape, taken apart and put together by chance."""
    if isinstance(value, dict):
        return {key: changed(one, rng) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        made = [changed(one, rng) for one in value]
        if rng.random() < 0.5:
            made = [made[at] for at in rng.integers(len(made), size=len(made))]
        return made[: len(made) - int(rng.random() < 0.1)]
    if isinstance(value, (int, float, np.number)) and rng.random() < 0.5:
        odd = [0, 1, -1, 2.0, 0.5, 1e300, 10**300, 10**400, float("nan"), float("inf")]
        return (
            odd[int(rng.integers(len(odd)))]
            if rng.random() < 0.4
            else value + int(rng.integers(-3, 4))
        )
    return value


@some
def test_random_wrong_answers_are_judged_and_named_by_listed_mistakes(exercise):
    rng = np.random.default_rng(1)
    data = draw(exercise, "ada")
    seeds = [
        exercise.right(data),
        *(mistaken(exercise, data, key) for key in exercise.possible(data)),
    ]
    for turn in range(12 if exercise.name == "pr-05" else 30):
        found = judge(exercise, data, changed(seeds[turn % len(seeds)], rng))
        assert found.mistake in {"", *exercise.mistakes}
        assert 0 <= found.points <= found.most
        assert found.sentence.endswith((".", "?"))


def test_the_commonest_wrong_answers_get_a_hint_and_no_crash():
    start("dd-06", student="ada")
    assert check("dd-06", {"nodes": ["10"] * 5}).mistake == "does not hold them"
    start("in-05", student="s01")
    seen = {check("in-05", {"person": p, "row": r}).mistake for p in range(12) for r in range(12)}
    assert {"", "impossible", "not certain"} <= seen


@some
def test_enormous_numbers_are_answers_like_others(exercise):
    data = draw(exercise, "ada")
    truth = exercise.right(data)
    for enormous in (
        10**400,
        10**300,
        -(10**400),
        10**5000,
        Fraction(10**400, 3),
        Decimal("1e9999"),
    ):
        for value in (enormous, [enormous] * 6):
            found = judge(exercise, data, dict.fromkeys(truth, value))
            assert found.points == 0
            assert found.sentence.endswith(".")
    apart = (str, list, frozenset)
    if exercise.judge is None and not any(isinstance(one, apart) for one in truth.values()):
        assert judge(exercise, data, dict.fromkeys(truth, 10**400)).sentence.startswith("Not yet")


def other_kinds(value):
    """The same value as other kinds of number, of array and of list."""
    if isinstance(value, (list, tuple)):
        yield tuple(value)
        if all(isinstance(one, (int, float)) for one in value):
            yield [float(one) for one in value]
            yield np.array(value, dtype=float)
            yield [Fraction(one) for one in value]
    elif isinstance(value, (int, float)):
        yield from (np.float64(value), np.array(value), np.array([value]), Fraction(value), [value])
        yield Decimal(repr(value))
        if float(value).is_integer():
            yield from (float(value), np.int32(value))
    else:
        yield value


@some
def test_right_answers_are_right_as_any_kind_of_number(exercise):
    data = draw(exercise, "ada")
    truth = exercise.right(data)
    for part, value in truth.items():
        for other in other_kinds(value):
            found = judge(exercise, data, {**truth, part: other})
            assert found.points == found.most, (part, other)


def test_numbers_of_other_kinds_are_kept_in_the_notebook():
    start("in-03", student="ada")
    kept = check("in-03", {"mean": Decimal(1), "some": Fraction(5, 8)}).stored["answer"]
    assert kept == {"mean": 1, "some": 0.625}


def test_an_answer_that_holds_itself_is_answered():
    start("ka-02", student="ada")
    endless = []
    endless.append(endless)
    assert (
        check("ka-02", {"k": endless}).sentence
        == "The answer holds itself; give numbers, words and lists."
    )


@each
def test_fewer_than_one_in_a_million_students_finds_no_data(exercise):
    """Four of 80 draws are taken, as happens in 3 of 100 cases where too few are fair."""
    least = 1 - 10 ** (-6 / MAX_TURNS)
    assert sum(math.comb(80, k) * least**k * (1 - least) ** (80 - k) for k in range(4)) > 0.97
    taken = (fair(exercise, turn) for turn in range(80))
    assert len(list(islice(filter(None, taken), 4))) == 4


def fair(exercise, turn):
    return answered_if_fair(exercise, exercise.make(generator(10**6 + turn)))


@pytest.mark.parametrize("student", [f"user{number}" for number in (32, 57, 101)])
def test_an_illness_that_is_ruled_out_is_one_of_the_table(student):
    task = start("at-05", student=student)
    assert task["illness"] in set(task["release"].frame["Illness"])


def gaps(values):
    return np.diff(np.sort(np.asarray(values, dtype=float))).min()


@pytest.mark.parametrize("name", ["cr-01", "cr-02", "cr-03", "cr-04", "cr-05"])
def test_no_value_of_a_record_is_halfway_or_published_twice(name):
    for data in drawn(EXERCISES[name], 8):
        frame = data["published"].frame
        for column, own in data["own"].items():
            assert gaps(frame[column]) > 1e-6
            assert gaps(np.sort(np.abs(frame[column] - own))[:2]) > 1e-6


@pytest.mark.parametrize("name", ["pp-01", "pp-02", "pp-03", "pp-04"])
def test_no_column_holds_a_value_twice(name):
    for data in drawn(EXERCISES[name], 30):
        assert min(gaps(data["original"]), gaps(data["masked"])) > 1e-6


@pytest.mark.parametrize("name", ["in-01", "in-02", "in-04"])
def test_no_released_column_holds_a_value_twice(name):
    for data in drawn(EXERCISES[name], 8):
        for table in (data["original"].frame, data["release"].frame):
            assert min(gaps(table[column]) for column in "XYZ") > 1e-6


def test_everybody_who_is_asked_about_is_in_the_table():
    for data in drawn(EXERCISES["bg-01"], 40):
        assert len(set(data["graph"].to_frame()["person"])) == 6
    assert "(ann, ben, cho, dia, eva, fay)" in start("bg-01", student="ada").text


@pytest.mark.parametrize("exercise", EXPLAIN, ids=lambda one: one.name)
def test_which_statement_is_true_differs_from_student_to_student(exercise):
    many = 24 if exercise.name == "bg-05" else 40
    data = drawn(exercise, many)
    assert len({one["_true"] for one in data}) == 4
    texts = Counter(one["statements"][exercise.right(one)["letter"]] for one in data)
    assert max(texts.values()) < many * 2 / 3


def transferred(exercise, many):
    data = drawn(exercise, many)
    answers = [exercise.right(one) for one in data]
    right = [
        judge(exercise, one, answer).sentence == "Right."
        for place, one in enumerate(data)
        for other, answer in enumerate(answers)
        if place != other
    ]
    return np.mean(right)


@pytest.mark.parametrize("name", ["at-06", "ke-06", "bg-07", "in-07", "cr-05"])
def test_the_counterexample_of_somebody_else_is_seldom_one(name):
    assert transferred(EXERCISES[name], 30) < 0.25


@pytest.mark.parametrize("name", [
    "ka-01", "ka-04", "in-01", "in-02", "in-05", "in-06", "ra-05", "pr-04", "pp-01", "pp-02",
    "pp-03", "cr-01", "cr-05", "at-06",
])  # fmt: skip
def test_rows_are_counted_from_0_and_the_question_says_so(name):
    text = start(name, student="ada").text
    assert "counted from 0" in text
    assert "from 1" not in text


NOTEBOOKS = Path(__file__).parents[2] / "notebooks" / "exercises"


@pytest.mark.skipif(not NOTEBOOKS.is_dir(), reason="the notebooks lie in the checkout")
def test_the_notebooks_begin_answers_with_the_parts_that_are_asked_for():
    begun = {}
    for path in NOTEBOOKS.glob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            found = re.search(r'answer = \{(.*)\}\ncheck\("(.*?)"', "".join(cell["source"]))
            if found:
                begun[found[2]] = re.findall(r'"(\w+)": \.\.\.', found[1])
    assert set(begun) == {exercise.name for exercise in PLAIN}
    assert begun == {name: list(start(name, student="ada").parts) for name in begun}
