"""Verdicts: value, classes, records and the reason belong together, and cannot be changed."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.models import ModelVerdict, distinct_diversity, k_anonymity


def table(**columns):
    frame = pd.DataFrame(columns)
    roles = {"s": "sensitive"} if "s" in columns else {}
    return vk.Microdata(frame, vk.Schema.guess(frame, **roles))


@pytest.mark.parametrize("k", [2, np.int64(2), np.uint8(2)])
def test_every_kind_of_integer_is_a_k(k):
    verdict = k_anonymity(table(q=[1, 1, 2, 2, 2]), k=k)
    assert verdict.met is True
    assert verdict.threshold == 2
    assert verdict.met_per_class.tolist() == [True, True]


@pytest.mark.parametrize("k", [0, -3, 1.5, True, "2"])
def test_what_is_no_count_is_refused_as_k(k):
    with pytest.raises(vk.RecordError, match=r"k was given as .*; expected a whole number from 1"):
        k_anonymity(table(q=[1]), k=k)


def test_a_k_above_the_number_of_records_is_simply_not_met():
    verdict = k_anonymity(table(q=[1, 1]), k=3)
    assert (verdict.value, verdict.met) == (2, False)


def test_without_threshold_a_verdict_measures_and_judges_nothing():
    verdict = k_anonymity(table(q=[1, 1, 2]))
    assert (verdict.value, verdict.met, verdict.threshold) == (1, None, None)
    assert verdict.met_per_class is None
    assert "met" not in verdict.to_frame()


def test_the_worst_class_is_the_first_of_equals_and_stands_in_the_reason():
    verdict = k_anonymity(table(q=["b", "a", "c", "c"]))
    assert verdict.worst == 0
    assert verdict.why == "The smallest of 3 classes holds 1 record: q a."


def test_the_frame_has_a_line_for_each_class_with_its_cells_and_value():
    verdict = distinct_diversity(table(q=["b", "a", "b"], s=["x", "y", "z"]), ell=2)
    assert verdict.to_frame().to_dict("list") == {
        "q": ["a", "b"],
        "records": [1, 2],
        "value": [1, 2],
        "met": [False, True],
    }


def test_a_column_called_like_one_of_ours_steps_aside():
    frame = k_anonymity(table(value=[5, 5], records=[1, 2])).to_frame()
    assert frame.to_dict("list") == {
        "value_": [5, 5],
        "records_": [1, 2],
        "records": [1, 1],
        "value": [1, 1],
    }


def test_a_verdict_is_frozen_and_leaves_its_table_alone():
    data = table(q=[1, 2], s=["x", "y"])
    before = data.frame.copy()
    verdict = distinct_diversity(data, ell=2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        verdict.met = True
    pd.testing.assert_frame_equal(data.frame, before)
    assert isinstance(verdict, ModelVerdict)


def test_a_verdict_is_shown_with_the_worst_class_first_and_every_text_escaped():
    shown = distinct_diversity(table(q=["a", "a", "<b>"], s=["x", "y", "z"]))._repr_html_()
    assert "<td>&lt;b&gt;</td>" in shown
    assert shown.index("<td>&lt;b&gt;</td>") < shown.index("<td>a</td>")


def test_values_are_plain_numbers_that_json_knows():
    assert type(k_anonymity(table(q=[1])).value) is int
    assert type(vk.models.entropy_diversity(table(q=[1], s=["x"])).value) is float


def test_a_verdict_warns_where_people_are_given_away_or_less_is_reached_than_asked():
    release = vk.published("ks_table1")
    k = vk.models.k_anonymity
    assert [k(release).warns, k(release, k=3).warns, k(release, k=4).warns] == [False, False, True]
    assert k(release).means == "Everybody looks like at least 2 others."
    alone = vk.models.k_anonymity(vk.load("dm_table1"))
    assert (alone.warns, alone.means) == (True, "Somebody stands alone in the table.")
    same = vk.models.distinct_diversity(vk.published("ks_table4"))
    assert same.warns
    assert same.means.startswith("In one class all have the same value")
    assert "from the whole table" in vk.models.t_closeness(vk.published("ks_table6")).means


def test_one_of_a_frequency_is_no_class_of_one_value():
    """Two of three share a value: the frequency says 1, and nobody's value is certain."""
    frame = pd.DataFrame({"q": ["a"] * 3, "s": ["x", "x", "y"]})
    table = vk.Microdata(frame, vk.Schema.guess(frame, s="sensitive"))
    found = vk.models.frequency_diversity(table)
    assert (found.value, found.gives_away) == (1, False)


def test_a_ratio_without_bound_has_a_sentence():
    verdict = vk.models.recursive_diversity(vk.published("ks_table4"), ell=4)
    assert verdict.value == float("inf")
    assert verdict.means == verdict.why
