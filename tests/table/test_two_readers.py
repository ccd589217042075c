"""The page's reader of files and Python's: the same cells, values, notes and refusals."""

import importlib.util
import io
import re
import unicodedata
from pathlib import Path

import pytest

import verikit as vk
from verikit._support.rules import RULES
from verikit.table._microdata import read_people
from verikit.table.reading import _text
from verikit.table.reading._scan import Content
from verikit.table.reading._text import guess_encoding, guess_wide_encoding

CASES = Path(__file__).resolve().parents[2] / "benchmarks" / "reading_cases.py"
FOUND_ONCE = [
    b'"x1","x3"\n"NA\xc2\xa0","1"\n" TRUE","2"\n" NA\t","3"\n',
    b'"x1","x3"\n"NA\xc2\xa0","1"\n"TRUE","2"\n" NA\t","3"\n',
    b'"nan" "x" "zip"\r"24 %" "" "0.1"\r"16 euro" "" "0.4"\r\t \r \ra " b\r3\rAs of May\r',
    '"x1" "x8"\xa0\n"4" "a"\n"6" "c"\n'.encode("utf-16"),
    b",nan\n10/16/2007,89\n03/22/1957,66\n10/22/1947,-3\n",
    b"\n\n\xef\xbb\xbf\n1\n2\n",
    b"\xef\xbb\xbf\n\n\xef\xbb\xbf\n1\n2\n",
    "\n\n\ufeff\n1\n2\n".encode("utf-16"),
    b"\xef\xbb\xbf\xef\xbb\xbfSEP=|\r\n pad ,zip\r\n93,5\r\n25,5\r\n",
    "\ufeff\ufeffsep=;\nage,zip\n93,02138\n25,02139\n".encode("utf-16"),
    b"x,y\r\n0.12345678901234567890,1\r\n0.12345678901234567891,2\r\n",
    b"id\n9007199254740993e0\n7\n",
    b"id\n9007199254740993e00097\n7\n",
    b"a;b\n1;2;\n3;4\n",
    b"a,b\n1,2\n3,4,,\n,,,\n",
    b'"a" "b"\n"1" 2\n  \n"3" 4\n',
    b"a\tb\n'76.\r\n\r\t16.125\r\n",
    b'a;"b\nc"\n1;2\n3\n',
    b'a,b\n1,2\n3,4\n\nSaid "no\nSource: Office\n',
    b"\xef\xbb\xbf\xef\xbb\xbfage,pay\n31,5\n",
    b"a;b\n;-inf\n1;NaN \n2; 1 \n",
    b"zip;n\n\t02138;1\n\xc2\xa002139;2\n",
    b"x\n1e400\n",
    "born\n٣١.١٢.١٩٨٠\n١٤.٠١.١٩٧٩\n".encode(),
    b"sep=;\nconstructor;{title};__proto__\n1;2;3\n",
    "x;y\n5,\u00a0;\x85\n1;\x1f\n".encode(),
    b"x;y\nwith\x7f;1\n\xe2\x80\x8b;2\n",
    b"a\n" + b"1" * 400 + b"\n2\n",
    "x\n152\n0660\n489\n6'84\n568\n345\n97\n519\n".translate(
        {48 + at: 0x660 + at for at in range(10)}
    ).encode(),
    b"sep= \r\nx4 x2\r\n343 1e400\r\n708 05\r\n55,25 5.\r\n",
    b"sep=\xa0\rx7\r07/21/1936\r02/23/1989\r",
    b'*\r1.234\r\r,x3 x1 x7\r\r\n\r"Quelle: Amt"\rTotal\r',
    b"# a \nco\r\nmment\rx,|x4|x7\r\r1 See notes\r",
    "x|\ny,\u00e9,age,b\r,True,900719925474099500,03/06/2024\r\r1 See notes\r".encode("utf-16-be"),
    b"Ei,\r\nnk\r,,\r,,\rx4,x7\r07/28/2006,nan\r08/20/2025,2\r\rAs of May\r\r",
    "#\r\n\ufeffx,y\n1,2\n3,4\n".encode("utf-16"),
    b'He said "no;;\r\n\r\nx6;x4;x7;\r\n29.25;5,29;+5;\r\n4.85;820;1;9;\r\n"a""b";3;"5;\r\n\r\n',
]


@pytest.fixture(scope="module")
def cases():
    pytest.importorskip("verikit.page", reason="no room of pages")
    spec = importlib.util.spec_from_file_location("verikit_reading_cases", CASES)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if module.NODE is None:
        pytest.skip("no node on the path, which runs the page's program")
    return module


def test_files_that_were_once_read_differently_are_read_alike(cases):
    for content, page in zip(FOUND_ONCE, cases.by_page(FOUND_ONCE), strict=True):
        assert cases.difference(cases.by_python(content), page) == "", content


def test_four_hundred_random_files_are_read_alike(cases):
    assert [(kind, seed) for kind, seed, _, _ in cases.compare(range(400))] == []


def test_titles_names_records_blanks_and_footer_are_all_the_lines_of_a_file(cases):
    contents = [*FOUND_ONCE, *map(cases.content, range(400))]
    for content, page in zip(contents, cases.by_page(contents), strict=True):
        lines = cases.lines_by_python(content)
        if lines is None or "refused" in page:
            continue
        assert lines == page["lines"], content
        wide = guess_wide_encoding(content[:4096])
        encoding, _ = wide or guess_encoding(Content.of([content]))
        text = content.decode(encoding)
        assert sum(lines.values()) == len(re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", text))


def test_a_lost_record_is_refused(monkeypatch):
    read = _text.Table.read
    monkeypatch.setattr(_text.Table, "read", lambda *given, **how: read(*given, **how).iloc[1:])
    source = io.BytesIO(b"age,pay\n31,5\n45,6\n\n52,7\n")
    source.name = "t.csv"
    with pytest.raises(vk.FormatError, match="3 records stand in the file, and 2 were read"):
        read_people(source)


def test_the_comparison_sees_a_fault_of_the_page(cases):
    program = cases.write_program()
    for old, new in (("longWhole(word) !== null", "false"), ("^[${RULES.blanks}]+|", "")):
        assert old in program
        pages = cases.by_page(map(cases.content, range(400)), program.replace(old, new))
        pairs = zip(range(400), pages, strict=True)
        assert any(cases.difference(cases.by_python(cases.content(at)), one) for at, one in pairs)


def test_blanks_are_those_of_unicode():
    assert {*RULES["blanks"]} == {one for one in map(chr, range(0x110000)) if one.isspace()}


def test_digits_of_every_script_stand_in_a_row():
    digits = [one for one in map(chr, range(0x110000)) if unicodedata.category(one) == "Nd"]
    for zero in (one for one in digits if unicodedata.decimal(one) == 0):
        assert [unicodedata.decimal(chr(ord(zero) + at)) for at in range(10)] == [*range(10)]
