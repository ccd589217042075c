"""Sensitive numbers permuted in their groups, quasi-identifiers as they are."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.mask import permute_sensitive

GROUPS = vk.Partition.of([1, 1, 1, 2, 2, 2, 3, 3, 3])


@pytest.fixture(scope="module")
def people():
    return vk.load("qz_table2_1")


def by_group(frame, group, column):
    return sorted(tuple(sorted(part[column])) for _, part in frame.groupby(group, observed=True))


def test_quasi_identifiers_stay_together_and_salaries_in_their_group(people):
    release = permute_sensitive(people, partition=GROUPS, seed=3).release
    names = ["age", "zipcode", "gender"]
    rows = Counter(map(tuple, release.quasi[names].astype(str).to_numpy()))
    assert rows == Counter(map(tuple, people.frame[names].astype(str).to_numpy()))
    truth = people.frame.assign(group=GROUPS.labels)
    assert by_group(release.sensitive, release.group, "salary") == by_group(
        truth, "group", "salary"
    )


def test_the_help_table_is_table_2_4_with_the_maximum_beside(people):
    release = permute_sensitive(people, partition=GROUPS, seed=3).release
    printed = vk.load("qz_table2_4").frame
    columns = [c for c in printed if c.endswith("er")]
    found = release.help.sort_values(["min_lower", "hits"])[columns]
    assert found.to_numpy().tolist() == printed[columns].to_numpy().tolist()
    assert (release.help["max_lower"] <= release.help["max_upper"]).all()
    assert list(release.help["hits"]) == [1, 2, 3] * 3


def test_the_key_finds_every_salary_and_a_value_may_stay_with_its_own_person(people):
    stayed = 0
    for seed in range(60):
        release, key = permute_sensitive(people, partition=GROUPS, seed=seed)
        salaries = release.sensitive["salary"].to_numpy()
        assert (salaries[key.columns["salary"]] == people.frame["salary"]).all()
        stayed += int((key.columns["salary"] == key.rows).sum())
    assert 120 < stayed < 240, "one in three of nine records and sixty permutations: 180"


def test_several_sensitive_columns_move_together(people):
    frame = people.frame.assign(bonus=people.frame["salary"] // 100)
    schema = vk.Schema((*people.schema, vk.Column("bonus", "sensitive")))
    data = vk.Microdata(frame, schema)
    with pytest.raises(vk.SchemaError, match=r"sensitive columns .*'salary', 'bonus'"):
        permute_sensitive(data, partition=GROUPS, seed=1)
    release = permute_sensitive(data, partition=GROUPS, sensitive="bonus", seed=1).release
    assert (release.sensitive["salary"] == 100 * release.sensitive["bonus"]).all()
    assert release.number().name == "bonus"
    assert release.help["max_upper"].max() == 850


def test_categories_are_refused_with_the_mask_that_takes_them():
    data = vk.load("lhcc_table1")
    with pytest.raises(vk.SchemaError, match=r"'Disease' is nominal; .*mask\.anatomize"):
        permute_sensitive(data, partition=vk.Partition.of([1] * 9), seed=1)


def test_a_large_table_of_fractions_keeps_its_help_table():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.integers(0, 90, 5000), "pay": rng.lognormal(3, 2, 5000)})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    groups = vk.partition.min_max_error(data, k=3, e=1, seed=1)
    release = permute_sensitive(data, partition=groups, seed=1).release
    assert len(release.help) == 5000
