"""Data shuffling: each column in a new order, drawn from a model of all columns together."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk


def correlated(n, correlation, seed):
    rng = np.random.default_rng(seed)
    spread = np.array([[1, correlation], [correlation, 1]])
    return vk.Microdata(
        pd.DataFrame(rng.multivariate_normal([0, 0], spread, n), columns=["a", "b"])
    )


def rank_correlation(one, other):
    return np.corrcoef(*(np.argsort(np.argsort(column)) for column in (one, other)))[0, 1]


@given(st.integers(1, 40), st.floats(0, 1), st.sampled_from([3, 10**6]), st.integers(0, 99))
def test_each_column_keeps_its_values(n, correlation, spread, seed):
    values = np.random.default_rng(seed).integers(0, spread, (n, 3))
    data = vk.Microdata(pd.DataFrame(values, columns=list("abc")))
    release, _ = vk.mask.shuffle(data, correlation=correlation, seed=seed)
    assert release.permutation
    for name in "abc":
        assert sorted(release.frame[name]) == sorted(data.frame[name])


def test_a_correlation_of_one_leaves_every_record_as_it_is():
    data = vk.load("dm_table1")
    release, key = vk.mask.shuffle(data, correlation=1, seed=1)
    assert release.frame.iloc[key.rows].reset_index(drop=True).equals(data.frame)


@pytest.mark.parametrize("correlation", [0, 0.5, 0.95])
def test_a_record_keeps_as_much_of_its_rank_as_the_correlation_says(correlation):
    """Of 4000 records: the rank correlation of old and new is near the one asked for."""
    data = correlated(4000, 0.6, seed=1)
    release, key = vk.mask.shuffle(data, correlation=correlation, seed=2)
    for name in ("a", "b"):
        masked = release.scores(name)[key.rows]
        assert rank_correlation(data.scores(name), masked) == pytest.approx(correlation, abs=0.05)


def test_the_correlation_between_columns_is_kept_even_where_all_is_drawn_anew():
    data = correlated(4000, 0.6, seed=1)
    release, _ = vk.mask.shuffle(data, correlation=0, seed=2)
    before = rank_correlation(data.scores("a"), data.scores("b"))
    assert rank_correlation(release.scores("a"), release.scores("b")) == pytest.approx(
        before, abs=0.05
    )


def test_columns_that_determine_each_other_still_do():
    data = vk.Microdata(pd.DataFrame({"a": range(50), "b": range(0, 100, 2)}))
    release, _ = vk.mask.shuffle(data, correlation=0.3, seed=2)
    assert (release.frame["b"] == 2 * release.frame["a"]).all()


@pytest.mark.parametrize("correlation", [-0.1, 1.1])
def test_a_correlation_out_of_range_is_refused(correlation):
    with pytest.raises(vk.RecordError, match=f"given as {correlation:g}; expected a number from 0"):
        vk.mask.shuffle(vk.load("dm_table1"), correlation=correlation, seed=1)


def test_categories_without_an_order_are_refused_by_name():
    data = vk.Microdata(pd.DataFrame({"job": ["clerk", "welder"], "age": [1, 2]}))
    with pytest.raises(vk.SchemaError, match="shuffle moves values by rank, but 'job'"):
        vk.mask.shuffle(data, correlation=0.5, seed=1)
