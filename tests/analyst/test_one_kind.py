"""Graphs whose links join people of one kind: safe groups as [QZ] 4.6 proposes, and what follows.

All that is compared with is worked out from the text: every way to give the names of each group to
its nodes, one name a node, whichever end of a link it is.
"""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.analyst import average_links, count_linked, count_links, most_links
from verikit.errors import InfeasibleError, SchemaError
from verikit.models import safe_grouping
from verikit.partition import safe_groups

NAMES = list("abcdef")


def drawn(seed, names=NAMES, share=0.35):
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in itertools.combinations(names, 2) if rng.random() < share]
    people = pd.DataFrame({"person": names, "town": rng.permutation(list("xxxyyy"))})
    frame = pd.DataFrame(pairs or [tuple(names[:2])], columns=["person", "friend"])
    return vk.BipartiteGraph.of_one_kind(frame, people), set(map(frozenset, frame.to_numpy()))


def is_safe(pairs, groups):
    """Of no group two are linked, and no two have a neighbour in common."""
    near = {name: {x for pair in pairs if name in pair for x in pair - {name}} for name in NAMES}
    return not any(
        b in near[a] or near[a] & near[b]
        for group in groups
        for a, b in itertools.combinations(group, 2)
    )


def members(labels):
    return [[NAMES[i] for i in np.flatnonzero(labels == g)] for g in range(labels.max() + 1)]


def ways(pairs, groups):
    """The links by name, in every way to exchange the names inside the groups."""
    for dealt in itertools.product(*(itertools.permutations(group) for group in groups)):
        moved = dict(zip(itertools.chain(*groups), itertools.chain(*dealt), strict=True))
        yield {frozenset(moved[x] for x in pair) for pair in pairs}


def test_a_graph_of_one_kind_holds_each_link_once_and_refuses_what_is_none():
    graph, pairs = drawn(1)
    assert len(graph) == len(pairs)
    assert set(map(frozenset, graph.to_frame().to_numpy())) == pairs
    friends = pd.DataFrame({"person": ["a", "b"], "friend": ["b", "a"]})
    with pytest.raises(SchemaError, match="repeats"):
        vk.BipartiteGraph.of_one_kind(friends)
    assert len(vk.BipartiteGraph.of_one_kind(friends, duplicates="once")) == 1
    with pytest.raises(SchemaError, match="links 'a' to itself"):
        vk.BipartiteGraph.of_one_kind(friends.assign(friend=["a", "a"]))


def test_groups_are_safe_where_nobody_is_linked_inside_or_shares_a_neighbour():
    found = 0
    for seed in range(150):
        graph, pairs = drawn(seed, share=0.2)
        rng = np.random.default_rng(seed)
        labels = vk.Partition.of(rng.integers(0, 3, len(NAMES)).tolist()).labels
        verdict = safe_grouping(graph, "left", vk.Partition(labels))
        assert verdict.safe == is_safe(pairs, members(labels))
        try:
            made = safe_groups(graph, "left", 2, seed=seed)
        except InfeasibleError:
            continue
        found += 1
        assert is_safe(pairs, members(made.labels))
        assert made.sizes.min() >= 2
    assert found > 30


def test_check_answers_and_worlds_are_those_of_every_way_to_exchange_names(tmp_path):
    compared = 0
    for seed in range(120):
        graph, pairs = drawn(seed, share=0.25)
        try:
            groups = safe_groups(graph, "left", 2, seed=seed)
        except InfeasibleError:
            continue
        release, _ = vk.mask.group_nodes(graph, 2, 2, groups=[groups, groups], seed=seed)
        if seed % 10 == 0:
            release.save(tmp_path / str(seed))
            release = vk.open_release(tmp_path / str(seed))
        assert release.safe("left")
        every = list(ways(pairs, members(groups.labels)))
        town = dict(zip(NAMES, graph.left.frame["town"], strict=True))
        for name, other in itertools.permutations(NAMES, 2):
            true = Fraction(sum({name, other} in way for way in every), len(every))
            told = vk.check({"person": name, "friend": other}, release)
            said = told.sentence("L6") or ""
            assert bool(true) == ("looks true" in said or "likely" in said), said
        best = max(sum({name, x} in way for way in every) for x in NAMES if x != name)
        assert told.facts["surest"] == pytest.approx(best / len(every))
        between = [sum({town[x] for x in pair} == {"x", "y"} for pair in way) for way in every]
        found = count_links(release, left={"town": "x"}, right={"town": "y"})
        assert found.mean == pytest.approx(np.mean(between))
        assert found.lower <= min(between) <= max(between) <= found.upper
        friends = [
            len({a for p in way for a in p if town[next(iter(p - {a}))] == "x"}) for way in every
        ]
        found = count_linked(release, "left", right={"town": "x"})
        assert found.mean == pytest.approx(np.mean(friends))
        assert found.lower <= min(friends) <= max(friends) <= found.upper
        degrees = [Counter(x for p in way for x in p) for way in every]
        mean = np.mean([np.mean([d[x] for x in NAMES]) for d in degrees])
        assert average_links(release, "left").mean == pytest.approx(mean)
        most = [max(d[x] for x in NAMES if town[x] == town["a"]) for d in degrees]
        found = most_links(release, "left", left={"town": town["a"]})
        assert found.lower <= min(most) <= max(most) <= found.upper
        counted = Counter(map(frozenset, every))
        worlds = vk.worlds(release)
        assert len(worlds) == len(counted)
        chances = sorted(times / len(every) for times in counted.values())
        assert sorted(worlds.chances) == pytest.approx(chances)
        compared += 1
    assert compared > 20


def test_of_the_censored_graph_any_two_people_are_as_likely_linked():
    graph, pairs = drawn(3)
    release, _ = vk.mask.group_nodes(graph, 2, 2, groups="one", seed=1)
    every = list(ways(pairs, [NAMES]))
    true = Fraction(sum({"a", "b"} in way for way in every), len(every))
    report = vk.check({"person": "a", "friend": "b"}, release)
    assert report.facts["surest"] == pytest.approx(float(true))
    assert not any("to a," in said.text for said in report.sentences)
    assert len(vk.worlds(release)) == len(set(map(frozenset, every)))


def test_what_is_not_defined_for_one_kind_is_refused_in_a_sentence():
    graph, _ = drawn(2, share=0.15)
    release, _ = vk.mask.group_nodes(graph, 2, 2, seed=1)
    with pytest.raises(SchemaError, match="one kind"):
        count_links(release, left={"town": "x"}, tight=True)
    with pytest.raises(SchemaError, match="one kind"):
        vk.intruder.learned_links(release, [])
    with pytest.raises(SchemaError, match="one kind"):
        vk.check({"person": "a"}, [release, release])
    with pytest.raises(vk.VerikitError, match="the same k"):
        vk.mask.group_nodes(graph, 2, 3, seed=1)
