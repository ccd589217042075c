"""Groups tell nothing but their values: they are as likely in every world that they leave.

A world gives the values of each group to its people in some way. Somebody who knows the method
repeats it in every world; if the groups come out equally often in all of them, they tell nothing.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import InfeasibleError

MAKERS = {
    "max_groups": vk.partition.max_groups,
    "min_max_error": vk.partition.min_max_error,
    "overlapping": lambda data, **asked: vk.partition.min_max_error(
        data, overlapping=True, **asked
    ),
    "min_sum_error": vk.partition.min_sum_error,
    "sequential": vk.partition.sequential,
    "mondrian": lambda data, e, **asked: vk.partition.mondrian(data, relaxed=True, **asked),
    "anatomy": lambda data, k, e, seed: vk.partition.anatomy(data, ell=k, seed=seed),
    "alike": lambda data, k, e, seed: vk.partition.anatomy(data, ell=k, alike=2, seed=seed),
}
NUMERIC = [name for name in MAKERS if name not in {"mondrian", "anatomy", "alike"}]
LISTED = set(MAKERS) - {"overlapping", "alike"}


class Draws:
    """A generator of which every course can be told in advance, to go through all of them."""

    def __init__(self):
        self.told, self.place = [], 0

    def draw(self, ways):
        if self.place == len(self.told):
            self.told.append([0, ways])
        self.place += 1
        return self.told[self.place - 1][0]

    def permutation(self, given_):
        items = np.arange(given_) if isinstance(given_, int) else given_
        left, found = list(range(len(items))), []
        while left:
            found.append(left.pop(self.draw(len(left))))
        return items[found]

    def choice(self, items):
        return items[self.draw(len(items))]

    def integers(self, most, size=None):
        """Lots of buckets, which hold equal values: the same whoever has which."""
        return 5 if size is None else np.random.default_rng(size).integers(most, size=size)

    def courses(self):
        """Set the generator to each course in turn, and tell how likely it was."""
        self.told = []
        while True:
            self.place = 0
            yield lambda: Fraction(1, math.prod(ways for _, ways in self.told))
            while self.told and self.told[-1][0] + 1 == self.told[-1][1]:
                self.told.pop()
            if not self.told:
                return
            self.told[-1][0] += 1


def table(pay, ages=(30, 37, 33, 40, 36)):
    frame = pd.DataFrame({"pay": pay, "age": ages[: len(pay)]})
    return vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))


def as_sets(partition):
    return frozenset(frozenset(rows.tolist()) for rows in partition.groups())


def chances(make, data, draws, asked):
    """Of one world the chance of each grouping, by going through all draws."""
    found = Counter()
    for chance in draws.courses():
        try:
            groups = as_sets(make(data, seed=0, **asked))
        except InfeasibleError:
            continue
        found[groups] += chance()
    return found


def worlds(pay, groups):
    """Every way to give the values of each group to its people."""
    rows = [sorted(group) for group in groups]
    ways = [sorted(set(permutations([pay[row] for row in group]))) for group in rows]
    for given_ in product(*ways):
        world = list(pay)
        for group, values in zip(rows, given_, strict=True):
            for row, value in zip(group, values, strict=True):
                world[row] = value
        yield tuple(world)


def tiny_tables(most, tables, least=1):
    """Tables of few people, and what is asked of their groups."""
    rng, found = np.random.default_rng(5), []
    while len(found) < tables:
        pay = rng.integers(0, 6, rng.integers(3, most + 1)).tolist()
        asked = {"k": int(rng.integers(least, 3)), "e": int(rng.integers(0, 4))}
        tied = sum(count for count in Counter(pay).values() if count > 1)
        if len(set(pay)) >= asked["k"] and max(pay) - min(pay) >= asked["e"] and 1 < tied < 5:
            found.append((pay, asked))
    return found


def test_every_partitioner_that_says_that_it_resists_repetition_is_held_to_it():
    said = {n for n, known in vk.partition.PARTITIONERS.items() if known.resists == "repetition"}
    assert said == LISTED


@pytest.mark.parametrize("name", MAKERS)
def test_a_grouping_is_as_likely_in_every_world_that_it_leaves(name, monkeypatch):
    draws, make = Draws(), MAKERS[name]
    ages = (30, 30, 30, 40, 36) if name == "mondrian" else (30, 37, 33, 40, 36)
    for module in ("_numeric_order", "_ke_groups", "_mondrian", "_diversity"):
        if (name, module) == ("alike", "_mondrian"):
            continue  # parts are as likely in every world; here they are cut in one way
        monkeypatch.setattr(f"verikit.partition.{module}.generator", lambda *_: draws)
    left = 0
    tables = {"mondrian": 12, "sequential": 20, "anatomy": 20, "alike": 20}.get(name, 40)
    for pay, asked in tiny_tables(5 if tables == 40 else 4, tables, 2 if name == "alike" else 1):
        by_world = {}
        for groups, chance in chances(make, table(pay, ages), draws, asked).items():
            for world in worlds(pay, groups):
                if world not in by_world:
                    by_world[world] = chances(make, table(world, ages), draws, asked)
                assert by_world[world][groups] == chance, (pay, asked, world)
        left += len(by_world) > 1
    assert left > tables / 9, "some tables leave several worlds"


def test_of_two_with_one_salary_the_younger_is_not_always_in_the_lower_group():
    ages = [20, 70, 30, 60]
    frame = pd.DataFrame({"age": ages, "pay": [5, 1, 5, 9]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    lower = [
        {ages[row] for row in vk.partition.max_groups(data, k=2, e=0, seed=seed).groups()[0]}
        for seed in range(100)
    ]
    assert 30 < lower.count({20, 70}) < 70
    assert lower.count({20, 70}) + lower.count({30, 70}) == 100


@pytest.mark.parametrize("name", NUMERIC)
@given(
    pay=st.lists(st.integers(0, 4), min_size=4, max_size=30).filter(lambda pay: len(set(pay)) > 2),
    seed=st.integers(0, 2**40),
)
def test_the_same_seed_breaks_ties_the_same_whatever_the_rows_their_labels_and_dtypes(
    name, pay, seed
):
    frame = pd.DataFrame({"age": np.arange(len(pay)), "pay": pay})
    schema = vk.Schema.guess(frame, pay="sensitive")
    try:
        found = MAKERS[name](vk.Microdata(frame, schema), k=2, e=1, seed=seed).labels
    except InfeasibleError:
        return
    order = np.random.default_rng(seed).permutation(len(pay))
    turned = frame.iloc[order].set_axis(order * 3 + 5).astype({"pay": float, "age": "int16"})
    again = MAKERS[name](vk.Microdata(turned, schema), k=2, e=1, seed=seed).labels
    assert again.tolist() == found[order].tolist()


def test_without_ties_the_seed_changes_nothing_and_is_checked_all_the_same():
    data = table([1, 2, 10, 11])
    for make in (MAKERS[name] for name in NUMERIC[:4]):
        assert make(data, k=2, e=0, seed=1).labels.tolist() == [0, 0, 1, 1]
        assert make(data, k=2, e=0, seed=2).labels.tolist() == [0, 0, 1, 1]
        with pytest.raises(vk.RecordError, match="seed was given as -1"):
            make(data, k=2, e=0, seed=-1)
