"""How a file is written is shown beside its table, and can be said otherwise on the page."""

import io

import pandas as pd
import pytest
from sources import WHOLE

import verikit as vk
from verikit.languages import use_language
from verikit.widgets import SelfCheck

THOUSANDS = "pay;age\n1.234;34\n2.345;51\n1.001;29\n"


def sent(panel, name, content):
    offer = {"kind": "offer", "id": 1, "field": "file", "name": name, "size": len(content)}
    panel._on_message(None, offer, [])
    panel._on_message(None, {"kind": "piece", "id": 1, "start": 0}, [memoryview(content)])
    return panel


def part(panel):
    found = [part for part in panel.parts() if part.id == "spelling"]
    return found[0] if found else None


def says(panel, name, value):
    panel._on_message(None, {"kind": "set", "field": f"spelling/{name}", "value": value}, [])


def pay(panel):
    return panel._release.frame["pay"].tolist()


def test_nothing_of_it_is_shown_before_a_file_is_chosen():
    assert part(SelfCheck()) is None


def test_what_was_understood_is_shown_and_can_be_said_otherwise():
    panel = sent(SelfCheck(), "t.csv", THOUSANDS.encode())
    parts = ["table", "spelling", "record", "promise", "requirement"]
    assert [one.id for one in panel.parts()] == parts
    assert part(panel).lines[0][0] == (
        "Read with the letters UTF-8, a semicolon between two values and a point before the "
        "decimals."
    )
    assert pay(panel) == [1.234, 2.345, 1.001]
    says(panel, "decimal", ",")
    assert pay(panel) == [1234, 2345, 1001]
    assert "a comma before the decimals" in part(panel).lines[0][0]
    says(panel, "decimal", "")
    assert pay(panel) == [1.234, 2.345, 1.001]


def test_letters_that_were_guessed_wrongly_are_named():
    panel = sent(SelfCheck(), "t.csv", "město;věk\nBřeclav;31\nZlín;45\n".encode("cp1250"))
    assert panel._release.schema.names == ("mìsto", "vìk")
    says(panel, "encoding", "cp1250")
    assert panel._release.schema.names == ("město", "věk")


def test_a_spelling_that_does_not_fit_is_said_at_its_box_and_the_table_stays():
    panel = sent(SelfCheck(), "t.csv", "pay;job\n1;\xe4\n2;b\n".encode("latin-1"))
    assert len(panel._release) == 2
    says(panel, "encoding", "utf-8")
    box = part(panel).fields[0]
    assert "is not written in UTF-8" in box.error
    assert "could not be read" in part(panel).lines[0][0]
    assert len(panel._release) == 2
    says(panel, "encoding", "")
    assert part(panel).fields[0].error == ""


def test_of_several_sheets_one_is_named_on_the_page():
    pytest.importorskip("openpyxl")
    stream = io.BytesIO()
    with pd.ExcelWriter(stream) as book:
        for name in ("people", "some"):
            pd.DataFrame({"pay": [1, 2, 3]}).to_excel(book, sheet_name=name, index=False)
    panel = sent(SelfCheck(), "t.xlsx", stream.getvalue())
    assert len(panel._release) == 32
    assert part(panel).lines[0][0].startswith("t.xlsx could not be read")
    says(panel, "sheet", "other")
    assert "none of them 'other'" in part(panel).fields[3].error
    says(panel, "sheet", "people")
    assert (pay(panel), part(panel).lines[0][0]) == ([1, 2, 3], "t.xlsx was read.")


def test_a_path_has_its_spelling_too_and_the_example_has_none(tmp_path):
    (tmp_path / "t.csv").write_text(THOUSANDS)
    panel = SelfCheck()
    panel.on_value("path", str(tmp_path / "t.csv"))
    says(panel, "decimal", ",")
    assert pay(panel) == [1234, 2345, 1001]
    panel.on_press("example")
    assert part(panel) is None


def test_a_file_that_is_spelled_in_one_way_only_asks_for_words_and_missing_values():
    stream = io.BytesIO()
    pd.DataFrame({"pay": [1, -9, 3]}).to_json(stream, orient="records")
    panel = sent(SelfCheck(), "t.json", stream.getvalue())
    assert pay(panel) == [1, -9, 3]
    assert [field.id for field in part(panel).fields] == ["spelling/words", "spelling/missing"]
    says(panel, "missing", "-9")
    assert [value for value in pay(panel) if value == value] == [1, 3]


