"""TargetEditor: a weight that is changed changes the target, what is published, and its cost."""

import re
import time
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.targets import balanced, edges
from verikit.widgets import TargetEditor

WHOLE, LOW, HIGH = "[30000, 60000]", "[30000, 40000]", "[50000, 60000]"


def table(values, kind="numeric"):
    frame = pd.DataFrame({"zip": ["p", "q"] * (len(values) // 2), "pay": values})
    columns = (vk.Column("zip", kind="nominal"), vk.Column("pay", "sensitive", kind))
    return vk.Microdata(frame, vk.Schema(columns))


@pytest.fixture
def she(before):
    return before(TargetEditor())


def test_the_first_screen_shows_eleven_salaries_under_a_uniform_target(she):
    # 2, 3, 2 and 4 of each salary: 5 to 6 send 5 and 5 down, one stays; 2:2 and 2:2 fit, 1+1 stay.
    assert she.view.result.parameters["sum of ranges"] == "50000"
    assert she.view.verdict.met
    assert "What is published shows the target, and nothing else." in she.card
    tree = "30,000 to 60,000: published 1 time; 30,000 to 40,000: weight 1, published 1 time"
    assert tree in she.pictures[0]
    assert "30,000: 18 % · 25 % · 25 %" in she.pictures[1]


def test_a_weight_of_a_box_is_that_of_a_handle_and_moves_everything(she):
    she.types(f"weight/{HIGH}", "3")
    assert she.view.target.share(HIGH) == Fraction(3, 4)
    assert she.view.verdict.met
    assert "50,000 to 60,000: weight 3" in she.pictures[0]
    assert she.field(f"weight/{HIGH}").value == "3"
    cost = she.view.result.parameters["sum of ranges"]
    assert Fraction(cost) > 50_000
    she.presses("again")
    assert she.view.result.parameters["sum of ranges"] == "50000"


def test_every_handle_of_the_picture_names_a_weight_and_its_ends(she):
    grips = re.findall(r'data-drag="([^"]*)" data-low="0" data-high="10"', she.html)
    assert grips == [f"weight/{name}" for name in (LOW, "30000", "40000", HIGH, "50000", "60000")]
    assert set(grips) == {f"weight/{name}" for name in edges(she.view.target)}


def test_a_node_is_opened_by_a_press_and_by_the_list(she):
    assert she.field(f"weight/{LOW}")
    she.presses(f"open/{LOW}")
    assert she.field("weight/30000").limits == (0, 10, 1)
    assert [value for value, _ in she.field("below").options] == [WHOLE, LOW]
    she.types("below", WHOLE)
    assert she.field(f"weight/{HIGH}")


def test_a_fake_is_counted_and_cheaper(she):
    she.types("fakes", "1")
    assert int(she.view.result.parameters["added"]) <= 1
    assert Fraction(she.view.result.parameters["sum of ranges"]) <= 50_000
    she.types("fakes", "9")
    assert she.view.result.parameters["sum of ranges"] == "0"
    assert "0of" in she.card.replace(" ", "")


def test_a_tolerance_shows_something_near_the_target_and_says_how_near(before):
    she = before(TargetEditor(table([1] * 6 + [2] * 4)))
    assert she.view.result.parameters["at the root"] == 2
    she.types("tolerance", "0.05")
    assert "This target leaves nothing to see" in she.card
    she.types("search", "searched")
    assert she.view.result.parameters["at the root"] == 2
    she.types("tolerance", "0.1")
    assert she.view.result.parameters["at the root"] == 0
    assert "shares are off by 10 % at most" in she.card
    assert not she.view.verdict.met
    assert "1: 60 % · 50 % · 60 %" in she.pictures[1]


def test_a_target_that_leaves_only_the_root_is_a_warning_with_the_share(before):
    she = before(TargetEditor(table([1] * 100 + [2] * 100)))
    she.types("weight/1", "1000")
    she.types("weight/2", "1001")
    assert "every published value is the whole range" in she.card
    assert "200 of 200 published values are the whole range 1 to 2" in she.card
    assert she.field("weight/1").limits[1] >= 1001


def test_groups_of_equal_people_each_show_the_target(she):
    she.types("groups", "quasi")
    assert len(she.view.verdict.per_group) == 10
    assert she.view.verdict.met


@pytest.mark.parametrize(
    ("start", "share"), [("data", Fraction(2, 11)), ("uniform", Fraction(1, 4))]
)
def test_the_editor_begins_with_a_target_of_choice_and_forgets_what_was_changed(she, start, share):
    she.types("weight/30000", "7")
    she.types("start", start)
    assert she.view.weights == {}
    assert she.view.target.share(30_000) == share


def test_the_data_as_their_own_target_cost_nothing(she):
    she.types("start", "data")
    assert she.view.result.parameters["sum of ranges"] == "0"


@pytest.mark.parametrize("start", ["normal", "zipf"])
def test_other_targets_have_shares_in_tenths(she, start):
    she.types("start", start)
    assert (10 * she.view.target.share(LOW)).denominator == 1


def test_a_given_target_is_the_first_choice(before):
    target = vk.Hierarchy(balanced([1, 2]).levels, {1: 2, 2: 1})
    she = before(TargetEditor(table([1, 2]), target=target))
    assert she.view.start == "given"
    assert she.view.target.share(1) == Fraction(2, 3)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        (f"weight/{LOW}", "-1", r"The weight of '\[30000, 40000\]' was given as -1; expected a"),
        (f"weight/{LOW}", "much", "was given as 'much'; expected a finite number"),
        ("fakes", "-2", "fakes was given as -2; expected a whole number from 0"),
        ("tolerance", "2", "tolerance was given as '2'; expected a share from 0 to 1"),
        ("below", "nowhere", "below was given as 'nowhere'; expected a node of the tree"),
        ("search", "x", "search was given as 'x'; expected one of printed, searched"),
    ],
)
def test_what_is_wrong_is_said_at_its_box(she, field, value, words):
    she.types(field, value)
    assert isinstance(she.view.last_error, (RecordError, SchemaError))
    assert re.search(words, she.field(field).error)
    assert she.view.result is None
    assert she.view.target is None


def test_no_weight_for_all_children_is_said_above_the_old_answer(she):
    she.types(f"weight/{LOW}", "0")
    she.types(f"weight/{HIGH}", "0")
    assert "All 2 nodes below '[30000, 60000]' have the weight 0" in she.card
    assert "Outdated" in she.card


def test_a_number_of_fakes_that_would_fill_the_memory_is_refused_at_its_box(she):
    she.types("fakes", "1000000000")
    assert she.field("fakes").error.startswith("fakes was given as 1000000000; expected")
    assert she.view.result is None
    she.types("fakes", "2")
    assert she.view.last_error is None


def test_fakes_and_a_searched_tolerance_are_refused_together(she):
    she.types("search", "searched")
    she.types("tolerance", "0.1")
    she.types("fakes", "1")
    assert "fakes were asked for with a searched tolerance" in str(she.view.last_error)


def test_four_thousand_leaves_are_shown_by_their_upper_levels_and_stay_quick(before):
    drawn = np.random.default_rng(1).integers(0, 4096, 20_000)
    tree = balanced(range(4096))
    she = before(TargetEditor(table(drawn.tolist()), target=tree))
    assert she.view.last_error is None
    assert "4,096 values in all." in she.card
    assert "(512 values)" in she.html
    assert she.html.count("data-drag") <= 22
    assert len(she.html) < 60_000
    begun = time.process_time()
    she.types("weight/[0, 2047]", "2")
    assert she.view.target.share("[0, 2047]") == Fraction(2, 3)
    assert time.process_time() - begun < 4  # about 0.5 s alone
    assert len(she.field("below").options) == 3


def test_groups_too_many_to_compare_are_refused_politely(before):
    frame = pd.DataFrame({"zip": list(map(str, range(200))), "pay": range(200)})
    columns = (vk.Column("zip", kind="nominal"), vk.Column("pay", "sensitive"))
    data = vk.Microdata(frame, vk.Schema(columns))
    she = before(TargetEditor(data, target=balanced(range(2048))))
    she.types("groups", "quasi")
    assert "which makes 409,600 chances to compare" in str(she.view.last_error)
    she.types("groups", "together")
    assert she.view.last_error is None


def test_many_children_are_edited_as_far_as_they_fit(before):
    tree = vk.Hierarchy.of({"any": [f"v{at}" for at in range(40)]})
    data = table([f"v{at}" for at in range(40)], "nominal")
    she = before(TargetEditor(data, target=tree))
    sliders = [f.id for part in she.view.parts() for f in part.fields if f.id.startswith("weight")]
    assert len(sliders) == 12
    lines = [words for part in she.view.parts() for words, _ in part.lines]
    assert "28 more nodes can be set in Python, by weights." in lines
    assert "normal" not in dict(she.field("start").options)


def test_one_value_alone_is_a_tree_too(before):
    she = before(TargetEditor(table([7, 7])))
    assert she.view.last_error is None
    assert she.view.result.parameters["sum of ranges"] == "0"


def test_texts_from_the_table_are_shown_as_texts(before):
    data = table(["<i>", '"><img src=x>'], "nominal")
    she = before(TargetEditor(data))
    assert "<i>" not in she.html
    assert "<img" not in she.html
    assert 'data-drag="weight/&quot;&gt;&lt;img src=x&gt;"' in she.html


def test_what_the_verdict_does_not_mean_is_said(she):
    assert "does not say that the target is harmless" in she.card
