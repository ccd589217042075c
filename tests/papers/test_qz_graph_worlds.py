"""Chapter 4 of [QZ]_: bounds and means against all worlds of thousands of releases, and errata."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sources import tries

import verikit as vk
from verikit.analyst import average_links, count_linked, count_links, most_links
from verikit.mask import group_nodes
from verikit.models import safe_grouping
from verikit.papers import fact
from verikit.partition import safe_groups

RELEASES = tries(2400, 8)


def small_release(seed):
    """Two to four names a side, of two kinds, in safe groups; None if there are none."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, 2)
    pairs = np.argwhere(rng.random(sizes) < rng.uniform(0.2, 0.7))
    sides = [
        pd.DataFrame({n: [str(i) for i in range(s)], "kind": ["x", *rng.choice(["x", "y"], s - 1)]})
        for n, s in zip("ap", sizes, strict=True)
    ]
    links = pd.DataFrame(pairs.astype(str), columns=["a", "p"], dtype=object)
    try:
        graph = vk.BipartiteGraph.of(links, *sides)
        return group_nodes(graph, *rng.integers(1, 4, 2), seed=seed).release
    except vk.InfeasibleError:
        return None


def meant_nodes(release, side):
    """One row a world of this side: which nodes are names of the kind x."""
    kind = (release.side(side).frame["kind"] == "x").to_numpy()
    ways = []
    for group in range(len(release.sizes(side))):
        nodes = np.flatnonzero(release.nodes(side) == group)
        names = kind[release.groups(side) == group]
        ways.append([(nodes, names[list(p)]) for p in itertools.permutations(range(len(names)))])
    worlds = np.zeros((np.prod([len(way) for way in ways]), len(kind)), int)
    for row, world in zip(worlds, itertools.product(*ways), strict=True):
        for nodes, meant in world:
            row[nodes] = meant
    return worlds


def true_answers(release):
    """By world of both sides: links, papers and authors linked, and the most of one author."""
    left, right = meant_nodes(release, "left"), meant_nodes(release, "right")
    linked = np.zeros((left.shape[1], right.shape[1]), int)
    linked[tuple(release.links.T)] = 1
    most = (left[:, None, :] * (linked @ right.T).T[None]).max(axis=2)
    return {
        "links": (left @ linked) @ right.T,
        "papers": ((left @ linked) > 0).astype(int) @ right.T,
        "authors": left @ ((right @ linked.T) > 0).astype(int).T,
        "most": most,
        "average": (left @ linked.sum(axis=1) / left[0].sum())[:, None],
    }


def asked(release):
    where = {"left": {"kind": "x"}, "right": {"kind": "x"}}
    return {
        "links": count_links(release, **where),
        "papers": count_linked(release, "right", **where),
        "authors": count_linked(release, "left", **where),
        "most": most_links(release, "left", **where),
        "average": average_links(release, "left", where={"kind": "x"}),
    }


def test_bounds_hold_and_means_are_exact_in_all_worlds_of_thousands_of_releases():
    found = (small_release(seed) for seed in range(4 * RELEASES))
    releases = list(itertools.islice((one for one in found if one is not None), RELEASES))
    assert len(releases) == RELEASES
    loose = doubtful = 0
    for release in releases:
        true = true_answers(release)
        for name, answer in asked(release).items():
            assert answer.lower <= true[name].min() + 1e-9, name
            assert true[name].max() <= answer.upper + 1e-9, name
            if name == "most":
                assert answer.estimate <= true[name].mean() + 1e-9
            else:
                assert answer.mean == pytest.approx(true[name].mean()), name
            doubtful += true[name].min() < true[name].max()
            loose += answer.upper - answer.lower > np.ptp(true[name]) + 1e-9
    assert doubtful > RELEASES  # there is something to be bounded
    assert loose > 5  # and bounds by pairs of groups are not always the tightest


# -- the proof of Theorem 6 ------------------------------------------------------------------------


def graph_with_a_common_neighbour(vertices, pairs):
    """A bipartite graph in which exactly these vertices share a neighbour, one for each pair."""
    links = [(str(v), f"w{at}") for at, pair in enumerate(pairs) for v in pair]
    sides = [pd.DataFrame({"v": [str(v) for v in range(vertices)]}), None]
    return vk.BipartiteGraph.of(pd.DataFrame(links, columns=["v", "w"], dtype=object), *sides)


def may_share(graph, vertices):
    """The pairs that a safe grouping may put into one group."""
    found = set()
    for pair in itertools.combinations(range(vertices), 2):
        labels = vk.Partition.of([-1 if v in pair else v for v in range(vertices)])
        if safe_grouping(graph, "left", labels).safe:
            found.add(pair)
    return found


def test_bg_14_a_common_neighbour_for_every_edge_gives_the_complement_of_the_wanted_graph():
    """The smallest case has two vertices; all graphs of four are tried."""
    for size in (2, 4):
        every = set(itertools.combinations(range(size), 2))
        for edges in itertools.product([False, True], repeat=len(every)):
            wanted = {pair for pair, there in zip(sorted(every), edges, strict=True) if there}
            as_printed = graph_with_a_common_neighbour(size, sorted(wanted))
            corrected = graph_with_a_common_neighbour(size, sorted(every - wanted))
            assert may_share(as_printed, size) == every - wanted
            assert may_share(corrected, size) == wanted


def test_bg_15_three_times_four_friends_are_grouped_strictly_without_a_partition_into_triangles():
    friends = [range(start, start + 4) for start in (0, 4, 8)]
    wanted = {pair for four in friends for pair in itertools.combinations(four, 2)}
    others = sorted(set(itertools.combinations(range(12), 2)) - wanted)
    graph = graph_with_a_common_neighbour(12, others)
    found = safe_groups(graph, "left", 3, order=range(12), strict=True, seed=1)
    assert found.sizes.tolist() == [4, 4, 4]
    for three in itertools.combinations(range(12), 3):  # a triangle takes three of one four
        if all(pair in wanted for pair in itertools.combinations(three, 2)):
            (four,) = [set(part) for part in friends if set(three) <= set(part)]
            assert len(four - set(three)) == 1  # who is left alone, and in no other triangle


# -- what is left over -----------------------------------------------------------------------------


def test_bg_17_and_bg_18_as_many_are_left_over_as_the_division_leaves_at_least():
    """After the first round all kept groups have k members, so the rest is n modulo k."""
    for seed in range(80):
        rng = np.random.default_rng(seed)
        size, k = int(rng.integers(8, 40)), int(rng.integers(2, 5))
        pairs = np.unique(rng.integers(0, size, (size, 2)), axis=0).astype(str)
        sides = [pd.DataFrame({n: [str(i) for i in range(size)]}) for n in "vw"]
        graph = vk.BipartiteGraph.of(pd.DataFrame(pairs, columns=["v", "w"]), *sides)
        try:
            assert safe_groups(graph, "left", k, seed=seed).residue % k == size % k
        except vk.InfeasibleError:
            continue
    papers, authors = 543_065, 402_023
    assert fact("QZ", "BG-17").printed.startswith("43 ")
    assert papers % 20 != 43 % 20
    assert authors % 20 == 3 % 20
