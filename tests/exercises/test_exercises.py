"""Exercises: a right answer is full, each mistake is known as itself, none is right by chance."""

import re
from collections import Counter

import numpy as np
import pytest

from verikit import FormatError, RecordError
from verikit.exercises import EXERCISES, TOPICS, check, draw, judge, mistaken, start
from verikit.exercises._exercise import equals, explain, pose, refuse_lonely_texts

STUDENTS = ["ada"]
LEARNING = [f"{topic}-{number:02}" for topic in ("le", "dp", "sy") for number in range(1, 7)]
KINDS = {"read", "compute", "explain", "break", "build", "disprove"}
each = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=list(EXERCISES))


def test_each_of_fifteen_topics_has_five_exercises_or_more_of_four_kinds_or_more():
    topics = Counter(exercise.topic for exercise in EXERCISES.values())
    assert len(TOPICS) == 15
    assert set(topics) == set(TOPICS)
    assert min(topics.values()) >= 5
    for topic in TOPICS:
        kinds = {one.kind for one in EXERCISES.values() if one.topic == topic}
        assert len(kinds) >= 4, topic
        assert "disprove" in kinds, topic
    assert {exercise.kind for exercise in EXERCISES.values()} == KINDS


def test_an_exercise_without_a_text_and_a_text_without_an_exercise_are_refused():
    for build in (pose, explain):
        with pytest.raises(FormatError, match=r"^zz-01 has no text; expected a table \[zz-01\]"):
            build("zz-01", make=lambda rng: {})
    refuse_lonely_texts(EXERCISES)
    with pytest.raises(FormatError, match=r"^texts.toml has words for ka-01 and le-06; expected"):
        refuse_lonely_texts(EXERCISES.keys() - {"le-06", "ka-01"})


@each
def test_the_right_answer_is_full_a_blank_one_nothing_and_each_mistake_has_its_own_hint(exercise):
    assert exercise.mistakes
    for student in STUDENTS:
        data = draw(exercise, student)
        assert set(exercise.wrong_answers(data)) == set(exercise.hints)
        full = judge(exercise, data, exercise.right(data))
        assert (full.points, full.sentence) == (full.most, "Right.")
        for blank in ({}, None, ..., dict.fromkeys(exercise.right(data), ...)):
            assert judge(exercise, data, blank).points == 0
        assert len(exercise.possible(data)) >= len(exercise.mistakes) - 1
        for key in exercise.possible(data):
            found = judge(exercise, data, mistaken(exercise, data, key))
            assert found.points < found.most, key
            assert (found.mistake, found.sentence) == (key, exercise.mistakes[key].hint)


def test_half_of_a_mistake_is_not_taken_for_it():
    exercise = EXERCISES["ke-02"]
    data, mistake = draw(exercise, "ada"), exercise.mistakes["extremes of the table"]
    right, both = exercise.right(data), mistake.gives(data)
    assert set(both) == {"lower", "upper"}
    assert judge(exercise, data, {**right, **both}).sentence == mistake.hint
    half = judge(exercise, data, {**right, "lower": both["lower"]})
    assert (half.mistake, half.sentence) == ("", "Not yet right: lower.")


@each
def test_no_part_that_a_mistake_names_is_right_by_chance(exercise):
    data = draw(exercise, "ada")
    truth = exercise.right(data)
    for key, mistake in exercise.mistakes.items() if exercise.judge is None else ():
        assert not any(equals(value, truth[part]) for part, value in mistake.gives(data).items()), (
            key
        )


@each
def test_a_task_shows_its_question_and_nothing_that_is_hers_to_find(exercise):
    task = start(exercise.name, student="Ada ")
    assert task.student == "ada"
    assert not [name for name in task if name.startswith("_")]
    assert not re.search(r"\{\w+\}", task.text)
    assert exercise.name in repr(task)
    assert exercise.title.split("'")[0] in task._repr_html_()


