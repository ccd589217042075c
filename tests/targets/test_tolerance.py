"""Approximate targets: the printed shift, and the search over counts."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit import Hierarchy, InfeasibleError, SchemaError
from verikit.mask import disguise
from verikit.models import target_privacy
from verikit.targets import Tolerance, balanced
from verikit.targets._disguise_group import search_slots, shift_target
from verikit.targets._distributions import tree_of
from verikit.targets._published_nodes import can_be_placed, find_fewest_nodes, find_shifts

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
    near = Tolerance(share)
    moved = shift_target(tree, case[1], near)
    for slots in (find_fewest_nodes(moved, leaves_of(case[1])), search_slots(tree, case[1], near)):
        assert max(find_shifts(tree, slots).values(), default=0) <= share
        assert can_be_placed(tree, leaves_of(case[1]), slots)


OWN = st.fixed_dictionaries({}, optional=dict.fromkeys(("[0, 1]", "[2, 3]", "[0, 3]"), SHARES))


def nodes_of(slots):
    return [node for node, number in slots.items() for _ in range(number)]


@given(binary(4, 2), SHARES, OWN)
def test_the_search_over_counts_equals_the_search_over_all_published_nodes(
    exhaustive, case, share, own
):
    search = exhaustive(case[0])
    own = {node: own[node] for node in own if node in search.tree.names}
    near = Tolerance(share, nodes=own)
    counts = case[1].copy()
    while counts.sum() > 4:
        counts[counts.argmax()] -= 1
    values = [leaf for leaf, n in zip(search.order, counts, strict=True) for _ in range(n)]
    found = search.tree.cost(search_slots(search.tree, counts, near))
    assert found == search.least(values, lambda nodes: search.within(nodes, share, own))
    moved = find_fewest_nodes(shift_target(search.tree, counts, near), leaves_of(counts))
    assert search.within(nodes_of(moved), share, own)


@given(binary(4, 1), st.lists(st.integers(0, 99), min_size=1, max_size=5), SHARES, OWN)
def test_a_verdict_by_node_is_that_of_the_text(exhaustive, case, drawn, share, own):
    search = exhaustive(case[0])
    own = {node: own[node] for node in own if node in search.tree.names}
    nodes = [number % len(search.tree.names) for number in drawn]
    verdict = target_privacy(
        [search.tree.names[node] for node in nodes],
        target=case[0],
        tolerance=Tolerance(share, nodes=own),
    )
    assert verdict.met == search.within(nodes, share, own)
    assert verdict.met == all(off <= allowed for off, allowed in verdict.per_node.values())


def test_a_node_with_a_tolerance_of_its_own_is_moved_and_the_others_are_not():
    """1 to 3 below [1, 2], 2 to 2 below [3, 4], 4 to 4 at the root: 3/4 is 1/4 off, and allowed."""
    values = [1, 2, 2, 2, 3, 3, 4, 4]
    frame = pd.DataFrame({"zip": list("pppppppp"), "pay": values})
    columns = (vk.Column("zip", kind="nominal"), vk.Column("pay", "sensitive"))
    data, target = vk.Microdata(frame, vk.Schema(columns)), balanced([1, 2, 3, 4])

    def publish(own):
        return disguise(data, hierarchy=target, tolerance=own, seed=1).release

    assert publish(0).parameters["sum of ranges"] == "2"
    for searched in (False, True):
        release = publish(Tolerance(nodes={"[1, 2]": "1/4"}, searched=searched))
        assert release.parameters["sum of ranges"] == "0"
        assert release.parameters["tolerance"]["nodes"] == {"[1, 2]": "1/4"}
    assert publish({"[3, 4]": "1/4"}).parameters["sum of ranges"] == "2"
    verdict = target_privacy(release, tolerance={"[1, 2]": "1/4"})
    assert verdict.met
    assert verdict.per_node["[1, 2]"] == (Fraction(1, 4), Fraction(1, 4))
    other = target_privacy(release, tolerance={"[1, 4]": "1/4"})
    assert repr(other).endswith("by 0.25 at most. More than allowed below '[1, 2]'.")
    for own, words in [
        ({"[1, 3]": 0.1}, r"names '\[1, 3\]', no node of the tree; name nodes that part, such as"),
        ({3: 0.1}, "names '3', with nothing below"),
        ({"[1, 2]": 2}, r"tolerance of '\[1, 2\]' was given as '2'; expected a share"),
    ]:
        with pytest.raises(vk.VerikitError, match=words):
            publish(own)
        with pytest.raises(vk.VerikitError, match=words):
            target_privacy(release, tolerance=own)
    with pytest.raises(vk.RecordError, match="nodes was given as 3; expected a dictionary"):
        Tolerance(nodes=3)


def test_a_tree_that_parts_in_three_elsewhere_may_have_a_tolerance_where_it_parts_in_two():
    target = Hierarchy.of({"*": {"abc": ["a", "b", "c"], "de": ["d", "e"]}})
    tree = tree_of(target, numeric=False)
    counts = np.array([1, 1, 1, 3, 1])
    moved = shift_target(tree, counts, Tolerance(nodes={"de": "1/4"}))
    assert moved.ratio[tree.numbers["de"]] == (3, 1)
    assert moved.ratio[tree.numbers["abc"]] == tree.ratio[tree.numbers["abc"]] == (1, 1, 1)


@given(binary(12, 8))
def test_a_greater_tolerance_never_costs_more_and_none_is_algorithm_3(case):
    tree = tree_of(case[0], numeric=True)
    shares = [Fraction(k, 20) for k in range(0, 21, 4)]
    costs = [tree.cost(search_slots(tree, case[1], Tolerance(share))) for share in shares]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] == tree.cost(find_fewest_nodes(tree, leaves_of(case[1])))
    assert shift_target(tree, case[1], Tolerance()) == tree


@given(binary(12, 8))
def test_a_tolerance_of_1_publishes_the_values_as_they_are_unless_a_node_has_no_weight(case):
    hierarchy = Hierarchy(case[0].levels)
    tree = tree_of(hierarchy, numeric=True)
    assert tree.cost(search_slots(tree, case[1], Tolerance(1))) == 0
    assert (
        tree.cost(find_fewest_nodes(shift_target(tree, case[1], Tolerance(1)), leaves_of(case[1])))
        == 0
    )


def test_a_node_that_parts_in_three_has_no_tolerance():
    """DP56."""
    tree = tree_of(balanced(range(3), 3), numeric=True)
    for way in (shift_target, search_slots):
        with pytest.raises(SchemaError, match=r"'\[0, 2\]' has 3 children; a tolerance is defined"):
            way(tree, np.ones(3, int), Tolerance("1/10"))


def test_too_many_values_for_the_search_are_refused():
    tree = tree_of(balanced(range(2)), numeric=True)
    with pytest.raises(InfeasibleError, match="was asked for 20,000 values; it is searched for up"):
        search_slots(tree, np.array([10_000, 10_000]), Tolerance("1/10"))
