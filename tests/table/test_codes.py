"""Codes with leading zeros are found in the bytes as they are found in the table read as text."""

import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verikit.table.reading import _text
from verikit.table.reading._text import find_code_columns

values = st.sampled_from(["0", "00", "01", "0.5", "10", "105", "", "a", " 07", "x 05", "-05", "0a"])
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[values] * width), min_size=1, max_size=30)
)


def never():
    raise AssertionError("read as text")


@pytest.mark.parametrize("chunk", [7, 2**18])
@given(rows=tables, sep=st.sampled_from(",;\t"), end=st.booleans())
def test_bytes_tell_what_the_table_tells(chunk, rows, sep, end):
    names = [f"c{place}" for place in range(len(rows[0]))]
    text = "\n".join(sep.join(row) for row in [names, *rows]) + "\n" * end
    kept, _text.CHUNK = _text.CHUNK, chunk
    try:
        found = find_code_columns(text.encode(), names, sep, 1, never)
    finally:
        _text.CHUNK = kept
    expected = {
        name for place, name in enumerate(names)
        for row in rows if row[place].lstrip(" ")[:1] == "0" and row[place].strip()[1:2].isdigit()
    }  # fmt: skip
    plain = found - expected
    assert expected <= found
    assert all(any(" 0" in row[names.index(name)] for row in rows) for name in plain)


def test_quotes_and_other_line_ends_are_left_to_the_reader():
    for content in (b'zip,age\n"02,138",41\n', b"zip,age\r02138,41\r"):
        read = lambda content=content: pd.read_csv(io.BytesIO(content), dtype=str)  # noqa: E731
        assert find_code_columns(content, ["zip", "age"], ",", 1, read) == {"zip"}
