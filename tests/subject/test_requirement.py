"""What a person may require of each kind of release, and which part of it is said to fail."""

import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.subject import check_generalized, check_split, checking, kind_of
from verikit.subject._check import CHECKS
from verikit.subject._requirement import Requirement

MASKED = (vk.load("dm_table1").record(2), "dm_table1_masked")
CRIMES = ({"Marital Status": "Single", "DOB": "2001", "Zip": "19552"}, "ks_table4")
SHUFFLED = ({"Age": 65, "Sex": "M"}, "lhcc_table4")
SALARIES = ({"age": 35, "zipcode": "27101", "gender": "M"}, "qz_table2_3")
DRAWN = ({"Age": "[30-40]", "Job": "Clerk", "Country": "USA"}, "yq_figure5")
ALL = {"distance": 2, "diversity": 2, "k": 2, "ell": 2, "e": 2}


@pytest.mark.parametrize(
    ("case", "name", "judged"),
    [
        (MASKED, "masked", ["distance", "diversity"]),
        (CRIMES, "generalized", ["k", "ell"]),
        (SHUFFLED, "split", ["ell"]),
        (SALARIES, "numbers", ["k", "e", "ell"]),
        (DRAWN, "randomized", ["k", "ell"]),
    ],
)
def test_each_kind_judges_its_own_measures_and_refuses_the_others_by_name(case, name, judged):
    record, release = case[0], vk.published(case[1])
    assert kind_of(release).name == name
    for measure, value in ALL.items():
        if measure in judged:
            report = vk.check(record, release, **{measure: value})
            assert report.met in (True, False)
            assert report.facts["required"] == {measure: value}
            continue
        with pytest.raises(RecordError, match=f"set for {measure}, but this is .*; set one for"):
            vk.check(record, release, **{measure: value})


def test_a_requirement_stated_to_check_is_judged_as_by_the_check_of_the_kind():
    record, crimes = CRIMES[0], vk.published(CRIMES[1])
    for k, ell in ((4, None), (5, None), (None, 2), (4, 2), (None, None)):
        stated = vk.check(record, crimes, k=k, ell=ell)
        assert stated.to_json() == check_generalized(record, crimes, k=k, ell=ell).to_json()
    record, shuffled = SHUFFLED[0], vk.published(SHUFFLED[1])
    for ell in (5, 6):
        assert vk.check(record, shuffled, ell=ell).met is check_split(record, shuffled, ell=ell).met


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"distance": 2}, "the distance of X2 (1 place, at least 2 required)."),
        (
            {"distance": {"X1": 5}, "diversity": {"X3": 10**6}},
            (
                "the distance of X1 (4 places, at least 5 required) and the diversity of X3 "
                "(± 142.01, more than ± 1,000.00 required)."
            ),
        ),
        (
            {"diversity": {"X2": 9}, "criterion": "distinct"},
            "the diversity of X2 (3 different values, at least 9 required).",
        ),
    ],
)
def test_it_is_said_which_part_failed_for_which_attribute(asked, said):
    """The variance of X3 within 4 places is the paper's 20167.78; its root is 142.01."""
    report = vk.check(MASKED[0], vk.published(MASKED[1]), **asked)
    assert report.sentence("R") == f"What you asked for is not met by {said}"


def test_a_deviation_is_said_in_the_unit_of_its_attribute():
    frame = pd.DataFrame({"age": [20.0, 22, 24, 26], "pay": [1.0, 9, 2, 5]})
    schema = vk.Schema((vk.Column("age", unit="years"), vk.Column("pay")))
    report = vk.check(
        {"age": 22, "pay": 9}, vk.TableRelease.of(frame, schema), distance=1, diversity={"age": 100}
    )
    assert "the diversity of age (± 1.63 years, more than ± 10.00 years required)" in (
        report.sentence("R")
    )


def test_what_is_met_is_said_to_be_met_and_nothing_is_said_of_nothing():
    masked = vk.published(MASKED[1])
    assert vk.check(MASKED[0], masked, distance=1).sentence("R") == "What you asked for is met."
    assert vk.check(MASKED[0], masked).sentence("R") is None
    assert vk.check(MASKED[0], masked, distance={}).met is None


def test_fewer_records_or_values_than_required_are_counted():
    report = vk.check(CRIMES[0], vk.published(CRIMES[1]), k=5, ell=2)
    assert report.sentence("R") == (
        "What you asked for is not met by the records that fit your values (4, at least 5 required)"
        " and the crime of these records (1 different value, at least 2 required)."
    )
    report = vk.check(SHUFFLED[0], vk.published(SHUFFLED[1]), ell=6)
    assert report.sentence("R") == (
        "What you asked for is not met by the best guess of your disease (right in 20 of 100 cases "
        "if within a group each value is equally likely for everyone, at most in 1 of 6 required)."
    )


def test_where_nothing_fits_no_requirement_is_called_met_or_missed():
    report = vk.check({"Zip": '"99999"'}, vk.published(CRIMES[1]), k=2, ell=2)
    assert report.met is None
    assert report.sentence("R") is None
    bare = vk.TableRelease.of(pd.DataFrame({"Zip": ["476**", "476**"]}))
    assert vk.check({"Zip": "47677"}, bare, ell=2).met is None
    assert vk.check({"Zip": "47677"}, bare, k=2).met is True


@pytest.mark.parametrize("value", [0, 2.5, "many"])
@pytest.mark.parametrize("measure", ["k", "ell"])
def test_a_count_that_makes_no_sense_is_refused(measure, value):
    with pytest.raises(RecordError, match=f"{measure}.* was given as"):
        vk.check(CRIMES[0], vk.published(CRIMES[1]), **{measure: value})


def test_a_kind_of_another_package_is_registered_with_one_line():
    class Graph:
        kind, schema = "network", vk.Schema((vk.Column("edge"),))

        def __len__(self):
            return 3

    release = Graph()
    with pytest.raises(
        SchemaError, match="of the kind 'network' cannot be checked; verikit checks"
    ):
        vk.check({"edge": 1}, release)

    @checking("network", judges={"k": "how many nodes look alike"}, words="a published network")
    def checked(record, release, requirement, tests):
        return record, len(release), requirement.k, tests.runs

    try:
        assert vk.check({"edge": 1}, release, k=2, runs=5) == ({"edge": 1}, 3, 2, 5)
        with pytest.raises(RecordError, match="this is a published network; set one for k"):
            vk.check({"edge": 1}, release, distance=2)
    finally:
        del CHECKS["network"]


def test_a_kind_cannot_judge_what_no_requirement_has():
    with pytest.raises(RecordError, match="'graph' is to judge 'beauty', but a requirement has"):
        checking("graph", judges={"beauty": "how nice it is"})


def test_what_is_no_release_is_refused():
    for given in (pd.DataFrame({"a": [1]}), vk.load("dm_table1"), None, 3):
        with pytest.raises(SchemaError, match="expected a release"):
            vk.check({"a": 1}, given)


def test_what_is_stated_is_kept_in_the_order_of_its_fields():
    assert Requirement(k=2, distance=3).stated == {"distance": 3, "k": 2}
    assert Requirement(criterion="distinct").stated == {}
