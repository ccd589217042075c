"""All sets of values that are tried share the warnings by mistake."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.widgets._selfcheck import AlphaSpending

NAMES = list("abcde")
SETS = [frozenset(c) for size in range(2, 6) for c in combinations(NAMES, size)]
ABLE = {"chance": {"least": 0.0, "alpha": 0.01}}


@given(st.lists(st.sampled_from(SETS), max_size=60))
def test_the_shares_of_all_that_is_tried_never_add_up_to_more_than_one(tried):
    looks, shares = AlphaSpending(NAMES), {}
    for chosen in tried:
        share = Fraction(1, looks.at(chosen))
        assert shares.setdefault(chosen, share) == share, "a set keeps its share"
        looks.count_attempt(chosen, ABLE)
    assert sum(shares.values()) <= 1


def test_people_who_try_all_sets_of_five_values_are_warned_in_no_more_cases_than_are_said():
    """At alpha .1, six tables of 500 records and five people each, who are not in them."""
    warned = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        table = pd.DataFrame(rng.normal(size=(500, 5)), columns=NAMES)
        release = vk.TableRelease.of(table).prepare()
        for person in pd.DataFrame(rng.normal(size=(5, 5)), columns=NAMES).to_dict("records"):
            looks, states = AlphaSpending(NAMES), set()
            for chosen in SETS:
                values = {name: person[name] for name in chosen}
                report = vk.check(values, release, alpha=0.1, looks=looks.at(chosen))
                looks.count_attempt(chosen, report.facts)
                states.add(report.headline.state)
            warned.append("warning-you" in states)
    assert np.mean(warned) <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / 30)
