"""GuaranteesView: one slider for all methods, and no epsilon is taken for hiding."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.widgets import GuaranteesView


@pytest.fixture
def she(before):
    return before(GuaranteesView())


def test_epsilon_places_and_people_found_are_those_of_each_masking(she):
    """Swapping, counted again: the formula of one stratum, ranks, and who keeps two columns."""
    data = vk.simulate("dm", 100, seed=1)
    release, key = vk.mask.swap(data, match=[], swap=["X1"], rate=0.5, seed=1)
    line = she.view.result.iloc[0]
    assert line["epsilon"] == pytest.approx(np.log(101))
    after = release.frame.iloc[key.rows].reset_index(drop=True)
    assert line["places"] == pytest.approx(
        (after.rank() - data.frame.rank()).abs().to_numpy().mean() / 100
    )
    assert line["found"] == (after[["X2", "X3"]] == data.frame[["X2", "X3"]]).all(axis=1).sum()
    assert line["found"] == 100


def test_noise_has_no_epsilon_and_hides_more_people_than_swapping_which_has_one(she):
    found = she.view.result.set_index("masking")
    assert np.isnan(found.loc["noise, scale 1", "epsilon"])
    assert found.loc["noise, scale 1", "found"] < found["found"].iloc[0]
    assert "one column swapped, rate 0.5: epsilon 4.6" in she.card
    assert "100 of 100 records are linked correctly." in she.card
    assert (
        "noise, scale 1: no epsilon, moved by 15 of 100 places, 10 of 100 records found"
        in (she.pictures[0])
    )
    assert "mallows: epsilon 0.6 for one place" in she.card


def test_the_slider_turns_every_method_and_the_more_is_masked_the_fewer_are_found(she):
    much = [she.view.result]
    for rate in ("0.05", "0.95"):
        she.types("rate", rate)
        much.append(she.view.result)
    _, least, most = much
    assert (least["found"].iloc[1:] > most["found"].iloc[1:]).all()
    assert (least["places"] < most["places"]).all()
    she.types("rate", "1")
    assert isinstance(she.view.last_error, RecordError)
    assert "from 0.05 to 0.95" in she.field("rate").error
    assert she.view.result is None


def test_whoever_repeats_the_method_finds_more_of_those_whose_values_were_kept_or_drawn(she):
    by_scores = she.view.result["found"][2]
    she.types("attack", "published_mechanism")
    assert she.view.result["found"][2] > by_scores


def test_methods_that_do_not_take_a_column_are_left_out_with_the_reason(before):
    frame = pd.DataFrame({"town": list("abcd") * 5, "ill": list("xyxyz") * 4})
    she = before(GuaranteesView(vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))))
    assert she.view.last_error is None
    assert 1 <= len(she.view.result) < 5
    assert "Left out: noise, scale 1." in she.card
    with pytest.raises(SchemaError, match="GuaranteesView was given int"):
        GuaranteesView(5)
