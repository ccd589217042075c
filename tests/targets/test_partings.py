"""Personal requirements: one group, and the groups that save most, against exhaustive search."""

from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement
from random import Random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from verikit import Hierarchy, InfeasibleError
from verikit.targets import _least_values, balanced, find_least_values
from verikit.targets._distributions import tree_of
from verikit.targets._groupings import (
    _find_finest_group,
    group_exactly,
    group_greedily,
    group_top_down,
)
from verikit.targets._published_nodes import find_fewest_nodes
from verikit.targets._requirements import (
    Person,
    count_saving,
    count_values,
    publish_one_group,
    respects_requirement,
)

EVEN = st.just(1)
WAYS = (group_exactly, group_greedily, group_top_down)


@st.composite
def wishes(draw, most, sizes=(2, 3, 4), weights=EVEN):
    number = draw(st.sampled_from(sizes))
    tree = balanced(range(1, number + 1), draw(st.sampled_from([2, 3])))
    parts = {leaf: draw(weights) for leaf in tree.order()}
    assume(any(parts.values()))
    hierarchy = Hierarchy(tree.levels, parts)
    found = tree_of(hierarchy, numeric=True)
    people = []
    for _ in range(draw(st.integers(1, most))):
        leaf = draw(st.integers(0, number - 1))
        above = [n for n in range(len(found.names)) if found.first[n] <= leaf < found.last[n]]
        people.append(Person(leaf, draw(st.sampled_from(above))))
    return hierarchy, people


def of_definition(search, nodes, wished):
    """Definition 5.3.1 with the target's chances, and something shown below the node."""
    tree = search.tree
    places = range(tree.first[wished], tree.last[wished])
    shown = {at: sum(search.chance(node, at) for node in nodes) for at in places}
    mass = sum(shown.values())
    return mass > 0 and all(
        shown[at] * search.share[wished] == mass * search.hierarchy.share(search.order[at])
        for at in places
    )


def best_of_one_group(search, people):
    """The least size of all multisets of nodes that cover all values and respect everybody."""
    tree, values = search.tree, [search.order[one.leaf] for one in people]
    return min(
        sum(count_values(tree, node) for node in nodes)
        for nodes in combinations_with_replacement(range(len(tree.names)), len(people))
        if all(of_definition(search, nodes, one.node) for one in people)
        and search.covers(list(nodes), values)
    )


def partings(members):
    """All ways to part people into groups."""
    if not members:
        yield []
        return
    first, *rest = members
    for parting in partings(rest):
        yield [[first], *parting]
        for at, group in enumerate(parting):
            yield [*parting[:at], [first, *group], *parting[at + 1 :]]


def all_nodes(tree, people, members):
    return [
        node for _, nodes in publish_one_group(tree, people, members) for node in nodes.tolist()
    ]


@given(wishes(4, weights=st.integers(1, 3)))
@settings(max_examples=60)
def test_algorithm_6_is_the_best_that_one_group_can_do(exhaustive, case):
    """PP-22."""
    search = exhaustive(case[0])
    wished = sum(count_values(search.tree, one.node) for one in case[1])
    least = best_of_one_group(search, case[1])
    assert count_saving(search.tree, case[1], range(len(case[1]))) == wished - least


@given(wishes(4))
def test_the_exact_search_saves_as_much_as_the_best_of_all_partings(exhaustive, case):
    """PP-19: groups are all that can be made of the people who are left."""
    tree, people = exhaustive(case[0]).tree, case[1]
    most = max(
        sum(count_saving(tree, people, group) for group in parting)
        for parting in partings(list(range(len(people))))
    )
    found = {way: sum(count_saving(tree, people, g) for g in way(tree, people)) for way in WAYS}
    assert found[group_exactly] == most
    assert max(found.values()) == most


@given(wishes(7, sizes=(2, 4, 8), weights=st.integers(1, 2)))
def test_every_group_of_every_search_respects_its_people_and_covers_their_values(exhaustive, case):
    search = exhaustive(case[0])
    tree, people = search.tree, case[1]
    for way in WAYS:
        found = way(tree, people)
        assert sorted(at for group in found for at in group) == list(range(len(people)))
        for group in found:
            for some, nodes in publish_one_group(tree, people, group):
                slots = {n: nodes.tolist().count(n) for n in nodes.tolist()}
                for at, node in zip(some, nodes.tolist(), strict=True):
                    assert tree.first[node] <= people[at].leaf < tree.last[node]
                    assert respects_requirement(tree, slots, people[at].node)
                    assert of_definition(search, nodes.tolist(), people[at].node)


@given(wishes(3, weights=st.integers(0, 2)), st.data())
def test_respect_is_that_of_the_definition(exhaustive, case, data):
    search = exhaustive(case[0])
    usable = [n for n, share in enumerate(search.share) if share]
    nodes = data.draw(st.lists(st.sampled_from(usable), min_size=1, max_size=5))
    slots = {n: nodes.count(n) for n in nodes}
    for node in usable:
        assert respects_requirement(search.tree, slots, node) == of_definition(search, nodes, node)


