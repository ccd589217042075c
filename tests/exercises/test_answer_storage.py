"""Answers are stored as data, and data are judged as the answers were."""

import json

import numpy as np
import pytest

from verikit.exercises import EXERCISES, check, draw, judge, mistaken, start
from verikit.exercises._answer_storage import MIME

PLAIN = {name: exercise for name, exercise in EXERCISES.items() if not exercise.code}
each = pytest.mark.parametrize("exercise", PLAIN.values(), ids=list(PLAIN))


def kept(name, answer):
    """What a notebook keeps of an answer, read back from its file."""
    start(name, student="ada")
    shown = json.loads(json.dumps(check(name, answer)._repr_mimebundle_()))
    assert shown["text/plain"].endswith("points)")
    assert (shown[MIME]["exercise"], shown[MIME]["student"]) == (name, "ada")
    return shown[MIME]["answer"]


@each
def test_what_is_stored_is_judged_as_what_was_checked(exercise):
    data = draw(exercise, "ada")
    answers = [
        exercise.right(data),
        *(mistaken(exercise, data, key) for key in exercise.possible(data)),
    ]
    for answer in answers:
        stored = judge(exercise, data, kept(exercise.name, answer))
        assert stored == judge(exercise, data, answer)


def test_numbers_of_numpy_sets_and_open_parts_are_stored_as_plain_data():
    assert kept("ka-02", {"k": np.int64(2), "alone": ..., "open": None}) == {"k": 2}
    assert kept("ra-06", {"values": np.array(["a", "b"])}) == {"values": ["a", "b"]}


def test_what_is_no_data_or_too_long_is_not_stored_and_the_sentence_is_there_all_the_same():
    start("ka-02", student="ada")
    for answer in ({"k": object()}, {"k": "x" * 60_000}):
        found = check("ka-02", answer)
        assert found.stored == {}
        assert MIME not in found._repr_mimebundle_()
        assert found.sentence.startswith("k was given as ")
