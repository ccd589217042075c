"""What is refused and noted is said in the language that was asked for, English where it is not."""

import copy
import pickle
import re

import pandas as pd
import pytest
from sources import WHOLE
from test_languages import COMMON, FORBIDDEN, forms, places

import verikit as vk
from verikit._support.told import Told
from verikit.languages import read_language, read_messages, translate, use_language

OTHERS = [name for name in WHOLE if name != "en"]
each_language = pytest.mark.parametrize("language", OTHERS)
EXAMPLE = vk.published("dm_table1_masked")
STAGES = vk.TableRelease.of(
    pd.DataFrame({"stage": ["I", "II", "II"], "age": [30, 40, 50], "weight": [1.5, None, None]}),
    vk.Schema((vk.Column("stage", kind="ordinal", order=("I", "II")), vk.Column("age"),
               vk.Column("weight"))),
)  # fmt: skip
EMPTY = vk.TableRelease.of(
    pd.DataFrame({"age": [30.0, 40.0], "pay": [float("nan")] * 2}),
    vk.Schema((vk.Column("age"), vk.Column("pay"))),
)
DATED = vk.TableRelease.of(pd.DataFrame({"born": pd.to_datetime(["1996-03-02", "1996-05-01"])}))
CRIMES = vk.published("ks_table4")
ALIKE = vk.TableRelease.of(pd.DataFrame({"ill": ["flu", "flu "]}))
SITUATIONS = {
    "no-number": ({"X1": "many"}, EXAMPLE, {}),
    "not-finite": ({"X1": "inf"}, EXAMPLE, {}),
    "no-date": ({"born": "soon"}, DATED, {}),
    "two-dates": ({"born": "03/04/1996"}, DATED, {}),
    "far": ({"age": "1985"}, STAGES, {}),
    "no-category": ({"stage": "IV", "age": 3}, STAGES, {}),
    "look-alike": ({"ill": "flu"}, ALIKE, {}),
    "near-word": ({"Marital Status": "singel"}, CRIMES, {}),
    "only-year": ({"DOB": "2003-05-14"}, CRIMES, {}),
    "whole-date": ({"born": "1996"}, DATED, {}),
    "too-long": ({"X1": "9007199254740993"}, EXAMPLE, {}),
    "lacks": ({"size": 3}, EXAMPLE, {}),
    "no-value": ({"X1": None}, EXAMPLE, {}),
    "no-known-value": ({"Zip": None}, CRIMES, {}),
    "not-single": ({"X1": [1, 2]}, EXAMPLE, {}),
    "no-whole": ({"Zip": "19552"}, CRIMES, {"k": 0}),
    "no-distance": ({"X1": 100}, EXAMPLE, {"distance": "far"}),
    "no-diversity": ({"X1": 100}, EXAMPLE, {"diversity": {"X1": "wide"}}),
    "distance-whole": ({"X1": 100}, EXAMPLE, {"distance": 2.5}),
    "diversity-low": ({"X1": 100}, EXAMPLE, {"diversity": -1}),
    "no-such-row": ({"X1": 100}, EXAMPLE, {"match": 21}),
    "not-judged": ({"X1": 100}, EXAMPLE, {"k": 3}),
    "empty-column": ({"pay": 3, "age": 3}, EMPTY, {}),
}
FILES = {
    "empty-file": b"",
    "ask-words": b"pay;age\n<=50K;1\n>50K;2\n",
    "alike-words": b"ill;age\nflu;1\nflu ;2\n",
    "read-commas": b"pay;age\n1,5;3\n2,5;4\n3,25;5\n",
    "read-thousands": b'pay;age\n"1,500";3\n"2,500";4\n"3,250";5\n',
    "read-spaces": b"pay;age\n1 234;3\n12 500;4\n999;5\n",
    "short-record": b"pay;age\n1;3\n2;4\n3\n",
    "dates-year": b"born,age\n1996-11-18,3\n1980-02-01,4\n",
    "dates-day": b"born,age\n18.11.1996,3\n01.02.1980,4\n",
    "dates-month": b"born,age\n11/18/1996,3\n02/01/1980,4\n",
    "merged": b"pay,age\n0.12345678901234567890,3\n0.12345678901234567891,4\n0.5,5\n",
    "letters-guessed": "town,age\nKöln,3\nBonn,4\n".encode("cp1252"),
    "utf-16": "town,age\nKöln,3\nBonn,4\n".encode("utf-16-le"),
    "spaces": b'"age" "pay"\n1 2\n3 4\n5 6\n',
    "row-names": b'"age","pay"\n"1",3,4\n"2",5,6\n',
    "empty-end": b"age,pay,\n1,2,\n3,4,\n",
    "title": b"My table\nage,pay\n1,2\n3,4\n5,6\n",
    "titles": b"My table\nof 2025\n\nage,pay\n1,2\n3,4\n5,6\n",
    "footer": b"age,pay\n1,2\n3,4\n5,6\n\nSource: the office\n",
    "footers": b"age,pay\n1,2\n3,4\n5,6\n\nSource: the office\nAs of May\n",
    "no-names": b"39,clerk,77516\n50,smith,83311\n38,clerk,215646\n",
    "long-names": b"id,age\n110101199003070011,3\n110101199003070012,4\n",
    "words-odd": b"age,pay\n1,2\n2,2\n3,3\nold,4\n",
    "words-unit": b"age,pay\n45 kg,2\n61 kg,2\n",
    "perhaps-thousands": b"pay;age\n1.234;34\n2.345;51\n1.001;29\n",
}
HERE = {"not-there", "incomparable"}  # below
NATIVE = {"reader-slow", "reader-ended", "reader-large"}  # in tests/table/test_native.py
SHEETS = {"beside"}  # in tests/table/test_every_line.py
VIEWS = {"left"}  # in tests/widgets


