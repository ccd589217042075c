"""Anatomy and permutation anonymization: nothing can be read off the order of the rows."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.mask import anatomize, permute_all
from verikit.partition import diverse

BOTH = pytest.mark.parametrize("mask", [anatomize, permute_all])
SCHEMA = vk.Schema(
    (
        vk.Column("who", "identifier", "nominal"),
        vk.Column("age"),
        vk.Column("job", kind="nominal"),
        vk.Column("illness", "sensitive", "nominal"),
    )
)


def people(records, seed=0):
    """Everyone has an age, a job and an illness of her own, so that every link can be judged."""
    names = [f"{place:04d}" for place in range(records)]
    frame = pd.DataFrame(
        {
            "who": names,
            "age": np.arange(records),
            "job": [f"j{name}" for name in names],
            "illness": [f"i{name}" for name in names],
        }
    )
    return vk.Microdata(frame.sample(frac=1, random_state=seed), SCHEMA)


def multisets(data, labels, name):
    """By group the values of a column, in no order."""
    parts = data.frame[name].groupby(np.asarray(labels)).agg(lambda part: tuple(sorted(part)))
    return sorted(parts)


@BOTH
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 3), st.sampled_from("abc")),
        min_size=1,
        max_size=30,
    ),
    st.integers(0, 1000),
)
def test_every_group_keeps_its_values_column_by_column(mask, drawn, seed):
    frame = pd.DataFrame(drawn, columns=["group", "age", "illness"])
    data = vk.Microdata(frame[["age", "illness"]], vk.Schema((SCHEMA["age"], SCHEMA["illness"])))
    release, _ = mask(data, partition=vk.Partition.of(frame["group"]), seed=seed)
    for part, name in ((release.quasi, "age"), (release.sensitive, "illness")):
        found = part[name].groupby(part["Group-ID"]).agg(lambda values: tuple(sorted(values)))
        assert sorted(found) == multisets(data, frame["group"], name)


def test_anatomy_keeps_the_quasi_identifiers_of_a_record_in_one_row():
    data = people(40)
    release, key = anatomize(data, partition=vk.Partition.of(np.arange(40) // 4), seed=1)
    row = release.quasi.iloc[key.rows].reset_index(drop=True)
    assert row[["age", "job"]].equals(data.frame[["age", "job"]])
    assert not release.permuted


@BOTH
def test_the_key_leads_to_every_value_of_a_record_and_stays_hidden(mask):
    data = people(40)
    release, key = mask(data, partition=vk.Partition.of(np.arange(40) // 5), seed=1)
    assert set(key.columns) == {"age", "job", "illness"}
    for name, places in key.columns.items():
        table = release.sensitive if name == "illness" else release.quasi
        assert list(table[name].iloc[places]) == list(data.frame[name])
    assert repr(key) == "Key(hidden)"


@BOTH
def test_a_key_keeps_its_columns_on_disk(mask, tmp_path):
    _, key = mask(people(6), partition=vk.Partition.of([0] * 6), seed=1)
    again = vk.Key.open(key.save(tmp_path / "key.json"))
    assert again.seed == 1
    for name, places in key.columns.items():
        assert (again.columns[name] == places).all()


# -- what cannot be read off --------------------------------------------------------------------


def links_by_position(release, key):
    """How many records an attacker links who pairs the rows of each group by their position."""
    ours, theirs = release.labels.quasi, release.labels.sensitive
    place = lambda labels: np.arange(len(labels)) - np.searchsorted(labels, labels)  # noqa: E731
    assert (np.diff(ours) >= 0).all()
    return int((place(ours)[key.columns["age"]] == place(theirs)[key.columns["illness"]]).sum())


@BOTH
def test_pairing_rows_by_position_is_no_better_than_chance(mask):
    """In a group of five luck links one person; 400 groups give 400, and 18 are its deviation."""
    data = people(2000)
    found = []
    for seed in range(10):
        groups = vk.Partition.of(np.arange(2000) // 5)
        release, key = mask(data, partition=groups, seed=seed)
        found.append(links_by_position(release, key))
    assert np.mean(found) == pytest.approx(400, abs=4 * np.sqrt(400 / 10))


@BOTH
def test_the_number_of_a_group_does_not_tell_when_it_was_made(mask):
    data = people(600)
    correlations = []
    for seed in range(40):
        groups = vk.Partition.of(np.arange(600) // 6)
        release, key = mask(data, partition=groups, seed=seed)
        numbers = release.quasi["Group-ID"].to_numpy()[key.rows]
        correlations.append(np.corrcoef(groups.labels, numbers)[0, 1])
    assert abs(np.mean(correlations)) < 4 / np.sqrt(99 * 40)


@BOTH
def test_the_rows_do_not_follow_the_given_order(mask):
    data = people(60)
    orders = [mask(data, partition=vk.Partition.of([0] * 60), seed=s)[1].rows for s in range(60)]
    correlation = np.mean([np.corrcoef(np.arange(60), order)[0, 1] for order in orders])
    assert abs(correlation) < 4 / np.sqrt(59 * 60)


@pytest.fixture(scope="module")
def orders():
    """The order in which each of 3600 groups of three published its values, by column."""
    count = 3600
    data = people(3 * count, seed=5)
    _, key = permute_all(data, partition=vk.Partition.of(np.arange(3 * count) // 3), seed=1)
    code = np.array([4, 2, 1])
    return {
        name: np.argsort(np.argsort(places.reshape(count, 3), axis=1), axis=1) @ code
        for name, places in key.columns.items()
    }


def chi_square(*columns):
    """The distance of the joint frequencies from equal ones."""
    counts = Counter(zip(*(column.tolist() for column in columns), strict=True))
    expected = len(columns[0]) / 6 ** len(columns)
    assert len(counts) == 6 ** len(columns)
    return sum((count - expected) ** 2 / expected for count in counts.values())


@pytest.mark.parametrize("name", ["age", "job", "illness"])
def test_every_shuffle_of_a_column_is_equally_likely(orders, name):
    """Six orders: five degrees of freedom, exceeded once in 1000."""
    assert chi_square(orders[name]) < 20.5


@pytest.mark.parametrize("pair", [("age", "job"), ("age", "illness"), ("job", "illness")])
def test_the_shuffles_of_two_columns_are_independent(orders, pair):
    """Six times six pairs of orders: 35 degrees of freedom, exceeded once in 1000."""
    assert chi_square(*(orders[name] for name in pair)) < 66.7


def test_the_shuffles_of_different_groups_are_independent(orders):
    """Each group beside the next one, once: 35 degrees of freedom."""
    assert chi_square(orders["age"][::2], orders["age"][1::2]) < 66.7


def test_anatomy_shuffles_whole_rows_independently_of_the_sensitive_values():
    count = 3600
    groups = vk.Partition.of(np.arange(3 * count) // 3)
    _, key = anatomize(people(3 * count, seed=5), partition=groups, seed=1)
    assert (key.columns["age"] == key.columns["job"]).all()
    ranks = [
        np.argsort(np.argsort(key.columns[name].reshape(count, 3), axis=1), axis=1) @ [4, 2, 1]
        for name in ("age", "illness")
    ]
    assert chi_square(*ranks) < 66.7


# -- what is given and what is told ----------------------------------------------------------------


@BOTH
def test_the_release_tells_the_partition_and_not_the_residue_of_chance(mask):
    data = vk.load("lhcc_table1")
    release, _ = mask(data, partition=diverse(data, ell=4, tries=3, seed=1), seed=918273)
    assert release.method == mask.__name__
    assert release.parameters["partition"]["method"] == "diverse"
    assert release.parameters["partition"]["ell"] == 4
    assert "918273" not in str(release.parameters)


@BOTH
def test_missing_values_are_refused_or_published_as_missing(mask):
    data = vk.load("lhcc_table1")
    frame = data.frame.assign(Sex=[None, *data.frame["Sex"][1:]])
    gaps, groups = vk.Microdata(frame, data.schema), vk.Partition.of([1] * 5 + [2] * 4)
    with pytest.raises(vk.SchemaError, match="'Sex' has 1 missing value"):
        mask(gaps, partition=groups, seed=1)
    release, _ = mask(gaps, partition=groups, missing="own value", seed=1)
    assert release.quasi["Sex"].isna().sum() == 1


@BOTH
def test_what_is_no_partition_of_this_table_is_refused(mask):
    data = vk.load("lhcc_table1")
    with pytest.raises(vk.SchemaError, match="partition was given as list; expected a Partition"):
        mask(data, partition=[1] * 9, seed=1)
    with pytest.raises(vk.SchemaError, match="has 8 records and the table 9"):
        mask(data, partition=vk.Partition.of([1] * 8), seed=1)


@BOTH
def test_a_table_needs_a_sensitive_column_and_one_that_is_not(mask):
    frame = pd.DataFrame({"age": [1, 2], "illness": ["a", "b"]})
    groups = vk.Partition.of([0, 0])
    with pytest.raises(vk.SchemaError, match="none of 'age', 'illness' is sensitive; give one the"):
        mask(vk.Microdata(frame, vk.Schema.guess(frame)), partition=groups, seed=1)
    both = vk.Schema.guess(frame, age="sensitive", illness="sensitive")
    if mask is vk.mask.permute_all:  # where whatever is known may stand in the first table
        assert mask(vk.Microdata(frame, both), partition=groups, seed=1).release.known == ()
        return
    with pytest.raises(vk.SchemaError, match="the schema has 2 sensitive of 2 columns"):
        mask(vk.Microdata(frame, both), partition=groups, seed=1)


@BOTH
def test_several_sensitive_columns_go_to_the_second_table(mask):
    data = vk.simulate("census", 60, seed=1)
    groups = diverse(data, ell=3, sensitive="Occupation", seed=1)
    release, key = mask(data, partition=groups, seed=1)
    assert list(release.sensitive) == ["Group-ID", "Occupation", "Salary-class"]
    together = (key.columns["Occupation"] == key.columns["Salary-class"]).all()
    assert together == (mask is anatomize)


@BOTH
def test_a_column_of_the_name_of_the_groups_is_refused(mask):
    frame = pd.DataFrame({"Group-ID": [1, 2], "illness": ["a", "b"]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, illness="sensitive"))
    with pytest.raises(vk.SchemaError, match="'Group-ID' would hold both data and groups"):
        mask(data, partition=vk.Partition.of([0, 0]), seed=1)


@BOTH
@pytest.mark.parametrize("labels", [[0] * 9, list(range(9))], ids=["one group", "all alone"])
def test_one_group_and_groups_of_one_can_be_published(mask, labels):
    release, _ = mask(vk.load("lhcc_table1"), partition=vk.Partition.of(labels), seed=1)
    assert len(release) == 9
    assert len(release.labels.names) == len(set(labels))
