"""ClassesView: three models on the same classes, the worst class first."""

import re

import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.widgets import ClassesView


@pytest.fixture
def she(before):
    return before(ClassesView())


def column(she, name):
    heads, *lines = she.rows()
    return [line[heads.index(name)] for line in lines]


def test_the_first_screen_warns_of_the_class_of_thieves(she):
    assert she.view.result.ell.value == 1
    assert "In one class all have the same value" in she.card
    assert "holds 1 value of Crime in 4 records: 4 Theft." in she.card
    assert "vk-head warning" in she.html


def test_the_worst_class_comes_first_whatever_the_measure(she):
    assert column(she, "values (l)") == ["1", "3", "4"]
    she.types("sort", "k")
    assert column(she, "records (k)") == ["3", "4", "4"]
    she.types("sort", "t")
    assert column(she, "distance (t)") == ["0.64", "0.55", "0.39"]


def test_the_picture_carries_the_numbers_of_the_table(she):
    (said,) = she.pictures
    assert said == (
        "Values they may have (l). Single, 20**, 19552: 1 value; Married, 198*, 36363: 3 values; "
        "Separated, 1991, 20001: 4 values."
    )


def test_what_is_asked_for_is_drawn_as_a_line_and_met_or_not_in_words(she):
    she.types("ell", "3")
    assert she.view.ell == 3
    assert "not as asked" in she.card
    assert "✕ 1 value; " in she.pictures[0]
    assert "✓ 3 values; " in she.pictures[0]
    assert she.pictures[0].endswith("Line: at least 3 asked for.")
    assert she.html.count("stroke-dasharray") == 1
    she.types("sort", "k")
    she.types("k", "3")
    assert she.view.result.k.met
    assert "as asked" in she.card
    assert "Everybody looks like at least 2 others." in she.card


def test_a_distance_that_is_exceeded_is_a_warning(she):
    she.types("sort", "t")
    assert "vk-head warning" not in she.html
    she.types("t", "0.5")
    assert "vk-head warning" in she.html
    she.types("t", "0.7")
    assert "vk-head warning" not in she.html


def test_bars_are_as_long_as_their_numbers(she):
    widths = re.findall(r'<rect x="0" [^>]*width="([\d.]+)%"', she.html)
    assert widths == ["25.00", "75.00", "100.00"]  # 1, 3 and 4 values


def test_entropy_counts_equally_frequent_values(she):
    she.types("table", "ks_table6")
    assert she.view.result.ell.value == 3
    she.types("diversity", "entropy")
    assert "at least 2.83 equally frequent values open" in she.card


def test_distances_by_groups_are_smaller_than_those_of_all_alike(she):
    she.types("table", "ks_table6")
    she.types("sort", "t")
    assert "0.64 away from the whole table" in she.card
    she.types("ground", "hierarchical")
    assert "0.59 away from the whole table" in she.card


def test_somebody_who_stands_alone_is_told_so(before):
    frame = pd.DataFrame({"Zip": ["1", "1", "2"], "Ill": ["flu", "cold", "flu"]})
    release = vk.TableRelease.of(frame, vk.Schema.guess(frame, Ill="sensitive"))
    she = before(ClassesView(release, sort="k"))
    assert she.view.table == "given"
    assert "Somebody stands alone in the table." in she.card


def test_a_second_sensitive_column_can_be_chosen(before):
    frame = pd.DataFrame({"Zip": ["1", "1"], "Ill": ["flu", "cold"], "Pay": ["low", "low"]})
    schema = vk.Schema.guess(frame, Ill="sensitive", Pay="sensitive")
    she = before(ClassesView(vk.TableRelease.of(frame, schema)))
    assert she.view.result.ell.value == 2
    she.types("sensitive", "Pay")
    assert she.view.result.ell.value == 1


def test_missing_values_are_refused_until_they_count_as_a_value(before):
    frame = pd.DataFrame({"Zip": ["1", "1", None], "Ill": ["flu", "cold", "flu"]})
    she = before(ClassesView(vk.TableRelease.of(frame, vk.Schema.guess(frame, Ill="sensitive"))))
    assert isinstance(she.view.last_error, SchemaError)
    assert "Column 'Zip' has 1 missing value" in she.card
    she.types("missing", "own value")
    assert she.view.result.k.value == 1
    assert she.view.last_error is None


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("k", "0", "k was given as 0; expected a whole number from 1 up."),
        ("ell", "some", "ell was given as 'some'; expected a whole number from 1 up."),
        ("t", "7", "t was given as 7; expected a number from 0 to 1."),
        ("table", "dm_table1", "table was given as 'dm_table1'; expected 'ks_table4'"),
        ("ground", "flat", "ground was given as 'flat'; expected 'equal'"),
        ("diversity", "wide", "diversity was given as 'wide'; expected one of distinct"),
        ("sort", "name", "sort was given as 'name'; expected one of k, ell, t."),
    ],
)
def test_what_cannot_be_asked_is_said_at_its_box(she, field, value, said):
    she.types(field, value)
    assert isinstance(she.view.last_error, RecordError)
    assert she.field(field).error.startswith(said)
    assert she.view.result is None
    assert "Outdated" in she.card


def test_of_many_classes_the_worst_are_drawn_and_the_rest_is_counted(before):
    frame = pd.DataFrame({"Zip": [str(z) for z in range(30)], "Ill": ["flu"] * 30})
    she = before(
        ClassesView(vk.TableRelease.of(frame, vk.Schema.guess(frame, Ill="sensitive")), sort="k")
    )
    assert "18 better classes not drawn" in she.card
    assert len(she.rows()) == 13


def test_texts_from_the_table_are_shown_as_texts(before):
    frame = pd.DataFrame({"<script>": ["<img src=x>"], "Ill": ["<b>"]})
    she = before(ClassesView(vk.TableRelease.of(frame, vk.Schema.guess(frame, Ill="sensitive"))))
    assert "<script>" not in she.html
    assert "<img" not in she.html
    assert "<b>" not in she.rows()[1]
