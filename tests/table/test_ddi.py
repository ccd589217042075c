"""The words of a DDI codebook become titles and categories; what is unsafe in it is refused."""

import io

import pandas as pd
import pytest

import verikit as vk
from verikit.cli import main

CODEBOOK = """<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5" version="2.5"><stdyDscr><citation><titlStmt><titl>Income
</titl></titlStmt></citation></stdyDscr><dataDscr>
<var ID="V1" name="AGE" nature="ratio"><labl>Age in  years</labl></var>
<var ID="V2" name="sex" nature="nominal"><labl>Sex of person</labl>
 <catgry><catValu>1</catValu><labl>male</labl><catStat type="freq">2</catStat></catgry>
 <catgry><catValu>2</catValu><labl>female</labl></catgry></var>
<var ID="V3" name="stage" nature="ordinal"><labl>Stage &amp; state</labl>
 <catgry><catValu>1</catValu><labl>low</labl></catgry>
 <catgry><catValu>2</catValu><labl>mid</labl></catgry>
 <catgry><catValu>3</catValu><labl>high</labl></catgry></var>
<var ID="V4" name="income"><labl>Income</labl>
 <catgry missing="Y"><catValu>-9</catValu><labl>refused</labl></catgry></var>
</dataDscr></codeBook>"""
TABLE = "age,sex,stage,income,more\n31,1,3,100,5\n45,2,1,200,6\n52,1,,-9,7\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "study.xml").write_text(CODEBOOK)
    return tmp_path / "t.csv", tmp_path / "study.xml"


@pytest.mark.parametrize("door", [vk.read, vk.open_release])
def test_labels_of_variables_and_values_are_taken(files, door):
    table, study = files
    found = door(table, labels=study)
    titles = ["Age in years", "Sex of person", "Stage & state", "Income", "more"]
    assert [column.title for column in found.schema] == titles
    assert found.frame["sex"].tolist() == ["male", "female", "male"]
    assert (found.schema["sex"].kind, found.schema["sex"].order) == ("nominal", None)
    assert found.schema["stage"].order == ("low", "mid", "high")
    assert found.frame["stage"].tolist()[:2] == ["high", "low"]
    assert found.frame["income"].tolist() == [100, 200, -9]
    assert found.notes == ("The codebook says nothing of 'more'.",)


def test_codes_that_are_letters_have_labels_in_every_kind_of_file(files, tmp_path):
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"age": [31, 45, 52], "sex": ["M", "F", None]})
    study = CODEBOOK.replace("<catValu>1</catValu><labl>male", "<catValu>M</catValu><labl>male")
    study = study.replace("<catValu>2</catValu><labl>female", "<catValu>F</catValu><labl>female")
    table.to_csv(tmp_path / "sexes.csv", index=False)
    table.to_parquet(tmp_path / "sexes.parquet")
    table.to_feather(tmp_path / "sexes.feather")
    for kind in ("csv", "parquet", "feather"):
        found = vk.read(tmp_path / f"sexes.{kind}", labels=io.BytesIO(study.encode()))
        assert found.frame["sex"].tolist()[:2] == ["male", "female"]


def test_the_command_takes_it_too(files, capsys):
    table, study = map(str, files)
    record = ["--set", "age=45", "--set", "stage=low"]
    assert main(["check", table, "--labels", study, *record]) in (0, 1)
    assert "Stage & state" in capsys.readouterr().out


def test_an_open_file_is_taken(files):
    found = vk.read(files[0], labels=io.BytesIO(CODEBOOK.encode()))
    assert found.schema["age"].title == "Age in years"
    found = vk.read([{"age": 31, "sex": 1}], labels=files[1])
    assert (found.schema["age"].title, found.frame["sex"].tolist()) == ("Age in years", ["male"])


ENTITIES = '<!DOCTYPE codeBook [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CODEBOOK.replace("<codeBook", f"{ENTITIES}<codeBook"), "declares a document type"),
        (f"{ENTITIES}<codeBook/>".encode("utf-16"), "declares a document type"),
        ('<!DOCTYPE c SYSTEM "/etc/passwd"><codeBook/>', "declares a document type"),
        ("<html><body/></html>", "is no DDI codebook that describes variables"),
        ("<codeBook/>", "is no DDI codebook that describes variables"),
        ("<codeBook>", "is no XML"),
        ("", "is no XML"),
        ("age,sex", "is no XML"),
    ],
)
def test_what_is_no_safe_codebook_is_refused(files, content, said):
    table, study = files
    study.write_bytes(content if isinstance(content, bytes) else content.encode())
    for door in (vk.read, vk.open_release):
        with pytest.raises(vk.FormatError, match=said):
            door(table, labels=study)


def test_a_codebook_that_is_not_there_or_too_large_is_a_sentence(files, monkeypatch):
    table, study = files
    with pytest.raises(vk.FormatError, match=r"'no\.xml' cannot be read: there is no such file"):
        vk.read(table, labels="no.xml")
    monkeypatch.setattr("verikit.table.reading._reading.DESCRIPTION", 100)
    with pytest.raises(vk.FormatError, match="are allowed"):
        vk.read(table, labels=study)


def test_elements_nested_by_the_thousand_are_no_trouble(files):
    table, study = files
    study.write_text("<codeBook>" + "<a>" * 50_000 + "</a>" * 50_000 + "</codeBook>")
    with pytest.raises(vk.FormatError, match="describes variables"):
        vk.read(table, labels=study)
