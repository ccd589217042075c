"""Random workloads, and the relative error of their answers."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.analyst import Among, Between
from verikit.query import evidence_of
from verikit.utility import relative_error, workload


@pytest.fixture(scope="module")
def census():
    return vk.simulate("census", 3000, seed=1).only(
        "Age", "Gender", "Race", "Country", "Salary-class"
    )


def test_every_query_has_its_conditions_on_distinct_columns_and_the_last_is_sensitive(census):
    drawn = workload(census, queries=60, conditions=4, seed=1)
    assert len(drawn) == 60
    for query in drawn.queries:
        names = [part.column for part in query.where]
        assert len(set(names)) == 4
        assert names[-1] == "Salary-class"
        assert set(names[:-1]) <= {"Age", "Gender", "Race", "Country"}


def test_a_condition_asks_for_neighbouring_values_as_many_as_the_selectivity_says(census):
    share = 0.1 ** (1 / 3)
    ages = np.sort(census.frame["Age"].unique())
    for query in workload(census, queries=60, conditions=3, seed=2).queries:
        for part in query.where:
            if isinstance(part, Between) and part.column == "Age":
                inside = (ages >= part.low) & (ages <= part.high)
                assert inside.sum() == int(len(ages) * share)
            if isinstance(part, Among):
                size = {"Gender": 2, "Race": 9, "Salary-class": 50}[part.column]
                codes = sorted(int(name) for name in part.values)
                assert len(codes) == max(1, int(size * share))
                assert codes[-1] - codes[0] == len(codes) - 1


def test_every_query_finds_a_record_and_those_that_found_none_are_counted(census):
    drawn = workload(census, queries=40, conditions=5, selectivity=0.02, seed=3)
    evidence = evidence_of(census)
    assert all(evidence.answer(query).estimate > 0 for query in drawn.queries)
    assert drawn.redrawn > 0
    assert repr(drawn) == f"Workload(40 queries; {drawn.redrawn} without a record drawn again)"


def test_a_workload_that_hardly_ever_finds_a_record_is_refused():
    frame = pd.DataFrame(
        {"x": np.arange(400), "y": np.arange(400), "s": [f"v{i:03d}" for i in range(400)]}
    )
    data = vk.Microdata(frame, vk.Schema.guess(frame, s="sensitive"))
    with pytest.raises(vk.InfeasibleError, match="only 0 find a record; ask for fewer conditions"):
        workload(data, queries=10, conditions=3, selectivity=1e-7, seed=1)


def test_the_same_seed_draws_the_same_queries_whatever_the_order_of_the_records(census):
    mixed = census.take(np.random.default_rng(1).permutation(len(census)))
    one, other, third = (
        workload(data, queries=10, conditions=3, seed=seed).queries
        for data, seed in ((census, 1), (mixed, 1), (census, 2))
    )
    assert one == other
    assert one != third


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"conditions": 0}, vk.RecordError, "conditions was given as 0; expected a whole number"),
        ({"conditions": 6}, vk.InfeasibleError, "there can be 1 to 5"),
        ({"conditions": 2, "selectivity": 0}, vk.RecordError, "share above 0 and at most 1"),
        ({"conditions": 2, "selectivity": 1.5}, vk.RecordError, "share above 0 and at most 1"),
        ({"conditions": 2, "exponent": "w"}, vk.RecordError, "'corrected' or 'printed'"),
        ({"conditions": 2, "sensitive": "Age"}, vk.SchemaError, "'Age' cannot be sensitive"),
        ({"conditions": 2, "seed": -1}, vk.RecordError, "seed was given as -1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(census, options, error, sentence):
    with pytest.raises(error, match=sentence):
        workload(census, **{"seed": 1, **options})


def test_the_relative_error_is_worked_out_by_hand():
    data = vk.load("lhcc_table1")
    queries = [
        vk.Query.count({"Age": (40, 70), "Sex": "F", "Disease": "Flu"}),
        vk.Query.count({"Disease": "Flu"}),
        vk.Query.count({"Age": 41}),
    ]
    found = relative_error(data, vk.published("lhcc_table4"), queries)
    assert found.true.tolist() == [1, 2, 0]
    assert found.errors == pytest.approx([0.145, 0])
    assert (found.mean, found.median) == (pytest.approx(0.0725), pytest.approx(0.0725))
    assert found.left_out == 1
    assert found.answers[0] == vk.answer(queries[0], vk.published("lhcc_table4"))


def test_without_a_query_that_finds_a_record_there_is_no_error():
    data = vk.load("lhcc_table1")
    for queries in ([], [vk.Query.count({"Age": (0, 1)})]):
        with pytest.raises(vk.RecordError, match=rf"None of the {len(queries)} queries finds"):
            relative_error(data, vk.published("lhcc_table3"), queries)


def test_a_mixed_workload_asks_with_or_and_not_about_the_same_conditions(census):
    drawn = workload(census, queries=40, conditions=3, seed=1)
    mixed = drawn.mixed(seed=2)
    assert mixed.queries == drawn.mixed(seed=2).queries != drawn.mixed(seed=3).queries
    words = " ".join(map(repr, mixed.queries))
    assert " or " in words
    assert "not " in words
    groups = vk.partition.diverse(census, ell=3, seed=1)
    release, _ = vk.mask.permute_all(census, partition=groups, seed=1)
    true = [evidence_of(census).answer(query).estimate for query in mixed.queries]
    for count, answer in zip(true, vk.answer(list(mixed.queries), release), strict=True):
        assert answer.lower <= count <= answer.upper


def test_the_relative_error_of_a_sum_is_worked_out_by_hand():
    frame = pd.DataFrame({"x": [1, 2], "pay": [-10.0, -30.0]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    release, _ = vk.mask.anatomize(data, partition=vk.Partition.of([0, 0]), seed=1)
    queries = [vk.Query.sum("pay", {"x": 1}), vk.Query.avg("pay", {"x": 3})]
    found = relative_error(data, release, queries)
    assert found.errors.tolist() == [1.0]  # -20 is expected where -10 is true
    assert found.left_out == 1


def test_requests_that_would_never_end_are_refused():
    data = vk.load("lhcc_table1")
    with pytest.raises(vk.RecordError, match=r"queries was given as .*from 1 to 1000000"):
        vk.utility.workload(data, queries=10**12, conditions=2, seed=1)
    with pytest.raises(vk.RecordError, match=r"tries was given as .*from 1 to 10000"):
        vk.partition.diverse(data, ell=2, tries=10**12, seed=1)
