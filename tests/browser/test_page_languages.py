"""The page beside a table in every language: chosen by browser, by command and by hand."""

import pytest
from screens import grave
from sources import WHOLE, tries

import verikit as vk

pytestmark = pytest.mark.browser

DRAWN = tries(40)
EXAMPLES = {
    "masked": "dm_table1_masked", "generalized": "ks_table4", "split": "lhcc_table4",
}  # fmt: skip
RUNNING = vk.published("dm_table1_masked")
SAID = ("state", "tag", "text", "met", "figures", "notes")
OTHERS = [name for name in WHOLE if name != "en"]


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_page_says_in_every_language_what_the_check_says(kind, opened, cases):
    page = opened(vk.published(EXAMPLES[kind]))
    drawn = [cases.kinds()[kind](seed) for seed in range(DRAWN)]
    for language in OTHERS:
        page.evaluate("(name) => speak(name)", language)
        told = cases.said(page, drawn)
        for seed, (case, found) in enumerate(zip(drawn, told, strict=True)):
            wanted = cases.expected(case, language)
            assert "fault" not in found, (seed, found)
            for part in SAID if "text" in wanted else ():
                assert cases.differences(wanted[part], found[part]) == [], (language, seed)
            texts = [[s["key"], s["text"]] for s in wanted.get("sentences", [])]
            assert texts == [[s["key"], s["text"]] for s in found.get("sentences", [])]
    assert page.problems == []


def lang(page):
    return page.evaluate("document.documentElement.lang")


def test_the_page_opens_in_the_language_of_the_browser(opened):
    assert lang(opened(RUNNING, locale="de-AT")) == "de"
    assert lang(opened(RUNNING, locale="fi-FI")) == "en"


def test_the_command_decides_in_which_language_the_page_opens(browser, tmp_path):
    path = tmp_path / "check.html"
    vk.page.write(RUNNING, path, language="de")
    assert '<html lang="de">' in path.read_text(encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("button[type=submit]")
    assert lang(page) == "de"
    assert page.inner_text("h1") == "Prüfen Sie Ihren Datensatz"
    page.close()


def test_another_language_keeps_the_values_and_answers_anew(opened):
    page = opened(RUNNING)
    for at, value in enumerate(("100.87", "902.21", "5108.54")):
        page.fill(f"#own-{at}", value)
    page.press("#own-0", "Enter")
    page.wait_for_selector("#answer:not(.stale) .first")
    page.focus("#language")
    page.select_option("#language", "de")
    page.wait_for_selector("html[lang=de] #answer:not(.stale) .first")
    assert page.evaluate("document.activeElement.id") == "language"
    assert page.input_value("#own-0") == "100.87"
    record = vk.load("dm_table1").record(2)
    assert vk.check(record, RUNNING, language="de").headline.text in page.inner_text(".first")
    page.fill("#own-0", "100,87")
    page.press("#own-0", "Enter")
    page.wait_for_selector("#answer:not(.stale) .first")
    assert page.evaluate("document.activeElement.id") == "answer"
    assert page.problems == []


def test_every_language_fits_a_phone_and_everybody_can_use_it(opened, axe):
    page = opened(RUNNING, width=360, height=740)
    for at, value in enumerate(("100.87", "902.21", "5108.54")):
        page.fill(f"#own-{at}", value)
    page.press("#own-0", "Enter")
    page.wait_for_selector("#answer:not(.stale) .first")
    for language in OTHERS:
        page.select_option("#language", language)
        page.wait_for_selector(f"html[lang={language}] #answer:not(.stale) .first")
        assert grave(page, axe) == [], language
        assert page.evaluate("document.documentElement.scrollWidth") == 360, language
