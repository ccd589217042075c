"""The part of a tree that fits on a card."""

import pytest

from verikit import Hierarchy
from verikit.targets import balanced
from verikit.targets._distributions import tree_of
from verikit.widgets._target_editor import list_ends, outline_tree


def named(hierarchy, most):
    tree = tree_of(hierarchy, numeric=False)
    rows = outline_tree(tree, tree.root, most)
    return [tree.names[row.node] for row in rows], [tree.names[node] for node in list_ends(rows)]


def test_a_small_tree_is_shown_whole_in_its_order():
    names, last = named(balanced([1, 2, 3, 4]), 7)
    assert names == ["[1, 4]", "[1, 2]", "1", "2", "[3, 4]", "3", "4"]
    assert last == ["1", "2", "3", "4"]


@pytest.mark.parametrize("most", [1, 2, 3, 5, 8, 23])
def test_no_more_lines_than_fit_and_what_is_closed_covers_all_values(most):
    names, last = named(balanced(range(4096)), most)
    assert len(names) <= most
    if most > 2:
        assert sum(len(balanced(range(4096)).leaves(name)) for name in last) == 4096


def test_of_a_family_that_is_too_large_the_first_are_shown():
    names, _ = named(Hierarchy.of({"*": list(map(str, range(99)))}), 5)
    assert names == ["*", "0", "1", "2", "3"]
