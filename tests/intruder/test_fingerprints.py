"""What the links of one name tell about its node, counted against luck."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.intruder import Fingerprints, fingerprints
from verikit.mask import group_nodes


@pytest.fixture(scope="module")
def graph():
    links, *entities = (vk.load(f"qz_table4_1{part}") for part in "cab")
    return vk.BipartiteGraph.of(links.frame, *entities)


def crowd(seed, people=60, things=90, links=130):
    rng = np.random.default_rng(seed)
    ends = [(size * rng.random(links) ** 1.3).astype(int) for size in (people, things)]
    pairs = sorted(set(zip(*map(np.ndarray.tolist, ends), strict=True)))
    named = pd.DataFrame([(f"a{i:02}", f"p{j:02}") for i, j in pairs], columns=["who", "what"])
    sides = [
        pd.DataFrame({column: [f"{sign}{i:02}" for i in range(size)]})
        for column, sign, size in (("who", "a", people), ("what", "p", things))
    ]
    return vk.BipartiteGraph.of(named, *sides)


def by_hand(graph, release, side, by):
    """For each name the nodes of its group with the same print, one name after the other."""
    at, other = (0, 1) if side == "left" else (1, 0)
    rest = "right" if side == "left" else "left"
    where = {name: row for row, name in enumerate(release.names(rest))}
    degrees = graph.degrees(rest), Counter(release.links[:, other].tolist())
    found = []
    for place, name in enumerate(graph.names(side)):
        others = [e[other] for e in graph.edges.tolist() if e[at] == place]
        group = release.groups(side)[list(release.names(side)).index(name)]
        nodes = np.flatnonzero(release.nodes(side) == group).tolist()
        near = {x: [e[other] for e in release.links.tolist() if e[at] == x] for x in nodes}
        if by == "count":
            mine, theirs = len(others), {x: len(near[x]) for x in nodes}
        elif by == "neighbours":
            mine = sorted(degrees[0][others].tolist())
            theirs = {x: sorted(degrees[1][y] for y in near[x]) for x in nodes}
        else:
            rows = [where[graph.names(rest)[j]] for j in others]
            mine = sorted(release.groups(rest)[rows].tolist())
            theirs = {x: sorted(release.nodes(rest)[near[x]].tolist()) for x in nodes}
        found.append(sum(part == mine for part in theirs.values()))
    return found


@pytest.mark.parametrize("by", ["count", "neighbours", "names"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_nodes_that_fit_are_those_found_one_name_after_the_other(side, by):
    for seed in range(6):
        graph = crowd(seed)
        for order in ("degree", "random"):
            release = group_nodes(graph, 4, 3, order=order, seed=seed).release
            found = fingerprints(graph, release, side, by=by)
            assert found.candidates.tolist() == by_hand(graph, release, side, by)
            assert found.candidates.min() >= 1


def test_guessing_among_the_nodes_that_fit_is_right_as_often_as_expected():
    """The key says which node it is: over many lots the share of right guesses is the expected."""
    graph, rng = crowd(3), np.random.default_rng(1)
    right, expected, luck = 0, 0.0, 0.0
    for seed in range(120):
        release, key = group_nodes(graph, 5, 5, order="random", seed=seed)
        found = fingerprints(graph, release, "left", by="count")
        degrees = np.diff(release.neighbours("left").starts)
        for place, links in enumerate(graph.degrees("left")):
            own = key.places["left"][place]
            mates = np.flatnonzero(release.nodes("left") == release.nodes("left")[own])
            fitting = mates[degrees[mates] == links]
            right += int(rng.choice(fitting) == own)
        expected, luck = expected + found.expected, luck + found.luck
    assert right == pytest.approx(expected, rel=0.05)
    assert expected > 1.3 * luck


def test_luck_is_one_right_node_for_each_group_and_nobody_does_worse(graph):
    release = group_nodes(graph, 3, 3, seed=1).release
    for by in ("count", "neighbours", "names"):
        found = fingerprints(graph, release, "left", by=by)
        assert found.luck == pytest.approx(2)
        assert found.expected >= found.luck
        assert found.to_frame()["chance"].sum() == pytest.approx(found.expected)


def test_groups_of_alike_degree_give_less_away_than_groups_by_lot():
    better = 0
    for seed in range(20):
        graph = crowd(seed)
        expected = {
            order: fingerprints(
                graph, group_nodes(graph, 4, 4, order=order, seed=seed).release, "left", by="count"
            ).expected
            for order in ("degree", "random")
        }
        better += expected["degree"] < expected["random"]
    assert better >= 18


def test_where_all_look_alike_knowing_all_links_tells_nothing():
    names = [str(i) for i in range(12)]
    alike = vk.BipartiteGraph.of(pd.DataFrame({"who": names, "what": names}))
    release = group_nodes(alike, 4, 12, seed=1).release
    for by in ("count", "neighbours", "names"):
        found = fingerprints(alike, release, "left", by=by)
        assert found.expected == pytest.approx(found.luck)
        assert len(found.recognised) == 0


def test_a_recognised_name_is_text_and_no_tag_in_a_notebook():
    links = vk.load("qz_table4_1c").frame.map(lambda name: f"<img src=x onerror=alert(1)>{name}")
    hostile = vk.BipartiteGraph.of(links)
    parts = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])
    release = group_nodes(hostile, 3, 3, groups=parts, seed=5).release
    found = fingerprints(hostile, release, "left", by="count")
    assert "<img" in repr(found)
    assert "<img" not in found._repr_html_()


def test_a_name_alone_in_its_group_is_not_called_recognised(graph):
    release = group_nodes(graph, 1, 1, seed=1).release
    found = fingerprints(graph, release, "left")
    assert isinstance(found, Fingerprints)
    assert len(found.recognised) == 0
    assert found.expected == found.luck == 6


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"side": "top"}, vk.RecordError, "A side of a graph was given as 'top'"),
        ({"by": "face"}, vk.RecordError, "by was given as 'face'; expected 'count', 'neighbours'"),
        ({"release": 5}, vk.SchemaError, "was given int as the release; expected GraphRelease"),
        ({"graph": 5}, vk.SchemaError, "fingerprints was given int; expected BipartiteGraph"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(graph, change, error, said):
    release = group_nodes(graph, 3, 3, seed=1).release
    given = {"graph": graph, "release": release, "side": "left"} | change
    with pytest.raises(error, match=said):
        fingerprints(**given)


def test_a_release_of_another_graph_is_refused(graph):
    others = graph.to_frame().replace({"a1": "x1"})
    other = group_nodes(vk.BipartiteGraph.of(others), 2, 2, seed=1).release
    with pytest.raises(vk.RecordError, match=r"left names .* differ \('a1'\)"):
        fingerprints(graph, other, "left")
    more = pd.concat(
        [graph.to_frame(), pd.DataFrame({"Author": ["a4"] * 2, "Paper": ["p1", "p2"]})]
    )
    changed = group_nodes(vk.BipartiteGraph.of(more), 2, 2, seed=1).release
    with pytest.raises(vk.SchemaError, match=r"no node fits 'a4'"):
        fingerprints(graph, changed, "left")
