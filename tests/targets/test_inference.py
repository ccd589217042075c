"""What somebody infers of one person from a small release: all that can be is counted."""

import warnings
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verikit as vk
from verikit.mask import Tolerance, disguise, personalize
from verikit.targets import balanced
from verikit.targets._distributions import tree_of
from verikit.targets._published_nodes import find_fewest_nodes


def people(values, groups, **more):
    frame = pd.DataFrame({"zip": list(groups), "pay": values, **more})
    columns = [vk.Column("zip", kind="nominal"), vk.Column("pay", "sensitive")]
    columns += [vk.Column(name, "other", "nominal") for name in more]
    return vk.Microdata(frame, vk.Schema(tuple(columns)))


@pytest.fixture(autouse=True)
def without_warnings():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Of .* are the root")
        yield


def below(target, value, cell):
    """The chance of a value below a published cell; alike where the target has none to give."""
    if not target.share(cell):  # a tolerance may publish it
        return Fraction(1, len(target.leaves(cell)))
    return target.share(value) / target.share(cell)


def inferred(cells, persons, target):
    """For each person of a group the chance of each value, over all that can be true.

    Each way to give the published cells to the people is as likely as another, cells that are left
    are nobody's, and of a cell each value below it has the chance of the target.
    """
    found = [Counter() for _ in range(persons)]
    whole = Fraction(0)
    for given_to in permutations(range(len(cells)), persons):
        for values in product(*(target.leaves(cells[at]) for at in given_to)):
            pairs = zip(values, (cells[at] for at in given_to), strict=True)
            chance = prod((below(target, *pair) for pair in pairs), start=Fraction(1))
            whole += chance
            for person, value in enumerate(values):
                found[person][value] += chance
    return [{leaf: one[leaf] / whole for leaf in target.order()} for one in found]


def by_group(release):
    """The published cells and the number of people of each group."""
    cells = release.sensitive["pay"].to_numpy(dtype=object)
    labels = release.labels
    for at in range(len(labels.names)):
        some = [vk.words.text(cell) for cell in cells[labels.sensitive == at]]
        yield some, int((labels.quasi == at).sum())


@st.composite
def small(draw, most=4):
    size = draw(st.integers(2, 4))
    tree = balanced(range(1, size + 1))
    weights = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any))
    values = draw(st.lists(st.integers(1, size), min_size=1, max_size=most))
    groups = draw(st.lists(st.sampled_from("pq"), min_size=len(values), max_size=len(values)))
    target = vk.Hierarchy(tree.levels, dict(zip(tree.order(), weights, strict=True)))
    return target, people(values, groups)


@settings(max_examples=60)
@given(small(), st.sampled_from([None, "quasi"]), st.integers(0, 2))
def test_of_each_person_the_target_is_inferred_and_nothing_more(case, groups, fakes):
    target, data = case
    release, _ = disguise(data, hierarchy=target, groups=groups, fakes=fakes, seed=2)
    wished = {leaf: target.share(leaf) for leaf in target.order()}
    for cells, persons in by_group(release):
        assert inferred(cells, persons, target) == [wished] * persons


@settings(max_examples=60)
@given(small(), st.sampled_from([Fraction(1, 10), Fraction(1, 4)]), st.booleans())
def test_with_a_tolerance_shares_of_siblings_that_are_inferred_are_within_it(case, share, best):
    target, data = case
    tree = tree_of(target, numeric=True)
    near = Tolerance(share, searched=best)
    release, _ = disguise(data, hierarchy=target, tolerance=near, seed=2)
    ((cells, persons),) = by_group(release)
    for chances in inferred(cells, persons, target):
        for node, children in enumerate(tree.children):
            names = [tree.names[child] for child in children]
            mass = [sum(chances[leaf] for leaf in target.leaves(name)) for name in names]
            if not sum(mass) or not tree.weight[node]:
                continue
            for name, part in zip(names, mass, strict=True):
                wished = target.share(name) / target.share(tree.names[node])
                assert abs(part / sum(mass) - wished) <= share


@settings(max_examples=60)
@given(small(), st.data())
def test_below_the_node_a_person_names_the_target_is_inferred_and_nothing_more(case, data):
    target, table = case
    values = table.frame["pay"].tolist()
    paths = [[n for n in target.path(value) if target.share(n)] for value in values]
    wishes = [data.draw(st.sampled_from(path)) for path in paths]
    apart = people(values, map(str, range(len(values))), wish=wishes)
    release, key = personalize(apart, hierarchy=target, requirement="wish", seed=2)
    parts = list(by_group(release))
    homes = release.labels.sensitive[key.columns["pay"]]
    for home, wish in zip(homes, wishes, strict=True):
        chances = inferred(*parts[home], target)[0]
        inside = {leaf: chances[leaf] for leaf in target.leaves(wish)}
        assert sum(inside.values()) > 0
        for leaf, chance in inside.items():
            assert chance / sum(inside.values()) == target.share(leaf) / target.share(wish)


def knowing_the_method(target, number, published):
    """The chance of the first value for who expects the target and repeats Algorithm 3."""
    tree, order = tree_of(target, numeric=True), target.order()
    mass, first = Fraction(0), Fraction(0)
    for leaves in product(range(len(order)), repeat=number):
        slots = find_fewest_nodes(tree, np.sort(leaves))
        if {tree.names[node]: n for node, n in slots.items()} == published:
            chance = prod((target.share(order[at]) for at in leaves), start=Fraction(1))
            mass += chance
            first += chance * (leaves[0] == 0)
    return first / mass


def test_who_repeats_the_algorithm_may_infer_a_little_more_than_the_target():
    """As little as possible is made coarse, and that tells something: 9/14 and 18/25, not 2/3."""
    target = vk.Hierarchy(balanced([1, 2]).levels, {1: 2, 2: 1})
    assert knowing_the_method(target, 3, {"1": 2, "2": 1}) == Fraction(2, 3)
    assert knowing_the_method(target, 3, {"[1, 2]": 3}) == Fraction(2, 3)
    assert knowing_the_method(target, 4, {"1": 2, "2": 1, "[1, 2]": 1}) == Fraction(9, 14)
    assert knowing_the_method(target, 4, {"[1, 2]": 4}) == Fraction(18, 25)
