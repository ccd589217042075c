"""Packages described by others open as plain tables, in the terms of their description."""

import csv
import json
import zipfile

import pandas as pd
import pytest

import verikit as vk

FIELDS = [{"name": "age", "type": "integer"}, {"name": "income", "type": "number"}]


def package(folder, text="age,income\n31,100\n45,200\n", *, fields=FIELDS, more=(), **resource):
    (folder / "a.csv").write_text(text)
    described = {"name": "a", "path": "a.csv", "schema": {"fields": fields}, **resource}
    tables = {"name": "x", "resources": [described, *more]}
    (folder / "datapackage.json").write_text(json.dumps(tables))
    return folder


def test_a_minimal_package_is_a_table_of_which_nothing_is_told(tmp_path):
    release = vk.open_release(package(tmp_path))
    assert release.frame.to_dict("list") == {"age": [31, 45], "income": [100, 200]}
    assert (release.method, release.promise) == ("", "untold")


def test_the_zip_of_it_opens_too(tmp_path):
    package(tmp_path)
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for name in ("a.csv", "datapackage.json"):
            archive.write(tmp_path / name, name)
    assert len(vk.open_release(tmp_path / "x.zip")) == 2


def test_dialect_titles_marks_and_orders_are_honoured(tmp_path):
    fields = [
        {"name": "income", "type": "number", "decimalChar": ",", "title": "Income in euro"},
        {"name": "stage", "type": "string", "constraints": {"enum": ["low", "mid", "high"]}},
        {"name": "zip", "type": "string", "description": "postal code"},
        {"name": "sex", "type": "string", "categories": ["f", "m"], "categoriesOrdered": False},
    ]
    schema = {"fields": fields, "missingValues": ["-9"]}
    text = "income|stage|zip|sex\n1,5|mid|2138|f\n-9|high|NA|m\n"
    folder = package(tmp_path, text, schema=schema, dialect={"delimiter": "|"})
    release = vk.open_release(folder)
    assert release.frame["income"].tolist()[0] == 1.5
    assert release.frame["income"].isna().tolist() == [False, True]
    assert release.frame["zip"].tolist() == ["2138", "NA"]
    assert release.schema["stage"].order == ("low", "mid", "high")
    assert [c.title for c in release.schema] == ["Income in euro", "stage", "postal code", "sex"]
    assert release.schema["sex"].kind == "nominal"


def test_of_several_tables_one_is_chosen(tmp_path):
    (tmp_path / "b.csv").write_text("age\n1\n")
    folder = package(tmp_path, more=[{"name": "b", "path": "b.csv"}])
    with pytest.raises(vk.FormatError, match="names the tables 'a', 'b'; say which one"):
        vk.open_release(folder)
    assert vk.open_release(folder, sheet="b").frame["age"].tolist() == [1]


def test_a_release_that_lost_its_facts_is_a_table_of_which_nothing_is_told(tmp_path):
    folder = vk.published("dm_table1_masked").save(tmp_path / "out")
    described = json.loads((folder / "datapackage.json").read_text())
    del described["verikit"]
    (folder / "datapackage.json").write_text(json.dumps(described))
    release = vk.open_release(folder)
    assert (len(release), release.method, release.promise) == (20, "", "untold")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"path": "../a.csv"}, "points outside its folder, to '../a.csv'"),
        ({"path": "/etc/passwd"}, "points outside its folder"),
        ({"path": "https://example.org/a.csv"}, "points outside its folder"),
        ({"path": "b.csv"}, "names the table 'b.csv', but it is not there"),
        ({"path": 5}, "names the tables of no file; say which one"),
        ({"schema": "schema.json"}, "in another file or in no list"),
        ({"schema": {"fields": {}}}, "in another file or in no list"),
    ],
)
def test_what_cannot_be_opened_is_said(tmp_path, changes, said):
    with pytest.raises(vk.FormatError, match=said):
        vk.open_release(package(tmp_path, **changes))


@pytest.fixture
def frictionless():
    """The validator; it raises a limit for everybody, which is set back."""
    limit = csv.field_size_limit()
    yield pytest.importorskip("frictionless", reason="its validator is not installed")
    csv.field_size_limit(limit)


def test_what_verikit_writes_is_valid_for_others(tmp_path, monkeypatch, frictionless):
    data, nasty = vk.load("dm_table1"), pd.DataFrame({'a "b", c': [1, 2], "größe;": ["x", None]})
    releases = [
        vk.mask.noise(data, scale=0.5, seed=1).release,
        *(
            vk.published(name)
            for name in ("lhcc_table3", "lhcc_table4", "ks_table4", "qz_table2_3")
        ),
        vk.TableRelease.of(nasty),
    ]
    for place, release in enumerate(releases):
        folder = release.save(tmp_path / str(place))
        monkeypatch.chdir(folder)
        report = frictionless.validate("datapackage.json")
        assert report.valid, report.flatten(["type", "message"])
