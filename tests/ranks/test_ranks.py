"""Ranks under ties: every claim is held against all the ways of breaking them."""

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verikit.errors import RecordError
from verikit.ranks import Block, blocks, closest, closest_blocks, gap, mid_ranks, reverse_map

few = st.integers(0, 4).map(float)
columns = st.lists(few, min_size=1, max_size=7).map(np.array)
pairs = st.lists(st.tuples(few, few), min_size=1, max_size=7).map(lambda rows: np.array(rows).T)


def tie_breaks(values):
    """Every ranking of a column: each way of ordering equal values, as ranks by place."""
    for order in permutations(range(len(values))):
        if all(values[a] <= values[b] for a, b in pairwise(order)):
            ranks = np.empty(len(values), int)
            ranks[list(order)] = np.arange(1, len(values) + 1)
            yield tuple(ranks.tolist())


def reverse_mapped(original, ranks):
    """What reverse mapping gives under one ranking of the masked column."""
    return tuple(np.sort(original)[np.array(ranks) - 1].tolist())


# -- blocks ---------------------------------------------------------------------------------------


@given(columns)
def test_a_block_spans_the_ranks_that_some_tie_break_gives(values):
    first, last = blocks(values)
    ranks = np.array(list(tie_breaks(values)))
    assert first.tolist() == ranks.min(axis=0).tolist()
    assert last.tolist() == ranks.max(axis=0).tolist()


@given(columns)
def test_the_mid_rank_is_the_mean_over_all_tie_breaks(values):
    np.testing.assert_allclose(mid_ranks(values), np.mean(list(tie_breaks(values)), axis=0))


@given(columns, columns)
def test_ranks_in_another_column_are_those_its_equal_values_have(values, published):
    ordered = np.sort(published)
    first, last = blocks(values, ordered)
    own_first, own_last = blocks(published)
    for place, value in enumerate(values):
        same = np.flatnonzero(published == value)
        if len(same):
            assert (first[place], last[place]) == (own_first[same[0]], own_last[same[0]])
        else:
            assert last[place] - first[place] == -1


# -- the closest published value ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "block"),
    [
        (0.0, (1, 1)), (1.0, (1, 1)), (2.4, (1, 1)),
        (2.5, (1, 3)),  # half-way between 1 and 4 admits both
        (2.6, (2, 3)), (4.0, (2, 3)), (6.4, (2, 3)), (6.5, (2, 4)), (6.6, (4, 4)), (99.0, (4, 4)),
    ],
)  # fmt: skip
def test_the_closest_published_value_and_half_way_between_two_both(value, block):
    assert closest(np.array([1.0, 4.0, 4.0, 9.0]), value) == Block(*block)


def test_half_way_is_half_way_in_decimals_though_not_in_binary():
    assert abs(0.15 - 0.1) != abs(0.2 - 0.15)
    assert closest(np.array([0.1, 0.2]), 0.15) == Block(1, 2)
    assert closest(np.array([100.41, 100.43]), 100.42) == Block(1, 2)
    assert closest(np.array([100.41, 100.43]), 100.4200001) == Block(2, 2)


@given(columns, st.lists(st.integers(-3, 12).map(lambda n: n / 2), min_size=1, max_size=4))
def test_the_closest_block_holds_all_values_at_the_smallest_distance(published, values):
    ordered = np.sort(published)
    first, last = closest_blocks(ordered, np.array(values))
    for value, low, high in zip(values, first, last, strict=True):
        away = np.abs(ordered - value)
        assert (np.flatnonzero(away == away.min()) + 1).tolist() == list(range(low, high + 1))
        assert closest(ordered, value) == (low, high)


def test_nothing_is_closest_in_an_empty_column():
    with pytest.raises(RecordError, match="The column is empty, so no value is closest"):
        closest(np.array([]), 1.0)


# -- the gap --------------------------------------------------------------------------------------


@given(columns)
def test_the_gap_is_the_smallest_distance_over_all_tie_breaks(values):
    first, last = blocks(values)
    rankings = np.array(list(tie_breaks(values)))
    for place, value in enumerate(values):
        away = np.abs(rankings - rankings[:, [place]]).min(axis=0)
        smallest = np.where(values == value, 0, away)  # equal values may change places
        assert gap(first, last, Block(first[place], last[place])).tolist() == smallest.tolist()


@given(st.lists(st.tuples(few, few), min_size=1, max_size=5))
def test_the_largest_gap_over_two_columns_is_the_smallest_over_their_tie_breaks(rows):
    """The distance of a record: at worst over the columns, at best over both rankings."""
    data = np.array(rows).T
    gaps = []
    for column in data:
        first, last = blocks(column)
        gaps.append(gap(first, last, Block(first[0], last[0])))
    best = np.full(len(rows), len(rows))
    for rankings in product(*(list(tie_breaks(column)) for column in data)):
        away = [
            np.where(column == column[0], 0, np.abs(np.array(ranks) - ranks[0]))
            for column, ranks in zip(data, rankings, strict=True)
        ]
        best = np.minimum(best, np.max(away, axis=0))
    assert np.max(gaps, axis=0).tolist() == best.tolist()


