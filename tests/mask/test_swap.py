"""Swapping within strata: every exchange has the chance that the rate gives it."""

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

import verikit as vk
from verikit.mask._swap import draw_exchange


def chances(size, rate, *, again=True):
    """The chance of each exchange of a stratum: whoever may be drawn, in all orders allowed."""
    found = dict.fromkeys(permutations(range(size)), 0.0)
    for many in range(size + 1):
        for drawn in combinations(range(size), many):
            weight = rate**many * (1 - rate) ** (size - many)
            moved = [
                order
                for order in permutations(drawn)
                if all(a != b for a, b in zip(drawn, order, strict=True))
            ]
            if not moved and not again:
                moved = [drawn]
            for order in moved:
                taken = list(range(size))
                for place, record in zip(drawn, order, strict=True):
                    taken[place] = record
                found[tuple(taken)] += weight / len(moved)
    total = sum(found.values())
    return {order: weight / total for order, weight in found.items()}


def count_apart(seen, expected):
    """Whether counts differ more than in one of a million draws of these chances."""
    seen = np.array([seen.get(order, 0) for order in expected])
    told = np.array([*expected.values()]) * seen.sum()
    assert (seen[told == 0] == 0).all()
    apart = ((seen - told)[told > 0] ** 2 / told[told > 0]).sum()
    return apart > chi2.isf(1e-6, np.count_nonzero(told) - 1)


@pytest.mark.parametrize(("size", "rate"), [(1, 0.7), (2, 0.3), (3, 0.5), (4, 0.4), (5, 0.9)])
def test_every_exchange_comes_as_often_as_counting_all_draws_says(size, rate):
    strata = np.repeat(np.arange(20_000), size)
    mixed = np.random.default_rng(3).permutation(len(strata))  # strata need not lie together
    taken = draw_exchange(strata[mixed], rate, np.random.default_rng(1))
    assert (strata[mixed][taken] == strata[mixed]).all()
    record = np.empty(len(strata), int)
    record[mixed] = mixed[taken]
    orders = (record - size * strata).reshape(-1, size)
    seen = pd.Series([tuple(order) for order in orders.tolist()]).value_counts().to_dict()
    expected = chances(size, rate)
    assert not count_apart(seen, expected)
    if 1 < size < 5:
        leaving = chances(size, rate, again=False)
        assert count_apart(seen, leaving), "leaving those drawn alone is another law"


def people(n=120):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "size": rng.integers(1, 4, n),
            "town": rng.choice(list("abcd"), n),
            "street": np.arange(n),
            "pay": rng.integers(10, 99, n),
        }
    )
    columns = (
        vk.Column("size"),
        vk.Column("town", kind="nominal"),
        vk.Column("street", kind="numeric"),
        vk.Column("pay", "sensitive"),
    )
    return vk.Microdata(frame, vk.Schema(columns))


def test_what_is_swapped_moves_together_and_within_equal_values_and_the_rest_stays():
    data = people()
    release, key = vk.mask.swap(data, match=["size"], swap=["town", "street"], rate=0.5, seed=1)
    found = release.frame.iloc[key.rows].reset_index(drop=True)
    assert found[["size", "pay"]].equals(data.frame[["size", "pay"]])
    taken = found["street"].to_numpy()  # a street of its own for each record
    assert sorted(taken) == list(range(len(data)))
    assert (found["town"].to_numpy() == data.frame["town"].to_numpy()[taken]).all()
    assert (data.frame["size"].to_numpy()[taken] == data.frame["size"].to_numpy()).all()
    assert 40 < (taken != np.arange(len(data))).sum() < 80
    assert release.permutation
    assert release.parameters == {"match": ["size"], "swap": ["town", "street"], "rate": 0.5}


def test_at_rate_1_nobody_keeps_his_own_and_at_rate_0_everybody_does():
    data = people()
    for rate, kept in ((1, 0), (0, len(data))):
        release, key = vk.mask.swap(data, match=["size"], swap=["street"], rate=rate, seed=2)
        found = release.frame["street"].to_numpy()[key.rows]
        assert (found == data.frame["street"]).sum() == kept


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"match": ["size"], "swap": ["size"]}, "swap names 'size', and match 'size'"),
        ({"match": [], "swap": []}, "swap names nothing, and match nothing; expected in swap one"),
        ({"match": ["age"], "swap": ["town"]}, "match names 'age'; expected published columns"),
        ({"match": [], "swap": ["town", "town"]}, "swap names 'town', 'town'; expected published"),
        ({"match": [], "swap": ["town"], "rate": 1.5}, "rate was given as 1.5; expected a number"),
        ({"match": 3, "swap": ["town"]}, "match was given int; expected names"),
    ],
)
def test_what_cannot_be_swapped_is_refused_in_a_sentence(asked, said):
    with pytest.raises(vk.VerikitError, match=said):
        vk.mask.swap(people(), **{"rate": 0.5, **asked}, seed=1)


def test_a_key_that_is_given_says_whose_values_each_record_takes():
    data = people(6)
    turned = [5, 4, 3, 2, 1, 0]
    for rows in (np.arange(6), np.array([2, 0, 5, 1, 3, 4])):
        given = np.argsort(rows)[np.array(turned)[rows]]  # the same key, of records in this order
        mixed = vk.Microdata(data.frame.iloc[rows], data.schema)
        release, key = vk.mask.from_key(mixed, permutation={"pay": given}, seed=3)
        found = release.frame.iloc[key.rows].reset_index(drop=True)
        assert found["pay"].tolist() == data.frame["pay"].to_numpy()[turned][rows].tolist()
        assert found["street"].tolist() == rows.tolist()
    assert release.parameters == {"columns": ["pay"]}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([1, 0], "permutation was given as"),
        ({"age": [0, 1, 2]}, "permutation names 'age'; expected any of"),
        ({"pay": [0, 0, 1]}, "The permutation of 'pay' gives some value to nobody or to two"),
        ({"pay": [0, 1, 3]}, "permutation of pay names the row 3, but there are 3 rows"),
    ],
)
def test_a_key_that_is_no_permutation_is_refused(given, said):
    with pytest.raises(vk.VerikitError, match=said):
        vk.mask.from_key(people(3), permutation=given, seed=1)
