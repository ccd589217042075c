"""Messages that come in together: all are stored and answered, the newest are checked."""

import asyncio
import threading
import time

import pytest
from _clock import live

import verikit as vk
from verikit.subject.masked import _repeat
from verikit.widgets import LatticeView, SelfCheck, TradeOff, _opening, _selfcheck
from verikit.widgets import _callbacks as _latest


@pytest.fixture
def panel(monkeypatch):
    """A panel that repeats nothing meanwhile."""
    monkeypatch.setattr(_selfcheck, "repetition", lambda *_, **__: None)
    return SelfCheck("dm_table1_masked")


@pytest.fixture
def screens(panel):
    """The screens that the panel sends, in their order."""
    sent = []
    panel.send = lambda message, buffers=None: sent.append(message)
    return sent


@pytest.fixture
def checked(monkeypatch):
    """The records that are checked, in their order."""
    records = []

    def check(record, *given, **more):
        records.append(record)
        return vk.check(record, *given, **more)

    monkeypatch.setattr(_selfcheck, "check", check)
    return records


def value(turn, field, typed):
    return {"kind": "set", "turn": turn, "field": field, "value": typed}


def press(turn, field):
    return {"kind": "press", "turn": turn, "field": field}


def kernel(panel, *messages, until=0.2):
    """Take messages as a kernel does: each in a turn of the event loop of its own."""

    async def run():
        for message in messages:
            panel._on_message(None, message, [])
            await asyncio.sleep(0)
        await asyncio.sleep(until)

    live(run())


def test_of_forty_values_sent_together_the_last_is_checked_and_shown(panel, screens, checked):
    kernel(panel, *(value(turn, "record/X1", f"{60 + turn}") for turn in range(1, 41)))
    assert checked == [{"X1": 100, "X2": 902.21, "X3": 5108.54}]
    assert [screen["turn"] for screen in screens] == [40]
    assert "<td>100.00</td>" in screens[0]["card"]["html"]


def test_values_of_several_boxes_are_checked_together(panel, screens, checked):
    kernel(
        panel,
        value(1, "record/X1", "90"),
        value(2, "record/X2", ""),
        value(3, "distance", "1"),
    )
    assert checked == [{"X1": 90, "X3": 5108.54}]
    assert panel.report.met is not None
    assert len(screens) == 1


def test_values_that_come_in_while_one_is_checked_are_checked_once(panel, screens, checked):
    at_once = _selfcheck.check
    _selfcheck.check = lambda *a, **k: (time.sleep(0.2), at_once(*a, **k))[1]

    async def person():
        loop = asyncio.get_running_loop()
        panel._on_message(None, value(1, "record/X1", "90"), [])
        for turn in range(2, 12):  # they wait in the kernel's queue meanwhile
            message = value(turn, "record/X1", str(90 + turn))
            loop.call_later(0.05 + turn / 1000, panel._on_message, None, message, [])
        await asyncio.sleep(0.8)

    live(person())
    assert [record["X1"] for record in checked] == [90, 101]
    assert [m["turn"] for m in screens if m["kind"] == "screen"] == [11]


def test_no_screen_says_that_it_knows_a_value_that_was_not_checked(panel, screens):
    kernel(panel, value(1, "record/X1", "90"), {"kind": "hello"}, value(2, "record/X1", "91"))
    assert [screen["turn"] for screen in screens] == [2]
    assert "<td>91.00</td>" in screens[0]["card"]["html"]


@pytest.mark.parametrize(
    "message",
    [
        value(7, "record/X1", "100.87"),
        value(7, "path", " "),
        value(7, "nothing", "1"),
        press(7, "nothing"),
    ],
)
def test_a_message_that_changes_nothing_is_answered_too(panel, screens, message):
    panel._on_message(None, message, [])
    kernel(panel, {**message, "turn": 8})
    assert [screen["turn"] for screen in screens] == [7, 8]


def test_a_wrong_value_is_answered_at_its_box_when_messages_come_in_together(panel, screens):
    kernel(panel, value(1, "record/X1", "90"), value(2, "record/X2", "many"))
    (screen,) = screens
    assert screen["turn"] == 2
    assert screen["parts"][1]["fields"][1]["error"].startswith("'X2' was given as 'many'")
    assert "Outdated" in screen["card"]["html"]


