"""TradeOff: several methods in one currency, and the least masking that reaches a goal."""

import asyncio
import re
import time

import pandas as pd
import pytest
from _clock import live

import verikit as vk
from verikit.errors import RecordError
from verikit.widgets import TradeOff

SLACK = 2  # seconds granted to a slow machine; waiting for others that run on it counts none
NOISE = {"noise": [0.1, 2.0]}
FEW = {"noise": [0.1, 2], "rank_swap": [2, 50]}


@pytest.fixture
def she(before):
    return before(TradeOff(vk.load("dm_table1"), amounts=FEW, attack="maximum_rank", links=2))


def test_each_masking_is_one_line_of_the_result_and_of_the_table(she):
    found = she.view.result
    assert found["method"].tolist() == ["noise", "noise", "rank_swap", "rank_swap"]
    heads, *lines = she.rows()
    assert heads[:3] == ["method", "amount", "right links"]
    assert [line[1] for line in lines] == ["0.1", "2.0", "2.0", "50.0"]
    assert [int(line[2]) for line in lines] == found["links"].tolist()
    assert [line[-1] == "yes" for line in lines] == found["met"].tolist()


def test_more_masking_leaves_fewer_links_and_less_order(she):
    little, much = (she.view.result.iloc[at] for at in (0, 1))
    assert little["links"] > much["links"]
    assert little["rank_correlation"] > much["rank_correlation"]


def test_the_headline_names_the_cheapest_masking_that_reaches_the_goal(she):
    she.types("links", "20")
    assert "4 of 4 reach the goal" in she.card
    best = she.view.result["rank_correlation"].idxmax()
    said = {0: "Noise, 0.1 standard deviations", 2: "Rank swapping, within 2 % of the ranks"}
    assert f"{said[best]}, reaches the goal at the least cost." in she.card
    she.types("cost", "residual_noise")
    assert "Rank swapping, within 2 % of the ranks, reaches" in she.card  # swaps leave no noise


def test_a_goal_that_nothing_reaches_is_a_warning(before):
    data = vk.load("dm_table1")
    she = before(TradeOff(data, amounts={"noise": [0.01]}, links=0, attack="maximum_rank"))
    assert "None of 1 masking reaches the goal." in she.card
    assert "vk-head warning" in she.html


def test_marks_are_filled_where_the_goal_is_reached_and_each_method_has_its_shape(she):
    hollow = re.findall(r'<path d="([^"]+)" fill="var\(--vk-paper', she.html)
    assert len(hollow) == int((~she.view.result["met"].astype(bool)).sum())
    assert len(hollow) == 2
    she.types("links", "20")
    assert 'fill="var(--vk-paper' not in she.html
    shapes = set(re.findall(r'<path d="([^"]+)" fill="var', she.html))
    assert len(shapes) == 2
    assert "right links against order kept (rank correlation)" in she.pictures[0]


def test_the_axes_can_be_chosen(she):
    she.types("protection", "places")
    she.types("cost", "residual_noise")
    found = she.view.result
    first, last = found.iloc[0], found.iloc[1]
    assert (
        f"noise from {first['places']:.3g} and {first['residual_noise']:.3g} to "
        f"{last['places']:.3g} and {last['residual_noise']:.3g}"
    ) in she.pictures[0]


def test_the_least_masking_is_looked_for_when_asked_and_forgotten_when_the_goal_changes(she):
    assert she.view.least is None
    she.presses("find")
    least = she.view.least
    assert (least.method, bool(least.trial["met"])) == ("noise", True)
    assert f"noise with scale {least.value:g} is the least of" in she.card
    she.types("links", "3")
    assert she.view.least is None
    she.types("links", "2")
    assert she.view.least.value == least.value


