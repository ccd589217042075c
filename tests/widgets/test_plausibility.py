"""PlausibilityView: how closely records match, beside how closely others would."""

import time

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.widgets import PlausibilityView


@pytest.fixture
def she(before):
    return before(PlausibilityView())


def test_table_5_of_the_paper_is_the_first_screen(she):
    counts = (8000 * she.view.result.to_frame()["others"]).round().astype(int).tolist()
    assert counts == [20, 469, 1519, 2411, 2076, 1030, 342, 114, 19]
    heads, *lines = she.rows()
    assert heads[:3] == ["places", "records", "others"]
    # 20, 469 and 1519 of 8000; 0, 0 and 4 of 20 records.
    assert [line[1:3] for line in lines[:3]] == [
        ["0 %", "0.25 %"],
        ["0 %", "5.86 %"],
        ["20 %", "19 %"],
    ]


def test_alike_distributions_allow_no_conclusion_though_six_links_are_right(she):
    assert "from that nothing follows" in she.card
    assert "In truth 6 are right." in she.card
    assert "vk-head unknown" in she.html
    assert "safe" not in she.card


def test_both_curves_are_drawn_and_told_apart_without_colour(she):
    assert she.html.count("<path") == 2 + 2 * 9  # two curves, and a mark for each of nine places
    assert she.html.count("stroke-dasharray") == 1 + 1  # the others', and its legend
    assert she.pictures[0].startswith(
        "Two distributions. Half of the records match within 3 places, half of the others within 3."
    )


def test_little_noise_makes_links_trustworthy_and_more_noise_hides_it(she):
    she.types("table", "made")
    she.types("noise", "0.05")
    assert "reason to trust his links" in she.card
    assert "vk-head warning" in she.html
    few = she.view.correct.count
    she.types("noise", "1.5")
    assert "from that nothing follows" in she.card
    assert she.view.correct.count < few / 10
    assert she.view.result.hellinger < 0.2


def test_noise_can_be_moved_only_where_it_is_added_here(she):
    fields = [f.id for part in she.view.parts() for f in part.fields]
    assert "noise" not in fields
    she.types("table", "example")
    assert she.field("noise").limits == (0.05, 3, 0.05)
    assert she.field("noise").kind == "range"
    assert len(she.view.result.observed) == 20


def test_the_others_may_be_other_people(she):
    she.types("null", "leave_one_out")
    assert she.view.result.null == "leave_one_out"
    assert "the others: the other people in the table" in she.card


def test_correlated_columns_are_pointed_out(before):
    frame = pd.DataFrame({"a": range(60), "b": [2 * n + n % 3 for n in range(60)]})
    she = before(PlausibilityView(vk.Microdata(frame), noise=0.3))
    assert "The columns are correlated" in she.card


def test_a_release_without_its_key_says_nothing_of_right_links(before):
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    she = before(PlausibilityView(data, release))
    assert she.view.table == "given"
    assert she.view.correct is None
    assert "In truth" not in she.card
    assert "noise" not in [f.id for part in she.view.parts() for f in part.fields]


def test_records_farther_off_than_others_are_no_warning(before):
    # Released rows lie on one diagonal, a place from each other; the records on the other diagonal.
    data = vk.Microdata(pd.DataFrame({"a": range(40), "b": range(40)}))
    release = vk.TableRelease.of(pd.DataFrame({"a": range(40), "b": range(39, -1, -1)}))
    she = before(PlausibilityView(data, release, null="leave_one_out"))
    assert she.view.result.permutation_p < 0.05
    assert "reason to trust his links" not in she.card
    assert "Records match less closely than the others" in she.card


@pytest.mark.parametrize(
    ("field", "value"), [("table", "none"), ("null", "hunch"), ("noise", "loud"), ("noise", "-1")]
)
def test_what_cannot_be_asked_is_said_at_its_box(she, field, value):
    she.types("table", "example")
    she.types(field, value)
    assert isinstance(she.view.last_error, RecordError)
    assert she.field(field).error
    assert (she.view.result, she.view.correct) == (None, None)


def test_a_release_without_its_original_is_refused():
    with pytest.raises(SchemaError, match="a release without its original; give both"):
        PlausibilityView(release=vk.published("dm_table1_masked"))


def test_texts_from_the_table_are_shown_as_texts(before):
    frame = pd.DataFrame({"<script>": [1, 2, 3], "<img src=x>": [3, 4, 6]})
    she = before(PlausibilityView(vk.Microdata(frame)))
    assert she.view.result is not None
    assert "<script>" not in she.html
    assert "<img" not in she.html


def test_three_hundred_records_of_twelve_attributes_are_compared_within_two_seconds(before):
    values = np.random.default_rng(1).normal(size=(300, 12))
    data = vk.Microdata(pd.DataFrame(values, columns=[f"c{at}" for at in range(12)]))
    release, key = vk.mask.noise(data, scale=0.5, seed=1)
    begun = time.process_time()
    person = before(PlausibilityView(data, release, key))
    assert time.process_time() - begun < 4  # 2 s are stated, measured alone
    assert "With 300 records of 12 attributes not all made-up records are counted" in person.card
    assert person.view.result.null == "monte_carlo"


def test_where_all_made_up_records_can_be_counted_they_are(before):
    person = before(PlausibilityView())
    assert person.view.result.null == "exact"
    assert "not all made-up records are counted" not in person.card


def test_of_many_records_the_others_are_drawn_so_that_a_step_takes_no_wait(before):
    few, many = (before(PlausibilityView(vk.simulate("dm", n, seed=1))) for n in (100, 400))
    assert few.view.null == "exact"
    assert many.view.null == "monte_carlo"
    assert before(
        PlausibilityView(vk.simulate("dm", 400, seed=1), null="closed_form")
    ).view.null == ("closed_form")
