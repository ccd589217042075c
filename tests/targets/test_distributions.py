"""Targets as weights of the values of a tree."""

from fractions import Fraction

import pytest

from verikit import Hierarchy, RecordError, SchemaError
from verikit.targets import balanced, normal, of_values, rounded, uniform, zipf


@pytest.mark.parametrize("ways", [2, 3, 5])
def test_a_balanced_tree_parts_its_numbers_evenly_and_in_order(ways):
    tree = balanced([3, 1, 2, 10, 7, 8, 9, 4.5], ways)
    assert tree.order() == ("1", "2", "3", "4.5", "7", "8", "9", "10")
    assert tree.root == "[1, 10]"
    for node in tree.nodes:
        parts = [len(tree.leaves(below)) for below in tree.nodes if tree.parent(below) == node]
        assert not parts or (max(parts) - min(parts) <= 1 and len(parts) <= ways)


def test_the_books_tree_of_salaries_is_balanced():
    tree = balanced([30_000, 40_000, 50_000, 60_000])
    assert tree.path(40_000) == ("40000", "[30000, 40000]", "[30000, 60000]")


def test_a_uniform_target_counts_the_leaves_below_a_node():
    tree = uniform(Hierarchy.of({"*": {"a": ["p", "q", "r"], "b": ["s"]}}))
    assert (tree.share("a"), tree.share("b")) == (Fraction(3, 4), Fraction(1, 4))


def test_a_normal_target_is_symmetric_and_falls_to_both_sides():
    tree = normal(balanced(range(9)), 4)
    shares = [tree.share(leaf) for leaf in tree.order()]
    assert shares == shares[::-1]
    assert shares[:5] == sorted(shares[:5])
    assert sum(shares) == 1


def test_a_zipf_target_counts_from_the_last_value_or_from_the_first_named():
    tree = zipf(balanced([1, 2, 4]), 1)
    assert tree.share(4) == 2 * tree.share(2)
    turned = zipf(tree, 1, first=[1, 2, 4])
    assert turned.share(1) == 2 * turned.share(2) == tree.share(4)


def test_the_power_0_is_uniform():
    tree = balanced(range(5))
    assert {zipf(tree, 0).share(leaf) for leaf in tree.order()} == {Fraction(1, 5)}


def test_a_target_from_data_has_their_shares():
    tree = of_values(Hierarchy.of({"*": ["a", "b", "c"]}), ["a", "a", "c"])
    assert [tree.share(name) for name in "abc"] == [Fraction(2, 3), 0, Fraction(1, 3)]


def test_rounding_keeps_0_for_nothing_only_and_whole_shares_as_they_are():
    """DP57."""
    tree = Hierarchy.of({"*": ["a", "b", "c"]}, weights={"a": 9999, "b": 1, "c": 0})
    assert [rounded(tree).share(name) for name in "abc"] == [Fraction(9, 10), Fraction(1, 10), 0]
    kept = Hierarchy.of({"*": {"x": ["a", "b"], "y": ["c"]}}, weights={"a": 3, "b": 1, "c": 4})
    assert [rounded(kept, 4).share(name) for name in "abc"] == [
        Fraction(3, 8), Fraction(1, 8), Fraction(1, 2),
    ]  # fmt: skip


def test_below_a_node_without_weight_nothing_gets_any():
    tree = Hierarchy.of({"*": {"x": ["a", "b"], "y": ["c"]}}, weights={"a": 0, "b": 0, "c": 4})
    assert [rounded(tree).share(name) for name in "abc"] == [0, 0, 1]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda t: uniform(["a"]), r"A target was given as \['a'\]; expected a Hierarchy"),
        (lambda t: of_values(t, [9]), "lacks '9'; add each as a leaf"),
        (lambda t: normal(t, 0), "parts was given as 0; expected a number above 0"),
        (lambda t: normal(Hierarchy.of({"*": ["a", "b"]}), 4), "was given as 'a'; expected a fin"),
        (lambda t: zipf(t, -1), "The power was given as -1; expected a number from 0 up"),
        (lambda t: zipf(t, 1, first=[1]), "The order of 1 values does not hold each of the 2"),
        (lambda t: rounded(t, 1), r"'\[1, 2\]' has 2 children with weight, which cannot share 1"),
        (lambda t: balanced([1, 2], 1), "ways was given as 1; expected a whole number from 2 up"),
        (lambda t: balanced(["a"]), "A value of the tree was given as 'a'; expected a finite"),
        (lambda t: balanced([]), "at least one value"),
        (lambda t: Hierarchy(t.levels, {1: 0, 2: 0}), "The weights of all 2 values are 0"),
        (lambda t: Hierarchy(t.levels, {1: 0.1 + 0.2, 2: 1}), "a binary float that only comes"),
    ],
)
def test_what_makes_no_target_is_refused(make, words):
    """DP53: a computed binary float is explained."""
    with pytest.raises((SchemaError, RecordError), match=words):
        make(balanced([1, 2]))
