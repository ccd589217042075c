"""Several tables of the same people on one page: what all of them leave open for one person."""

import re

import pandas as pd
import pytest
from screens import grave
from sources import every, tries

import verikit as vk
from verikit.languages import LANGUAGES
from verikit.page import _write

pytestmark = pytest.mark.browser

ILL = ["flu", "ulcer", "angina", "gout"]


def released(labels, ages=(20, 30, 40, 50)):
    frame = pd.DataFrame({"age": ages, "ill": ILL})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    return vk.mask.anatomize(data, partition=vk.Partition.of(labels), seed=1).release


PAIR = released([0, 0, 1, 1]), released([0, 1, 0, 1])
HERS = {"age": 20}


@pytest.fixture(scope="module")
def drawn(cases):
    found = [cases.kinds()["together"](seed) for seed in range(tries(300))]
    return [(case, cases.expected(case)) for case in found]


def test_the_page_says_of_several_tables_what_the_check_says(opened, cases, drawn):
    page = opened(PAIR[0])
    told = cases.said(page, [case for case, _ in drawn])
    for seed, ((_, wanted), found) in enumerate(zip(drawn, told, strict=True)):
        assert "fault" not in found, (seed, found)
        assert cases.differences(wanted, found) == [], seed
    assert page.problems == []


def test_it_says_the_same_in_every_language(opened, cases):
    page, case = opened(PAIR[0]), cases.kinds()["together"](5)
    for language in LANGUAGES:
        page.evaluate("(name) => speak(name)", language)
        (found,) = cases.said(page, [case])
        assert cases.differences(cases.expected(case, language), found) == [], language


def test_the_cases_come_near_every_sentence(cases, drawn):
    keys = {key for _, wanted in drawn for key in cases.keys_of(wanted)}
    assert {"T1", "T2", "T3", "T4", "T5", "T6", "T7", "R"} <= keys
    assert {"warning-you", "warning-table", "no-warning", "cannot-tell"} <= keys


MUTANTS = {
    "values of either": ("filter(([value]) => two.has(value))", "filter(() => true)"),
    "what both say counts twice": ("/ (frequent(value) || 1)", "/ 1"),
    "missing values are none": ("return found.has(column.none) ? null : new", "return new"),
    "suppressed rows are nobody's": ("given, release.n, release.byClass", "given, release.n, true"),
    "promises of nobody": ("release.certain ? sensitiveOf", "true ? sensitiveOf"),
    "the best comes first": ("WORST.indexOf(b.state) <", "WORST.indexOf(b.state) >"),
    "the most left alone": ("fewest: Math.min(", "fewest: Math.max("),
    "hers is never open": ("place < 0) yield", "true) yield"),
    "enough for one is enough": ("judged.includes(false) ||", ""),
    "too sure together": ("|| told.surest * ell - 1 > 1e-12", ""),
}  # fmt: skip


@pytest.mark.parametrize("mutant", every(MUTANTS, 9))
def test_a_fault_in_the_program_is_noticed(mutant, monkeypatch, opened, cases, drawn):
    old, new = MUTANTS[mutant]
    program = _write.write_kernel()
    assert program.count(old) == 1
    monkeypatch.setattr(_write, "write_kernel", lambda: program.replace(old, new))
    assert cases.noticed(opened(PAIR[0]), drawn)


def put_together(page, files):
    """Give the page other tables, as a person does: open the part, and choose their files."""
    box = page.locator("#others")
    if not box.is_visible():
        page.click("summary:has-text('Other tables')")
    box.set_input_files(files)


def answered(page, age="20"):
    page.fill("#own-0", age)
    page.click("button[type=submit]")
    page.wait_for_selector("#answer:not(.stale) .first")
    return page.inner_text(".first")


