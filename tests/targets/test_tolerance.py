"""Approximate targets: the printed shift, and the search over counts."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verikit import Hierarchy, InfeasibleError, SchemaError
from verikit.targets import balanced
from verikit.targets._disguise_group import search_slots, shift_target
from verikit.targets._distributions import tree_of
from verikit.targets._published_nodes import can_be_placed, find_fewest_nodes, greatest_shift

SHARES = st.sampled_from(
    [Fraction(0), Fraction(1, 20), Fraction(1, 6), Fraction(1, 3), Fraction(1)]
)


def leaves_of(counts):
    return np.repeat(np.arange(len(counts)), counts)


@st.composite
def binary(draw, size, most):
    size = draw(st.integers(2, size))
    weights = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any))
    counts = draw(st.lists(st.integers(0, most), min_size=size, max_size=size).filter(any))
    tree = balanced(range(size))
    return Hierarchy(tree.levels, dict(zip(tree.order(), weights, strict=True))), np.array(counts)


@given(binary(16, 9), SHARES)
def test_what_either_way_publishes_stays_within_the_tolerance(case, share):
    tree = tree_of(case[0], numeric=True)
    moved = shift_target(tree, case[1], share)
    for slots in (find_fewest_nodes(moved, leaves_of(case[1])), search_slots(tree, case[1], share)):
        assert greatest_shift(tree, slots) <= share
        assert can_be_placed(tree, leaves_of(case[1]), slots)


@given(binary(4, 2), SHARES)
def test_the_search_over_counts_equals_the_search_over_all_published_nodes(exhaustive, case, share):
    search = exhaustive(case[0])
    counts = case[1].copy()
    while counts.sum() > 4:
        counts[counts.argmax()] -= 1
    values = [leaf for leaf, n in zip(search.order, counts, strict=True) for _ in range(n)]
    found = search.tree.cost(search_slots(search.tree, counts, share))
    assert found == search.least(values, lambda nodes: search.within(nodes, share))


@given(binary(12, 8))
def test_a_greater_tolerance_never_costs_more_and_none_is_algorithm_3(case):
    tree = tree_of(case[0], numeric=True)
    shares = [Fraction(k, 20) for k in range(0, 21, 4)]
    costs = [tree.cost(search_slots(tree, case[1], share)) for share in shares]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] == tree.cost(find_fewest_nodes(tree, leaves_of(case[1])))
    assert shift_target(tree, case[1], Fraction(0)) == tree


@given(binary(12, 8))
def test_a_tolerance_of_1_publishes_the_values_as_they_are_unless_a_node_has_no_weight(case):
    hierarchy = Hierarchy(case[0].levels)
    tree = tree_of(hierarchy, numeric=True)
    assert tree.cost(search_slots(tree, case[1], Fraction(1))) == 0
    assert (
        tree.cost(find_fewest_nodes(shift_target(tree, case[1], Fraction(1)), leaves_of(case[1])))
        == 0
    )


def test_a_node_that_parts_in_three_has_no_tolerance():
    """DP56."""
    tree = tree_of(balanced(range(3), 3), numeric=True)
    for way in (shift_target, search_slots):
        with pytest.raises(SchemaError, match=r"'\[0, 2\]' has 3 children; a tolerance is defined"):
            way(tree, np.ones(3, int), Fraction(1, 10))


def test_too_many_values_for_the_search_are_refused():
    tree = tree_of(balanced(range(2)), numeric=True)
    with pytest.raises(InfeasibleError, match="was asked for 20,000 values; it is searched for up"):
        search_slots(tree, np.array([10_000, 10_000]), Fraction(1, 10))
