"""A check of a large table that nobody sorted says word for word what the sorted one says."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.ranks import LoadedColumns, WindowedColumn, _closest_records, find_near_records
from verikit.subject.masked import _find


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small tables count as large, a sample is a few values, and a piece some rows."""
    monkeypatch.setattr(_find, "MIN_UNSORTED", 2)
    monkeypatch.setattr(_find, "MAX_SHARE", 2.0)
    monkeypatch.setattr(_closest_records, "SAMPLE_IN_MEMORY", 16)
    monkeypatch.setattr(_closest_records, "PIECE", 7)


def sorted_check(record, release, **asked):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_find, "MIN_UNSORTED", 10**9)
        return vk.check(record, release, **asked)


def assert_same(one, two):
    assert one.to_html() == two.to_html()
    assert one.attributes.equals(two.attributes)
    assert one.matches.equals(two.matches)


VALUES = st.one_of(st.integers(-9, 9).map(float), st.floats(-9, 9, width=32))


@given(
    st.integers(2, 60),
    st.lists(VALUES, min_size=1, max_size=4),
    st.sampled_from(["tied", "normal", "alike", "opposed", "sorted", "constant"]),
    st.integers(0, 9),
    st.sampled_from([{}, {"distance": 3}, {"diversity": 1.0, "criterion": "t-closeness"}]),
)
def test_the_check_without_sorting_is_the_check(n, scores, kind, seed, asked):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=n)
    columns = {
        "tied": lambda: rng.integers(-3, 4, n).astype(float),
        "normal": lambda: rng.normal(0, 4, n),
        "alike": lambda: base + rng.normal(0, 0.01, n),
        "opposed": lambda: rng.choice([-1, 1]) * base,
        "sorted": lambda: np.arange(n) * 0.3,
        "constant": lambda: np.full(n, 3.0),
    }
    frame = pd.DataFrame({f"a{at}": columns[kind]() for at in range(len(scores))})
    release = vk.TableRelease.of(frame)
    record = dict(zip(frame, scores, strict=True))
    for chance in (False, True):
        now = vk.check(record, release, chance=chance, **asked)
        assert_same(now, sorted_check(record, release, chance=chance, **asked))


def test_values_are_missing_or_ordered_and_the_check_is_the_same():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.normal(size=50), "b": rng.choice(["low", "mid", "high"], 50)})
    order = ("low", "mid", "high")
    schema = vk.Schema((vk.Column("a"), vk.Column("b", kind="ordinal", order=order)))
    for gaps in (0, 3):
        frame.loc[: gaps - 1, "a"] = np.nan
        release = vk.TableRelease.of(frame, schema)
        record = {"a": 0.1, "b": "mid"}
        assert_same(vk.check(record, release), sorted_check(record, release))


def test_a_sample_that_misleads_costs_time_and_not_the_truth():
    """The sample sees every fourth row only: a few values far from all others."""
    column = np.arange(64.0)
    column[::4] = 1000 + np.arange(16)
    columns = [column, column[::-1].copy()]
    release = vk.TableRelease.of(pd.DataFrame({"a": columns[0], "b": columns[1]}))
    for own in (0.0, 30.0, 63.0, 500.0, 1004.0, 2000.0):
        record = {"a": own, "b": 40.0}
        assert_same(vk.check(record, release), sorted_check(record, release))


def test_what_is_found_is_certified_and_little_is_kept(monkeypatch):
    monkeypatch.undo()
    rng = np.random.default_rng(3)
    columns = [rng.normal(size=60_000) for _ in range(3)]
    table = LoadedColumns(dict(zip("abc", columns, strict=True)))
    found = find_near_records(table, {"a": 0.1, "b": 0.2, "c": -0.3})
    assert max(len(part.values) for part in found.columns) < 10_000
    ranks = [np.argsort(np.argsort(column)) + 1 for column in columns]
    worst = np.max([np.abs(r - o.first) for r, o in zip(ranks, found.blocks, strict=True)], axis=0)
    assert found.rows[found.closest].tolist() == np.flatnonzero(worst == worst.min()).tolist()


@given(
    st.lists(st.integers(0, 9).map(float), min_size=1, max_size=12),
    st.integers(0, 12),
    st.integers(0, 12),
    st.booleans(),
)
def test_a_window_answers_as_the_whole_sorted_column(values, one, two, counted):
    column, whole = np.array(values), np.sort(values)
    low, high = sorted((one, two))
    low, high = whole[min(low, len(whole) - 1)], whole[min(high, len(whole) - 1)]
    inside = whole[(whole >= low) & (whole <= high)]
    counts = None
    if counted:
        inside, counts = np.unique(inside, return_counts=True)
    known = inside, counts, int((whole < low).sum()), len(whole), (whole[0], whole[-1])
    fresh = lambda: WindowedColumn(*known, lambda: np.sort(column))  # noqa: E731
    assert len(fresh()) == len(whole)
    assert np.asarray(fresh()).tolist() == whole.tolist()
    for place in range(-len(whole), len(whole)):
        assert fresh()[place] == whole[place]
    for start in range(len(whole) + 1):
        assert fresh()[start : start + 3].tolist() == whole[start : start + 3].tolist()
    for side in ("left", "right"):
        for value in np.arange(-1, 11, 0.5):
            assert np.searchsorted(fresh(), value, side) == np.searchsorted(whole, value, side)
