"""The least widest range with overlap, against exhaustive search over all set partitions."""

import inspect

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verikit as vk
from verikit._support.compiled import _machine_code
from verikit.partition import _overlapping, min_max_error


def table(pay):
    frame = pd.DataFrame({"age": np.arange(len(pay)), "pay": np.asarray(pay, float)})
    return vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))


def groups(pay, k, e, **options):
    found = min_max_error(table(pay), k=k, e=e, **options, seed=1).groups()
    return sorted(sorted(np.asarray(pay)[rows].tolist()) for rows in found)


def widest(parts):
    return max(part[-1] - part[0] for part in parts)


def set_partitions(values):
    """Every way to put values into groups."""
    if not values:
        yield []
        return
    first, *rest = values
    for parts in set_partitions(rest):
        yield [[first], *parts]
        for place in range(len(parts)):
            yield [*parts[:place], [first, *parts[place]], *parts[place + 1 :]]


def holds(part, k, e):
    return len(set(part)) >= k and part[-1] - part[0] >= e


def by_search(pay, k, e):
    """The least widest range, and the groups that reach it as sets of values."""
    least, found = np.inf, set()
    for parts in set_partitions(sorted(pay)):
        if all(holds(part, k, e) for part in parts):
            range_ = widest(parts)
            if range_ < least:
                least, found = range_, set()
            if range_ == least:
                found.add(tuple(sorted(map(tuple, parts))))
    return least, found


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-4, 9), min_size=1, max_size=8), st.integers(1, 4), st.integers(0, 6))
def test_the_widest_range_is_the_least_of_all_set_partitions(pay, k, e):
    if len(set(pay)) < k or max(pay) - min(pay) < e:
        with pytest.raises(vk.InfeasibleError):
            groups(pay, k, e, overlapping=True)
        return
    found = groups(pay, k, e, overlapping=True)
    assert sorted(v for part in found for v in part) == sorted(pay)
    assert all(holds(part, k, e) for part in found)
    assert widest(found) == by_search(pay, k, e)[0]
    assert widest(found) <= widest(groups(pay, k, e)) <= 2 * widest(found)


@pytest.mark.parametrize(
    ("pay", "k", "e", "least"),
    [
        ([1, 2, 3, 5, 5, 6, 6, 8], 4, 5, 5),
        ([5, 6, 8, 12], 2, 0, 4),
        ([5, 6, 10], 1, 3, 5),
        ([0, 1, 1, 3, 6, 6, 6, 8], 4, 5, 8),
        ([2, 7, 10], 1, 3, 8),
        ([4, 5], 1, 0, 0),
        ([2, 6, 7, 9, 11], 2, 5, 5),
    ],
)
def test_the_counterexamples_to_the_printed_program_come_out_right(pay, k, e, least):
    assert widest(groups(pay, k, e, overlapping=True)) == by_search(pay, k, e)[0] == least


def test_the_only_optimum_of_the_text_is_found():
    pay = [1, 2, 3, 5, 5, 6, 6, 8]
    least, all_of_them = by_search(pay, 4, 5)
    assert (least, all_of_them) == (5, {((1, 2, 5, 6), (3, 5, 6, 8))})
    assert groups(pay, 4, 5, overlapping=True) == [[1, 2, 5, 6], [3, 5, 6, 8]]
    assert groups(pay, 4, 5) == [sorted(pay)]


def test_where_overlap_does_not_help_the_groups_are_those_of_the_smaller_sum():
    pay = [0, 1, 5, 6, 20, 21]
    assert groups(pay, 2, 0, overlapping=True) == groups(pay, 2, 0)


@given(st.lists(st.integers(0, 12), min_size=6, max_size=40), st.integers(2, 4), st.integers(0, 5))
def test_the_order_of_the_rows_changes_nothing(pay, k, e):
    if len(set(pay)) < k or max(pay) - min(pay) < e:
        return
    data = table(pay)
    order = np.random.default_rng(len(pay)).permutation(len(pay))
    labels = min_max_error(data, k=k, e=e, overlapping=True, seed=1).labels
    mixed = min_max_error(data.take(order), k=k, e=e, overlapping=True, seed=1).labels
    assert mixed.tolist() == labels[order].tolist()


