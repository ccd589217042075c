"""The page beside a table in a browser: it says what `verikit.check` says, and sends nothing."""

import base64
import contextlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from screens import grave, resize
from sources import every, tries

import verikit as vk
from verikit._support import html
from verikit.languages import use_language
from verikit.page import _write
from verikit.subject._card_words import spread_words, tied_words
from verikit.subject._view import term_text
from verikit.words import digits

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=document.title='hijacked'><script>document.title='hijacked'</script>"
RUNNING = vk.published("dm_table1_masked")
HERS = ("100.87", "902.21", "5108.54")
DRAWN = tries(200)


@pytest.fixture(scope="module")
def drawn(cases):
    """Random cases, each with what `verikit.check` says."""
    found = [cases.case(seed) for seed in range(DRAWN)]
    return [(case, cases.expected(case)) for case in found]


@pytest.fixture(scope="module")
def said(drawn):
    """What is said of the random cases whose record is not asked back, which are nearly all."""
    found = [wanted for _, wanted in drawn if "refused" not in wanted]
    assert len(found) > 0.9 * DRAWN
    return found


def fill(page, values=HERS):
    """Type her values into the boxes in their order, and press Enter."""
    for at, value in enumerate(values):
        page.fill(f"#own-{at}", value)
    page.press("#own-0", "Enter")


def answered(page, values=HERS):
    fill(page, values)
    page.wait_for_selector("#answer:not(.stale) .first")
    return page


def test_the_page_says_what_the_check_says_sentence_by_sentence(opened, cases, drawn):
    page = opened(RUNNING)
    told = cases.said(page, [case for case, _ in drawn])
    for seed, ((_, wanted), found) in enumerate(zip(drawn, told, strict=True)):
        assert cases.differences(wanted, found) == [], seed
    assert page.problems == []


def test_the_cases_come_near_every_sentence(said):
    """Each sentence of a table of single values is said in some case, each state too.

    The page repeats no method (S9), and asks for no record that somebody takes to be hers (S15).
    """
    keys = {part["key"] for wanted in said for part in wanted["sentences"]}
    told = _write.read_language("en").sentences.items()
    told = {entry.key for name, entry in told if name.startswith("masked.")}
    assert told - {"headline", "figure", "part", "note", "S9", "S15"} <= keys
    states = {wanted["state"] for wanted in said}
    assert states == {"warning-you", "warning-table", "no-warning", "cannot-tell"}


def test_the_cases_take_every_way_to_a_share(said):
    """Shares that are exact, drawn plainly, drawn where few match, and of a sample of records."""
    told = [w["facts"]["chance"] for w in said if w["facts"]["chance"] is not None]
    spread = [(t, np.sqrt(t["made_up"] * (1 - t["made_up"]) / 2_000)) for t in told]
    ways = {
        "exact": sum(t["error"] == 0 for t in told),
        "plain": sum(t["error"] == plain for t, plain in spread if plain),
        "rare": sum(0 < t["error"] < 0.99 * plain for t, plain in spread),
        "all": sum(t["others_error"] == 0 for t in told),
        "sampled": sum(t["others_error"] > 0 for t in told),
    }
    assert min(ways.values()) >= tries(4), ways


