"""`verikit app` in other languages: chosen by the browser, by the command and on the page."""

import re

import pytest
from screens import grave, settle
from sources import WHOLE, every

import verikit as vk
from verikit.languages import texts_of

pytestmark = pytest.mark.browser

OTHERS = [name for name in WHOLE if name != "en"]
ENGLISH = re.compile(
    r"\b(the|your?|records|what|closest|with|from|away|which|who|are|published|within|highest|"
    r"lowest|attributes?|fits?|checked|type|least|every|this|would|enough|choose|leave|not|answer)\b",
    re.IGNORECASE,
)
UNFOLDED = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  return document.body.innerText;
}"""
SAME = {"nl": {"records"}, "fr": {"type"}}  # these are their words as well
EXAMPLE = vk.published("dm_table1_masked")


@pytest.fixture(scope="module")
def app(serve):
    return serve("app", "dm_table1_masked")


def lang(page):
    return page.evaluate("document.documentElement.lang")


def speaks(page, language):
    """Wait until the page has answered in a language."""
    page.wait_for_function(
        "lead => document.querySelector('h1')?.nextElementSibling?.innerText === lead"
        " && document.querySelector('.vk-first') && !document.querySelector('.vk-pending')",
        arg=texts_of(language, "form")["form"]["lead"],
    )


def chooser(page):
    return page.locator(".vk-language select")


@pytest.fixture(scope="module")
def small(app, stay):
    return stay(app.address, width=360, height=740)


@pytest.mark.parametrize("language", every(OTHERS))
def test_no_english_is_left(small, axe, language):
    page = small
    chooser(page).select_option(language)
    speaks(page, language)
    assert lang(page) == language
    assert page.title() == page.inner_text("h1") == texts_of(language, "form")["shared"]["title"]
    whole = page.evaluate(UNFOLDED)  # at once: the answer may be drawn again meanwhile
    settle(page)
    found = {word.lower() for word in ENGLISH.findall(whole)}
    assert found <= SAME.get(language, set())
    wide = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide[0] <= wide[1]
    assert grave(page, axe) == []


def test_a_browser_that_asks_for_another_language_gets_english(app, visit):
    page = visit(app.address, locale="fi-FI")
    speaks(page, "en")
    assert lang(page) == "en"


def test_the_command_decides_in_which_language_it_opens(serve, visit):
    page = visit(serve("app", "dm_table1_masked", "--language", "de").address, locale="fr-FR")
    speaks(page, "de")
    assert lang(page) == "de"


def test_a_language_is_chosen_by_keyboard_and_what_was_typed_stays(app, visit):
    page = visit(app.address)
    speaks(page, "en")
    first = page.get_by_role("textbox", name="X1", exact=True)
    first.fill("90,5")
    first.press("Enter")
    page.wait_for_selector("text=read as 90.5")
    page.locator("summary", has_text="Set a requirement").press("Enter")
    chooser(page).focus()
    page.keyboard.press("d")  # one letter: after a pause a second one would begin another word
    speaks(page, "de")
    assert page.evaluate("document.activeElement.labels[0].innerText") == "Sprache"
    assert first.input_value() == "90,5"
    assert page.locator("details", has_text="Plätze Abstand").get_attribute("open") is not None
    record = {"X1": "90,5", "X2": 902.21, "X3": 5108.54}
    said = vk.check(record, EXAMPLE, language="de", looks=2)
    assert said.figures[0].value in page.inner_text(".vk-nums")
    assert page.locator(".vk-card tbody td:nth-child(2)").first.inner_text() == "90,50"


def test_it_opens_in_the_language_of_the_browser_and_reads_a_decimal_comma(app, visit):
    page = visit(app.address, locale="de-DE")
    speaks(page, "de")
    box = page.get_by_role("textbox", name="X3", exact=True)
    box.fill("5.000,5")
    page.wait_for_selector("text=Drücken Sie die Eingabetaste")
    box.press("Enter")
    page.wait_for_selector("text=gelesen als 5000,5")
    page.wait_for_selector("text=fand Sie in")  # from here on the page stays as it is
    with page.expect_download() as waited:
        page.locator("text=Diesen Zettel herunterladen").press("Enter")
    slip = waited.value.path().read_text(encoding="utf-8")
    assert '<html lang="de">' in slip
    assert "5000,5" in slip.replace(".", "")
