"""The self-check in every language: what it asks, what it answers, and how numbers are read."""

import re
from html import unescape

import pandas as pd
import pytest
from sources import WHOLE

import verikit as vk
from verikit.languages import LANGUAGES, read_language
from verikit.widgets import SelfCheck
from verikit.widgets._callbacks import StoppedError, raise_stopped

OTHERS = [name for name in WHOLE if name != "en"]
each_language = pytest.mark.parametrize("language", OTHERS)
ENGLISH = re.compile(
    r"\b(the|your?s?|record|table|what|closest|with|from|away|value|which|who|are|published|"
    r"ask|places|yes|within|highest|lowest|groups?|attributes?|records|fits?|named|checked|type|"
    r"file|read|least|every|this|than|would|enough|choose|another|back|leave|box|not|computer|"
    r"spread|answer|here|it|letters|between|how|most|needs?|only|so|for)\b",
    re.IGNORECASE,
)
SAME = {  # these are their words as well
    "de": {"so", "computer"}, "es": {"box"}, "fr": {"places", "table", "type"},
    "it": {"record", "file", "computer"},
    "nl": {"record", "records", "computer", "letters", "so"}, "pt": {"box"},
}  # fmt: skip
NAMES = {"variance", "noise", "scale"}  # of methods and parameters, as their publisher wrote them
SHOWN = [
    ("dm_table1_masked", {}),
    ("ks_table4", {"Zip": "19552", "DOB": "2001"}),
    ("lhcc_table4", {"Age": "65", "Sex": "M"}),
]
PAY = vk.TableRelease.of(pd.DataFrame({"pay": [900.5, 1234.25, 5000.0], "age": [31, 45, 60]}))


def words_of(view):
    """Whatever a person reads or hears of it, but for published names and values."""
    screen = []
    view.send = lambda message, buffers=None: screen.append(message)
    view.send_screen()
    card, parts = screen[-1]["card"], screen[-1]["parts"]
    link = re.compile(r'href="[^"]*"|<svg.*?</svg>', re.DOTALL)
    yield from (unescape(t) for t in re.split(r"<[^>]+>", link.sub("", card["html"])) if t.strip())
    yield from map(unescape, re.findall(r'aria-label="([^"]*)"', card["html"]))
    yield from (card["title"], card["say"])
    for part in parts:
        yield from (part["title"], part["fold"], *(line for line, _ in part["lines"]))
        for field in part["fields"]:
            yield from (field["label"], field["help"], field["hint"], field["error"])
            yield from (text for value, text in field["options"] if text != value)


@each_language
@pytest.mark.parametrize(("name", "record"), SHOWN)
def test_no_english_is_left_in_another_language(language, name, record):
    release = vk.published(name)
    panel = SelfCheck(release if record else name, language=language)
    panel.record = record or panel.record
    assert panel.report.headline.language == language
    mine = {n.lower() for n in release.schema.names} | {word for n in NAMES for word in n.split()}
    found = {word.lower() for text in words_of(panel) for word in ENGLISH.findall(text)}
    assert found - SAME.get(language, set()) - mine == set()


@each_language
def test_what_is_said_of_a_file_and_of_a_wrong_value_is_in_her_language(language, tmp_path):
    (tmp_path / "t.csv").write_text(
        "id;pay;town\n1;1,5;a\n2;2,5;b\n3;3,5;c\n4;5,5;d\n5;6,5;e\n6;7,5;f\n"
    )
    panel = SelfCheck(language=language)
    panel.on_value("path", str(tmp_path / "t.csv"))
    ids = [part.id for part in panel.parts()]
    assert ids == ["table", "spelling", "record", "promise", "requirement"]
    panel.on_value("criterion", "entropy")
    panel.on_value("record/pay", "2,5")
    found = {word.lower() for text in words_of(panel) for word in ENGLISH.findall(text)}
    assert found - SAME.get(language, set()) == set()


@each_language
def test_what_was_stopped_is_said_in_her_language(language):
    panel = SelfCheck(language=language)
    with pytest.raises(StoppedError) as stopped:
        raise_stopped()
    panel.show_error(stopped.value, "")
    found = {word.lower() for text in words_of(panel) for word in ENGLISH.findall(text)}
    assert panel.was_stopped()
    assert found - SAME.get(language, set()) == set()
    assert stopped.value.told == str(stopped.value), "Python hears English"


def test_it_speaks_the_language_of_the_browser_unless_told_otherwise():
    def opened(language, wanted):
        panel = SelfCheck(language=language)
        panel._on_message(None, {"kind": "hello", "languages": wanted}, [])
        return panel.language, panel.report.headline.language

    assert opened(None, ["de-AT", "en"]) == ("de", "de")
    assert opened(None, ["fi-FI", "sv"]) == ("en", "en")
    assert opened(None, "hostile") == ("en", "en")
    assert opened("pl", ["de"]) == ("pl", "pl")
    assert opened("en", ["de"]) == ("en", "en")


def test_a_language_that_is_not_spoken_is_refused():
    with pytest.raises(vk.RecordError, match="language was given as 'tlh'"):
        SelfCheck(language="tlh")


