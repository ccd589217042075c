import numpy as np
import pytest

from verikit.lattice import _lattice
from verikit.lattice._lattice import Coded, Tally, combine_codes, number_densely
from verikit.models import Requirement
from verikit.partition import Partition


def at_least(k):
    return [Requirement("k_anonymity", k=k)]


def same_groups(labels, classes):
    return (
        Partition.of(labels).labels.tolist()
        == Partition.of([str(c) for c in classes]).labels.tolist()
    )


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with missing values"])
def test_every_node_is_counted_as_one_by_one(exhaustive, gaps):
    for data, k, _, truth in exhaustive(60, gaps=gaps):
        tally = Tally(data, at_least(k), 0, "own value")
        assert set(tally.lattice) == set(truth)
        for node, (short, cost, classes) in truth.items():
            assert tally.count_short(node) == short
            assert tally.measure_cost(node) == cost
            assert same_groups(tally.labels(node), classes)


def test_counting_by_sorting_gives_the_same(exhaustive, monkeypatch):
    """As for many values: where combinations are too many for an array of counters."""
    monkeypatch.setattr(_lattice, "MAX_COUNTERS", 2)
    monkeypatch.setattr(_lattice, "MAX_CODE", 6)
    for data, k, _, truth in exhaustive(30):
        tally = Tally(data, at_least(k), 0, "refuse")
        assert {node: tally.count_short(node) for node in tally.lattice} == {
            node: short for node, (short, _, _) in truth.items()
        }


def test_no_half_of_the_columns_is_less_safe_than_all_of_them(exhaustive):
    for data, k, _, truth in exhaustive(60):
        tally = Tally(data, at_least(k), 0, "refuse")
        for node, (short, _, _) in truth.items():
            assert tally.half_classes(True, node[: tally.cut]).short <= short
            assert tally.half_classes(False, node[tally.cut :]).short <= short


def test_classes_are_numbered_by_their_cells_whatever_the_order_of_the_rows(exhaustive):
    for data, k, _, truth in exhaustive(20):
        rows = np.random.default_rng(1).permutation(len(data))
        first, second = (
            Tally(data, at_least(k), 0, "refuse"),
            Tally(data.take(rows), at_least(k), 0, "refuse"),
        )
        for node in truth:
            assert np.array_equal(first.labels(node)[rows], second.labels(node))


@pytest.mark.parametrize("size", [10, _lattice.MAX_COUNTERS + 1], ids=["counters", "sorting"])
def test_dense_numbers_keep_the_order_and_leave_no_gap(size):
    codes, found = number_densely(Coded(np.array([7, 2, 7, 9]), size))
    assert (codes.tolist(), found) == ([1, 0, 1, 2], 3)


def test_joined_codes_tell_all_combinations_apart_even_where_they_are_too_many_to_number():
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 5, 300) for _ in range(3)]
    wide = [Coded(column, 1 << 40) for column in columns]
    codes = combine_codes(wide, 300).codes
    assert same_groups(codes, list(zip(*columns, strict=True)))


def test_discernibility_of_a_table_worked_out_by_hand():
    """Classes of 3, 2 and 1 at k=2: 9 + 4, and the single record costs all six."""
    sizes = np.array([3.0, 2.0, 1.0])
    assert _lattice.discernibility(sizes, sizes >= 2, 6) == 19
