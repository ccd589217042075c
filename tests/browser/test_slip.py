"""The slip on paper and on a phone, in each of the four states."""

import functools
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sources import WHOLE, every

import verikit as vk

sys.path.append(str(Path(__file__).parents[1] / "subject"))
from test_sentences import SITUATIONS, observed

pytestmark = pytest.mark.browser

SPOKEN = ["en"]  # the language of the slips that are made now, last
RECORD = vk.load("dm_table1").record(2)


def slip_of(record, release, **required):
    required = {"language": SPOKEN[-1], **required}
    report = vk.check(record, release, **required)
    return report.headline.state, report.to_html(schema=release.schema, table="people.csv")


def calm():
    data = vk.simulate("dm", 200, seed=1)
    return vk.mask.noise(data, scale=0.5, seed=7).release


STATES = {
    "warning-table": lambda: slip_of(RECORD, vk.published("dm_table1_masked")),
    "warning-you": lambda: slip_of(
        {"Marital Status": "Single", "Zip": "19552"}, vk.published("ks_table4")
    ),
    "no-warning": lambda: slip_of({"X1": 100, "X2": 1000, "X3": 5000}, calm(), distance=3),
    "cannot-tell": lambda: slip_of(RECORD, vk.TableRelease.of(vk.load("dm_table1").frame.head(4))),
}


FULLEST = ("swapped in pairs", "swapped in cycles", "another order, and a copy of hers")


def pages_of(page):
    """How many pages of paper Chromium prints."""
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(prefer_css_page_size=True)))


STICKS_OUT = """[...document.querySelectorAll(".vk-scroll, .vk-nums div, .vk-facts dd")]
.filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent)"""


@pytest.mark.parametrize("state", STATES)
def test_a_slip_is_one_page_of_paper_and_fits_a_phone(browser, state, tmp_path):
    found, slip = STATES[state]()
    assert found == state
    (tmp_path / "slip.html").write_text(slip, encoding="utf-8")
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto((tmp_path / "slip.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.locator("h1").inner_text() == "What a published table shows of me"
    assert pages_of(page) == 1
    context.close()


def test_whatever_is_said_stands_on_one_page_of_paper_and_nothing_sticks_out(browser):
    context = browser.new_context(viewport={"width": 688, "height": 1032})  # A4 without margins
    page = context.new_page()
    page.emulate_media(media="print")
    wrong = []
    for situation in every(SITUATIONS):
        page.set_content(observed(situation)[0].to_html(table="people.csv"))
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        cut = page.evaluate(STICKS_OUT)
        pages = pages_of(page)
        if pages > 1 or wide > 0 or cut:
            wrong.append((situation, pages, wide, cut))
    context.close()
    assert wrong == [], wrong


def test_a_slip_about_many_groups_of_numbers_is_one_page_of_paper_too(browser):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": [39] * 2000, "pay": rng.lognormal(10, 0.6, 2000).round()})
    schema = vk.Schema((vk.Column("age", unit="years"), vk.Column("pay", "sensitive", unit="$")))
    data = vk.Microdata(frame, schema)
    groups = vk.partition.min_sum_error(data, k=5, e=2000, seed=1)
    release, _ = vk.mask.permute_sensitive(data, partition=groups, seed=1)
    slip = vk.check({"age": 39}, release).to_html(table="people.csv")
    assert slip.count(">and more<") == 1
    context = browser.new_context(viewport={"width": 688, "height": 1032})
    page = context.new_page()
    page.emulate_media(media="print")
    page.set_content(slip)
    assert (pages_of(page), page.evaluate(STICKS_OUT)) == (1, [])
    context.close()


@pytest.mark.parametrize("language", every([name for name in WHOLE if name != "en"]))
def test_a_slip_is_one_page_of_paper_in_every_language_and_state(browser, language, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "SPOKEN", [language])
    context = browser.new_context(viewport={"width": 688, "height": 1032})  # A4 without margins
    page = context.new_page()
    page.emulate_media(media="print")
    wrong = []
    spoken = functools.partial(vk.check, language=language)
    with monkeypatch.context() as patched:
        patched.setattr(vk, "check", spoken)
        full = {name: SITUATIONS[name][0]().to_html(table="people.csv") for name in FULLEST}
    for state, slip in {**{state: make()[1] for state, make in STATES.items()}, **full}.items():
        assert f'lang="{language}"' in slip
        page.set_content(slip)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        pages, cut = pages_of(page), page.evaluate(STICKS_OUT)
        if pages > 1 or wide > 0 or cut:
            wrong.append((state, pages, wide, cut))
    context.close()
    assert wrong == [], wrong
