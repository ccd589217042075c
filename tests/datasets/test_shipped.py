"""The tables that ship, and the data that the papers simulate."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit import datasets

SPLIT = {"lhcc_table3", "lhcc_table4", "qz_table2_3", "yq_figure4"}
GENERALIZED = {
    "ks_table3_generalized", "lhcc_table2", "people_masked", "qz_table2_2", "yq_figure2",
    "yq_figure3",
}  # fmt: skip


def test_a_table_that_does_not_ship_is_named_with_those_that_do():
    with pytest.raises(vk.FormatError, match="no table 'dm_table99'; verikit has 'dm_generation'"):
        vk.load("dm_table99")


def test_an_original_is_no_release():
    with pytest.raises(
        vk.FormatError, match=r"'dm_table1' is no release .*; load\('dm_table1'\) gives it"
    ):
        vk.published("dm_table1")


@pytest.mark.parametrize("name", sorted({*datasets.available()} - SPLIT))
def test_every_table_that_ships_can_be_loaded_or_opened_as_a_release(name):
    if name in GENERALIZED:
        with pytest.raises(
            vk.FormatError, match=rf"groups of values, not values; published\('{name}'\)"
        ):
            vk.load(name)
        assert len(vk.published(name)) > 0
        return
    data = vk.load(name)
    assert len(data) > 0
    assert list(data.schema.names) == [part["name"] for part in datasets.describe(name)["columns"]]


@pytest.mark.parametrize("name", datasets.releases())
def test_a_release_is_described_under_the_name_it_is_opened_by(name):
    release, told = vk.published(name), datasets.describe(name)
    assert name in datasets.available()
    assert set(release.schema.names) <= {column["name"] for column in told["columns"]}
    assert told["release"]["method"] == release.method


def test_a_release_in_two_tables_is_offered_once_and_its_tables_can_still_be_loaded():
    for name, parts in (("lhcc_table3", ("qit", "st")), ("lhcc_table4", ("pqt", "pst"))):
        assert [n for n in datasets.available() if n.startswith(name)] == [name]
        assert all(len(vk.load(f"{name}_{part}")) == 9 for part in parts)
        with pytest.raises(vk.FormatError, match=rf"in two tables; published\('{name}'\) opens it"):
            vk.load(name)


def test_checked_facts_are_not_offered_as_tables():
    assert not [name for name in datasets.available() if "facts" in name]
    with pytest.raises(vk.FormatError, match="There is no table 'lhcc'"):
        datasets.describe("lhcc")


def test_a_description_changed_by_its_reader_does_not_change_the_table():
    datasets.describe("dm_table1")["columns"][0]["name"] = "changed"
    assert vk.load("dm_table1").schema.names == ("X1", "X2", "X3")


def test_the_simulated_data_have_the_papers_means_and_deviations():
    frame = vk.simulate("dm", 40_000, seed=5).frame
    near = 5 / np.sqrt(40_000)
    assert ((frame.mean() - [100, 1000, 5000]) / [10, 50, 200]).abs().max() < near
    assert (frame.std() / [10, 50, 200] - 1).abs().max() < near
    assert (frame.corr() - np.eye(3)).abs().to_numpy().max() < near


def test_the_same_seed_simulates_the_same_data_and_another_seed_others():
    first, same, other = (vk.simulate("dm", 50, seed=seed).frame for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, same)
    assert not first.equals(other)


@pytest.mark.parametrize(
    ("name", "n", "seed", "error", "sentence"),
    [
        ("yq", 5, 1, vk.FormatError, "There is no simulator 'yq'; verikit has 'census', 'dm'"),
        ("dm", 0, 1, vk.RecordError, "n was given as 0; expected a whole number from 1 to 1"),
        ("dm", 2.5, 1, vk.RecordError, "n was given as 2.5; expected a whole number from 1"),
        ("dm", True, 1, vk.RecordError, "n was given as True"),
        ("dm", "many", 1, vk.RecordError, "n was given as 'many'"),
        (
            "dm",
            5,
            -1,
            vk.RecordError,
            "The seed was given as -1; expected a whole number from 0 up",
        ),
        ("dm", 5, None, vk.RecordError, "The seed was given as None"),
    ],
)
def test_a_simulation_that_cannot_be_made_is_refused(name, n, seed, error, sentence):
    with pytest.raises(error, match=sentence):
        vk.simulate(name, n, seed=seed)


def test_a_simulation_needs_its_seed():
    with pytest.raises(TypeError, match="seed"):
        vk.simulate("dm", 5)
