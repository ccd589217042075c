"""Weights on the edges of a tree: how much each node counts against its siblings."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verikit import Hierarchy, SchemaError
from verikit.targets import balanced, edges, of_values, on_edges, uniform

TREE = balanced([30, 40, 50, 60])


def test_the_edges_of_a_uniform_target_count_the_leaves_below():
    tree = uniform(Hierarchy.of({"*": {"a": ["p", "q", "r"], "b": ["s"]}}))
    assert edges(tree) == {"a": 3, "b": 1, "p": 1, "q": 1, "r": 1, "s": 1}


def test_a_weight_moves_the_values_of_its_siblings_and_nothing_else():
    found = on_edges(TREE, {"30": 3})
    assert [found.share(leaf) for leaf in found.order()] == [
        Fraction(3, 8), Fraction(1, 8), Fraction(1, 4), Fraction(1, 4),
    ]  # fmt: skip


@given(
    st.lists(st.integers(0, 5), min_size=7, max_size=7).filter(any),
    st.dictionaries(st.sampled_from(range(7)), st.fractions(1, 9), max_size=7),
)
def test_what_is_said_of_edges_is_what_comes_back(values, weights):
    tree = balanced(range(7))
    drawn = [leaf for leaf, number in enumerate(values) for _ in range(number)]
    target = of_values(tree, drawn)
    assert on_edges(target, edges(target)).weights == on_edges(target, {}).weights
    assert all(on_edges(target, {}).share(leaf) == target.share(leaf) for leaf in tree.order())
    changed = on_edges(target, weights)
    for node, weight in weights.items():
        above = changed.parent(node)
        siblings = [name for name in tree.nodes if tree.parent(name) == above]
        counts = {name: weights.get(int(name), edges(target)[name]) if name.isdigit()
                  else edges(target)[name] for name in siblings}  # fmt: skip
        if changed.share(above):
            whole = changed.share(above) / sum(counts.values())
            assert changed.share(node) == weight * whole


def test_a_node_without_weight_takes_it_from_all_below_it():
    found = on_edges(TREE, {"[30, 40]": 0})
    assert [found.share(leaf) for leaf in (30, 40, 50)] == [0, 0, Fraction(1, 2)]
    assert edges(found)["30"] == edges(found)["40"] == 1
    again = on_edges(found, {"[30, 40]": 1})
    assert again.share(30) == Fraction(1, 4)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({"30": 0, "40": 0}, r"All 2 nodes below '\[30, 40\]' have the weight 0, but it has some"),
        ({"[30, 40]": 0, "[50, 60]": 0}, r"All 2 nodes below '\[30, 60\]' have the weight 0"),
        ({"30": -1}, "The weight of '30' was given as -1; expected a number from 0 up"),
        ({"30": "much"}, "The weight of '30' was given as 'much'; expected a finite number"),
        ({"30": 0.1 + 0.2}, "a binary float that only comes near what was meant; give it exactly"),
        ({"[30, 60]": 2}, r"The weights name '\[30, 60\]', below no node of the tree"),
        ({"70": 2}, "The weights name '70', below no node of the tree"),
        ([1, 2], r"The weights of nodes were given as \[1, 2\]; expected a dictionary"),
    ],
)
def test_weights_that_say_nothing_are_refused(weights, words):
    with pytest.raises(SchemaError, match=words):
        on_edges(TREE, weights)


def test_what_is_no_tree_has_no_edges():
    for call in (edges, lambda tree: on_edges(tree, {})):
        with pytest.raises(SchemaError, match=r"A target was given as \['a'\]; expected a Hier"):
            call(["a"])
