"""The check of a record against numbers permuted in groups: which are left, and how far apart."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.subject import check_split, kind_of

ALEX = {"age": 35, "zipcode": "27101", "gender": "M"}
ALLOWED = ("cannot conclude that you are protected", "nor shows that you are protected")
FORBIDDEN = re.compile(r"\b(safe|anonymous|protected)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def salaries():
    return vk.published("qz_table2_3")


@pytest.fixture(scope="module")
def adult(datasets_dir):
    return vk.datasets.adult(datasets_dir / "adult")


def apart(ages, pay, labels, **more):
    """A pair of tables of ages and pay, joined by the groups of their rows."""
    quasi = pd.DataFrame({"age": list(ages), "Group-ID": list(labels)})
    sensitive = pd.DataFrame({"Group-ID": list(labels), "pay": list(pay), **more})
    return vk.SplitRelease.of(quasi, sensitive, promise="another order")


def numbers(report):
    line = report.tables["ranges"].iloc[0]
    return int(line["different values"]), float(line["lowest"]), float(line["highest"])


def test_alex_learns_the_three_salaries_that_the_text_says_are_left(salaries):
    report = vk.check(ALEX, salaries)
    assert numbers(report) == (3, 54000, 56000)
    assert report.sentence("E1") == (
        "If you are in this table, someone who knows your values is left with 3 different values "
        "of salary, from 54,000 $ to 56,000 $: they lie 2,000 $ apart; "
        "whoever learns from the whole table may do better."
    )
    assert "goes from 54,000 $ to 85,000 $; 6 of 100 of that range" in report.sentence("E2")
    assert "who knows all 2 is left with yours" in report.sentence("E6")
    assert "published as they are" in report.sentence("P2")
    assert report.headline.state == "no-warning"
    assert [f.value for f in report.figures] == ["3 people", "3 different values", "2,000 $"]
    assert "your age, zip code and gender only" in report.sentence("S12")


@pytest.mark.parametrize(
    ("asked", "met"),
    [
        ({"k": 3, "e": 2000}, True),
        ({"k": 4}, False),
        ({"e": 2000.5}, False),
        ({"k": 4, "e": 10000}, False),
        ({"e": 0}, True),
        ({"ell": 3}, True),
        ({"ell": 4}, False),
        ({}, None),
    ],
)
def test_the_table_of_the_text_meets_k_3_and_e_2000_and_no_more_for_alex(salaries, asked, met):
    report = vk.check(ALEX, salaries, **asked)
    assert report.met is met
    assert report.facts["required"] == asked


def test_what_fails_is_said_with_what_is_left_and_what_the_whole_table_would_allow(salaries):
    report = vk.check(ALEX, salaries, k=50, e=10**6)
    assert report.sentence("R") == (
        "What you asked for is not met by the salary left for you (3 different values, at least 50 "
        "required; the whole table holds 8) and the range of the salary left for you (2,000 $, at "
        "least 1,000,000 $ required; that of the whole table is 31,000 $)."
    )


def test_her_own_salary_is_one_of_the_three_or_is_said_to_be_none_of_them(salaries):
    assert "54,000 $, would be guessed in 33 of 100 cases" in vk.check(
        {**ALEX, "salary": "54000.0"}, salaries
    ).sentence("P4")
    report = vk.check({**ALEX, "salary": 99}, salaries)
    assert "No group that fits you shows your salary, 99 $" in report.sentence("P5")


def test_each_record_of_a_made_release_is_left_with_its_group_as_the_model_says():
    data = vk.load("qz_table2_1")
    groups = vk.partition.max_groups(data, k=2, e=1000, seed=1)
    release, _ = vk.mask.permute_sensitive(data, partition=groups, seed=3)
    verdict = vk.models.ke_anonymity(release, k=2, e=1000)
    spans = []
    for row in range(len(data)):
        own = {name: data.record(row)[name] for name in release.schema.names}
        report = vk.check(own, release, k=2, e=1000)
        assert report.met is True
        held = data.frame["salary"][np.asarray(groups.labels) == groups.labels[row]]
        assert numbers(report) == (held.nunique(), held.min(), held.max())
        spans.append(held.max() - held.min())
    assert min(spans) == verdict.span


def test_groups_whose_ranges_overlap_leave_each_her_own_group():
    values = [1, 2, 3, 5, 5, 6, 6, 8]
    frame = pd.DataFrame({"age": range(8), "pay": values})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    groups = vk.partition.min_max_error(data, k=4, e=5, overlapping=True, seed=1)
    release, _ = vk.mask.permute_sensitive(data, partition=groups, seed=1)
    found = {numbers(vk.check({"age": age}, release)) for age in range(8)}
    assert found == {(4, 1, 6), (4, 3, 8)}  # the one optimum of the text, NA17


def test_who_fits_several_groups_is_left_with_all_and_told_what_one_of_them_leaves():
    release = apart([40, 40, 50, 60], [10, 30, 20, 90], "abab")
    report = vk.check({"age": 40}, release, k=4, e=80)
    assert numbers(report) == (4, 10, 90)
    assert report.met is True
    assert report.sentence("E3") == (
        "Someone who finds out which of these groups is yours is left with less: at worst 2 "
        "different values of pay, and a range of 10."
    )
    assert report.sentence("E6") is None
    assert report.tables["groups"]["range of pay"].tolist() == [10, 60]


def test_a_group_counts_by_how_many_of_its_rows_show_her_values():
    release = apart([40, 40, 40, 60], [10, 30, 20, 90], "aabb")
    values = vk.check({"age": 40}, release).tables["values"].set_index("value")["of 100 here"]
    assert values.to_dict() == pytest.approx(
        {"10": 100 / 3, "30": 100 / 3, "20": 50 / 3, "90": 50 / 3}
    )


def test_nobody_fits_and_nothing_is_said_of_numbers(salaries):
    report = vk.check({**ALEX, "age": 99}, salaries, k=3, e=1)
    assert report.headline.state == "cannot-tell"
    assert report.met is None
    assert [said.key for said in report.sentences] == ["S7", "S12"]
    assert all(not len(table) for table in report.tables.values())


def test_a_row_without_a_value_may_be_hers_and_is_not_said_to_show_her():
    release = apart([None, 41, 50, 50], [10, 30, 20, 90], "aabb")
    report = vk.check({"age": 40}, release)
    assert numbers(report) == (2, 10, 30)
    assert "1 row may be yours, as a cell is missing there" in report.sentence("P2")


def test_a_generalized_cell_may_be_hers():
    release = apart(["30-39", "40-49", "40-49", "50+"], [10, 30, 20, 90], "aabb")
    report = vk.check({"age": "45"}, release)
    assert report.facts["groups"] == 2
    assert "No row shows all your values; 2 rows may be yours" in report.sentence("P2")


def test_missing_numbers_count_neither_for_k_nor_for_e_and_nothing_is_certain():
    release = apart([40, 40, 50, 50], [10, None, 20, 90], "aabb")
    report = vk.check({"age": 40}, release, k=2, ell=1)
    assert report.headline.state != "warning-you"
    assert report.met is False
    assert "lack 1 value of pay; each may be anything" in " ".join(report.notes)
    assert report.sentence("P3") is None
    nothing = vk.check({"age": 40}, apart([40, 40, 50, 50], [None, None, 20, 90], "aabb"), e=1)
    assert nothing.headline.state == "cannot-tell"
    assert nothing.met is False


def test_one_record_and_one_value_are_learned():
    report = vk.check({"age": 40}, apart([40], [10], "a"), k=1, e=0)
    assert (
        report.headline.text == "Someone who knows your values learns your pay: it can only be 10."
    )
    assert report.met is True
    assert vk.check({"age": 40}, apart([40, 40], [10, 10], "aa")).headline.state == "warning-you"


def test_the_same_multiset_is_said_to_be_likelier_and_closer_where_it_is():
    likelier = vk.check(
        {"age": 0}, apart([0, *range(1, 20)], [10] * 8 + [20, 30] + [99] * 10, "a" * 10 + "b" * 10)
    )
    assert "of pay, 10 alone is right in 80 of 100 cases" in likelier.sentence("E4")
    even = vk.check({"age": 0}, apart(range(4), [10, 20, 40, 80], "aaab"))
    assert even.sentence("E4") is None
    assert even.sentence("E5") is None
    close = vk.check({"age": 0}, apart(range(6), [100, 101, 102, 103, 200, 900], "aaaaab"))
    assert "your pay is 100 is off by at most 10 in 80 of 100 cases" in close.sentence("E5")


def test_a_range_of_a_hundredth_of_the_table_is_learned_nearly():
    rest = [0, 10_000, 50, 60]
    near = vk.check({"age": 0}, apart(range(6), [1000, 1100, *rest], "aabbbb"))
    assert near.headline.text.startswith("Someone who knows your values learns your pay nearly: ")
    assert near.sentence("S7") is None
    far = vk.check({"age": 0}, apart(range(6), [1000, 1101, *rest], "aabbbb"))
    assert far.headline.state == "no-warning"


def test_every_sensitive_column_is_judged_beside_the_numbers():
    release = apart(range(4), [10, 20, 30, 40], "aabb", illness=["flu", "flu", "flu", "gout"])
    report = vk.check({"age": 0}, release)
    assert report.headline.text == (
        "Someone who knows your values learns your illness: it can only be flu."
    )
    assert numbers(report) == (2, 10, 20)


def test_groups_of_one_number_warn_of_the_table():
    release = apart(range(6), [10, 20, 40, 40, 90, 80], "aabbcc")
    assert vk.check({"age": 0}, release).headline.text == (
        "2 of the 6 people in this table are in groups that hold one pay only, and so give it away."
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"Height": 3}, "record has 'Height', which the table lacks"),
        ({"salary": 54000}, "holds no quasi-identifier"),
        ({"age": "old"}, "'age' was given as 'old'; expected a number"),
        ({"gender": "X"}, "'X' is not a category of 'gender'"),
        ({"age": float("inf")}, "'age' was given as inf"),
        ({"age": 35, "salary": "much"}, "'salary' was given as 'much'; expected a number"),
    ],
)
def test_a_record_that_cannot_be_used_is_refused_in_one_sentence(salaries, given, said):
    with pytest.raises(vk.RecordError, match=said):
        vk.check(given, salaries)


@pytest.mark.parametrize("e", [-1, "wide", float("nan"), float("inf"), True])
def test_a_range_that_makes_no_sense_is_refused(salaries, e):
    with pytest.raises(vk.RecordError, match=r"e was given as .*; expected a number from 0 up"):
        vk.check(ALEX, salaries, e=e)


def test_which_releases_are_checked_by_their_numbers():
    def made(mask, **options):
        data = vk.load("qz_table2_1")
        groups = vk.partition.max_groups(data, k=3, e=2000, seed=1)
        return kind_of(mask(data, partition=groups, seed=1, **options)[0]).name

    assert made(vk.mask.permute_sensitive) == "numbers"
    assert made(vk.mask.anatomize) == "numbers"
    assert made(vk.mask.permute_all) == "split"
    assert kind_of(vk.published("lhcc_table3")).name == "split"


def test_what_both_checks_say_of_likelihood_is_the_same(salaries):
    both = [check_split(ALEX, salaries), vk.check(ALEX, salaries)]
    shares = [report.tables["values"].set_index("value")["of 100 here"] for report in both]
    assert shares[0][shares[0] > 0].to_dict() == pytest.approx(shares[1].to_dict())
    for key in ("P1", "P2", "P3"):
        assert both[0].sentence(key) == both[1].sentence(key).replace("54,000 $", "54000")


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(-4, 4) | st.none(), st.integers(0, 2)),
        min_size=1,
        max_size=16,
    ),
    st.integers(0, 3),
)
def test_what_is_left_is_what_the_rows_of_her_groups_hold(rows, age):
    ages, pay, labels = zip(*rows, strict=True)
    if all(value is None for value in pay):
        return
    release = apart(ages, np.array(pay, float), labels)
    report = vk.check({"age": age}, release, k=2, e=3)
    groups = {label for a, label in zip(ages, labels, strict=True) if a == age}
    held = {p for p, label in zip(pay, labels, strict=True) if label in groups} - {None}
    for said in (report.headline.text, *(said.text for said in report.sentences), *report.notes):
        assert not FORBIDDEN.search(said.replace(ALLOWED[0], "").replace(ALLOWED[1], ""))
    if not groups:
        assert report.met is None
        return
    assert report.met is (len(held) >= 2 and max(held) - min(held) >= 3)
    if held:
        assert numbers(report) == (len(held), min(held), max(held))
        assert report.tables["values"]["of 100 here"].sum() == pytest.approx(100)
    lines = report.tables["groups"].set_index("group")
    for group in groups:
        own = {p for p, label in zip(pay, labels, strict=True) if label == group} - {None}
        assert lines.loc[group, "different pay"] == len(own)


def test_a_slip_and_json_hold_no_markup_and_open_again(salaries):
    report = vk.check(ALEX, salaries, k=3, e=2000)
    assert "54000" in report.to_html()
    assert '"e": 2000.0' in report.to_json()


def test_a_capital_loss_of_adult_is_left_with_its_group(adult):
    frame = adult.frame[["age", "sex", "race", "marital-status", "capital-loss"]]
    frame = frame[frame["capital-loss"] > 0].reset_index(drop=True)
    loss = {"capital-loss": "sensitive"}
    data = vk.Microdata(frame, vk.Schema.guess(frame, **loss))
    groups = vk.partition.min_sum_error(data, k=5, e=100, seed=1)
    release, _ = vk.mask.permute_sensitive(data, partition=groups, seed=1)
    for row in range(0, len(data), 97):
        report = vk.check(data.record(row), release, k=5, e=100)
        different, low, high = numbers(report)
        assert report.met is True, "her group alone has as many, and more groups leave more"
        assert different >= 5
        assert low <= data.frame["capital-loss"][row] <= high
        assert report.sentence("P4") is not None