@given(wishes(5))
def test_a_requirement_may_be_raised_to_the_greatest_in_the_group_for_nothing(case):
    """PP-29, Lemma 5.4.1 and Theorem 9."""
    tree, people = tree_of(case[0], numeric=True), case[1]
    raised = [
        Person(one.leaf, max(
            (o.node for o in people if tree.first[o.node] <= one.leaf < tree.last[o.node]),
            key=lambda node: count_values(tree, node),
        ))
        for one in people
    ]  # fmt: skip
    members = range(len(people))
    assert sorted(all_nodes(tree, people, members)) == sorted(all_nodes(tree, raised, members))


def test_nothing_published_below_a_node_does_not_respect_it():
    """PP-08: the printed rule would take it."""
    tree = tree_of(balanced(range(1, 9)), numeric=True)
    assert not respects_requirement(tree, {tree.numbers["[5, 8]"]: 1}, tree.numbers["[1, 4]"])


def test_too_many_people_for_a_search_through_all_groups_are_refused():
    tree = tree_of(balanced(range(1, 17)), numeric=True)
    people = [Person(at, tree.root) for at in range(16)]
    with pytest.raises(InfeasibleError, match="people who can be grouped in 65,536 ways"):
        group_exactly(tree, people)
    for way in (group_greedily, group_top_down):
        assert sum(count_saving(tree, people, g) for g in way(tree, people)) == 16 * 15


@given(wishes(7, sizes=(2, 3, 4, 8, 9)))
@settings(max_examples=60, deadline=None)
def test_algorithm_8_takes_the_greatest_average_saving_of_all_who_are_left(case):
    """Of the text of Algorithm 8: each group in turn, against all that could be made instead."""
    tree, people = tree_of(case[0], numeric=True), case[1]
    assume(all(len(set(ratio)) < 2 for ratio in tree.ratio))  # halves, or thirds

    def average(group):
        return Fraction(count_saving(tree, people, group), len(group))

    left = set(range(len(people)))
    for group in group_greedily(tree, people):
        every = chain.from_iterable(combinations(sorted(left), n + 1) for n in range(len(left)))
        assert average(group) == max(map(average, every))
        left -= set(group)
    assert not left


@given(wishes(5, sizes=(2, 3, 4, 7), weights=st.integers(0, 2)), st.sampled_from([30_000, 12, 3]))
@settings(deadline=None)
def test_no_parting_publishes_fewer_values_than_the_bound(case, choices):
    tree = tree_of(case[0], numeric=True)
    people = [one for one in case[1] if tree.weight[one.node]]
    assume(people)
    least = min(
        sum(
            count_values(tree, node) for group in parting for node in all_nodes(tree, people, group)
        )
        for parting in partings(list(range(len(people))))
    )
    with patch.object(_least_values, "MAX_CHOICES", choices):
        assert len(people) <= find_least_values(tree, people) <= least


def plain_top_down(tree, people):
    """Algorithm 9 person by person: everybody who is left is looked through for each group."""
    size = [count_values(tree, node) for node in range(len(tree.names))]
    left, found = set(range(len(people))), []
    for node in sorted({one.node for one in people}, key=lambda n: (-size[n], tree.first[n])):
        while any(people[at].node == node for at in left):
            inside = {at for at in left if tree.first[node] <= people[at].leaf < tree.last[node]}
            slots = find_fewest_nodes(tree, np.sort([people[at].leaf for at in inside]), node)
            bag = _find_finest_group(tree, slots, node)[1]
            found.append([])
            for slot in sorted(bag, key=size.__getitem__):
                for _ in range(bag[slot]):
                    often = Counter(people[at].leaf for at in inside)
                    some = [
                        at for at in inside if tree.first[slot] <= people[at].leaf < tree.last[slot]
                    ]
                    best = max(some, key=lambda at: (
                        size[people[at].node], often[people[at].leaf], -people[at].leaf, -at
                    ))  # fmt: skip
                    inside.remove(best)
                    left.remove(best)
                    found[-1].append(best)
    return found


@given(wishes(24, sizes=(2, 3, 4, 7), weights=st.integers(0, 3)))
def test_counting_people_by_kind_gives_the_groups_of_looking_through_all(case):
    hierarchy, people = case
    tree = tree_of(hierarchy, numeric=True)
    people = [one for one in people if tree.weight[one.node]]
    assert group_top_down(tree, people) == plain_top_down(tree, people)


@pytest.mark.parametrize("way", [group_greedily, group_top_down])
@given(wishes(24, sizes=(2, 3, 4, 7)), st.integers(0, 2**31))
def test_the_order_of_the_people_does_not_change_who_come_together(way, case, seed):
    hierarchy, people = case
    tree = tree_of(hierarchy, numeric=True)
    other = Random(seed).sample(people, len(people))
    first, second = (
        Counter(tuple(some[at] for at in group) for group in way(tree, some))
        for some in (people, other)
    )
    assert first == second
