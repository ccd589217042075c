"""Microaggregation: small groups of similar records share their mean."""

import inspect

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit._support.compiled import _machine_code
from verikit.mask._microaggregate import _mdav


def masked(values, k, method="individual"):
    """Masked columns in the order of the original records."""
    data = vk.Microdata(pd.DataFrame(values))
    release, key = vk.mask.microaggregate(data, k=k, method=method, seed=3)
    return release.frame.iloc[key.rows].reset_index(drop=True)


def test_individual_ranking_gives_each_run_of_k_ranks_its_mean():
    """1, 2, 4 and 10, 11, 12, 17 by hand: the last group takes the remainder."""
    found = masked({"x": [10, 1, 17, 2, 12, 4, 11]}, k=3)
    low, high = 7 / 3, 50 / 4
    assert found["x"].tolist() == pytest.approx([high, low, high, low, high, low, high])


def test_mdav_groups_the_two_far_ends_first():
    """Two clusters of three on a plane are the two groups; each becomes its centre."""
    found = masked({"x": [0, 0, 3, 9, 9, 12], "y": [0, 3, 0, 9, 12, 9]}, k=3, method="mdav")
    assert found["x"].tolist() == [1, 1, 1, 10, 10, 10]
    assert found["y"].tolist() == [1, 1, 1, 10, 10, 10]


def test_mdav_does_not_depend_on_the_unit_of_a_column():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 60))
    metres = masked({"x": x, "y": y}, k=4, method="mdav")
    millimetres = masked({"x": x * 1000, "y": y}, k=4, method="mdav")
    assert millimetres["x"].to_numpy() == pytest.approx(metres["x"].to_numpy() * 1000)


@given(
    st.integers(1, 60), st.integers(1, 12), st.sampled_from(["individual", "mdav"]),
    st.sampled_from([3, 10**6]), st.integers(0, 99),
)  # fmt: skip
def test_groups_have_at_least_k_records_and_means_are_kept(n, k, method, spread, seed):
    values = np.random.default_rng(seed).integers(0, spread, (n, 2))
    k = min(k, n)
    found = masked({"x": values[:, 0], "y": values[:, 1]}, k, method)
    if method == "mdav":
        assert found.groupby(["x", "y"]).size().min() >= k
    for name, column in zip("xy", values.T, strict=True):
        assert found[name].value_counts().min() >= k
        assert found[name].mean() == pytest.approx(column.mean())


@given(st.integers(3, 60), st.integers(1, 10), st.integers(0, 99))
def test_mdav_makes_no_group_of_2k_records_or_more(n, k, seed):
    table = np.random.default_rng(seed).normal(size=(2, n))
    sizes = np.bincount(_mdav(table, k))
    assert n < k or (sizes.min() >= k and sizes.max() < 2 * k)


def test_compiled_and_plain_mdav_give_the_same_groups():
    """Whole numbers, so that many distances tie exactly."""
    pytest.importorskip("numba")
    table = np.random.default_rng(1).integers(0, 9, (3, 2500)).astype(float)
    compiled = _machine_code(inspect.unwrap(_mdav))(table, 5)
    assert _mdav(table, 5).tolist() == compiled.tolist()


def test_constant_columns_stay_as_they_are():
    found = masked({"x": [7] * 6, "y": [1, 2, 3, 4, 5, 6]}, k=2, method="mdav")
    assert found["x"].tolist() == [7] * 6


def test_a_k_above_the_number_of_records_is_refused():
    with pytest.raises(vk.InfeasibleError, match="the largest k that can be reached is 20"):
        vk.mask.microaggregate(vk.load("dm_table1"), k=21, seed=1)


def test_an_unknown_way_of_grouping_is_refused():
    with pytest.raises(vk.RecordError, match="given as 'univariate'; expected 'individual'"):
        vk.mask.microaggregate(vk.load("dm_table1"), k=3, method="univariate", seed=1)


def test_categories_are_refused_by_name_even_with_an_order():
    jobs = vk.Column("job", kind="ordinal", order=("low", "high"))
    data = vk.Microdata(pd.DataFrame({"job": ["low", "high"]}), vk.Schema((jobs,)))
    with pytest.raises(vk.SchemaError, match="changes numbers only, but 'job' holds categories"):
        vk.mask.microaggregate(data, k=2, seed=1)
