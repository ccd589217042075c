"""Nodes read with weights of one's own, and many groups held against a target at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verikit import Hierarchy
from verikit.targets import uniform
from verikit.targets._distributions import tree_of
from verikit.targets._published_nodes import (
    believed_shares,
    find_uneven_groups,
    infer_chances,
    target_shares,
)
from verikit.targets._requirements import respects_requirement

NESTED = {
    "any": {"low": {"a-b": ["a", "b"], "c-e": ["c", "d", "e"]}, "high": ["f", "g"], "odd": ["h"]}
}
LEAVES = "abcdefgh"


def tree_with(weights):
    return tree_of(Hierarchy.of(NESTED, dict(zip(LEAVES, weights, strict=True))), numeric=False)


some_weights = st.lists(st.integers(0, 3), min_size=8, max_size=8).filter(any)
some_nodes = st.lists(st.integers(0, 12), min_size=1, max_size=12)


@given(some_weights, some_nodes)
def test_nodes_read_by_their_target_show_what_the_definition_gives(weights, nodes):
    tree = tree_with(weights)
    nodes = np.array(nodes) % len(tree.names)
    exact = infer_chances(tree, {n: int((nodes == n).sum()) for n in set(nodes.tolist())})
    amounts = np.bincount(nodes, minlength=len(tree.names)) / len(nodes)
    assert believed_shares(tree, amounts, target_shares(tree)) == pytest.approx(
        [float(p) for p in exact]
    )


@given(some_weights, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 12)), min_size=1))
def test_many_groups_at_once_are_judged_as_one_by_one(weights, published):
    tree = tree_with(weights)
    owner, nodes = (np.array(part) for part in zip(*published, strict=True))
    nodes = nodes % len(tree.names)
    for top in range(len(tree.names)):
        found = set(find_uneven_groups(tree, owner, nodes, top).tolist())
        for group in set(owner.tolist()):
            held = nodes[owner == group].tolist()
            inside = [n for n in held if _covers(tree, top, n)]
            slots = {n: held.count(n) for n in held}
            if tree.weight[top] and (inside or any(_covers(tree, n, top) for n in held)):
                assert (group not in found) == respects_requirement(tree, slots, top)


def _covers(tree, outer, inner):
    return tree.first[outer] <= tree.first[inner] and tree.last[inner] <= tree.last[outer]


def test_weights_too_large_for_a_machine_word_are_compared_exactly():
    large = 10**30
    weights = {"a": f"{large}", "b": f"{large + 1}"}
    tree = tree_of(Hierarchy.of({"any": ["a", "b"]}, weights), numeric=False)
    nodes = np.array([tree.numbers["a"], tree.numbers["b"]])
    assert find_uneven_groups(tree, np.zeros(2, np.intp), nodes, tree.root).tolist() == [0]
    even = tree_of(uniform(Hierarchy.of({"any": ["a", "b"]})), numeric=False)
    assert find_uneven_groups(even, np.zeros(2, np.intp), nodes, even.root).tolist() == []
