"""Numbers that come out nearly: guesses that may be off by so much, against the naive guess."""

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.intruder import background_knowledge, proximity


def table(groups):
    """Groups of look-alikes with their numbers."""
    rows = [(name, pay) for name, values in groups.items() for pay in values]
    frame = pd.DataFrame(rows, columns=["who", "pay"])
    return vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))


@pytest.fixture(scope="module")
def salaries():
    """Three groups: 54, 55, 56; 65, 70, 75; 75, 80, 85 thousand."""
    return vk.published("qz_table2_3")


def findings(found):
    frame = found.to_frame()
    return list(frame[["value", "confidence", "before"]].itertuples(index=False, name=None))


def test_three_salaries_a_thousand_apart_are_one_salary_to_who_may_be_off_by_a_thousand(salaries):
    found = proximity(salaries, near=1000)
    assert findings(found) == [("54000 to 56000", 1.0, pytest.approx(3 / 9))]
    assert (found.people, found.total, found.certain, found.gained) == (3, 9, 1, 1)


def test_below_certainty_each_group_has_its_best_guess(salaries):
    """Two of three salaries lie 5,000 apart in the other groups; of all nine, at most three."""
    found = proximity(salaries, near=2500, least=0.6)
    sure, *others = findings(found)
    assert sure == ("54000 to 56000", 1.0, pytest.approx(3 / 9))
    assert [chance for _, chance, _ in others] == [pytest.approx(2 / 3)] * 2
    assert [value for value, _, _ in others] == ["65000 to 70000", "75000 to 80000"]


@pytest.mark.parametrize(("ruled_out", "chance"), [(0, 1 / 3), (1, 1 / 2), (2, 1)])
def test_two_values_ruled_out_of_three_leave_one(salaries, ruled_out, chance):
    """In all nine 75,000 is there twice, so the naive guess is right in 2 of 9, 8 and 7."""
    found = proximity(salaries, near=0, ruled_out=ruled_out, least=0)
    assert [line[1] for line in findings(found)] == [pytest.approx(chance)] * 3
    assert {line[2] for line in findings(found)} == {2 / (9 - ruled_out)}


def test_values_that_somebody_knows_to_be_wrong_leave_the_others(salaries):
    """Alex earns neither 54,000 nor 56,000: one salary is left of three."""
    found = background_knowledge(salaries, ruled_out=[54_000, 56_000])
    assert findings(found)[0] == ("55000", 1.0, pytest.approx(1 / 3))
    assert found.certain == 1
    left = background_knowledge(salaries, ruled_out=[65_000])
    assert sorted(line[1] for line in findings(left)) == [
        pytest.approx(1 / 3), pytest.approx(1 / 3), pytest.approx(1 / 2)
    ]  # fmt: skip


def test_one_value_far_off_meets_e_and_the_others_are_given_away():
    """Four values, a range of 100, and three people of four within 1 of a guess."""
    data = table({"a": [1, 2, 3, 101]})
    assert vk.models.ke_anonymity(data, k=4, e=100).met
    assert findings(proximity(data, near=1, least=0.75)) == [("1 to 3", 0.75, 0.75)]
    assert findings(proximity(data, near=1, ruled_out=1)) == [("1 to 3", 1.0, 1.0)]


def test_the_most_frequent_values_outside_of_the_guess_are_ruled_out():
    data = table({"a": [5, 5, 5, 9, 9, 7], "b": [1, 2, 3]})
    found = proximity(data, {"who": "a"}, near=0, ruled_out=1, least=0)
    assert findings(found) == [("5", 3 / 4, 3 / 7)]


def by_search(values, near, ruled_out):
    """Every choice of values ruled out, and every guess at the lower end of what it reaches."""
    counts, best = Counter(values), 0
    for number in range(min(ruled_out, len(counts) - 1) + 1):
        for gone in combinations(counts, number):
            left = [value for value in values if value not in gone]
            reached = max(sum(low <= value <= low + 2 * near for value in left) for low in left)
            best = max(best, reached / len(left))
    return best


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(-4, 6)), min_size=1, max_size=14),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_no_guess_is_better_whatever_is_ruled_out(rows, near, ruled_out):
    groups = {name: [pay for who, pay in rows if who == name] for name in sorted(set(dict(rows)))}
    found = proximity(table(groups), near=near, ruled_out=ruled_out, least=0).to_frame()
    expected = {name: by_search(values, near, ruled_out) for name, values in groups.items()}
    assert dict(zip(found["who"], found["confidence"], strict=True)) == pytest.approx(expected)
    naive = by_search([pay for _, pay in rows], near, ruled_out)
    assert found["before"].tolist() == pytest.approx([naive] * len(groups))


@given(st.integers(2, 4), st.integers(1, 30), st.integers(0, 999))
def test_k_and_e_keep_what_they_promise_and_no_more(k, e, seed):
    pay = np.random.default_rng(seed).integers(0, 200, 40)
    frame = pd.DataFrame({"age": np.arange(40), "pay": pay})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    groups = vk.partition.max_groups(data, k=k, e=e, seed=1)
    release = vk.mask.permute_sensitive(data, partition=groups, seed=seed).release
    assert proximity(release, near=e / 2 - 0.25).people == 0
    assert proximity(release, near=0, ruled_out=k - 2).people == 0


def test_a_large_table_gives_the_same_with_and_without_numba(monkeypatch):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"who": rng.integers(0, 5000, 100_500), "pay": rng.integers(0, 900, 100_500)}
    )
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    fast = proximity(data, near=20, ruled_out=2, least=0).to_frame()
    monkeypatch.setattr("verikit._support.compiled.has_numba", lambda: False)
    pd.testing.assert_frame_equal(proximity(data, near=20, ruled_out=2, least=0).to_frame(), fast)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"near": -1}, "near was given as -1"),
        ({"near": float("nan")}, "near was given as nan"),
        (
            {"near": 1, "ruled_out": 0.5},
            "ruled_out was given as 0.5; expected a whole number from 0",
        ),
        ({"near": 1, "least": 2}, "least was given as 2; expected a share"),
    ],
)
def test_what_cannot_be_asked_is_said(salaries, asked, sentence):
    with pytest.raises(RecordError, match=sentence):
        proximity(salaries, **asked)


def test_more_values_than_there_are_may_be_ruled_out(salaries):
    found = findings(proximity(salaries, near=0, ruled_out=10**400, least=0))
    assert [line[1:] for line in found] == [(1, 1)] * 3


def test_categories_have_no_neighbourhood():
    with pytest.raises(SchemaError, match="holds categories or ranges"):
        proximity(vk.published("lhcc_table3"), near=1)
