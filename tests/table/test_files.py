"""Files as people have them: what each is read as, through every door, or the sentence it gets."""

import bz2
import csv
import gzip
import io
import json
import lzma
import re
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sources import every

import verikit as vk
from verikit.cli import main

AGES, INCOMES, JOBS = [31, 45, 52], [1234.5, 2100.0, 3000.25], ["clerk", "smith", "clerk"]
TABLE = pd.DataFrame({"age": AGES, "income": INCOMES, "job": JOBS})
PEOPLE = {"age": AGES, "income": INCOMES, "job": JOBS}
COMMA = "age;income;job\n31;1234,50;clerk\n45;2.100,00;smith\n52;3000,25;clerk\n"
ROWS = '"age";"income";"job"\n"1";31;1234,5;"clerk"\n"2";45;2100;"smith"\n"3";52;3000,25;"clerk"\n'
SPACES = '"age" "income" "job"\n"1" 31 1234.5 "clerk"\n"2" 45 2100 "smith"\n'
SPACES += '"3" 52 3000.25 "clerk"\n'
POINT = "age,income,job\n31,1234.5,clerk\n45,2100,smith\n52,3000.25,clerk\n"


def spread(sep, decimal="."):
    return TABLE.to_csv(index=False, sep=sep, decimal=decimal)


