"""SelfCheck: what a person types, what she is answered, and what is kept of it."""

import base64
import io
import re
import zipfile

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import FormatError, RecordError, SchemaError
from verikit.subject._card_words import method_words
from verikit.widgets import SelfCheck, _panel

HERS = {"X1": "100.87", "X2": "902.21", "X3": "5108.54"}
CRIMINAL = "<script>alert(1)</script>"


@pytest.fixture
def panel():
    return SelfCheck("dm_table1_masked")


@pytest.fixture
def person(panel, before):
    return before(panel)


@pytest.fixture
def stages():
    """A release with an ordinal, a nominal and a numeric column that has a unit."""
    schema = vk.Schema(
        (
            vk.Column("stage", kind="ordinal", order=("I", "II", "III")),
            vk.Column("town", kind="nominal"),
            vk.Column("weight", unit="kg", label="body weight"),
        )
    )
    frame = pd.DataFrame(
        {"stage": ["I", "II", "III", "I"], "town": list("abcd"), "weight": [50.0, 61.5, 72, 90]}
    )
    return vk.TableRelease.of(frame, schema)


def upload(panel, name, content, *, piece=7):
    """Send a file as the page does: offered, then piece by piece as asked; give what was asked."""
    asked = []
    panel.send = lambda message, buffers=None: asked.append(message)
    panel._on_message(
        None, {"kind": "offer", "id": 1, "field": "file", "name": name, "size": len(content)}, []
    )
    while asked and asked[-1]["kind"] == "more":
        start = asked[-1]["start"]
        part = memoryview(content[start : start + piece])
        panel._on_message(None, {"kind": "piece", "id": 1, "start": start}, [part])
        if asked[-1] == {"kind": "more", "id": 1, "start": start}:
            break
    del panel.send
    return asked


def test_it_opens_with_the_answer_for_the_papers_record(panel):
    assert panel.record == HERS
    assert panel.report.attributes["distance"].tolist() == [4, 1, 4]
    assert panel.report.matches["row"].tolist() == [10]


def test_a_set_value_changes_the_report(panel):
    seen = []
    panel.observe(lambda change: seen.append(change["new"]), "report")
    panel.record = {**HERS, "X1": 87.83}
    expected = vk.check(
        {"X1": 87.83, "X2": 902.21, "X3": 5108.54}, vk.published("dm_table1_masked"), looks=2
    )
    (report,) = seen
    assert report.attributes.equals(expected.attributes)
    assert report.to_json() == expected.to_json()


def test_the_report_cannot_be_set(panel):
    with pytest.raises(Exception, match='"report" trait is read-only'):
        panel.report = None


def test_a_typed_value_is_checked_as_a_number(panel, person):
    person.types("record/X1", " 90 ")
    assert panel.report.attributes["own"].tolist() == [90, 902.21, 5108.54]


def test_an_empty_box_is_left_out(panel, person):
    person.types("record/X2", "  ")
    assert panel.report.facts["left_out"] == ["X2"]
    assert "You left out X2" in person.card


def test_with_every_box_empty_there_is_nothing_to_answer(panel, person):
    panel.record = {}
    assert panel.report is None
    assert panel.last_error is None
    assert "Type your values" in person.card


def test_errors_stand_at_their_boxes_and_no_report_is_left(panel, person):
    panel.record = {"X1": "many", "X2": "902.21", "X3": "inf"}
    assert person.field("record/X1").error == "'X1' was given as 'many'; expected a number."
    assert person.field("record/X2").error == ""
    assert "expected a finite number" in person.field("record/X3").error
    assert panel.report is None
    assert isinstance(panel.last_error, RecordError)
    assert "Outdated" in person.card


def test_a_mended_error_leaves_no_trace(panel, person):
    shown = person.html
    person.types("record/X1", "many")
    person.types("record/X1", HERS["X1"])
    assert person.html == shown
    assert panel.last_error is None
    assert person.field("record/X1").error == ""


def test_a_name_inside_a_wrong_value_does_not_move_the_error(panel, person):
    person.types("record/X3", "'X1'")
    assert person.field("record/X1").error == ""
    assert "X3" in person.field("record/X3").error