def test_progress_is_told_while_maskings_are_made(before):
    said = []

    class Told(TradeOff):
        def send(self, content, buffers=None):
            said.append(content.get("say"))

    before(Told(vk.load("dm_table1"), amounts=FEW, attack="maximum_rank"))
    assert [f"{done} of 4 maskings measured …" for done in (1, 2, 3, 4)] == said[:4]


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("attack", "magic", RecordError),
        ("links", "-1", RecordError),
        ("share", "2", RecordError),
        ("seed", "x", RecordError),
        ("cost", "money", RecordError),
        ("protection", "luck", RecordError),
    ],
)
def test_what_cannot_be_asked_is_said(she, field, value, error):
    she.types(field, value)
    assert isinstance(she.view.last_error, error)
    assert (she.view.result, she.view.least) == (None, None)
    assert "Outdated" in she.card


def test_a_goal_that_asks_for_nothing_is_refused(she):
    she.types("links", "")
    assert "The goal asks for nothing; give a distance, a diversity, links, guessed" in she.card


def test_groups_larger_than_half_the_table_are_not_tried():
    amounts = TradeOff(vk.load("dm_table1"), attack="maximum_rank")._amounts
    assert amounts["microaggregate"] == amounts["mdav"] == (2, 5, 10)
    assert amounts["rank_swap"] == (2, 5, 10, 25, 50)


def test_methods_that_refuse_such_columns_are_not_tried_and_the_others_are_named(before):
    frame = pd.DataFrame({"a": range(9), "stage": list("IVXIVXIVX")})
    schema = vk.Schema((vk.Column("a"), vk.Column("stage", kind="ordinal", order=tuple("IVX"))))
    she = before(TradeOff(vk.Microdata(frame, schema), attack="maximum_rank"))
    assert list(she.view._amounts) == ["rank_swap", "rank_swap_cycles", "shuffle"]
    assert set(she.view.result["method"]) == {"rank_swap", "rank_swap_cycles", "shuffle"}
    said = [line for part in she.view.parts() for line, _ in part.lines]
    assert (
        "9 records, masked more and more by rank swapping, rank swapping in cycles, shuffling."
        in said
    )


def test_texts_from_outside_are_shown_as_texts(before):
    frame = pd.DataFrame({"<script>": range(8), "<img src=x>": range(8)})
    she = before(
        TradeOff(vk.Microdata(frame), amounts={"noise": [1]}, links=8, attack="maximum_rank")
    )
    assert she.view.result is not None
    assert "<script>" not in she.html
    assert "<img" not in she.html


def test_another_threshold_measures_nothing_again_and_is_judged_as_if_it_had(monkeypatch):
    data, boxes = vk.load("dm_table1"), {"distance": 1, "attack": "maximum_rank"}
    amounts = {"noise": [0.1, 1], "rank_swap": [10, 50]}
    view = TradeOff(data, amounts=amounts, links=9, **boxes)
    asked = [(0, 1.0), (3, 0.5), (None, 0.8)]
    fresh = [
        TradeOff(data, amounts=amounts, links=links, share=share, **boxes).result
        for links, share in asked
    ]
    monkeypatch.setattr("verikit.widgets._trade_off.trade_off", None)
    for (links, share), expected in zip(asked, fresh, strict=True):
        view.set_trait("links", links)
        view.set_trait("share", share)
        pd.testing.assert_frame_equal(view.result, expected)
    assert len({tuple(found["met"]) for found in fresh}) > 1


@pytest.fixture(scope="module")
def large():
    return vk.simulate("dm", 5000, seed=1)


def test_of_a_large_table_some_records_are_measured_and_this_is_said(large, before, monkeypatch):
    begun, told = time.process_time(), []

    def note(view, message, *_):
        told.append((time.process_time() - begun, message))

    monkeypatch.setattr(TradeOff, "send", note)
    person = before(TradeOff(large))
    seconds, first = next(entry for entry in told if entry[1].get("kind") == "wait")
    assert first["say"].startswith("1 of ")
    assert seconds < 1 + SLACK
    assert "Measured on 500 of 5,000 records, drawn at random" in person.card