@pytest.mark.parametrize("look", [{}, {"width": 360, "height": 740}])
def test_two_pages_tell_together_what_neither_tells_alone(look, opened, tmp_path, axe):
    page, other = opened(PAIR[0], **look), tmp_path / "another.html"
    vk.page.write(PAIR[1], other)
    alone = answered(page)
    assert "only be" not in alone
    put_together(page, other)
    page.wait_for_selector("text=Put together with another.html")
    assert page.input_value("#own-0") == "20"
    report = vk.check(HERS, PAIR)
    assert answered(page) == report.headline.text
    assert "it can only be flu" in report.headline.text
    assert all(part.text in page.text_content("#card") for part in report.parts)
    assert page.locator("#card table tbody tr").count() == 1
    assert grave(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= look.get("width", 1080)
    put_together(page, [])
    page.wait_for_function("() => !SEEN.others.length && !byId('others-error').textContent")
    assert answered(page) == alone
    assert page.problems == []


def test_a_page_without_data_takes_the_files_of_another_release_too(opened, tmp_path):
    folders = [release.save(tmp_path / str(at)) for at, release in enumerate(PAIR)]
    page = opened(None, ready="#files")
    page.set_input_files("#files", [*folders[0].iterdir()])
    page.wait_for_selector("#others", state="attached")
    put_together(page, [*folders[1].iterdir()])
    page.wait_for_selector("text=Put together with")
    assert answered(page) == vk.check(HERS, PAIR).headline.text
    page.set_input_files("#files", [*folders[1].iterdir()])  # another table begins anew
    page.wait_for_selector("#others", state="attached")
    assert "2 releases" not in answered(page)


def spread():
    """A release one of whose sensitive cells may be one of two values."""
    quasi = pd.DataFrame({"Group-ID": [*"aabb"], "age": [20, 30, 40, 50]})
    hidden = pd.DataFrame({"Group-ID": [*"aabb"], "ill": ["{flu, ulcer}", *ILL[1:]]})
    schema = vk.Schema((vk.Column("age"), vk.Column("ill", "sensitive", "nominal")))
    return vk.SplitRelease(quasi, hidden, schema, promise="covers")


@pytest.mark.parametrize("make", ["a table of single values", "of sets", "no page", "another make"])
def test_what_cannot_be_put_together_in_a_page_is_refused_and_the_rest_stays(
    make, opened, tmp_path
):
    page, other = opened(PAIR[0]), tmp_path / "other.html"
    if make == "no page":
        other.write_text("<html>")
    else:
        masked = vk.published("dm_table1_masked")
        vk.page.write(
            {"of sets": spread()}.get(make, masked if "single" in make else PAIR[1]), other
        )
    if make == "another make":
        other.write_text(re.sub(r'"packed":\d+', '"packed":0', other.read_text()))
    put_together(page, other)
    page.wait_for_selector("#others-error:not(:empty)")
    assert "“other.html” cannot be put together" in page.inner_text("#others-error")
    assert "--with OTHER" in page.inner_text("#others-error")
    assert answered(page) == vk.check(HERS, PAIR[0]).headline.text


def test_a_column_that_another_table_shows_in_groups_is_asked_to_be_left_out(opened, tmp_path):
    quasi = pd.DataFrame({"Group-ID": [*"aabb"], "age": [20, 30, 40, 50], "zip": [*"xxyy"]})
    hidden = pd.DataFrame({"Group-ID": [*"aabb"], "ill": ILL})
    ill = vk.Column("ill", "sensitive", "nominal")
    schema = vk.Schema((vk.Column("age"), vk.Column("zip", kind="nominal"), ill))
    fine = vk.SplitRelease(quasi, hidden, schema)
    sets = quasi.assign(zip=["{x, y}"] * 4)
    coarse = vk.SplitRelease(sets, hidden, schema, promise="covers")
    page, other = opened(fine), tmp_path / "other.html"
    vk.page.write(coarse, other)
    put_together(page, other)
    page.wait_for_selector("text=Put together with")
    page.fill("#own-1", "x")
    page.fill("#own-0", "20")
    page.click("button[type=submit]")
    page.wait_for_selector("[role=alert]:not(:empty)")
    assert "leave it out" in page.inner_text("#own-1-error")