@pytest.mark.parametrize(
    ("box", "value", "said"),
    [
        ("distance", "far", "'required distance' was given as 'far'; expected a number."),
        ("distance", "2.5", "give a whole number of places"),
        ("diversity/X1", "-1", "The required diversity of 'X1' is -1; give 0 or more."),
        ("diversity/X2", "wide", "'required diversity of X2' was given as 'wide'; expected a numb"),
    ],
)
def test_a_wrong_requirement_is_said_at_its_own_box(panel, person, box, value, said):
    person.types(box, value)
    assert said in person.field(box).error
    assert person.field("record/X1").error == ""
    assert panel.report is None
    person.types(box, "")
    assert panel.report is not None


def test_a_requirement_is_judged(panel, person):
    person.types("distance", "1")
    assert panel.report.met is True
    assert "What you asked for is met." in person.card
    person.types("distance", "2")
    assert panel.report.met is False
    assert "not met by the distance of X2 (1 place, at least 2 required)." in person.card


def test_a_criterion_changes_how_diversity_is_measured(panel, person):
    person.types("criterion", "distinct")
    assert panel.report.attributes["diversity"].tolist() == [9, 3, 9]
    person.types("diversity", "9")
    assert panel.report.attributes["met"].tolist() == [True, False, True]


def test_a_requirement_by_attribute_is_kept_where_attributes_are_left_out():
    panel = SelfCheck("dm_table1_masked", distance={"X1": 4, "X2": 2})
    assert panel.report.attributes["met"].tolist() == [True, False, None]
    panel.record = {"X1": "100.87", "X3": "5108.54"}
    assert panel.report.attributes["required_distance"].tolist() == [4, None]


def test_a_spread_is_asked_for_and_shown_as_a_deviation_in_each_attributes_unit(stages, before):
    """Within 1 place of 61.5 kg lie 50, 61.5 and 72 kg: their deviation is 8.98 kg."""
    person = before(SelfCheck(stages, distance=1))
    box = person.field("diversity/weight")
    assert (box.label, box.help) == ("Spread of body weight (kg)", "more than ± this")
    assert person.field("diversity/stage").label == "Spread of stage"
    person.view.record = {"stage": "I", "weight": "61.5"}
    person.types("diversity/weight", "20")
    assert person.view.diversity == {"weight": 400.0}
    assert (person.field("diversity/weight").value, person.field("diversity/stage").value) == (
        "20",
        "",
    )
    assert person.view.report.met is False
    assert "and the diversity of body weight (± 8.98 kg, more than ± 20.00 kg" in person.card
    assert "spread within (standard deviation)" in person.card
    assert person.rows()[2][6] == "± 8.98 kg"
    person.types("diversity/weight", "")
    assert person.view.diversity is None


def test_one_variance_for_all_given_in_python_can_be_changed_for_one_attribute(before):
    person = before(SelfCheck("dm_table1_masked", diversity=4.0))
    assert [person.field(f"diversity/{name}").value for name in HERS] == ["2", "2", "2"]
    person.types("diversity/X2", "3")
    assert person.view.diversity == {"X1": 4.0, "X2": 9.0, "X3": 4.0}


def test_the_required_diversity_is_cleared_on_a_change_of_criterion(panel, person):
    person.types("diversity/X1", "5")
    person.types("criterion", "t-closeness")
    assert panel.diversity is None
    assert person.field("diversity").value == ""
    assert panel.report.met is None
    person.types("diversity", "0.2")
    person.types("criterion", "variance")
    assert person.field("diversity/X1").value == ""