def test_all_records_of_a_large_table_are_measured_when_asked_for(before):
    data = vk.simulate("dm", 600, seed=1)
    person = before(TradeOff(data, amounts=NOISE))
    some = person.view.result
    person.presses("all")
    assert "Measured on all 600 records." in person.card
    whole = vk.protector.trade_off(
        data, NOISE, vk.protector.Goal(links=0, attack="normal_scores"), seed=1
    )
    columns = ["places", "links", "rank_correlation"]
    pd.testing.assert_frame_equal(person.view.result[columns], whole[columns])
    assert not person.view.result["links"].equals(some["links"])


def test_a_measurement_of_all_records_is_stopped_between_two_maskings():
    async def person():
        view, told = TradeOff(vk.simulate("dm", 1500, seed=1), amounts=NOISE), []
        view.send = told.append
        view._on_message(None, {"kind": "press", "turn": 1, "field": "all"}, [])
        while not any(m.get("say") == "1 of 2 maskings measured of all records …" for m in told):
            await asyncio.sleep(0.02)
        view._on_message(None, {"kind": "press", "turn": 2, "field": "stop"}, [])
        await asyncio.sleep(0.5)
        return view

    view = live(person())
    assert len(view.result) == 1
    assert (
        "1 of 2 maskings measured on all 1,500 records; it was stopped there." in view.card().html
    )


def test_what_changes_the_measure_ends_the_measurement_of_all_records(large):
    async def person():
        view = TradeOff(large, amounts=NOISE)
        view._on_message(None, {"kind": "press", "turn": 1, "field": "all"}, [])
        view._on_message(None, {"kind": "set", "turn": 2, "field": "seed", "value": "2"}, [])
        await asyncio.sleep(0.5)
        return view

    assert "Measured on 500 of 5,000 records" in live(person()).card().html


async def tried(told, trials=1):
    """Wait until a search has told of so many trials."""
    while not any(m.get("say", "").startswith(f"{trials} of at most") for m in told):
        await asyncio.sleep(0.01)


def press(view, turn, field):
    view._on_message(None, {"kind": "press", "turn": turn, "field": field}, [])


def test_the_search_for_the_least_masking_is_stopped_between_two_trials_and_begun_anew():
    async def person():
        view, told = TradeOff(vk.simulate("dm", 400, seed=1), amounts=NOISE, links=3), []
        view.send = told.append
        before = view.result
        press(view, 1, "find")
        await tried(told)
        assert told[-1]["stop"]
        press(view, 2, "stop")
        await asyncio.sleep(0.6)
        pd.testing.assert_frame_equal(view.result, before)
        assert (told[-1]["kind"], told[-1]["turn"], view.least) == ("screen", 2, None)
        assert "Outdated" not in told[-1]["card"]["html"]
        trials = sum("of at most" in message.get("say", "") for message in told)
        press(view, 3, "find")
        while view.least is None:
            await asyncio.sleep(0.05)
        return view, trials

    view, trials = live(person())
    assert trials < 4
    assert view.least.complete
    assert bool(view.least.trial["met"])
    assert view.last_error is None


def test_a_first_measurement_that_is_stopped_leaves_no_half_of_a_result():
    data = vk.simulate("dm", 400, seed=1)

    async def person():
        view, told = TradeOff(data, amounts=NOISE), []
        view.send = told.append
        view._on_message(None, {"kind": "set", "turn": 1, "field": "seed", "value": "5"}, [])
        while not any(m.get("say", "").startswith("1 of 2") for m in told):
            await asyncio.sleep(0.005)
        press(view, 2, "stop")
        await asyncio.sleep(0.5)
        assert view.result is None
        press(view, 3, "again")
        while view.result is None:
            await asyncio.sleep(0.05)
        return view

    expected = TradeOff(data, amounts=NOISE, seed=5).result
    pd.testing.assert_frame_equal(live(person()).result, expected)
