"""BoundedAnswer: a question, its interval from two releases, and the truth as a dot."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.widgets import BoundedAnswer


@pytest.fixture
def she(before):
    return before(BoundedAnswer())


def ends(she):
    return [(found.lower, found.upper) for found in she.view.result]


def test_query_2_of_the_text_is_the_first_screen(she):
    assert ends(she) == [(530_000, 530_000), (530_000, 540_000), (210_000, 615_000)]
    assert "The truth is 530,000; permuted says 530,000 to 540,000" in she.card
    assert "generalized 210,000 to 615,000. Each lies inside the next." in she.card


def test_the_lines_of_the_help_table_are_those_of_table_2_4(she):
    assert "3 lines of the help table used" in she.card
    assert she.rows() == [
        ["group", "hits", "sum at least", "sum at most"],
        ["1", "3", "165,000", "165,000"],
        ["2", "3", "210,000", "210,000"],
        ["3", "2", "155,000", "165,000"],
    ]


def test_query_1_is_exact_in_both_tables(she):
    she.types("aggregate", "avg")
    she.types("low/age", "51")
    she.types("high/age", "")
    assert ends(she) == [(80_000, 80_000)] * 3
    assert "permuted says exactly 80,000, generalized exactly 80,000" in she.card


def test_query_3_leaves_out_the_group_without_hits(she):
    she.types("aggregate", "min")
    she.types("low/age", "")
    she.types("high/age", "")
    she.types("is/gender", "F")
    assert ends(she) == [(65_000, 65_000), (65_000, 70_000), (54_000, 85_000)]
    assert [row[0] for row in she.rows()[1:]] == ["2", "3"]


def test_the_picture_says_the_numbers_and_the_truth_is_a_dot_on_both_lines(she):
    (said,) = she.pictures
    assert said.startswith("The truth and two intervals. The truth is 530,000;")
    assert said.endswith("The intervals are 10,000 and 405,000 wide.")
    assert she.html.count('overflow="visible"') == 2


def test_it_says_whose_view_it_is_and_what_the_answer_does_not_mean(she):
    assert "it is for protectors and teachers" in she.card
    assert "A narrow interval does not mean that somebody is in danger" in she.card


def test_nobody_selected_has_no_value_but_a_sum_of_nothing(she):
    she.types("low/age", "90")
    she.types("high/age", "")
    assert ends(she) == [(0, 0)] * 3
    assert "No line of the help table is used" in she.card
    she.types("aggregate", "avg")
    assert "there is no value" in she.card
    assert she.pictures == []


def test_releases_are_made_here_with_the_k_and_e_that_are_asked(she):
    she.types("source", "made")
    she.types("k", "3")
    she.types("e", "10000")
    true, permuted, generalized = ends(she)
    assert generalized[0] <= permuted[0] <= true[0] <= permuted[1] <= generalized[1]
    she.types("k", "9")
    assert isinstance(she.view.last_error, InfeasibleError)
    assert she.field("k").error.endswith("the largest k that can be reached is 8.")


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 99),
    st.sampled_from(["sum", "avg", "min", "max", "count"]),
    st.sampled_from(["min_sum_error", "min_max_error", "max_groups"]),
    st.integers(10, 40),
)
def test_the_truth_lies_inside_and_permuted_bounds_inside_generalized_ones(
    seed, aggregate, grouping, low
):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(10, 60, 30), "pay": rng.integers(-50, 90, 30)})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    view = BoundedAnswer(
        data, k=3, e=4, aggregate=aggregate, grouping=grouping, where={"age": (low, low + 15)}
    )
    if view.result.hold:
        assert view.result.inside


@pytest.mark.parametrize(
    ("field", "value"), [("aggregate", "mode"), ("source", "none"), ("k", "two"), ("e", "wide")]
)
def test_what_cannot_be_asked_is_said_at_its_box(she, field, value):
    she.types("source", "made")
    she.types(field, value)
    assert isinstance(she.view.last_error, RecordError)
    assert she.field(field).error.startswith(field)
    assert she.view.result is None


def test_a_condition_on_the_secret_is_refused(she):
    she.view.where = {"salary": (60_000, None)}
    assert "which value belongs to which row" in she.card


def test_categories_are_refused():
    with pytest.raises(SchemaError, match="is nominal"):
        BoundedAnswer(vk.load("lhcc_table1"))


def test_texts_from_the_table_are_shown_as_texts(before):
    frame = pd.DataFrame({"<i>": ["<img src=x>", "b"], "pay": [1, 2]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    html = before(BoundedAnswer(data, k=1, where={"<i>": "<img src=x>"})).html
    assert "<img" not in html
    assert "<i>" not in html
