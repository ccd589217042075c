"""Every line is a title, the names, a record, blank or a footer; no cell is changed."""

import io
import random
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.cli import main
from verikit.table._microdata import read_people
from verikit.table.reading import Asked
from verikit.table.reading._office import READERS
from verikit.values.typed import to_plain_number, typed_number

LINES = [
    b"People 2024\n\nage,pay\n31,100\n45,200\n52,300\n",
    b"\nage,pay\n31,100\n45,200\n52,300\n",
    b"\n\n\nage,pay\n31,100\n45,200\n\n52,300\n",
    b"# by the office\nsep=,\nage,pay\n31,100\n45,200\n52,300\n",
    b'A "quoted" title\nage,pay\n31,100\n45,200\n52,300\n',
    b"People 2024\nSource: the office\n\nage,pay\n31,100\n45,200\n52,300\n\nAs of May\n",
]


def people_in(content, **options):
    source = io.BytesIO(content)
    source.name = "people.csv"
    return read_people(source, **options)


def shown(frame):
    return [[None if value != value else value for value in row] for row in frame.to_numpy(object)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("content", LINES)
def test_no_record_is_lost_whatever_ends_the_lines_and_stands_above_them(content, end, encoding):
    text = content.replace(b"\n", end).decode().encode(encoding)
    frame = people_in(text).frame
    assert frame.to_dict("list") == {"age": [31, 45, 52], "pay": [100, 200, 300]}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_line_with_too_many_values_is_counted_from_the_first_of_the_file(end):
    content = "People 2024\n\nage,pay\n31,100\n45,200,7\n".replace("\n", end).encode()
    with pytest.raises(vk.FormatError, match=r"\(3 in line 5\)"):
        people_in(content)


def test_the_closest_record_of_a_file_below_a_title_has_its_own_number(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"People 2024\r\rage,pay\r31,100\r45,200\r52,300\r")
    report = vk.check({"age": 45, "pay": 200}, vk.open_release(tmp_path / "t.csv"))
    assert report.tables["attributes"]["match_first"].tolist() == [2, 2]


numbers = st.floats(allow_nan=False, allow_infinity=False)
spellings = st.sampled_from(["thousands", "commas", "told", "plain"])


@given(values=st.lists(numbers, min_size=1, max_size=20), way=spellings)
def test_every_number_is_the_closest_to_its_text(values, way):
    texts = [repr(value) for value in values]
    if way == "thousands":
        rows = [f'"{100 + at},000",{text}' for at, text in enumerate(texts)]
        content, options = "\n".join(["pay,ratio", *rows]), {}
    elif way == "plain":
        content, options = "\n".join(["pay;ratio", *(f"1;{text}" for text in texts)]), {}
    else:
        rows = [f"1{at}.000,5;{text.replace('.', ',')}" for at, text in enumerate(texts)]
        content = "\n".join(["pay;ratio", *rows])
        options = {"asked": Asked(decimal=",")} if way == "told" else {}
    found = people_in(content.encode(), **options).frame["ratio"]
    assert found.tolist() == [float(text) for text in texts]


def test_her_record_is_found_beside_a_column_with_commas_between_thousands(tmp_path):
    rng = random.Random(1)
    texts = [repr(rng.uniform(0, 5000)) for _ in range(12)]
    rows = "".join(f'"{at + 1},{100 + at},000",{text}\n' for at, text in enumerate(texts))
    (tmp_path / "t.csv").write_text("pay,ratio\n" + rows)
    found = vk.open_release(tmp_path / "t.csv")
    assert found.frame["ratio"].tolist() == [float(text) for text in texts]
    release = vk.TableRelease.of(found.frame, found.schema, promise="covers")
    report = vk.check({"pay": "4,103,000", "ratio": texts[3]}, release)
    assert report.headline.text.startswith("Only one published record fits your values")


@pytest.mark.parametrize(
    "rows",
    [
        "12345678901234567890123;1.542.441,50\n22345678901234567890123;2.355.456,20\n",
        "12345678901234567890123;1 542 441\nNA;2 355 456\n",
        '12345678901234567890123;"1,542,441"\n;"2,355,456"\n',
        "12345678901234567890123;1.5\n NA ;2.5\n",
    ],
)
def test_numbers_too_long_to_be_held_are_words_beside_any_others(rows):
    frame = people_in(("id;pay\n" + rows).encode()).frame
    first, second = frame["id"]
    assert first == "12345678901234567890123"
    assert pd.isna(second) or second == "22345678901234567890123"
    assert frame["pay"].dtype.kind in "if"


@pytest.mark.parametrize(
    "cells", ["9007199254740993,NA", "9007199254740993,5", "-9007199254740993,"]
)
def test_whole_numbers_that_are_not_held_to_their_last_digit_are_words(cells):
    first, second = cells.split(",")
    frame = people_in(f"id,b\n{first},1\n{second},2\n".encode()).frame
    assert frame["id"].iloc[0] == first
    assert people_in(b"x,b\n1e300,1\nNA,2\n").frame["x"].iloc[0] == 1e300


def test_no_value_is_shifted_below_a_blank_line_of_an_old_computer():
    found = people_in(b"a\tb\tc\r1\t2\tx\r  \r\t3\ty\r").frame
    assert shown(found) == [[1, 2, "x"], [None, 3, "y"]]


def test_words_that_are_true_or_false_stay_so_beside_blanks_and_marks():
    frame = people_in(b"a,b\nTRUE,1\nfalse,2\nNA ,3\n").frame
    assert shown(frame[["a"]]) == [[True], [False], [None]]
    assert people_in(b"a,b\nTRUE,1\nfalse ,2\nNA ,3\n").frame["a"].tolist()[1] == "false "


TITLED = {
    "Income 2025\nSource: the office\n": 2,
    "Income 2025\nSource: the office\n\n": 2,
    "Income 2025,,\nSource: the office,,\n,,\n": 2,
    "Income 2025\n\nSource: the office\n\n": 2,
    "Income 2025\n": 1,
    "": 0,
}
FOOTED = {
    "\nSource: the office\n": 1,
    "\nSource: the office\nAs of May 2025\n": 2,
    ",,\nSource: the office,,\nAs of May,,\n": 2,
    '\n"Source: the office, Rome"\n\nAs of May': 2,
    "\n": 0,
    "": 0,
}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("below", FOOTED)
@pytest.mark.parametrize("above", TITLED)
def test_titles_names_records_and_footers_are_all_the_lines(above, below, end):
    records = "31,100,x\n\n45,200,y\n52,300,z\n" if not FOOTED[below] else "31,1,x\n45,2,y\n"
    text = f"{above}age,pay,town\n{records}{below}"
    found = people_in(text.replace("\n", end).encode())
    assert list(found.frame) == ["age", "pay", "town"]
    told = {note.says: note.values for note in found.notes}
    titles = 1 if "title" in told else told.get("titles", {}).get("lines", 0)
    footers = 1 if "footer" in told else told.get("footers", {}).get("lines", 0)
    filled = sum(bool(line.strip(", ")) for line in text.split("\n"))
    assert (titles, footers) == (TITLED[above], FOOTED[below])
    assert titles + 1 + len(found.frame) + footers == filled
    assert found.frame["age"].dtype.kind == "i"


def test_a_footer_below_numbers_in_one_column_is_left_out():
    found = people_in(b"Income\nby the office\n\npay\n31\n45\n\nSource: the office\n")
    assert found.frame.to_dict("list") == {"pay": [31, 45]}
    assert [note.says for note in found.notes] == ["titles", "footer"]


@pytest.mark.parametrize(
    ("content", "records"),
    [
        (b"job\nnurse\n\nclerk\n", 2),
        (b"a,b\n\n1,x\n\n2\n", 2),
        (b"a,b\n1,x\n\n2\n", 2),
        (b'a,b\n1,x\n2,"y\n\nz"\n', 2),
        (b'a,b,c\n1,x,u\n2,u,"y\n\nz"\n', 2),
        (b"a,b,c\n1,x,u\n,,\n", 2),
        (b"a,b,c\n1,x,u\n2,x,u\n\nMay,,\n", 3),
    ],
)
def test_what_may_be_a_record_is_one(content, records):
    found = people_in(content)
    assert len(found.frame) == records
    assert not {"footer", "footers"} & {getattr(note, "says", "") for note in found.notes}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("age,b\n٣١,1\n٤٥,2\n", [31, 45]),
        ("age,b\n３１,1\n45,2\n", [31, 45]),
        ("age,b\n٣١٫٥,1\n٤٥,2\n", [31.5, 45]),
        ('age,b\n"1,234",1\n٣,2\n', [1234, 3]),
        ("age;b\n१.२३४,५;1\n२,५;2\n", [1234.5, 2.5]),
        ("age,b\n٠٢١٣٨,1\n٤٥,2\n", ["٠٢١٣٨", "٤٥"]),
        ("age,b\n٣١ سنة,1\n٤٥,2\n", ["٣١ سنة", "٤٥"]),
    ],
)
def test_digits_of_other_scripts_are_digits(text, values):
    assert people_in(text.encode()).frame["age"].tolist() == values


