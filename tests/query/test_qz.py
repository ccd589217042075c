"""The three questions of [QZ]_ section 2.2, put to its permuted and its generalized table."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk

SALARIES = [54_000, 55_000, 56_000, 65_000, 75_000, 70_000, 80_000, 75_000, 85_000]
GROUPS = [1, 1, 1, 2, 2, 2, 3, 3, 3]
QUESTIONS = {
    "query 1": "select avg(salary) from t where age > 50",
    "query 2": "select sum(salary) from t where age between 35 and 55",
    "query 3": "select min(salary) from t where gender = 'F'",
}


@pytest.fixture(scope="module")
def people():
    """Table 2.1."""
    frame = pd.DataFrame(
        {"age": [35, 38, 40, 41, 43, 47, 52, 53, 58], "gender": list("MMMFFMMMF")}
    ).assign(salary=SALARIES)
    tree = vk.Hierarchy.of({"*": ["M", "F"]})
    gender = vk.Column("gender", kind="nominal", hierarchy=tree)
    columns = (vk.Column("age"), gender, vk.Column("salary", "sensitive", unit="$"))
    return vk.Microdata(frame, vk.Schema(columns))


@pytest.fixture(scope="module")
def permuted(people):
    """Table 2.3: the quasi-identifiers of a row belong together, its salary to its group."""
    return vk.mask.anatomize(people, partition=vk.Partition.of(GROUPS), seed=1).release


@pytest.fixture(scope="module")
def generalized(people, w):
    """Table 2.2."""
    ends = [(31, 40)] * 3 + [(41, 50)] * 3 + [(51, 60)] * 3
    ages = pd.arrays.IntervalArray.from_tuples(ends, closed="both")
    frame = people.frame.assign(age=ages, gender="*")
    return w.covering(frame, people.schema)


@pytest.mark.parametrize(
    ("query", "lower", "mean", "upper", "variance"),
    [
        ("query 1", 80_000, 80_000, 80_000, 0),
        ("query 2", 530_000, 535_000, 540_000, 50_000_000 / 3),
        ("query 3", 65_000, 200_000 / 3, 70_000, 50_000_000 / 9),
    ],
)
def test_the_permuted_table_gives_the_printed_bounds(permuted, query, lower, mean, upper, variance):
    answer = vk.answer(QUESTIONS[query], permuted)
    assert (answer.lower, answer.upper) == (lower, upper)
    assert answer.estimate == answer.mean == pytest.approx(mean)
    assert answer.variance == pytest.approx(variance)


@pytest.mark.parametrize(
    ("query", "lower", "upper"),
    [
        ("query 1", 80_000, 80_000),
        ("query 2", 210_000, 615_000),
        ("query 3", 54_000, 85_000),
    ],
)
def test_the_generalized_table_gives_the_printed_bounds(generalized, query, lower, upper):
    answer = vk.answer(QUESTIONS[query], generalized)
    assert (answer.lower, answer.upper) == (lower, upper)
    assert answer.exact == (query == "query 1")
    assert ("if any record meets the conditions" in repr(answer)) == (query == "query 3")


def test_the_help_table_of_all_groups_and_hits_comes_out(people, permuted):
    """Table 2.4: of each group and number of hits the bounds of sum and minimum."""
    ages = people.frame["age"].to_numpy()
    for group in (1, 2, 3):
        own = np.array(GROUPS) == group
        values = np.sort(np.array(SALARIES)[own])
        for hits in (1, 2, 3):
            where = {"age": (int(ages[own].min()), int(np.sort(ages[own])[hits - 1]))}
            total = vk.answer(vk.Query.sum("salary", where), permuted)
            least = vk.answer(vk.Query.min("salary", where), permuted)
            assert (total.lower, total.upper) == (values[:hits].sum(), values[-hits:].sum())
            assert (least.lower, least.upper) == (values[0], values[-hits])


def test_an_answer_reads_as_words_with_its_unit(permuted):
    assert repr(vk.answer(QUESTIONS["query 2"], permuted)) == (
        "535,000 (salary in $), for certain from 530,000 to 540,000: every link inside a group "
        "being equally likely"
    )
    assert vk.answer(QUESTIONS["query 2"], permuted).unit == "salary in $"


def test_a_sum_with_negative_values_takes_only_those_that_help(w):
    """[QZ]_ as printed would give [0, -2] for the answers -5, -2, 0 and 3."""
    frame = pd.DataFrame({"town": ["{p, q}", "{p, q}"], "pay": [-5, 3]})
    answer = vk.answer("select sum(pay) from t where town = 'p'", w.covering(frame))
    assert (answer.lower, answer.upper) == (-5, 3)
