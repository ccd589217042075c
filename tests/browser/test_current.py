"""An answer is shown as current only beside the values that it was computed for."""

import io
import signal
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from screens import current, resize, settle

from verikit.widgets import SelfCheck

pytestmark = pytest.mark.browser

EARLIER = "what is shown is for your earlier values"
SILENT = f"No answer from Python: {EARLIER}; reload"
LONG = [f"{'Haushaltsnettoeinkommenversicherungsbeitragsjahreinsgesamt':_<59}{n}" for n in range(3)]


@pytest.fixture(scope="module")
def app(serve):
    return serve("app", "dm_table1_masked")


@pytest.fixture(scope="module")
def shared(app, stay):
    return stay(app.address)


@pytest.fixture
def page(shared):
    """One page for the tests that end nothing, once it has answered all that was sent."""
    current(shared)
    return shared


def box(page, label):
    """The box of a form with exactly this label."""
    return page.get_by_role("textbox", name=label, exact=True)


def says(page, words):
    """Wait until these words stand above the answer."""
    page.wait_for_function(
        "words => document.querySelector('.vk-now').innerText.includes(words)", arg=words
    )


def is_current(page):
    """Whether the answer is shown as current; a greyed one must be so for everybody."""
    facts = page.evaluate(
        "() => { const card = document.querySelector('.vk-card');"
        " const slip = card.querySelector('.vk-slip');"
        " return [card.classList.contains('vk-pending'), slip.hidden, slip.inert,"
        "  !slip.checkVisibility()]; }"
    )
    assert len(set(facts)) == 1, facts
    return not facts[0]


def is_busy(page):
    return page.get_attribute(".vk-answer", "aria-busy") == "true"


def own(page, row=1):
    """Her value in a line of the table, as the card shows it."""
    return page.inner_text(f".vk-card tbody tr:nth-child({row}) td:nth-child(2)")


def kernel_of(served, page):
    """The process of the page's kernel."""
    psutil = pytest.importorskip("psutil")
    known = "JSON.parse(document.getElementById('jupyter-config-data').textContent).kernelId"
    name = page.evaluate(known)
    family = psutil.Process(served.process.pid).children(recursive=True)
    return next(child for child in family if any(name in word for word in child.cmdline()))


def upload(page, folder, frame):
    """Choose a table of one's own, and wait until its form is there."""
    frame.to_csv(folder / "own.csv", index=False)
    if not page.locator("input[type=file]").is_visible():
        page.locator("summary", has_text="Choose another table").click()
    page.locator("input[type=file]").set_input_files(folder / "own.csv")
    page.wait_for_selector(f"text={len(frame)} records, {len(frame.columns)} attributes")


def is_reached(field):
    """Whether the middle of a box is the box, and not something that lies above it."""
    return field.evaluate(
        "node => { node.scrollIntoView({block: 'center'}); const at = node.getBoundingClientRect();"
        " return document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2) === node; }"
    )


# What is said above the answer and to those who listen, with her value on the card at that moment.
LISTEN = """() => {
  const [now, status] = document.querySelectorAll('.vk-now, .vk-card [role=status]');
  const own = '.vk-card tbody tr td:nth-child(2)';
  window.told = [];
  const note = () => window.told.push(
    [now.innerText, status.textContent, document.querySelector(own).innerText]);
  const all = {childList: true, subtree: true, characterData: true};
  for (const place of [now, status]) new MutationObserver(note).observe(place, all);
}"""


def test_a_frozen_python_is_told_and_its_late_answer_is_taken(app, page):
    assert is_current(page)
    kernel = kernel_of(app, page)
    kernel.suspend()
    try:
        page.evaluate(LISTEN)
        box(page, "X1").fill("101.5")
        box(page, "X1").press("Enter")
        assert not is_current(page)
        assert is_busy(page)
        says(page, SILENT)
        assert not is_current(page)
        told = page.evaluate("window.told")
        assert {shown for _, _, shown in told} == {"100.87"}
        above, aloud = ([words for words, *_ in told], [words for _, words, _ in told])
        for said in (above, aloud):
            assert said.index("Working…") < next(at for at, w in enumerate(said) if SILENT in w)
    finally:
        kernel.resume()
    page.wait_for_selector(".vk-answer[aria-busy=false]")
    assert own(page) == "101.50"
    assert is_current(page)
    assert "No answer" not in page.inner_text(".vk-now")


