"""What is lost by column and by pair of columns, counted by another way on small tables."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import verikit as vk
from verikit.utility import information_loss

AGES, PAYS = [20, 20, 31, 40, 55], [10, 30, 20, 30, 50]


def people(**changed):
    frame = {"age": AGES, "pay": PAYS, "town": ["a", "a", "b", "b", "c"], **changed}
    roles = {"town": "sensitive"} if "town" in frame else {}
    return vk.Microdata(pd.DataFrame(frame), vk.Schema.guess(pd.DataFrame(frame), **roles))


def test_the_loss_of_each_column_is_what_counting_people_one_by_one_gives():
    data, moved = people(), people(age=[20, 31, 31, 40, 60], town=["a", "b", "b", "b", "b"])
    lost = information_loss(data, vk.TableRelease.of(moved.frame, moved.schema, promise="changed"))
    found = lost.columns.set_index("column")
    ends = [abs(sum(x <= v for x in AGES) - sum(x <= v for x in moved.frame["age"])) for v in AGES]
    assert found.loc["age", "shape"] == pytest.approx(max(ends) / 5)
    assert found.loc["age", "mean"] == pytest.approx((16 / 5) / np.std(AGES))
    assert found.loc["pay"].tolist()[:3] == [0, 0, 0]
    # two of a and one of c have another town: of five people two
    assert found.loc["town", "shape"] == pytest.approx(2 / 5)
    assert found["penalty"].isna().all()


def test_rank_correlations_are_those_of_scipy_the_largest_change_first():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers(9, size=(60, 4)), columns=list("abcd"))
    data = vk.Microdata(frame)
    release = vk.mask.noise(data, scale=2, seed=3).release
    pairs = information_loss(data, release).pairs
    for _, line in pairs.iterrows():
        one, two = line["columns"].split(" and ")
        assert line["original"] == pytest.approx(stats.spearmanr(frame[one], frame[two])[0])
        after = stats.spearmanr(release.frame[one], release.frame[two])[0]
        assert line["release"] == pytest.approx(after)
        assert line["change"] == pytest.approx(line["release"] - line["original"])
    assert len(pairs) == 6
    assert pairs["change"].abs().is_monotonic_decreasing


def test_between_two_tables_a_correlation_is_the_mean_over_all_ways_to_join_them():
    frame = pd.DataFrame({"age": AGES, "pay": PAYS})
    schema = vk.Schema((vk.Column("age"), vk.Column("pay", "sensitive")))
    data, groups = vk.Microdata(frame, schema), vk.Partition.of([0, 0, 0, 1, 1])
    release = vk.mask.anatomize(data, partition=groups, seed=2).release
    ways = [
        stats.spearmanr(AGES, [PAYS[at] for at in (*first, *second)])[0]
        for first, second in product(permutations([0, 1, 2]), permutations([3, 4]))
    ]
    lost = information_loss(data, release)
    assert lost.pairs["release"].tolist() == [pytest.approx(np.mean(ways))]
    assert "published by group only" in str(lost)


def test_where_cells_are_generalized_their_penalty_stands_in_place_of_the_shape():
    data = vk.load("lhcc_table1")
    lost = information_loss(data, vk.published("lhcc_table2"))
    found = lost.columns.set_index("column")
    # [LHCC] Example 4: 4.5 and 9 of 9 people
    assert found.loc[["Age", "Sex"], "penalty"].tolist() == [0.5, 1.0]
    assert found.loc[["Age", "Sex"], "shape"].isna().all()
    assert "leaves open 75 of 100" in str(lost)


def test_what_was_not_published_is_named():
    data = people()
    lost = information_loss(data, vk.TableRelease.of(data.frame[["age", "pay"]]))
    assert lost.left_out == ("town",)
    assert "town: not published." in str(lost)