def test_digits_of_other_scripts_are_typed_as_they_are_read(tmp_path):
    (tmp_path / "t.csv").write_text("age,pay\n٣١,1.5\n٤٥,2.5\n５２,3\n", encoding="utf-8")
    release = vk.open_release(tmp_path / "t.csv")
    found = [vk.check({"age": age, "pay": 1.5}, release) for age in ("31", "٣١", "３１")]
    assert len({report.headline.text for report in found}) == 1
    assert typed_number("٣١٫٥", release.schema["age"]).value == 31.5
    assert to_plain_number("٣١٫٥") == "31.5"


@pytest.mark.parametrize("mark", ["nan ", " NA ", "NaN\u00a0", "\u00a0", " "])
def test_a_mark_of_a_missing_value_is_one_with_blanks_around_it(mark):
    found = people_in(f"age,b\n31,1\n{mark},2\n45,3\n".encode())
    assert shown(found.frame[["age"]]) == [[31.0], [None], [45.0]]
    assert found.notes == ()


def test_a_name_in_braces_is_a_name():
    assert list(people_in(b"{title},b\n1,2\n").frame) == ["{title}", "b"]


MARKED = b"age,pay\n31,5\n?,7\n45,9\n"


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx", "t.dta", "t.json"])
def test_a_mark_of_missing_values_is_said_at_every_door(name, tmp_path, capsys):
    path = tmp_path / name
    frame = pd.DataFrame({"age": ["31", "?", "45"], "pay": [5, 7, 9]})
    if name == "t.xlsx":
        pytest.importorskip("openpyxl", reason="the extra office is not installed")
        frame.to_excel(path, index=False)
    elif name == "t.dta":
        frame.to_stata(path, write_index=False)
    elif name == "t.json":
        frame.to_json(path, orient="records")
    else:
        path.write_bytes(MARKED)
    for table in (vk.read(path, missing="?"), vk.open_release(path, missing=["?"])):
        assert (table.schema["age"].kind, table.notes) == ("numeric", ())
        assert [None if one != one else one for one in table.frame["age"]] == [31, None, 45]
    said = ["check", str(path), "--set", "age=31", "--set", "pay=5"]
    assert main([*said, "--missing", "?"]) in (0, 1)
    assert "'age'" not in capsys.readouterr().out
    with pytest.raises(vk.FormatError, match=r"expected texts, such as \['\?', 'n/a'\]"):
        vk.open_release(path, missing=[7])


