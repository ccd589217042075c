"""A bipartite graph: what comes in is checked, named in sentences, and held in one form."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.table._graph import Neighbours, neighbour_ranks

LINKS = pd.DataFrame({"author": ["a", "b", "b"], "paper": ["p", "p", "q"]})
AUTHORS = pd.DataFrame({"author": ["b", "c", "a"], "age": [30, 40, 50]})


def test_a_graph_holds_its_links_by_the_places_of_the_entities():
    graph = vk.BipartiteGraph.of(LINKS, AUTHORS)
    assert graph.edges.tolist() == [[0, 0], [0, 1], [2, 0]]
    assert graph.degrees("left").tolist() == [2, 0, 1]
    assert graph.degrees("right").tolist() == [2, 1]
    near = graph.neighbours("right")
    assert near.starts.tolist() == [0, 2, 3]
    assert near.places.tolist() == [0, 2, 0]


def test_an_entity_without_a_link_is_kept_and_named():
    graph = vk.BipartiteGraph.of(LINKS, AUTHORS)
    assert graph.isolated("left").tolist() == ["c"]
    assert repr(graph) == "BipartiteGraph(3 author and 2 paper, 1 of them without a link, 3 links)"


def test_a_repeated_link_is_refused_and_counted_once_only_where_asked_for():
    twice = pd.concat([LINKS, LINKS.iloc[:1]])
    with pytest.raises(vk.SchemaError, match=r"1 link of 4 repeats another one; give each pair"):
        vk.BipartiteGraph.of(twice)
    assert len(vk.BipartiteGraph.of(twice, duplicates="once")) == 3


def test_a_link_to_an_unknown_entity_is_refused_by_its_name():
    with pytest.raises(vk.SchemaError, match="links name 'a', which the table of 'author' does"):
        vk.BipartiteGraph.of(LINKS, AUTHORS[:2])


def test_an_entity_in_two_rows_is_refused_by_its_name():
    with pytest.raises(vk.SchemaError, match="names 'a' more than once"):
        vk.BipartiteGraph.of(LINKS, pd.concat([AUTHORS, AUTHORS[2:]]))


@pytest.mark.parametrize(
    ("links", "left", "said"),
    [
        (None, None, "Links were given as NoneType"),
        (AUTHORS.assign(more=1), None, r"Links were given as \(3, 3\)"),
        (LINKS.assign(paper=["p", None, "q"]), None, "1 link of 3 have no end in 'paper'"),
        (LINKS, 5, "entities 'author' were given as int"),
        (LINKS, AUTHORS[["age"]], "no column 'author'"),
    ],
)
def test_what_is_no_graph_is_refused_in_a_sentence(links, left, said):
    with pytest.raises(vk.SchemaError, match=said):
        vk.BipartiteGraph.of(links, left)


def test_places_outside_a_side_are_refused():
    graph = vk.BipartiteGraph.of(LINKS)
    with pytest.raises(vk.SchemaError, match="place 7 of the right side, which has 2"):
        vk.BipartiteGraph(graph.left, graph.right, np.array([[0, 7]]))


def test_numbers_may_name_entities_whatever_their_dtype():
    links = pd.DataFrame({"u": [1.0, 2.0], "f": [7, 8]})
    graph = vk.BipartiteGraph.of(links, pd.DataFrame({"u": [2, 1]}))
    assert graph.to_frame().to_numpy().tolist() == [["2", "8"], ["1", "7"]]


def test_a_graph_is_frozen_and_shares_nothing_with_what_it_was_given():
    links = LINKS.copy()
    graph = vk.BipartiteGraph.of(links)
    links.iloc[0, 0] = "z"
    assert graph.to_frame().iloc[0, 0] == "a"
    assert not graph.edges.flags.writeable
    with pytest.raises((AttributeError, TypeError)):
        graph.edges = None


def test_the_ranks_of_entities_are_those_of_their_lists_of_neighbours():
    rng = np.random.default_rng(4)
    for _ in range(50):
        lists = [rng.integers(0, 6, rng.integers(0, 5)).tolist() for _ in range(30)]
        codes = rng.integers(0, 3, 6)
        near = Neighbours(
            np.cumsum([0, *map(len, lists)]), np.array([x for part in lists for x in part], int)
        )
        told = [(len(part), sorted(codes[part].tolist(), reverse=True)) for part in lists]
        ordered = sorted({(n, tuple(part)) for n, part in told})
        expected = [ordered.index((n, tuple(part))) for n, part in told]
        assert neighbour_ranks(near, codes).tolist() == expected
