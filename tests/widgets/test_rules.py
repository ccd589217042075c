"""RulesView: which rules survive, with support and confidence before and after."""

import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError
from verikit.widgets import RulesView

pytest.importorskip("mlxtend")


@pytest.fixture
def printed(before):
    """The paper's own release of its ten patients."""
    data, release = vk.load("yq_figure1"), vk.published("yq_figure5")
    return before(RulesView(data, release, support=0.2, confidence=0.6))


@pytest.fixture
def she(before):
    return before(RulesView())


def test_three_of_six_rules_of_the_paper_survive_its_release(printed):
    assert "3 of 6 rules survive, 1 invented." in printed.card
    states = printed.view.rules["state"].value_counts().to_dict()
    assert states == {"kept": 3, "lost": 3, "invented": 1}
    assert printed.view.result.to_frame()["kept"].sum() == 3


def test_the_rule_of_the_clerks_has_the_printed_confidence_in_both_tables(printed):
    rules = printed.view.rules.set_index(["left", "right"])
    clerks = rules.loc[("Job Clerk", "Disease Hypertension")]
    assert clerks["confidence_before"] == pytest.approx(0.75)
    assert clerks["confidence_after"] == pytest.approx(0.6)
    (line,) = [row for row in printed.rows() if row[0] == "Job Clerk → Disease Hypertension"]
    assert line[1:] == ["kept", "30 → 30", "75.00 → 60.00"]


def test_a_lost_rule_has_nothing_after_and_an_invented_one_nothing_before(printed):
    rules = printed.view.rules
    assert rules.loc[rules["state"] == "lost", "confidence_after"].isna().all()
    assert rules.loc[rules["state"] == "invented", "confidence_before"].isna().all()
    shown = printed.rows()[1 : len(rules) + 1]
    assert ["–" in row[-1] for row in shown] == (rules["state"] != "kept").tolist()


def test_each_state_has_a_shape_of_its_own_and_words(printed):
    shapes = {part.split('"')[0] for part in printed.html.split('<path d="')[1:]}
    assert len(shapes) == 3
    for words in ("kept: both have it", "lost: the original alone", "invented: the published"):
        assert words in printed.card
    (said,) = printed.pictures
    assert "3 of 6 rules survive" in said


def test_the_slider_draws_more_and_a_given_release_has_none(she, printed):
    assert she.field("changed").limits == (1, 3, 1)
    she.types("changed", "3")
    made = vk.mask.randomize(vk.load("yq_figure1"), changed=3, probabilities="equal", seed=1)
    kept = vk.utility.rules_kept(vk.load("yq_figure1"), made.release, support=0.2, confidence=0.5)
    assert she.view.result.to_frame().equals(kept.to_frame())
    with pytest.raises(StopIteration):
        printed.field("changed")


def test_where_no_rule_is_found_it_is_said(she):
    she.types("support", "0.9")
    assert "No rule of either table reaches both thresholds" in she.card
    assert she.pictures == []


def test_the_card_says_what_survival_does_not_mean(she):
    assert "That few survive does not mean that people are safe." in she.card


@pytest.mark.parametrize(
    ("field", "value"), [("changed", "0"), ("support", "2"), ("confidence", "x"), ("seed", "x")]
)
def test_what_cannot_be_asked_is_said_at_its_box(she, field, value):
    she.types(field, value)
    assert isinstance(she.view.last_error, RecordError)
    assert she.field(field).error.removeprefix("The ").startswith(field)
    assert she.view.result is None
    assert she.view.rules is None


def test_rules_of_two_tables_joined_by_groups_are_counted_by_equally_likely_links(before):
    data, release = vk.load("yq_figure1"), vk.published("yq_figure4")
    she = before(RulesView(data, release, support=0.1, confidence=0.3))
    assert she.view.last_error is None
    asked = {"support": 0.1, "confidence": 0.3}
    assert she.view.result.kept == vk.utility.rules_kept(data, release, **asked).kept > 0


def test_texts_from_the_table_are_shown_as_texts(before):
    frame = pd.DataFrame({"<script>": ["<i>", "<img src=x>"] * 3, "ill": list("aaabbb")})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    she = before(RulesView(data, support=0.1, confidence=0.1))
    assert she.view.last_error is None
    assert "<script>" not in she.html
    assert "<img" not in she.html
    assert "<i>" not in she.html