def test_a_killed_python_is_told_at_once_when_a_value_is_entered(app, visit):
    page = visit(app.address)
    kernel_of(app, page).kill()
    says(page, "Python has stopped: reload this page")
    assert is_current(page)  # the boxes still hold the values of this answer
    box(page, "X1").fill("101.5")
    box(page, "X1").press("Enter")
    assert SILENT in page.inner_text(".vk-now")
    assert not is_current(page)
    assert SILENT in page.text_content(".vk-card [role=status]")


def test_a_value_that_is_not_entered_marks_the_answer(page):
    box(page, "X1").press("End")
    page.keyboard.type("5")
    assert page.inner_text(".vk-now") == f"Press Enter: {EARLIER}."
    assert not is_current(page)
    page.keyboard.press("Backspace")
    assert "Press Enter" not in page.inner_text(".vk-now")
    assert is_current(page)
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    page.wait_for_function("() => !document.querySelector('.vk-pending')")
    assert "Press Enter" not in page.inner_text(".vk-now")
    page.keyboard.press("Enter")  # the same once more: answered, though nothing changed
    page.wait_for_selector(".vk-answer[aria-busy=false]")
    assert is_current(page)


def test_axe_finds_nothing_serious_while_an_answer_is_awaited(app, page, axe):
    kernel = kernel_of(app, page)
    kernel.suspend()
    try:
        box(page, "X1").fill("90")
        box(page, "X1").press("Enter")
        says(page, "Working")
        page.evaluate(axe)
        found = []
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            settle(page)
            found += page.evaluate("axe.run('.vk-card')")["violations"]
    finally:
        kernel.resume()
    serious = [(v["id"], [n["html"][:120] for n in v["nodes"]])
               for v in found if v["impact"] in ("serious", "critical")]  # fmt: skip
    assert serious == []


WATCH = """() => {
  const card = document.querySelector('.vk-card');
  window.current = [];
  window.screens = 0;
  const look = () => {
    if (card.classList.contains('vk-pending')) return;
    const typed = [...document.querySelectorAll('.vk-text:not(.vk-wide) input')]
      .filter(box => box.checkVisibility() && box.value).length;
    window.current.push([card.querySelectorAll('tbody tr').length, typed]);
  };
  new MutationObserver(look).observe(card, {childList: true, subtree: true, attributes: true});
  window.jupyterapp._widgetManager.kernel.iopubMessage.connect((_, message) => {
    if (message.content.data?.content?.kind === 'screen') window.screens += 1;
  });
}"""
TYPE_ALL = """async (value) => {
  const pause = () => new Promise(done => setTimeout(done, 37));
  for (const box of document.querySelectorAll('.vk-text:not(.vk-wide) input')) {
    if (!box.checkVisibility()) continue;
    box.value = value;
    for (const kind of ['input', 'change']) box.dispatchEvent(new Event(kind, {bubbles: true}));
    await pause();
  }
}"""


def test_of_forty_values_in_a_moment_few_are_computed_and_the_newest_shown(app, page, tmp_path):
    values = np.random.default_rng(1).normal(size=(900, 40)).round(3)
    upload(page, tmp_path, pd.DataFrame(values, columns=[f"v{n:02}" for n in range(40)]))
    page.evaluate(WATCH)
    page.evaluate(TYPE_ALL, "0.5")
    page.wait_for_selector(".vk-card tbody tr:nth-child(40)")
    page.wait_for_selector(".vk-answer[aria-busy=false]")
    seen = page.evaluate("window.current")
    assert seen[-1] == [40, 40]
    assert all(rows == typed for rows, typed in seen)
    assert is_current(page)
    kernel = kernel_of(app, page)
    kernel.suspend()  # to a machine that is slow enough no forty values come in a moment
    try:
        before = page.evaluate("window.screens")
        page.evaluate(TYPE_ALL, "0.7")
    finally:
        kernel.resume()
    page.wait_for_selector(".vk-answer[aria-busy=false]")
    assert page.inner_text(".vk-card tbody tr:nth-child(40) td:nth-child(2)") == "0.7"
    screens = page.evaluate("window.screens") - before
    print(f"screens computed for 40 values: {screens}")
    assert screens < 35, "of forty values typed in a moment some must be passed over"


