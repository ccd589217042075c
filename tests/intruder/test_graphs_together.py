"""Two groupings of one graph, held to the enumeration of every world of small ones."""

import itertools

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.intruder import put_together


def graph_of(links):
    return vk.BipartiteGraph.of(pd.DataFrame(sorted(links), columns=["author", "paper"]))


def grouped(graph, left, right, seed=1):
    """The graph with these groups, safe or not, its nodes in random order."""
    sides, groups, nodes, places = [], [], [], []
    for side, labels in (("left", left), ("right", right)):
        own = vk.Partition.of(np.array(labels)).labels
        order = np.random.default_rng(seed).permutation(len(own))
        title = graph.title(side)
        column = vk.Schema((vk.Column(title, kind="nominal"),))
        sides.append(vk.Microdata(pd.DataFrame({title: list(graph.names(side))}), column))
        groups.append(own)
        nodes.append(own[np.argsort(order)])
        places.append(order)
    links = np.column_stack([places[at][graph.edges[:, at]] for at in (0, 1)])
    return vk.GraphRelease(*sides, *groups, links, *nodes)


def worlds_of(release):
    """Every set of links that giving the names of each group to its nodes can yield."""

    def ways(side):
        groups, nodes, names = release.groups(side), release.nodes(side), release.names(side)
        parts = [
            (np.flatnonzero(nodes == at), list(names[groups == at]))
            for at in range(int(groups.max()) + 1)
        ]
        for dealt in itertools.product(*(itertools.permutations(part) for _, part in parts)):
            named = {}
            for (places, _), part in zip(parts, dealt, strict=True):
                named |= dict(zip(places.tolist(), part, strict=True))
            yield named

    rights = list(ways("right"))
    return {
        frozenset((left[a], right[b]) for a, b in release.links.tolist())
        for left in ways("left")
        for right in rights
    }


def random_graph(rng):
    while True:
        links = {(a, b) for a in "abcd"[: rng.integers(3, 5)] for b in "wxyz" if rng.random() < 0.4}
        if len({a for a, _ in links}) > 2 and len({b for _, b in links}) > 2:
            return graph_of(links)


def test_what_is_certain_or_ruled_out_is_so_in_every_world_of_both():
    rng = np.random.default_rng(1)
    found_certain = there = unseen = 0
    for _ in range(150):
        graph = random_graph(rng)
        sizes = len(graph.left), len(graph.right)
        made = [grouped(graph, *(rng.integers(0, 2, n) for n in sizes), seed) for seed in (1, 2)]
        worlds = worlds_of(made[0]) & worlds_of(made[1])
        certain, possible = frozenset.intersection(*worlds), frozenset.union(*worlds)
        found = put_together(*made)
        told = set(map(tuple, found.to_frame().to_numpy().tolist()))
        assert told <= certain
        left = {(found.left[a], found.right[b]) for a, b in np.argwhere(found.possible)}
        assert possible <= left
        found_certain += len(told)
        there += len(certain)
        unseen += bool(told) and found.recognised == 0
    assert found_certain > 0.6 * there
    assert unseen > 0, "links are certain though nobody is recognised"


def test_censoring_one_side_at_a_time_gives_the_most_prolific_author_away():
    links = {("a", "w"), ("a", "x"), ("a", "y"), ("b", "w"), ("c", "z")}
    graph = graph_of(links)
    authors, papers = grouped(graph, [0, 0, 0], range(4)), grouped(graph, range(3), [0] * 4)
    found = put_together(authors, papers)
    told = set(map(tuple, found.to_frame().to_numpy().tolist()))
    assert told == links, "degrees and neighbours tell every node from every other but w's"
    assert found.certain_before == 0


def test_graphs_of_other_names_are_refused():
    one, two = graph_of({("a", "w"), ("b", "x")}), graph_of({("a", "w"), ("c", "x")})
    with pytest.raises(vk.SchemaError, match="two groupings of one graph"):
        put_together(*(grouped(graph, [0, 0], [0, 0]) for graph in (one, two)))