def test_what_python_sets_is_answered_before_the_next_line(panel, checked):
    async def cell():
        panel._on_message(None, value(1, "record/X2", ""), [])
        panel.record = {**panel.record, "X1": "90"}
        assert panel.report.attributes["own"].tolist() == [90, 5108.54]
        await asyncio.sleep(0.1)

    live(cell())
    assert checked == [{"X1": 90, "X3": 5108.54}]


def test_each_press_and_each_level_builds_on_the_one_before(monkeypatch):
    view = LatticeView()
    kernel(view, value(1, "step", "0"), press(2, "next"), press(3, "next"))
    assert view.step == 2
    kernel(view, value(4, "level/Race", "0"), value(5, "level/Zip", "3"))
    assert view.node == (0, 3)
    assert view.last_error is None


def test_signs_of_life_are_sent_while_something_takes_long(panel, screens, monkeypatch):
    monkeypatch.setattr(_latest, "BEAT", 0.05)
    at_once = _selfcheck.check

    def check(*given, **more):
        until = time.monotonic() + 30
        while len(screens) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        return at_once(*given, **more)

    monkeypatch.setattr(_selfcheck, "check", check)
    kernel(panel, value(1, "record/X1", "90"), until=40)
    kinds = [message["kind"] for message in screens]
    assert kinds[:2] == ["wait", "wait"]
    assert kinds.count("screen") == 1
    first, *others = [message["say"] for message in screens if message["kind"] == "wait"]
    assert first == "Comparing your values with 20 records …"
    assert set(others) == {""}


def test_progress_is_told_from_a_check_that_waited():
    said = []

    class Told(TradeOff):
        def send(self, content, buffers=None):
            said.append(content.get("say") or content["kind"])

    view = Told(vk.load("dm_table1"), amounts={"noise": [1, 2]}, attack="maximum_rank")
    said.clear()
    kernel(view, value(1, "seed", "5"), value(2, "seed", "6"), until=2)
    assert said == ["1 of 2 maskings measured …", "2 of 2 maskings measured …", "screen"]


@pytest.fixture
def repeating(monkeypatch):
    """A panel that repeats the published method a few times, and what it sends."""
    monkeypatch.setattr(_selfcheck, "RUNS", 5)
    monkeypatch.setattr(_selfcheck, "SLICE", 0)
    sent = []

    class Told(SelfCheck):
        def send(self, content, buffers=None):
            sent.append(content)

    monkeypatch.setattr(_repeat, "MOVES", 60)
    monkeypatch.setattr(_repeat, "TABLES", 3)
    panel = Told("dm_table1_masked")
    sent.clear()
    return panel, sent


def test_the_answer_is_shown_before_the_method_is_repeated_and_completed_after(repeating):
    panel, sent = repeating
    kernel(panel, value(1, "record/X1", "90"), until=4)
    kinds = [message["kind"] for message in sent]
    assert kinds[0] == kinds[-1] == "screen"
    assert set(kinds[1:-1]) == {"wait"}
    shares = [int(m["say"].split()[-2]) for m in sent if m["kind"] == "wait"]
    assert shares == sorted(set(shares))
    assert all(message["hushed"] for message in sent[1:-1])
    shown = [m["card"]["html"] for m in sent if m["kind"] == "screen"]
    assert ["found you in" in html for html in shown] == [False, True]
    assert panel.report.facts["repeated"]["runs"] == 5


def test_a_new_value_ends_the_repetition_of_the_old_one(repeating):
    panel, sent = repeating

    async def person():
        panel._on_message(None, value(1, "record/X1", "90"), [])
        await until(sent, is_screen)
        assert panel.report.facts.get("repeated") is None
        panel._on_message(None, value(2, "record/X1", "many"), [])
        await asyncio.sleep(0.5)

    asyncio.run(person())
    assert panel.report is None
    assert [m["kind"] for m in sent].count("screen") == 2
    assert "Outdated" in sent[-1]["card"]["html"]


def test_repeating_the_published_method_ends_when_somebody_stops_it():
    async def person():
        panel, told = SelfCheck("dm_table1_masked"), []
        panel.send = told.append
        panel._on_message(
            None, {"kind": "set", "turn": 1, "field": "record/X1", "value": "101"}, []
        )
        while not any(message.get("stop") for message in told):
            await asyncio.sleep(0.01)
        panel._on_message(None, {"kind": "press", "turn": 2, "field": "stop"}, [])
        shown = told[-1]
        await asyncio.sleep(0.5)
        return panel, shown, told

    panel, shown, told = live(person())
    assert (shown["kind"], shown["turn"]) == ("screen", 2)
    assert told[-1] is shown, "nothing is done any more"
    assert panel.report.sentence("S9") is None


