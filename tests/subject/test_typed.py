"""Numbers as people write them are understood, and how they were is said; doubt is refused."""

import runpy
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.values.typed import typed_number

CASES = Path(__file__).resolve().parents[2] / "benchmarks" / "typed_cases.py"
PAY = vk.Column("pay", unit="euro")
EXAMPLE = vk.published("dm_table1_masked")
AGES = vk.TableRelease.of(pd.DataFrame({"age": [30, 40, 50]}))
HERS = {"X1": 100.87, "X2": 902.21, "X3": 5108.54}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("100.87", 100.87), ("1e2", 100), (" 41 ", 41), ("-3", -3), (".5", 0.5),
        ("100,87", 100.87), ("1.000,87", 1000.87), ("1,000.87", 1000.87), ("1 000.87", 1000.87),
        ("1\u00a0000", 1000), ("1'000", 1000), ("1.000.000", 1e6), ("1,000,000", 1e6),
        ("5,108.54", 5108.54), ("12 euro", 12), ("€ 12", 12), ("12 €", 12), ("-1.234,5", -1234.5),
        ("0,5", 0.5), ("1,2345", 1.2345),
    ],
)  # fmt: skip
def test_a_number_is_understood(written, value):
    assert typed_number(written, PAY).value == value


@pytest.mark.parametrize(
    "written",
    [
        "",
        "many",
        "1_000",
        "True",
        "nan",
        "inf",
        "1e999",
        "12 kg",
        "1,2,3",
        "1.2.3",
        "1,23.4",
        "--1",
    ],
)
def test_what_is_no_number_is_refused(written):
    with pytest.raises(vk.RecordError, match=r"'pay' was given as .*; expected a (finite )?number"):
        typed_number(written, PAY)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("45 kg", 45), ("45kg", 45), ("1,80 m", 1.8), ("31 years", 31), ("31 Jahre", 31),
        ("1.200,50 EUR", 1200.5), ("EUR 1200", 1200), ("$ 12", 12), ("12 %", 12), ("35 lat", 35),
    ],
)  # fmt: skip
def test_a_usual_unit_may_stand_beside_a_number_of_a_column_without_one(written, value):
    assert typed_number(written, vk.Column("x")).value == value


@pytest.mark.parametrize("written", ["45 k", "1.2 Mio", "30 plus", "12 thousand", "45 kg 3", "kg"])
def test_what_may_change_a_number_is_no_unit(written):
    with pytest.raises(vk.RecordError, match="expected a number"):
        typed_number(written, vk.Column("x"))


def test_thousands_with_a_sign_are_decided_by_what_was_published():
    assert typed_number("1.200 €", vk.Column("pay"), [900, 5000]).value == 1200
    assert typed_number("45 KG", vk.Column("weight", unit="kg")).value == 45


def test_a_comma_that_may_mean_two_things_is_decided_by_what_was_published_or_refused():
    with pytest.raises(vk.RecordError, match=r"may be 1234 or 1\.234; write it without a comma"):
        typed_number("1,234", PAY)
    assert typed_number("1,234", PAY, [1.0, 2.0]).value == 1.234
    assert typed_number("1,234", PAY, [1000, 2000]).value == 1234
    with pytest.raises(vk.RecordError, match="may be"):
        typed_number("1,234", PAY, [0, 2000])


@given(st.floats(-1e9, 1e9).map(lambda value: round(value, 2)))
def test_both_ways_to_write_a_number_are_understood(value):
    english = f"{value:,.2f}"
    european = english.translate(str.maketrans(",.", ".,"))
    assert [typed_number(one, PAY).value for one in (english, european)] == [value, value]


def test_a_check_understands_and_says_how_it_read():
    written = {"X1": "100,87", "X2": "902.21", "X3": "5,108.54"}
    report, plain = vk.check(written, EXAMPLE), vk.check(HERS, EXAMPLE)
    assert report.sentences == plain.sentences
    assert report.notes[:2] == (
        "X1: '100,87' was read as 100.87.",
        "X3: '5,108.54' was read as 5108.54.",
    )
    assert report.notes[2:] == plain.notes


def test_a_table_of_groups_understands_too():
    frame = pd.DataFrame({"age": [pd.Interval(20, 30, "both")] * 2, "ill": ["flu", "cold"]})
    release = vk.TableRelease.of(frame, vk.Schema.guess(frame, ill="sensitive").with_column(
        "age", kind="numeric"))  # fmt: skip
    assert "was read as 20.5" in vk.check({"age": "20,5"}, release).notes[0]


@pytest.mark.parametrize("given", ["11", "69", " 30 ", "٣٠"])
def test_a_number_no_farther_than_the_published_ones_lie_apart_may_be_meant(given):
    assert vk.check({"age": given}, AGES).attributes["closest"].tolist()[0] in (30, 40, 50)


@pytest.mark.parametrize("given", ["1985", "301", "71", "9", "-30", "1e3"])
def test_a_number_far_from_all_that_was_published_is_asked_back_unless_quoted(given):
    with pytest.raises(vk.RecordError, match="lies far from all that the table shows, 30 to 50"):
        vk.check({"age": given}, AGES)
    report = vk.check({"age": f'"{given}"'}, AGES)
    assert report.attributes["own"].tolist() == [float(given)]


def test_a_date_far_from_all_that_was_published_is_asked_back():
    frame = pd.DataFrame({"born": pd.to_datetime(["1996-03-02", "1996-05-01"])})
    release = vk.TableRelease.of(frame)
    with pytest.raises(vk.RecordError, match=r"9616-03-02.* shows, 2 March 1996 to 1 May 1996;"):
        vk.check({"born": "9616-03-02"}, release)
    assert vk.check({"born": "2.3.1996"}, release).attributes["distance"].tolist() == [0]


@pytest.mark.skipif(not CASES.exists(), reason="the benchmarks are not beside the tests")
def test_a_slip_gives_the_same_verdict_or_is_asked_back_but_for_a_number_that_may_be_meant():
    found = [*runpy.run_path(str(CASES))["run"](range(300))]
    assert len(found) > 200
    for case, outcome in found:
        assert outcome in ("equal", "refused") or outcome.startswith("another value"), case
        column, name = case.column, case.release
        assert "another" not in outcome or column in ("age", "pay", "born"), (name, outcome)


@pytest.fixture
def panels():
    pytest.importorskip("anywidget", reason="the extra jupyter is not installed")
    from verikit.widgets import SelfCheck

    return SelfCheck


def test_the_page_shows_beside_the_box_how_a_unit_was_read(panels):
    frame = pd.DataFrame({"weight": [45, 61, 80], "pay": [900, 1200, 5000]})
    panel = panels(vk.TableRelease.of(frame))
    panel.on_value("record/weight", "45 kg")
    panel.on_value("record/pay", "1.200 €")
    weight, pay = panel.parts()[1].fields
    assert (weight.help, pay.help) == ("read as 45", "read as 1200")
    assert panel.report.attributes["own"].tolist() == [45, 1200]


def test_the_page_shows_beside_the_box_how_a_number_was_read(panels):
    panel = panels("dm_table1_masked")
    panel.on_value("record/X1", "100,87")
    first, second, _ = panel.parts()[1].fields
    assert first.help == "read as 100.87"
    assert second.help.startswith("published")
    assert panel.report.attributes["own"].tolist()[0] == 100.87