def test_another_language_keeps_her_values_and_answers_anew():
    panel = SelfCheck("dm_table1_masked", language="en")
    panel.on_value("record/X1", "90,5")
    panel.on_value("distance", "2")
    before = panel.report
    panel.on_value("language", "de")
    assert panel.record == {"X1": "90,5", "X2": "902.21", "X3": "5108.54"}
    assert panel.distance == "2"
    assert panel.report.attributes.equals(before.attributes)
    assert panel.report.headline.language == "de"
    panel.language = "en"
    assert panel.report.to_json() == before.to_json()


def test_the_example_is_spelled_as_people_of_the_language_write():
    panel = SelfCheck("dm_table1_masked", language="fr")
    assert panel.record == {"X1": "100,87", "X2": "902,21", "X3": "5108,54"}
    panel.language = "en"
    assert panel.record == {"X1": "100.87", "X2": "902.21", "X3": "5108.54"}
    assert panel.report.attributes["distance"].tolist() == [4, 1, 4]


@pytest.mark.parametrize(
    ("language", "typed", "value"),
    [
        ("de", "1.234,25", 1234.25), ("de", "1234,25", 1234.25), ("de", "900,5", 900.5),
        ("de", "1.234", 1234), ("it", "1.234", 1234), ("en", "1,234.25", 1234.25),
        ("fr", "1\u202f234,25", 1234.25), ("pl", "1\u00a0234,25", 1234.25), ("pl", "1 234", 1234),
    ],
)  # fmt: skip
def test_numbers_are_read_as_people_of_the_language_write_them(language, typed, value):
    panel = SelfCheck(PAY, language=language)
    panel.on_value("record/pay", typed)
    assert panel.report.attributes["own"].tolist() == [value]


@pytest.mark.parametrize(("language", "typed"), [("de", "1,5"), ("en", "1.5"), ("pt", "1,5")])
def test_what_she_requires_is_read_and_shown_in_the_same_way(language, typed):
    panel = SelfCheck(PAY, language=language)
    panel.record = {"pay": "1000", "age": "31"}
    panel.on_value("diversity/pay", typed)
    assert panel.diversity == {"pay": 2.25}
    fields = {field.id: field for part in panel.parts() for field in part.fields}
    shown = next(f["value"] for f in _fields(panel) if f["id"] == "diversity/pay")
    assert shown == typed
    assert fields["record/pay"].value == "1000"


def _fields(panel):
    screen = []
    panel.send = lambda message, buffers=None: screen.append(message)
    panel.send_screen()
    return [field for part in screen[-1]["parts"] for field in part["fields"]]


def test_ranges_are_shown_with_the_marks_of_the_language():
    helps = {f["id"]: f["help"] for f in _fields(SelfCheck(PAY, language="de"))}
    assert helps["record/pay"] == "veröffentlicht von 900,5 bis 5.000,0"


def test_a_table_whose_sentences_are_english_is_spoken_of_in_english_and_this_is_said(monkeypatch):
    for module in (
        "verikit.subject._check",
        "verikit.widgets._selfcheck",
    ):  # as if German lacked it
        monkeypatch.setattr(f"{module}.speaks_of", lambda *asked: asked != ("de", "numbers"))
    panel = SelfCheck(vk.published("qz_table2_3"), language="de")
    panel.record = {"age": "35", "zipcode": "27101", "gender": "M"}
    assert panel.report.headline.language == "en"
    said = [line for line, _ in panel.parts()[0].lines]
    assert said[-1] == "Was über eine solche Tabelle gesagt wird, gibt es bisher nur auf Englisch."
    assert panel.language_choices()["chosen"] == "de"
    panel.on_value("path", "dm_table1_masked")
    assert panel.spoken_language == "de"


def test_every_language_can_be_chosen_by_its_own_name():
    names = dict(SelfCheck().language_choices()["languages"])
    assert names == {name: read_language(name).words["name"] for name in LANGUAGES}


@each_language
def test_a_saved_notebook_keeps_the_language(language):
    copy = SelfCheck("dm_table1_masked", language=language).write_saved()
    found = {
        word.lower()
        for word in ENGLISH.findall(
            re.sub(r"<style.*?</style>|<[^>]*>", " ", copy, flags=re.DOTALL)
        )
    }
    assert found - SAME.get(language, set()) - NAMES == set()


@pytest.mark.parametrize(("language", "marked"), [("de", "en"), ("en", "")])
def test_a_refusal_that_the_language_lacks_is_marked_as_english(language, marked, monkeypatch):
    panel, screen = SelfCheck(PAY, language=language), []
    panel.send = lambda message, buffers=None: screen.append(message)
    panel.on_value("record/pay", "many")
    assert screen[-1]["parts"][1]["fields"][0]["error"]
    assert screen[-1]["parts"][1]["fields"][0]["lang"] == ""  # this one every language has

    def refuse(*_, **__):
        raise vk.RecordError("The sky fell down; look up.", field="pay", value=1)

    monkeypatch.setattr("verikit.widgets._selfcheck.check", refuse)
    panel.on_value("record/pay", "1000")
    pay = screen[-1]["parts"][1]["fields"][0]
    assert (pay["error"], pay["lang"]) == ("The sky fell down; look up.", marked)