@pytest.mark.parametrize(
    ("name", "record", "boxes", "said"),
    [
        (
            "ks_table4",
            {"Zip": "19552"},
            {"k": "Records that fit your values, at least", "ell": "Different sensitive values"},
            "the records that fit your values (4, at least 9 required)",
        ),
        (
            "lhcc_table4",
            {"Age": "65", "Sex": "M"},
            {
                "ell": "A guess of your sensitive value may be right in one of how many cases, "
                "if within a group each value is equally likely for everyone"
            },
            (
                "the best guess of your disease (right in 20 of 100 cases if within a group each "
                "value is equally likely for everyone, at most in 1 of 9 required)"
            ),
        ),
    ],
)
def test_each_kind_of_release_is_asked_what_it_can_judge(name, record, boxes, said, before):
    person = before(SelfCheck(vk.published(name)))
    part = next(part for part in person.view.parts() if part.id == "requirement")
    assert [field.id for field in part.fields] == list(boxes)
    assert all(field.label.startswith(boxes[field.id]) for field in part.fields)
    person.view.record = record
    for box in boxes:
        person.types(box, "many")
        assert "expected a whole number from 1 up" in person.field(box).error
        person.types(box, "9" if box == part.fields[0].id else "")
    assert person.view.report.met is False
    assert f"What you asked for is not met by {said}." in person.card
    person.types(part.fields[0].id, "2")
    assert "What you asked for is met." in person.card


def test_permuted_numbers_are_asked_for_with_k_and_e_and_errors_stand_at_their_boxes(before):
    person = before(SelfCheck(vk.published("qz_table2_3"), e=2000))
    part = next(part for part in person.view.parts() if part.id == "requirement")
    assert [field.id for field in part.fields] == ["k", "e", "ell"]
    assert person.field("e").label.startswith("How far apart the lowest and the highest of these")
    assert person.field("e").value == "2000"
    person.view.record = {"age": "35", "zipcode": "27101", "gender": "M"}
    assert person.view.report.met is True
    person.types("e", " 2000.5 ")
    assert "the range of the salary left for you (2,000 $, at least 2,000.5 $ req" in person.card
    for wrong in ("wide", "-1", "nan"):
        person.types("e", wrong)
        assert f"e was given as {'-1' if wrong == '-1' else ''}" in person.field("e").error
        assert "expected a number from 0 up" in person.field("e").error
        assert person.view.report is None
    person.types("e", "")
    assert person.view.report.met is None


def test_a_table_drawn_anew_asks_for_what_others_may_know_and_shows_the_rows(before):
    person = before(SelfCheck(vk.published("yq_figure5"), k=3))
    asked = next(part for part in person.view.parts() if part.id == "record").fields
    assert [field.id for field in asked] == ["record/Age", "record/Job", "record/Country"]
    person.view.record = {"Age": "[30-40]", "Job": "Clerk", "Country": "USA"}
    assert person.view.report.met is True
    assert "yours is among these 3." in person.card
    person.types("ell", "9")
    assert "the best guess of your row (right in" in person.card


def test_published_values_are_offered_where_a_category_is_typed(before):
    person = before(SelfCheck(vk.published("ks_table4")))
    status, born = person.field("record/Marital Status"), person.field("record/DOB")
    assert [value for value, _ in status.options] == ["Married", "Separated", "Single"]
    assert status.help == "in the table: Married, Separated and Single"
    assert [value for value, _ in born.options] == ["1991"], "198* and 20** name no year"
    frame = pd.DataFrame({"age": ["20-29"] * 400, "name": [f"person {n}" for n in range(400)]})
    many = before(SelfCheck(vk.TableRelease.of(frame)))
    assert many.field("record/name").options == ()


def test_the_sensitive_value_is_not_asked_for_where_groups_are_published(before):
    person = before(SelfCheck(vk.published("lhcc_table4")))
    asked = next(part for part in person.view.parts() if part.id == "record").fields
    assert [field.id for field in asked] == ["record/Age", "record/Sex"]


def test_packing_is_offered_where_it_was_given():
    names = [name for name, _ in _field(SelfCheck("dm_table1_masked"), "criterion").options]
    assert "packing" not in names
    panel = SelfCheck("dm_table1_masked", criterion=vk.Criterion("packing", apart=5))
    assert "packing" in [name for name, _ in _field(panel, "criterion").options]
    assert panel.report.facts["criterion"] == "packing"


