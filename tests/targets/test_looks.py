"""The steps of Algorithm 3, and what fakes would save, as people see them."""

import pytest

from verikit import Hierarchy, RecordError, SchemaError
from verikit.targets import balanced, costs_of_fakes, walk


def test_the_walk_places_every_value_once():
    lines = walk(balanced(range(1, 9)), [1, 1, 2, 5, 6, 7, 8, 8])
    assert lines["stay"].sum() == 8
    assert lines["node"][0] == "[1, 8]"
    assert lines[lines["to place"] < lines["stay"]].empty


def test_categories_cost_their_number_less_one():
    tree = Hierarchy.of({"any": {"x": ["a", "b"], "y": ["c", "d"]}})
    assert [int(c) for c in costs_of_fakes(tree, ["a", "c"], 2)] == [2, 5, 0]


def test_costs_of_decimals_are_exact():
    assert costs_of_fakes(balanced([0.1, 0.4]), [0.1], 0)[0] * 10 == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda tree: walk(tree, [9]), "The target lacks the values '9'"),
        (lambda tree: costs_of_fakes(tree, [1], -1), "most was given as -1; expected a whole"),
        (lambda tree: walk(["a"], [1]), "A target was given as"),
    ],
)
def test_what_is_no_look_is_refused(call, words):
    with pytest.raises((SchemaError, RecordError), match=words):
        call(balanced([1, 2]))
