"""The distance of two lists of values is the one that t-closeness finds for a class."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.models import distance, t_closeness

TREE = vk.Hierarchy.of({"any": {"l": ["1", "2"], "r": {"far": ["3"], "near": ["4"]}}})
COLUMNS = {
    "equal": vk.Column("S", "sensitive", "nominal"),
    "ordered": vk.Column("S", "sensitive", "ordinal", order=("1", "2", "3", "4")),
    "hierarchical": vk.Column("S", "sensitive", "nominal", hierarchy=TREE),
}


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("1234")), min_size=1, max_size=12),
    st.sampled_from(list(COLUMNS)),
)
def test_each_class_of_a_table_is_as_far_as_its_values_from_those_of_the_table(rows, ground):
    column = COLUMNS[ground]
    frame = pd.DataFrame(rows, columns=["group", "S"])
    data = vk.Microdata(frame, vk.Schema((vk.Column("group", kind="nominal"), column)))
    expected = t_closeness(data, ground=ground).per_class
    for (_, part), away in zip(frame.groupby("group"), expected, strict=True):
        found = distance(part["S"], frame["S"], column=column, ground=ground)
        assert found == pytest.approx(away, abs=1e-12)


def test_values_that_the_whole_lacks_are_as_far_as_can_be():
    assert distance(["a"], ["b", "c"]) == 1
    assert distance([1, 1], [2, 3], ground="ordered") == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("values", "whole", "words"),
    [
        ([], [1], "values holds no value; give at least one."),
        ([1], "text", "whole was given as 'text'; expected a list of values."),
        (3, [1], "values was given as 3; expected a list of values."),
        ([None], [1], "'value' has 1 missing value of 2"),
        (["a"], ["b"], "has no order to measure along"),
    ],
)
def test_what_cannot_be_measured_is_said(values, whole, words):
    with pytest.raises(vk.VerikitError, match=words):
        distance(values, whole, ground="ordered")