def test_a_page_is_told_the_mark_of_missing_values(tmp_path):
    pytest.importorskip("verikit.page")
    path = tmp_path / "t.csv"
    path.write_bytes(MARKED)
    assert main(["page", str(path), str(tmp_path / "check.html"), "--missing", "?"]) == 0


def test_a_cell_that_may_be_missing_says_how_to_say_so():
    (note,) = people_in(MARKED).notes
    assert note.endswith("if it stands for a missing value, say so (missing='?').")


def test_marks_are_missing_among_categories_and_numbers():
    stage = pd.Categorical(["low", "n/a", "high"], ["low", "high", "n/a"], ordered=True)
    frame = pd.DataFrame({"stage": stage, "pay": [5, -9, 7]})
    stream = io.BytesIO()
    frame.to_stata(stream, write_index=False)
    found = read_people(stream, asked=Asked(missing=("n/a", "-9"))).frame
    assert shown(found) == [["low", 5], [None, None], ["high", 7]]
    assert list(found["stage"].cat.categories) == ["low", "high"]


@pytest.fixture
def books():
    return pytest.importorskip("openpyxl", reason="the extra office is not installed")


def saved(books, rows, far=None):
    book = books.Workbook()
    for row in rows:
        book.active.append(row)
    if far:
        book.active.cell(*far).value = "x"
    stream = io.BytesIO()
    book.save(stream)
    stream.name = "t.xlsx"
    return stream