def test_each_attribute_may_have_a_criterion_of_its_own_and_a_row_be_named_as_hers(before):
    panel = SelfCheck(
        "dm_table1_masked", criterion={"X2": "distinct", "X3": vk.Criterion("recursive", c=1)}
    )
    person = before(panel)
    person.types("diversity/X1", "1.5")  # a deviation, since its criterion is the variance
    person.types("diversity/X2", "4")
    person.types("match", "3")
    lines = panel.report.attributes
    assert lines["distance"].tolist() == [5, 1, 9], "as the protector knows it, in print"
    assert lines["criterion"].tolist() == ["variance", "distinct", "recursive"]
    assert lines["required_diversity"].tolist() == [2.25, 4, None]
    assert lines["met"].tolist() == [True, False, None]
    person.types("match", "21")
    assert "row 21, but the release has 20" in str(panel.last_error)
    person.types("match", "")
    person.types("criterion", "entropy")  # of all again
    assert panel.report.attributes["criterion"].tolist() == ["entropy"] * 3


def _field(panel, name):
    return next(f for part in panel.parts() for f in part.fields if f.id == name)


def test_an_unknown_criterion_is_refused_when_the_panel_is_made():
    with pytest.raises(RecordError, match="no diversity criterion 'beauty'"):
        SelfCheck("dm_table1_masked", criterion="beauty")


def test_the_form_is_made_from_the_schema(stages, before):
    person = before(SelfCheck(stages))
    weight, stage = person.field("record/weight"), person.field("record/stage")
    assert (weight.kind, weight.label) == ("text", "body weight (kg)")
    assert weight.help == "published 50 to 90"
    assert (stage.kind, [value for value, _ in stage.options]) == ("choice", ["", "I", "II", "III"])
    assert dict(stage.options)[""] == "would rather not say"
    record = next(part for part in person.view.parts() if part.id == "record")
    assert [field.id for field in record.fields] == ["record/stage", "record/town", "record/weight"]
    towns = [name for name, _ in person.field("record/town").options]
    assert towns == ["", *sorted(set(stages.frame["town"]))]


def test_a_category_is_checked(stages):
    panel = SelfCheck(stages)
    panel.record = {"stage": "III", "weight": "72"}
    assert panel.report.attributes["distance"].tolist() == [0, 0]
    panel.record = {"stage": "IV"}
    assert str(panel.last_error).startswith("'IV' is not a category of 'stage'")


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.00012, 0.00048, "published 0.00012 to 0.00048"),
        (87.83, 123.37, "published 87.83 to 123.37"),
        (1e6, 2e6, "published 1,000,000 to 2,000,000"),
        (5.25, 5.25, "published 5.25 everywhere"),
        (-3.0, 0.0, "published -3 to 0"),
    ],
)
def test_the_published_range_is_written_as_a_person_would_type_it(low, high, said):
    panel = SelfCheck(vk.TableRelease.of(pd.DataFrame({"a": [low, high], "b": [1, 2]})))
    assert _field(panel, "record/a").help == said


def test_a_missing_value_takes_no_attribute_away_but_a_column_of_them_does(before):
    empty = pd.array([None] * 3, "Float64").astype(float)
    frame = pd.DataFrame({"a": [1, 2, np.nan], "b": [1, 2, 3], "c": empty})
    person = before(SelfCheck(vk.TableRelease.of(frame)))
    record = next(part for part in person.view.parts() if part.id == "record")
    assert [field.id for field in record.fields] == ["record/a", "record/b"]
    assert person.field("record/a").help == "published 1 to 2"
    assert any("c is not used: no published record has a value" in t for t, _ in record.lines)
    person.view.record = {"a": "2", "b": "3"}
    assert "a is missing in 33 of 100 published records" in person.card
    assert person.rows()[1][3:6] == ["2", "1 to 2", "0"]


def test_a_table_without_any_value_is_refused():
    frame = pd.DataFrame({"town": [None, None]})
    with pytest.raises(SchemaError, match="no column by which records can be compared"):
        SelfCheck(vk.TableRelease.of(frame))


def test_a_release_that_is_none_is_refused():
    with pytest.raises(SchemaError, match="The release was given as DataFrame; expected a release"):
        SelfCheck(pd.DataFrame({"a": [1]}))


def test_a_generalized_table_is_checked_by_who_looks_alike(before):
    person = before(SelfCheck(vk.published("ks_table4")))
    assert [part.id for part in person.view.parts()] == ["table", "record", "requirement"]
    hers = {"Marital Status": "Single", "DOB": "2001", "Zip": "19552"}
    for name, value in hers.items():
        assert person.field(f"record/{name}").kind == "text"
        person.types(f"record/{name}", value)
    assert person.view.last_error is None
    assert person.view.report.to_json() == vk.check(hers, vk.published("ks_table4")).to_json()
    assert "all 4 records that fit them show Theft" in person.card
    assert person.rows(2)[1][:3] == ["Crime", "Theft", "4"]


