"""Additive noise: as strong as it says, column by column, and no stronger."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk

SCALE = {"X1": 5, "X2": 25, "X3": 100}


def added(data, release, key):
    """The noise of each record and column."""
    masked = release.frame.take(key.rows).to_numpy(float)
    return masked - data.frame.to_numpy(float)


def test_the_noise_has_the_published_strength_and_no_bias():
    data = vk.simulate("dm", 20_000, seed=3)
    noise = added(data, *vk.mask.noise(data, scale=SCALE, seed=7))
    assert noise.std(axis=0) == pytest.approx([5, 25, 100], rel=0.03)
    assert np.abs(noise.mean(axis=0) / [5, 25, 100]).max() < 5 / np.sqrt(20_000)


def test_the_noise_of_one_column_tells_nothing_about_another_nor_about_the_values():
    data = vk.simulate("dm", 20_000, seed=3)
    noise = added(data, *vk.mask.noise(data, scale=SCALE, seed=7))
    together = np.corrcoef(np.column_stack([noise, data.frame.to_numpy()]), rowvar=False)
    assert np.abs(together - np.eye(6))[:3].max() < 5 / np.sqrt(20_000)


def test_one_number_is_a_share_of_each_columns_own_standard_deviation():
    data = vk.load("dm_table1")
    release = vk.mask.noise(data, scale=0.5, seed=1).release
    spread = data.frame.std(ddof=0)
    assert release.parameters["scale"] == pytest.approx((spread / 2).to_dict(), rel=0.05)


def test_scale_0_publishes_a_column_as_it_is_and_draws_nothing_for_it():
    data = vk.Microdata(pd.DataFrame({"a": [3, 1, 2], "b": [5, 4, 6]}))
    release, key = vk.mask.noise(data, scale={"a": 0, "b": 1}, seed=1)
    assert release.frame["a"].to_numpy()[key.rows].tolist() == [3, 1, 2]
    assert release.frame["a"].dtype == np.int64
    assert release.frame["b"].to_numpy()[key.rows].tolist() != [5, 4, 6]


def test_a_constant_column_has_no_share_to_be_moved_by():
    data = vk.Microdata(pd.DataFrame({"a": [2, 2, 2]}))
    assert vk.mask.noise(data, scale=0.5, seed=1).release.frame["a"].tolist() == [2, 2, 2]


def test_one_record_is_masked_too():
    release = vk.mask.noise(
        vk.Microdata(pd.DataFrame({"a": [2.0]})), scale={"a": 1}, seed=1
    ).release
    assert len(release) == 1
    assert release.frame["a"].item() != 2.0


def test_other_columns_are_published_as_they_are():
    data = vk.Microdata(
        pd.DataFrame({"a": [1, 2, 3], "sex": ["F", "M", "F"]}),
        vk.Schema((vk.Column("a"), vk.Column("sex", "other", "nominal"))),
    )
    release, key = vk.mask.noise(data, scale={"a": 1}, seed=1)
    assert release.frame["sex"].to_numpy()[key.rows].tolist() == ["F", "M", "F"]


@pytest.mark.parametrize(
    ("scale", "error", "sentence"),
    [
        (-1, vk.RecordError, "scale was given as -1; expected a number from 0 up"),
        ({**SCALE, "X2": -1}, vk.RecordError, "scale of 'X2' was given as -1; expected a number"),
        ("much", vk.RecordError, "scale was given as 'much'; expected a number"),
        (float("nan"), vk.RecordError, "scale was given as nan; expected a number"),
        ({**SCALE, "X1": None}, vk.RecordError, "scale of 'X1' was given as None"),
        ({"X1": 5}, vk.SchemaError, "it lacks 'X2', 'X3' and names none that is not masked"),
        ({**SCALE, "X4": 5}, vk.SchemaError, "it lacks none and names 'X4' that is not masked"),
    ],
)
def test_a_scale_that_is_none_is_refused(scale, error, sentence):
    with pytest.raises(error, match=sentence):
        vk.mask.noise(vk.load("dm_table1"), scale=scale, seed=1)


def test_categories_cannot_be_masked_by_noise_and_the_way_out_is_named():
    data = vk.Microdata(pd.DataFrame({"a": [1, 2], "sex": ["F", "M"]}))
    with pytest.raises(
        vk.SchemaError, match="'sex' holds categories; declare it 'identifier' to drop"
    ):
        vk.mask.noise(data, scale=1, seed=1)


def test_a_table_without_anything_to_mask_is_refused():
    schema = vk.Schema((vk.Column("a", "other"),))
    with pytest.raises(
        vk.SchemaError, match="found no quasi-identifying or sensitive column to mask"
    ):
        vk.mask.noise(vk.Microdata(pd.DataFrame({"a": [1]}), schema), scale=1, seed=1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [0.5, {"a": 1e308}])
def test_numbers_too_large_for_noise_are_refused_by_their_column(scale):
    data = vk.Microdata(pd.DataFrame({"a": [1e308, -1e308, 5.0]}))
    with pytest.raises(vk.SchemaError, match=r"'a' holds numbers up to 1e\+308, too large to add"):
        vk.mask.noise(data, scale=scale, seed=1)
