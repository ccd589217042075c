"""The check of a name against a published graph, held against every way to place the names."""

import itertools
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.subject import check_graph

DATASETS = Path(os.environ.get("VERIKIT_DATASETS", "nowhere"))
GROUPS = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])


@pytest.fixture(scope="module")
def release():
    graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    return vk.mask.group_nodes(graph, 3, 3, groups=GROUPS, seed=5).release


def placings(release):
    """Every way to give the names of each group to its nodes, both sides."""
    found = []
    for side in ("left", "right"):
        names, nodes = release.groups(side), release.nodes(side)
        ways = [{}]
        for group in range(names.max() + 1):
            mine = np.flatnonzero(names == group).tolist()
            seats = itertools.permutations(np.flatnonzero(nodes == group).tolist())
            ways = [
                {**way, **dict(zip(mine, seat, strict=True))}
                for way, seat in itertools.product(ways, list(seats))
            ]
        found.append(ways)
    return list(itertools.product(*found))


def chance(release, ways, pair, known=()):
    """The share of ways in which two names are linked, of those in which others are too."""
    links = set(map(tuple, release.links.tolist()))

    def there(way, link):
        return (way[0][link[0]], way[1][link[1]]) in links

    kept = [way for way in ways if all(there(way, link) for link in known)]
    return Fraction(sum(there(way, pair) for way in kept), len(kept)) if kept else None


def test_the_groups_of_the_paper_leave_one_in_three(release):
    report = check_graph({"Author": "a1", "Paper": "p2"}, release)
    assert report.headline.state == "no-warning"
    assert report.sentence("L1") == (
        "Your name stands in a group of 3 names, beside as many nodes that have links and no name: "
        "which one is yours is not told."
    )
    assert report.sentence("L6") == (
        "A link between you and p2 looks true in 33 of 100 cases if within a group each node is "
        "equally likely for every name."
    )
    assert report.sentence("L5").endswith(
        "after one, a guess may be right in 50 of 100 cases if within a group each node is equally "
        "likely for every name; after 2, it may be certain."
    )
    assert report.sentence("L2") == (
        "The nodes of your group have 1 to 2 links each. Numbers that a single node has: 1. "
        "Whoever knows how many links you have may know your node."
    )
    assert [figure.value for figure in report.figures] == ["3 names", "33 of 100", "1 to 2 links"]


def test_learning_two_links_of_others_may_make_hers_certain_as_fact_bg_25_says(release):
    most = check_graph({"Author": "a4"}, release).tables["learned"]["of 100 at most"]
    learned = vk.intruder.learned_links(release, [("a1", "p2"), ("a2", "p3")])
    assert learned.chance("a4", "p5") == 1 == most.iloc[2] / 100


def small_releases():
    def made(pairs, left, right):
        frame = pd.DataFrame(sorted(set(pairs)), columns=["author", "paper"])
        graph = vk.BipartiteGraph.of(frame.astype(str).assign(paper=lambda f: "p" + f["paper"]))
        parts = []
        for side, labels in (("left", left), ("right", right)):
            parts.append(vk.Partition.of(labels[: len(graph.side(side))]))
        entities = [
            vk.mask._groups_only._entities_to_publish(graph, side) for side in ("left", "right")
        ]
        labels = [part.labels for part in parts]
        return vk.GraphRelease(*entities, *labels, graph.edges, *labels)

    places = st.integers(0, 3)
    return st.builds(
        made,
        st.lists(st.tuples(places, places), min_size=1, max_size=9),
        st.lists(st.integers(0, 1), min_size=4, max_size=4),
        st.lists(st.integers(0, 1), min_size=4, max_size=4),
    )


@given(small_releases(), st.integers(0, 3), st.integers(0, 3))
def test_what_is_said_is_the_share_of_all_ways_to_place_the_names(release, left, right):
    left, right = left % len(release.left), right % len(release.right)
    ways = placings(release)
    names = [release.names(side) for side in ("left", "right")]
    report = check_graph({"author": names[0][left], "paper": names[1][right]}, release)
    by_pair = {j: chance(release, ways, (left, j)) for j in range(len(names[1]))}
    assert report.facts["surest"] == pytest.approx(float(max(by_pair.values())))
    found = vk.subject.graph.find_linked(
        {"author": names[0][left], "paper": names[1][right]}, release
    )
    assert found.own == pytest.approx(float(by_pair[right]))
    assert (report.headline.state == "warning-you") >= (max(by_pair.values()) == 1)
    if by_pair[right]:
        after = {
            j: chance(release, ways, (left, j), [(left, right)])
            for j in range(len(names[1]))
            if j != right
        }
        most = float(max(found.learned.chance, default=0))
        assert most == pytest.approx(float(max(after.values(), default=0)))


