"""Compiled steps find the groups of the plain ones; and the search comes to an end."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.models import safe_grouping
from verikit.partition import _safe_groups, safe_groups

pytest.importorskip("numba", reason="without numba all steps are plain")


def graph_of(edges, left, right):
    sides = [
        vk.Microdata(frame, vk.Schema((vk.Column(name, "identifier", "nominal"),)))
        for name, size in (("a", left), ("p", right))
        for frame in [pd.DataFrame({name: [str(i) for i in range(size)]})]
    ]
    return vk.BipartiteGraph(*sides, np.asarray(edges, np.intp).reshape(-1, 2))


def heavy(seed, left=40, right=60, links=150):
    """A graph in which few have many links."""
    rng = np.random.default_rng(seed)
    ends = [(size * rng.random(links) ** 2).astype(int) for size in (left, right)]
    return graph_of(np.unique(np.column_stack(ends), axis=0), left, right)


def outcome(graph, *given, **named):
    """The groups, or the sentence in which they were refused."""
    try:
        found = safe_groups(graph, *given, **named)
    except vk.InfeasibleError as error:
        return str(error)
    return found.labels.tolist(), found.residue


def both(monkeypatch, graph, *given, **named):
    found = []
    for large in (0, 10**9):
        monkeypatch.setattr(_safe_groups, "COMPILED_FROM", large)
        found.append(outcome(graph, *given, **named))
    return found


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("order", ["degree", "random"])
def test_compiled_steps_give_the_groups_and_the_sentences_of_the_plain_ones(
    monkeypatch, order, strict
):
    refused = rounds = 0
    for seed in range(60):
        graph = heavy(seed, *np.random.default_rng(seed).integers([8, 8, 5], [60, 60, 90]))
        for side, k in itertools.product(("left", "right"), (1, 2, 3, 5)):
            options = {"order": order, "strict": strict, "seed": seed}
            fast, plain = both(monkeypatch, graph, side, k, **options)
            assert fast == plain
            refused += isinstance(plain, str)
            rounds += not isinstance(plain, str) and plain[1] > 0
    assert refused > 12
    assert rounds > 30  # somebody was placed again


def test_they_are_equal_without_links_and_where_all_share_one_neighbour(monkeypatch):
    for edges, k in (([], 3), ([(0, 0)], 3), ([(i, 0) for i in range(7)], 1)):
        fast, plain = both(monkeypatch, graph_of(edges, 7, 2), "left", k, seed=1)
        assert fast == plain
        assert not isinstance(fast, str)


def test_they_give_up_after_as_many_tries(monkeypatch):
    graph = graph_of([(i, 0) for i in range(20)], 60, 1)
    last = 0
    for tries in range(40, 260, 7):
        monkeypatch.setattr(_safe_groups, "MAX_TRIES", tries)
        fast, plain = both(monkeypatch, graph, "left", 2, seed=1)
        assert fast == plain
        last += isinstance(fast, str) and f"given up after {tries} tries" in fast
    assert 0 < last < len(range(40, 260, 7))


@given(seed=st.integers(0, 10**6), k=st.integers(2, 5))
def test_what_the_compiled_steps_find_is_safe(seed, k):
    before, _safe_groups.COMPILED_FROM = _safe_groups.COMPILED_FROM, 0
    try:
        graph = heavy(seed)
        found = safe_groups(graph, "right", k, seed=seed)
    except vk.InfeasibleError:
        return
    finally:
        _safe_groups.COMPILED_FROM = before
    verdict = safe_grouping(graph, "right", found)
    assert verdict.safe
    assert verdict.size >= k


def test_the_search_needs_few_tries_and_ends_however_it_goes():
    """A round places somebody or is the last one: n rounds of n looks at n groups at most."""
    for seed in range(200):
        graph = heavy(seed, 30, 30, 120)
        search = _search_of(graph, 3)
        left = search.place_entities(list(range(30)))
        assert search.tries <= 30**3
        assert sorted([*left, *(i for group in search.complete for i in group)]) == list(range(30))


def _search_of(graph, k):
    near = graph.neighbours("left")
    starts, flat = near.starts.tolist(), near.places.tolist()
    return _safe_groups._Search(
        lambda i: flat[starts[i] : starts[i + 1]], _safe_groups.Size("k", k), 10**9
    )


def test_safe_groups_are_a_colouring_of_those_who_share_a_neighbour():
    """Judged by another library: no two of one colour stand next to each other."""
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    graph = heavy(4)
    found = safe_groups(graph, "left", 2, seed=1).labels
    both = networkx.Graph()
    both.add_nodes_from(range(len(found)))
    both.add_edges_from((i, f"p{j}") for i, j in graph.edges.tolist())
    together = networkx.bipartite.projected_graph(both, range(len(found)))
    assert all(found[i] != found[j] for i, j in together.edges)
    assert together.number_of_edges() > 50
