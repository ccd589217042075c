"""Diversity of the released values within a window of ranks."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import RecordError
from verikit.ranks.spread import (
    MEASURES,
    Criterion,
    count_represented,
    ordered_distance,
    smallest_diversity,
    window_variances,
)

numbers = st.lists(st.integers(0, 12).map(float), min_size=1, max_size=12).map(sorted).map(np.array)


def test_one_outlier_buys_variance_but_not_robust_variance():
    plain, bought = np.arange(1000.0, 1009), np.r_[1000.0:1008, 9000]
    variance, robust = Criterion("variance"), Criterion("robust variance")
    assert variance.measure(plain, plain) == pytest.approx(6.667, abs=1e-3)
    assert variance.measure(bought, bought) > 6.3e6
    assert robust.measure(bought, bought) == pytest.approx(5.25)


def test_the_second_window_of_record_3_falls_from_155_to_22_66():
    window = vk.published("dm_table1_masked").ordered("X2")[:3]
    assert Criterion("variance").measure(window, window) == pytest.approx(155.00, abs=0.005)
    assert Criterion("robust variance").measure(window, window) == pytest.approx(22.66, abs=0.005)


@given(numbers)
def test_robust_variance_is_the_smallest_over_all_ways_to_drop_a_tenth(window):
    import itertools

    kept = len(window) - int(np.ceil(0.1 * len(window)))
    ways = itertools.combinations(window, kept) if kept else [(0.0,)]
    smallest = min(np.var(way) for way in ways)
    found = Criterion("robust variance").measure(window, window)
    assert found == pytest.approx(smallest, abs=1e-9)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.fractions(Fraction(1, 4), 4))
def test_recursive_diversity_is_the_largest_ell_that_its_definition_allows(counts, c):
    r = sorted(counts, reverse=True)
    allowed = [ell for ell in range(1, len(r) + 1) if r[0] < c * sum(r[ell - 1 :])]
    assert count_represented(np.array(counts), float(c)) == max(allowed, default=0)


@given(numbers, st.integers(1, 5))
def test_packing_is_the_largest_set_of_values_that_lie_apart(window, apart):
    import itertools

    def lie_apart(values):
        return all(b - a >= apart for a, b in itertools.combinations(values, 2))

    largest = max(
        size
        for size in range(1, len(window) + 1)
        if any(map(lie_apart, itertools.combinations(window, size)))
    )
    assert Criterion("packing", apart=apart).measure(window, window) == largest


def test_entropy_of_four_equally_frequent_values_is_the_logarithm_of_four():
    window = np.array([1.0, 1, 2, 2, 3, 3, 4, 4])
    assert Criterion("entropy").measure(window, window) == pytest.approx(np.log(4))
    assert Criterion("distinct").measure(window, window) == 4
    assert Criterion("entropy").measure(np.ones(5), window) == 0


def test_the_distance_of_salaries_from_the_whole_column_is_the_known_one():
    """The two examples of t-closeness on nine salaries: 0.375 and 0.167."""
    whole = np.arange(3.0, 12)
    assert ordered_distance(np.array([3.0, 4, 5]), whole) == pytest.approx(0.375)
    assert ordered_distance(np.array([6.0, 8, 11]), whole) == pytest.approx(0.1667, abs=1e-4)


@given(numbers, st.data())
def test_the_smallest_diversity_is_over_all_ranks_of_a_tied_value(column, data):
    place = data.draw(st.integers(0, len(column) - 1))
    first = int(np.searchsorted(column, column[place], "left")) + 1
    last = int(np.searchsorted(column, column[place], "right"))
    distance = data.draw(st.integers(0, len(column)))
    for name in ("variance", "distinct", "entropy", "t-closeness", "robust variance"):
        criterion = Criterion(name)
        each = [
            criterion.measure(column[max(r - 1 - distance, 0) : r + distance], column)
            for r in range(first, last + 1)
        ]
        expected = max(each) if name == "t-closeness" else min(each)
        found = smallest_diversity(column, first, last, distance, criterion)
        assert found == pytest.approx(expected, abs=1e-9)


@given(numbers, st.data())
def test_the_smallest_diversity_of_a_value_half_way_is_over_the_ranks_of_both_sides(column, data):
    values = np.unique(column)
    if len(values) < 2:
        values = column = np.r_[column, column[-1] + 1]
    below = data.draw(st.integers(0, len(values) - 2))
    first = int(np.searchsorted(column, values[below], "left")) + 1
    last = int(np.searchsorted(column, values[below + 1], "right"))
    distance = data.draw(st.integers(0, 4))
    for name in ("variance", "distinct", "entropy", "t-closeness", "robust variance"):
        criterion = Criterion(name)
        each = [
            criterion.measure(column[max(r - 1 - distance, 0) : r + distance], column)
            for r in range(first, last + 1)
        ]
        expected = max(each) if name == "t-closeness" else min(each)
        found = smallest_diversity(column, first, last, distance, criterion)
        assert found == pytest.approx(expected, abs=1e-9)


def test_a_requirement_is_not_met_on_one_side_only_of_a_value_half_way():
    """1 lies half-way between 0 and 2; around the middle 2 of three nothing varies."""
    frame = pd.DataFrame({"x": [0, 2, 2, 2, 9, 10], "y": [1, 2, 3, 4, 6, 5]})
    asked = {"distance": {"x": 1}, "diversity": {"x": 0.5}}
    report = vk.check({"x": 1, "y": 6}, vk.TableRelease.of(frame), **asked)
    assert report.attributes["diversity"][0] == 0
    assert report.met is False
    hers = frame.assign(x=[1, 2, 2, 2, 9, 10])
    found = vk.audit(vk.Microdata(hers), vk.TableRelease.of(frame), vk.Key.of(range(6)), **asked)
    assert found.diversity[0, 0] == 0


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_running_sums_give_the_variance_of_each_window(scale):
    rng = np.random.default_rng(5)
    column = np.sort(rng.normal(100, 15, 5000)) * scale
    centre = rng.integers(1, 5001, 200)
    reach = rng.choice([0, 1, 5, 15, 16, 40, 700], 200)
    low, high = np.maximum(centre - reach, 1), np.minimum(centre + reach, 5000)
    expected = [column[a - 1 : b].var() for a, b in zip(low, high, strict=True)]
    np.testing.assert_allclose(window_variances(column, low, high), expected, rtol=1e-6)


def test_an_unknown_criterion_is_refused_with_the_known_ones():
    with pytest.raises(RecordError, match=f"'range'; choose one of {', '.join(MEASURES)}"):
        Criterion("range")


@pytest.mark.parametrize("size", [3, 7, 31, 101])
def test_values_that_are_all_equal_do_not_vary_at_all(size):
    """The mean of many equal numbers may differ from them in its last digit."""
    column = np.r_[0.0, np.full(size, 0.1), 99.7]
    for name in ("variance", "robust variance"):
        assert Criterion(name).measure(column[1:-1], column) == 0
    assert window_variances(column, np.array([2]), np.array([size + 1])).tolist() == [0]


def test_packing_asks_for_the_difference_that_counts():
    with pytest.raises(RecordError, match=r"Criterion\('packing', apart=5\)"):
        Criterion("packing")


def held_as(window, column):
    """A window as a class beside the rest of its column, for the models to measure."""
    rest = list(column)
    for value in window:
        rest.remove(value)
    values = [*window, *rest]
    frame = pd.DataFrame({"q": ["in"] * len(window) + ["out"] * len(rest), "s": values})
    return vk.Microdata(frame.astype({"s": float}), vk.Schema.guess(frame, s="sensitive"))


@pytest.mark.parametrize("ell", range(2, 13))
def test_equally_frequent_values_are_as_diverse_as_the_logarithm_of_their_number(ell):
    """For requirements written in any way, in every order of adding up, as the model says."""
    entropy = Criterion("entropy")
    for times in (1, 3, 7):
        window = np.repeat(np.arange(float(ell)), times)
        spread = entropy.measure(window, window)
        for required in (math.log(ell), float(np.log(ell)), -math.log(1 / ell)):
            assert entropy.holds(spread, required)
            assert entropy.holds_all(np.array([spread]), required).all()
        assert not entropy.holds(spread, math.log(ell + 0.001))
        assert not entropy.holds(entropy.measure(window[:-1], window), math.log(ell))
        assert vk.models.entropy_diversity(held_as(window, window), ell=ell).met


def test_closeness_is_the_fraction_it_is_and_holds_at_its_border():
    """The earth mover's distance of windows, in fractions, and what the model says of the same."""
    rng, closeness = np.random.default_rng(1), Criterion("t-closeness")
    for _ in range(300):
        column = np.sort(rng.integers(0, 7, int(rng.integers(2, 25)))).astype(float)
        low = int(rng.integers(len(column)))
        window = column[low : int(rng.integers(low, len(column))) + 1]
        values = sorted(set(column))
        if len(values) < 2:
            continue
        share = lambda part, v: Fraction(int((part <= v).sum()), len(part))  # noqa: E731
        work = sum(abs(share(window, v) - share(column, v)) for v in values)
        exact = work / (len(values) - 1)
        found = closeness.measure(window, column)
        assert found == float(exact)
        assert closeness.holds(found, float(exact))
        assert not closeness.holds(found, math.nextafter(float(exact), -1))
        verdict = vk.models.t_closeness(held_as(window, column), t=float(exact), ground="ordered")
        assert verdict.per_record[0] == found


def test_three_tenths_are_at_most_three_tenths():
    window, column = np.array([0.0, 1.0]), np.array([0.0] * 8 + [1.0] * 2)
    assert ordered_distance(window, column) == 0.3
    assert Criterion("t-closeness").holds(ordered_distance(window, column), 0.3)
