"""Partitions of a number against exhaustive search and the text's own dynamic programs."""

from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.partition import _numeric_order
from verikit.partition._numeric_order import last_starts

CONSECUTIVE = [vk.partition.min_sum_error, vk.partition.min_max_error, vk.partition.max_groups]


def table(pay):
    frame = pd.DataFrame({"age": np.arange(len(pay)), "pay": np.asarray(pay, float)})
    return vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))


def groups(data, partition):
    pay = data.frame["pay"].to_numpy()
    return [np.sort(pay[rows]) for rows in partition.groups()]


def errors(data, partition):
    return [group[-1] - group[0] for group in groups(data, partition)]


def holds(group, k, e):
    return len(set(group)) >= k and group[-1] - group[0] >= e


def cuts(pay, k, e):
    """Every way to cut the sorted values into blocks that meet k and e."""
    pay = sorted(pay)
    for number in range(len(pay)):
        for inner in combinations(range(1, len(pay)), number):
            blocks = [pay[a:b] for a, b in pairwise((0, *inner, len(pay)))]
            if all(holds(block, k, e) for block in blocks):
                yield blocks


def by_search(pay, k, e):
    """The least sum, the least widest range with its least sum, and the most groups."""
    found = [([b[-1] - b[0] for b in blocks], len(blocks)) for blocks in cuts(pay, k, e)]
    widest = min(max(part) for part, _ in found)
    return (
        min(sum(part) for part, _ in found),
        (widest, min(sum(part) for part, _ in found if max(part) == widest)),
        max(count for _, count in found),
    )


def algorithm_1(pay, k, e, combine):
    """The text's program in its step order, with f[0] = 0: O(n^2)."""
    x = [None, *sorted(pay)]
    f = [0.0] + [np.inf] * len(pay)
    for i in range(1, len(x)):
        distinct = set()
        for d in range(i, 0, -1):
            distinct.add(x[d])
            error = x[i] - x[d] if len(distinct) >= k and x[i] - x[d] >= e else np.inf
            f[i] = min(f[i], combine(f[d - 1], error))
    return f[-1]


multisets = st.lists(st.integers(-6, 9), min_size=1, max_size=9)


@given(multisets, st.integers(1, 4), st.integers(0, 6))
def test_each_optimum_is_that_of_exhaustive_search(pay, k, e):
    data = table(pay)
    if len(set(pay)) < k or max(pay) - min(pay) < e:
        for make in CONSECUTIVE:
            with pytest.raises(InfeasibleError):
                make(data, k=k, e=e, seed=1)
        return
    by_sum, (by_max, its_sum), most = by_search(pay, k, e)
    found = [make(data, k=k, e=e, seed=1) for make in CONSECUTIVE]
    assert all(holds(group, k, e) for part in found for group in groups(data, part))
    assert sum(errors(data, found[0])) == by_sum
    assert (max(errors(data, found[1])), sum(errors(data, found[1]))) == (by_max, its_sum)
    assert len(found[2]) == most


@pytest.mark.parametrize(("seed", "records"), [(0, 900), (1, 600), (2, 600)])
def test_the_program_of_the_text_gives_the_same_up_to_two_thousand_records(seed, records):
    pay = np.round(np.random.default_rng(seed).lognormal(3, 1, records), 1).tolist()
    data = table(pay)
    by_sum = algorithm_1(pay, 5, 2.0, lambda before, error: before + error)
    found = vk.partition.min_sum_error(data, k=5, e=2, seed=1)
    assert all(holds(group, 5, 2) for group in groups(data, found))
    assert sum(errors(data, found)) == pytest.approx(by_sum)
    by_max = algorithm_1(pay, 5, 2.0, max)
    found = vk.partition.min_max_error(data, k=5, e=2, seed=1)
    assert all(holds(group, 5, 2) for group in groups(data, found))
    assert max(errors(data, found)) == pytest.approx(by_max)