def test_a_thousand_values_are_grouped_as_asked_and_no_wider_than_without_overlap():
    pay = np.random.default_rng(2).lognormal(3, 1, 1000).round(3)
    found = groups(pay, 4, 0.5, overlapping=True)
    assert all(holds(part, 4, 0.5) for part in found)
    assert widest(found) <= widest(groups(pay, 4, 0.5)) <= 2 * widest(found)


def test_whether_ranges_may_overlap_is_yes_or_no():
    with pytest.raises(vk.RecordError, match="overlapping was given as 'perhaps'; expected True"):
        min_max_error(table([1, 2]), k=1, e=0, overlapping="perhaps", seed=1)


def reaches(values, counts, k, e, limit):
    """Whether groups of a limited range hold all: every beginning, end and shared value tried."""
    held = {(0, 0): 0}  # first value above closed groups, first of the open one: most it holds
    for t in range(len(values)):
        for b in range(t, len(values)):
            open_ = {start: d for (at, start), d in held.items() if at == t}
            able = [d for start, d in open_.items() if e <= values[b] - values[start] <= limit]
            if not able or values[b] - values[t] > limit:
                continue
            if max(able) + b - t + 1 >= k:
                held.setdefault((b + 1, b + 1), 0)
            for a in range(t, b + 1):
                several = sum(count > 1 for count in counts[a : b + 1])
                single = b + 1 - a - several
                keep = max(k - max(able) - (a - t) - several, counts[b] == 1, 0)
                if keep <= single - (counts[a] == 1) and b + 1 < len(values):
                    more = several + single - keep
                    held[b + 1, a] = max(held.get((b + 1, a), 0), more)
    return (len(values), len(values)) in held


def by_plain_search(pay, k, e):
    values, counts = np.unique(np.asarray(pay, float), return_counts=True)
    apart = sorted({float(high - low) for low in values for high in values if high >= low})
    low, high = 0, len(apart) - 1
    while low < high:
        middle = (low + high) // 2
        fits = reaches(values.tolist(), counts.tolist(), k, e, apart[middle])
        low, high = (low, middle) if fits else (middle + 1, high)
    return apart[low]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 45), min_size=8, max_size=34), st.integers(1, 5), st.integers(0, 14))
def test_nothing_is_lost_by_looking_only_where_something_can_become_better(pay, k, e):
    if len(set(pay)) < k or max(pay) - min(pay) < e:
        return
    found = groups(pay, k, e, overlapping=True)
    assert all(holds(part, k, e) for part in found)
    assert widest(found) == by_plain_search(pay, k, e)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), st.sampled_from([0, 0.5, 3]))
def test_the_same_groups_come_out_with_and_without_numba(seed, k, e):
    pay = np.random.default_rng(seed).choice(np.arange(900) / 7, 500)
    pytest.importorskip("numba")
    plain = min_max_error(table(pay), k=k, e=e, overlapping=True, seed=1).labels
    with pytest.MonkeyPatch.context() as patch:
        for loop in (
            _overlapping._close_at_once,
            _overlapping._find_range_needed,
            _overlapping._search_states,
        ):
            patch.setattr(_overlapping, loop.__name__, _machine_code(inspect.unwrap(loop)))
        fast = min_max_error(table(pay), k=k, e=e, overlapping=True, seed=1).labels
    assert plain.tolist() == fast.tolist()


@pytest.mark.parametrize(("k", "e"), [(4, 0.5), (4, 10), (20, 0)])
def test_ten_thousand_different_values_take_seconds_where_groups_are_much_narrower_than_the_widest(
    k, e
):
    pay = np.random.default_rng(3).lognormal(3, 1, 10_000)
    found = groups(pay, k, e, overlapping=True)
    assert all(holds(part, k, e) for part in found)
    assert widest(found) <= widest(groups(pay, k, e)) <= 2 * widest(found)