def refusal(name, language):
    record, release, asked = SITUATIONS[name]
    with pytest.raises(vk.VerikitError) as caught:
        vk.check(record, release, **asked, language=language)
    return caught.value


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_refusal_remembers_its_values_and_is_said_with_them_in_every_language(name):
    english = refusal(name, "en")
    assert english.told.says == name
    assert str(english) == english.told
    said = [str(refusal(name, language)) for language in OTHERS]
    assert len(set(said)) == len(said)
    for language, sentence in zip(OTHERS, said, strict=True):
        assert set(places(read_messages(language)[name])) <= set(english.told.values), language
        assert "{" not in sentence
        for value in english.told.values.values():
            parts = value if isinstance(value, list) else [value]
            words = (read_language(language).format_dates(p) for p in parts if isinstance(p, str))
            assert all(part in sentence for part in words), language


def opened(content, folder):
    """What is told of a file: its notes, or why it is refused."""
    path = folder / "t.csv"
    path.write_bytes(content)
    try:
        return vk.open_release(path).notes
    except vk.VerikitError as error:
        return (error.told,)


@pytest.mark.parametrize("name", FILES)
def test_how_a_file_was_read_is_said_in_every_language(name, tmp_path):
    told = {note.says: note for note in opened(FILES[name], tmp_path) if isinstance(note, Told)}
    assert name in told
    for language in OTHERS:
        with use_language(language):
            said = translate(told[name])
        assert said != told[name]
        assert "{" not in said
        assert set(places(read_messages(language)[name])) == set(told[name].values), language


@each_language
def test_a_language_has_what_is_told_besides_and_no_more(language):
    assert set(read_messages(language)) == {
        *SITUATIONS, *FILES, *HERE, *NATIVE, *SHEETS, *VIEWS
    }  # fmt: skip
    texts = read_messages(language).values()
    assert [form for text in texts for form in forms(text)] == []
    forbidden = re.compile(f"{COMMON}|{FORBIDDEN[language]}", re.IGNORECASE)
    assert not [text for text in texts if forbidden.search(text)]
    german = read_messages("de")
    assert all(places(text) == places(german[n]) for n, text in read_messages(language).items())


@pytest.fixture
def panels():
    pytest.importorskip("anywidget", reason="the extra jupyter is not installed")
    from verikit.widgets import SelfCheck

    return SelfCheck


def test_a_path_and_a_table_without_columns_are_refused_in_her_language(panels, tmp_path):
    pd.DataFrame({"town": ["", ""]}).to_csv(tmp_path / "towns.csv", index=False, quoting=1)
    panel = panels("dm_table1_masked", language="de")
    panel.on_value("path", str(tmp_path / "towns.csv"))
    wrong = {f.id: f.error for part in panel.parts() for f in part.fields if f.error}
    screen = []
    panel.send = lambda message, buffers=None: screen.append(message)
    panel.send_screen()
    fields = {f["id"]: f["error"] for part in screen[-1]["parts"] for f in part["fields"]}
    assert wrong["path"].startswith("'towns.csv' has no column")
    assert fields["path"] == (
        "'towns.csv' hat keine Spalte, nach der sich Datensätze vergleichen lassen; "
        "vorhanden sind: town."
    )
    panel.on_value("path", str(tmp_path / "nowhere.csv"))
    fields = {f["id"]: f["error"] for part in screen[-1]["parts"] for f in part["fields"]}
    assert fields["path"].endswith(
        "nowhere.csv' gibt es nicht; nötig ist der Ordner einer Veröffentlichung oder eine Tabelle."
    )


def test_a_wrong_value_stands_at_its_box_in_her_language(panels):
    panel, screen = panels("dm_table1_masked", language="it"), []
    panel.send = lambda message, buffers=None: screen.append(message)
    panel.on_value("record/X2", "tanti")
    panel.on_value("distance", "lontano")
    fields = {f["id"]: f["error"] for part in screen[-1]["parts"] for f in part["fields"]}
    assert fields["record/X2"] == "Per 'X2' è stato dato 'tanti'; serve un numero."
    panel.on_value("record/X2", "902,21")
    fields = {f["id"]: f["error"] for part in screen[-1]["parts"] for f in part["fields"]}
    assert fields["distance"] == "Come distanza è stato chiesto 'lontano'; serve un numero."
    panel.language = "en"
    fields = {f["id"]: f["error"] for part in screen[-1]["parts"] for f in part["fields"]}
    assert fields["distance"].startswith("'required distance' was given as 'lontano'")


def test_many_known_values_are_cut():
    with use_language("de"):
        note = Told("", "no-value", known=[f"'a{at}'" for at in range(40)])
        assert translate(note).count("'a") == 12
        assert "…" in translate(note)


def test_what_remembers_its_values_is_a_text_like_any_other():
    note = Told("'a' was read.", "read", name="'a'")
    for other in (copy.deepcopy(note), pickle.loads(pickle.dumps(note))):
        assert (other, other.says, other.values) == (note, "read", {"name": "'a'"})
    with use_language("de"):
        assert translate(note) == "'a' was read."


def test_what_a_programmer_does_wrong_stays_english():
    with pytest.raises(vk.RecordError, match="runs was given as 'x'") as caught:
        vk.check({"X1": 100}, EXAMPLE, runs="x", language="en")
    with pytest.raises(vk.SchemaError, match="expected a release"):
        vk.check({"X1": 100}, 3.5, language="de")
    assert caught.value
