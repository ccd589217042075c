"""IntruderView: a record's candidates, and all links against luck."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.widgets import IntruderView


@pytest.fixture
def she(before):
    return before(IntruderView())


def people(*ages):
    return pd.DataFrame({"age": ages, "pay": [2 * age for age in ages]})


def moved(key=None):
    """Three people, of whom the release swaps the first two."""
    data = vk.Microdata(people(20, 30, 60))
    return IntruderView(data, vk.TableRelease.of(people(31, 21, 60)), key)


def test_the_running_example_links_six_of_twenty_which_is_more_than_luck(she):
    assert she.view.correct.count == 6
    assert "6 of 20 records are linked correctly." in she.card
    assert "more than luck explains" in she.card
    # Fixed points of a random permutation: 1 - (1 + 1 + 1/2 + 1/6 + 1/24 + 1/120) / e = 0.00059.
    assert "Luck gives 1 on average, and 6 or more in 1 of 1,683 cases." in she.card
    assert "4 records have several candidates; 10 records are linked to another’s row." in she.card


def test_the_first_record_has_the_two_candidates_of_table_4(she):
    she.types("record", "1")
    assert "Record 1: 2 candidates" in she.card
    heads, *lines = she.rows(1)
    assert heads == ["row", "X1", "X2", "X3", "at worst", "its own row"]
    assert [(line[0], line[-1]) for line in lines] == [("1", "yes"), ("7", "no")]


def test_the_picture_shows_record_and_candidates_by_their_places(she):
    # Record 3 has the 9th, 1st and 15th value; its candidate, row 10, stands 3, 2 and 3 places off.
    assert she.pictures[1] == (
        "Places among 20 values. X1: record 9, candidates 12; X2: record 1, candidates 3; "
        "X3: record 15, candidates 12."
    )
    assert she.view.result.of(2).iloc[0, 2:].tolist() == [3, 2, 3, 3]


def test_links_and_luck_stand_side_by_side(she):
    assert she.pictures[0] == "Right links. nearest rank, as in the paper: 6 right; luck: 1 right."
    she.types("attack", "strongest")
    assert she.pictures[0].count(" right") == 5
    assert f"{she.view.correct.count} of 20 records" in she.card
    assert she.view.correct.count > 6
    assert "at most." in she.card


def test_fewer_attributes_may_link_better(she):
    at = [words for _, words in she.field("attributes").options].index("X2, X3")
    she.types("attributes", str(at - 1))
    assert she.view.attributes == ("X2", "X3")
    assert she.view.correct.count == 8
    assert she.field("attributes").value == str(at - 1)
    she.types("attributes", "")
    assert she.view.correct.count == 6


def test_without_a_key_nobody_is_told_which_links_are_right(before):
    she = before(moved())
    assert she.view.correct is None
    assert "Which links are right cannot be seen without the key." in she.card
    assert "its own row" not in she.html
    assert len(she.pictures) == 1


def test_with_the_key_wrong_links_are_told_apart(before):
    she = before(moved(vk.Key.of([0, 1, 2])))
    assert (she.view.correct.count, she.view.correct.wrong) == (1, 2)
    assert "no more than luck" in she.card
    she.types("record", "1")
    assert she.rows(1)[1] == ["2", "0", "0", "0", "no"]
    swapped = before(moved(vk.Key.of([1, 0, 2])))
    assert swapped.view.correct.count == 3


def test_the_record_is_moved_by_buttons_within_the_table(she):
    she.presses("after")
    assert she.view.record == 4
    for _ in range(5):
        she.presses("before")
    assert she.view.record == 1
    assert she.field("record").limits == (1, 20, 1)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("attack", "magic", "attack was given as 'magic'"),
        ("record", "0", "record was given as 0; expected a whole number from 1 up."),
        ("record", "21", "record was given as 21; the table has 20, from 1."),
        ("record", "me", "record was given as 'me'"),
    ],
)
def test_what_cannot_be_asked_is_said_at_its_box(she, field, value, said):
    she.types(field, value)
    assert isinstance(she.view.last_error, RecordError)
    assert said in she.field(field).error
    assert (she.view.result, she.view.correct) == (None, None)


def test_an_attack_that_compares_no_ranks_is_refused_at_its_box(before):
    data = vk.load("yq_figure1")
    release, _ = vk.mask.randomize(data, changed=1, probabilities="equal", seed=1)
    she = before(IntruderView(data, release))
    she.types("attack", "likelihood")
    assert "attack was given as 'likelihood'; expected one of maximum_rank" in (
        she.field("attack").error
    )


def test_an_attack_that_is_not_offered_is_refused_with_a_key_too(before):
    data = vk.load("dm_table1")
    she = before(IntruderView(data, *vk.mask.rank_swap(data, percent=40, seed=2)))
    she.types("attack", "undo_pairs")
    assert "attack was given as 'undo_pairs'; expected one of" in she.field("attack").error


def test_an_original_without_its_release_is_refused():
    with pytest.raises(SchemaError, match="expected the original and its release"):
        IntruderView(vk.load("dm_table1"))


def test_a_thousand_records_are_linked_at_once(before):
    data = vk.simulate("dm", 1000, seed=1)
    release, key = vk.mask.noise(data, scale=0.05, seed=2)
    she = before(IntruderView(data, release, key))
    assert she.view.correct.count > 500
    assert she.view.result.counts.sum() >= 1000
    assert np.isclose(she.view.correct.share, she.view.correct.count / 1000)


def test_categories_are_compared_and_tabulated_beside_the_picture_of_ranks(before):
    frame = pd.DataFrame({"age": [1, 2, 3], "town": ["York", "Hull", "Bath"]})
    data = vk.Microdata(frame)
    for table in (data, data.only("town")):
        she = before(IntruderView(table, vk.TableRelease.of(table.frame), vk.Key.of(range(3))))
        assert she.view.correct.count == 3
        assert "town" in she.html


def test_texts_from_the_table_are_shown_as_texts(before):
    frame = pd.DataFrame({"<script>": [1, 2], "<img src=x>": [3, 4]})
    she = before(IntruderView(vk.Microdata(frame), vk.TableRelease.of(frame), vk.Key.of([0, 1])))
    assert "<script>" not in she.html
    assert "<img" not in she.html