def test_a_table_in_two_parts_is_checked_by_its_groups(before):
    release = vk.published("lhcc_table3")
    person = before(SelfCheck(release))
    assert person.field("record/Age").kind == "text"
    assert [value for value, _ in person.field("record/Sex").options] == ["", "F", "M"]
    hers = {"Age": 36, "Sex": "M"}
    person.types("record/Age", "36")
    person.types("record/Sex", "M")
    assert person.view.last_error is None
    assert person.view.report.to_json() == vk.check(hers, release).to_json()
    person.types("record/Age", "young")
    assert person.field("record/Age").error == "'Age' was given as 'young'; expected a number."


def test_an_empty_release_cannot_tell():
    panel = SelfCheck(vk.TableRelease.of(pd.DataFrame({"a": np.empty(0), "b": np.empty(0)})))
    assert panel.report.headline.state == "cannot-tell"


def test_a_folder_is_opened_by_its_path(panel, person, tmp_path):
    release, _ = vk.mask.noise(vk.simulate("dm", 50, seed=1), scale=0.1, seed=2)
    person.types("path", str(release.save(tmp_path / "out")))
    assert repr(panel) == "SelfCheck(50 records of X1, X2, X3)"
    assert (panel.record, panel.report) == ({}, None)
    table = panel.parts()[0]
    assert table.lines[0] == ("out", "strong")
    assert any("(noise; scale: X1" in text for text, _ in table.lines)


def test_a_path_is_read_from_where_the_command_was_given(panel, person, tmp_path, monkeypatch):
    pd.DataFrame({"a": [1, 2], "b": [2, 1]}).to_csv(tmp_path / "mine.csv", index=False)
    monkeypatch.setenv("VERIKIT_START", str(tmp_path))
    person.types("path", "mine.csv")
    assert repr(panel) == "SelfCheck(2 records of a, b)"


def test_a_path_that_leads_nowhere_is_said_there_and_the_answer_stays(panel, person):
    shown = person.html
    person.types("path", "nowhere.csv")
    assert "nowhere.csv' does not exist" in person.field("path").error
    assert person.field("path").value == "nowhere.csv"
    assert isinstance(panel.last_error, FormatError)
    assert panel.report is not None
    assert person.html == shown


def test_the_release_that_the_command_was_given_comes_first(tmp_path, monkeypatch):
    pd.DataFrame({"a": [1, 2], "b": [2, 1]}).to_csv(tmp_path / "mine.csv", index=False)
    monkeypatch.setenv("VERIKIT_RELEASE", str(tmp_path / "mine.csv"))
    assert repr(SelfCheck()) == "SelfCheck(2 records of a, b)"
    assert repr(SelfCheck(vk.published("dm_table1_mapped"))).startswith("SelfCheck(20 records")
    monkeypatch.setenv("VERIKIT_RELEASE", str(tmp_path / "gone.csv"))
    panel = SelfCheck()
    assert panel.record == {"age": "34", "postcode": "3104"}
    assert "gone.csv' does not exist" in _field(panel, "path").error


def test_the_first_example_tells_a_person_what_others_learn_of_her():
    panel = SelfCheck()
    assert panel.record == {"age": "34", "postcode": "3104"}
    assert panel.report.headline.state == "warning-you"
    assert panel.report.headline.text.endswith(
        "learns your pay: all 4 records that fit them show 2400."
    )


def test_a_shipped_table_that_the_command_was_given_comes_with_its_person(tmp_path, monkeypatch):
    monkeypatch.setenv("VERIKIT_START", str(tmp_path))
    monkeypatch.setenv("VERIKIT_RELEASE", "dm_table1_masked")
    assert SelfCheck().record == HERS
    pd.DataFrame({"a": [1, 2], "b": [2, 1]}).to_csv(tmp_path / "dm_table1_masked", index=False)
    assert repr(SelfCheck()) == "SelfCheck(2 records of a, b)", "a file of hers comes first"


