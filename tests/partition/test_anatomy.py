"""Anatomy's buckets: every group holds ell different values, and nobody is left out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.partition import anatomy
from verikit.partition._diversity import schedule_buckets


def table(values, **columns):
    frame = pd.DataFrame({"X": range(len(values)), **columns, "S": list(values)})
    return vk.Microdata(frame, vk.Schema.guess(frame, S="sensitive"))


def counts(data, groups):
    """By group how often each sensitive value occurs."""
    return pd.crosstab(groups.labels, data.frame["S"].astype(object).fillna("none")).to_numpy()


values_and_ell = st.tuples(st.lists(st.integers(0, 6), min_size=1, max_size=60), st.integers(1, 6))


@given(values_and_ell, st.integers(0, 5))
def test_every_group_holds_each_value_once_and_ell_of_them_or_the_largest_ell_is_named(drawn, seed):
    values, ell = drawn
    data, most = table(list(map(str, values))), np.bincount(values).max()
    if most * ell > len(values):
        with pytest.raises(vk.InfeasibleError, match=rf"reached is {len(values) // most}\."):
            anatomy(data, ell=ell, seed=seed)
        return
    groups = anatomy(data, ell=ell, seed=seed)
    found = counts(data, groups)
    assert found.max() == 1
    assert (found.sum(axis=1) >= ell).all()
    assert groups.residue == len(values) - ell * len(groups) < ell


@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.integers(0, 5))
def test_the_largest_feasible_ell_that_a_refusal_names_is_feasible(values, seed):
    data, most = table(list(map(str, values))), np.bincount(values).max()
    groups = anatomy(data, ell=len(values) // most, seed=seed)
    assert len(groups.labels) == len(values)


def test_the_fullest_buckets_are_emptied_first():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        pairs = schedule_buckets(np.array([3, 2, 1]), 2, rng).reshape(-1, 2)
        assert pairs[0].tolist() == [0, 1]
        assert sorted(map(sorted, pairs.tolist())) == [[0, 1], [0, 1], [0, 2]]
        assert schedule_buckets(np.array([1, 3]), 2, rng).tolist() == [1, 0]
        assert sorted(schedule_buckets(np.array([2, 0, 2]), 2, rng)) == [0, 0, 2, 2]


def test_equally_full_buckets_are_taken_by_lot():
    """Four buckets of one pair up in three ways; 600 draws of each third: 200, deviation 11.5."""
    pairings = [
        tuple(
            sorted(
                map(
                    sorted,
                    schedule_buckets(np.ones(4, int), 2, np.random.default_rng(seed))
                    .reshape(-1, 2)
                    .tolist(),
                )
            )
        )
        for seed in range(600)
    ]
    found = [pairings.count(one) for one in {str(p): p for p in pairings}.values()]
    assert len(found) == 3
    assert max(abs(count - 200) for count in found) < 4 * 11.5


def test_neighbouring_values_share_a_group_no_more_often_than_others():
    """Of 20 equally frequent values two drawn at random are 7 apart on average: (20 + 1) / 3."""
    data = table([value for value in range(20) for _ in range(50)])
    groups = anatomy(data, ell=2, seed=1)
    apart = [np.ptp(data.frame["S"].to_numpy()[rows]) for rows in groups.groups()]
    assert np.mean(apart) == pytest.approx(7, abs=1)


def test_taking_from_the_smallest_buckets_instead_would_fail_where_this_does_not():
    """4 of a, 2 each of b and c, ell 2: pairing b with c first strands two of a."""
    groups = anatomy(table("aaaabbcc"), ell=2, seed=1)
    assert groups.residue == 0


def test_records_left_over_join_groups_without_their_value_and_are_counted():
    data = table("aabbccd")
    for seed in range(20):
        groups = anatomy(data, ell=3, seed=seed)
        assert groups.residue == 1
        assert sorted(groups.sizes) == [3, 4]
        assert counts(data, groups).max() == 1
    assert "1 of them left over and added" in repr(groups)


def test_who_is_taken_from_a_bucket_is_left_to_chance():
    data = table("aabb")
    pairs = {
        tuple(anatomy(data, ell=2, seed=seed).labels == anatomy(data, ell=2, seed=seed).labels[0])
        for seed in range(40)
    }
    assert pairs == {(True, False, True, False), (True, False, False, True)}


def test_ell_1_gives_everyone_a_group_of_her_own():
    assert anatomy(table("aaab"), ell=1, seed=1).sizes.tolist() == [1] * 4


def test_as_many_values_as_records_may_form_one_group():
    assert anatomy(table("abcd"), ell=4, seed=1).sizes.tolist() == [4]


def test_all_equal_values_can_only_have_ell_1():
    with pytest.raises(
        vk.InfeasibleError,
        match="ell was given as 2, but 5 of 5 records have 'a' in 'S'; the largest ell that can "
        "be reached is 1",
    ):
        anatomy(table("aaaaa"), ell=2, seed=1)


def test_the_groups_do_not_depend_on_order_index_or_dtype():
    data = table("aabbccd", Y=[1, 2, 3, 4, 5, 6, 7])
    whole = anatomy(data, ell=3, seed=4)
    rows = np.random.default_rng(1).permutation(7)
    assert (anatomy(data.take(rows), ell=3, seed=4).labels == whole.labels[rows]).all()
    odd = data.frame.set_axis([3] * 7).astype({"Y": "float32", "S": "category"})
    assert (anatomy(vk.Microdata(odd, data.schema), ell=3, seed=4).labels == whole.labels).all()


def test_a_missing_sensitive_value_is_refused_or_a_value_of_its_own():
    data = table(["a", None, "b", None])
    with pytest.raises(vk.SchemaError, match="'S' has 2 missing values"):
        anatomy(data, ell=2, seed=1)
    groups = anatomy(data, ell=2, missing="own value", seed=1)
    assert counts(data, groups).max() == 1
    with pytest.raises(vk.InfeasibleError, match="2 of 4 records have 'no value'"):
        anatomy(data, ell=3, missing="own value", seed=1)


def test_missing_quasi_identifiers_play_no_part():
    data = table("abab", Y=[None, 1.0, None, 2.0])
    assert anatomy(data, ell=2, seed=1).sizes.tolist() == [2, 2]


@pytest.mark.parametrize("ell", [0, -1, 2.0, True, "2", None])
def test_an_ell_that_is_no_whole_number_is_refused(ell):
    with pytest.raises(vk.RecordError, match=rf"ell was given as {ell!r}; expected a whole"):
        anatomy(table("ab"), ell=ell, seed=1)


def test_a_numpy_integer_is_a_whole_number():
    assert len(anatomy(table("abab"), ell=np.int64(2), seed=np.int32(1))) == 2


def test_what_is_sensitive_must_be_clear():
    frame = pd.DataFrame({"X": [1, 2], "S": ["a", "b"], "T": ["c", "d"]})
    both = vk.Microdata(frame, vk.Schema.guess(frame, S="sensitive", T="sensitive"))
    with pytest.raises(vk.SchemaError, match="2 sensitive columns \\('S', 'T'\\); name one"):
        anatomy(both, ell=2, seed=1)
    assert anatomy(both, ell=2, sensitive="T", seed=1).parameters["sensitive"] == "T"
    with pytest.raises(vk.SchemaError, match=r"'X' cannot be sensitive.*'quasi'"):
        anatomy(both, ell=2, sensitive="X", seed=1)
    with pytest.raises(vk.SchemaError, match="0 sensitive columns \\(none\\)"):
        anatomy(vk.Microdata(frame), ell=2, seed=1)


def test_a_table_without_records_and_a_frame_are_refused():
    with pytest.raises(vk.SchemaError, match="no records"):
        anatomy(table(""), ell=2, seed=1)
    with pytest.raises(vk.SchemaError, match="anatomy was given DataFrame; expected Microdata"):
        anatomy(pd.DataFrame({"S": []}), ell=2, seed=1)