def most_groups(pay, k, e):
    """The text's program for the most groups, with one group for one and sums of groups."""
    x, f = sorted(pay), [0.0] + [-np.inf] * len(pay)
    for i in range(1, len(x) + 1):
        distinct = set()
        for d in range(i - 1, -1, -1):
            distinct.add(x[d])
            if len(distinct) >= k and x[i - 1] - x[d] >= e:
                f[i] = max(f[i], f[d] + 1)
    return f[-1]


def test_the_program_of_the_text_finds_as_many_groups_at_nine_hundred_records():
    pay = np.round(np.random.default_rng(5).lognormal(3, 1, 900), 1).tolist()
    assert len(vk.partition.max_groups(table(pay), k=5, e=2, seed=1)) == most_groups(pay, 5, 2.0)


@pytest.mark.parametrize("overlapping", [False, True])
@pytest.mark.parametrize(("k", "e"), [(5, 0), (1, 12), (5, 12)])
def test_at_the_limits_of_k_and_e_one_group_is_left(k, e, overlapping):
    data = table([-3, 0, 2, 2, 4, 9])
    for make in (*CONSECUTIVE, vk.partition.sequential):
        assert len(make(data, k=k, e=e, seed=1)) == 1
    assert len(vk.partition.min_max_error(data, k=k, e=e, overlapping=overlapping, seed=1)) == 1


@pytest.mark.parametrize("make", CONSECUTIVE)
@pytest.mark.parametrize("kind", ["different", "tied"])
def test_a_large_table_gets_the_same_groups_with_and_without_numba(make, kind, monkeypatch):
    rng = np.random.default_rng(7)
    pay = rng.lognormal(3, 1, 210_000) if kind == "different" else rng.integers(-500, 500, 210_000)
    data = table(pay)
    fast = make(data, k=5, e=1, seed=1).labels
    monkeypatch.setattr("verikit._support.compiled.has_numba", lambda: False)
    monkeypatch.setattr("verikit.partition._numeric_order.PACKED_FROM", 10**9)
    assert (make(data, k=5, e=1, seed=1).labels == fast).all()


@given(
    st.lists(st.floats(-30, 30, width=32).map(float) | st.integers(-20, 20), min_size=1),
    st.integers(1, 7),
    st.sampled_from([0.0, 0.5, 1.0, 3.0, 20.0]),
)
def test_a_group_may_begin_with_the_last_value_that_is_far_enough_below(pay, k, e):
    values = np.unique(np.array(pay, float))
    for at, last in enumerate(last_starts(values, k, e).tolist()):
        fits = [d for d in range(at - k + 2) if values[at] - values[d] >= e]
        assert last == max(fits, default=-1)


def test_the_printed_start_of_algorithm_1_never_gives_a_value():
    pay, k, e = [1, 2, 10, 11], 2, 0
    assert algorithm_1(pay, k, e, lambda before, error: before + error) == 2
    assert algorithm_1(pay, k, e, max) == 1, "printed with max it solves the other problem"


def test_the_last_beginning_is_not_always_the_best():
    data = table([0, 1, 5, 6, 7])
    found = vk.partition.min_max_error(data, k=2, e=0, seed=1)
    assert max(errors(data, found)) == 2


def test_overlapping_groups_of_the_book_reach_5_and_consecutive_ones_7():
    data = table([1, 2, 3, 5, 5, 6, 6, 8])
    assert errors(data, vk.partition.min_max_error(data, k=4, e=5, seed=1)) == [7]


def test_the_most_groups_may_share_a_boundary_value():
    assert len(vk.partition.max_groups(table([0, 2, 2, 8]), k=1, e=1, seed=1)) == 2
    assert len(vk.partition.max_groups(table([0, 1, 5, 5]), k=2, e=0, seed=1)) == 1


