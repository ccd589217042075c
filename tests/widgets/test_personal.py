"""PersonalView: what each person asks for, the groups, and what they save."""

import pandas as pd
import pytest

import verikit as vk
from verikit.errors import InfeasibleError, RecordError
from verikit.targets import balanced
from verikit.widgets import PersonalView

OURS = [(1, "1"), (1, "[1, 2]"), (3, "[3, 4]"), (4, "[1, 4]")]


def table(rows):
    frame = pd.DataFrame(rows, columns=["pay", "wish"]).assign(
        who=[f"p{at}" for at in range(len(rows))]
    )
    columns = (
        vk.Column("who", kind="nominal"),
        vk.Column("pay", "sensitive"),
        vk.Column("wish", "other", "nominal"),
    )
    return vk.Microdata(frame, vk.Schema(columns))


@pytest.fixture
def she(before):
    return before(PersonalView())


@pytest.fixture
def four(before):
    return before(PersonalView(table(OURS), requirement="wish", target=balanced([1, 2, 3, 4])))


def test_the_three_people_of_the_paper_save_one_value(she):
    assert (she.view.verdict.wished, she.view.verdict.published) == (4, 3)
    assert "Everybody gets what she asks for." in she.card
    assert "4 values in all; published are 3 values, 1 fewer than asked for." in she.card
    assert (
        "Elaine: value 40,000, asks for 30,000 to 40,000, published as 40,000 in group"
        in (she.pictures[0])
    )


def test_elaine_and_grace_share_a_group_and_debra_is_alone(she):
    groups = {row[0]: row[3] for row in she.rows()[1:]}
    assert groups["Elaine"] == groups["Grace"] != groups["Debra"]


def test_a_changed_requirement_changes_the_groups_and_what_they_save(she):
    she.types("person", "3")
    assert she.field("wish").label == "Grace asks for"
    assert [node for node, _ in she.field("wish").options] == [
        "30000", "[30000, 40000]", "[30000, 60000]",
    ]  # fmt: skip
    she.types("wish", "[30000, 60000]")
    assert she.view.wishes == {3: "[30000, 60000]"}
    assert she.view.verdict.required[2] == "[30000, 60000]"
    # Debra and Grace share a group of two pairs, Elaine is alone in hers: 2 + 2 + 2 for 1 + 2 + 4.
    assert (she.view.verdict.wished, she.view.verdict.published) == (7, 6)
    assert she.view.verdict.met
    she.presses("again")
    assert she.view.verdict.saved == 1


def test_all_ways_are_compared_and_the_best_first_is_not_always_best(four):
    assert four.pictures[1] == (
        "Values published, by search. everybody in one group (Algorithm 6): 6 published, 3 saved; "
        "people with equal known values (7): 9 published, 0 saved; "
        "best average saving first (8): 7 published, 2 saved; "
        "from the top down (9): 6 published, 3 saved; "
        "all groupings tried (few people): 6 published, 3 saved. Line: asked for: 9."
    )


@pytest.mark.parametrize("search", ["one group", "quasi", "average saving", "top down", "exact"])
def test_every_way_respects_everybody(four, search):
    four.types("search", search)
    assert four.view.result.parameters["search"] == search
    assert four.view.verdict.met


def test_a_level_is_a_node_for_everybody(before):
    she = before(PersonalView(table(OURS), requirement=1, target=balanced([1, 2, 3, 4])))
    assert set(she.view.verdict.required) == {"[1, 2]", "[3, 4]"}


def test_who_names_nothing_gets_the_whole_tree(before):
    rows = [(1, None), (2, "2")]
    she = before(PersonalView(table(rows), requirement="wish", target=balanced([1, 2])))
    assert she.view.verdict.required[0] == "[1, 2]"
    assert she.view.verdict.met


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("person", "4", "person was given as 4; the table has 3 people"),
        ("person", "two", "person was given as 'two'; expected a whole number from 1"),
        ("search", "best", "search was given as 'best'; expected one of one group, quasi"),
    ],
)
def test_what_is_wrong_is_said_at_its_box(she, field, value, words):
    she.types(field, value)
    assert isinstance(she.view.last_error, RecordError)
    assert words in she.field(field).error
    assert she.view.result is None
    assert she.view.verdict is None


def test_a_node_that_does_not_hold_her_value_is_refused(she):
    she.view.wishes = {1: "30000"}
    assert "requires '30000', which does not hold her value '60000'" in str(she.view.last_error)
    she.view.wishes = {9: "30000"}
    assert "wishes was given with 9: '30000'; expected the number of a person, 1 to 3" in str(
        she.view.last_error
    )


def test_too_many_people_for_a_search_are_refused_in_a_sentence(before):
    rows = [(at, "[0, 15]") for at in range(16)]
    she = before(PersonalView(table(rows), requirement="wish", target=balanced(range(16))))
    assert she.view.verdict.met
    assert "All ways are compared for up to 8 people" in she.card
    assert "and 4 more people" in she.card
    she.types("search", "exact")
    assert isinstance(she.view.last_error, InfeasibleError)


def test_a_large_tree_and_many_people_are_drawn_in_part(before):
    rows = [(at * 16, "[0, 4095]") for at in range(200)]
    she = before(PersonalView(table(rows), requirement="wish", target=balanced(range(4096))))
    assert she.view.last_error is None
    assert len(she.html) < 60_000
    assert "and 188 more people" in she.card
    assert she.field("person").kind == "text"


def test_more_people_than_can_be_shown_are_refused():
    frame = pd.DataFrame({"who": range(20_001), "pay": [1, 2, 3] * 6667})
    data = vk.Microdata(
        frame, vk.Schema((vk.Column("who"), vk.Column("pay", "sensitive", "numeric")))
    )
    with pytest.raises(RecordError, match="was given 20,001 records; it shows up to 20,000"):
        PersonalView(data)


def test_texts_from_the_table_are_shown_as_texts(before):
    frame = pd.DataFrame({"who": ["<b>", "c"], "pay": ["<i>", "<img src=x>"]})
    columns = (vk.Column("who", kind="nominal"), vk.Column("pay", "sensitive", "nominal"))
    she = before(PersonalView(vk.Microdata(frame, vk.Schema(columns))))
    assert "<i>" not in she.html
    assert "<img" not in she.html


def test_what_the_verdict_does_not_mean_is_said(she):
    assert "That her value lies below that node can be seen; she named it." in she.card
