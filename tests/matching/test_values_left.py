"""How many values releases leave for people whose groups are known, held against all worlds."""

import itertools
from collections import Counter

import numpy as np
import pytest

from verikit.matching import count_values_left, find_exchangeable


def all_worlds(people, releases):
    """Every way to give each of so many people one value so that all groups hold what they do."""
    values = sorted({value for _, groups in releases for held in groups for value in held})
    for world in itertools.product(values, repeat=people):
        if all(
            Counter(world[one] for one in range(people) if home[one] == at) == Counter(held)
            for home, groups in releases
            for at, held in enumerate(groups)
        ):
            yield world


def drawn(rng, values, count):
    """Releases of some people each, by groups drawn at random; the truth is one of the worlds."""
    people = int(rng.integers(3, 7))
    truth = rng.choice([*"abc"][:values], people)
    found = []
    for _ in range(count):
        there = rng.random(people) < rng.choice([1.0, 0.8])
        home = np.where(there, rng.integers(0, max(people // 2, 1), people), -1)
        home[home >= 0] = np.unique(home[home >= 0], return_inverse=True)[1]
        groups = [
            dict(Counter(truth[home == at].tolist())) for at in range(home.max(initial=-1) + 1)
        ]
        found.append((home, groups))
    return people, found, truth


@pytest.mark.parametrize(
    ("values", "count", "all_found"), [(2, 2, True), (3, 2, False), (3, 3, False)]
)
def test_no_value_is_ruled_out_that_some_world_has(values, count, all_found):
    rng, found, certain = np.random.default_rng(values * 10 + count), 0, 0
    for _ in range(60):
        people, releases, _ = drawn(rng, values, count)
        asked = sorted(rng.choice(people, people - int(rng.random() < 0.3), replace=False))
        left = count_values_left([(home[asked], groups) for home, groups in releases])
        worlds = np.array(list(all_worlds(people, releases)))
        for place, one in enumerate(asked):
            known = any(home[one] >= 0 for home, _ in releases)
            many = len({*worlds[:, one]})
            if not known:
                assert left[place] == -1
                continue
            assert left[place] >= many
            if len(asked) == people:
                certain, found = certain + (many == 1), found + (left[place] == 1)
    assert certain > 50
    assert found == certain if values == 2 else found >= 0.95 * certain


def test_what_is_settled_for_some_settles_others():
    # Ann and Ben have one flu and one gout, so Cem, third in their first group, has its other flu;
    # Eva has flu, so Dan, beside her in the first release, has gout
    first = [0, 0, 0, 1, 1], [{"flu": 2, "gout": 1}, {"flu": 1, "gout": 1}]
    second = [0, 0, 1, 1, 2], [{"flu": 1, "gout": 1}, {"flu": 1, "gout": 1}, {"flu": 1}]
    assert count_values_left([first]).tolist() == [2] * 5
    assert count_values_left([first, second]).tolist() == [2, 2, 1, 1, 1]


@pytest.mark.parametrize(("values", "count"), [(2, 1), (2, 2), (3, 2), (3, 3)])
def test_who_may_exchange_values_has_another_in_some_world(values, count):
    rng, found, open_ = np.random.default_rng(values * 10 + count), 0, 0
    for _ in range(60):
        people, releases, truth = drawn(rng, values, count)
        homes = [home for home, _ in releases]
        exchanged = find_exchangeable(np.unique(truth, return_inverse=True)[1], homes)
        worlds = np.array(list(all_worlds(people, releases)))
        for one in range(people):
            if all(home[one] < 0 for home in homes):
                continue
            several = len({*worlds[:, one]}) > 1
            assert several or not exchanged[one]
            found, open_ = found + exchanged[one], open_ + several
    assert open_ > 50
    if (values, count) == (2, 2):  # of two values any other world is made by such exchanges
        assert found == open_