@given(multisets.filter(lambda pay: len(set(pay)) > 2), st.integers(0, 99))
def test_a_random_filling_meets_what_was_asked_whatever_the_order_of_the_rows(pay, seed):
    data = table(pay)
    found = vk.partition.sequential(data, k=2, e=1, seed=seed)
    assert all(holds(group, 2, 1) for group in groups(data, found))
    turned = vk.partition.sequential(data.take(np.arange(len(pay))[::-1]), k=2, e=1, seed=seed)
    assert turned.labels[::-1].tolist() == found.labels.tolist()


@pytest.mark.parametrize("make", CONSECUTIVE)
@given(pay=multisets.filter(lambda pay: len(set(pay)) > 1))
def test_groups_do_not_depend_on_the_order_of_the_rows(make, pay):
    data = table(pay)
    order = np.random.default_rng(len(pay)).permutation(len(pay))
    labels = make(data, k=2, e=0, seed=1).labels
    assert make(data.take(order), k=2, e=0, seed=1).labels.tolist() == labels[order].tolist()


def test_differences_are_judged_as_the_numbers_are_stored():
    """0.3 - 0.1 is less than 0.2 in binary floats, so these two are not 0.2 apart."""
    with pytest.raises(
        InfeasibleError, match=r"largest e that can be reached is 0\.19999999999999998"
    ):
        vk.partition.min_sum_error(table([0.1, 0.3]), k=2, e=0.2, seed=1)


@pytest.mark.parametrize("make", CONSECUTIVE)
@pytest.mark.parametrize(
    ("pay", "k", "e", "error", "sentence"),
    [
        ([1, 2, 2], 3, 0, InfeasibleError, "k was given as 3, but 'pay' has 2 different values"),
        ([1, 2, 2], 2, 5, InfeasibleError, "largest e that can be reached is 1"),
        ([1, 2], 0, 0, RecordError, "k was given as 0; expected a whole number from 1 up"),
        ([1, 2], True, 0, RecordError, "k was given as True"),
        ([1, 2], 1, -1, RecordError, "e was given as -1; expected a number from 0 up"),
        ([1, 2], 1, "wide", RecordError, "'e' was given as 'wide'; expected a number"),
        ([1, 2], 1, np.inf, RecordError, "e.* was given as inf; expected a"),
        ([1, 2], 1, np.nan, RecordError, "e.* was given as nan; expected a"),
        ([1, 2], 2.0, 0, RecordError, "k was given as 2.0; expected a whole number"),
        ([1, None, 3], 1, 0, SchemaError, "1 missing value"),
    ],
)
def test_what_cannot_be_met_is_refused_with_what_can(make, pay, k, e, error, sentence):
    with pytest.raises(error, match=sentence):
        make(table(pay), k=k, e=e, seed=1)


def test_a_column_of_categories_cannot_be_kept_apart():
    with pytest.raises(SchemaError, match=r"'Disease' is nominal.*partition\.diverse"):
        vk.partition.min_sum_error(vk.load("lhcc_table1"), k=2, e=0, seed=1)


@pytest.mark.parametrize("wide", [0, 6], ids=["with room for places", "without"])
def test_copies_of_shared_values_are_dealt_whatever_the_order_of_the_rows(wide):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.integers(0, 40, 300), "pay": rng.integers(0, 6, 300)})
    for at in range(wide):
        frame[f"more {at}"] = rng.permutation(300) / 7
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    rows = rng.permutation(300)
    tables = []
    for part in (data, data.take(rows)):
        line = _numeric_order.line_of(part, 2, 1, None, "a test")
        order = _numeric_order.order_records(part, line, np.ones(len(line.values), bool), 1)
        assert sorted(order.tolist()) == list(range(300))
        tables.append(part.frame.iloc[order].to_numpy().tolist())
    assert tables[0] == tables[1]
    assert [row[1] for row in tables[0]] == sorted(frame["pay"])
    assert tables[0] != frame.sort_values(["pay", "age"]).to_numpy().tolist()
