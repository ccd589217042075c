"""Exact targets: the fewest generalizations, with fakes and without, against exhaustive search."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verikit import Hierarchy
from verikit.targets import balanced
from verikit.targets._disguise_group import costs_with_fakes, with_fakes
from verikit.targets._distributions import tree_of
from verikit.targets._published_nodes import (
    allocation,
    can_be_placed,
    find_fewest_nodes,
    find_shifts,
    infer_chances,
    place_values,
    variation_distance,
)


def leaves_of(counts):
    return np.repeat(np.arange(len(counts)), counts)


def weighted(values, ways, weights):
    tree = balanced(values, ways)
    return Hierarchy(tree.levels, dict(zip(map(str, values), weights, strict=True)))


SHAPES = st.sampled_from([(2, 2), (3, 2), (4, 2), (3, 3), (4, 3), (5, 3)])


@st.composite
def targets(draw):
    size, ways = draw(SHAPES)
    weights = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any))
    return weighted(range(1, size + 1), ways, weights)


@st.composite
def larger(draw):
    size, ways = draw(st.integers(1, 40)), draw(st.integers(2, 4))
    weights = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    counts = draw(st.lists(st.integers(0, 60), min_size=size, max_size=size).filter(any))
    return weighted(range(size), ways, weights), np.array(counts)


@given(targets(), st.data())
def test_algorithm_3_costs_as_little_as_the_best_of_all_private_generalizations(
    exhaustive, target, data
):
    """DP19, Theorem 5."""
    search = exhaustive(target)
    values = data.draw(st.lists(st.sampled_from(search.order), min_size=1, max_size=4))
    slots = find_fewest_nodes(search.tree, leaves_of(search.counts(values)))
    assert search.tree.cost(slots) == search.least(values)


@given(larger())
def test_what_is_published_is_private_by_the_definition_in_exact_arithmetic(case):
    target, counts = case
    tree = tree_of(target, numeric=True)
    slots = find_fewest_nodes(tree, leaves_of(counts))
    assert infer_chances(tree, slots) == [target.share(leaf) for leaf in target.order()]
    assert variation_distance(tree, slots) == 0
    assert not any(find_shifts(tree, slots).values())
    assert can_be_placed(tree, leaves_of(counts), slots)


@given(larger(), st.integers(0, 6))
def test_with_fakes_too(case, most):
    target, counts = case
    tree = tree_of(target, numeric=True)
    fakes = with_fakes(tree, counts, most)
    slots = find_fewest_nodes(tree, leaves_of(counts + fakes))
    assert infer_chances(tree, slots) == [target.share(leaf) for leaf in target.order()]
    costs = costs_with_fakes(tree, counts, most)
    assert (fakes >= 0).all()
    assert fakes.sum() == np.flatnonzero(costs == costs.min())[0]
    assert tree.cost(slots) == costs.min() * tree.unit
    assert costs[0] * tree.unit == tree.cost(find_fewest_nodes(tree, leaves_of(counts)))


@given(targets(), st.data())
def test_the_costs_for_all_numbers_of_fakes_are_the_least_over_all_multisets_of_fakes(
    exhaustive, target, data
):
    search = exhaustive(target)
    tree = search.tree
    values = data.draw(st.lists(st.sampled_from(search.order), min_size=1, max_size=9))
    counts = search.counts(values)
    found = costs_with_fakes(tree, counts, 4)
    for number in range(5):
        least = min(
            tree.cost(find_fewest_nodes(tree, leaves_of(counts + search.counts(fakes))))
            for fakes in combinations_with_replacement(search.order, number)
        )
        assert found[number] * tree.unit == least


@given(targets(), st.data())
def test_with_one_fake_no_other_private_generalization_is_cheaper(exhaustive, target, data):
    search = exhaustive(target)
    values = data.draw(st.lists(st.sampled_from(search.order), min_size=1, max_size=3))
    least = min(search.least([*values, fake]) for fake in search.order)
    assert costs_with_fakes(search.tree, search.counts(values), 1)[1] == least


@given(larger())
def test_every_value_gets_a_node_that_covers_it_and_every_node_is_used(case):
    target, counts = case
    tree = tree_of(target, numeric=True)
    slots = find_fewest_nodes(tree, leaves_of(counts))
    nodes = place_values(tree, leaves_of(counts), slots)
    spans = [(tree.first[node], tree.last[node]) for node in nodes]
    pairs = zip(spans, leaves_of(counts), strict=True)
    assert all(first <= leaf < last for (first, last), leaf in pairs)
    assert Counter(nodes.tolist()) == slots


@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=3),
    st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any),
    st.integers(0, 20),
)
def test_an_allocation_is_the_greatest_that_there_is(there, weights, most):
    weights = weights[: len(there)]
    ends = [range(n + 1) for n in there]
    found = allocation(there, weights, most)
    assert sum(found) <= most
    assert all(a <= b for a, b in zip(found, there, strict=True))
    if not any(weights):
        assert not any(found)
        return
    best = 0
    for step in range(max(map(len, ends)) + 1):
        for unit in range(1, 13):
            parts = [Fraction(w * step, unit) for w in weights]
            whole = all(p.denominator == 1 and p <= n for p, n in zip(parts, there, strict=True))
            if whole and sum(parts) <= most:
                best = max(best, sum(parts))
    assert sum(found) == best


def test_a_node_that_cannot_take_so_many_values_is_noticed():
    tree = tree_of(balanced([1, 2]), numeric=True)
    slots = {tree.numbers["1"]: 2}
    assert not can_be_placed(tree, np.array([0, 1]), slots)
    assert can_be_placed(tree, np.array([0, 0]), slots)


def test_numbers_too_large_for_floats_stay_exact():
    tree = tree_of(balanced(["0", f"{10**17}", f"{2 * 10**17 + 1}", f"{3 * 10**17}"]), numeric=True)
    costs = costs_with_fakes(tree, np.array([1, 0, 1, 0]), 2)
    assert costs.tolist()[2] == 0
    assert costs.tolist()[0] == 10**17 + (10**17 - 1)


def test_a_tree_of_one_value_publishes_it_as_it_is():
    tree = tree_of(balanced([7]), numeric=True)
    assert find_fewest_nodes(tree, np.zeros(3, int)) == {0: 3}
    assert costs_with_fakes(tree, np.array([3]), 2).tolist() == [0, 0, 0]


@pytest.mark.parametrize("groups", [["a", "b", "c"], ["a"]])
def test_a_node_with_one_child_only_passes_its_values_on(groups):
    target = Hierarchy.of({"all": {f"of {name}": [name] for name in groups}})
    tree = tree_of(target, numeric=False)
    slots = find_fewest_nodes(tree, np.arange(len(groups)))
    assert [slots[tree.numbers[name]] for name in groups] == [1] * len(groups)
