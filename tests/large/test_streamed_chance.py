"""Compared with chance, a table that is not loaded says what it says in memory."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verikit as vk
from verikit.large import _checks, _stream_chance, located
from verikit.large._stream import count_ranks
from verikit.ranks import blocks, closest_others

pytest.importorskip("pyarrow")


def stored(frame, home, rows=700):
    frame.to_parquet(home / "t.parquet", row_group_size=rows)
    return located(home / "t.parquet")


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 2**32), st.sampled_from([3, 50, 10**6]), st.sampled_from([1, 40, 900]),
    st.sampled_from([0, 300]),
)  # fmt: skip
def test_values_are_counted_as_they_are_ranked(tmp_path_factory, seed, levels, batch, missing):
    rng = np.random.default_rng(seed)
    column = rng.integers(0, levels, 800) * 0.5
    frame = pd.DataFrame({"a": np.r_[column, [np.nan] * missing]}).sample(frac=1, random_state=1)
    stream = stored(frame, tmp_path_factory.mktemp("t"), batch)
    asked = rng.choice(column, 30)
    found = count_ranks(stream, ["a"], [asked])[0]
    ordered = np.sort(column)
    expected = blocks(asked, ordered)
    np.testing.assert_array_equal(found.find_blocks(asked), expected)
    beside = count_ranks(stream, ["a"], [asked], beside=True)[0]
    np.testing.assert_array_equal(beside.find_blocks(asked), expected)
    np.testing.assert_array_equal(
        beside.find_closest_others(asked), closest_others(ordered, *expected)
    )


def made(kind, n=12_000):
    rng = np.random.default_rng(7)
    base = rng.normal(size=(n, 3))
    if kind == "correlated":
        base[:, 1:] = base[:, :1] + 0.2 * base[:, 1:]
    if kind == "coarse":
        base = np.round(base * 2)
    if kind == "copies":
        base = np.repeat(base[: n // 4], 4, axis=0)
    if kind == "missing":
        base[rng.random(base.shape) < [0.02, 0.2, 0.3]] = np.nan
    if kind == "few complete":
        base[rng.random(base.shape) < 0.6] = np.nan
    return pd.DataFrame(base, columns=list("abc"))


@pytest.mark.parametrize(
    "kind", ["independent", "correlated", "coarse", "copies", "missing", "few complete"]
)
@pytest.mark.parametrize("record", [(0.1, 0.2, 0.15), (1.5, -1.5, 2.5)])
@pytest.mark.parametrize("most", [300, 10**6])
def test_the_shares_are_those_of_memory_within_their_errors(
    kind, record, most, tmp_path, monkeypatch
):
    monkeypatch.setattr(_checks, "CELLS", 0)
    monkeypatch.setattr(_stream_chance, "MOST_ROWS", most)
    frame, record = made(kind), dict(zip("abc", record, strict=True))
    stored(frame, tmp_path)
    here = vk.check(record, tmp_path / "t.parquet").facts.get("chance")
    there = vk.check(record, vk.TableRelease.of(frame)).facts["chance"]
    if here is None:
        assert most == 300  # too few rows may be held: then nothing is said
        return
    for name in ("made_up", "others", "least"):
        error = 6 * np.sqrt(max(there[name] * (1 - there[name]), 1e-3) / 2000)
        assert abs(here[name] - there[name]) <= error, name
    assert here["independent"] == there["independent"]


def test_a_table_that_was_not_masked_warns_whom_it_shows(tmp_path, monkeypatch):
    monkeypatch.setattr(_checks, "CELLS", 0)
    frame = made("independent")
    stored(frame, tmp_path)
    assert vk.check(frame.iloc[5].to_dict(), tmp_path / "t.parquet").headline.state == "warning-you"