def test_the_example_comes_back_at_a_press(panel, person, stages):
    person.view._take_table(stages, "stages")
    assert person.field("example").label == "Back to the example"
    person.presses("example")
    assert panel.record == HERS
    assert panel.report is not None
    assert not any(f.id == "example" for f in panel.parts()[0].fields)


def test_a_file_travels_in_pieces_and_is_forgotten(panel):
    content = b"a,b\n1,5\n2,6\n3,4\n"
    asked = upload(panel, "mine.csv", content)
    starts = [message["start"] for message in asked if message["kind"] == "more"]
    assert starts == [0, 7, 14]
    assert repr(panel) == "SelfCheck(3 records of a, b)"
    assert panel._upload is None
    assert content not in repr(panel.get_state()).encode()


def test_how_a_file_was_read_stands_beside_the_boxes(panel, person):
    upload(panel, "mine.csv", b"a;b\n1,5;5\n2,5;6\n3,5;4\n")
    assert panel._release.frame["a"].tolist() == [1.5, 2.5, 3.5]
    (record,) = (part for part in panel.parts() if part.id == "record")
    assert any("with decimal commas, as in '1,5' of 'a'" in line for line, _ in record.lines)


def test_a_release_is_uploaded_as_zip_and_as_parquet(panel, tmp_path):
    release, _ = vk.mask.noise(vk.simulate("dm", 30, seed=1), scale=0.1, seed=2)
    folder = release.save(tmp_path / "out")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, f"out/{path.name}")
    upload(panel, "out.zip", packed.getvalue(), piece=400)
    assert panel._release.method == "noise"
    frame = io.BytesIO()
    release.frame.head(9).to_parquet(frame)
    upload(panel, "out.parquet", frame.getvalue(), piece=400)
    assert repr(panel) == "SelfCheck(9 records of X1, X2, X3)"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", b"", "The file is empty"),
        ("torn.zip", b"no zip", "'torn.zip' is damaged"),
        ("noise.parquet", b"PAR1 not really", "cannot be read as a table"),
        ("picture.csv", bytes(range(256)), "neither text in UTF-8 nor in Windows-1252"),
    ],
)
def test_a_file_that_is_no_table_is_refused_at_its_box(panel, person, name, content, said):
    upload(panel, name, content, piece=100)
    assert said in person.field("file").error
    assert panel.report is not None
    assert panel._upload is None


def test_a_file_above_the_limit_is_never_asked_for(panel, person):
    asked = []
    panel.send = lambda message, buffers=None: asked.append(message["kind"])
    size = _panel.LIMIT + 1
    panel._on_message(
        None, {"kind": "offer", "id": 1, "field": "file", "name": "x.csv", "size": size}, []
    )
    assert asked == ["screen"]
    assert "'x.csv' has 500 MB and this page takes up to 500" in person.field("file").error


def test_pieces_of_another_upload_are_ignored(panel):
    panel._on_message(
        None, {"kind": "offer", "id": 1, "field": "file", "name": "a.csv", "size": 9}, []
    )
    panel._on_message(
        None, {"kind": "offer", "id": 2, "field": "file", "name": "b.csv", "size": 9}, []
    )
    panel._on_message(None, {"kind": "piece", "id": 1, "start": 0}, [b"x" * 9])
    panel._on_message(None, {"kind": "piece", "id": 2, "start": 4}, [b"x" * 5])
    assert (panel._upload.name, len(panel._upload.content)) == ("b.csv", 0)
    panel._on_message(None, {"kind": "lost", "id": 2}, [])
    assert panel._upload is None


def test_nothing_that_was_typed_or_answered_is_in_the_state_that_notebooks_save(panel):
    panel.record = {**HERS, "X1": "98.76543"}
    state = panel.get_state()
    assert not set(state) & {"record", "report", "distance", "diversity", "criterion"}
    assert "98.76" not in repr(state)
    answered = {name: value for name, value in state.items() if name not in ("_css", "_esm")}
    assert "vk-head" not in repr(answered)
    assert "98.76" not in repr(panel)