def test_boxes_with_long_names_are_reached_at_every_width(page, tmp_path):
    names = [*LONG, "gross_annual_income_before_tax"]
    upload(page, tmp_path, pd.DataFrame({name: [1, 2, 3] for name in names}))
    box(page, LONG[0]).fill("2")
    box(page, LONG[0]).press("Enter")
    page.wait_for_selector(".vk-answer[aria-busy=false] tbody tr")
    for width in (1280, 768, 360):
        resize(page, width, 900)
        reached = {name: is_reached(box(page, name)) for name in names}
        assert reached == dict.fromkeys(names, True), width
        wide = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert wide[0] <= wide[1]


# The same page without Python: a model of our own takes what is sent, and answers as told.

MODEL = """() => {
  const signal = () => {
    const heard = new Set();
    return {connect: f => heard.add(f), disconnect: f => heard.delete(f),
            emit: () => heard.forEach(f => f())};
  };
  const kernel = {status: 'idle', connectionStatus: 'connected',
                  statusChanged: signal(), connectionStatusChanged: signal()};
  window.sent = [];
  window.kernel = kernel;
  const model = {widget_manager: {kernel}, on: (_, f) => { window.tell = f; }, off() {},
                 get: name => window.held?.[name],
                 send: message => window.sent.push(message)};
  document.documentElement.lang = 'en';
  window.render({model, el: document.body.appendChild(document.createElement('div'))});
}"""


@pytest.fixture
def bare(browser):
    """The page of a panel with a model of our own, and with a clock that the test turns."""
    page = browser.new_page()
    page.set_default_timeout(120_000)
    page.clock.install(time=datetime(2001, 1, 1, tzinfo=UTC))
    page.clock.pause_at(datetime(2001, 1, 2, tzinfo=UTC))  # else it goes on by itself
    page.set_content("<!doctype html><title>panel</title>")
    script = str(SelfCheck._esm)
    page.add_script_tag(
        content=script.replace("export default { render };", "window.render = render;"),
        type="module",
    )
    page.add_style_tag(content=str(SelfCheck._css))
    page.wait_for_function("() => window.render")
    page.evaluate(MODEL)
    yield page
    page.close()


def answer(page, turn, words, **field):
    """A screen as Python sends it, with one slider and one box."""
    fields = [
        {"id": "box", "kind": "text", "label": "box", "value": "1", **field},
        {"id": "slider", "kind": "range", "label": "slider", "value": "3", "limits": [0, 9, 1]},
    ]
    part = {"id": "form", "title": "Form", "lines": [], "fold": "", "fields": fields}
    html = f'<p class="words">{words}</p><div class="vk-slip"><a href="data:,">slip</a></div>'
    card = {"title": "Card", "html": html, "say": words}
    page.evaluate(
        "screen => window.tell(screen)",
        {"kind": "screen", "turn": turn, "parts": [part], "card": card},
    )


def enter(page, value):
    """Enter a value; give the turn of its message."""
    page.get_by_role("textbox", name="box", exact=True).fill(value)
    page.keyboard.press("Enter")
    return page.evaluate("window.sent.at(-1).turn")


def test_before_the_first_screen_the_page_says_what_it_waits_for(bare):
    assert bare.inner_text(".vk-now") == "Waiting for Python…"
    assert bare.text_content("[role=status]") == "Waiting for Python…"
    bare.clock.fast_forward(60_000)
    assert bare.inner_text(".vk-now") == "Waiting for Python…"
    answer(bare, 0, "first")
    assert bare.inner_text(".vk-now") == ""
    assert is_current(bare)


def test_what_the_page_says_while_it_waits_is_in_the_language_of_the_view(bare):
    bare.evaluate("window.held = {language: 'de'}; document.body.innerHTML = ''")
    bare.evaluate(MODEL)
    assert bare.inner_text(".vk-now") == "Warten auf Python …"
    answer(bare, 0, "first")
    turn = enter(bare, "5")
    bare.clock.fast_forward(9_000)
    assert bare.inner_text(".vk-now").startswith("Keine Antwort von Python, zu sehen ist die")
    bare.evaluate("window.tell({kind: 'wait', say: 'x', stop: true})")
    assert bare.inner_text(".vk-stop") == "Abbrechen"
    answer(bare, turn, "second")
    assert bare.inner_text(".vk-now") == ""