MUTANTS = {
    "a larger sample": ("EVERYBODY = 4000, SAMPLE = 2000", "EVERYBODY = 4000, SAMPLE = 2500"),
    "everybody instead of a sample": ("EVERYBODY = 4000", "EVERYBODY = 400000"),
    "fewer rare draws": ("CLOSER = 4000", "CLOSER = 3900"),
    "boxes one rank too high": ("Math.min(one + 1 + places, n)", "Math.min(one + 2 + places, n)"),
    "half-way values lean down": ("last = above;\n", "last = first;\n"),
    "a wider tolerance for half-way": ("SLACK = 4 * 2 ** -52", "SLACK = 2 ** -4"),
    "gaps one too wide": ("this.starts[code] + 1 - last", "this.starts[code] + 2 - last"),
    "one's own record counts": ("row !== own && near", "near"),
    "a neighbour only below": ("both || at > 0 ? column.last", "at > 0 ? column.last"),
    "free columns are never found": ("column.missing === silent", "column.missing < 0"),
    "the looked-at left out of n + 1": ("others = 1;", "others = 0;"),
    "a warning below the limit only": ("others <= found.limit", "others < found.limit"),
    "another threshold of independence": ("Math.max(0.1, 3 /", "Math.max(0.1, 2 /"),
    "a floor of independence": ("Math.max(0.1, 3 /", "Math.max(0.2, 3 /"),
    "ties do not keep from rare draws": ("|| !columns.every((column) => column.untied)", ""),
    "another share where draws are rare": ("SMALL = 0.15", "SMALL = 0.05"),
    "exact for fewer records": ("EXACT_RECORDS = 40", "EXACT_RECORDS = 20"),
    "other random numbers": ("mixed >> turn", "mixed >> (turn + 1n)"),
    "windows one rank short": ("Math.min(rank + places, n)", "Math.min(rank + places - 1, n)"),
    "the wrong half of a variance dropped": ("Math.ceil(0.1 *", "Math.floor(0.1 *"),
    "a requirement met by less": ("attained < required.distance", "attained <= required.distance"),
    "halves rounded up": ("(rest === 0.5 && low % 2 !== 0)", "rest === 0.5"),
    "luck of one link more": ("<= 0.05;", "<= 0.1;"),
    "what links leave out is not told": ("return without.length ?", "return false ?"),
    "copies of the first column only": ("code[a] === code[b]);", "code[a] === code[b] || 1);"),
    "a model's records are taken for people's": ("release.fromModel ?", "false ?"),
    "a model's warning is said of people": ('fromModel ? "-drawn"', 'false ? "-drawn"'),
    "promises one place wider": ("<= bounds[at]", "<= bounds[at] + 1"),
    "missing cells are far from everybody": ("code === this.none ? 0", "code === this.none ? 1"),
    "missing cells outside the window": ("[known, order.length]]", "]"),
    "missing cells reach nobody": ("[best, [columns[lead].known, order.length]]", "[best]"),
    "records without a value count": ("|| !tells(columns, row)) continue", ") continue"),
    "records without a value match others": ("return tells(columns, row);", "return true;"),
    "records with a gap are asked": ("return gaps ? rows.filter", "return false ? rows.filter"),
    "gaps are copies": ("=> column.blank(row))) continue;", "=> !column)) continue;"),
    "two to compare with are too few": ("order.length < 2", "order.length < 3"),
    "shares of missing cells of the known": ("/ column.code.length }", "/ column.known }"),
    "matches in another order of values": (".reverse(),", ","),
    "matches in the order of their rows": ("of keys) if", "of keys.slice(-1)) if"),
}  # fmt: skip


def test_every_fault_can_be_made():
    program = _write.write_kernel()
    assert [old for old, _ in MUTANTS.values() if program.count(old) != 1] == []


@pytest.mark.parametrize("mutant", every(MUTANTS, 9))
def test_a_fault_in_the_program_is_noticed(mutant, monkeypatch, opened, cases, drawn):
    old, new = MUTANTS[mutant]
    program = _write.write_kernel()
    assert program.count(old) == 1
    monkeypatch.setattr(_write, "write_kernel", lambda: program.replace(old, new))
    page = opened(RUNNING)
    assert cases.noticed(page, drawn)


def test_a_person_types_her_record_by_keyboard_and_reads_the_verdict(opened):
    page = opened(RUNNING)
    while page.evaluate("document.activeElement.id") != "own-0":
        page.keyboard.press("Tab")
    for value in HERS:
        page.keyboard.type(value)
        page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.type") != "submit":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".first")
    report = vk.check(vk.load("dm_table1").record(2), RUNNING)
    assert report.headline.text in page.inner_text(".first")
    assert page.inner_text("#spoken") == f"{report.headline.tag}: {report.headline.text}"
    for part in report.parts:
        assert part.text in page.text_content("#card")
    assert page.problems == []


# Both neighbours of (5, 5) are one place away, each on another attribute; the others are farther.
TIED = [(4, 5), (5, 4), (6, 1), (1, 6), (2, 2), (3, 3), (7, 7), (8, 8), (9, 9)]


