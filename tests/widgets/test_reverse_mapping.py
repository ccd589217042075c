"""ReverseMapping: one value's way through noise, by hand and by the paper's table."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError
from verikit.widgets import ReverseMapping


@pytest.fixture
def view():
    return ReverseMapping(seed=1)


@pytest.fixture
def person(view, before):
    return before(view)


def test_without_noise_nothing_moves_and_nothing_is_left(view, person):
    person.types("scale", "0")
    assert view.result.total.abs().to_numpy().max() == 0
    assert view.result.residual.abs().to_numpy().max() == 0
    assert "the noise moved it by no place" in person.card


def test_what_is_left_and_what_the_permutation_takes_add_up_to_the_noise(view, before):
    original = vk.load("dm_table1").frame
    permuted = view.result.mapped - original
    np.testing.assert_allclose(permuted + view.result.residual, view.result.total)
    for name in original:
        assert sorted(view.result.mapped[name]) == sorted(original[name])


def test_the_story_of_a_value_is_that_of_the_table(view, person):
    person.types("attribute", "X2")
    person.types("record", "5")
    row = 4
    original = vk.load("dm_table1").frame["X2"]
    masked = original + view.result.total["X2"]
    before, after = original.rank()[row], masked.rank()[row]
    mapped = np.sort(original)[int(after) - 1]
    assert view.result.mapped["X2"][row] == mapped
    moved = int(after - before)
    places = f"{abs(moved)} place{'s' * (abs(moved) != 1)} {'up' if moved > 0 else 'down'}"
    assert moved != 0
    assert f"{original[row]:,} becomes {mapped:,}: the noise moved it {places}." in person.card
    assert f"has place {before:.0f} of 20" in person.card
    assert f"has place {after:.0f};" in person.card


def test_the_slider_changes_the_noise_and_the_picture(view, person):
    shown, small = person.html, view.result.to_frame()["total"]
    person.types("scale", "2")
    assert person.html != shown
    larger = view.result.to_frame()["total"]
    np.testing.assert_allclose(larger, 4 * small, rtol=0.05)  # 2 instead of 0.5, as rounded


def test_the_slider_has_its_limits_and_the_value_it_shows(person):
    slider = person.field("scale")
    assert (slider.kind, slider.value, slider.limits) == ("range", "0.5", (0, 2, 0.05))


def test_other_noise_is_another_draw_of_the_same_size(view, person):
    first = view.result.total
    person.presses("again")
    assert view.seed == 2
    assert not view.result.total.equals(first)
    person.types("seed", "1")
    pd.testing.assert_frame_equal(view.result.total, first)


def test_tied_values_share_their_places(before):
    data = vk.Microdata(pd.DataFrame({"a": [1, 2, 2, 2, 9]}))
    person = before(ReverseMapping(data, seed=1, scale=0, record=3))
    assert "2 becomes 2: the noise moved it by no place." in person.card
    assert "has a place from 2 to 4 of 5" in person.card


def test_sizes_are_shown_as_numbers_beside_the_bars(view, person):
    heads, *lines = person.rows()
    assert heads == ["attribute", "all noise", "left over"]
    sizes = view.result.to_frame().set_index("attribute")
    for name, total, left in lines:
        assert float(total) == pytest.approx(sizes.loc[name, "total"], abs=0.005)
        assert float(left) == pytest.approx(sizes.loc[name, "residual"], abs=0.005)
    assert f"X1: all noise {lines[0][1]}, left after reverse mapping {lines[0][2]}." in (
        person.pictures
    )


@pytest.mark.parametrize(
    ("box", "value", "said"),
    [
        ("record", "21", "record was given as 21; expected a whole number from 1 to 20."),
        ("record", "0", "record was given as 0; expected"),
        ("record", "one", "record was given as 'one'; expected"),
        ("attribute", "X9", "attribute was given as 'X9'; expected one of X1, X2, X3."),
        ("scale", "-1", "scale was given as -1; expected a number from 0 up"),
        ("scale", "much", "scale was given as 'much'; expected a number from 0 up."),
        ("seed", "-1", "The seed was given as -1"),
    ],
)
def test_what_cannot_be_is_said_and_no_result_is_left(view, person, box, value, said):
    person.types(box, value)
    assert said in str(view.last_error)
    assert isinstance(view.last_error, RecordError)
    assert view.result is None
    assert said in person.card + person.field(box).error


def test_markup_in_a_name_is_escaped(before):
    name = "<img src=x onerror=1>"
    person = before(ReverseMapping(vk.Microdata(pd.DataFrame({name: [1.0, 2, 4]})), seed=1))
    assert "<img" not in person.html
    assert name in person.card


def test_it_opens_with_the_running_example_and_always_the_same_noise(view):
    pd.testing.assert_frame_equal(ReverseMapping().result.total, view.result.total)