# -- what takes long is told, and can be stopped --------------------------------------------------


async def until(told, what):
    """Wait until something was sent."""
    for _ in range(500):
        found = [message for message in told if what(message)]
        if found:
            return found[-1]
        await asyncio.sleep(0.02)
    raise AssertionError(told)


def is_busy(message):
    return message["kind"] == "wait" and message["stop"]


def is_screen(message):
    return message["kind"] == "screen"


@pytest.fixture
def slow(monkeypatch):
    """Whether checks take long, or end at once."""
    at_once, wait = _selfcheck.check, threading.Event()

    def check(*given, **asked):
        wait.wait(10)
        return at_once(*given, **asked)

    monkeypatch.setattr(_selfcheck, "check", check)
    yield wait
    wait.set()


def test_a_long_check_says_so_and_is_stopped_and_asked_once_more(panel, screens, slow):
    async def person():
        panel._on_message(None, value(1, "record/X1", "90"), [])
        begun = time.monotonic()
        assert (await until(screens, is_busy))["say"].startswith("Comparing your values with 20")
        assert time.monotonic() - begun < 1
        panel._on_message(None, press(2, "stop"), [])
        stopped = dict(screens[-1])
        answered = panel.report
        slow.set()
        await asyncio.sleep(0.2)
        assert screens[-1] == stopped, "what was stopped is not heard of again"
        panel._on_message(None, press(3, "again"), [])
        await until(screens, lambda message: is_screen(message) and message["turn"] == 3)
        return stopped, answered

    stopped, answered = asyncio.run(person())
    assert answered is None
    assert (stopped["kind"], stopped["turn"]) == ("screen", 2)
    assert "You stopped this before it was done" in stopped["card"]["html"]
    assert "Outdated" in stopped["card"]["html"]
    assert stopped["parts"][0]["title"] == "Stopped"
    assert panel.report.attributes["own"].tolist()[0] == 90
    assert "again" not in [part["id"] for part in screens[-1]["parts"]]


def test_a_newer_value_takes_the_place_of_a_long_check(panel, screens, slow):
    async def person():
        panel._on_message(None, value(1, "record/X1", "90"), [])
        await until(screens, is_busy)
        panel._on_message(None, value(2, "record/X1", "91"), [])
        slow.set()
        return await until(screens, is_screen)

    assert asyncio.run(person())["turn"] == 2
    assert panel.report.attributes["own"].tolist()[0] == 91
    assert [message["kind"] for message in screens].count("screen") == 1


def test_what_a_left_check_finds_out_late_is_shown_to_nobody_and_counts_for_nothing(panel, slow):
    panel.record, counted = {}, []
    panel._looks.count_attempt = lambda *seen: counted.append(seen)

    async def person():
        panel._on_message(None, value(1, "record/X1", "90"), [])
        await asyncio.sleep(0.1)
        panel._on_message(None, press(2, "stop"), [])
        slow.set()
        await asyncio.sleep(0.3)

    asyncio.run(person())
    assert panel.report is None
    assert counted == []


def test_the_opening_of_a_long_file_is_stopped_and_the_table_before_it_stays(
    panel, screens, monkeypatch, tmp_path
):
    vk.published("dm_table1_masked").frame.to_csv(tmp_path / "own.csv", index=False)
    at_once, wait = _opening.open_with_spelling, threading.Event()
    monkeypatch.setattr(
        _opening, "open_with_spelling", lambda *given: (wait.wait(10), at_once(*given))[1]
    )
    before = panel.report

    async def person():
        panel._on_message(None, value(1, "path", str(tmp_path / "own.csv")), [])
        assert (await until(screens, is_busy))["say"] == "Opening own.csv …"
        panel._on_message(None, press(2, "stop"), [])
        wait.set()
        await asyncio.sleep(0.3)

    asyncio.run(person())
    assert panel.report is before
    errors = [f["error"] for part in screens[-1]["parts"] for f in part["fields"] if f["error"]]
    assert errors == ["You stopped this before it was done; ask once more, or change what you ask."]
    assert panel.lay_out()[0].lines[0][0] == "An invented example"


def test_where_python_sets_a_value_nothing_is_done_apart(panel):
    panel.record = {**panel.record, "X1": "90"}
    assert panel.report.attributes["own"].tolist()[0] == 90
    assert not panel._latest.can_stop
