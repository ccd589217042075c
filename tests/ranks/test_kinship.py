"""Distances of values without an order: by hand, and the same however a tree is listed."""

from itertools import permutations

import numpy as np
import pytest

from verikit.errors import RecordError
from verikit.hierarchy import Hierarchy
from verikit.ranks import marginality, marginality_variance, relate_values
from verikit.ranks.spread import Criterion

VALUES = ["nurse", "doctor", "clerk", "judge"]


ROWS = [
    ("nurse", "ward", "care", "all"),
    ("doctor", "ward", "care", "all"),
    ("clerk", "office", "care", "all"),
    ("judge", "bench", "law", "all"),
]


def groups_around(value, tree):
    """All sets of values that hold a value, from the smallest: those below each of its groups."""
    return [{*tree.leaves(node)} for node in tree.path(value)]


def count_by_hand(own, shown, released, tree):
    """How many rows a row lies behind, as seen from a value; ties of the closest count as one."""

    def apart(value):
        if tree is None:
            return int(value != own)
        return next(i for i, group in enumerate(groups_around(own, tree)) if value in group)

    near = min(map(apart, released))
    if apart(shown) == near:
        return 0
    return 1 + sum(near < apart(value) < apart(shown) for value in released)


@pytest.mark.parametrize("tree", [None, Hierarchy.of_rows(ROWS)], ids=["equality", "tree"])
@pytest.mark.parametrize("seed", range(40))
def test_places_are_the_rows_that_are_nearer_in_every_tiny_table(tree, seed):
    rng = np.random.default_rng(seed)
    released = rng.choice(VALUES[: rng.integers(2, 5)], rng.integers(1, 7)).tolist()
    found = relate_values(VALUES, released, tree)
    for record, own in enumerate(VALUES):
        rows = np.arange(len(released))
        by_hand = [count_by_hand(own, shown, released, tree) for shown in released]
        assert found.count_places(np.full(len(rows), record), rows).tolist() == by_hand


def test_no_listing_of_siblings_changes_a_place_or_a_marginality():
    released = ["nurse", "nurse", "doctor", "clerk", "judge", "judge"]
    seen = set()
    for order in permutations(ROWS):
        tree = Hierarchy.of_rows(order)
        found = relate_values(VALUES, released, tree)
        places = found.count_places(np.arange(4)[:, None], np.arange(6)[None])
        seen.add((places.tobytes(), marginality(released, tree).tobytes()))
    assert len(seen) == 1


def test_values_without_an_order_are_the_same_or_one_place_apart():
    found = relate_values(["a", "b", "c"], ["a", "b", "b", "d"])
    places = found.count_places(np.arange(3)[:, None], np.arange(4)[None])
    assert places.tolist() == [[0, 1, 1, 1], [1, 0, 0, 1], [0, 0, 0, 0]]  # nobody shows "c"


def test_a_gap_or_a_published_group_may_be_any_of_its_values():
    tree = Hierarchy.of_rows(ROWS)
    found = relate_values(["nurse", "judge", None], ["ward", None, "care", "judge"], tree)
    places = found.count_places(np.arange(3)[:, None], np.arange(4)[None])
    assert places[0].tolist() == [0, 0, 0, 1]
    assert places[1].tolist() == [1, 0, 1, 0]
    assert places[2].tolist() == [0, 0, 0, 0]


def test_marginality_is_the_sum_of_distances_to_all_values_by_hand():
    tree = Hierarchy.of_rows(ROWS)
    # four leaves: ward holds 2, care 3, all 4, so (2 - 1)/3, (3 - 1)/3 and (4 - 1)/3
    assert marginality(VALUES, tree) == pytest.approx([2, 2, 7 / 3, 3])
    assert marginality_variance(VALUES, tree) == pytest.approx((2 + 2 + 7 / 3 + 3) / 4)
    assert marginality(["x", "x", "y", "z"]).tolist() == [2, 2, 3, 3]
    assert marginality_variance(["x", "x"]) == 0


def test_diversity_is_that_of_the_values_whose_rows_all_lie_within_the_places():
    tree = Hierarchy.of_rows(ROWS)
    released = ["nurse", "doctor", "doctor", "clerk", "judge", "judge"]
    found = relate_values(["nurse"] * 4, released, tree)
    reach = np.array([1, 2, 3, 5])  # two doctors are 1 and 2 places away, the clerk 3, judges 4, 5
    asked = {
        "distinct": [1, 2, 3, 4],
        "entropy": [0, -(1 / 3) * np.log(1 / 3) - (2 / 3) * np.log(2 / 3), 1.5 * np.log(2)],
        "t-closeness": [5 / 6, 3 / 6, 2 / 6, 0],
        # a nurse and two doctors, 1/3 apart; then a clerk too, 2/3 from each of them
        "variance": [0, (2 * 2 * 1 / 3) / 3, (2 * 2 * 1 / 3 + 2 * 3 * 2 / 3) / 4],
    }
    for name, expected in asked.items():
        told = found.measure_least_diversities(released, reach, Criterion(name), tree)
        assert told[: len(expected)] == pytest.approx(expected), name
    with pytest.raises(RecordError, match="robust variance of values without an order is not"):
        found.measure_least_diversities(released, reach, Criterion("robust variance"), tree)
    # 1; 2 + 1; 2 + 1 + 1; 2 + 2 + 1 + 1: with c = 1 the most frequent value must be outnumbered
    recursive = found.measure_least_diversities(released, reach, Criterion("recursive", c=1), tree)
    assert recursive.tolist() == [0, 1, 1, 2]
