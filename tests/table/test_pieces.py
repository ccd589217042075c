"""A file that is read in small pieces is the table and the notes that it is at once."""

import io

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import verikit as vk
from verikit.table.reading import _text

ALIKE = "0.50000000000000000001", "0.5", "0.50"
CELLS = [
    "1", "2", "2.5", "", "", "NA", "clerk", "true", "no", "02138", "2020-05-01", "1e3", *ALIKE,
    "9007199254740993", "9007199254740992", "18446744073709551615", "-0", "inf", "1,5", '"a, b"',
]  # fmt: skip
columns = st.sampled_from([CELLS, CELLS[:6], CELLS[:8], [*ALIKE, "", "7"], ["true", "no", ""]])
tables = st.lists(columns, min_size=1, max_size=3).flatmap(
    lambda kinds: st.lists(st.tuples(*map(st.sampled_from, kinds)), min_size=1, max_size=9)
)


def opened(rows, sep=","):
    lines = [sep.join(f"c{at}" for at in range(len(rows[0]))), *map(sep.join, rows)]
    found = vk.open_release(io.BytesIO("\n".join([*lines, ""]).encode()))
    return found.frame, found.schema, found.notes


def say(rows):
    try:
        return opened(rows, ";")
    except vk.VerikitError as error:
        return pd.DataFrame(), str(error)


@pytest.mark.parametrize("size", [1, 2, 3])
@given(rows=tables)
@example(rows=[("0.5",), ("7",), (ALIKE[0],), ("7",)])
@example(rows=[("",), ("",), ("clerk",), ("",), ("nurse",)])
@example(rows=[("7",), ("",), ("clerk",), ("7",)])
def test_pieces_make_the_table_that_the_whole_makes(size, rows):
    whole = say(rows)
    kept, _text.PIECE = _text.PIECE, size
    try:
        found = say(rows)
    finally:
        _text.PIECE = kept
    assert found[1:] == whole[1:]
    pd.testing.assert_frame_equal(found[0], whole[0], check_exact=True)


@pytest.mark.parametrize("size", [1, 2, 2**15])
def test_numbers_that_would_merge_are_told_in_the_order_in_which_they_stand(monkeypatch, size):
    monkeypatch.setattr(_text, "PIECE", size)
    for cells, told in ((ALIKE, "0.5"), (ALIKE[::-1], ALIKE[0])):
        frame, _, notes = opened([(one, "7") for one in ("2", *cells, "2")])
        assert frame["c0"].tolist() == ["2", *cells, "2"]
        assert len(notes) == 1
        assert f" {told} " in notes[0]
    long = "0.12345678901234567890"  # which is no float, and stands for nothing else
    assert opened([(long,), ("3",), (long,)])[0]["c0"].tolist() == [float(long), 3, float(long)]
