"""The order of many numbers is that of argsort, however alike their bits are."""

import numpy as np
import pytest

from verikit.partition import _numeric_order
from verikit.partition._numeric_order import sort_numbers


@pytest.fixture(autouse=True)
def packed(monkeypatch):
    monkeypatch.setattr(_numeric_order, "PACKED_FROM", 2)


def rises(scores):
    order, ordered = sort_numbers(scores)
    assert sorted(order.tolist()) == list(range(len(scores)))
    assert ordered.tolist() == scores[order].tolist()
    return bool((ordered[1:] >= ordered[:-1]).all())


@pytest.mark.parametrize("seed", range(20))
def test_random_numbers_of_every_size_come_out_in_order(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 4000))
    assert rises(rng.normal(0, 10.0 ** rng.integers(-300, 300), size))
    assert rises(rng.integers(-5, 5, size).astype(float))


def test_numbers_that_differ_in_their_last_bit_only_come_out_in_order():
    close = 1 + np.arange(500) * np.spacing(1.0)
    assert rises(np.random.default_rng(1).permutation(close))
    assert rises(np.random.default_rng(1).permutation(-close))


def test_many_of_them_are_sorted_again_at_once(monkeypatch):
    monkeypatch.setattr(_numeric_order, "MAX_REPAIRS", 3)
    close = 1 + np.arange(500) * np.spacing(1.0)
    assert rises(np.random.default_rng(1).permutation(close))


def test_zeros_of_both_signs_are_equal_and_the_ends_of_floats_are_kept():
    most = np.finfo(float).max
    assert rises(np.array([0.0, -0.0, most, -most, 5e-324, -5e-324, 0.0, 1.0]))
    assert sorted(sort_numbers(np.array([-0.0, 0.0, -1.0]))[0].tolist()[1:]) == [0, 1]
