"""Records that end early are said, and thousands set apart by spaces are numbers."""

import io

import pandas as pd
import pytest

from verikit.table._microdata import read_people
from verikit.table.reading import _scan, _text


def people_in(content):
    source = io.BytesIO(content)
    source.name = "people.csv"
    return read_people(source)


SHORT = [
    (b"a,b,c\n1,2,3\n4,5,6\n7,8\n", "3 of 3"),
    (b"a,b,c\n1,2,3\n\n4\n7,8,9\n1\n", "2 of 4"),
    (b'a,b,c\n"x,""y",2,3\n"z\nz",5,6\n7,"8, 9"\n', "3 of 3"),
    (b"a,b,c\r\n1,2,3\r\n4,5\r\n", "2 of 2"),
    (b"a,b,c\r1,2,\r4,5\r", "2 of 2"),
    ("ä;b;c\n1;2;3\n4;5\n".encode("utf-16"), "2 of 2"),
    ("ä;b;c\n1;2;3\n4;5\n".encode("cp1252"), "2 of 2"),
    (b'"a","b"\n"1",2,3\n"2",4,5\n"3",6\n', "3 of 3"),
    (b"Our people\n\na,b,c\n1,2,3\n4,5,6\n7,8\n", "3 of 3"),
    (b"a,b,\n1,2,\n4,\n3\n", "3 of 3"),
    (b'a,b\n"x"y,2\n5" pipe,\n6" pipe\n', "3 of 3"),
]
WHOLE = [
    b"a,b,c\n1,2,3\n4,5,\n,,\n",
    b"a,b\n1,2,\n3,,\n5,,\n",
    b"a,b,\n1,2\n3,4\n5,6\n",
    b'a,b\n"x,y",NA\n"a\nb",""\n\n  \n1,NA\n',
    b"a\n1\n\n3\n",
    b'"a","b"\n"1",2,NA\n"2",4,\n',
    b'a,b\n5" pipe,\n6" pipe,NA\n',
]


@pytest.mark.parametrize(("content", "which"), SHORT)
def test_the_first_record_that_ends_early_is_named(content, which):
    said = [note for note in people_in(content).notes if "ends early" in note]
    assert [note.split(" ends")[0] for note in said] == [f"Record {which}"]


@pytest.mark.parametrize("content", WHOLE)
def test_of_records_with_all_their_separators_none_is_said_to_end_early(content):
    assert not [note for note in people_in(content).notes if "ends early" in note]


LARGE = [
    (b"a,b,c\n", b"1,2,3\n4,5,\n", b""),
    (b"a,b,c\n", b"1,2,3,\n4,5,,\n", b""),
    (b"a,b,c\n", b'"x,""y",2,3\n"z\nz, z",5,\n', b""),
    (b"a,b,c\n", b"1,2,3\n4,5,6\n", b"7,8\n"),
    (b"a,b,c\n", b'"x,""y",2,3\n"z\nz, z",5,\n', b'"7,8"\n'),
]


@pytest.mark.parametrize("chunk", [5, 2**16])
@pytest.mark.parametrize(("names", "records", "last"), LARGE)
def test_a_large_file_is_looked_at_record_by_record_only_if_separators_are_missing(
    names, records, last, chunk, monkeypatch
):
    monkeypatch.setattr(_scan, "CHUNK", chunk)
    monkeypatch.setattr(_text, "MIN_ROWS_TO_COUNT", 10)
    looked, split = [], _text.islice
    monkeypatch.setattr(_text, "islice", lambda *a: looked.append(a[1:]) or split(*a))
    said = [n for n in people_in(names + 50 * records + last).notes if "ends early" in n]
    assert [note.split(" ends")[0] for note in said] == ["Record 101 of 101"] * bool(last)
    assert ((1, None) in looked) == bool(last)  # the records below the names


def test_every_cut_of_a_file_between_two_values_of_its_last_record_is_said():
    content = b'name,town,age,pay\n"A, B",Ulm,31,5\n"C ""D""",Bonn,45,7\nE,Kiel,50,9\n'
    last = content.rindex(b"E,Kiel")
    for end in range(last + 1, content.rindex(b",") + 1):
        said = [
            note for note in people_in(content[:end]).notes if "Record 3 of 3 ends early" in note
        ]
        assert bool(said) == (content[:end].count(b",", last) < 3), content[last:end]


SPACES = [
    ("pay;n\n1 234;1\n12 500 000;2\n999;3\n", [1234, 12_500_000, 999]),
    ("pay;n\n1\u00a0234.5;1\n-12\u202f500;2\n+7;3\n0.25;4\n", [1234.5, -12500, 7, 0.25]),
    ("pay,n\n1 234,1\n2000,2\n" + "".join(f"{n} 000,3\n" for n in range(3, 30)), [1234, 2000]),
    ("pay\tn\n1 234\t1\n\t2\n3 000\t3\n", [1234, None, 3000]),
]


@pytest.mark.parametrize(("content", "values"), SPACES)
def test_spaces_between_thousands_are_read_and_said(content, values):
    people = people_in(content.encode())
    found = people.frame["pay"].head(len(values))
    assert [None if pd.isna(value) else value for value in found] == values
    shown = content.split("\n")[1].replace("\u00a0", " ")[: len(str(values[0])) + 1]
    said = f"Numbers were read with spaces between thousands, as in '{shown}' of 'pay'."
    assert said in people.notes


@pytest.mark.parametrize(
    "cells",
    [
        ["030 123 456", "040 765 432"],
        ["12 34", "12 345"],
        ["1 2345", "1 234"],
        ["732 829 320", "512 101 977"],
        ["1 234", "soon", "2 345"],
        ["1 234-5", "1 234"],
        ["1  234", "2 345"],
        ["2000", "2001", "1 234"],
        ["1 234 kg", "2 345 kg"],
    ],
)
def test_spaces_in_telephone_numbers_codes_and_words_stay(cells):
    content = "phone;n\n" + "".join(f"{cell};{at}\n" for at, cell in enumerate(cells))
    assert people_in(content.encode()).frame["phone"].astype(str).tolist() == cells