def zipped(name, text):
    """A zip file that holds one file."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, text)
    return stream.getvalue()


TEXTS = {
    # name: (bytes, a part of the note)
    "comma.csv": (POINT, None),
    "tab.tsv": (spread("\t"), None),
    "semicolon.csv": (spread(";"), None),
    "bar.txt": (spread("|"), None),
    "spaces.txt": (
        '"age" "income" "job"\n31 1234.5 "clerk"\n45 2100 "smith"\n52 3000.25 "clerk"\n',
        "separated by spaces",
    ),
    "german.csv": (COMMA, "with decimal commas, as in '1234,50' of 'income'"),
    "german_tab.csv": (spread("\t", ","), "with decimal commas"),
    "french.csv": (
        "age;income;job\n31;1\u00a0234,5;clerk\n45;2\u00a0100;smith\n52;3\u00a0000,25;clerk\n",
        "with decimal commas",
    ),
    "english.csv": (
        'age,income,job\n31,"1,234.50",clerk\n45,"2,100",smith\n52,"3,000.25",clerk\n',
        "with commas between thousands, as in '1,234.50' of 'income'",
    ),
    "quoted_comma.csv": (
        'age,income,job\n31,"1234,5",clerk\n45,"2100,0",smith\n52,"3000,25",clerk\n',
        "with decimal commas",
    ),
    "bom.csv": (POINT.encode("utf-8-sig"), None),
    "utf16.csv": (POINT.encode("utf-16"), None),
    "utf16le.csv": (POINT.encode("utf-16-le"), "read as UTF-16"),
    "utf16be.csv": (POINT.encode("utf-16-be"), "read as UTF-16"),
    "excel_hint.csv": ("sep=;\n" + COMMA, "with decimal commas"),
    "title.csv": ("Published by the Office, 2024\n\n" + COMMA, "'Published by the Office"),
    "title_wide.csv": ("Published by the Office, 2024, May\n\n" + POINT, "'Published by the"),
    "title_close.csv": ("Income of 2024\n" + COMMA, "'Income of 2024', which was left out"),
    "comments.csv": ("# from the office\n# in 2024\n" + POINT, None),
    "r_rows.csv": (ROWS, "row names, as R writes them"),
    "r_spaces.txt": (SPACES, "row names"),
    "r_write_csv.csv": (TABLE.set_axis(["1", "2", "3"]).to_csv(), "row names, as R writes them"),
    "mac.csv": (POINT.replace("\n", "\r"), None),
    "windows.csv": (POINT.replace("\n", "\r\n"), None),
    "blank_lines.csv": ("\n\n" + POINT.replace("\n", "\n\n"), None),
    "packed.csv.gz": (gzip.compress(POINT.encode()), None),
    "packed_unnamed": (gzip.compress(COMMA.encode()), "with decimal commas"),
    "records.json": (TABLE.to_json(orient="records"), None),
    "columns.json": (json.dumps(PEOPLE), None),
    "misnamed.sav": (POINT, None),
    "lines.json": (TABLE.to_json(orient="records", lines=True), None),
    "packed.csv.bz2": (bz2.compress(POINT.encode()), None),
    "packed.csv.xz": (lzma.compress(POINT.encode()), None),
    "packed.zip": (zipped("table.csv", COMMA), "with decimal commas"),
    "utf32.csv": (POINT.encode("utf-32"), None),
    "trailing.csv": (POINT.replace("\n", ",\n"), "the empty column after it was left out"),
    "spaces_after.csv": (POINT.replace(",", ", "), None),
    "quoted.csv": (TABLE.to_csv(index=False, quoting=csv.QUOTE_ALL), None),
    "no_last_line_end.csv": (POINT.rstrip("\n"), None),
    "called_by_nothing": (COMMA, "with decimal commas"),
}
CP1252 = "größe;job\n1,75;Bäcker\n1,80;Töpfer\n".encode("cp1252")


def binary(name, path):
    """Write the table in a format that needs a library; skip where it is missing."""
    needs, write = BINARIES[name]
    if needs:
        pytest.importorskip(needs)
    write(str(path))
    return path


def spss(path, **how):
    sys.modules["pyreadstat"].write_sav(TABLE, path, **how)


def titled(path):
    with pd.ExcelWriter(path) as book:
        TABLE.to_excel(book, startrow=2, index=False)
        book.sheets["Sheet1"]["A1"] = "Published by the Office, 2024"


def packed_excel(path):
    stream = io.BytesIO()
    TABLE.to_excel(stream, index=False)
    Path(path).write_bytes(zipped("people.xlsx", stream.getvalue()))


BINARIES = {
    # name: (the library it needs, how it is written)
    "a.parquet": ("pyarrow", TABLE.to_parquet),
    "a.feather": ("pyarrow", TABLE.to_feather),
    "new.dta": (None, partial(TABLE.to_stata, write_index=False, version=118)),
    "old.dta": (None, partial(TABLE.to_stata, write_index=False, version=114)),
    "a.sav": ("pyreadstat", spss),
    "a.zsav": ("pyreadstat", partial(spss, compress=True)),
    "a.xpt": (
        "pyreadstat",
        lambda path: sys.modules["pyreadstat"].write_xport(TABLE, path, file_format_version=5),
    ),
    "new.xpt": (
        "pyreadstat",
        lambda path: sys.modules["pyreadstat"].write_xport(TABLE, path, file_format_version=8),
    ),
    "a.xlsx": ("openpyxl", partial(TABLE.to_excel, index=False)),
    "titled.xlsx": ("openpyxl", titled),
    "excel.zip": ("openpyxl", packed_excel),
    "xlsx_called.csv": ("openpyxl", partial(TABLE.to_excel, index=False, engine="openpyxl")),
    "a.rds": ("pyreadr", lambda path: sys.modules["pyreadr"].write_rds(path, TABLE)),
    "a.RData": (
        "pyreadr",
        lambda path: sys.modules["pyreadr"].write_rdata(path, TABLE, df_name="people"),
    ),
}


@pytest.fixture(params=[*TEXTS, *BINARIES])
def file(request, tmp_path):
    """One of the files, and a part of the note about it."""
    name = request.param
    path = tmp_path / name
    if name in BINARIES:
        note = "'Published by the Office" if name.startswith("titled") else None
        made = tmp_path / "t.xlsx" if name.startswith("xlsx") else path
        binary(name, made)
        return made.rename(path), note
    content, note = TEXTS[name]
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path, note


def held(frame):
    return {name: frame[name].tolist() for name in frame}


def test_there_are_forty_files():
    assert len(TEXTS) + len(BINARIES) >= 40


def sent(panel, path):
    """Send a file to the page as the browser does, piece by piece."""
    offer = {"kind": "offer", "id": 1, "field": "file", "name": path.name}
    panel._on_message(None, {**offer, "size": path.stat().st_size}, [])
    panel._on_message(None, {"kind": "piece", "id": 1, "start": 0}, [memoryview(path.read_bytes())])
    return panel


def test_every_door_reads_the_same_table_and_says_how(file):
    path, note = file
    stream = io.BytesIO(path.read_bytes())
    stream.name = path.name
    data, release, uploaded = vk.read(path), vk.open_release(path), vk.open_release(stream)
    for table in (data, release, uploaded):
        assert held(table.frame) == PEOPLE
        assert [column.kind for column in table.schema] == ["numeric", "numeric", "nominal"]
        assert table.notes == data.notes
    if note is None:
        assert data.notes == ()
    else:
        assert any(note in said for said in data.notes)


@pytest.mark.parametrize("file", [*every(TEXTS), "a.parquet", "a.xlsx"], indirect=True)
def test_the_command_says_of_every_file_what_python_says(file, capsys):
    path, _ = file
    release, said = vk.open_release(path), ["--set", "age=31", "--set", "income=1234.5"]
    report = vk.check({"age": 31, "income": 1234.5}, release)
    assert main(["check", str(path), *said]) == int(report.warned)
    shown = capsys.readouterr().out
    assert report.headline.text in shown
    assert all(told in shown for told in release.notes)
    assert main(["check", str(path), *said, "--json"]) == int(report.warned)
    assert json.loads(capsys.readouterr().out) == json.loads(report.to_json())


@pytest.mark.parametrize("file", [*every(TEXTS), "a.parquet", "a.xlsx"], indirect=True)
def test_the_page_shows_of_every_file_what_python_says(file):
    pytest.importorskip("anywidget")
    SelfCheck = pytest.importorskip("verikit.widgets").SelfCheck

    path, _ = file
    release, panel = vk.open_release(path), sent(SelfCheck(), path)
    panel.record = {"age": "31", "income": "1234.5"}
    assert held(panel._release.frame) == PEOPLE
    assert (
        panel.report.to_json()
        == vk.check(
            {"age": 31, "income": 1234.5},
            release,
            looks=4,  # as a third column could be given
        ).to_json()
    )
    lines = [line for part in panel.parts() if part.id == "record" for line, _ in part.lines]
    assert all(told in lines for told in release.notes)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("39,clerk,1300", "Its first line holds '39' and was taken for the names of its columns"),
        ("2019,2020,2021", None),
        ("1,2,3", None),
        ('31,job,"1,5%"', "Its first line holds '31' and was taken"),
        ("year,job,1300", "Its first line holds '1300' and was taken"),
        ("year,job,pay", None),
    ],
)
def test_a_first_line_of_values_is_taken_for_names_and_said(tmp_path, first, said):
    middle = "7" if first[0] in "12" else "clerk"
    (tmp_path / "t.csv").write_text(f"{first}\n31,{middle},1234\n45,{middle},2100\n")
    data = vk.read(tmp_path / "t.csv")
    assert list(data.schema.names) == next(csv.reader([first]))
    assert [note.partition(" for the")[0] for note in data.notes] == (
        [said.partition(" for the")[0]] if said else []
    )


def test_letters_of_windows_are_read_and_said(tmp_path):
    (tmp_path / "t.csv").write_bytes(CP1252)
    data = vk.read(tmp_path / "t.csv")
    assert held(data.frame) == {"größe": [1.75, 1.8], "job": ["Bäcker", "Töpfer"]}
    assert "Windows-1252" in data.notes[0]
    assert vk.read(tmp_path / "t.csv", encoding="cp1252").notes[0].startswith("Numbers were read")


@pytest.mark.parametrize(
    ("options", "values"),
    [({}, [1.234, 2.345, 345]), ({"decimal": ","}, [1234, 2345, 345])],
)
def test_points_that_may_stand_between_thousands_are_said(tmp_path, options, values):
    (tmp_path / "t.csv").write_text("income;age\n1.234;34\n2.345;51\n345;29\n")
    data = vk.read(tmp_path / "t.csv", **options)
    assert data.frame["income"].tolist() == values
    assert ("may stand between thousands" in "".join(data.notes)) == (not options)


@pytest.mark.parametrize("cells", [("0.123", "1.234"), ("1.5", "2.345"), ("1", "")])
def test_points_that_stand_between_no_thousands_are_not_doubted(tmp_path, cells):
    (tmp_path / "t.csv").write_text("income;age\n" + "".join(f"{cell};34\n" for cell in cells))
    assert vk.read(tmp_path / "t.csv").notes == ()


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["31", "?", "40"], "'age' is read as words: record 2 holds '?', which is no number"),
        (["31 kg", "40 kg", "52 kg"], "'31 kg' has a sign or a unit beside its number"),
        (["€ 31", "€ 40", "€ 52"], "'€ 31' has a sign or a unit beside its number"),
        (["50.1%", "40%", "2%"], "'50.1%' has a sign or a unit beside its number"),
        (["'€ 50,000'", "'€ 40,000'"], "'€ 50,000' has a sign or a unit beside its number"),
    ],
)
def test_the_cell_that_keeps_a_column_from_numbers_is_named(tmp_path, cells, said):
    quoted = [cell.replace("'", '"') for cell in cells]
    (tmp_path / "t.csv").write_text("age,job\n" + "".join(f"{cell},clerk\n" for cell in quoted))
    (note,) = vk.read(tmp_path / "t.csv").notes
    assert said in note


def test_a_column_without_a_sign_or_unit_is_not_said_to_have_one(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n732 829 320;2\n512 101 977;3\n")
    assert vk.read(tmp_path / "t.csv").notes == ()


@pytest.mark.parametrize(
    ("others", "gap"),
    [
        *((others, gap) for others in (["31", "45"], ["1.5", "45"]) for gap in ("-9 ", "-9.00")),
        (["1,5", "2,5"], "-9,0"),
        (["1 234", "5 000"], "-9 "),
        (["31", "45"], "-9e0"),
    ],
)
def test_a_mark_that_is_a_number_is_missing_however_it_is_written(others, gap, tmp_path):
    lines = ["pay;age", *(f"{pay};1" for pay in (*others, gap))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    pay = vk.open_release(tmp_path / "t.csv", missing=["", "-9"]).frame["pay"]
    assert pd.api.types.is_numeric_dtype(pay)
    assert pay.isna().tolist() == [False, False, True]


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_mark_with_a_leading_zero_makes_no_codes(quote, tmp_path):
    (tmp_path / "t.csv").write_text(f"zip,pay\n02138,{quote}00{quote}\n10115,1.5\n00,2\n")
    frame = vk.open_release(tmp_path / "t.csv", missing=["00"]).frame
    assert frame.isna().to_numpy().tolist() == [[False, True], [False, False], [True, False]]
    assert frame["pay"].tolist()[1:] == [1.5, 2]
    assert frame["zip"].tolist()[:2] == ["02138", "10115"]


def test_a_mark_for_missing_that_is_said_leaves_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("age,job\n31,clerk\n?,clerk\n40,smith\n")
    data = vk.read(tmp_path / "t.csv", missing=["?"])
    assert (data.schema["age"].kind, data.notes) == ("numeric", ())


def test_labels_and_their_order_come_from_a_stata_file(tmp_path):
    stage = pd.Categorical(["low", "high", "low"], ["low", "mid", "high"], ordered=True)
    frame = TABLE.assign(stage=stage)
    frame.to_stata(tmp_path / "t.dta", write_index=False, variable_labels={"age": "Age in years"})
    data = vk.read(tmp_path / "t.dta")
    assert data.schema["age"].title == "Age in years"
    assert data.schema["stage"].order == ("low", "mid", "high")
    assert vk.check({"stage": "high", "age": 45}, vk.open_release(tmp_path / "t.dta"))


def test_labels_and_their_order_come_from_an_spss_file(tmp_path):
    office = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"stage": [1.0, 3.0, 2.0], "sex": [1.0, 2.0, 1.0]})
    office.write_sav(
        frame,
        str(tmp_path / "t.sav"),
        column_labels={"stage": "Stage of life"},
        variable_value_labels={"stage": {1: "low", 2: "mid", 3: "high"}, "sex": {1: "f", 2: "m"}},
        variable_measure={"stage": "ordinal", "sex": "nominal"},
    )
    schema = vk.read(tmp_path / "t.sav").schema
    assert schema["stage"].order == ("low", "mid", "high")
    assert (schema["sex"].kind, schema["stage"].title) == ("nominal", "Stage of life")


def test_labels_of_single_codes_leave_a_stata_column_numbers(tmp_path):
    frame = pd.DataFrame({"age": [31.0, 45.0, 99.0]})
    frame.to_stata(
        tmp_path / "t.dta", write_index=False, value_labels={"age": {99: "not stated"}}, version=118
    )
    data = vk.read(tmp_path / "t.dta")
    assert data.frame["age"].tolist() == [31, 45, 99]
    assert "'age'" in data.notes[0]
    assert "not stated" in data.notes[0]


def test_of_several_sheets_or_frames_one_is_chosen(tmp_path):
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        TABLE.to_excel(book, sheet_name="people", index=False)
        TABLE.iloc[:2].to_excel(book, sheet_name="some", index=False)
    with pytest.raises(vk.FormatError, match="holds the sheets 'people', 'some'; say which one"):
        vk.read(tmp_path / "t.xlsx")
    assert len(vk.read(tmp_path / "t.xlsx", sheet="some")) == 2
    with pytest.raises(vk.FormatError, match="'people', 'some', none of them 'all'; say which"):
        vk.open_release(tmp_path / "t.xlsx", sheet="all")


OPEN_DOCUMENT = zipped("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
REFUSED = [
    ("t.xls", b"\xd0\xcf\x11\xe0" + b"\0" * 60, "an Excel file of the years before 2007; save"),
    ("t.pdf", b"%PDF-1.4\n", "is a PDF file; ask for the table itself"),
    ("t.csv", b"\x89PNG\r\n\x1a\n\xff\xfe", "is a picture; expected a table"),
    ("t.html", b"<!doctype html><p>x", "is a web page; expected a line of column names"),
    ("t.zip", b"PK\x03\x04 and more", "is damaged or was cut short"),
    ("short.zip", zipped("a.csv", "x"), "holds a line of names and no record"),
    ("in.zip", zipped("a.zip", zipped("a.csv", POINT)), "is a zip file in a zip file; unpack"),
    ("none.zip", b"PK\x05\x06" + b"\0" * 18, "The zip file holds no file; expected a table"),
    ("t.ods", OPEN_DOCUMENT, "is an OpenDocument file, as LibreOffice writes it; save it as"),
    ("t.rtf", b"{\\rtf1 age}", "is a formatted text; save it as plain text"),
    ("t.db", b"SQLite format 3\0" + b"\0" * 60, "is a database of SQLite; export the table"),
    ("t.xml", b"<?xml version='1.0'?><codeBook/>", "is an XML file; ask for the table itself"),
    ("t.por", b"0" * 40 + b"ASCII SPSS PORT FILE", "is a portable SPSS file that cannot be"),
    ("t.sav", b"$FL2 and nothing else", "is an SPSS file that cannot be read as a table"),
    ("t.dta", b"<stata_dta> and nothing", "is a Stata file that cannot be read as a table"),
    ("t.xlsx", b"PK\x03\x04 xl/ broken", "is damaged or was cut short"),
    ("t.json", b'{"a": {"b": 1}}', "The JSON in it is no table; expected a list of records"),
    ("t.json", b'[{"a": 1}', "is a JSON file that cannot be read as a table"),
    ("t.csv", b"\x07\x01\x02\xff" * 40, "neither text in UTF-8 nor in Windows-1252"),
    ("t.csv", b"", "The file is empty; expected a line of column names"),
    ("t.csv", b"age,job\n", "holds a line of names and no record"),
    ("t.csv", b"age,job\n41,clerk,5,6\n", "more values than its first line has names"),
    ("t.csv", b"age,job\n41,a\n4,b,5\n", r"than its first line has names \(3 in line 3\); name"),
    ("t.csv", b'age,job\n41,"clerk\n', "ends inside a quoted value; close the quotes, or ask"),
    (
        "t.xpt",
        b"HEADER RECORD*******LIB" + b" " * 60,
        "a SAS transport file that was cut short; ask",
    ),
]


@pytest.mark.parametrize(("name", "content", "said"), REFUSED)
def test_what_cannot_be_read_is_named_with_a_way_out(tmp_path, name, content, said, capsys):
    if name in ("t.sav", "t.por"):
        pytest.importorskip("pyreadstat")
    path = tmp_path / name
    path.write_bytes(content)
    for door in (vk.read, vk.open_release):
        with pytest.raises(vk.FormatError, match=said):
            door(path)
    assert main(["check", str(path), "--set", "age=31"]) == 2
    assert re.search(said, capsys.readouterr().err)


@pytest.mark.parametrize(("name", "content", "said"), REFUSED)
def test_the_page_says_it_at_the_box_of_the_file(tmp_path, name, content, said):
    pytest.importorskip("anywidget")
    SelfCheck = pytest.importorskip("verikit.widgets").SelfCheck

    if name in ("t.sav", "t.por"):
        pytest.importorskip("pyreadstat")
    (tmp_path / name).write_bytes(content)
    panel = sent(SelfCheck(), tmp_path / name)
    (box,) = (field for field in panel.parts()[0].fields if field.id == "file")
    assert re.search(said, box.error)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": "latin-999"}, "The encoding was given as 'latin-999'; expected one such"),
        ({"separator": "ab"}, "The separator was given as 'ab'; expected one of a comma"),
        ({"decimal": ";"}, "The decimal mark was given as ';'; expected"),
    ],
)
def test_a_spelling_that_is_none_is_refused(tmp_path, options, said):
    (tmp_path / "t.csv").write_text(POINT)
    for door in (vk.read, vk.open_release):
        with pytest.raises(vk.FormatError, match=said):
            door(tmp_path / "t.csv", **options)


@pytest.mark.parametrize("name", ["german.csv", "a.xlsx", "new.dta"])
def test_the_command_checks_a_person_against_such_a_file(tmp_path, name):
    path = tmp_path / name
    path.write_text(COMMA) if name == "german.csv" else binary(name, path)
    found = subprocess.run(
        [sys.executable, "-P", "-m", "verikit", "check", path, "--set", "age=31", "--set",
         "income=1234.5"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode in (0, 1), found.stderr
    assert "income" in found.stdout
    assert ("with decimal commas" in found.stdout) == (name == "german.csv")


def test_an_ordered_categorical_keeps_its_order():
    frame = pd.DataFrame({"stage": pd.Categorical(["b", "a"], ["b", "a", "c"], ordered=True)})
    assert vk.read(frame).schema["stage"].order == ("b", "a", "c")
    assert vk.TableRelease.of(frame).scores("stage").tolist() == [0, 1]


def test_a_named_index_becomes_a_column():
    frame = TABLE.set_index("job")
    assert vk.read(frame).schema.names == ("job", "age", "income")
    with pytest.raises(vk.SchemaError, match="The index and a column are both named 'age'"):
        vk.read(TABLE.set_index("age", drop=False))


def tables():
    polars, arrow, duckdb = map(pytest.importorskip, ("polars", "pyarrow", "duckdb"))
    yield polars.from_dict(PEOPLE)
    yield arrow.table(PEOPLE)
    yield duckdb.connect().sql(
        "select * from (values (31, 1234.5, 'clerk'), (45, 2100.0, 'smith'),"
        " (52, 3000.25, 'clerk')) as people(age, income, job)"
    )
    yield PEOPLE
    yield TABLE.to_dict("records")


def test_tables_of_any_library_are_taken():
    for table in tables():
        for made in (vk.read(table), vk.Microdata(table), vk.TableRelease.of(table)):
            assert held(made.frame) == PEOPLE


def test_audit_link_and_utility_take_tables_of_any_library():
    polars, arrow = map(pytest.importorskip, ("polars", "pyarrow"))
    data = vk.load("dm_table1")
    release, key = vk.mask.noise(data, scale=0.5, seed=1)
    wanted = (
        repr(vk.link(data, release)),
        repr(vk.audit(data, release, key, distance=2)),
        vk.utility.rank_correlation(data, key.undo(release)).tolist(),
        vk.utility.residual_noise(data, key.undo(release), seed=1).residual.to_numpy().tolist(),
    )
    whole = polars.from_dict(data.frame.to_dict("list"))
    records = data.frame.to_dict("records")
    for table in (whole, arrow.table(whole), data.frame, data.frame.to_dict("list"), records):
        assert wanted == (
            repr(vk.link(table, release)),
            repr(vk.audit(table, release, key, distance=2)),
            vk.utility.rank_correlation(table, key.undo(release).frame).tolist(),
            vk.utility.residual_noise(table, key.undo(release).frame, seed=1)
            .residual.to_numpy()
            .tolist(),
        )


@pytest.mark.parametrize("given", [5, None, object(), np.arange(3), b"x", pd.Series([1], name="x")])
def test_what_is_no_table_is_named(given):
    with pytest.raises(vk.VerikitError, match="was given as"):
        vk.read(given)
    with pytest.raises(vk.VerikitError, match="was given as"):
        vk.TableRelease.of(given)


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(vk.SchemaError, match="expected columns of the same length"):
        vk.read({"a": [1, 2], "b": [1]})


def test_decimal_commas_are_read_to_the_last_digit(tmp_path):
    path = tmp_path / "exact.csv"
    path.write_text("a;b\n1,5785839108345803;2,5\n-0,977222778585271;3\n", encoding="utf-8")
    assert vk.read(path).frame["a"].tolist() == [1.5785839108345803, -0.977222778585271]


@pytest.mark.parametrize(
    ("text", "held_then"),
    [
        ("a;b\n1,5;1.5\n2,5;2.5\n", [1.5, 2.5]),
        ("a;b\n1.234,5;12\n2,5;1.2\n", [12, 1.2]),
        ("a;b\n1.234,5;1.500\n2,5;2.500\n", [1500, 2500]),
        ("a;b\n1.234,5;1500.0\n2,5;\n", [1500, None]),
        ("a;b\n1,5;2,\n2,5;,5\n3,5;1,5E+03\n", [2, 0.5, 1500]),
        ("a;b\n1.234,5;10.0.0.1\n2,5;10.0.0.2\n", ["10.0.0.1", "10.0.0.2"]),
        ('a,b\n"1,234.5","12,30,44"\n"2,500","2,71"\n', ["12,30,44", "2,71"]),
        ('a,b\n"1,234.5","1,5"\n"2,500","2,7"\n', [1.5, 2.7]),
    ],
)
def test_a_column_that_is_written_otherwise_than_the_others_keeps_its_values(
    tmp_path, text, held_then
):
    (tmp_path / "t.csv").write_text(text)
    values = vk.read(tmp_path / "t.csv").frame["b"]
    assert [None if value != value else value for value in values] == held_then


def test_codes_with_leading_zeros_stay_codes_beside_decimal_commas(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("zip;pay\n01067;2,5\n10115;3,75\n", encoding="utf-8")
    assert vk.read(path).frame["zip"].tolist() == ["01067", "10115"]


def test_a_column_without_a_table_is_refused_by_its_kind():
    polars, arrow = map(pytest.importorskip, ("polars", "pyarrow"))
    for column in (pd.Series([1, 2]), polars.Series([1, 2]), arrow.chunked_array([[1, 2]])):
        kind = type(column).__name__
        for door in (vk.read, vk.open_release, vk.Microdata):
            with pytest.raises(vk.VerikitError, match=rf"{kind}\b.*expected .*\."):
                door(column)


@pytest.mark.parametrize("cards", [1, 3])
def test_a_sas_transport_file_of_version_8_that_lacks_records_is_refused(cards, tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat", reason="the extra office is not installed")
    path = tmp_path / "t.xpt"
    people = pd.DataFrame({"age": np.arange(60.0), "job": ["clerk", "smith", ""] * 20})
    pyreadstat.write_xport(people, path, file_format_version=8)
    assert len(vk.read(path)) == 60
    path.write_bytes(path.read_bytes()[: -80 * cards])
    with pytest.raises(vk.FormatError, match="is a SAS transport file that was cut short; ask for"):
        vk.read(path)
