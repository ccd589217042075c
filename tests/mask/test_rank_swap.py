"""Rank swapping: values change places with others of nearby rank."""

import inspect

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit._support.compiled import _machine_code
from verikit.mask._own_values import _cycle_ranks, _order_ranks, _pair_ranks, _swap_from_below
from verikit.ranks import blocks


def moved_places(data, release, key, name):
    """The gap between the block of a value and that of the value its record was given."""
    first, last = blocks(data.scores(name))
    other_first, other_last = (part[key.rows] for part in blocks(release.scores(name)))
    return np.maximum(np.maximum(other_first - last, first - other_last), 0)


@given(st.integers(1, 80), st.integers(0, 100), st.sampled_from([2, 10, 10**6]), st.integers(0, 99))
def test_no_value_moves_farther_than_the_published_places(n, percent, spread, seed):
    rng = np.random.default_rng(seed)
    data = vk.Microdata(pd.DataFrame(rng.integers(0, spread, (n, 2)), columns=["a", "b"]))
    release, key = vk.mask.rank_swap(data, percent=percent, seed=seed)
    for name, places in release.parameters["places"].items():
        assert places == percent * n // 100
        assert moved_places(data, release, key, name).max() <= places
        assert sorted(release.frame[name]) == sorted(data.frame[name])


@given(st.integers(2, 300), st.integers(1, 300), st.integers(0, 99))
def test_values_are_exchanged_in_pairs(n, places, seed):
    partner = _pair_ranks(n, min(places, n), np.random.default_rng(seed))
    assert partner[partner].tolist() == list(range(n))
    assert np.abs(partner - np.arange(n)).max() <= places


def test_a_value_stays_only_where_no_free_partner_is_in_reach():
    partner = _pair_ranks(1001, 50, np.random.default_rng(4))
    for rank in np.flatnonzero(partner == np.arange(1001)):
        reach = np.arange(max(rank - 50, 0), min(rank + 51, 1001))
        assert [other for other in reach if other != rank and partner[other] == other] == []


def test_partners_come_from_the_whole_reach():
    """With 100 places in 20,000 ranks the mean move is near 50, not next door."""
    partner = _pair_ranks(20_000, 100, np.random.default_rng(4))
    moved = np.abs(partner - np.arange(20_000))
    assert 40 < moved.mean() < 60
    assert np.quantile(moved, [0.1, 0.9]) == pytest.approx([10, 90], abs=6)


def test_compiled_and_plain_give_the_same_partners(monkeypatch):
    pytest.importorskip("numba")
    plain = _pair_ranks(5000, 5000, np.random.default_rng(1))
    monkeypatch.setattr(
        "verikit.mask._own_values._swap_from_below", _machine_code(inspect.unwrap(_swap_from_below))
    )
    assert _pair_ranks(5000, 5000, np.random.default_rng(1)).tolist() == plain.tolist()


def test_zero_percent_leaves_every_record_as_it_is():
    data = vk.load("dm_table1")
    release, key = vk.mask.rank_swap(data, percent=0, seed=1)
    assert release.frame.iloc[key.rows].reset_index(drop=True).equals(data.frame)


def test_a_share_given_for_a_percentage_moves_nothing_and_the_release_says_so():
    """0.05 is not 5 %: of 20 records it comes to no place at all."""
    release, _ = vk.mask.rank_swap(vk.load("dm_table1"), percent=0.05, seed=1)
    assert release.parameters["places"] == {"X1": 0, "X2": 0, "X3": 0}


def test_each_column_may_have_its_own_percentage():
    percent = {"X1": 5, "X2": 10, "X3": 50}
    release, _ = vk.mask.rank_swap(vk.load("dm_table1"), percent=percent, seed=1)
    assert release.parameters["places"] == {"X1": 1, "X2": 2, "X3": 10}


def test_categories_are_swapped_in_the_order_of_their_hierarchy():
    """One place at most: clerk, lawyer, welder lie in this order, so no clerk becomes a welder."""
    jobs = vk.Hierarchy.of({"any": {"office": ["clerk", "lawyer"], "trade": ["welder"]}})
    frame = pd.DataFrame({"job": ["welder", "clerk", "lawyer"]})
    schema = vk.Schema((vk.Column("job", kind="nominal", hierarchy=jobs),))
    data = vk.Microdata(frame, schema)
    for seed in range(20):
        release, key = vk.mask.rank_swap(data, percent=34, seed=seed)
        given, found = frame["job"], release.frame["job"].iloc[key.rows]
        assert {"clerk", "welder"} not in [
            {a, b} for a, b in zip(given, found, strict=True) if a != b
        ]


def test_categories_without_an_order_are_refused_by_name():
    data = vk.Microdata(pd.DataFrame({"job": ["clerk", "welder"], "age": [1, 2]}))
    with pytest.raises(vk.SchemaError, match="rank_swap moves values by rank, but 'job'"):
        vk.mask.rank_swap(data, percent=5, seed=1)


@pytest.mark.parametrize("percent", [-1, 100.5])
def test_a_percentage_out_of_range_is_refused(percent):
    with pytest.raises(
        vk.RecordError, match=f"was given as {percent:g}; expected a number from 0 to"
    ):
        vk.mask.rank_swap(vk.load("dm_table1"), percent=percent, seed=1)


