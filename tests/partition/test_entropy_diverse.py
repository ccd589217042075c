"""Alike records together while the sensitive values of each group spread evenly enough."""

import itertools
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.models import entropy_diversity
from verikit.partition import entropy_diverse


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "town": np.array(list("pqrs"))[rng.integers(0, 4, n)],
            "ill": np.array(list("abcdef"))[rng.binomial(5, 0.4, n)],
        }
    )
    return vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive", town="quasi"))


def spread(values):
    """The exponential of the entropy, by its definition."""
    n = len(values)
    return math.exp(-sum(c / n * math.log(c / n) for c in Counter(values).values()))


@pytest.mark.parametrize("ell", [1, 2, 3])
def test_every_group_is_as_diverse_as_asked_and_so_says_the_model(ell):
    data = table()
    groups = entropy_diverse(data, ell=ell)
    ill = data.frame["ill"].astype(str).to_numpy()
    assert all(spread(ill[rows]) >= ell - 1e-9 for rows in groups.groups())
    release, _ = vk.mask.generalize(data, partition=groups, seed=1)
    assert entropy_diversity(release, ell=ell).met


def test_no_group_is_left_that_its_medians_could_cut():
    data, ell = table(), 3
    ill = data.frame["ill"].astype(str).to_numpy()
    columns = [data.codes(name)[0] for name in ("age", "town")]
    groups = entropy_diverse(data, ell=ell)
    assert len(groups) > 10
    for rows, column in itertools.product(groups.groups(), columns):
        own = column[rows]
        median = sorted(own)[(len(own) - 1) // 2]
        for left in (own <= median, own < median):
            parts = ill[rows][left], ill[rows][~left]
            assert min(map(len, parts)) == 0 or min(map(spread, parts)) < ell


def test_equal_people_stay_together():
    data = table()
    groups = entropy_diverse(data, ell=2)
    known = data.frame[["age", "town"]].astype(str).assign(group=groups.labels)
    assert (known.groupby(["age", "town"])["group"].nunique() == 1).all()


def test_values_of_unequal_frequency_can_reach_more_than_their_commonest_allows():
    """Two in five have flu: at most two values by frequency, but entropy for more than three."""
    frame = pd.DataFrame({"age": range(40), "ill": ["flu", *"abcd"[:3], "flu"] * 8})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    assert entropy_diverse(data, ell=3).sizes.min() >= 3
    with pytest.raises(vk.InfeasibleError, match=r"ell was given as 4, but the values of 'ill' in"):
        entropy_diverse(data, ell=4)
    with pytest.raises(vk.InfeasibleError, match="the largest ell that can be reached is 2"):
        vk.partition.diverse(data, ell=3, seed=1)


def test_a_table_without_people_or_without_what_may_be_known_is_refused():
    data = table()
    with pytest.raises(vk.SchemaError, match="no quasi-identifier to cut"):
        entropy_diverse(data.only("ill"), ell=1)
    with pytest.raises(vk.SchemaError, match="no records"):
        entropy_diverse(data.take(np.array([], dtype=np.intp)), ell=1)
