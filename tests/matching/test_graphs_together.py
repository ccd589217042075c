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


def test_what_a_name_is_told_of_her_links_holds_in_every_world_of_both():
    rng = np.random.default_rng(2)
    said, hidden = set(), 0
    for _ in range(60):
        graph = random_graph(rng)
        sizes = len(graph.left), len(graph.right)
        made = [grouped(graph, *(rng.integers(0, 2, n) for n in sizes), seed) for seed in (1, 2)]
        worlds = worlds_of(made[0]) & worlds_of(made[1])
        for name, other in itertools.product(graph.names("left"), graph.names("right")):
            report = vk.check({"author": name, "paper": other}, made)
            told = report.tables["links together"]["paper"].tolist()
            for paper in told:
                assert all((name, paper) in links for links in worlds)
            warned = f"knows {len(told)} link{'s' * (len(told) > 1)} of yours for certain"
            assert (warned in report.headline.text) == bool(told) <= report.warned
            texts = " ".join(sentence.text for sentence in report.sentences)
            hidden += "it was not found which node is yours" in texts
            here = [(name, other) in links for links in worlds]
            if f"Your link to {other} is certain" in texts:
                assert all(here)
                said.add("certain")
            elif "rule out that you are linked" in texts:
                assert not any(here)
                said.add("ruled out")
            else:
                assert f"linked to {other} was not found certain" in texts
                said.add("open")
    assert said == {"certain", "ruled out", "open"}
    assert hidden, "links are certain though it is not known which node is hers"


@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "nl", "pl", "pt"])
def test_two_groupings_are_put_together_in_every_language(language):
    graph = graph_of({("a", "w"), ("a", "x"), ("a", "y"), ("b", "w"), ("c", "z")})
    made = grouped(graph, [0, 0, 0], range(4)), grouped(graph, range(3), [0] * 4)
    english = vk.check({"author": "a", "paper": "w"}, made)
    report = vk.check({"author": "a", "paper": "w"}, made, language=language)
    keys = ["T1", "T2", "T4", "T8"]
    assert [s.key for s in report.sentences if s.key in keys] == keys
    for key in keys:
        assert report.sentence(key) != english.sentence(key)
    assert (report.headline.state, report.figures[0].value) == ("warning-you", "3")
    assert english.sentence("T8").startswith(
        "5 of the 5 links of this graph are certain from the 2"
    )


def test_a_name_that_the_groupings_contradict_is_told_so_and_other_graphs_are_left_apart():
    """Who has two links in the one and one in the other is no single person."""
    graph = graph_of({("a", "w"), ("a", "x"), ("b", "y"), ("c", "z")})
    other = graph_of({("a", "w"), ("b", "x"), ("b", "y"), ("c", "z")})
    made = [grouped(each, range(3), [0] * 4) for each in (graph, other)]
    assert worlds_of(made[0]) & worlds_of(made[1]) == set()
    report = vk.check({"author": "a"}, made)
    assert report.sentence("T2").startswith("The 2 groupings contradict each other about you")
    away = graph_of({("a", "w"), ("d", "x"), ("b", "y"), ("c", "z")})
    report = vk.check({"author": "a"}, [made[0], grouped(away, [0] * 4, [0] * 4)])
    assert report.sentence("T2").startswith("The graphs were not put together")
    assert "links together" not in report.tables


def test_who_requires_that_links_are_guessed_seldom_is_told_that_some_are_certain():
    """The one grouping tells how many links each author has, the other whose papers have them."""
    graph = graph_of({("e", "v"), ("f", "t"), ("f", "u")})
    made = grouped(graph, [0, 0], range(3)), grouped(graph, range(2), [0] * 3)
    one, two = (vk.check({"author": "e"}, each, ell=2) for each in made)
    report = vk.check({"author": "e"}, made, ell=2)
    assert (one.met, two.met, report.met) == (True, True, False)
    assert report.tables["links together"]["paper"].tolist() == ["v"]


def test_censoring_one_side_at_a_time_gives_the_most_prolific_author_away():
    links = {("a", "w"), ("a", "x"), ("a", "y"), ("b", "w"), ("c", "z")}
    graph = graph_of(links)
    authors, papers = grouped(graph, [0, 0, 0], range(4)), grouped(graph, range(3), [0] * 4)
    found = put_together(authors, papers)
    told = set(map(tuple, found.to_frame().to_numpy().tolist()))
    assert told == links, "degrees and neighbours tell every node from every other but w's"
    assert found.certain_before == 0


def test_all_that_a_k_1_and_a_1_l_grouping_leave_together_is_found():
    """[QZ] section 4.5, all of a side in one group or in two: no certain link is missed."""
    rng = np.random.default_rng(7)
    total = alone = 0
    for at in range(120):
        graph = random_graph(rng)
        sides = [range(len(graph.left)), range(len(graph.right))]
        left, right = (rng.integers(0, 1 + at % 2, len(side)) for side in sides)
        made = grouped(graph, left, sides[1], 1), grouped(graph, sides[0], right, 2)
        worlds = worlds_of(made[0]) & worlds_of(made[1])
        found = put_together(*made)
        told = set(map(tuple, found.to_frame().to_numpy().tolist()))
        assert told == frozenset.intersection(*worlds)
        open_ = {(found.left[a], found.right[b]) for a, b in np.argwhere(found.possible)}
        assert open_ == frozenset.union(*worlds)
        total, alone = total + len(told), alone + found.certain_before
    assert total > 2 * alone, "what both give away, neither does"


def test_single_papers_of_single_authors_stay_open_only_if_there_are_two_of_them():
    """Section 4.5 says always; where there is one such pair it is certain (fact BG-49)."""
    pair, others = {("a", "w")}, {("b", "x"), ("b", "y"), ("c", "y")}
    for links, certain in ((pair | others, True), (pair | {("d", "z")} | others, False)):
        graph = graph_of(links)
        sides = [range(len(graph.left)), range(len(graph.right))]
        made = (
            grouped(graph, [0] * len(sides[0]), sides[1]),
            grouped(graph, sides[0], [0] * len(sides[1])),
        )
        worlds = worlds_of(made[0]) & worlds_of(made[1])
        assert all(("a", "w") in world for world in worlds) is certain
        told = put_together(*made).to_frame().to_numpy().tolist()
        assert {tuple(link) for link in told} == frozenset.intersection(*worlds)


def test_graphs_of_other_names_are_refused():
    one, two = graph_of({("a", "w"), ("b", "x")}), graph_of({("a", "w"), ("c", "x")})
    with pytest.raises(vk.SchemaError, match="two groupings of one graph"):
        put_together(*(grouped(graph, [0, 0], [0, 0]) for graph in (one, two)))