def test_a_percentage_for_an_unknown_column_is_refused():
    with pytest.raises(vk.SchemaError, match="lacks 'X2', 'X3' and names 'Y'"):
        vk.mask.rank_swap(vk.load("dm_table1"), percent={"X1": 5, "Y": 5}, seed=1)


@given(st.integers(3, 300), st.integers(2, 300), st.integers(0, 99))
def test_cycles_give_every_rank_one_within_the_places(n, places, seed):
    taken = _cycle_ranks(n, places, np.random.default_rng(seed))
    assert sorted(taken) == list(range(n))
    assert np.abs(taken - np.arange(n)).max() <= places


def test_cycles_leave_few_ranks_in_pairs_and_move_values_about_as_far():
    """1000 ranks, 50 places: in pairs all are, in cycles about one in a hundred."""
    at, taken = np.arange(1000), _cycle_ranks(1000, 50, np.random.default_rng(1))
    pairs = (taken[taken] == at) & (taken != at)
    assert pairs.mean() < 0.04
    in_pairs = np.abs(_pair_ranks(1000, 50, np.random.default_rng(1)) - at).mean()
    assert 0.8 * in_pairs < np.abs(taken - at).mean() <= in_pairs


def test_cycles_move_values_evenly_up_and_down_the_whole_reach():
    """Of 20,000 ranks and 100 places: the mean move is 50, as of numbers drawn evenly."""
    moved = _cycle_ranks(20_000, 100, np.random.default_rng(4)) - np.arange(20_000)
    assert 46 < np.abs(moved).mean() < 54
    assert np.quantile(moved, [0.1, 0.5, 0.9]) == pytest.approx([-80, 0, 80], abs=5)


def test_the_scheme_is_published_and_pairs_are_the_default():
    data = vk.simulate("dm", 100, seed=1)
    one, other = (
        vk.mask.rank_swap(data, percent=10, seed=1, **s) for s in ({}, {"scheme": "pairs"})
    )
    assert one.release.frame.equals(other.release.frame)
    assert one.release.parameters["scheme"] == "pairs"
    cycled = vk.mask.rank_swap(data, percent=10, scheme="cycles", seed=1)
    assert cycled.release.parameters["scheme"] == "cycles"
    assert moved_places(data, *cycled, "X1").max() <= 10
    assert sorted(cycled.release.frame["X1"]) == sorted(data.frame["X1"])


def test_cycles_of_neighbours_only_and_unknown_schemes_are_refused():
    data = vk.load("dm_table1")
    with pytest.raises(vk.RecordError, match="1 place to move among 20 records, where only neigh"):
        vk.mask.rank_swap(data, percent=5, scheme="cycles", seed=1)
    with pytest.raises(
        vk.RecordError, match="scheme was given as 'rings'; expected 'pairs', 'cycles'"
    ):
        vk.mask.rank_swap(data, percent=5, scheme="rings", seed=1)
    same, key = vk.mask.rank_swap(data, percent=0, scheme="cycles", seed=1)
    assert same.frame.iloc[key.rows].reset_index(drop=True).equals(data.frame)


@pytest.mark.parametrize("scheme", ["p-buckets", "p-distribution"])
def test_the_variants_swap_in_pairs_as_far_as_their_law_says(scheme):
    """Half of the first ranks swap within their bucket, a quarter with the next; or normally."""
    n, places, rng = 20_000, 500, np.random.default_rng(4)
    partner = _order_ranks(scheme, n, places, rng)
    assert partner[partner].tolist() == list(range(n))
    apart = np.abs(partner - np.arange(n))
    if scheme == "p-buckets":
        seen = [np.bincount(_order_ranks(scheme, n, places, rng)[:1] // places, minlength=40)
                for _ in range(200)]  # fmt: skip
        assert np.sum(seen, axis=0)[:3] == pytest.approx([100, 50, 25], abs=25)
        assert apart.max() > 4 * places
    else:
        first = [_order_ranks(scheme, n, places, rng)[0] for _ in range(200)]
        expected = np.abs(rng.normal(places / 2, places / 2, 100_000))
        assert np.mean(first) == pytest.approx(expected.mean(), rel=0.15)
        assert 2 * places < apart.max() < 4 * places
    assert (apart > places).mean() > 0.1, "a window of so many places would miss the truth"


@pytest.mark.parametrize("scheme", ["p-buckets", "p-distribution"])
def test_the_variants_hide_the_window_and_no_more(scheme):
    """What is told to be within reach is every rank; pairs still imply each other."""
    data = vk.simulate("dm", 300, seed=1)
    release, key = vk.mask.rank_swap(data, percent=5, scheme=scheme, seed=2)
    assert release.parameters["places"] == {"X1": 299, "X2": 299, "X3": 299}
    assert max(moved_places(data, release, key, name).max() for name in ("X1", "X2", "X3")) > 15
    links = vk.intruder.undo_pairs(data, release)
    assert links.certain.all()
    assert (links.rows == key.rows).all()
    assert vk.check(data.record(0), release).sentence("S14")
    same, key = vk.mask.rank_swap(data, percent=0, scheme=scheme, seed=1)
    assert same.frame.iloc[key.rows].reset_index(drop=True).equals(data.frame)
