"""Safe groups: what the search finds is safe, and where it finds nothing it says why."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.models import safe_grouping
from verikit.partition import _safe_groups, safe_groups


def graph_of(pairs, left=0, right=0):
    """A graph of numbered entities, as many as asked for."""
    sides = [
        pd.DataFrame({name: [str(i) for i in range(max([size, *(p[at] + 1 for p in pairs)]))]})
        for at, (name, size) in enumerate((("a", left), ("p", right)))
    ]
    links = pd.DataFrame([(str(i), str(j)) for i, j in pairs], columns=["a", "p"])
    return vk.BipartiteGraph.of(links, *sides)


def shares(graph, side, labels):
    """By exhaustion: the pairs in one group, with each neighbour they share."""
    own, other = (0, 1) if side == "left" else (1, 0)
    near = [{e[other] for e in graph.edges.tolist() if e[own] == i} for i in range(len(labels))]
    return {
        (i, j, x)
        for i, j in itertools.combinations(range(len(labels)), 2)
        if labels[i] == labels[j]
        for x in near[i] & near[j]
    }


def random_graph(seed, most=12):
    rng = np.random.default_rng(seed)
    left, right = rng.integers(2, most, 2)
    chosen = rng.random((left, right)) < rng.uniform(0.05, 0.4)
    return graph_of(np.argwhere(chosen).tolist() or [[0, 0]], left, right)


@pytest.mark.parametrize("order", ["degree", "random"])
@given(seed=st.integers(0, 10**6), side=st.sampled_from(["left", "right"]), k=st.integers(1, 4))
def test_what_is_found_is_safe_large_enough_and_holds_everybody(order, seed, side, k):
    graph = random_graph(seed)
    try:
        found = safe_groups(graph, side, k, order=order, seed=seed)
    except vk.InfeasibleError:
        return
    assert len(found.labels) == len(graph.side(side))
    assert found.sizes.min() >= k
    assert shares(graph, side, found.labels) == set()
    assert safe_grouping(graph, side, found).safe


@given(seed=st.integers(0, 10**6), side=st.sampled_from(["left", "right"]))
def test_every_pair_that_breaks_safety_is_named_with_the_neighbour(seed, side):
    graph = random_graph(seed)
    labels = np.random.default_rng(seed).integers(0, 3, len(graph.side(side)))
    verdict = safe_grouping(graph, side, vk.Partition.of(labels))
    named = {
        (*sorted((int(one["first"]), int(one["second"]))), int(one["shared"]))
        for _, one in verdict.pairs.iterrows()
    }
    assert named == shares(graph, side, labels)
    assert verdict.violations == len(named)
    assert verdict.safe == (not named)


def test_strict_groups_are_of_two_sizes_only_or_refused():
    for seed in range(60):
        graph = random_graph(seed)
        try:
            found = safe_groups(graph, "left", 2, strict=True, seed=seed)
        except vk.InfeasibleError:
            continue
        assert set(found.sizes) <= {2, 3}


def test_five_entities_cannot_be_strictly_grouped_by_three_and_the_message_says_so():
    graph = graph_of([(i, i) for i in range(5)])
    with pytest.raises(vk.InfeasibleError, match="5 entities cannot be put into groups of 3 and 4"):
        safe_groups(graph, "left", 3, strict=True, seed=1)
    assert safe_groups(graph, "left", 3, seed=1).sizes.tolist() == [5]


def test_strict_is_refused_exactly_where_no_two_counts_add_up():
    for k, n in itertools.product(range(1, 6), range(1, 25)):
        possible = any(a * k + b * (k + 1) == n for a in range(n + 1) for b in range(n + 1))
        graph = graph_of([(i, i) for i in range(n)])
        try:
            found = set(safe_groups(graph, "left", k, strict=True, seed=1).sizes)
        except vk.InfeasibleError:
            found = set()
        assert bool(found) == possible
        assert possible or n < k * (k - 1)


def test_a_complete_graph_has_no_safe_groups_and_the_message_names_the_hub():
    graph = graph_of(list(itertools.product(range(3), range(3))))
    with pytest.raises(vk.InfeasibleError, match=r"'0' is linked to 3 of 3 entities.*no k above 1"):
        safe_groups(graph, "left", 2, seed=1)
    assert len(safe_groups(graph, "left", 1, seed=1)) == 3


def test_one_giant_hub_is_named_at_once():
    graph = graph_of([(i, 0) for i in range(5000)], right=3)
    with pytest.raises(vk.InfeasibleError, match="'0' is linked to 5,000 of 5,000 entities"):
        safe_groups(graph, "left", 2, seed=1)


def test_where_every_round_fails_the_search_ends_and_names_who_is_left():
    pairs = [(i, at) for at, two in enumerate(itertools.combinations(range(4), 2)) for i in two]
    graph = graph_of(pairs)  # any two share a neighbour, but no neighbour has more than two
    with pytest.raises(vk.InfeasibleError, match=r"of 2 were found: .* into no group"):
        safe_groups(graph, "left", 2, seed=1)


@pytest.mark.parametrize("k", [7, 10**9])
def test_a_group_larger_than_the_side_is_refused(k):
    with pytest.raises(vk.InfeasibleError, match=r"the left side has 5 entities; .* at most 5\."):
        safe_groups(graph_of([(4, 0)]), "left", k, seed=1)


def test_an_empty_side_is_refused_in_a_sentence():
    empty = vk.BipartiteGraph.of(
        pd.DataFrame({"a": [], "p": []}, dtype=object), pd.DataFrame({"a": ["x"]})
    )
    with pytest.raises(vk.InfeasibleError, match="right side has no entities"):
        safe_groups(empty, "right", 2, seed=1)


def test_the_number_of_tries_is_bounded(monkeypatch):
    monkeypatch.setattr(_safe_groups, "MAX_TRIES", 30)
    with pytest.raises(vk.InfeasibleError, match="given up after 30 tries"):
        safe_groups(graph_of([(i, 0) for i in range(20)], left=60), "left", 2, seed=1)


@pytest.mark.parametrize("order", ["names", [0, 1], [0, 0, 1, 2, 3], None, 5])
def test_what_is_no_order_is_refused(order):
    with pytest.raises(vk.RecordError, match="The order was given as"):
        safe_groups(graph_of([(4, 0)]), "left", 2, order=order, seed=1)


def test_names_and_rows_do_not_tell_who_is_grouped_with_whom():
    """Six alike entities: by lot each of the other five is as likely to share a group."""
    graph = graph_of([(i, i) for i in range(6)])
    for order in ("degree", "random"):
        found = [safe_groups(graph, "left", 2, order=order, seed=s).labels for s in range(1500)]
        together = np.mean([labels[1:] == labels[0] for labels in found], axis=0)
        assert np.abs(together - 0.2).max() < 0.05


def test_the_most_linked_come_first_and_ties_by_the_links_of_their_neighbours():
    graph = graph_of([(0, 0), (1, 1), (2, 1), (3, 2), (3, 3)])
    ranks = _safe_groups._order_entities(graph, "left", "degree", np.random.default_rng(1)).tolist()
    assert (ranks[0], set(ranks[1:3]), ranks[3]) == (3, {1, 2}, 0)


def graph_of_names(links, names):
    """A graph of names, each linked to something."""
    columns = vk.Schema((vk.Column("who", "identifier", "nominal"),))
    sides = [vk.Microdata(pd.DataFrame({"who": part}), columns) for part in names]
    edges = [[names[0].index(a), names[1].index(b)] for a, b in sorted(links)]
    return vk.BipartiteGraph(*sides, np.array(edges))


def shares_of_groups(links, names, orders):
    """How often each grouping of the left names comes of the orders, each as likely."""
    graph, found = graph_of_names(links, names), Counter()
    for order in orders:
        try:
            groups = safe_groups(graph, "left", 2, order=list(order), seed=1).groups()
            found[frozenset(frozenset(names[0][at] for at in part) for part in groups)] += 1
        except vk.InfeasibleError:
            found[None] += 1
    return {groups: count / len(orders) for groups, count in found.items()}


def list_orders(links, names, order):
    """Every order in which names may be placed: any, or by falling links, ties by neighbours'."""
    every = list(itertools.permutations(range(len(names[0]))))
    if order == "random":
        return every
    degree = Counter(b for _, b in links)
    near = {a: sorted((degree[b] for c, b in links if c == a), reverse=True) for a in names[0]}
    keys = [(len(near[a]), near[a]) for a in names[0]]
    return [p for p in every if all(keys[a] >= keys[b] for a, b in itertools.pairwise(p))]


@pytest.mark.parametrize("order", ["degree", "random"])
def test_whoever_repeats_the_method_makes_the_groups_as_often_in_every_world(order):
    rng, worlds, tried = np.random.default_rng(3), 0, 0
    while worlds < 120:
        names = list("abcde"[: rng.integers(3, 6)]), list("wxyz"[: rng.integers(2, 5)])
        links = {(a, b) for a in names[0] for b in names[1] if rng.random() < 0.4}
        if {a for a, _ in links} != set(names[0]) or {b for _, b in links} != set(names[1]):
            continue
        found = shares_of_groups(links, names, list_orders(links, names, order))
        tried += 1
        for groups in set(found) - {None}:
            parts = [sorted(part) for part in groups]
            for dealt in itertools.product(*map(itertools.permutations, parts)):
                moved = dict(zip(itertools.chain(*parts), itertools.chain(*dealt), strict=True))
                world = {(moved[a], b) for a, b in links}
                again = shares_of_groups(world, names, list_orders(world, names, order))
                assert again[groups] == pytest.approx(found[groups])
                worlds += 1
    assert tried > 5
