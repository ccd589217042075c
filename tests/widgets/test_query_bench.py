"""QueryBench: a count, its true answer, and what three releases make of it."""

import pandas as pd
import pytest

import verikit as vk
from verikit.errors import InfeasibleError, RecordError
from verikit.widgets import QueryBench


@pytest.fixture
def she(before):
    return before(QueryBench())


@pytest.fixture
def made(before):
    """Twelve people of two groups whose ages overlap."""
    frame = pd.DataFrame(
        {"age": range(20, 32), "sex": list("FM") * 6, "ill": ["flu", "cold", "gout"] * 4}
    )
    return before(QueryBench(vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive")), ell=3))


def test_the_first_screen_shows_the_two_examples_of_the_paper(she):
    assert "1 of 9 records meet it." in she.card
    assert she.rows() == [
        ["table", "count", "at least", "at most", "off by, %"],
        ["original", "1.000", "1", "1", "0.0"],
        ["generalized", "0.375", "0", "2", "62.5"],
        ["anatomized", "0.900", "0", "2", "10.0"],
        ["permuted", "0.855", "0", "2", "14.5"],
    ]


def test_the_picture_says_the_same_numbers(she):
    (said,) = she.pictures
    assert said == (
        "The true count and three estimates. True count 1. Estimates: generalized 0.375, off by "
        "62.5 %; anatomized 0.9, off by 10 %; permuted 0.855, off by 14.5 %."
    )


def test_each_release_has_a_shape_of_its_own(she):
    marks = [part.split('"')[0] for part in she.html.split('<path d="')[1:]]
    assert len(marks) == len(set(marks)) == 3


def test_a_question_is_changed_box_by_box(she):
    she.types("is/Disease", "")
    assert she.view.where == {"Age": (40, 70), "Sex": "F"}
    assert she.view.result.true.estimate == 4  # Jane 70, Lily 55, Linda 50, Lucy 40
    she.types("low/Age", "50")
    she.types("high/Age", "")
    assert she.view.where["Age"] == (50, None)
    assert she.view.result.true.estimate == 4  # Jane, Lily, Andy 90, Linda
    she.types("low/Age", "")
    assert "Age" not in she.view.where
    she.types("is/Sex", "")
    assert she.view.result.true.estimate == 9


def test_nobody_found_means_that_no_relative_error_exists(she):
    she.types("low/Age", "60")
    she.types("is/Sex", "M")
    assert she.view.result.true.estimate == 0
    assert {row[-1] for row in she.rows()[2:]} == {"–"}
    assert "off by" not in she.pictures[0]


def test_releases_are_made_here_from_the_same_groups(made):
    assert made.field("source").options == (("made", "made here, with the l below"),)
    assert made.view.result.true.estimate == 12
    made.types("is/ill", "flu")
    # Who has what is shared out inside the groups, but how many have it is published.
    assert [found.estimate for found in made.view.result] == [4, 4, 4, 4]
    made.types("is/sex", "F")
    true, *found = made.view.result
    assert all(one.lower <= true.estimate <= one.upper for one in found)


def test_ranges_and_single_values_can_be_set_in_python(made):
    made.view.where = {"age": (20, 25), "sex": {"F"}}
    assert made.view.result.true.estimate == 3
    made.view.where = {"age": 20}
    assert made.view.result.true.estimate == 1
    assert (made.field("low/age").value, made.field("high/age").value) == ("20", "20")


@pytest.mark.parametrize(
    ("field", "value", "error", "said"),
    [
        ("ell", "9", InfeasibleError, "ell was given as 9"),
        ("low/Age", "80", RecordError, "The range of 'Age' goes from 80 down to 70"),
        ("low/Age", "old", RecordError, "'old'"),
        ("source", "guessed", RecordError, "source was given as 'guessed'"),
    ],
)
def test_what_cannot_be_asked_is_said(she, field, value, error, said):
    she.types("source", "made")
    she.types(field, value)
    assert isinstance(she.view.last_error, error)
    assert said in str(she.view.last_error)
    assert said in she.card or said in she.field(field).error
    assert she.view.result is None


def test_texts_from_the_table_are_shown_as_texts(before):
    frame = pd.DataFrame({"<script>": ["<i>", "<img src=x>"], "ill": ["a", "b"]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    she = before(QueryBench(data, ell=2, where={"<script>": "<img src=x>"}))
    assert she.view.result.true.estimate == 1
    assert "<script>" not in she.html
    assert "<img" not in she.html
