"""What an exercise promises holds for whole classes, not for one lucky student."""

import numpy as np
import pytest
from sources import THOROUGH

import verikit as vk
from verikit.exercises import EXERCISES, draw, judge, mistaken
from verikit.exercises._exercise import equals

SLOW = {"in-08", "pr-05", "bg-05", "at-04", "in-01", "cr-01", "cr-06", "bg-03"}  # 40 ms and more
CLASS = 100
PUBLISH = EXERCISES["in-08"]
each = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=list(EXERCISES))


def students(exercise):
    """Eight, or three where one takes long; fifty under VERIKIT_HYPOTHESIS=thorough."""
    many = 50 if THOROUGH else 3 if exercise.name in SLOW else 8
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
            assert not any(equals(value, truth[part]) for part, value in parts), (student, key)


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


def test_the_reference_passes_for_all_but_one_of_a_class():
    (reference,) = PUBLISH.right({}).values()
    many = CLASS if THOROUGH else CLASS // 5
    assert sum(graded(reference, number) for number in range(many)) >= many - 1


@pytest.mark.parametrize("name", USELESS)
def test_a_useless_answer_passes_for_one_of_100_students_at_most(name):
    many = CLASS if THOROUGH else CLASS // len(USELESS)
    assert sum(graded(USELESS[name], number) for number in range(many)) <= (1 if THOROUGH else 0)