@each
def test_nonsense_is_answered_with_a_sentence_and_no_points(exercise):
    data = draw(exercise, "ada")
    for nonsense in ("two", [], object(), 1j, {"nonsense": 1}, float("nan"), True):
        parts = dict.fromkeys(exercise.right(data), nonsense)
        for answer in (nonsense, parts):
            found = judge(exercise, data, answer)
            assert found.points == 0, nonsense
            assert found.sentence.endswith(".")


@pytest.mark.parametrize("name", ["ka-02", "dc-03", "at-02", "ap-02", "ke-02", "pp-03", *LEARNING])
def test_the_answer_of_somebody_else_is_seldom_right(name):
    exercise = EXERCISES[name]
    drawn = [draw(exercise, f"student {number}") for number in range(5)]
    answers = [exercise.right(data) for data in drawn]
    copied = [
        judge(exercise, data, answer)
        for place, data in enumerate(drawn)
        for other, answer in enumerate(answers)
        if place != other
    ]
    assert np.mean([found.points == found.most for found in copied]) < 0.2


def test_the_same_student_always_gets_the_same_data():
    tables = [start("ka-02", student=name)["table"].frame for name in ("ada", " ADA", "bob")]
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])


def test_points_are_given_by_part_and_numbers_of_numpy_are_welcome():
    task = start("ka-02", student="ada")
    right = EXERCISES["ka-02"].right(draw(EXERCISES["ka-02"], "ada"))
    half = {"k": np.int64(right["k"]), "alone": np.float64(right["alone"])}
    assert str(check("ka-02", half)) == "Still open: open."
    assert (check("ka-02", half).points, task.points) == (2, 3)
    assert check("ka-02", {**half, "open": 999}).sentence == "Not yet right: open."


def test_a_right_number_that_was_rounded_or_given_in_per_cent_is_told_so_and_earns_nothing():
    told = set()
    for exercise in EXERCISES.values():
        data = draw(exercise, "ada")
        truth = exercise.right(data) if exercise.judge is None else {}
        for part, value in truth.items():
            if not isinstance(value, float) or abs(round(value, 2) - value) < 1e-4:
                continue
            near = judge(exercise, data, {**truth, part: round(value, 2)})
            assert near.sentence.startswith(f"Rounded: {part}."), exercise.name
            assert near.points < near.most
            share = judge(exercise, data, {**truth, part: 100 * value})
            assert abs(value) > 1 or share.sentence.startswith(f"In per cent: {part}.")
            told.add(exercise.name)
    assert len(told) >= 8
    start("in-03", student="ada")
    assert check("in-03", {"mean": 1, "some": 0.5}).sentence == "Not yet right: some."


def test_a_wrong_type_an_unknown_part_and_an_unknown_exercise_get_a_sentence():
    start("ka-02", student="ada")
    assert str(check("ka-02", {"k": "two"})) == "k was given as 'two'; expected a whole number."
    assert "is no part of this answer; expected k, alone and open" in str(check("ka-02", {"j": 1}))
    with pytest.raises(RecordError, match="expected a name such as 'ka-01'"):
        start("xx-01", student="ada")
    with pytest.raises(RecordError, match="expected your id"):
        start("ka-02", student="  ")


@pytest.mark.parametrize("student", ["ada", "bob", "cyd"])
def test_the_pair_that_is_certain_after_undoing_swaps_is_the_true_one(student):
    data = draw(EXERCISES["in-05"], student)
    right = EXERCISES["in-05"].right(data)
    assert data["_key"].places[""][right["person"]] == right["row"]


def test_no_sentence_tells_the_right_value():
    for exercise in EXERCISES.values():
        data = draw(exercise, "ada")
        if exercise.kind not in ("read", "compute"):
            continue
        numbers = [str(value) for value in exercise.right(data).values()]
        for key in exercise.possible(data):
            said = judge(exercise, data, mistaken(exercise, data, key)).sentence
            assert not [
                n for n in numbers if len(n) > 1 and re.search(rf"\b{re.escape(n)}\b", said)
            ]