@pytest.mark.parametrize("language", ["en", "pl"])
def test_the_numbers_are_explained_in_the_words_of_the_card(language, opened):
    release = vk.TableRelease.of(pd.DataFrame(TIED, columns=["a", "b"]))
    page = opened(release, locale=language)
    for at, typed in enumerate([(5, 5), (4, 5)]):
        for box, value in zip(("#own-0", "#own-1"), typed, strict=True):
            page.fill(box, str(value))
        page.click("button[type=submit]")
        page.wait_for_selector("#answer:not(.stale) .first")
        report = vk.check(dict(zip("ab", typed, strict=True)), release, language=language)
        with use_language(language):
            terms = [term_text("places"), tied_words(report), spread_words("variance")]
        told = page.locator("#card .soft").all_inner_texts()[:-1]
        named = [part.text for part in report.parts if part.name == "term"]
        assert told == [words for words in (*named, *terms) if words], at
        assert bool(terms[1]) == (at == 0)


def test_an_answer_for_earlier_values_is_greyed_and_says_so(opened):
    page = answered(opened(RUNNING))
    page.fill("#own-0", "101")
    assert "earlier values" in page.inner_text("#late")
    assert page.locator("#answer.stale .slip").is_hidden()
    answered(page, ("101", *HERS[1:]))
    assert page.inner_text("#late") == ""


@pytest.mark.parametrize(
    "typed", ["x", "1,2,3", "1,5 kg 2", "nan", "inf", "1e999", "1_000", "0x10", HOSTILE]
)
def test_what_is_no_number_is_refused_at_its_box(opened, typed):
    page = opened(RUNNING)
    fill(page, ("100", typed))
    page.wait_for_selector("#own-1[aria-invalid]")
    assert typed[:60] in page.inner_text("#own-1-error")
    assert page.evaluate("document.activeElement.id") == "own-1"
    assert page.locator(".first").count() == 0


def test_no_value_at_all_is_refused(opened):
    page = opened(RUNNING)
    fill(page, ("", " ", ""))
    page.wait_for_selector("#form-error:not(:empty)")
    assert "at least one" in page.inner_text("#form-error")


def test_a_fault_of_the_page_is_told_and_no_answer_stands_as_current(opened):
    page = answered(opened(RUNNING))
    page.workers[0].evaluate("() => { DATA.sentences = {}; }")
    fill(page)
    page.wait_for_selector("#form-error:not(:empty)")
    assert "its fault, not yours" in page.inner_text("#form-error")
    assert page.locator("#answer.stale").count() == 1


def test_a_requirement_is_judged_as_the_check_judges_it(opened):
    page = opened(RUNNING)
    page.click("summary")
    page.fill("#distance", "3")
    answered(page)
    report = vk.check(vk.load("dm_table1").record(2), RUNNING, distance=3)
    assert report.sentence("R") in page.inner_text(".unmet")


REPEATED = {
    "all values": ({"X1": 100.87, "X2": 902.21, "X3": 5108.54}, {}),
    "two values": ({"X1": 100.87, "X2": 902.21}, {}),
    "a method that is not told": ({"X1": 100.87, "X2": 902.21, "X3": 5108.54}, {"method": ""}),
    "a method that takes all records at once": (
        {"X1": 100.87, "X2": 902.21, "X3": 5108.54},
        {"method": "microaggregate"},
    ),
}


@pytest.mark.parametrize("name", REPEATED)
def test_the_page_names_the_repetition_that_it_lacks_where_python_has_it(name, opened):
    record, changes = REPEATED[name]
    release = replace(RUNNING, **changes)
    page = answered(opened(release), [str(value) for value in record.values()])
    could = vk.subject.repetition(record, release, runs=1) is not None
    assert ("does not repeat" in page.inner_text("#card")) == could
    assert "reads no other table" in page.inner_text("#card")


