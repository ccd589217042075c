"""Dates are asked for and shown as dates on the page, of tables of every kind, as Python does."""

import io

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.languages import LANGUAGES, read_language

pytestmark = pytest.mark.browser

N = 120
RNG = np.random.default_rng(7)
BORN = pd.Timestamp("1950-01-01") + pd.to_timedelta(RNG.integers(0, 9000, N), "D")
PAY = RNG.normal(size=N).round(2)
TYPED = (
    "1960-05-05",
    "5.5.1960",
    "13/5/1960",
    "1900-01-01",
    "1960",
    "soon",
    "-3528",
    "04/05/1960",
    "5 May 1960",
    "Oct 3, 1960",
    "3 J 1960",
    "31 Feb 1960",
)


def opened_by_python(content):
    source = io.BytesIO(content)
    source.name = "people.csv"
    return vk.open_release(source)


def bare(first):
    lines = [f"{day.strftime(first)};{pay}" for day, pay in zip(BORN, PAY, strict=True)]
    return "\n".join(["born;pay", *lines, ";0.5", ""]).encode()


def single(missing=False):
    born = pd.Series(BORN).mask(RNG.random(N) < 0.1) if missing else BORN
    return vk.TableRelease.of(pd.DataFrame({"born": born, "pay": PAY}))


def compared(cases, page, asked):
    for case, found in zip(asked, cases.said(page, asked), strict=True):
        assert "fault" not in found, (case.record, found)
        assert cases.differences(cases.expected(case), found) == [], case.record
    assert page.problems == []


QUESTIONS = [{}, {"diversity": {"born": 1e5}}, {"criterion": "packing", "apart": 30.0}]


@pytest.mark.parametrize("missing", [False, True])
def test_dates_among_single_values_are_judged_as_the_check_judges_them(missing, opened, cases):
    release = single(missing)
    page = opened(release)
    records = [{"born": one, "pay": 0.1} for one in TYPED]
    compared(cases, page, [cases.Case(release, r, q) for r in records for q in QUESTIONS])


def test_dates_among_single_values_are_asked_for_and_shown_in_words(opened):
    release = single()
    page = opened(release)
    first, last = BORN.min(), BORN.max()
    words = read_language("en").format_dates
    first, last = (words(f"{end:%Y-%m-%d}") for end in (first, last))
    ends = f"published {first} to {last}"
    assert ends in page.inner_text("#form")
    assert "days since" not in page.inner_text("#form")
    page.fill("#own-0", "1.1.1940")
    page.fill("#own-1", "0.1")
    page.press("#own-0", "Enter")
    page.wait_for_selector("#answer:not(.stale) .first")
    card = page.inner_text("#card")
    assert f"Your born (1 January 1940) lies outside the published range {first}" in card
    assert "days since" not in card
    assert "-10958" not in card
    report = vk.check({"born": "1940-01-01", "pay": 0.1}, release)
    assert all(part.text in page.text_content("#card") for part in report.parts)
    assert all(note in card for note in report.notes)


@pytest.fixture
def empty(opened):
    return lambda: opened(None, ready="#files")


class FileCase:
    """Files in a page without data, beside the release that Python reads in them."""

    def __init__(self, files, told, release, record):
        self.files, self.told, self.release = files, told, release
        self.record, self.question = record, {}


def in_folder(release, folder, records):
    release.save(folder)
    files = {part.name: part.read_bytes() for part in folder.iterdir()}
    return [FileCase(files, None, vk.open_release(folder), record) for record in records]


def in_a_file(content, promise, records):
    found = opened_by_python(content)
    release = vk.TableRelease.of(found.frame, found.schema, promise=promise)
    told = {"roles": {}, "orders": {}, "promise": promise}
    return [FileCase({"people.csv": content}, told, release, record) for record in records]


