"""The page never stands still: a worker answers, or the page itself, and neither sends anything."""

import contextlib

import pytest

import verikit as vk
from verikit.page import _write

pytestmark = pytest.mark.browser

RUNNING = vk.published("dm_table1_masked")
HERS = ("100.87", "902.21", "5108.54")
OTHERS = ("90", "850", "5000")
HELD = """() => {
  const { ask } = SEEN;
  window.held = [];
  SEEN.ask = (...given) => new Promise((told) => window.held.push(() => told(ask(...given))));
}"""


def fill(page, values=HERS):
    for at, value in enumerate(values):
        page.fill(f"#own-{at}", value)
    page.press("#own-0", "Enter")


def answered(page, values=HERS):
    fill(page, values)
    page.wait_for_selector("#answer:not(.stale) .first")
    return page


def is_for(page, values):
    record = dict(zip(RUNNING.schema.names, map(float, values), strict=True))
    said = page.text_content("#card")
    return all(part.text in said for part in vk.check(record, RUNNING).parts)


def test_the_page_answers_to_clicks_however_long_a_verdict_takes(monkeypatch, opened):
    old, endless = "function checkMasked(record, options) {", "for (;;);"
    program = _write.write_kernel()
    assert program.count(old) == 1
    monkeypatch.setattr(_write, "write_kernel", lambda: program.replace(old, old + endless))
    page = opened(RUNNING)
    fill(page)
    page.wait_for_selector("#late:not(:empty)")
    page.click("summary")
    page.fill("#looks", "7")
    assert page.locator("details[open]").count() == 1
    assert page.inner_text("#late") == "Working …"
    assert page.locator(".first").count() == 0


def test_of_two_questions_the_answer_to_the_later_one_is_shown(opened):
    page = opened(RUNNING)
    page.evaluate(HELD)
    fill(page, OTHERS)
    fill(page)
    page.evaluate("async () => { for (const go of window.held.reverse()) await go(); }")
    page.wait_for_selector("#answer:not(.stale) .first")
    page.wait_for_timeout(300)  # for the answer to the first one
    assert is_for(page, HERS)
    assert not is_for(page, OTHERS)


def test_who_types_on_while_a_verdict_is_worked_out_is_told_that_it_is_for_earlier_values(opened):
    page = opened(RUNNING)
    page.evaluate(HELD)
    fill(page)
    page.fill("#own-1", "9")
    assert page.inner_text("#late") == "Working …"
    page.evaluate("() => window.held.forEach((go) => go())")
    page.wait_for_selector("#answer.stale .first")
    assert "earlier values" in page.inner_text("#late")
    assert page.evaluate("document.activeElement.id") == "own-1"


NO_WORKER = {
    "there is none": "delete window.Worker",
    "making one throws": "window.Worker = class { constructor() { throw new Error('no'); } }",
    "it fails afterwards": "window.Worker = class { postMessage() {} terminate() {}"
    " constructor() { setTimeout(() => this.onerror({ message: 'no' })); } }",
    "it never speaks": "window.Worker = class { postMessage() {} terminate() {} };"
    " const later = setTimeout; window.setTimeout = (work, wait) => later(work, wait / 100);",
}


@pytest.fixture
def changed(browser, tmp_path):
    """Open a page whose text was changed, or whose browser is another one."""
    contexts = []

    def open_page(old="", new="", *, before="", offline=True, release=RUNNING):
        path = tmp_path / "check.html"
        content = vk.page.html(release)
        assert not old or content.count(old) == 1
        path.write_text(content.replace(old, new) if old else content, encoding="utf-8")
        contexts.append(browser.new_context(offline=offline))
        page = contexts[-1].new_page()
        page.set_default_timeout(120_000)
        page.add_init_script(before)
        page.goto(path.as_uri())
        page.wait_for_selector("button[type=submit]")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", NO_WORKER)
def test_a_browser_without_a_worker_gives_the_same_answer(name, changed):
    page = answered(changed(before=NO_WORKER[name]))
    assert is_for(page, HERS)
    assert page.workers == []
    page.select_option("#language", "pl")
    page.wait_for_selector("html[lang=pl] #answer:not(.stale) .first")


def test_a_policy_that_allows_no_worker_gives_the_same_answer(changed):
    page = answered(changed("worker-src blob:; ", ""))
    assert is_for(page, HERS)
    assert page.workers == []


def test_a_worker_answers_where_a_browser_makes_one(changed):
    assert len(answered(changed()).workers) == 1


WAYS_OUT = {
    "fetch": "fetch(there).catch(() => 0)",
    "blind": "fetch(there, { mode: 'no-cors', method: 'POST', body: 'x' }).catch(() => 0)",
    "request": "(() => { const x = new XMLHttpRequest(); x.open('GET', there); x.send(); })()",
    "socket": "new WebSocket(there.replace('http', 'ws'))",
    "events": "new EventSource(there)",
    "scripts": "importScripts(there)",
    "module": "import(there).catch(() => 0)",
    "worker": "new Worker(URL.createObjectURL(new Blob([`fetch('${there}').catch(() => 0)`])))",
    "font": "new FontFace('x', `url(${there})`).load().catch(() => 0)",
}


def try_all(page, port):
    for name, way in WAYS_OUT.items():
        script = f"() => {{ const there = 'http://127.0.0.1:{port}/{name}'; {way}; }}"
        with contextlib.suppress(Exception):  # what throws has not gone out
            page.workers[0].evaluate(script)


def test_no_way_out_of_the_worker_reaches_a_live_server(changed, listener):
    page = answered(changed(offline=False))
    try_all(page, listener.server_port)
    page.wait_for_timeout(700)
    assert listener.hits == []


def test_the_same_ways_do_reach_it_without_the_policy(changed, listener):
    """Otherwise the test above would show nothing."""
    page = answered(changed("Content-Security-Policy", "x-nothing", offline=False))
    try_all(page, listener.server_port)
    wanted = {"fetch", "blind", "request", "socket", "events", "scripts", "worker"}
    for _ in range(120):
        if wanted <= {hit.strip("/") for hit in listener.hits}:
            break
        page.wait_for_timeout(500)
    assert wanted <= {hit.strip("/") for hit in listener.hits}


MORE = {
    "a worker from elsewhere": "new Worker('http://127.0.0.1:9/x')",
    "a worker of other words": "new Worker(URL.createObjectURL(new Blob(['0'])))",
    "another address": "trustedTypes.createPolicy('verikit', { createScriptURL: (any) => any })",
    "another policy": "trustedTypes.createPolicy('other', { createScriptURL: (any) => any })",
}


@pytest.mark.parametrize("name", MORE)
def test_the_page_makes_no_other_worker(name, changed):
    page = changed()
    script = f"() => {{ try {{ {MORE[name]}; return 'made'; }} catch (error) {{ return 'no'; }} }}"
    assert page.evaluate(script) == "no"
    assert len(page.workers) == 1