def test_form_and_card_are_sent_together_once(panel):
    sent = []
    panel.send = lambda message, buffers=None: sent.append(message)
    message = {"kind": "set", "turn": 77, "field": "record/X1", "value": "90"}
    panel._on_message(None, message, [])
    (screen,) = sent
    assert (screen["kind"], screen["turn"]) == ("screen", 77)
    assert screen["parts"][1]["fields"][0]["value"] == "90"
    assert "<td>90.00</td>" in screen["card"]["html"]


def test_a_new_view_is_told_what_to_show(panel):
    sent = []
    panel.send = lambda message, buffers=None: sent.append(message["kind"])
    panel._on_message(None, {"kind": "hello"}, [])
    assert sent == ["screen"]


def test_an_error_that_nobody_foresaw_is_said_and_kept(panel, person, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr("verikit.widgets._selfcheck.check", broken)
    person.types("record/X1", "90")
    assert "Could not do that. ZeroDivisionError: of all things" in person.card
    assert isinstance(panel.last_error, ZeroDivisionError)
    assert panel.report is None


def test_every_text_from_a_file_is_escaped(before):
    frame = pd.DataFrame({CRIMINAL: [1.5, 2, 3], "b": [4, 5, 6]})
    schema = vk.Schema((vk.Column(CRIMINAL, unit="<u>"), vk.Column("b", label="<b>")))
    release = vk.TableRelease.of(frame, schema, method=CRIMINAL, parameters={CRIMINAL: CRIMINAL})
    person = before(SelfCheck(release, distance=1))
    person.view.record = {CRIMINAL: "2", "b": "5"}
    assert CRIMINAL in person.card
    assert "<script" not in person.html
    assert "<u>" not in person.html
    slip = base64.b64decode(re.search(r'base64,([^"]+)"', person.html).group(1)).decode()
    assert "<script" not in slip


def test_the_picture_says_what_it_shows(person):
    (said,) = person.pictures
    assert said == (
        "Places among 20 published values. X1: yours 8, closest record 12. "
        "X2: yours 2, closest record 3. X3: yours 16, closest record 12."
    )


def test_the_table_beside_the_picture_holds_the_same_numbers(person):
    heads, *lines = person.rows()
    assert heads[:2] == ["attribute", "yours"]
    assert [line[3:6] for line in lines] == [["8", "12", "4"], ["2", "3", "1"], ["16", "12", "4"]]


def test_many_records_are_drawn_as_a_band():
    drawn = {}
    for n in (60, 61):
        frame = pd.DataFrame({"a": range(n), "b": range(n)})
        panel = SelfCheck(vk.TableRelease.of(frame))
        panel.record = {"a": "3", "b": "4"}
        drawn[n] = panel.card().html.count('r="3"')
    assert drawn == {60: 120, 61: 0}


def test_tied_values_are_drawn_from_their_first_place_to_their_last(before):
    release = vk.TableRelease.of(pd.DataFrame({"a": [1, 2, 2, 2, 9], "b": [1, 2, 3, 4, 5]}))
    person = before(SelfCheck(release))
    person.view.record = {"a": "2", "b": "3"}
    assert "a: yours 2 to 4" in person.pictures[0]
    assert person.rows()[1][3] == "2 to 4"


def test_a_match_among_equal_values_is_drawn_at_its_nearest_place(before):
    """Equal ages hold places 2 to 4; she stands at place 6, two places from the nearest of them."""
    frame = pd.DataFrame({"a": [1, 2, 2, 2, 5, 9], "b": [5, 6, 3, 4, 2, 1]})
    person = before(SelfCheck(vk.TableRelease.of(frame)))
    person.view.record = {"a": "9", "b": "6"}
    lines = [line[3:6] for line in person.rows()[1:]]
    assert lines[0] == ["6", "2 to 4", "2"]
    assert "a: yours 6, closest record 2 to 4" in person.pictures[0]


def releases():
    data = vk.simulate("dm", 60, seed=1)
    yield vk.mask.noise(data, scale=0.05, seed=2).release, data.record(3)
    yield vk.mask.rank_swap(data, percent=20, seed=2).release, data.record(3)
    yield vk.mask.rank_swap(data, percent=20, scheme="cycles", seed=2).release, data.record(3)
    yield vk.TableRelease.of(data.frame.round(-2)), data.record(3)
    yield vk.published("ks_table4"), {"Marital Status": "Single", "DOB": "2001", "Zip": "19552"}
    yield vk.published("lhcc_table4"), {"Age": 65, "Sex": "M"}


def test_no_card_no_picture_and_no_slip_makes_a_claim_that_may_not_be_made(before):
    claims = r"\b(safe|anonym\w*|exposed|probabilit\w+|equivalence|quasi)\b|match is yours"
    for release, record in releases():
        person = before(SelfCheck(release))
        person.view.record = {name: str(value) for name, value in record.items()}
        person.view.finish()
        slip = base64.b64decode(re.search(r'base64,([^"]+)"', person.html).group(1)).decode()
        everything = "\n".join([re.sub(r"base64,[^\"]*", "", person.html), slip])
        assert not re.search(claims, everything, re.IGNORECASE), release
        assert person.view.report is not None


def test_where_the_method_is_published_it_is_repeated_and_the_answer_completed(panel, person):
    assert panel.report.sentence("S9") is None
    seen = []
    panel.observe(lambda change: seen.append(change["new"]), "report")
    panel.finish()
    assert len(seen) == 1
    found = panel.report.facts["repeated"]
    assert found["runs"] == 100
    assert (
        f"the strongest attack that fits it found you in {found['found']:g} of 100" in person.card
    )
    panel.finish()
    assert len(seen) == 1, "there is nothing left to do"


def test_what_was_to_be_repeated_for_earlier_values_is_dropped(panel):
    panel.record = {}
    panel.finish()
    assert panel.report is None
    panel.record = {**HERS, "X1": "many"}
    panel.finish()
    assert panel.report is None
    panel.record = {"X1": "100.87", "X2": "902.21"}
    panel.finish()
    assert panel.report.sentence("S9") is None, "one attribute was left out"


@pytest.fixture
def unmasked():
    rng = np.random.default_rng(1)
    return vk.TableRelease.of(pd.DataFrame(rng.normal(size=(3000, 4)), columns=list("abcd")))


def test_sets_of_values_share_the_warnings_by_mistake_and_keep_their_share(unmasked):
    panel, hers = SelfCheck(unmasked), unmasked.frame.iloc[3]
    looks = []
    for names in ("a", "ab", "abc", "abcd", "ab", "abd", "abcd"):
        panel.record = {name: str(hers[name]) for name in names}
        looks.append(panel.report.facts.get("chance", {}).get("looks"))
    assert looks == [None, 8, 8, 2, 8, 24, 2]
    panel._take_table(unmasked, "the same table again")
    panel.record = {name: str(hers[name]) for name in "abd"}
    assert panel.report.facts["chance"]["looks"] == 8


def test_who_leaves_the_last_of_five_boxes_empty_is_warned_in_an_unmasked_table_of_a_thousand():
    rng = np.random.default_rng(1)
    release = vk.TableRelease.of(pd.DataFrame(rng.normal(size=(1000, 5)), columns=list("abcde")))
    panel, hers = SelfCheck(release), release.frame.iloc[3]
    for names in ("ab", "abc", "abcd"):
        panel.record = {name: str(hers[name]) for name in names}
    assert panel.report.headline.state == "warning-you"


def test_a_set_that_could_not_have_warned_counts_as_no_look(unmasked):
    small = vk.TableRelease.of(unmasked.frame.head(300))
    panel, hers = SelfCheck(small), small.frame.iloc[3]
    for names, state in {"ab": "cannot-tell", "bc": "cannot-tell", "abcd": "warning-you"}.items():
        panel.record = {name: str(hers[name]) for name in names}
        assert panel.report.headline.state == state
        assert panel.report.facts["chance"]["looks"] == (2 if names == "abcd" else 8)


def test_a_headline_that_begins_a_sentence_is_not_said_twice(person):
    assert person.card.count("attack links 12 of 20 people rightly, without knowing which") == 1


def test_how_a_table_was_made_is_told_in_words():
    assert method_words("", {}) == "The publisher does not say how the table was made."
    assert method_words("rank_swap", {"share": 0.05}) == (
        "Method: Values change places with others of nearby rank (rank swap; share: 0.05). "
        "Published with all its parameters."
    )
