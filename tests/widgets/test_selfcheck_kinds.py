"""SelfCheck of releases with a target and of graphs: what is asked, judged, drawn and refused."""

import pandas as pd
import pytest

import verikit as vk
from verikit.widgets import SelfCheck

TARGET = vk.targets.balanced([30, 40, 50, 60])


@pytest.fixture
def disguised():
    frame = pd.DataFrame({"town": list("ppqqqq"), "pay": [30, 30, 40, 40, 50, 60]})
    schema = vk.Schema((vk.Column("town", kind="nominal"), vk.Column("pay", "sensitive")))
    data = vk.Microdata(frame, schema)
    return vk.mask.disguise(data, hierarchy=TARGET, seed=7).release


@pytest.fixture
def graph():
    made = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    groups = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])
    return vk.mask.group_nodes(made, 3, 3, groups=groups, seed=5).release


def test_a_target_is_drawn_beside_what_can_be_inferred(disguised, before):
    person = before(SelfCheck(disguised))
    person.types("record/town", "p")
    crowd, picture = person.pictures
    assert crowd.startswith("Of ")
    assert picture.startswith("Chances of 100. 30: for you 25, in the target 25.")
    assert person.html.count("<rect") == 2 * 4 + 2, "a bar and a stroke each, and the legend"
    assert person.rows(0)[1] == ["30", "25", "25"]


def test_the_group_of_values_that_may_be_known_is_asked_for_and_judged(disguised, before):
    person = before(SelfCheck(disguised, node="[30, 60]"))
    person.types("record/town", "p")
    assert "What you asked for is met." in person.card
    offered = [value for value, _ in person.field("node").options]
    assert offered[:3] == ["[30, 60]", "[30, 40]", "[50, 60]"]
    person.types("node", "[30, 99]")
    assert "expected a group of values of 'pay'" in person.field("node").error
    assert person.view.report is None
    person.types("node", "")
    assert person.view.report.met is None
    person.types("ell", "5")
    assert "and read as the target says, at most in 1 of 5 required" in person.card


def test_her_sensitive_value_is_not_asked_for(disguised, before):
    person = before(SelfCheck(disguised))
    asked = next(part for part in person.view.parts() if part.id == "record").fields
    assert [field.id for field in asked] == ["record/town"]


def test_a_graph_asks_for_her_name_and_for_a_link_of_hers(graph, before):
    person = before(SelfCheck(graph))
    table, record, requirement = person.view.parts()
    assert ("11 links between 6 Author and 6 Paper", "") in table.lines
    assert [field.id for field in record.fields] == ["record/Author", "record/Paper"]
    assert [value for value, _ in record.fields[0].options] == ["a1", "a2", "a3", "a4", "a5", "a6"]
    assert record.fields[1].help.startswith("one that you are linked to, if you like")
    assert [field.id for field in requirement.fields] == ["k", "ell"]


def test_links_and_what_learning_adds_are_drawn(graph, before):
    person = before(SelfCheck(graph))
    person.types("record/Author", "a1")
    links, learned = person.pictures
    assert "1 link of others learned: at most 50 of 100." in learned
    assert learned.endswith("2 links of others learned: at most 100 of 100.")
    assert links.startswith("one of ")
    assert ": 33 of 100." in links
    person.types("k", "4")
    assert "(3 names, at least 4 required)" in person.card
    person.types("record/Author", "")
    person.types("record/Paper", "p2")
    assert person.view.report.facts["attributes"] == ["Paper"]


def test_an_unknown_name_is_answered_and_not_refused(graph, before):
    person = before(SelfCheck(graph))
    person.types("record/Author", "<i>z</i>")
    assert person.view.report.headline.state == "cannot-tell"
    assert "No Author of this graph is called <i>z</i>:" in person.card
    assert "<i>" not in person.html


def test_a_graph_with_many_names_offers_none(before):
    pairs = pd.DataFrame({"author": [f"a{n}" for n in range(120)], "paper": "p"})
    pairs["paper"] += pairs.index.astype(str)
    release = vk.mask.group_nodes(vk.BipartiteGraph.of(pairs), 2, 2, seed=1).release
    person = before(SelfCheck(release))
    assert person.field("record/author").options == ()
    assert person.field("record/author").help == "your name"


def test_a_released_graph_and_target_can_be_opened_in_the_form(graph, disguised, tmp_path, before):
    person = before(SelfCheck("dm_table1_masked"))
    for name, release in (("graph", graph), ("disguised", disguised)):
        person.types("path", str(release.save(tmp_path / name)))
        assert person.view._kind.name == name
