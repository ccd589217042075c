"""Files into tables: nothing is lost in silence, and every refusal is one sentence."""

import gzip
import io
import sys

import numpy as np
import pandas as pd
import pytest

from verikit import Column, FormatError, Schema, SchemaError, read
from verikit.table._microdata import read_frame


def csv(content, **options):
    stream = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    stream.name = "people.csv"
    return read_frame(stream, **options)


# -- what is read ---------------------------------------------------------------------------------


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
def test_the_separator_is_found_in_the_first_line(sep):
    assert csv(f"age{sep}job\n41{sep}clerk\n").to_dict("list") == {"age": [41], "job": ["clerk"]}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n\n"])
def test_line_ends_byte_order_marks_and_blank_lines_do_not_matter(start, end):
    content = (start + "age, job\n41, clerk\n\n52,welder\n").replace("\n", end)
    assert csv(content).to_dict("list") == {"age": [41, 52], "job": ["clerk", "welder"]}


def test_quoted_names_and_values_may_hold_the_separator_and_line_ends():
    frame = csv('"age, in\nyears",job\n41,"clerk, ""senior"""\n')
    assert frame.to_dict("list") == {"age, in\nyears": [41], "job": ['clerk, "senior"']}


def test_numbers_are_read_exactly():
    values = np.random.default_rng(1).normal(size=2000) * 10.0 ** np.arange(-10, 10).repeat(100)
    content = "x\n" + "\n".join(map(repr, values.tolist()))
    assert csv(content)["x"].tolist() == values.tolist()


def test_codes_with_leading_zeros_stay_text_wherever_the_first_of_them_stands():
    late = csv("zip,age\n" + "10001,41\n" * 3000 + "02138,0.5\n")
    assert late["zip"].iloc[-1] == "02138"
    assert late["zip"].iloc[0] == "10001"
    assert late["age"].iloc[-1] == 0.5


def test_numbers_below_one_and_zeros_are_no_codes():
    assert csv("x,y\n0.5,0\n-0.25,10\n")["x"].tolist() == [0.5, -0.25]
    assert csv("x,y\n0.5,0\n-0.25,10\n")["y"].tolist() == [0, 10]


@pytest.mark.parametrize("mark", ["", "NA", "NaN", "nan"])
def test_a_mark_for_missing_is_read_as_missing(mark):
    assert csv(f"x,c\n{mark},a\n1,{mark}\n").isna().to_numpy().tolist() == [
        [True, False],
        [False, True],
    ]


@pytest.mark.parametrize("word", ["None", "null", "N/A", "?", "-"])
def test_other_words_are_values_not_gaps(word):
    assert csv(f"x,c\n1,{word}\n")["c"].tolist() == [word]


def test_what_counts_as_missing_can_be_said():
    assert csv("x,c\n1,?\n2,NA\n", missing=["?"])["c"].isna().tolist() == [True, False]


def test_a_column_without_a_name_is_called_by_its_place():
    assert list(csv('"",age\n1,41\n').columns) == ["column 1", "age"]


def test_another_encoding_can_be_named():
    assert csv("größe\n1\n".encode("latin-1"), encoding="latin-1").columns.tolist() == ["größe"]


def test_compressed_files_are_read_by_their_ending(tmp_path):
    file = tmp_path / "people.csv.gz"
    file.write_bytes(gzip.compress(b"age\n41\n"))
    assert read(file).record(0) == {"age": 41}


def test_parquet_and_csv_give_the_same_table(tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    frame = pd.DataFrame({"age": [41, 52], "zip": ["02138", None], "x": [0.1, np.nan]})
    frame.to_parquet(tmp_path / "people.parquet")
    frame.to_csv(tmp_path / "people.csv", index=False)
    tables = [read(tmp_path / f"people.{kind}").frame for kind in ("parquet", "csv")]
    pd.testing.assert_frame_equal(*tables)


def test_a_schema_says_which_columns_are_text():
    schema = Schema((Column("zip", kind="nominal"), Column("age")))
    stream = io.BytesIO(b"zip,age\n2138,41\n2139.0,52\n")
    assert read_frame(stream, {"zip"})["zip"].tolist() == ["2138", "2139.0"]
    frame = pd.DataFrame({"zip": ["2138"], "age": [41]})
    assert read(frame, schema).record(0) == {"zip": "2138", "age": 41}


def test_a_hostile_name_is_a_name():
    assert csv("<img src=x onerror=alert(1)>\n1\n").columns.tolist() == [
        "<img src=x onerror=alert(1)>"
    ]


def test_a_file_without_records_keeps_its_columns():
    assert csv("age,job\n").to_dict("list") == {"age": [], "job": []}


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "The file is empty; expected a line of column names"),
        ("\n \n", "The file is empty"),
        ("age,job\n41,clerk,5\n", "more values than its first line has names; name each column"),
        (
            "age,job\n41,clerk\n52,welder,5\n",
            "'people.csv' has records with more values .*3 in line 3",
        ),
        ('age,job\n41,"clerk\n', "ends inside a quoted value"),
        (
            b"\x89PNG\r\n\x1a\n\xff\xfe",
            "'people.csv' is not written in UTF-8; save it so, or name its",
        ),
        ("größe\n1\n".encode("latin-1"), "not written in UTF-8.*encoding='latin-1'"),
    ],
)
def test_what_is_no_table_is_refused(content, sentence):
    with pytest.raises(FormatError, match=sentence):
        csv(content)


def test_a_repeated_column_is_refused_by_its_name():
    with pytest.raises(SchemaError, match="The file has several columns named 'age'; rename them"):
        csv("age,job,age \n41,clerk,42\n")


def test_a_record_that_ends_early_misses_values_and_is_not_dropped():
    assert csv("age,job\n41\n52,clerk\n")["job"].isna().tolist() == [True, False]


@pytest.mark.parametrize("name", ["nobody.csv", "nobody.parquet"])
def test_a_file_that_is_not_there_is_named(name, tmp_path):
    with pytest.raises(FormatError, match=rf"'{name}' cannot be read: there is no such file"):
        read(tmp_path / name)


def test_a_folder_is_no_table(tmp_path):
    with pytest.raises(FormatError, match="cannot be read: it is a folder; expected an"):
        read(tmp_path)


def test_a_broken_parquet_file_is_refused():
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    stream = io.BytesIO(b"PAR1 and nothing else")
    stream.name = "people.parquet"
    with pytest.raises(FormatError, match=r"'people\.parquet' cannot be read as a table"):
        read_frame(stream)


def test_parquet_without_pyarrow_says_what_to_install(monkeypatch, tmp_path):
    (tmp_path / "people.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(FormatError, match="need pyarrow; install it with  pip install pyarrow"):
        read(tmp_path / "people.parquet")
