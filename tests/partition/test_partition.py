"""Groups of records, whatever they are called."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verikit import Partition, SchemaError

labels = st.lists(st.sampled_from("abcde"), max_size=12)


def test_groups_are_numbered_in_the_order_in_which_they_appear():
    assert Partition.of(["b", "a", "b", "c"]).labels.tolist() == [0, 1, 0, 2]
    assert Partition.of([7.5, -1, 7.5]).labels.tolist() == [0, 1, 0]


@given(labels)
def test_groups_hold_every_record_once_and_sizes_count_them(words):
    found = Partition.of(words)
    groups = found.groups()
    assert sorted(np.concatenate(groups).tolist() if groups else []) == list(range(len(words)))
    assert [len(group) for group in groups] == found.sizes.tolist()
    assert len(found) == len(groups) == len(set(words))
    for group in groups:
        assert len({words[place] for place in group}) == 1


@given(labels, st.randoms())
def test_records_taken_in_another_order_stay_in_their_groups(words, shuffler):
    rows = np.array(shuffler.sample(range(len(words)), len(words)), dtype=np.intp)
    found = Partition.of(words)
    assert found.take(rows).labels.tolist() == [found.labels[row] for row in rows]


def test_a_partition_keeps_its_own_labels():
    given_labels = np.array([0, 1, 0])
    found = Partition(given_labels)
    given_labels[0] = 1
    assert found.labels.tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match="read-only"):
        found.labels[0] = 1


def test_no_records_make_no_groups():
    found = Partition.of([])
    assert (len(found), found.groups(), found.sizes.tolist()) == (0, [], [])


@pytest.mark.parametrize(
    "numbers", [[0, 2], [1, 2], [-1, 0], [[0], [1]], [0.0, 0.5], ["a"], [True, False]], ids=str
)
def test_labels_that_are_no_numbers_of_groups_are_refused(numbers):
    with pytest.raises(
        SchemaError, match=r"count from 0 without gaps, one a record; Partition\.of"
    ):
        Partition(numbers)


@pytest.mark.parametrize("words", [[None, "a"], [np.nan, 1.0], ["a", float("nan")]], ids=str)
def test_a_record_without_a_group_is_refused(words):
    with pytest.raises(
        SchemaError, match="1 of 2 records have no group; every record belongs to one"
    ):
        Partition.of(words)
