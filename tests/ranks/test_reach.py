"""Whether a record lies within reach: against every pair of a query and a record."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verikit.ranks import _reach, blocks
from verikit.ranks._reach import Reach


@pytest.fixture(autouse=True, scope="module", params=["few", "in trees"])
def few(request):
    """Each question is asked of few records that are looked through, and of all in trees."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_reach, "FEW", 64 if request.param == "few" else 0)
        yield


def block_columns(table):
    return tuple(np.column_stack(part) for part in zip(*map(blocks, table.T), strict=True))


def by_looking_at_all(first, last, released, places, own):
    below, above = released
    gaps = np.maximum(below[None] - last[:, None], first[:, None] - above[None]).max(axis=2)
    if own is not None:
        gaps[np.arange(len(own)), own] = 10**9
    return (gaps <= places).any(axis=1)


@given(
    st.integers(0, 2**31), st.integers(1, 60), st.integers(1, 4),
    st.sampled_from([1, 2, 5, 30, 10**6]), st.integers(0, 20), st.booleans(),
)  # fmt: skip
def test_what_lies_within_reach_is_what_all_pairs_say(seed, n, m, values, places, left_out):
    """Columns of few and of many values, and one in which most values are equal."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, values, (n, m)).astype(float)
    table[rng.random(n) < 0.6, 0] = 0
    released = block_columns(table)
    own = rng.integers(0, n, 25) if left_out else None
    first = released[0][own] if left_out else rng.integers(1, n + 1, (25, m))
    last = released[1][own] if left_out else first + rng.integers(0, 5, (25, m))
    found = Reach(*released).has_near_record(first, last, places, own)
    assert found.tolist() == by_looking_at_all(first, last, released, places, own).tolist()


def test_wide_and_narrow_blocks_side_by_side_are_told_apart():
    """Nine tenths of both columns are one value; what the middles leave open is still right."""
    rng = np.random.default_rng(1)
    table = np.where(rng.random((3000, 3)) < 0.9, 0, rng.normal(size=(3000, 3)))
    released = block_columns(table)
    own = rng.choice(3000, 300, replace=False)
    asked = released[0][own], released[1][own]
    for places in (0, 40, 300):
        found = Reach(*released).has_near_record(*asked, places, own)
        assert found.tolist() == by_looking_at_all(*asked, released, places, own).tolist()


@given(st.integers(0, 2**31), st.integers(2, 80), st.integers(1, 4), st.integers(0, 30))
def test_records_that_miss_values_are_near_to_all_on_these(seed, n, m, places):
    """A missing value has all ranks; every pattern of missing values occurs, alone or often."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 4 if seed % 2 else 1000, (n, m)).astype(float)
    first, last = block_columns(table)
    gaps = rng.random((n, m)) < rng.choice([0.1, 0.5, 0.9])
    gaps[gaps.all(axis=1), 0] = False
    first[gaps], last[gaps] = 0, n
    own = rng.integers(0, n, 25)
    for mine, asked in ((own, (first[own], last[own])), (None, block_columns(table[own] + 0.5))):
        found = Reach(first, last).has_near_record(*asked, places, mine)
        assert found.tolist() == by_looking_at_all(*asked, (first, last), places, mine).tolist()


def test_the_order_of_the_records_changes_neither_their_order_by_value_nor_the_answer():
    rng = np.random.default_rng(2)
    table = rng.integers(0, 4, (50, 2)).astype(float)
    shuffled = table[rng.permutation(50)]
    sorted_rows = [t[Reach(*block_columns(t)).order].tolist() for t in (table, shuffled)]
    assert sorted_rows[0] == sorted_rows[1]