def test_an_answer_to_an_earlier_value_is_neither_shown_nor_said(bare):
    answer(bare, 0, "first")
    one, two = enter(bare, "5"), enter(bare, "6")
    assert one < two
    answer(bare, one, "for the earlier value")
    assert bare.inner_text(".words") == "first"
    assert "earlier value" not in bare.text_content("[role=status]")
    assert not is_current(bare)
    answer(bare, two, "for the last")
    assert bare.inner_text(".words") == "for the last"
    assert bare.text_content("[role=status]") == "for the last"
    assert is_current(bare)


def test_a_long_check_that_gives_signs_of_life_is_not_called_dead(bare):
    answer(bare, 0, "first")
    turn = enter(bare, "5")
    bare.clock.fast_forward(400)
    assert bare.inner_text(".vk-now") == "Working…"
    for say in ("", "3 of 9 maskings measured …", ""):
        bare.clock.fast_forward(7_000)
        bare.evaluate("say => window.tell({kind: 'wait', say})", say)
        assert "No answer" not in bare.inner_text(".vk-now")
    assert bare.inner_text(".vk-now") == "3 of 9 maskings measured …"
    answer(bare, turn - 1, "for an earlier value")
    bare.clock.fast_forward(7_000)
    assert "No answer" not in bare.inner_text(".vk-now")
    bare.clock.fast_forward(2_000)
    assert "No answer from Python" in bare.inner_text(".vk-now")
    answer(bare, turn, "at last")
    bare.clock.fast_forward(20_000)
    assert bare.inner_text(".vk-now") == ""
    assert is_current(bare)


def test_work_in_the_background_is_told_quietly_and_greys_nothing(bare):
    answer(bare, 0, "first")
    bare.evaluate("() => window.tell({kind: 'wait', say: 'Repeating: 5 %', hushed: true})")
    assert bare.inner_text(".vk-now") == "Repeating: 5 %"
    assert bare.text_content("[role=status]") == "first", "it is not read out at every step"
    assert is_current(bare)
    bare.get_by_role("textbox", name="box", exact=True).fill("7")
    assert "Press Enter" in bare.inner_text(".vk-now")
    turn = enter(bare, "7")
    bare.clock.fast_forward(400)
    assert bare.inner_text(".vk-now") == "Working…"
    answer(bare, turn, "second")
    assert bare.inner_text(".vk-now") == ""


def test_what_can_be_stopped_offers_it_until_it_is_over(bare):
    answer(bare, 0, "first")
    stop = bare.get_by_role("button", name="Stop")
    assert stop.count() == 0
    bare.evaluate("() => window.tell({kind: 'wait', say: '1 of 9', hushed: true, stop: true})")
    stop.press("Enter")
    last = bare.evaluate("() => window.sent.at(-1)")
    assert (last["kind"], last["field"]) == ("press", "stop")
    answer(bare, last["turn"], "stopped")
    assert stop.count() == 0
    assert is_current(bare)


def test_what_is_typed_on_does_not_put_off_the_word_that_nobody_answers(bare):
    answer(bare, 0, "first")
    for value in range(5):
        enter(bare, str(value))
        bare.clock.fast_forward(2_000)
    assert "No answer from Python" in bare.inner_text(".vk-now")


@pytest.mark.parametrize(("which", "now"), [("status", "dead"), ("status", "autorestarting")])
def test_a_kernel_that_is_gone_is_told_for_good(bare, which, now):
    answer(bare, 0, "first")
    change = "([which, now]) => { kernel[which] = now; kernel.statusChanged.emit(); }"
    bare.evaluate(change, [which, now])
    bare.evaluate(change, [which, "idle"])
    assert "Python has stopped" in bare.inner_text(".vk-now")
    enter(bare, "5")
    assert "No answer from Python" in bare.inner_text(".vk-now")


