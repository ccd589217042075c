"""Masking as a permutation plus residual noise."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import SchemaError


@given(st.integers(0, 2**31), st.integers(1, 40), st.floats(0, 3))
def test_mapped_values_are_the_original_ones_and_the_parts_add_up(seed, n, scale):
    data = vk.simulate("dm", n, seed=seed)
    release, key = vk.mask.noise(data, scale=scale, seed=seed)
    noise = vk.utility.residual_noise(data, key.undo(release), seed=1)
    for name in data.schema.names:
        original, masked = data.scores(name), release.scores(name)[key.rows]
        assert sorted(noise.mapped[name]) == sorted(original)
        np.testing.assert_allclose(noise.mapped[name] + noise.residual[name], masked)
        np.testing.assert_allclose(original + noise.total[name], masked)


@given(st.integers(0, 2**31))
def test_residual_noise_never_changes_a_rank(seed):
    data = vk.simulate("dm", 30, seed=seed)
    # another seed: noise drawn like the data, at their own scale, adds up to equal values
    release, key = vk.mask.noise(data, scale=1.0, seed=seed + 1)
    noise = vk.utility.residual_noise(data, key.undo(release), seed=1)
    masked = noise.mapped + noise.residual
    for name in masked:
        assert np.argsort(noise.mapped[name]).tolist() == np.argsort(masked[name]).tolist()


def test_without_noise_nothing_is_left():
    data = vk.simulate("dm", 30, seed=1)
    release, key = vk.mask.noise(data, scale=0.0, seed=1)
    sizes = vk.utility.residual_noise(data, key.undo(release), seed=1).to_frame()
    assert (sizes[["residual", "total"]] == 0).all(axis=None)


def test_missing_values_are_refused_by_name():
    data = vk.Microdata(pd.DataFrame({"a": [1.0, 2.0]}))
    masked = vk.Microdata(pd.DataFrame({"a": [1.0, np.nan]}))
    with pytest.raises(SchemaError, match="'a' of the release has 1 missing value"):
        vk.utility.residual_noise(data, masked, seed=1)


def test_nothing_can_be_compared_with_an_empty_original():
    empty = vk.Microdata(pd.DataFrame({"a": np.empty(0)}))
    with pytest.raises(SchemaError, match="The original table has no records, so there is nothing"):
        vk.utility.residual_noise(empty, empty, seed=1)


def test_records_that_tie_in_both_columns_are_told_apart_by_all_they_hold():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"X1": range(30), "X2": rng.integers(0, 3, 30)})
    masked = pd.DataFrame({"X1": range(30, 0, -1), "X2": rng.integers(0, 4, 30)})
    rows = rng.permutation(30)
    plain, mixed = (
        vk.utility.residual_noise(
            vk.Microdata(frame.iloc[at]), vk.Microdata(masked.iloc[at]), seed=1
        )
        for at in (np.arange(30), rows)
    )
    assert mixed.mapped.equals(plain.mapped.iloc[rows].reset_index(drop=True))


def test_noise_says_its_size_in_a_line():
    noise = vk.utility.residual_noise(vk.load("dm_table1"), vk.load("dm_table1_masked"), seed=1)
    assert re.fullmatch(r"residual noise, .*: X1 \S+ of \S+, X2 .*, X3 .*", repr(noise))
