"""The closest records of many records at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verikit.errors import RecordError
from verikit.ranks import blocks
from verikit.ranks._nearest import count_within, find_all_matches, find_nearest


def block_columns(table):
    ends = [blocks(column) for column in table.T]
    return np.stack([first for first, _ in ends], 1), np.stack([last for _, last in ends], 1)


def every_gap(query_first, query_last, first, last):
    up = first[None] - query_last[:, None]
    down = query_first[:, None] - last[None]
    return np.maximum(np.maximum(up, down), 0).max(axis=2)


@st.composite
def searches(draw):
    """A table, untied to heavily tied, and queries on one, on several, or between two ranks."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, queries = draw(st.integers(1, 120)), draw(st.integers(1, 30))
    m, values = draw(st.integers(1, 4)), draw(st.sampled_from([1, 2, 4, 15, 10**6]))
    first, last = block_columns(rng.integers(0, values, (n, m)).astype(float))
    query_first = rng.integers(1, n + 1, (queries, m))
    least, width = draw(st.sampled_from([(0, 1), (0, 2), (0, n), (-1, 0), (-1, 1)]))
    query_last = np.minimum(query_first + rng.integers(least, width, (queries, m)), n)
    return query_first, query_last, first, last


@given(searches())
@settings(max_examples=60, deadline=None)
def test_nearest_agrees_with_a_look_at_every_pair(search):
    distance, row = find_nearest(*search)
    gaps = every_gap(*search)
    assert distance.tolist() == gaps.min(axis=1).tolist()
    assert gaps[np.arange(len(row)), row].tolist() == distance.tolist()


@given(searches())
@settings(max_examples=60, deadline=None)
def test_all_matches_are_all_records_at_the_smallest_distance_and_no_others(search):
    found = find_all_matches(*search)
    gaps = every_gap(*search)
    expected = [np.flatnonzero(row == row.min()).tolist() for row in gaps]
    parts = np.split(found.rows, found.starts[1:-1])
    assert [part.tolist() for part in parts] == expected
    assert found.counts.tolist() == [len(part) for part in expected]
    assert found.distance.tolist() == gaps.min(axis=1).tolist()


@given(searches(), st.integers(0, 60))
@settings(max_examples=40, deadline=None)
def test_counts_within_a_radius_agree_with_a_look_at_every_pair(search, radius):
    expected = (every_gap(*search) <= radius).sum(axis=1)
    assert count_within(*search, radius).tolist() == expected.tolist()


@given(searches())
@settings(max_examples=40, deadline=None)
def test_a_record_can_be_left_out_of_its_own_search(search):
    _, _, first, last = search
    if len(first) > 1:
        own = np.arange(len(first))
        gaps = every_gap(first, last, first, last)
        gaps[own, own] = 10**9
        distance, row = find_nearest(first, last, first, last, own=own)
        assert distance.tolist() == gaps.min(axis=1).tolist()
        assert gaps[own, row].tolist() == distance.tolist()
        found = find_all_matches(first, last, first, last, own=own)
        expected = [np.flatnonzero(line == line.min()).tolist() for line in gaps]
        assert [part.tolist() for part in np.split(found.rows, found.starts[1:-1])] == expected


def test_a_single_record_has_no_other():
    one = np.ones((1, 2), int)
    with pytest.raises(RecordError, match="one record only"):
        find_nearest(one, one, one, one, own=np.array([0]))


def test_equal_values_are_no_places_apart_and_neighbours_one_place():
    """The values 1, 1, 1, 2: three share the ranks 1 to 3, the fourth has rank 4."""
    first, last = block_columns(np.array([[1.0], [1.0], [1.0], [2.0]]))
    found = find_all_matches(first[3:], last[3:], first[:3], last[:3])
    assert (found.distance.tolist(), found.rows.tolist()) == ([1], [0, 1, 2])


def test_a_record_far_in_the_middles_of_wide_blocks_is_found_when_its_gap_is_smallest():
    """Middles mislead: the block 1-101 is 50 places off by its middle, but touches the query."""
    first = np.array([[1, 90], [100, 100], [150, 103]])
    last = np.array([[101, 110], [100, 100], [150, 103]])
    query = np.array([[102, 103]])
    distance, row = find_nearest(query, query, first, last)
    assert (distance.tolist(), row.tolist()) == ([1], [0])


def test_many_copies_of_one_record_are_all_matches_of_each_other():
    """Five thousand equal records: searching them costs no more than searching one."""
    first, last = block_columns(np.zeros((5000, 2)))
    distance, _ = find_nearest(first, last, first, last)
    assert not distance.any()
    assert find_all_matches(first[:2], last[:2], first, last).counts.tolist() == [5000, 5000]


def test_an_empty_table_is_refused():
    nothing, one = np.empty((0, 2), int), np.ones((1, 2), int)
    with pytest.raises(RecordError, match="at least one record"):
        find_nearest(one, one, nothing, nothing)


def test_tables_of_unequal_width_are_refused():
    two, three = np.ones((1, 2), int), np.ones((1, 3), int)
    with pytest.raises(RecordError, match="as many attributes on both sides"):
        find_nearest(two, two, three, three)
