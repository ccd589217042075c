"""Membership and attribute inference beside their control attacks and naive guesses."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.intruder import Baseline, attribute_inference, membership

NAMES = list("abc")


def table(rows, names="XYZ", **kinds):
    frame = pd.DataFrame(rows, columns=list(names[: len(rows[0])]))
    return vk.Microdata(frame, vk.Schema.guess(frame, **kinds))


def normal(n, seed, rho=0.0, m=3):
    rng = np.random.default_rng(seed)
    values = np.sqrt(rho) * rng.normal(size=(n, 1)) + np.sqrt(1 - rho) * rng.normal(size=(n, m))
    return vk.Microdata(pd.DataFrame(values, columns=NAMES[:m]))


# -- by hand ---------------------------------------------------------------------------------------


def test_as_many_as_are_in_the_table_are_said_to_be_those_who_lie_closest():
    """Four rows on a line. Of three others one lies on it too, and so as close as the fourth."""
    data = table([(1, 1), (2, 2), (3, 3), (4, 4)])
    control = table([(1, 4), (4, 1), (2, 2)])
    found = membership(data, vk.TableRelease.of(data.frame), control=control)
    assert (found.found, found.control, found.naive) == (1, 1 / 3, 5 / 7)
    assert found.risk == 1
    assert found.pairs == pytest.approx((2 + 1 / 2) / 3)


def test_a_category_is_guessed_from_the_closest_row_and_by_lot_from_any():
    """The closest rows are 0, 10, 30 and 20 for the four, 0 and 20 for the two others."""
    release = vk.TableRelease.of(table([(0, "p"), (10, "q"), (20, "r"), (30, "s")]).frame)
    data = table([(1, "p"), (11, "q"), (29, "r"), (19, "r")])
    control = table([(4, "p"), (16, "p")])
    found = attribute_inference(data, release, secret="Y", control=control)
    assert (found.found, found.control, found.naive) == (3 / 4, 1 / 2, 1 / 4)
    assert found.risk == 1 / 2


def test_of_several_closest_rows_one_is_taken_by_lot():
    release = vk.TableRelease.of(table([(0, "p"), (0, "q"), (0, "p"), (9, "q")]).frame)
    data, control = table([(0, "p")]), table([(8, "q")])
    found = attribute_inference(data, release, secret="Y", control=control)
    assert (found.found, found.control) == (2 / 3, 1)
    assert found.risk == 0, "others are guessed better"


def test_a_number_counts_as_guessed_within_a_share_of_the_places():
    """Ten rows; with a tolerance of a tenth the place beside the true one will do."""
    rows = [(10 * i, i) for i in range(10)]
    release = vk.TableRelease.of(table(rows).frame)
    data = table([(0, 0), (10, 2), (20, 4)])
    for tolerance, right, lot in ((0, 1, 1), (0.1, 2, 8 / 3), (0.2, 3, 13 / 3)):
        found = attribute_inference(data, release, secret="Y", control=data, tolerance=tolerance)
        assert found.found == pytest.approx(right / 3)
        assert found.naive == pytest.approx(lot / 10)


def test_the_interval_of_the_risk_carries_the_errors_of_both_shares():
    """Wilson: .9 of 100 is .82563 to .94477, .5 of 100 is .40383 to .59617."""
    found = Baseline("membership", "", 100, 100, found=0.9, control=0.5, naive=0.7)
    middle, half = (0.94477 + 0.82563) / 2, (0.94477 - 0.82563) / 2
    open_, other = 0.5, (0.59617 - 0.40383) / 2
    risk = 1 - (1 - middle) / open_
    error = np.hypot(half / open_, other * (1 - middle) / open_**2)
    assert found.interval == pytest.approx((risk - error, risk + error), abs=2e-5)
    assert Baseline("membership", "", 9, 9, found=1, control=1, naive=1).risk == 0


# -- what they find --------------------------------------------------------------------------------


def test_strangers_are_told_apart_from_a_table_as_it_is_and_not_from_fresh_draws():
    inside, outside = normal(400, 1), normal(400, 2)
    as_it_is = membership(inside, vk.TableRelease.of(inside.frame), control=outside)
    assert as_it_is.risk > 0.9
    assert as_it_is.pairs > 0.95
    assert as_it_is.works
    drawn = vk.TableRelease.of(normal(400, 3).frame)
    unrelated = membership(inside, drawn, control=outside)
    assert not unrelated.works
    assert unrelated.pairs == pytest.approx(0.5, abs=0.06)
    assert "no better than a naive guess and shows nothing" in repr(unrelated)


def test_means_of_three_give_membership_away_although_nobody_is_matched_exactly():
    """All rows have copies, and no person lies at 0 places from one."""
    inside, outside = normal(400, 1), normal(400, 2)
    release = vk.mask.microaggregate(inside, k=3, method="mdav", seed=1).release
    found = membership(inside, release, control=outside)
    assert found.works
    assert found.pairs > 0.65
    assert found.found - found.control > 0.2


def test_more_noise_leaves_less_of_membership():
    inside, outside = normal(400, 1), normal(400, 2)
    found = [
        membership(inside, vk.mask.noise(inside, scale=s, seed=3).release, control=outside).pairs
        for s in (0.01, 0.1, 0.5)
    ]
    assert found[0] > found[1] > found[2] > 0.45


def test_what_columns_tell_of_everybody_is_no_risk_of_having_been_in_the_table():
    """Correlated columns let the third be guessed of people who are not in the table as well."""
    inside, outside = normal(600, 1, rho=0.95), normal(600, 2, rho=0.95)
    release = vk.mask.noise(inside, scale=0.3, seed=3).release
    found = attribute_inference(inside, release, secret="c", control=outside)
    assert found.works
    assert found.found > found.naive + 0.05
    assert not found.more_than_control
    assert "made no difference that can be told from chance" in repr(found)


def test_a_published_value_beside_exact_ones_is_read_off():
    inside, outside = normal(300, 1), normal(300, 2)
    found = attribute_inference(
        inside, vk.TableRelease.of(inside.frame), secret="b", control=outside, known=["a"]
    )
    assert found.found == 1
    assert found.naive == pytest.approx(0.1, abs=0.01)
    assert found.interval[0] > 0.9
    assert repr(found).startswith("inference of b (300 people, 300 others): Who knows the other")


# -- what is refused -------------------------------------------------------------------------------


def test_requests_that_make_no_sense_are_refused():
    data = table([(1, 2), (3, 4)])
    release = vk.TableRelease.of(data.frame)
    with pytest.raises(vk.RecordError, match="'X' is known; name another attribute"):
        attribute_inference(data, release, secret="X", control=data, known=["X"])
    with pytest.raises(vk.RecordError, match="secret attribute was given as 'W'; the original has"):
        attribute_inference(data, release, secret="W", control=data)
    with pytest.raises(vk.RecordError, match="tolerance was given as 5; expected a share"):
        attribute_inference(data, release, secret="X", control=data, tolerance=5)
    with pytest.raises(vk.SchemaError, match="must have another attribute, which"):
        attribute_inference(data.only("X"), release, secret="X", control=data)
    with pytest.raises(vk.SchemaError, match="must have 'Y', which membership goes by"):
        membership(data, release, control=data.only("X"))
    with pytest.raises(vk.SchemaError, match="The control has no records"):
        membership(data, release, control=data.take(np.arange(0)))


def test_missing_values_are_refused_by_the_name_of_their_column():
    data = table([(1.0, "p"), (2.0, "q")])
    gap = vk.Microdata(pd.DataFrame({"X": [1.0, None], "Y": ["p", None]}), data.schema)
    release = vk.TableRelease.of(data.frame, data.schema)
    with pytest.raises(vk.SchemaError, match="'X' of the control has 1 missing value"):
        membership(data, release, control=gap)
    known = vk.Microdata(gap.frame.assign(X=[1.0, 2.0]), data.schema)
    with pytest.raises(vk.SchemaError, match="'Y' of the control has 1 missing value, of which"):
        attribute_inference(data, release, secret="Y", control=known)
