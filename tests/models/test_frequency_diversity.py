"""Diversity by frequency, counted by hand."""

import pandas as pd
import pytest

import verikit as vk
from verikit.models import distinct_diversity, frequency_diversity


def table(classes, values):
    frame = pd.DataFrame({"x": list(classes), "s": list(values)})
    return vk.Microdata(frame, vk.Schema.guess(frame, s="sensitive"))


@pytest.mark.parametrize(
    ("classes", "values", "ell"),
    [
        ("pppp", "abcd", 4),
        ("pppp", "aabc", 2),
        ("ppppp", "aabbc", 2),
        ("ppppp", "aaabc", 1),
        ("ppqq", "abcc", 1),
        ("p", "a", 1),
    ],
)
def test_a_value_may_fill_one_in_ell_of_its_class(classes, values, ell):
    data = table(classes, values)
    assert frequency_diversity(data).value == ell
    assert frequency_diversity(data, ell=ell).met is True
    assert frequency_diversity(data, ell=ell + 1).met is False


def test_it_never_exceeds_the_number_of_different_values():
    data = vk.simulate("census", 400, seed=1).only("Gender", "Race", "Salary-class")
    by_frequency, by_count = frequency_diversity(data), distinct_diversity(data)
    assert (by_frequency.per_class <= by_count.per_class).all()


def test_two_tables_joined_by_groups_are_judged_by_group():
    data = vk.load("lhcc_table1")
    for mask in (vk.mask.anatomize, vk.mask.permute_all):
        release, _ = mask(data, partition=vk.partition.diverse(data, ell=4, seed=1), seed=1)
        assert frequency_diversity(release, ell=4).met


def test_the_worst_class_and_its_value_are_named():
    said = repr(frequency_diversity(table("ppqqq", "abccd"), ell=2))
    assert "1, 2 asked for, not met" in said
    assert "2 of 3 records hold the most frequent value of s: c" in said


def test_an_ell_that_is_no_whole_number_is_refused():
    with pytest.raises(vk.RecordError, match=r"ell was given as 1.5; expected a whole number"):
        frequency_diversity(table("pp", "ab"), ell=1.5)
