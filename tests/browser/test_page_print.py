"""The page beside a table on paper: one A4, in ink, with all that is told of her."""

import re

import pytest
from screens import resize
from sources import WHOLE, every

import verikit as vk
from verikit.subject import check

pytestmark = pytest.mark.browser

OFFICE = {
    "title": "People, 2026", "publisher": "An office of statistics", "year": "2026",
    "contact": "privacy@office.example", "people": "all who live in X", "law": "GDPR, article 21",
}  # fmt: skip
HERS = {
    "dm_table1_masked": {"X1": 100.87, "X2": 902.21, "X3": 5108.54},
    "people_masked": {"age": 34, "postcode": "3104"},
    "ks_table4": {"Zip": "19552", "DOB": 2001},
    "lhcc_table3": {"Age": 65, "Sex": "M"},
    "lhcc_table4": {"Age": 65, "Sex": "M"},
}
PAPER = {"width": 703, "height": 1032}  # A4 without its margins
SEEN = """[...document.querySelectorAll("#card p, #card li")].filter((e) => e.offsetParent)
.map((e) => e.innerText).join("\\n")"""


@pytest.mark.parametrize("name", HERS)
@pytest.mark.parametrize("language", every(WHOLE))
def test_an_answer_is_one_page_of_paper_and_dark_screens_print_in_ink(
    name, language, opened, browser
):
    release = vk.published(name).describing(**OFFICE)
    page = opened(release, locale=language)
    for at, column in enumerate(release.asked):
        value = HERS[name].get(column.name)
        box = page.locator(f"#own-{at}")
        if value is not None and box.evaluate("box => box.tagName") == "SELECT":
            box.select_option(str(value))
        elif value is not None:
            box.fill(str(value) if language == "en" else str(value).replace(".", ","))
    page.click("#form button")
    page.wait_for_selector("#answer:not(.stale) .first")
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) == 1
    page.emulate_media(media="print", color_scheme="dark")
    resize(page, **PAPER)
    page.evaluate("unfold()")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 31, 36)"
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    said, report = page.evaluate(SEEN), check(HERS[name], release, language=language)
    for part in report.parts:
        if part.name not in ("letter", "detail", "tag", "note"):
            assert part.text in said, part
    page.emulate_media(media="screen", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).color") != "rgb(27, 31, 36)"


def test_a_slip_is_dark_on_a_dark_screen_and_in_ink_on_paper(browser):
    slip = vk.check(HERS["people_masked"], vk.published("people_masked")).to_html()
    page = browser.new_context(viewport=PAPER, color_scheme="dark").new_page()
    page.set_content(slip)
    color = "getComputedStyle(document.body).color"
    assert page.evaluate(color) == "rgb(232, 235, 238)"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(color) == "rgb(27, 31, 36)"
    page.context.close()
