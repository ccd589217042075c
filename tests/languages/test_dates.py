"""Dates as people of a language write them, and as they may be typed."""

import datetime as dt

import pandas as pd
import pytest

import verikit as vk
from verikit.languages import LANGUAGES, read_language, use_language
from verikit.values.columns import Column
from verikit.values.dates import DAYS
from verikit.values.typed import typed_number

BORN = Column("born", unit=DAYS)
SAID = {
    "de": "3. April 1985", "en": "3 April 1985", "es": "3 de abril de 1985", "fr": "3 avril 1985",
    "it": "3 aprile 1985", "nl": "3 april 1985", "pl": "3 kwietnia 1985",
    "pt": "3 de abril de 1985",
}  # fmt: skip
each_language = pytest.mark.parametrize("language", LANGUAGES)


@each_language
def test_a_date_is_written_as_the_language_writes_it(language):
    assert read_language(language).format_dates("1985-04-03") == SAID[language]


@each_language
def test_every_month_is_written_as_the_common_locale_data_have_it(language):
    babel = pytest.importorskip("babel.dates")
    locale = {"en": "en_GB", "pt": "pt_PT"}.get(language, language)
    for month in range(1, 13):
        day = dt.date(1999, month, 28)
        theirs = babel.format_date(day, "long", locale=locale)
        assert read_language(language).format_dates(day.isoformat()) == theirs


@each_language
def test_what_is_written_can_be_typed(language):
    with use_language(language):
        for day in range(-400, 400):
            date = dt.date(1970, 1, 1) + dt.timedelta(days=day)
            said = read_language(language).format_dates(date.isoformat())
            assert typed_number(said, BORN) == (day, False), said


@pytest.mark.parametrize("typed", ["apr 3, 1985", "April 3 1985", "3 APRIL  1985", "3. Apr. 1985"])
def test_months_may_be_shortened_and_stand_first(typed):
    assert typed_number(typed, BORN).value == (dt.date(1985, 4, 3) - dt.date(1970, 1, 1)).days


@pytest.mark.parametrize("typed", ["3 Ju 1985", "3 jun-jul 1985", "31 April 1985", "3 avril 1985"])
def test_what_names_no_day_in_the_language_spoken_is_refused(typed):
    with pytest.raises(vk.RecordError, match="expected a date such as 2026-11-18"):
        typed_number(typed, BORN)


def test_only_a_whole_text_of_dates_is_written_otherwise():
    write = read_language("fr").format_dates
    assert write("[1985-04-01, inf)") == "[1er avril 1985, inf)"
    for word in ("1985", "1985-04", "born 1985-04-01", "1985-04-01-7", "'1985-04-01'", "-inf", ""):
        assert write(word) == word


def test_sentences_tables_and_slip_show_dates_so_and_facts_keep_them_as_data():
    days = pd.to_datetime(["1985-04-03", "1985-05-09", "1986-01-31"] * 4)
    release = vk.TableRelease.of(pd.DataFrame({"born": days, "pay": range(12)}))
    report = vk.check({"born": "09.05.1985", "pay": 4}, release, language="de")
    assert "born: '09.05.1985' wurde als 9. Mai 1985 gelesen." in report.notes
    slip = report.to_html(schema=release.schema)
    assert "9. Mai 1985" in slip
    assert "1985-05-09" not in slip
    assert report.attributes["own"].tolist()[0] == 5607
