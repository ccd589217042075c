"""A published graph keeps its links, says names by groups only, and comes back from disk."""

import json

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.mask import group_nodes


@pytest.fixture(scope="module")
def graph():
    links, *entities = (vk.load(f"qz_table4_1{part}") for part in "cab")
    return vk.BipartiteGraph.of(links.frame, *entities)


def paired(size):
    """So many people, each linked to one thing of his own: all of them alike."""
    names = [f"{i:03}" for i in range(size)]
    return vk.BipartiteGraph.of(pd.DataFrame({"who": names, "what": names}))


def test_the_links_of_the_release_are_those_of_the_graph_under_its_key(graph):
    release, key = group_nodes(graph, 3, 3, seed=4)
    ends = [key.places[s][graph.edges[:, at]] for at, s in enumerate(("left", "right"))]
    assert set(zip(*ends, strict=True)) == set(map(tuple, release.links.tolist()))
    for side in ("left", "right"):
        by_name = dict(zip(release.names(side), release.groups(side), strict=True))
        of_nodes = release.nodes(side)[key.places[side]]
        assert [by_name[name] for name in graph.names(side)] == of_nodes.tolist()


def test_the_five_tables_of_figure_4_3_are_published_beside_the_entities(graph):
    release, _ = group_nodes(graph, 3, 3, seed=4)
    tables = release.tables()
    assert set(tables) == {
        "left", "right", "links", "left_groups", "right_groups", "left_nodes", "right_nodes",
    }  # fmt: skip
    assert list(tables["left"][0]) == ["Author", "Location"]
    assert list(tables["right"][0]) == ["Paper", "Venue"]


def test_a_saved_graph_is_opened_as_it_was_and_holds_neither_seed_nor_key(graph, tmp_path):
    masked = group_nodes(graph, 3, 3, seed=987654321)
    masked.save(tmp_path / "r", tmp_path / "key.json")
    opened = vk.open_release(tmp_path / "r")
    assert isinstance(opened, vk.GraphRelease)
    for name, (frame, _) in masked.release.tables().items():
        assert opened.tables()[name][0].astype(str).equals(frame.astype(str)), name
    assert "987654321" not in (tmp_path / "r" / "datapackage.json").read_text()
    facts = json.loads((tmp_path / "r" / "datapackage.json").read_text())["verikit"]
    assert (facts["kind"], facts["parameters"]["k"]) == ("graph", 3)


def test_whoever_guesses_the_node_of_a_name_by_its_position_is_right_by_luck_only():
    """Groups of five: in one of five cases, whichever node of the group is guessed."""
    graph = paired(10)
    hits = np.zeros(5)
    for seed in range(500):
        release, key = group_nodes(graph, 5, 5, seed=seed)
        mates = np.flatnonzero(release.nodes("left") == release.groups("left")[0])
        hits += mates == key.places["left"][0]
    assert np.abs(hits / 500 - 0.2).max() < 0.075


def test_every_node_and_every_group_is_as_likely_for_every_name():
    graph = paired(6)
    nodes = np.zeros((6, 6))
    groups = np.zeros((6, 2))
    for seed in range(600):
        release, key = group_nodes(graph, 3, 3, seed=seed)
        nodes[np.arange(6), key.places["left"]] += 1
        groups[np.arange(6), release.left_groups] += 1
    assert np.abs(nodes / 600 - 1 / 6).max() < 0.065
    assert np.abs(groups / 600 - 1 / 2).max() < 0.085


def test_the_order_of_the_published_entities_is_that_of_their_names(graph):
    rows = [3, 5, 0, 1, 4, 2]
    mixed = vk.BipartiteGraph.of(
        graph.to_frame().iloc[::-1], graph.left.frame.iloc[rows], graph.right.frame.iloc[rows]
    )
    release, _ = group_nodes(mixed, 3, 3, seed=1)
    assert release.names("left").tolist() == ["a1", "a2", "a3", "a4", "a5", "a6"]


def test_the_number_of_links_must_not_stand_beside_a_name(graph):
    told = graph.left.frame.assign(papers=graph.degrees("left"))
    with pytest.raises(vk.SchemaError, match="'papers' holds the number of links of each Author"):
        group_nodes(vk.BipartiteGraph.of(graph.to_frame(), told), 3, 3, seed=1)


def test_other_identifiers_are_not_published(graph):
    known = graph.left.frame.assign(phone=list("uvwxyz"))
    columns = (vk.Column("Author", "identifier", "nominal"), vk.Column("Location", kind="nominal"))
    schema = vk.Schema((*columns, vk.Column("phone", "identifier", "nominal")))
    table = vk.Microdata(known, schema)
    release, _ = group_nodes(vk.BipartiteGraph(table, graph.right, graph.edges), 3, 3, seed=1)
    assert release.left.schema.names == ("Author", "Location")


def test_given_groups_are_used_if_they_are_safe_and_large_enough(graph):
    left = vk.Partition.of([0, 0, 1, 0, 1, 1])
    right = vk.Partition.of([0, 1, 1, 0, 1, 0])
    release, _ = group_nodes(graph, 3, 3, groups=(left, right), seed=1)
    together = release.left_groups[[0, 1, 3]]
    assert len(set(together)) == 1
    with pytest.raises(
        vk.InfeasibleError, match="k was given as 4, but the groups of the left side hold 3"
    ):
        group_nodes(graph, 4, 3, groups=(left, right), seed=1)
    unsafe = vk.Partition.of([0, 1, 0, 1, 0, 1])
    with pytest.raises(vk.InfeasibleError, match=r"left side are not safe: .* both linked to"):
        group_nodes(graph, 3, 3, groups=(unsafe, right), seed=1)


def test_one_group_a_side_is_published_safe_or_not_and_as_large_as_was_asked(graph):
    release, _ = group_nodes(graph, 6, 6, groups="one", seed=1)
    assert (release.sizes("left").tolist(), release.sizes("right").tolist()) == ([6], [6])
    assert (release.safe("left"), release.parameters["order"]) == (False, "one group")
    with pytest.raises(vk.InfeasibleError, match="k was given as 7, but the groups of the left"):
        group_nodes(graph, 7, 6, groups="one", seed=1)
    with pytest.raises(vk.RecordError, match="left and right, or 'one'"):
        group_nodes(graph, 6, 6, groups="all", seed=1)


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ((1, 9), "ell was given as 9, but the right side has 6 entities; give an ell of at most 6"),
        ((9, 1), "k was given as 9, but the left side has 6 entities; give a k of at most 6"),
        ((1, 4), "linked to 2 of 6 entities.*no ell above 3 can be reached"),
    ],
)
def test_a_size_that_cannot_be_is_refused_by_its_own_name(graph, sizes, said):
    with pytest.raises(vk.InfeasibleError, match=said):
        group_nodes(graph, *sizes, seed=1)


def test_a_release_whose_groups_do_not_fit_is_refused(graph):
    release, _ = group_nodes(graph, 3, 3, seed=1)
    parts = {
        name: getattr(release, name)
        for name in [
            "left",
            "right",
            "left_groups",
            "right_groups",
            "links",
            "left_nodes",
            "right_nodes",
        ]
    }
    with pytest.raises(vk.SchemaError, match="not as many nodes as entities"):
        vk.GraphRelease(**{**parts, "left_nodes": np.array([0, 0, 0, 0, 1, 1])})
    with pytest.raises(vk.SchemaError, match="6 entities, but 5 have a group"):
        vk.GraphRelease(**{**parts, "left_groups": release.left_groups[:5] * 0})