def test_many_looks_lower_the_limit(opened):
    page = opened(RUNNING)
    page.click("summary")
    page.fill("#looks", "0")
    fill(page)
    page.wait_for_selector("#looks[aria-invalid]")
    page.fill("#looks", "5")
    answered(page)
    report = vk.check(vk.load("dm_table1").record(2), RUNNING, looks=5)
    assert all(part.text in page.text_content("#card") for part in report.parts)


WAYS_OUT = {
    "fetch": "fetch(there).catch(() => 0)",
    "request": "(() => { const x = new XMLHttpRequest(); x.open('GET', there); x.send(); })()",
    "image": "new Image().src = there",
    "beacon": "navigator.sendBeacon(there, 'x')",
    "socket": "new WebSocket(there.replace('http', 'ws'))",
    "events": "new EventSource(there)",
    "worker": "new Worker(there)",
    "form": "(() => { const f = document.createElement('form'); f.action = there;"
    " f.method = 'post'; document.body.append(f); f.submit(); })()",
    "script": "(() => { const s = document.createElement('script'); s.src = there;"
    " document.head.append(s); })()",
    "style": "(() => { const l = document.createElement('link'); l.rel = 'stylesheet';"
    " l.href = there; document.head.append(l); })()",
    "prefetch": "(() => { const l = document.createElement('link'); l.rel = 'prefetch';"
    " l.href = there; document.head.append(l); })()",
    "frame": "(() => { const f = document.createElement('iframe'); f.src = there;"
    " document.body.append(f); })()",
    "font": "new FontFace('x', `url(${there})`).load().catch(() => 0)",
    "media": "new Audio(there).load()",
}


def try_all(page, port):
    for name, way in WAYS_OUT.items():
        script = f"() => {{ const there = 'http://127.0.0.1:{port}/{name}'; {way}; }}"
        with contextlib.suppress(Exception):  # what throws has not gone out
            page.evaluate(script)
    page.wait_for_timeout(700)


def test_no_way_out_of_the_page_reaches_a_live_server(browser, tmp_path, listener):
    path = tmp_path / "check.html"
    vk.page.write(RUNNING, path)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("button[type=submit]")
    answered(page)
    try_all(page, listener.server_port)
    page.close()
    assert listener.hits == []


