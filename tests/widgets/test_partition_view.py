"""PartitionView: sorted values as dots, groups as brackets, five partitioners side by side."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.widgets import PartitionView


def table(pay):
    frame = pd.DataFrame({"age": np.arange(len(pay)), "pay": pay})
    return vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))


@pytest.fixture
def she(before):
    """Before the eight numbers of the text, with k = 4 and e = 5."""
    return before(PartitionView(k=4, e=5))


def test_overlapping_groups_reach_5_where_consecutive_ones_need_7(she):
    heads, *lines = she.rows()
    assert heads == ["groups made for", "groups", "sum of errors", "widest error"]
    assert [line[0] for line in lines] == [
        "least sum of errors",
        "least widest error",
        "least widest, may overlap",
        "most groups",
        "filled in random order",
    ]
    assert lines[0][1:] == ["1", "7 (least)", "7"]
    assert lines[1][1:] == ["1", "7 (least)", "7"]
    assert lines[2][1:] == ["2", "10", "5 (least)"]
    assert "add up to 7 at best, and the widest is 5 at best" in she.card


def test_four_numbers_with_k_2_make_two_groups_of_one_each(before):
    she = before(PartitionView(table([1, 2, 10, 11]), k=2, e=0))
    assert she.rows()[1] == ["least sum of errors", "2", "2 (least)", "1 (least)"]


def test_brackets_lie_under_their_values(before):
    """The line runs from 3 % to 97 %: 1 to 2 of 1 to 11 lie from 3 % to 12.4 %."""
    she = before(PartitionView(table([1, 2, 10, 11]), k=2, e=0))
    assert 'x1="3.00%"' in she.html
    assert 'x2="12.40%"' in she.html
    assert she.html.count("<circle") == 4


def test_each_partitioner_has_a_dash_of_its_own_and_the_picture_says_all_numbers(she):
    dashes = {part.split('"')[0] for part in she.html.split('stroke-dasharray="')[1:]}
    assert len(dashes) == 4  # the first is drawn through
    (said,) = she.pictures
    assert "Least sum of errors: 1 group, sum of errors 7, widest 7." in said
    assert "may overlap: 2 groups, sum of errors 10, widest 5." in said


def test_dragging_k_changes_the_groups_at_once(she):
    she.types("k", "2")
    she.types("e", "1")
    assert len(she.view.result["max_groups"]) == 4
    assert she.field("k").limits == (1, 6, 1)
    assert she.field("e").limits == (0, 7, 1)


def test_what_no_group_can_reach_is_said_at_its_slider_with_what_can(she):
    she.types("k", "7")
    assert isinstance(she.view.last_error, InfeasibleError)
    assert she.field("k").error.endswith("the largest k that can be reached is 6.")
    assert she.view.result is None
    she.types("k", "2")
    she.types("e", "8")
    assert she.field("e").error.endswith("the largest e that can be reached is 7.")


@pytest.mark.parametrize(("field", "value"), [("k", "two"), ("e", "wide"), ("e", "-1"), ("k", "0")])
def test_what_is_no_such_number_is_said_at_its_box(she, field, value):
    she.types(field, value)
    assert isinstance(she.view.last_error, RecordError)
    assert she.field(field).error.startswith(field)


def test_the_step_of_e_suits_the_values(before):
    wide = before(PartitionView(table([0, 40_000, 90_000]), k=1, e=0))
    assert wide.field("e").limits == (0, 90_000, 1000)
    narrow = before(PartitionView(table([0.0, 0.4, 0.9]), k=1, e=0))
    assert narrow.field("e").limits[2] == pytest.approx(0.01)


def test_of_many_values_the_overlapping_groups_are_left_to_python(before):
    pay = np.random.default_rng(1).lognormal(3, 1, 2000)
    she = before(PartitionView(table(pay), k=5, e=1))
    assert "min_max_error, overlapping" not in she.view.result
    assert "Overlapping ranges are looked for among 400 different values at most" in she.card
    assert "Not drawn, " in she.card
    assert len(she.html) < 120_000


def test_a_verdict_says_what_it_does_not_mean(she):
    assert "they do not say that people are safe" in she.card
    assert "what is merely likely they leave open" in she.card


def test_one_value_alone_is_one_group_without_an_error(before):
    she = before(PartitionView(table([5]), k=1, e=0))
    assert [row[1:] for row in she.rows()[1:]] == [["1", "0 (least)", "0 (least)"]] * 5


def test_categories_and_tables_without_a_secret_are_refused():
    with pytest.raises(SchemaError, match="is nominal"):
        PartitionView(vk.load("lhcc_table1"))
    with pytest.raises(SchemaError, match="sensitive"):
        PartitionView(vk.load("dm_table1"))


def test_texts_from_the_table_are_shown_as_texts(before):
    frame = pd.DataFrame({"age": [1, 2], "<img src=x>": [3, 4]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, **{"<img src=x>": "sensitive"}))
    assert "<img" not in before(PartitionView(data, k=1, e=0)).html
