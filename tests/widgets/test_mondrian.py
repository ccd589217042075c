"""MondrianView: boxes over two attributes that hold k records or more."""

import re

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.widgets import MondrianView


def table(**columns):
    return vk.Microdata(pd.DataFrame(columns))


@pytest.fixture
def she(before):
    """Before eight people on a line: four at 0, four at 1 to 4."""
    return before(MondrianView(table(age=[0, 0, 0, 0, 1, 2, 3, 4], pay=[5] * 8), k=2))


def test_boxes_are_cut_at_medians_until_they_would_fall_below_k(she):
    # 0 0 0 0 | 1 2 | 3 4: equal values stay together.
    assert sorted(she.view.result.sizes.tolist()) == [2, 2, 4]
    assert "3 boxes hold 2 to 4 records each." in she.card
    heads, *lines = she.rows()
    assert heads == ["age", "pay", "records", "enough"]
    assert lines == [
        ["1 to 2", "5", "2", "yes"],
        ["3 to 4", "5", "2", "yes"],
        ["0", "5", "4", "yes"],
    ]


def test_relaxed_cuts_part_equal_values(before):
    she = before(MondrianView(table(age=[0, 0, 0, 1, 2, 3], pay=[5] * 6), k=2))
    assert sorted(she.view.result.sizes.tolist()) == [3, 3]
    she.types("k", "3")
    she.types("cut", "relaxed")
    assert she.view.result.parameters["relaxed"]
    assert "2 boxes hold 3 records each." in she.card


def test_each_box_is_drawn_with_its_number_and_each_record_as_a_dot(she):
    assert len(re.findall(r"M[-\d]+ [-\d]+h[1-9]\d*v\d+H\d+z", she.html)) == 3
    assert she.html.count("h0") == 8
    assert sorted(re.findall(r'paint-order="stroke">(\d+)<', she.html)) == ["2", "2", "4"]
    assert she.pictures[0].startswith("Boxes over age and pay. 3 boxes hold 2 to 4 records each.")


def test_boxes_lie_where_their_values_are(she):
    # In thousandths of the axis: values 1 to 2 of 0 to 4 from 250, 250 wide.
    assert ("250", "250") in re.findall(r"M(\d+) \d+h(\d+)v", she.html)


def test_the_two_attributes_are_chosen_and_the_others_are_left_alone(before):
    data = table(a=np.arange(8), b=np.arange(8)[::-1], c=[1] * 8, name=list("abcdefgh"))
    she = before(MondrianView(data, k=4))
    assert [value for value, _ in she.field("across").options] == ["a", "b", "c"]
    she.types("across", "c")
    assert she.pictures[0].startswith("Boxes over c and b.")
    assert she.view.result.sizes.tolist() == [4, 4]


def test_a_column_cannot_run_both_ways(she):
    she.types("up", "age")
    assert she.field("up").error.startswith("up was given as 'age', which runs across already")
    assert she.view.result is None


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("k", "9", InfeasibleError),
        ("k", "1.5", RecordError),
        ("across", "shoe", RecordError),
        ("cut", "blunt", RecordError),
    ],
)
def test_what_cannot_be_asked_is_said_at_its_box(she, field, value, error):
    she.types(field, value)
    assert isinstance(she.view.last_error, error)
    assert she.field(field).error.startswith(f"{field} was given as")


def test_a_missing_number_is_refused_by_name(before):
    she = before(MondrianView(table(age=[1.0, None, 3.0], pay=[1, 2, 3]), k=2))
    assert "Column 'age' has 1 missing value" in str(she.view.last_error)


def test_a_table_with_one_number_cannot_be_drawn():
    with pytest.raises(SchemaError, match="two numeric columns; the table has 1 among age, job"):
        MondrianView(table(age=[1, 2], job=["a", "b"]))


def test_of_many_records_the_first_are_drawn_and_the_rest_is_counted(before):
    she = before(MondrianView(vk.simulate("dm", 2000, seed=1), k=200))
    assert "holds. 500 records are not drawn." in she.card
    assert she.html.count("h0") == 1500
    assert she.view.result.sizes.sum() == 2000


def test_texts_from_the_table_are_shown_as_texts(before):
    she = before(MondrianView(table(**{"<script>": [1, 2], "<img src=x>": [1, 2]}), k=1))
    assert "<script>" not in she.html
    assert "<img" not in she.html


def test_thousands_of_boxes_are_sent_as_one_drawing(before):
    she = before(MondrianView(vk.simulate("dm", 10_000, seed=1), k=5, cut="relaxed"))
    assert len(she.view.result) > 1_000
    assert len(she.html) <= 60_000
