"""What an exercise promises holds for whole classes, not for one lucky student."""

import os

import numpy as np
import pytest

import verikit as vk
from verikit.exercises import EXERCISES, draw, judge, mistaken
from verikit.exercises._exercise import same

THOROUGH = os.environ.get("VERIKIT_HYPOTHESIS") == "thorough"
SLOW = {"pr-05", "cr-03", "in-01", "in-08", "bg-01", "ap-02", "cr-01", "cr-02"}  # 50 ms and more
CLASS = 100
PUBLISH = EXERCISES["in-08"]
each = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=list(EXERCISES))


def students(exercise):
    """Fifty; ten where one takes long, unless VERIKIT_HYPOTHESIS=thorough."""
    many = 10 if exercise.name in SLOW and not THOROUGH else 50
    return [f"student {number}" for number in range(many)]


@each
def test_for_every_student_right_is_full_blank_is_nothing_and_mistakes_are_known(exercise):
    for student in students(exercise):
        data = draw(exercise, student)
        truth = exercise.right(data)
        full = judge(exercise, data, truth)
        assert (full.points, full.sentence) == (full.most, "Right."), student
        for blank in ({}, dict.fromkeys(truth)):
            assert judge(exercise, data, blank).points == 0, student
        for key in exercise.possible(data):
            mistake = exercise.mistakes[key]
            found = judge(exercise, data, mistaken(exercise, data, key))
            assert (found.mistake, found.sentence) == (key, mistake.hint), (student, key)
            assert found.points < found.most, (student, key)
            parts = mistake.gives(data).items() if exercise.judge is None else ()
            assert not any(same(value, truth[part]) for part, value in parts), (student, key)


def graded(function, number):
    """What a function earns for one student, on seeds that nobody saw; data as they are drawn."""
    data = PUBLISH.make(np.random.default_rng([1, number]))
    seeds = np.random.default_rng([2, number]).integers(2**28, size=8).tolist()
    data = {**data, "_seeds": seeds, "_right": {"publish": function}}
    return judge(PUBLISH, data, {"publish": function}).points == PUBLISH.points


def fished(data, seed):
    """Too little noise, of one of three seeds that looked well."""
    return vk.mask.noise(data, scale=1.8, seed=seed % 3)


USELESS = {
    "noise as in Figure 2": lambda data, seed: vk.mask.noise(data, scale=0.5, seed=seed),
    "one seed kept": lambda data, seed: vk.mask.noise(data, scale=4, seed=1),
    "dice": lambda data, seed: vk.mask.noise(data, scale=1000, seed=seed),
    "means of ten": lambda data, seed: vk.mask.microaggregate(data, k=10, seed=seed),
    "fished": fished,
    "whole records exchanged": PUBLISH.mistakes["exchanged"].gives({})["publish"],
}


def test_the_reference_passes_for_99_of_100_students():
    (reference,) = PUBLISH.right({}).values()
    assert sum(graded(reference, number) for number in range(CLASS)) >= 99


@pytest.mark.parametrize("name", USELESS)
def test_a_useless_answer_passes_for_one_of_100_students_at_most(name):
    many = CLASS if THOROUGH else CLASS // len(USELESS)
    assert sum(graded(USELESS[name], number) for number in range(many)) <= (1 if THOROUGH else 0)