def test_a_column_that_may_hold_bands_is_asked_for_until_its_cells_are_said_to_be_words():
    panel = sent(SelfCheck(), "t.csv", b"pay,age\n<=50K,31\n>50K,45\n<=50K,33\n")
    assert any("'pay' shows '<=50K'" in note for note in panel._release.notes)
    says(panel, "words", " pay ;")
    assert panel._release.schema["pay"].words
    assert not panel._release.notes


def test_a_described_release_asks_nothing(tmp_path):
    vk.published("dm_table1_masked").save(tmp_path / "release.zip")
    panel = SelfCheck()
    panel.on_value("path", str(tmp_path / "release.zip"))
    assert (len(panel._release), part(panel)) == (20, None)


def test_what_stands_for_a_missing_value_is_said_in_a_box_and_read_as_python_reads_it(tmp_path):
    content = "pay;age\n1,5;34\n?;51\n2,5;-9\nnot said;29\nNA;\n"
    (tmp_path / "t.csv").write_text(content)
    panel = sent(SelfCheck(), "t.csv", content.encode())
    assert panel._release.schema["pay"].kind == "nominal"
    says(panel, "missing", " ?; not said ;; -9 ")
    marks = ["", "NA", "NaN", "nan", "?", "not said", "-9"]
    wanted = vk.open_release(tmp_path / "t.csv", missing=marks).frame
    pd.testing.assert_frame_equal(panel._release.frame, wanted)
    assert wanted.isna().sum().tolist() == [3, 2]
    assert part(panel).fields[-1].value == "?; not said; -9"
    says(panel, "missing", " ")
    before = vk.open_release(tmp_path / "t.csv").frame
    pd.testing.assert_frame_equal(panel._release.frame, before)
    assert part(panel).fields[-1].value == ""


@pytest.mark.parametrize("language", WHOLE)
def test_the_box_for_missing_values_has_a_label_and_an_example_in_every_language(language):
    panel = sent(SelfCheck(language=language), "t.csv", THOUSANDS.encode())
    with use_language(language):
        box = part(panel).fields[-1]
    assert box.id == "spelling/missing"
    assert box.label
    assert "?;" in box.help
    assert "-9" in box.help


@pytest.mark.parametrize("path", ["x" * 300, "a\0b"])
def test_a_path_that_can_be_none_is_a_sentence(path):
    panel = SelfCheck()
    panel.on_value("path", path)
    assert "Could not do that" not in str(panel._wrong["path"])


def test_a_bare_table_takes_what_its_publisher_promises_and_a_folder_tells_it_itself(tmp_path):
    model = "drawn from a model"
    panel = sent(SelfCheck(), "t.csv", b"age,pay\n34,10\n51,20\n")
    assert panel._release.promise == "untold"
    says(panel, "promise", model)
    assert panel._release.from_model
    (box,) = next(one for one in panel.parts() if one.id == "promise").fields
    assert (box.value, len(box.options)) == (model, 6)
    says(panel, "decimal", ",")  # what is said of how it is written leaves the promise
    assert panel._release.from_model
    panel.record = {"age": "34", "pay": "10"}
    panel.finish()
    assert "drawn from a model" in str(panel.report)
    says(panel, "promise", "untold")
    assert panel._release.promise == "untold"
    frame = pd.DataFrame({"age": [34, 51]})
    folder = vk.TableRelease.of(frame, promise=model).save(tmp_path / "drawn")
    panel._open_path(str(folder))
    assert panel._release.from_model
    assert "promise" not in [one.id for one in panel.parts()]


def test_the_app_is_told_at_its_start_what_a_bare_table_promises(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("age,pay\n34,10\n51,20\n")
    monkeypatch.setenv("VERIKIT_RELEASE", str(tmp_path / "t.csv"))
    assert SelfCheck()._release.promise == "untold"
    monkeypatch.setenv("VERIKIT_PROMISE", "drawn from a model")
    assert SelfCheck()._release.from_model
