"""Dates of any file are numbers of days, which can be ranked; they are shown and typed as dates."""

import datetime as dt

import pandas as pd
import pytest

import verikit as vk
from verikit.cli import main
from verikit.values.dates import DAYS, date_text, days_of, possible_days

BORN = [dt.date(1994, 1, 2), dt.date(1980, 12, 31), dt.date(1973, 5, 6)]
DAY_OF = [8767, 4017, 1221]
TABLE = pd.DataFrame({"born": pd.to_datetime(BORN).as_unit("ns"), "age": [31, 45, 52]})


def written(form):
    return "born,age\n" + "".join(
        f"{day.strftime(form)},{age}\n" for day, age in zip(BORN, TABLE["age"], strict=True)
    )


def files(folder):
    """Files of all formats that hold the same dates, by the library that they need."""
    for name, form in (("iso", "%Y-%m-%d"), ("german", "%d.%m.%Y"), ("us", "%m/%d/%Y")):
        (folder / f"{name}.csv").write_text(written(form))
        yield f"{name}.csv", None
    TABLE.to_stata(folder / "t.dta", write_index=False)
    yield "t.dta", None
    for name, library, write in (
        ("t.parquet", "pyarrow", TABLE.to_parquet),
        ("plain.parquet", "pyarrow", lambda at: TABLE.assign(born=BORN).to_parquet(at)),
        ("t.xlsx", "openpyxl", lambda at: TABLE.to_excel(at, index=False)),
        ("t.sav", "pyreadstat", lambda at: pytest.importorskip("pyreadstat").write_sav(TABLE, at)),
        (
            "t.xpt",
            "pyreadstat",
            lambda at: pytest.importorskip("pyreadstat").write_xport(TABLE, at),
        ),
    ):
        try:
            __import__(library)
        except ImportError:
            continue
        write(str(folder / name))
        yield name, library


def test_dates_of_every_format_are_the_same_days(tmp_path):
    for name, _ in files(tmp_path):
        for door in (vk.read, vk.open_release):
            found = door(tmp_path / name)
            assert found.frame["born"].tolist() == DAY_OF, name
            column = found.schema["born"]
            assert (column.kind, column.unit, column.dated) == ("numeric", DAYS, True)


def test_dates_of_a_frame_are_days_too():
    assert vk.read(TABLE).frame["born"].tolist() == DAY_OF
    assert vk.TableRelease.of(TABLE).frame["born"].tolist() == DAY_OF


def test_a_missing_date_stays_missing_and_a_far_one_is_kept(tmp_path):
    (tmp_path / "t.csv").write_text("until,age\n31.12.9999,31\n,45\n01.02.0900,52\n")
    values = vk.read(tmp_path / "t.csv").frame["until"].tolist()
    assert values[0] == days_of(dt.date(9999, 12, 31))
    assert pd.isna(values[1])
    assert date_text(values[2]) == "0900-02-01"


@pytest.mark.parametrize(
    "cells",
    [
        ["2020-01", "2020-02"],
        ["01/02/2020", "03/04/2020"],
        ["18.11.1996", "soon"],
        ["18.11.1996", "11/18/1996"],
        ["02138", "01.02.2020"],
        ["1994-01-02 10:30", "1994-01-02 11:30"],
    ],
)
def test_what_may_be_no_date_stays_words(tmp_path, cells):
    (tmp_path / "t.csv").write_text("born,age\n" + "".join(f"{cell},31\n" for cell in cells))
    found = vk.read(tmp_path / "t.csv")
    assert found.schema["born"].kind == "nominal"
    assert found.frame["born"].tolist() == cells


def test_moments_of_a_day_stay_words():
    frame = pd.DataFrame({"at": pd.to_datetime(["1994-01-02 10:30", "1994-01-02 11:30"])})
    assert vk.read(frame).schema["at"].kind == "nominal"


def test_columns_that_were_declared_are_as_declared(tmp_path):
    (tmp_path / "t.csv").write_text(written("%Y-%m-%d"))
    words = vk.Schema((vk.Column("born", kind="nominal"), vk.Column("age")))
    assert vk.read(tmp_path / "t.csv", words).frame["born"].tolist()[0] == "1994-01-02"
    days = vk.Schema((vk.Column("born", unit=DAYS), vk.Column("age")))
    assert vk.read(tmp_path / "t.csv", days).frame["born"].tolist() == DAY_OF


def test_which_part_stands_first_is_said(tmp_path):
    (tmp_path / "t.csv").write_text(written("%m/%d/%Y"))
    (note,) = vk.read(tmp_path / "t.csv").notes
    assert note == "'born' was read as dates, the month first, as in '01/02/1994'."


@pytest.mark.parametrize(
    "typed", ["1980-12-30", "30.12.1980", "12/30/1980", "30/12/1980", 4016, dt.date(1980, 12, 30)]
)
def test_a_person_gives_her_date_as_she_writes_it(typed):
    report = vk.check({"born": typed, "age": 45}, vk.TableRelease.of(TABLE))
    assert report.attributes["own"].tolist() == [4016, 45]
    assert report.attributes["closest"].tolist()[0] == 4017


def test_a_date_that_may_be_two_is_decided_by_what_was_published_or_refused():
    release = vk.TableRelease.of(TABLE)
    assert possible_days("2/1/1994") == {"day": 8767, "month": 8797}
    with pytest.raises(vk.RecordError, match="may be 2 January 1979 or 1 February 1979; write"):
        vk.check({"born": "2/1/1979", "age": 45}, release)
    report = vk.check({"born": "2/1/1994", "age": 45}, release)
    assert report.attributes["own"].tolist()[0] == 8767
    assert "born: '2/1/1994' was read as 2 January 1994." in report.notes


@pytest.mark.parametrize("typed", ["soon", "31.02.1980", "1980-13-01"])
def test_what_is_no_date_is_refused(typed):
    with pytest.raises(vk.RecordError, match="expected a date such as 2026-11-18"):
        vk.check({"born": typed, "age": 45}, vk.TableRelease.of(TABLE))


def test_the_check_shows_dates_and_says_differences_in_days(capsys, tmp_path):
    release = vk.TableRelease.of(TABLE)
    report = vk.check({"born": "1980-12-30", "age": 45}, release, diversity=10)
    page = report.to_html(schema=release.schema)
    assert "30 December 1980" in page
    assert "31 December 1980" in page
    assert "since 1970" not in page
    (tmp_path / "t.csv").write_text(written("%Y-%m-%d"))
    assert main(["check", str(tmp_path / "t.csv"), "--set", "born=30.12.1980"]) in (0, 1)
    shown = capsys.readouterr().out
    assert "31 December 1980" in shown
    assert "was read as 30 December 1980" in shown


def test_the_page_asks_for_a_date_and_shows_how_it_was_read():
    pytest.importorskip("anywidget")
    from verikit.widgets import SelfCheck

    panel = SelfCheck(vk.TableRelease.of(TABLE))
    panel.on_value("record/born", "30.12.1980")
    field = panel.parts()[1].fields[0]
    assert (field.label, field.help) == ("born (a date)", "read as 30 December 1980")
    assert panel.report.attributes["own"].tolist() == [4016]
    panel.on_value("record/born", "")
    assert panel.parts()[1].fields[0].help == "published 6 May 1973 to 2 January 1994"


def test_a_saved_release_keeps_its_dates(tmp_path):
    release = vk.TableRelease.of(TABLE)
    assert vk.open_release(release.save(tmp_path / "out")).schema["born"].dated