def test_a_connection_that_comes_back_is_no_longer_called_lost(bare):
    answer(bare, 0, "first")
    change = "now => { kernel.connectionStatus = now; kernel.connectionStatusChanged.emit(); }"
    bare.evaluate(change, "connecting")
    assert "No connection to Python" in bare.inner_text(".vk-now")
    turn = enter(bare, "5")
    assert "No answer from Python" in bare.inner_text(".vk-now")
    bare.evaluate(change, "connected")
    answer(bare, turn, "after all")
    assert bare.inner_text(".vk-now") == ""
    assert is_current(bare)


def test_the_slip_of_an_earlier_answer_is_out_of_reach_by_keyboard(bare):
    answer(bare, 0, "first")
    enter(bare, "5")
    for _ in range(6):
        bare.keyboard.press("Tab")
        assert bare.evaluate("document.activeElement.innerText") != "slip"
    assert not is_current(bare)


def test_a_slider_acts_while_it_is_dragged_but_not_at_each_step(bare):
    answer(bare, 0, "first")
    drag = """values => {
      const slider = document.querySelector('input[type=range]');
      for (const value of values) {
        slider.value = value;
        slider.dispatchEvent(new Event('input', {bubbles: true}));
      }
    }"""
    values = "window.sent.filter(m => m.field === 'slider').map(m => m.value)"
    bare.evaluate(drag, [4, 5, 6])
    assert bare.evaluate(values) == ["4"]
    bare.clock.fast_forward(150)
    assert bare.evaluate(values) == ["4", "6"]
    bare.evaluate(drag, [7, 8])
    bare.evaluate("document.querySelector('input[type=range]')"
                  ".dispatchEvent(new Event('change', {bubbles: true}))")  # fmt: skip
    assert bare.evaluate(values)[-1] == "8"
    assert bare.evaluate(values).count("8") == 1
    answer(bare, bare.evaluate("window.sent.at(-1).turn"), "for 8")
    assert is_current(bare)


@pytest.fixture(scope="module")
def large(serve, tmp_path_factory):
    """The app beside a table whose opening and check take a second on a quick computer too."""
    pa, csv = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.csv")
    folder = tmp_path_factory.mktemp("large")
    values = np.random.default_rng(1).normal(size=(1_000_000, 5)).round(3)
    lines = io.BytesIO()
    csv.write_csv(pa.table(dict(zip("abcde", values.T, strict=True))), lines)
    local = lines.getvalue().replace(b",", b";").replace(b".", b",")
    (folder / "large.csv").write_bytes(local)
    return serve("app", "dm_table1_masked", folder=folder)


def test_a_long_opening_and_a_long_check_are_told_and_stopped(large, visit):
    page = visit(large.address)
    stop = page.get_by_role("button", name="Stop", exact=True)
    page.locator("summary", has_text="Choose another table").click()
    path = page.get_by_label("on this computer")
    path.fill("large.csv")
    path.press("Enter")
    says(page, "Opening large.csv …")
    stop.click()
    page.get_by_text("You stopped this before it was done").wait_for()
    assert own(page) == "100.87"  # the table before it stays
    assert is_current(page)
    path.press("Enter")
    page.wait_for_selector("text=1,000,000 records, 5 attributes")
    for name in "abcde":
        box(page, name).fill("0.5")
        box(page, name).dispatch_event("change")
    says(page, "Comparing your values with 1,000,000 records …")
    assert is_busy(page)
    stop.click()
    page.get_by_role("heading", name="Stopped").wait_for()
    assert not is_busy(page)
    assert page.locator(".vk-card .vk-slip:visible").count() == 0
    page.get_by_role("button", name="Answer once more").click()
    page.wait_for_selector(".vk-answer[aria-busy=false] tbody tr")
    assert own(page) == "0.5"
    assert page.get_by_role("heading", name="Stopped").count() == 0


def test_a_stopped_server_is_told_at_once_when_a_value_is_entered(large, visit):
    """The last test, as it stops a server of others."""
    page = visit(large.address)
    large.process.send_signal(signal.SIGTERM)
    says(page, "No connection to Python")
    assert is_current(page)
    box(page, "X2").fill("90")
    box(page, "X2").press("Enter")
    assert SILENT in page.inner_text(".vk-now")
    assert not is_current(page)
    assert own(page, 2) == "902.21"
