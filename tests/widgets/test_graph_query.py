"""GraphQuery: a question on a graph, what the release tells of it, and the truth."""

import pandas as pd
import pytest

import verikit as vk
from verikit.analyst import average_links, count_linked, count_links, most_links
from verikit.errors import InfeasibleError, RecordError
from verikit.widgets import GraphQuery


@pytest.fixture
def she(before):
    return before(GraphQuery())


def true_papers(place, venue):
    """Straight from the tables."""
    links, authors, papers = (vk.load(f"qz_table4_1{part}").frame for part in "cab")
    joined = links.merge(authors).merge(papers)
    return joined[(joined["Location"] == place) & (joined["Venue"] == venue)]["Paper"].nunique()


@pytest.mark.parametrize("place", ["US", "EU", "AS"])
@pytest.mark.parametrize("venue", ["VLDB", "SIGMOD"])
def test_the_truth_is_that_of_the_tables_and_lies_within_all_bounds(she, place, venue):
    she.types("left/Location", place)
    she.types("right/Venue", venue)
    answer, tight, true = she.view.result
    assert true.exact
    assert true.estimate == true_papers(place, venue)
    assert answer.lower <= tight.lower <= true.estimate <= tight.upper <= answer.upper
    assert answer.mean == pytest.approx(tight.mean)


def test_the_picture_and_the_table_say_the_same_numbers(she):
    heads, quick, tried, truth = she.rows()
    assert heads == ["answer", "at least", "expected", "at most"]
    assert (quick[0], tried[0], truth[0]) == (
        "quick bounds", "all choices", "the truth",
    )  # fmt: skip
    (said,) = she.pictures
    assert f"For certain from {quick[1]} to {quick[3]}; {quick[2]} is to be expected." in said
    true = f"{float(truth[2]):g}"
    assert f"The truth, which only the publisher knows: {true}." in said


@pytest.mark.parametrize("kind", ["links", "linked", "average", "most"])
def test_every_question_is_put_to_the_release_that_is_made(she, kind):
    she.types("question", kind)
    where = {"left": {"Location": "US"}, "right": {"Venue": "VLDB"}}
    release = vk.mask.group_nodes(she.view._graph, 3, 3, seed=1).release
    answer = {
        "links": lambda: count_links(release, **where),
        "linked": lambda: count_linked(release, "right", **where),
        "average": lambda: average_links(release, "right", where=where["right"]),
        "most": lambda: most_links(release, "right", **where),
    }[kind]()
    assert repr(she.view.result.answer) == repr(answer)
    assert she.view.last_error is None


def test_how_loose_the_quick_bounds_are_is_told(before):
    """Of four links between the groups at most three can be meant at once, which no pair sees."""
    found = set()
    for place in ("US", "EU", "AS"):
        where = {"left": {"Location": place}, "right": {"Venue": "SIGMOD"}}
        she = before(GraphQuery(k=2, ell=2, seed=1, question="links", **where))
        answer, tight, _ = she.view.result
        loose = (answer.upper - answer.lower) - (tight.upper - tight.lower)
        told = "as tight as can be" if loose < 1e-9 else f"wider by {loose:g} than need be"
        assert told in she.card
        found.add(loose > 0)
    assert found == {True, False}


def test_names_alone_in_their_groups_leave_no_doubt(she):
    she.types("k", "1")
    she.types("ell", "1")
    assert "Exactly 2." in she.card
    assert she.view.result.answer.exact


def test_a_question_about_nobody_has_no_answer(before):
    tables = [vk.load(f"qz_table4_1{part}").frame for part in "cab"]
    venue = vk.Column("Venue", kind="ordinal", order=("VLDB", "SIGMOD", "KDD"))
    schema = vk.Schema((vk.Column("Paper", "identifier", "nominal"), venue))
    graph = vk.BipartiteGraph.of(tables[0], tables[1], vk.Microdata(tables[2], schema))
    she = before(GraphQuery(graph, question="average", right={"Venue": "KDD"}))
    assert "There is no answer: nobody is meant." in she.card


def test_the_degree_of_those_linked_to_is_asked_for(she):
    she.types("question", "most")
    she.types("side", "left")
    she.types("degree", "1")
    assert "to such as have 1 link themselves" in she.card
    she.types("degree", "")
    assert she.view.degree is None


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("question", "why", "question was given as 'why'"),
        ("side", "top", "A side of a graph was given as 'top'"),
        ("degree", "few", "degree was given as 'few'"),
        ("order", "age", "order was given as 'age'"),
        ("seed", "x", "seed was given as 'x'"),
        ("left/Location", "UK", "No 'Location' is 'UK'"),
    ],
)
def test_what_cannot_be_asked_is_said_in_a_sentence(she, field, value, said):
    if field == "degree":
        she.types("question", "most")
    she.types(field, value)
    assert isinstance(she.view.last_error, RecordError)
    assert said.lower() in str(she.view.last_error).lower()
    assert she.view.result is None


def test_groups_that_cannot_be_are_refused(she):
    she.types("ell", "7")
    assert isinstance(she.view.last_error, InfeasibleError)
    assert she.field("k").error == ""
    assert she.field("ell").error.startswith("ell was given as 7, but the right side has 6")


def test_a_graph_too_large_to_try_all_choices_is_answered_quickly_only(before):
    names = [f"{i:04}" for i in range(3000)]
    frame = pd.DataFrame({"who": names, "what": names[::-1]})
    whos = pd.DataFrame({"who": names, "age": [20 + i % 50 for i in range(3000)]})
    she = before(GraphQuery(vk.BipartiteGraph.of(frame, whos), question="links"))
    assert she.view.result.tight is None
    assert "too many choices of nodes to try all" in she.card
    she.types("left/age", "30")
    assert she.view.left == {"age": 30}
    assert she.view.result.true.estimate == 60
