"""Values added up once give what adding them up for each question gives."""

from math import fsum

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.query import Counting, _aggregates, _estimates, bind_conditions, evidence_of
from verikit.query._blocks import MAX_BLOCK, sort_blocks

AGGREGATES = ("sum", "avg", "min", "max")
pays = st.one_of(
    st.integers(-9, 9).map(float), st.floats(-1e6, 1e6).map(lambda value: round(value, 3))
)


def release(ages, sexes, pays, groups):
    frame = pd.DataFrame({"age": ages, "sex": sexes, "pay": np.asarray(pays, float)})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    parts = vk.Partition.of(groups)
    return vk.mask.permute_all(data, partition=parts, seed=1).release


@st.composite
def cases(draw):
    n = draw(st.integers(2, 14))
    each = [
        draw(st.lists(kind, min_size=n, max_size=n))
        for kind in (st.integers(0, 4), st.sampled_from("fm"), pays, st.integers(0, 3))
    ]
    low = draw(st.integers(0, 4))
    asked = draw(st.sampled_from(({"age": (low, 4)}, {"age": (low, 4), "sex": "f"}, {"sex": "m"})))
    return release(*each), asked


@given(cases())
def test_bounds_from_values_in_order_are_those_of_record_by_record(case):
    published, asked = case
    seen = evidence_of(published).blocks
    tree = bind_conditions(vk.Query.count(asked).where, seen.schema)
    ready = seen.parts[seen.home["pay"]].sort_values("pay")
    counting = Counting(seen)
    options = counting.list_options("pay", tree)
    drawn = _aggregates.BlockSelection.of_hits(ready, counting.count(tree))
    plain = _aggregates.select_by_record(counting, "pay", tree, options)
    assert isinstance(drawn, _aggregates.BlockSelection)
    assert (drawn.empty, drawn.certain) == (plain.empty, plain.certain)
    for aggregate in AGGREGATES if not plain.empty else ():
        ends = [_aggregates.bound_aggregate(choice, aggregate) for choice in (drawn, plain)]
        assert ends[0] == pytest.approx(ends[1], rel=1e-15, abs=1e-15)


@given(cases(), st.sampled_from(["sum", "avg"]))
def test_mean_and_variance_are_the_same_whether_prepared_or_not(case, aggregate):
    published, asked = case
    seen = evidence_of(published).blocks
    tree = bind_conditions(vk.Query.count(asked).where, seen.schema)
    ready = _estimates.find_moments(Counting(seen), aggregate, "pay", tree)
    part = seen.parts[seen.home["pay"]]
    part._ascending["pay"] = None
    plain = _estimates.find_moments(Counting(seen), aggregate, "pay", tree)
    assert (ready is None) == (plain is None)
    assert ready is None or ready == pytest.approx(plain, rel=1e-12, abs=1e-9)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40), st.integers(1, 40))
def test_sums_in_advance_lose_nothing_to_rounding(values, count):
    count = min(count, len(values))
    found = sort_blocks(np.array(values), np.zeros(len(values), int), 1)
    exact = fsum(sorted(values)[:count])
    assert fsum(found.sum_lowest(np.array([0]), np.array([count]))) == pytest.approx(
        exact, rel=1e-15
    )


def test_a_long_block_of_fractions_is_left_to_the_plain_way():
    labels = np.zeros(MAX_BLOCK + 1, int)
    assert sort_blocks(np.full(MAX_BLOCK + 1, 0.1), labels, 1) is None
    assert sort_blocks(np.full(MAX_BLOCK + 1, 2.0), labels, 1) is not None


def test_a_missing_value_or_an_empty_block_is_left_to_the_plain_way():
    assert sort_blocks(np.array([1.0, np.nan]), np.array([0, 0]), 1) is None
    assert sort_blocks(np.array([1.0, 2.0]), np.array([0, 2]), 3) is None