def test_one_value_far_away_in_a_sheet_fills_no_memory_and_is_said(books):
    found = read_people(saved(books, [["age", "pay"], [31, 1.5], [45, 2]], far=(200_000, 2_000)))
    assert found.frame.shape == (2, 2)
    assert found.frame["pay"].tolist() == [1.5, 2]
    assert found.notes[-1].endswith("left out, such as 'x'.")


def test_a_cell_beside_the_records_of_a_sheet_is_left_out_and_said(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["Pay of 2024"], ["age", "zip"], [30, "a"], [40, "b"]):
        book.active.append(row)
    book.active.cell(row=3, column=500, value="seen")
    book.active.cell(row=90, column=40, value="by me")
    book.save(tmp_path / "a.xlsx")
    found = vk.read(tmp_path / "a.xlsx")
    assert found.frame.to_dict("list") == {"age": [30, 40], "zip": ["a", "b"]}
    assert found.notes[-1] == (
        "Cells beside its records, after an empty column and without a name, were left out, such "
        "as 'seen'."
    )


def test_titles_and_footers_of_a_sheet_are_left_out_and_said(books):
    rows = [["Income 2025"], ["the office"], [], ["age", "pay"], [31, 1.5], [45, 2], [], ["May"]]
    found = read_people(saved(books, rows))
    assert found.frame.to_dict("list") == {"age": [31, 45], "pay": [1.5, 2]}
    assert [note.says for note in found.notes] == ["titles", "footer"]


def test_a_sheet_keeps_its_values_and_their_kinds(books):
    day = pd.Timestamp("2024-05-01")
    rows = [["a", "b", "c", "d", "e"], [1, 1.5, "x", day, True], [None, 2, None, day, False]]
    frame = read_people(saved(books, rows)).frame
    plain = pd.read_excel(saved(books, rows))
    assert isinstance(frame["c"].dtype, pd.CategoricalDtype)  # texts are held as codes
    pd.testing.assert_frame_equal(frame.assign(c=frame["c"].astype(plain["c"].dtype)), plain)


@pytest.mark.parametrize("ending", ["sav", "zsav"])
def test_an_spss_file_too_small_for_the_records_it_says_it_holds_is_refused(ending, tmp_path):
    office = pytest.importorskip("pyreadstat", reason="the extra office is not installed")
    path = tmp_path / f"t.{ending}"
    frame = pd.DataFrame({"age": [31.0, 45.0], "pay": [1.0, 2.0]})
    office.write_sav(frame, str(path), compress=ending == "zsav")
    content = path.read_bytes()
    place = 80  # where the header counts the records
    assert int.from_bytes(content[place : place + 4], "little") == 2
    count = (200_000_000).to_bytes(4, "little")
    path.write_bytes(content[:place] + count + content[place + 4 :])
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9,) * 2)\n"
        "import verikit as vk\n"
        "try: vk.read(sys.argv[1])\n"
        "except vk.FormatError as error: print(error)\n"
    )
    pytest.importorskip("resource", reason="there are no limits of memory here")
    found = subprocess.run(
        [sys.executable, "-P", "-c", code, path], capture_output=True, text=True, check=False
    )
    assert "MB are allowed" in found.stdout, found.stderr


def test_an_r_file_names_the_extra_that_reads_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyreadr", None)
    with pytest.raises(vk.FormatError, match=r"needs pyreadr.*'verikit\[r\]'"):
        READERS["r"](Path("t.rds"), Asked())