def test_the_same_ways_do_reach_it_without_the_policy(browser, tmp_path, listener):
    """Otherwise the test above would show nothing."""
    path = tmp_path / "check.html"
    content = vk.page.html(RUNNING)
    path.write_text(content.replace("Content-Security-Policy", "x-nothing"), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("button[type=submit]")
    try_all(page, listener.server_port)
    wanted = {"fetch", "image", "beacon", "form", "script", "prefetch", "socket"}
    for _ in range(120):
        if wanted <= {hit.strip("/") for hit in listener.hits}:
            break
        page.wait_for_timeout(500)
    page.close()
    assert wanted <= {hit.strip("/") for hit in listener.hits}


def test_hostile_names_categories_and_titles_do_nothing(browser, tmp_path):
    order = (HOSTILE, "b", "c")
    grade = pd.Categorical(order * 4, order)
    frame = pd.DataFrame({HOSTILE: np.arange(12.0), "grade": grade})
    columns = (
        vk.Column(HOSTILE, label=HOSTILE, unit=HOSTILE),
        vk.Column("grade", kind="ordinal", order=order),
    )
    release = vk.TableRelease.of(frame, vk.Schema(columns), method=HOSTILE)
    path = tmp_path / "check.html"
    vk.page.write(release, path, title=HOSTILE)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("button[type=submit]")
    page.fill("#own-0", "3")
    page.select_option("#own-1", HOSTILE)
    page.press("#own-0", "Enter")
    page.wait_for_selector(".first")
    assert page.title() == HOSTILE
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 4
    assert HOSTILE in page.inner_text("h1")
    page.close()


def test_a_script_that_slips_in_does_not_run(browser, tmp_path):
    path = tmp_path / "check.html"
    slipped = vk.page.html(RUNNING).replace("</main>", f"{HOSTILE}</main>")
    path.write_text(slipped, encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("button[type=submit]")
    assert page.title() == "Check your record"
    page.close()


def test_everybody_can_use_the_page(opened, axe):
    page = opened(RUNNING)
    assert grave(page, axe) == []
    assert grave(answered(page), axe) == []
    page.emulate_media(color_scheme="dark")
    assert grave(page, axe, "color-contrast") == []  # what else is found is found in the light
    page.emulate_media(color_scheme="light")
    resize(page, 360, 740)
    assert grave(answered(page), axe) == []


def test_on_a_phone_the_verdict_is_in_view_and_nothing_scrolls_sideways(opened):
    page = answered(opened(RUNNING, width=360, height=740))
    top, bottom = page.locator(".first").evaluate(
        "node => [node.getBoundingClientRect().top, node.getBoundingClientRect().bottom]"
    )
    assert 0 <= top < bottom < 640
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_a_column_that_names_the_rows_is_neither_asked_for_nor_left_out(opened):
    frame = pd.DataFrame({"row id": range(9), "age": range(30, 39), "pay": range(0, 90, 10)})
    release = vk.TableRelease.of(frame, promise="changed")
    page = opened(release)
    assert page.locator("input[id^=own-]").count() == 2
    page.fill("#own-0", "33")
    page.press("#own-0", "Enter")
    page.wait_for_selector("#answer .first")
    said = page.locator("#answer").inner_text()
    assert "You left out pay" in said
    assert "row id" not in said
    told = vk.check({"age": 33}, release).to_json()
    assert "You left out pay;" in told
    assert "row id" not in told


def test_paper_shows_the_answer_without_the_form(opened):
    page = answered(opened(RUNNING))
    page.emulate_media(media="print")
    assert page.locator("form").is_hidden()
    assert page.locator(".first").is_visible()
    assert base64.b64encode(page.pdf())[:4] == base64.b64encode(b"%PDF")[:4]


def test_random_numbers_are_those_of_numpy(opened):
    """Whole numbers, floats, and both ways of choosing some of many."""
    page = opened(RUNNING)
    for n in (1, 2, 3, 1000, 2**31, 3 * 2**30):
        script = (
            "n => { const d = new Draws(0); return Array.from({length: 99}, () => d.below(n)); }"
        )
        assert page.evaluate(script, n) == np.random.default_rng(0).integers(0, n, 99).tolist()
    script = "() => { const d = new Draws(1); return Array.from({length: 99}, () => d.random()); }"
    assert page.evaluate(script) == np.random.default_rng(1).random(99).tolist()
    for n, size in ((4001, 2000), (12_000, 2000), (200_000, 2000), (10_001, 201)):
        script = "([n, size]) => Array.from(new Draws(1).choice(n, size))"
        wanted = np.random.default_rng(1).choice(n, size, replace=False)
        assert sorted(page.evaluate(script, [n, size])) == sorted(wanted.tolist())


def test_numbers_are_written_as_python_writes_them(opened):
    page = opened(RUNNING)
    rng = np.random.default_rng(3)
    exact = [
        0.125,
        0.5,
        2.5,
        0.375,
        1e21,
        1e22,
        999999.5,
        9999995.0,
        1e-5,
        1e-300,
        5e-324,
        0.0,
        -0.0,
    ]
    values = [*(rng.normal(size=300) * 10.0 ** rng.integers(-9, 19, 300)), *exact, 1e5, 1e6]
    values = [float(value) for value in values]
    written = page.evaluate(
        "v => v.map((x) => [digits(x), fixed(x, 2, true), fixed(x, 1, false)])", values
    )
    assert written == [[digits(v, 6), f"{v:,.2f}", f"{v:.1f}"] for v in values]
    assert not any("e" in text for texts in written for text in texts)
    usual = [v for v in values if 1e-9 < abs(v) < 1e15]
    found = page.evaluate("v => v.map((x) => cellText(x))", usual)
    whole = [int(v) if v == int(v) else v for v in usual]  # JSON knows no other whole numbers
    assert found == [html.cell(v) for v in whole]
    several = [usual[at : at + 4] for at in range(0, len(usual), 4)]
    found = page.evaluate("v => v.map((x) => columnTexts(x))", several)
    assert found == [html.alike([int(v) if v == int(v) else v for v in part]) for part in several]
