"""Noise on a column's own grid: what is published looks like the column, and is said."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk

PEOPLE = vk.Microdata(
    pd.DataFrame(
        {
            "age": np.arange(17, 77),
            "pay": np.arange(60) * 500 + 1000,
            "size": np.arange(60) / 4 + 1.5,
        }
    )
)


def masked(**options):
    return vk.mask.noise(PEOPLE, scale=2, seed=7, **options)


def test_without_a_grid_all_digits_are_published_as_before():
    release = masked().release
    assert release.parameters.keys() == {"scale", "scale_digits"}
    assert (release.frame["age"] % 1 != 0).all()


def test_the_own_grid_is_the_largest_power_of_ten_that_fits_every_value():
    release = masked(grid="own").release
    assert release.parameters["grid"] == {"age": 1, "pay": 100, "size": 0.01}
    assert (release.frame["age"] % 1 == 0).all()
    assert (release.frame["pay"] % 100 == 0).all()
    assert release.frame["size"].map(lambda v: len(repr(v).partition(".")[2]) <= 2).all()


def test_rounding_moves_no_value_by_more_than_half_a_step():
    plain, rounded = (pair.key.undo(pair.release).frame for pair in (masked(), masked(grid="own")))
    for name, step in {"age": 1, "pay": 100, "size": 0.01}.items():
        assert (plain[name] - rounded[name]).abs().max() <= step / 2 + 1e-9


def test_limits_hold_even_where_rounding_would_leave_them():
    release = masked(grid={"age": 10}, limits={"age": [17, 76]}).release
    assert set(release.frame["age"]) <= {20, 30, 40, 50, 60, 70}
    assert release.parameters["limits"] == {"age": [17, 76]}
    assert {20, 70} <= set(release.frame["age"])


def test_a_column_that_is_left_as_it_is_is_neither_rounded_nor_cut():
    scale = {"age": 0, "pay": 2, "size": 2}
    release = vk.mask.noise(PEOPLE, scale=scale, grid="own", seed=7).release
    assert sorted(release.frame["age"]) == list(range(17, 77))
    assert "age" not in release.parameters["grid"]


def test_the_audit_and_whoever_repeats_the_method_see_the_rounded_values():
    data = PEOPLE.only("age")
    release, key = vk.mask.noise(data, scale=0.01, grid={"age": 10}, seed=7)
    assert vk.audit(data, release, key).protector.max() == 0  # a rounded age keeps its block
    again = vk.protector.reporting(data, release, seed=3)
    exact = vk.mask.noise(data, scale={"age": release.parameters["scale"]["age"]}, seed=7)
    assert again.reported_links < vk.protector.reporting(data, exact.release, seed=3).reported_links


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"grid": "mine"}, "grid was given as 'mine'; expected 'own', or a step"),
        ({"grid": {"age": 0}}, "grid of 'age' was given as 0; expected a number from"),
        ({"grid": {"hair": 1}}, "grid names 'hair', which is not masked"),
        ({"limits": [0, 1]}, "limits were given as .*; expected the lowest and the highest value"),
        ({"limits": {"age": [5]}}, "limits of 'age' were given as .*; expected the lowest and"),
        ({"limits": {"age": [9, 5]}}, "were given as 9 and 5; expected the lower one first"),
        ({"limits": {"age": [1, 9]}, "grid": {"age": 50}}, "No multiple of 50 lies within"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(options, said):
    with pytest.raises(vk.VerikitError, match=said):
        masked(**options)