@given(small_releases(), st.data())
def test_after_learned_links_of_others_no_guess_is_surer_than_said(release, data):
    assume(len(release.left) >= 2)
    hers = data.draw(st.integers(0, len(release.left) - 1))
    name = release.names("left")[hers]
    report = check_graph({"author": name}, release)
    steps = report.tables["learned"]
    ways = placings(release)
    others = [i for i in range(len(release.left)) if i != hers]
    pairs = data.draw(
        st.lists(
            st.tuples(st.sampled_from(others), st.integers(0, len(release.right) - 1)), max_size=2
        )
    )
    known = list(dict.fromkeys(pairs))
    after = [chance(release, ways, (hers, j), known) for j in range(len(release.right))]
    if len(steps) and after[0] is not None:
        step = min(len(known), len(steps) - 1)
        assert float(max(after)) <= steps["of 100 at most"].iloc[step] / 100 + 1e-9


def test_a_product_is_looked_up_as_a_person_is(release):
    report = check_graph({"Paper": "p2"}, release)
    assert report.facts["attributes"] == ["Paper"]
    assert report.tables["links"]["any of"].str.startswith("a").all()
    assert vk.check({"Paper": "p2"}, release).headline == report.headline


def test_her_requirement_is_judged(release):
    assert check_graph({"Author": "a1"}, release, k=3, ell=3).met is True
    few = check_graph({"Author": "a1"}, release, k=4, ell=4)
    assert few.met is False
    assert "the size of your group (3 names, at least 4 required)" in few.sentence("R")
    assert "for every name, at most in 1 of 4 required)" in few.sentence("R")
    assert check_graph({"Author": "nobody"}, release, k=2).met is None


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({}, "record holds no name; give one under 'Author', 'Paper'"),
        ({"Author": None, "Paper": " "}, "record holds no name"),
        ({"Venue": "x"}, "record has 'Venue'; a published graph is asked for a name"),
        ({"Author": ["a1"]}, "'Author' was given as .*; expected a number or a text"),
        (7, "record was given as int"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(release, record, sentence):
    with pytest.raises(RecordError, match=sentence):
        check_graph(record, release)


def test_other_requirements_and_other_releases_are_refused(release):
    with pytest.raises(RecordError, match="a published graph, which has no places; set one for k"):
        vk.check({"Author": "a1"}, release, distance=2)
    with pytest.raises(SchemaError, match="was given SplitRelease; expected GraphRelease"):
        check_graph({"Age": 3}, vk.published("lhcc_table4"))


def test_a_hub_that_is_linked_to_everybody_hides_among_nobody():
    pairs = [("hub", f"p{n}") for n in range(30)] + [(f"a{n}", f"p{n}") for n in range(30)]
    graph = vk.BipartiteGraph.of(pd.DataFrame(pairs, columns=["author", "paper"]))
    alone = [0 if name == "hub" else 1 + n % 3 for n, name in enumerate(graph.names("left"))]
    parts = vk.Partition.of(alone), vk.Partition.of(list(range(30)))
    release = vk.mask.group_nodes(graph, 1, 1, groups=parts, seed=1).release
    report = check_graph({"author": "hub"}, release)
    assert report.headline.state == "warning-you"
    assert report.facts["surest"] == 1
    assert len(report.tables["learned"]) == 0
    other = check_graph({"author": "a1"}, release)
    assert other.headline.state == "warning-table"
    assert "30 of the 60 links of this graph can be read off by name" in other.headline.text


def test_the_slip_holds_nothing_but_published_facts(release):
    html = check_graph({"Author": "<b>a1</b>"}, release).to_html()
    assert "<b>a1</b>" not in html


def test_names_that_are_numbers_are_found_as_text():
    frame = pd.DataFrame({"author": [1, 2, 3, 4], "paper": [5, 6, 7, 8]})
    release = vk.mask.group_nodes(vk.BipartiteGraph.of(frame), 2, 2, seed=1).release
    assert check_graph({"author": 3.0}, release).facts["group"] == 2
    assert check_graph({"author": " 3 "}, release).facts["group"] == 2


@pytest.mark.skipif(not (DATASETS / "acl-author-paper").is_dir(), reason="no ACL graph here")
def test_an_author_of_the_acl_graph_is_one_of_ten():
    pairs = vk.datasets.acl(DATASETS / "acl-author-paper")[["author", "paper"]]
    graph = vk.BipartiteGraph.of(pairs)
    release = vk.mask.group_nodes(graph, 10, 10, seed=1).release
    busiest = graph.names("left")[int(graph.degrees("left").argmax())]
    report = vk.check({"author": busiest}, release, k=10, ell=10)
    assert report.met is True
    assert report.facts["surest"] <= 0.1
    assert len(report.tables["links"]) == 20
    assert "the table shows the 20 likeliest" in report.notes[0]
    assert report.tables["learned"]["of 100 at most"].iloc[-1] == 100


@pytest.mark.parametrize("order", ["degree", "random"])
def test_of_groups_ordered_by_lot_nothing_is_said_of_who_repeats_the_method(order):
    graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    by_lot = vk.mask.group_nodes(graph, 3, 3, order=order, seed=5).release
    given = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])
    untold = vk.mask.group_nodes(graph, 3, 3, groups=given, seed=5).release
    said = [str(vk.check({"Author": "a1"}, release)) for release in (by_lot, untold)]
    assert "whoever learns from the whole graph may do better" in said[0]
    assert ["repeats the publisher's method" in text for text in said] == [False, True]