# -- reverse mapping ------------------------------------------------------------------------------


@given(pairs, st.integers(0, 9))
def test_reverse_mapping_is_right_for_one_of_the_tie_breaks(pair, seed):
    original, masked = pair
    mapped = tuple(reverse_map(original, masked, seed=seed).tolist())
    assert mapped in {reverse_mapped(original, ranks) for ranks in tie_breaks(masked)}


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1), st.integers(0, 9)
)
def test_reverse_mapping_permutes_the_original_and_keeps_the_order_of_the_masked(rows, seed):
    original, masked = np.array(rows).T
    mapped = reverse_map(original, masked, seed=seed)
    assert sorted(mapped) == sorted(original)
    assert (np.diff(mapped[np.lexsort((mapped, masked))]) >= 0).all()


def test_every_tie_break_is_reached_by_some_seed():
    original, masked = np.array([1.0, 2, 3, 4]), np.array([5.0, 5, 5, 9])
    reached = {tuple(reverse_map(original, masked, seed=seed).tolist()) for seed in range(200)}
    assert reached == {reverse_mapped(original, ranks) for ranks in tie_breaks(masked)}
    assert len(reached) == 6


def test_ties_are_broken_evenly():
    original, masked = np.arange(3.0), np.zeros(3)
    found = np.array([reverse_map(original, masked, seed=seed) for seed in range(900)])
    counts = np.array(
        [[np.sum(found[:, place] == value) for value in original] for place in range(3)]
    )
    assert np.abs(counts - 300).max() < 5 * np.sqrt(900 * 2 / 9)


@given(pairs, st.integers(0, 9), st.randoms())
def test_reverse_mapping_does_not_depend_on_the_order_of_the_rows(pair, seed, shuffler):
    original, masked = pair
    rows = shuffler.sample(range(len(original)), len(original))
    plain = reverse_map(original, masked, seed=seed)
    mixed = reverse_map(original[rows], masked[rows], seed=seed)
    assert sorted(zip(original[rows], masked[rows], mixed, strict=True)) == sorted(
        zip(original, masked, plain, strict=True)
    )


@given(pairs, st.integers(0, 9))
def test_reverse_mapping_looks_at_the_order_of_the_masked_values_only(pair, seed):
    original, masked = pair
    rescaled = np.exp(masked) * 3 - 7
    np.testing.assert_array_equal(
        reverse_map(original, masked, seed=seed), reverse_map(original, rescaled, seed=seed)
    )


def test_without_ties_the_seed_changes_nothing_and_the_dtype_is_kept():
    original, masked = np.array([7, 5, 6], np.int32), np.array([0.1, 0.3, 0.2])
    mapped = {tuple(reverse_map(original, masked, seed=seed)) for seed in range(9)}
    assert mapped == {(5, 7, 6)}
    assert reverse_map(original, masked, seed=1).dtype == np.int32


def test_columns_without_records_are_mapped_to_none():
    assert reverse_map([], [], seed=1).tolist() == []


@pytest.mark.parametrize(
    ("original", "masked", "sentence"),
    [
        ([1.0, 2.0], [1.0], r"shapes \(2,\) and \(1,\); expected two columns of one length"),
        ([[1.0]], [[1.0]], r"shapes \(1, 1\) and \(1, 1\)"),
        ([1.0, np.nan], [1.0, 2.0], "A missing value has no rank; remove or fill"),
        ([1.0, 2.0], [1.0, np.nan], "A missing value has no rank"),
    ],
)
def test_columns_that_cannot_be_matched_are_refused(original, masked, sentence):
    with pytest.raises(RecordError, match=sentence):
        reverse_map(original, masked, seed=1)


@pytest.mark.parametrize("column", [["9", "10", "2"], [True, None, 2]])
def test_text_is_not_ranked_by_its_letters(column):
    with pytest.raises(RecordError, match="the ranks of text would be those of its letters"):
        reverse_map([1, 2, 3], column, seed=0)


@given(st.lists(few, min_size=1, max_size=7), st.lists(st.integers(0, 9), min_size=1, max_size=40))
def test_values_that_are_looked_up_in_parts_are_closest_to_the_same(column, halves):
    ordered, values = np.sort(column), np.sort(np.array(halves) / 2)
    whole = closest_blocks(ordered, values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("verikit.ranks._blocks.PART", 3)
        parts = closest_blocks(ordered, values)
    assert [part.tolist() for part in parts] == [part.tolist() for part in whole]
