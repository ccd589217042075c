"""The least widest range is found without looking for it where two groups cannot be narrower."""

import numpy as np
import pandas as pd
from hypothesis import assume, given
from hypothesis import strategies as st

import verikit as vk
from verikit.partition import _ke_groups
from verikit.partition._ke_groups import (
    _width_at_ends,
    find_least_width,
    find_narrowest,
    trace_ends,
)
from verikit.partition._numeric_order import last_starts, line_of

WHOLE = st.lists(st.integers(-20, 20), min_size=1, max_size=40)
FRACTIONS = st.lists(st.floats(-50, 50, width=32).map(float), min_size=1, max_size=40)
TAILED = st.lists(st.floats(0, 6).map(np.exp), min_size=1, max_size=40)


def line(pay, k, e):
    data = vk.Microdata(pd.DataFrame({"pay": pay}), vk.Schema((vk.Column("pay", "sensitive"),)))
    return line_of(data, k, e, None, "min_max_error")


@given(st.one_of(WHOLE, FRACTIONS, TAILED), st.integers(1, 5), st.sampled_from([0, 0.5, 1, 3]))
def test_groups_are_those_of_the_whole_search(pay, k, e):
    different = np.unique(np.array(pay, float) + 0.0)
    assume(len(different) >= k and different[-1] - different[0] >= e)
    asked = line(pay, k, e)
    least = find_least_width(asked)
    last = last_starts(asked.values, k, e)
    begin, _ = _ke_groups._cheapest_starts(asked.values, asked.counts, last, least)
    assert find_narrowest(asked).tolist() == trace_ends(asked.counts, begin).tolist()
    assert _width_at_ends(asked) <= least


def test_both_ways_out_and_the_search_itself_are_taken(monkeypatch):
    """The ends decide where values thin out; where the widest group lies inside, they do not."""
    searched = []
    search = _ke_groups._least_width
    monkeypatch.setattr(
        _ke_groups, "_least_width", lambda *asked: searched.append(1) or search(*asked)
    )
    assert find_narrowest(line([1, 2, 3, 4, 6, 9, 14], 2, 1)).tolist() == [2, 5, 7]
    assert not searched
    assert find_narrowest(line([0, 1, 2, 50, 99, 100, 101], 2, 1)).tolist() == [2, 4, 7]
    assert searched
