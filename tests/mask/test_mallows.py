"""Orders drawn by their distance: each has its chance, however many records there are."""

from itertools import combinations, permutations
from math import exp

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

import verikit as vk
from verikit.mask._mallows import order_items


def kendall(order):
    """How many pairs stand the other way round."""
    return sum(a > b for a, b in combinations(order, 2))


@pytest.mark.parametrize("theta", [0, 0.3, 1.5])
def test_every_order_comes_as_often_as_its_distance_says(theta):
    values = [10.0, 20.0, 30.0, 40.0]
    data = vk.Microdata(pd.DataFrame({"a": values, "b": values[::-1]}))
    weights = {order: exp(-theta * kendall(order)) for order in permutations(values)}
    draw = vk.mask.METHODS["mallows"].again(data, theta=theta)
    rng, many, total = np.random.default_rng(1), 6000, sum(weights.values())
    for name in ("a", "b"):
        seen = dict.fromkeys(weights, 0)
        for _ in range(many):
            drawn = draw(rng)[name]
            seen[tuple((drawn if name == "a" else drawn[::-1]).tolist())] += 1
        told = {order: many * weight / total for order, weight in weights.items()}
        apart = sum((seen[order] - told[order]) ** 2 / told[order] for order in told)
        assert apart < chi2.isf(1e-6, len(told) - 1)


@given(st.integers(1, 400), st.integers(0, 2**32), st.sampled_from([0.02, 0.5, 1]))
def test_blocks_are_merged_into_what_inserting_one_by_one_gives(n, seed, share):
    rng = np.random.default_rng(seed)
    steps = (rng.random(n) * (np.arange(n) * share + 1)).astype(np.int64)
    steps = np.minimum(steps, np.arange(n))
    plain = []
    for item, back in enumerate(steps.tolist()):
        plain.insert(len(plain) - back, item)
    assert order_items(steps).tolist() == plain


def test_equal_values_are_ordered_at_random_so_no_place_tells_who_had_which():
    data = vk.Microdata(pd.DataFrame({"a": [1, 1, 1, 2]}), vk.Schema((vk.Column("a"),)))
    draw, rng = vk.mask.METHODS["mallows"].again(data, theta=2), np.random.default_rng(1)
    got = np.array([draw(rng)["a"] == 2 for _ in range(6000)]).mean(axis=0)
    assert got[:3] == pytest.approx([got[:3].mean()] * 3, abs=0.02)
    assert got[3] > 0.8


def test_values_of_long_columns_move_about_one_over_theta_ranks():
    data = vk.Microdata(pd.DataFrame({"a": np.arange(20_000.0)}))
    moved = vk.mask.METHODS["mallows"].again(data, theta=0.01)(np.random.default_rng(1))["a"]
    assert 60 < np.abs(moved - np.arange(20_000)).mean() < 140
    assert sorted(moved) == list(range(20_000))


@pytest.mark.parametrize(
    ("theta", "said"),
    [(-1, "theta of 'a' was given as -1"), ({"b": 1}, "lacks 'a' and names 'b'")],
)
def test_a_theta_that_is_none_is_refused(theta, said):
    with pytest.raises(vk.VerikitError, match=said):
        vk.mask.mallows(vk.Microdata({"a": [1, 2]}), theta=theta, seed=1)
