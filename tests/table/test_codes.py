"""Codes with leading zeros are found in the bytes as they are found in the table read as text."""

import io
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.table.reading import _scan
from verikit.table.reading._scan import scan_bytes
from verikit.table.reading._text import find_code_columns

ODD = ("2138", "021388", "+2138", "02.38", "0213e", "2138-", "NA", "-0213", "", " 2138", "2138 ")
values = st.sampled_from(["0", "00", "01", "0.5", "10", "105", "", "a", " 07", "x 05", "-05", "0a"])
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[values] * width), min_size=1, max_size=30)
)


def never():
    raise AssertionError("read as text")


def codes_in(content, names, read, sep=","):
    return find_code_columns(content, scan_bytes(content, sep, len(names)), names, read)


@pytest.mark.parametrize("chunk", [7, 2**18])
@given(rows=tables, sep=st.sampled_from(",;\t"), end=st.booleans())
def test_bytes_tell_what_the_table_tells(chunk, rows, sep, end):
    names = [f"c{place}" for place in range(len(rows[0]))]
    text = "\n".join(sep.join(row) for row in [names, *rows]) + "\n" * end
    kept, _scan.CHUNK = _scan.CHUNK, chunk
    try:
        found = codes_in(text.encode(), names, never, sep)
    finally:
        _scan.CHUNK = kept
    expected = {
        name for place, name in enumerate(names)
        for row in rows if row[place].lstrip(" ")[:1] == "0" and row[place].strip()[1:2].isdigit()
    }  # fmt: skip
    plain = found.keys() - expected
    assert expected <= found.keys()
    for name, digits in found.items():  # each value is that many digits, and nothing else
        held = [row[names.index(name)] for row in rows]
        assert not digits or all(re.fullmatch(rf"[0-9]{{{digits}}}", one) for one in held)
    assert all(any(" 0" in row[names.index(name)] for row in rows) for name in plain)


def test_quotes_and_other_line_ends_are_left_to_the_reader():
    for content in (b'zip,age\n"02,138",41\n', b"zip,age\r02138,41\r"):
        read = lambda content=content: [pd.read_csv(io.BytesIO(content), dtype=str)]  # noqa: E731
        assert codes_in(content, ["zip", "age"], read) == {"zip": 0}


@pytest.mark.parametrize("chunk", [9, 2**16])
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("place", [0, 3, 6])
def test_codes_of_one_length_are_read_as_they_are_written(monkeypatch, chunk, odd, place):
    monkeypatch.setattr(_scan, "CHUNK", chunk)
    codes = ["02138", "00001", "10115", "02138", "99999", "00000", "02139"]
    assert read_codes(codes) == codes
    codes[place] = odd
    missing = None if odd in ("", "NA") else odd.lstrip()
    assert read_codes(codes) == [*codes[:place], missing, *codes[place + 1 :]]


def read_codes(codes):
    content = "zip,age\n" + "".join(f"{one},{at}\n" for at, one in enumerate(codes))
    frame = vk.read(io.BytesIO(content.encode())).frame
    return [None if pd.isna(one) else one for one in frame["zip"].tolist()]


@pytest.mark.parametrize("digits", [5, 18, 19, 25])
def test_codes_of_any_length_keep_their_digits_and_their_order(digits):
    codes = [f"{9 ** (at % (digits - 1)) * 7:0{digits}d}"[-digits:] for at in range(60)]
    content = "x,zip,y\n" + "".join(f"a,{one},b\n" for one in codes)
    column = vk.read(io.BytesIO(content.encode())).frame["zip"]
    assert column.tolist() == codes
    assert column.cat.categories.tolist() == sorted(set(codes))


@pytest.mark.parametrize("mark", ["0", "00000", "2138"])
def test_a_number_that_marks_missing_values_is_no_code_with_zeros_before_it(mark):
    content = b"zip,age\n02138,41\n00000,42\n"
    found = vk.read(io.BytesIO(content), missing=[mark]).frame["zip"]
    assert found.isna().tolist() == [False, mark == "00000"]


def test_row_names_with_zeros_before_them_are_left_out():
    content = b"age,pay\n" + b"".join(b"%03d,4%d,5\n" % (at, at) for at in range(1, 5))
    found = vk.read(io.BytesIO(content))
    assert found.frame.to_dict("list") == {"age": [41, 42, 43, 44], "pay": [5] * 4}