@pytest.mark.parametrize("first", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y"])
def test_a_dropped_table_of_single_values_with_dates_is_judged_as_in_python(first, empty, cases):
    records = [{"born": one, "pay": 0.1} for one in TYPED]
    compared(cases, empty(), in_a_file(bare(first), "untold", records))


def test_a_folder_of_single_values_with_dates_is_judged_as_in_python(empty, cases, tmp_path):
    records = [{"born": one, "pay": 0.1} for one in TYPED]
    compared(cases, empty(), in_folder(single(), tmp_path / "release", records))


STARRED = b"born;zip\n06.04.2011;640**\n30.04.2011;640**\n07.05.2012;641**\n;641**\n"
HERS = [
    {"born": one}
    for one in ("06.04.2011", "2011-04-30", "1/13/2000", "04/05/2011", "2011", "soon", "15070")
]


@pytest.mark.parametrize("promise", ["covers", "untold", "as it was"])
def test_a_dropped_generalized_table_with_dates_is_judged_as_in_python(promise, empty, cases):
    records = [{**one, "zip": "64012"} for one in HERS]
    compared(cases, empty(), in_a_file(STARRED, promise, records))


def test_a_folder_of_a_generalized_table_with_dates_is_judged_as_in_python(empty, cases, tmp_path):
    found = opened_by_python(STARRED)
    release = vk.TableRelease.of(found.frame, found.schema, promise="covers")
    compared(cases, empty(), in_folder(release, tmp_path / "release", HERS))


def ranges(sensitive=False):
    """Birthdays in ranges, and as sensitive values."""
    days = (pd.Series(BORN[:60]) - pd.Timestamp("1970-01-01")).dt.days
    unit = vk.read(pd.DataFrame({"d": BORN})).schema["d"].unit
    low = days // 500 * 500
    born = pd.arrays.IntervalArray.from_arrays(low, low + 499, closed="both")
    frame = pd.DataFrame({"born": born, "ill": list("xyz") * 20})
    frame["died"] = days + 9000
    columns = (
        vk.Column("born", unit=unit),
        vk.Column("ill", "sensitive", "nominal"),
        vk.Column("died", "sensitive" if sensitive else "other", unit=unit),
    )
    return vk.TableRelease.of(frame, vk.Schema(columns), promise="covers")


@pytest.mark.parametrize("sensitive", [False, True])
def test_ranges_of_dates_are_judged_and_shown_as_in_python(
    sensitive, empty, opened, cases, tmp_path
):
    release = ranges(sensitive=sensitive)
    records = [{"born": one} for one in ("1960-05-05", "1.1.1955", "1800-01-01")]
    asked = in_folder(release, tmp_path / "release", records)
    compared(cases, opened(release), [cases.Case(one.release, one.record, {}) for one in asked])
    compared(cases, empty(), asked)


def groups(sensitive):
    born = pd.to_datetime(["2000-01-01", "2000-01-03", "2000-01-06", "1990-05-05"])
    quasi = pd.DataFrame({"born": born, "Group-ID": list("aabb")})
    hidden = pd.DataFrame({"Group-ID": list("aabb"), "ill": list("xyxz")})
    if sensitive:
        hidden = hidden.assign(ill=pd.to_datetime(["2020-01-01", "2020-02-01"] * 2))
    unit = vk.read(quasi).schema["born"].unit
    second = vk.Column(
        "ill", "sensitive", *(("numeric", None, None, unit) if sensitive else ("nominal",))
    )
    schema = vk.Schema((vk.Column("born", unit=unit), second))
    return vk.SplitRelease.of(quasi, hidden, schema, promise="changed" if sensitive else "untold")


@pytest.mark.parametrize("sensitive", [False, True])
def test_groups_with_dates_are_judged_as_in_python(sensitive, empty, cases, tmp_path):
    records = [{"born": one} for one in ("2000-01-03", "3.1.2000", "2000-01-04", "2000")]
    compared(cases, empty(), in_folder(groups(sensitive), tmp_path / "release", records))


def test_a_person_drops_a_table_with_birthdays_and_reads_her_verdict(empty):
    page = empty()
    page.set_input_files("#files", [{"name": "t.csv", "mimeType": "text/csv", "buffer": STARRED}])
    page.wait_for_selector("#own-0")
    form = page.inner_text("#form")
    assert "6 April 2011" in form
    assert "15070" not in form
    page.fill("#own-0", "06.04.2011")
    page.fill("#own-1", "64012")
    page.press("#own-0", "Enter")
    page.wait_for_selector("#answer:not(.stale) .first")
    assert "15070" not in page.inner_text("#card")
    found = opened_by_python(STARRED)
    report = vk.check({"born": "2011-04-06", "zip": "64012"}, found)
    assert all(part.text in page.text_content("#card") for part in report.parts)


def test_the_page_writes_and_reads_dates_in_each_language_as_python_does(opened):
    page = opened(single())
    days = [str(day)[:10] for day in pd.date_range("1984-01-01", "1984-12-31")]
    odd = ["[1985-04-01, inf)", "(-inf, 1985-04-01]", "1985-04", "x 1985-04-01", "-inf", ""]
    typed = ["3 A 1985", "3 mar 1985", "Mar. 31, 1985", "1er mai 1985", "3 de abril de 1985", "x"]
    for name in LANGUAGES:
        words, spoken = read_language(name).format_dates, [*days, *odd]
        page.evaluate("name => speak(name)", name)
        said = page.evaluate("texts => texts.map(dateWords)", spoken)
        assert said == [*map(words, spoken)]
        given = [*said[: len(days)], *typed]
        read = page.evaluate("texts => texts.map(monthRead)", given)
        assert read == [*map(read_language(name).read_month, given)]
