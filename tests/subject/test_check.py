"""The check of one record against a masked table."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import RecordError
from verikit.ranks import blocks, closest, gap

RECORD = {"X1": 100.87, "X2": 902.21, "X3": 5108.54}
FORBIDDEN = ("safe", "anonymous", "the match is yours", "probability that the match is random")


def release_of(*columns, **facts):
    return vk.TableRelease.of(
        pd.DataFrame({f"a{j}": column for j, column in enumerate(columns)}), **facts
    )


def nearest_by_the_paper(record, release):
    """Algorithms 2 and 3, step by step, with the gap rule for ties."""
    names = list(record)
    gaps = []
    for name in names:
        ordered = np.sort(release.scores(name))
        block = closest(ordered, record[name])
        gaps.append(gap(*blocks(release.scores(name)), block))
    distance = 0
    while not any(max(g[i] for g in gaps) <= distance for i in range(len(release))):
        distance += 1
    rows = [i + 1 for i in range(len(release)) if max(g[i] for g in gaps) <= distance]
    return distance, rows


tables = st.integers(1, 4).flatmap(
    lambda m: st.lists(
        st.lists(st.integers(0, 9).map(float), min_size=m, max_size=m), min_size=1, max_size=30
    )
)


@given(tables, st.data())
def test_the_fast_search_finds_what_the_papers_steps_find(rows, data):
    release = release_of(*np.array(rows).T)
    record = {n: data.draw(st.floats(-2, 11, width=16)) for n in release.schema.names}
    distance, matches = nearest_by_the_paper(record, release)
    for prepared in (release, release.prepare()):
        report = vk.check(record, prepared)
        assert report.facts["distance"] == distance
        assert sorted(report.matches["row"]) == matches


def test_a_large_table_is_searched_as_exactly_as_a_small_one():
    rng = np.random.default_rng(3)
    release = release_of(*rng.normal(size=(4, 3000)))
    record = dict(zip(release.schema.names, rng.normal(size=4), strict=True))
    distance, matches = nearest_by_the_paper(record, release)
    report = vk.check(record, release.prepare())
    assert report.facts["distance"] == distance
    assert sorted(report.matches["row"]) == matches


@given(st.permutations(range(20)), st.sampled_from(["float64", "float32", "object", "Float64"]))
def test_neither_row_order_nor_index_nor_dtype_changes_the_answer(order, dtype):
    frame = vk.published("dm_table1_masked").frame.round(0)
    changed = frame.iloc[list(order)].astype(dtype)
    changed.index = [7] * 20
    before = vk.check(RECORD, vk.TableRelease.of(frame))
    after = vk.check(RECORD, vk.TableRelease.of(changed))
    pd.testing.assert_frame_equal(before.attributes, after.attributes)
    same = before.matches.drop(columns="row")
    pd.testing.assert_frame_equal(same, after.matches.drop(columns="row"))


@given(st.integers(0, 19), st.sampled_from([np.exp, np.cbrt, lambda v: v**3, lambda v: 3 * v - 7]))
def test_no_increasing_rescaling_of_an_attribute_changes_the_distances(place, rescaled):
    """On a permutation, where her own values are published ones."""
    release = vk.published("dm_table1_mapped")
    standard = (release.frame - release.frame.mean()) / release.frame.std()
    other = rescaled(standard)
    before = vk.check(standard.iloc[place].to_dict(), vk.TableRelease.of(standard))
    after = vk.check(other.iloc[place].to_dict(), vk.TableRelease.of(other))
    pd.testing.assert_frame_equal(before.matches, after.matches)


def test_every_report_says_which_records_are_closest_and_what_that_is_not():
    report = vk.check(RECORD, vk.published("dm_table1_masked"))
    keys = [said.key for said in report.sentences]
    assert [k for k in keys if k in ("S1", "S3", "S7", "S11", "S12")] == [
        "S1",
        "S3",
        "S7",
        "S11",
        "S12",
    ]
    assert "4 places" in report.sentence("S1")
    assert "X1, X2 and X3 only" in report.sentence("S12")


def test_a_move_is_promised_only_on_a_pure_permutation_with_her_values_in_it():
    mapped = vk.published("dm_table1_mapped")
    own = vk.load("dm_table1").record(2)
    assert "at least 3 places" in vk.check(own, mapped).sentence("S2")
    assert vk.check(own, vk.published("dm_table1_masked")).sentence("S2") is None
    assert vk.check(own | {"X1": 100.88}, mapped).sentence("S2") is None
    copied = vk.TableRelease.of(vk.load("dm_table1").frame, permutation=True)
    assert vk.check(own, copied).sentence("S2") is None, "nothing moved"


def test_no_report_contains_a_claim_that_may_not_be_made():
    rng = np.random.default_rng(0)
    for scale in (0.01, 0.3, 3.0):
        data = vk.simulate("dm", 60, seed=int(100 * scale))
        release, _ = vk.mask.noise(data, scale=scale, seed=1)
        said = repr(vk.check(data.record(int(rng.integers(60))), release)).lower()
        assert not [claim for claim in FORBIDDEN if claim in said]


def test_a_value_outside_the_published_range_is_answered_and_said():
    report = vk.check(RECORD | {"X1": 150}, vk.published("dm_table1_masked"))
    assert report.attributes["closest"][0] == 123.37
    expected = "Your X1 (150) lies outside the published range 87.83 to 123.37"
    assert any(expected in note for note in report.notes)


def test_attributes_may_be_left_out_and_the_report_says_so():
    release = vk.published("dm_table1_masked")
    report = vk.check({"X1": 100.87, "X3": 5108.54, "X2": None}, release)
    assert report.attributes["attribute"].tolist() == ["X1", "X3"]
    assert "You left out X2; the check used the other values." in report.notes
    assert "X2 was not looked at" in report.sentence("S12")


@pytest.mark.parametrize(
    ("release", "record", "reason"),
    [
        (release_of([1.0, 2, 3]), {"a0": 2}, "With one value alone"),
        (release_of([1.0], [2.0]), {"a0": 1, "a1": 2}, "one record only"),
        (release_of([1.0, 1], [2.0, 2]), {"a0": 1, "a1": 2}, "Every published record is the same"),
        (release_of([1.0, 1], [2.0, 3]), {"a0": 1, "a1": 2}, "only a1 differs"),
        (release_of([], []), {"a0": 1, "a1": 2}, "table is empty"),
    ],
)
def test_it_cannot_tell_and_says_why(release, record, reason):
    report = vk.check(record, release)
    assert report.headline.state == "cannot-tell"
    assert reason in report.headline.text
    assert report.met is None


def test_a_nominal_attribute_is_compared_by_its_hierarchy_or_by_equality():
    jobs = vk.Hierarchy.of({"any": {"office": ["clerk", "lawyer"], "trade": ["welder"]}})
    frame = pd.DataFrame({"job": ["welder", "clerk", "lawyer"], "age": [30, 40, 50]})
    schema = vk.Schema((vk.Column("job", kind="nominal", hierarchy=jobs), vk.Column("age")))
    report = vk.check({"job": "lawyer", "age": 41}, vk.TableRelease.of(frame, schema))
    assert report.attributes["closest"].tolist() == ["lawyer", 40]
    assert report.attributes["first_rank"].tolist() == [None, 2]
    assert report.matches.to_numpy().tolist() == [[3, 0, 1], [2, 1, 0]]
    equal = vk.check({"job": "welder", "age": 41}, vk.TableRelease.of(frame))
    assert equal.matches.to_numpy().tolist() == [[1, 0, 1], [2, 1, 0], [3, 1, 1]]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"X1": "high"}, "'X1' was given as 'high'; expected a number"),
        ({"X1": float("nan")}, "holds no value"),
        ({"X1": float("inf")}, "'X1' was given as inf; expected a finite number"),
        ({"X9": 1}, "'X9', which the release lacks"),
        ({"X1": None}, "holds no value"),
        ({}, "holds no value"),
        ([1, 2, 3], "given as list; expected a dictionary"),
    ],
)
def test_a_record_that_cannot_be_used_is_refused_in_one_sentence(record, message):
    with pytest.raises(RecordError, match=message):
        vk.check(record, vk.published("dm_table1_masked"))


def test_a_missing_released_value_counts_as_no_place_and_takes_no_attribute_away():
    release = release_of([1.0, np.nan, 3], [1.0, 2, 3], [3.0, 1, 2])
    report = vk.check({"a0": 1, "a1": 1, "a2": 1}, release)
    assert (report.facts["distance"], report.matches["row"].tolist()) == (1, [2])
    assert report.notes[0].startswith("a0 is missing in 33 of 100 published records")
    assert vk.check({"a1": 1, "a2": 1}, release).facts["distance"] == 1


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"distance": -1}, "required distance of 'X1' is -1"),
        ({"distance": 1.5}, "whole number of places"),
        ({"distance": {"X9": 1}}, "'X9', which is not among the attributes"),
        ({"diversity": -2}, "required diversity of 'X1' is -2"),
        ({"criterion": "range"}, "no diversity criterion 'range'"),
    ],
)
def test_a_requirement_that_makes_no_sense_is_refused(asked, message):
    with pytest.raises(RecordError, match=message):
        vk.check(RECORD, vk.published("dm_table1_masked"), **asked)


def test_a_requirement_is_judged_on_every_closest_record():
    """All three records are 1 place away; the second keeps no distance on the first attribute."""
    release = release_of([1.0, 2, 3], [2.0, 1, 3])
    report = vk.check({"a0": 2, "a1": 2}, release, distance={"a0": 1})
    assert report.matches.set_index("row")["a0"].to_dict() == {1: 1, 2: 0, 3: 1}
    assert report.met is False
    assert vk.check({"a0": 2, "a1": 2}, release, distance={"a0": 0}).met is True


def test_the_slip_holds_her_values_and_published_facts_and_escapes_them():
    hostile = "<img src=x onerror=alert(1)>"
    frame = pd.DataFrame({hostile: [1.0, 2, 3], "b": [3.0, 1, 2]})
    report = vk.check({hostile: 2, "b": 2}, vk.TableRelease.of(frame))
    slip = report.to_html()
    assert hostile not in slip
    assert "&lt;img src=x onerror=alert(1)&gt;" in slip
    assert not re.search(r"https?:|//", slip), "the slip asks nothing from outside"


def test_the_report_is_also_a_frame_and_json():
    report = vk.check(RECORD, vk.published("dm_table1_masked"), distance=1)
    assert report.to_frame()["distance"].tolist() == [4, 1, 4]
    content = json.loads(report.to_json())
    assert content["met"] is True
    assert content["tables"]["attributes"][1]["closest"] == 903.25
    assert content["state"] == "warning-table"


def test_the_input_is_not_changed():
    release = vk.published("dm_table1_masked")
    before, record = release.frame.copy(), dict(RECORD)
    vk.check(record, release.prepare())
    pd.testing.assert_frame_equal(release.frame, before)
    assert record == RECORD


def test_a_generalized_table_is_checked_by_the_groups_that_she_fits():
    release = vk.published("ks_table4")
    record = {"Marital Status": "Single", "Zip": "19552"}
    report = vk.check(record, release)
    assert report.headline.state == "warning-you"
    assert "Theft" in report.headline.text
    with pytest.raises(RecordError, match=r"set one for k \(how many published records"):
        vk.check(record, release, distance=3)


def test_the_slip_leaves_out_columns_that_say_nothing():
    release = vk.published("dm_table1_masked")
    assert "as asked" not in vk.check(RECORD, release).to_html()
    assert "as asked" in vk.check(RECORD, release, distance=2).to_html()
    tied = release_of([1.0, 1, 2, 3], [4.0, 3, 2, 1])
    assert "<td>1 to 2</td>" in vk.check({"a0": 1, "a1": 3}, tied).to_html()


def test_the_slip_says_what_was_checked_when_and_what_comes_next_and_shows_no_inner_names():
    report = vk.check(RECORD, vk.published("dm_table1_masked"))
    slip = report.to_html(table="masked.csv", checksum="ab" * 32)
    for words in (
        "masked.csv, 20 records",
        "Every number moves by a random amount (noise; scale: X1 5, X2 25, X3 100).",
        "ab" * 32,
        f"with verikit {vk.__version__}",
        "What this does not tell you",
        "What now",
    ):
        assert words in slip
    assert 'role="img"' in slip
    assert re.search(r"<dd><bdi>\d+ \w+ 20\d\d with verikit", slip)
    for inner in ("match rank", "window first", "required diversity", "match_first"):
        assert inner not in slip
    assert slip.count(report.headline.text.partition(". ")[0]) == 1


@given(tables, st.data())
def test_the_places_that_are_shown_differ_by_the_distance_that_is_shown(rows, data):
    release = release_of(*np.array(rows).T)
    record = {n: data.draw(st.floats(-2, 11, width=16)) for n in release.schema.names}
    for line in vk.check(record, release).attributes.itertuples():
        above, below = line.match_first - line.last_rank, line.first_rank - line.match_last
        assert line.distance == max(above, below, 0)
        assert line.match_first <= line.match_rank <= line.match_last
        from_her_end = np.clip(line.match_rank, line.first_rank, line.last_rank)
        assert abs(line.match_rank - from_her_end) == line.distance
        ordered = np.sort(release.scores(line.attribute))
        assert set(ordered[line.match_first - 1 : line.match_last]) == {line.match}


def test_the_match_of_a_tied_value_is_shown_from_its_first_place_to_its_last():
    """Four records share 47 to 50; the person stands at 65 to 67, 15 places from their last. Who
    is closer in age is more than 15 places away in pay."""
    ages = np.r_[np.arange(46), [46] * 4, np.arange(50, 64), [70] * 3, np.arange(80, 113)]
    pay = np.r_[np.arange(51, 70), np.arange(71, 98), 33, 34, 50, 70, np.arange(1, 33)]
    pay = np.r_[pay, np.setdiff1d(np.arange(1, 101), pay)]
    release = release_of(ages.astype(float), pay.astype(float))
    report = vk.check({"a0": 70, "a1": 50}, release, chance=False)
    line = report.attributes.iloc[0]
    assert (line["first_rank"], line["last_rank"]) == (65, 67)
    assert (line["match_first"], line["match_last"], line["match_rank"]) == (47, 50, 50)
    assert (line["distance"], line["window_first"]) == (15, 50)
    assert "<td>47 to 50</td>" in report.to_html()
