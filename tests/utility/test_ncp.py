"""The certainty penalty of generalized tables and of groups."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.utility import ncp

JOBS = vk.Hierarchy.of({"any": {"white-collar": ["clerk", "lawyer"], "trade": ["welder"]}})


def table(**columns):
    """Microdata of quasi-identifiers, described by their values."""
    schema = {
        "age": vk.Column("age"),
        "job": vk.Column("job", "quasi", "nominal", JOBS),
        "stage": vk.Column("stage", kind="ordinal", order=("I", "II", "III", "IV", "V")),
        "town": vk.Column("town", kind="nominal"),
    }
    frame = pd.DataFrame(columns)
    return vk.Microdata(frame, vk.Schema(tuple(schema[name] for name in columns)))


def test_ranges_and_sets_are_charged_by_hand():
    data = table(age=[0, 10, 40, 100], town=list("pqrs"), stage=["I", "III", "IV", "V"])
    found = ncp(data, vk.Partition.of([0, 0, 1, 1]))
    assert found.columns["age"].tolist() == [0.1, 0.1, 0.6, 0.6]
    assert found.columns["town"].tolist() == [0.5] * 4
    assert found.columns["stage"].tolist() == [0.5, 0.5, 0.25, 0.25]
    assert found.per_record == pytest.approx([1.1, 1.1, 1.35, 1.35])
    assert found.total == pytest.approx(4.9)
    assert found.share == pytest.approx(4.9 / 12)
    assert found.to_frame().shape == (4, 3)


def test_groups_of_one_cost_nothing_and_one_group_costs_everything():
    data = table(age=[0, 10, 40], town=list("pqr"))
    assert ncp(data, vk.Partition.of([0, 1, 2])).total == 0
    whole = ncp(data, vk.Partition.of([0, 0, 0]))
    assert (whole.total, whole.share) == (6, 1)


def test_a_constant_column_costs_nothing():
    data = table(age=[7, 7], town=["p", "p"])
    assert ncp(data, vk.Partition.of([0, 0])).total == 0


def test_a_node_of_a_hierarchy_costs_the_share_of_its_values():
    data = table(job=["clerk", "lawyer", "welder"])
    release = vk.TableRelease.of(
        pd.DataFrame({"job": ["white-collar", "white-collar", "welder"]}), data.schema
    )
    assert ncp(data, release).columns["job"].tolist() == [2 / 3, 2 / 3, 0]
    hidden = vk.TableRelease.of(pd.DataFrame({"job": ["any", "any", None]}), data.schema)
    assert ncp(data, hidden).columns["job"].tolist() == [1, 1, 1]


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from("pqr"), st.integers(0, 3)),
        min_size=1,
        max_size=30,
    )
)
def test_a_partition_costs_what_the_table_generalized_by_it_costs(drawn):
    frame = pd.DataFrame(drawn, columns=["age", "town", "group"])
    data = table(age=frame["age"], town=frame["town"])
    groups = vk.Partition.of(frame["group"])
    release, _ = vk.mask.generalize(data, partition=groups, seed=1)
    assert ncp(data, groups).total == pytest.approx(ncp(data, release).total)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=20), st.integers(0, 100))
def test_splitting_a_group_never_costs_more(labels, seed):
    rng = np.random.default_rng(seed)
    data = table(age=rng.integers(0, 9, len(labels)), town=rng.choice(list("pqr"), len(labels)))
    finer = np.array(labels) * 2 + rng.integers(0, 2, len(labels))
    coarse, fine = ncp(data, vk.Partition.of(labels)), ncp(data, vk.Partition.of(finer))
    assert fine.total <= coarse.total + 1e-12


def test_missing_values_are_a_category_of_their_own_and_no_number():
    data = table(age=[0, None, 10], town=["p", None, "p"])
    found = ncp(data, vk.Partition.of([0, 0, 1]))
    assert found.columns["age"].tolist() == [0, 0, 0]
    assert found.columns["town"].tolist() == [1, 1, 0]


def test_what_cannot_be_measured_is_refused():
    data = table(age=[1, 2])
    with pytest.raises(vk.SchemaError, match="has 3 records and the table 2"):
        ncp(data, vk.Partition.of([0, 0, 0]))
    with pytest.raises(vk.SchemaError, match="ncp was given list; expected a TableRelease or a"):
        ncp(data, [0, 0])
    with pytest.raises(vk.SchemaError, match="ncp was given DataFrame; expected Microdata"):
        ncp(data.frame, vk.Partition.of([0, 0]))
    other = vk.Microdata(data.frame, vk.Schema((vk.Column("age", "other"),)))
    with pytest.raises(vk.SchemaError, match="no quasi-identifier"):
        ncp(other, vk.Partition.of([0, 0]))


def test_a_domain_that_is_wider_than_the_table_makes_ranges_cost_less():
    data, release = vk.load("lhcc_table1"), vk.published("lhcc_table2")
    ages = data.frame["Age"]
    own = (float(ages.min()), float(ages.max()))
    twice = (own[0] - (own[1] - own[0]), own[1])
    plain = ncp(data, release)
    assert ncp(data, release, domains={"Age": own}).columns["Age"].tolist() == (
        plain.columns["Age"].tolist()
    )
    wide = ncp(data, release, domains={"Age": twice})
    assert wide.columns["Age"] == pytest.approx(plain.columns["Age"] / 2)
    assert wide.columns["Sex"].tolist() == plain.columns["Sex"].tolist()
    for domains, words in (
        ({"Age": (50, 60)}, "The domain of 'Age' was given as"),
        ({"Age": 7}, "The domain of 'Age' was given as 7"),
        ({"Sex": (0, 1)}, "Column 'Sex' is nominal and has no domain of numbers"),
        ({"Size": (0, 1)}, "There is no column 'Size'"),
    ):
        with pytest.raises(vk.VerikitError, match=words):
            ncp(data, release, domains=domains)


def test_a_release_without_a_known_column_is_refused_by_its_name():
    data = vk.load("lhcc_table1")
    release = vk.published("lhcc_table2")
    less = vk.TableRelease.of(release.frame.drop(columns="Age"), promise="covers")
    with pytest.raises(vk.SchemaError, match="The release has no 'Age', so what was lost there"):
        ncp(data, less)
