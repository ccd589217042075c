"""Distinct, entropy and recursive diversity against their definitions, term by term."""

import math
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.models import distinct_diversity, entropy_diversity, recursive_diversity

ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("uvwxyz")), min_size=1, max_size=40
)


def table(rows):
    frame = pd.DataFrame(rows, columns=["q", "s"])
    return vk.Microdata(frame, vk.Schema.guess(frame, s="sensitive"))


def counts_of(rows):
    """For each class in order its counts, the largest first."""
    held = {q: Counter(s for r, s in rows if r == q) for q, _ in rows}
    return [sorted(held[q].values(), reverse=True) for q in sorted(held)]


def class_of(counts):
    """A table of one class with these counts."""
    return table([("a", f"v{i}") for i, count in enumerate(counts) for _ in range(count)])


@given(ROWS)
def test_distinct_diversity_counts_the_values_of_each_class(rows):
    expected = [len(counts) for counts in counts_of(rows)]
    found = distinct_diversity(table(rows))
    assert found.per_class.tolist() == expected
    assert found.value == min(expected)


@given(ROWS)
def test_entropy_diversity_is_the_exponential_of_the_sum_of_p_log_p(rows):
    def effective(counts):
        shares = [count / sum(counts) for count in counts]
        return math.exp(-sum(p * math.log(p) for p in shares))

    expected = [effective(counts) for counts in counts_of(rows)]
    assert entropy_diversity(table(rows)).per_class == pytest.approx(expected, rel=1e-9)


@given(ROWS, st.integers(1, 7), st.sampled_from([0.1, 0.3, 0.5, 1, 1.5, 2, 3, 10]))
def test_recursive_diversity_compares_the_largest_count_with_the_tail(rows, ell, c):
    met = [
        len(counts) >= ell and 10 * counts[0] < round(10 * c) * sum(counts[ell - 1 :])
        for counts in counts_of(rows)
    ]
    found = recursive_diversity(table(rows), ell=ell, c=c)
    assert found.met_per_class.tolist() == met
    assert found.met is all(met)


@given(ROWS)
def test_entropy_never_exceeds_the_number_of_values_and_equals_it_when_all_are_even(rows):
    entropy = entropy_diversity(table(rows)).per_class
    distinct = distinct_diversity(table(rows)).per_class
    assert (entropy <= distinct).all()
    even = [len(set(counts)) == 1 for counts in counts_of(rows)]
    assert (entropy == distinct).tolist() == even


@pytest.mark.parametrize("ell", range(1, 60))
def test_equally_frequent_values_are_as_diverse_as_they_are_many_to_the_last_digit(ell):
    for times in (1, 5, 49):
        found = entropy_diversity(class_of([times] * ell), ell=ell)
        assert found.value == ell
        assert found.met is True


def test_unequal_counts_can_reach_a_whole_number_too():
    # A half and four eighths: two bits, as four even values have.
    found = entropy_diversity(class_of([4, 1, 1, 1, 1]), ell=4)
    assert found.value == 4
    assert found.met is True
    assert entropy_diversity(class_of([5, 1, 1, 1, 1]), ell=4).met is False


def test_entropy_may_be_asked_for_in_parts_of_a_value():
    data = class_of([3, 1])
    value = 4 / 27**0.25
    assert entropy_diversity(data).value == pytest.approx(value)
    assert entropy_diversity(data, ell=1.75).met is True
    assert entropy_diversity(data, ell=1.76).met is False


def test_recursive_diversity_is_strict_at_its_threshold():
    data = class_of([3, 6, 1])
    assert recursive_diversity(data, ell=2).value == 1.5
    assert recursive_diversity(data, ell=2, c=1.5).met is False
    assert recursive_diversity(data, ell=2, c=1.5000001).met is True


def test_a_threshold_that_no_binary_fraction_hits_is_still_strict():
    # 55 is not below 1.1 times 50, although floating point makes that product a little more.
    assert 1.1 * 50 > 55
    data = class_of([55, 50])
    assert recursive_diversity(data, ell=2, c=1.1).met is False
    assert recursive_diversity(data, ell=2, c=1.1001).met is True


def test_fewer_values_than_ell_meet_no_c_and_the_verdict_says_why():
    found = recursive_diversity(class_of([2, 2]), ell=3, c=1e9)
    assert found.value == math.inf
    assert found.met is False
    assert "fewer than 3 values" in found.why
    assert "without bound" in repr(found)


def test_ell_one_counts_everyone():
    assert recursive_diversity(class_of([2, 1, 1]), ell=1).value == 0.5


@pytest.mark.parametrize("ell", [0, -1, 2.5, True, "2"])
def test_an_ell_that_counts_nothing_is_refused(ell):
    with pytest.raises(
        vk.RecordError, match=r"ell was given as .*; expected a whole number from 1"
    ):
        distinct_diversity(class_of([1]), ell=ell)
    with pytest.raises(
        vk.RecordError, match=r"ell was given as .*; expected a whole number from 1"
    ):
        recursive_diversity(class_of([1]), ell=ell)


def test_an_entropy_or_a_factor_out_of_range_is_refused():
    with pytest.raises(vk.RecordError, match=r"ell was given as 0.5; expected a number from 1 up"):
        entropy_diversity(class_of([1]), ell=0.5)
    with pytest.raises(vk.RecordError, match="c was given as -1; expected a number from 0 up"):
        recursive_diversity(class_of([1]), ell=2, c=-1)
    with pytest.raises(vk.RecordError, match="c was given as 'much'; expected a number"):
        recursive_diversity(class_of([1]), ell=2, c="much")
