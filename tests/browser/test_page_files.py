"""The page without data: it takes published files as Python's reader does, and sends nothing."""

import io
import json
import re
import zipfile
from contextlib import nullcontext

import pandas as pd
import pytest
from screens import grave, resize
from sources import WHOLE, every, tries

import verikit as vk
from verikit.languages import translate, use_language
from verikit.page import _write

pytestmark = pytest.mark.browser

DRAWN = tries(200)
RUNNING = vk.published("dm_table1_masked")
HERS = ("100.87", "902.21", "5108.54")
DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
}"""
READ = """async () => {
  while (document.getElementById("files-told").textContent.endsWith("…"))
    await new Promise((again) => setTimeout(again, 20));
}"""


@pytest.fixture(scope="module")
def drawn(cases):
    """Random files and a few by hand, each with what `verikit.check` says of a record in them."""
    import page_file_cases

    found = [*page_file_cases.by_hand(), *(cases.kinds()["files"](seed) for seed in range(DRAWN))]
    return [(case, cases.expected(case)) for case in found]


@pytest.fixture
def empty(opened):
    """The page without data, opened from a file with the network off."""
    return lambda **options: opened(None, ready="#files", **options)


def give(page, *files):
    page.set_input_files(
        "#files", [{"name": n, "mimeType": "text/csv", "buffer": c} for n, c in files]
    )
    page.evaluate(READ)


def saved(release, folder):
    release.save(folder)
    return [(part.name, part.read_bytes()) for part in sorted(folder.iterdir())]


def answered(page, values=HERS):
    for at, value in enumerate(values):
        page.fill(f"#own-{at}", value)
    page.press("#own-0", "Enter")
    page.wait_for_selector("#answer:not(.stale) .first")
    return page


def test_the_page_says_of_files_what_the_check_says_sentence_by_sentence(empty, cases, drawn):
    page = empty()
    told = cases.said(page, [case for case, _ in drawn])
    for seed, ((_, wanted), found) in enumerate(zip(drawn, told, strict=True)):
        assert "fault" not in found, (seed, found)
        assert cases.differences(wanted, found) == [], seed
    assert page.problems == []
    refused = sum("refused" in wanted for _, wanted in drawn[-DRAWN:])  # not those by hand
    assert refused < DRAWN / 4


def test_the_page_says_it_in_every_language(empty, cases, drawn):
    page = empty()
    for at, language in enumerate(name for name in WHOLE if name != "en"):
        page.evaluate("(name) => speak(name)", language)
        part = [case for case, _ in drawn[10 * at : 10 * at + 10]]
        for case, found in zip(part, cases.said(page, part), strict=True):
            wanted = cases.expected(case, language)
            for name in ("refused", "text", "tag", "figures", "notes"):
                assert cases.differences(wanted.get(name), found.get(name)) == [], language
            texts = [s["text"] for s in wanted.get("sentences", [])]
            assert texts == [s["text"] for s in found.get("sentences", [])]


NOTED = {
    "read-commas": b"pay;age\n1,5;3\n2.000,5;4\n3,25;5\n",
    "read-thousands": b'pay;age\n"1,500";3\n"2,500";4\n"3,250";5\n',
    "read-spaces": "pay;age\n1 234;3\n1\u00a0234\u202f567;4\n999;5\n".encode(),
    "short-record": b"pay;age\n1;3\n2;4\n3\n",
    "dates-year": b"born,age\n1996-11-18,3\n1980-02-01,4\n",
    "dates-day": b"born,age\n18.11.1996,3\n01.02.1980,4\n",
    "dates-month": b"born,age\n11/18/1996,3\n02/01/1980,4\n",
    "letters-guessed": "town,age\nKöln,3\nBonn,4\n".encode("cp1252"),
    "utf-16": "town,age\nKöln,3\nBonn,4\n".encode("utf-16-le"),
    "spaces": b'"age" "pay"\n1 2\n3 4\n5 6\n',
    "row-names": b'"age","pay"\n"1",3,4\n"2",5,6\n',
    "empty-end": b"age,pay,\n1,2,\n3,4,\n",
    "title": b'My "table" of Ann\'s\n\nage,pay\n1,2\n3,4\n5,6\n',
    "titles": b"Income 2025\nSource: the office\n\nage,pay\n1,2\n3,4\n5,6\n",
    "footer": b"age,pay\n1,2\n3,4\n5,6\n\nSource: the office\n",
    "footers": b'age,pay\n1,2\n3,4\n5,6\n\n"Source: the office, 2025"\nAs of May\n',
    "no-names": b"39,clerk,77516\n50,smith,83311\n38,clerk,215646\n",
    "words-odd": b"age,pay\n1,2\n2,2\n3,3\nold,4\n",
    "words-unit": b'age,pay\n"45,000 kg",2\n61 kg,2\n',
    "perhaps-thousands": b"pay;age\n1.234;34\n2.345;51\n345;29\n",
    "merged": b"age,x\n3,0.12345678901234567890\n4,0.12345678901234567891\n",
    "ask-words": b"pay,age\n<=50K,3\n>50K,4\n<=50K,5\n",
    "alike-words": b"ill,age\nflu,3\nflu ,4\ncold,5\n",
    "long-names": b"age,id\n3,110101199003070011\n4,\n5,110101199003070012\n",
}
ADVICE = {"ask-words", "letters-guessed", "perhaps-thousands", "words-odd"}  # set elsewhere


MIXED = [
    b'"","age","pay"\n"1",31,5\n"2",45,6\n',
    b'"","age","pay"\n"1",31,5\n"1",45,6\n',
    b"a;b\n1,5;1.5\n2,5;2.5\n",
    b"a;b\n1.234,5;12\n2,5;1.2\n",
    b"a;b;c\n1.000,5;1500.0;2,\n2,5;2500.0;,5\n3,5;;1,5E+03\n",
    b"a;b\n1.234,5;10.0.0.1\n2,5;10.0.0.2\n",
    b'a,b\n"1,234.5","12,30,44"\n"2,500","2,71"\n',
    b'a,b\n"1,234.5","1,5"\n"2,500","2,7"\n',
    b"a;b;c;d\n1 234;010 200;12 34;732 829 320\n-56 789.25;020 300;56 78;512 101 977\n",
    b"a;b\n 1 234 ;x\n1500;y\n3 000\n",
    b"a,b,c\n9007199254740992,9007199254740993,1\n18014398509481984,2,3\n",
    b"a,b\n9007199254740993.0,1\n9007199254740992.0,2\n",
    b"a,b\n110101199003070011,18446744073709551617\n,-9007199254740993\n7,1.5\n",
    b"a,b,c\rnan ,1, NA\r3,\xc2\xa0,4\r",
    b"a;b\n12345678901234567890123;1.542.441,50\nNA;2.355.456,20\n",
    b'a,b\n12345678901234567890123,"1,542,441.5"\n,"2,355,456.2"\n',
    b"pay,a\n" + b"".join(b'"%d,000",%d.100000000000023\n' % (100 + n, 7 * n) for n in range(40)),
    "a,b,c\n٣١,３１．５,٠٢١٣٨\n٤٥,2,7\n".encode(),
    "a;b\n१.२३४,५;1.5e+00\n२,५;2.896e+00\n".encode(),
    b"Income,,\nof 2025,,\n,,\n{title},b,c\n1,2,x\n3,4,y\n,,\nSource: the office,,\n",
    b"Income\rof 2025\r\rpay\r31\r45\r\rSource: the office\r",
]


@pytest.mark.parametrize("content", MIXED)
def test_the_page_reads_columns_that_are_written_differently_as_python_does(content, blank):
    told = """(content) => bareColumns(Uint8Array.from(content), "t.csv").map(
      ({ words, code, numbers }) =>
        [...code].map((at) => (at < 0 ? null : (numbers ?? words)[at])))"""
    found = blank.evaluate(told, list(content))
    source = io.BytesIO(content)
    source.name = "t.csv"
    frame = vk.open_release(source).frame
    assert found == [
        [None if value != value else value for value in frame[name].tolist()] for name in frame
    ]


GAPS = [  # a file, and what stands for a missing value in it
    (b"age,pay\n31,?\n?,200\n45,300\n", "?"),
    (b"age,pay,job\n31,-9,?\n-9,200,not said\n45,-9.0,clerk\n", "?; -9; not said"),
    (b"age;pay;job\n31;-9,00;?\n -9 ;200,50;-9\n+45;1.000,00;-9.0\n", "-9"),
    (b"age,pay\n31,9\n+9,9.00\n45,9e0\n", "9"),
    (b"age,pay\n31,9\n+9,12\n,9\n", "9.0"),
    (b'age,pay\n999,"1,500"\n31,"9,999"\n45,9999\n', "999; 9999"),
    (b"age;pay\n1 234;9 999\n999;12\n9999;9 999,0\n", "9999;;"),
    (b"zip,age\n02138,99\n00000,31\n99,00\n", "00000; 99"),
    (b"age,dead\n31,True\n45,False\nk. A.,unknown\n", "unknown; k. A."),
    (b"born,age\n1996-11-18,3\n9999-99-99,4\n1980-02-01,-1\n", "9999-99-99; -1"),
    (b"age,share\n31,.5\n45,0.5\n50,0.50\n51,1.5\n", ".5"),
    (b"age,job\n31,0.5\n45,clerk\n50,.5\n51, 0.5 \n", ".5"),
    (b"age,pay,\n31,200,?\n45,300,?\n", "?"),
    (b"age,pay,note\n-9,-9,?\n-9,3,?\n", "?; -9"),
    (b"age,pay\n31,1e5\n45,100000\n50,20\n", "1e5; inf; 1e400"),
    (b"id,pay\n110101199003070011,1\n-9,2\n110101199003070012,-9\n", "-9"),
    (b"age\n31\n-\n45\n-\n", "-"),
    (b"age,pay\n31,00\n45,1.5\n50,2\n", "00"),
    (b"age,job\n31,NA\nNA,clerk\n", "NA"),
]


def test_a_page_that_opens_tables_joined_by_groups_says_that_it_learned_nothing(
    empty, opened, tmp_path
):
    release = vk.published("lhcc_table4")
    page, beside = empty(), opened(release)
    give(page, *saved(release, tmp_path / "release"))
    for one in (page, beside):
        answered(one, ("65",))
        card = one.inner_text("#card")
        assert ("This page learned nothing from the files" in card) == (one is page)
        assert "verikit check TABLE --with OTHER" in card


@pytest.mark.parametrize(("content", "told"), GAPS)
def test_a_dropped_file_with_told_marks_of_missing_values_is_read_as_python_reads_it(
    content, told, blank
):
    marks = [mark.strip() for mark in told.split(";") if mark.strip()]
    page = blank
    page.evaluate(DROP, ["people.csv", content.decode()])
    page.evaluate(READ)
    page.wait_for_selector("#missing")
    page.fill("#missing", told)
    page.press("#missing", "Enter")
    source = io.BytesIO(content)
    source.name = "t.csv"
    release = vk.open_release(source, missing=("", "NA", "NaN", "nan", *marks))
    found = page.evaluate(COLUMNS, [list(content), marks])
    assert found["columns"] == [
        [None if value != value else value for value in release.frame[name].tolist()]
        for name in release.frame
    ]
    assert len(found["notes"]) == len(release.notes)
    for one, other in zip(found["notes"], release.notes, strict=True):
        assert one == other or begins_alike(one, other)
    page.wait_for_function("(told) => SEEN.bare?.missing === told", arg=told)
    assert all(note in page.inner_text("#files-told") for note in found["notes"])
    page.fill("#missing", " ")
    page.press("#missing", "Tab")
    page.wait_for_function("() => SEEN.bare?.missing === ' '")
    plain = page.evaluate(COLUMNS, [list(content), []])
    assert page.evaluate("() => SEEN.bare.columns.length") == len(plain["columns"])
    assert page.problems == []


COLUMNS = """([content, marks]) => {
  const found = bareColumns(Uint8Array.from(content), "t.csv", marks);
  const shown = ({ words, code, numbers, dated }) => [...code].map(
    (at) => at < 0 ? null : dated ? Object.values(daysRead(words[at]))[0] : (numbers ?? words)[at]);
  return { columns: found.map(shown), notes: NOTES.map(noteWords) };
}"""


@pytest.mark.parametrize("language", WHOLE)
def test_the_box_for_missing_values_is_labelled_and_reached_by_keyboard(language, empty):
    page = empty()
    page.select_option("#language", language)
    page.wait_for_selector(f"html[lang={language}]")
    page.evaluate(DROP, ["people.csv", "pay,age\n1,31\n2,45\n?,50\n4,29\n"])
    page.wait_for_selector("#missing")
    page.focus("#files")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.id") == "missing"
    words = _write.collect_words(language, empty=True)
    assert page.get_by_label(words["missing"], exact=True).count() == 1
    assert "?;" in page.inner_text("#missing-help")
    assert page.evaluate("SEEN.bare.columns[0].textual")  # with its ? no number
    page.keyboard.type("?")
    page.keyboard.press("Enter")
    page.wait_for_function("() => !SEEN.bare.columns[0].textual")
    page.fill("#own-0", "2")
    page.fill("#own-1", "45")
    page.press("#own-0", "Enter")
    page.wait_for_selector("#answer:not(.stale) .first")
    frame = pd.DataFrame({"pay": [1, 2, None, 4], "age": [31, 45, 50, 29]})
    report = vk.check({"pay": 2, "age": 45}, vk.TableRelease.of(frame), language=language)
    assert all(part.text in page.text_content("#card") for part in report.parts)
    assert page.input_value("#missing") == "?"


def test_what_was_said_of_columns_stays_where_marks_change_and_another_file_starts_anew(empty):
    page = empty()
    page.evaluate(DROP, ["a.csv", "pay,stage\n1,low\n?,high\n3,?\n"])
    page.wait_for_selector("#missing")
    page.click("#door summary")
    page.fill("#order-1", "low; high")
    page.press("#order-1", "Tab")
    page.wait_for_selector("#files-error:not(:empty)")  # the order lacks the question mark
    page.fill("#missing", "?")
    page.press("#missing", "Enter")
    page.wait_for_selector("select#own-1")
    assert page.input_value("#order-1") == "low; high"
    page.evaluate(DROP, ["b.csv", "pay,age\n1,2\n3,4\n"])
    page.wait_for_function(
        "() => document.getElementById('files-told').innerText.includes('b.csv')"
    )
    assert page.input_value("#missing") == ""


def noted(page, content, language="en"):
    """What the page says of how it read a table."""
    told = """([content, language]) => {
      speak(language);
      bareColumns(Uint8Array.from(content), "t.csv");
      return NOTES.map(noteWords);
    }"""
    return page.evaluate(told, [list(content), language])


def read_by_python(content, language="en"):
    source = io.BytesIO(content)
    source.name = "t.csv"
    with use_language(language):
        return [translate(note) for note in vk.open_release(source).notes]


def begins_alike(one, other):
    """Whether two sentences say the same of the file, and differ in what to do about it."""
    return one != other and one.split()[:9] == other.split()[:9]


@pytest.mark.parametrize("name", NOTED)
def test_the_page_says_how_it_read_a_table_as_python_does_in_every_language(name, blank):
    page = blank
    for language in WHOLE:
        (found,), (wanted,) = (
            noted(page, NOTED[name], language),
            read_by_python(NOTED[name], language),
        )
        assert found == wanted or (name in ADVICE and begins_alike(found, wanted)), language
    give(page, ("people.csv", NOTED[name]))
    assert found in page.inner_text("#files-told")


def test_the_page_says_of_random_tables_how_it_read_them_as_python_does(empty, drawn):
    page, said = empty(), 0
    for case, checked in every(drawn, 2):
        if case.told is None or "refused" in checked:
            continue
        (content,) = case.files.values()
        found, wanted = noted(page, content), read_by_python(content)
        said += len(wanted)
        assert len(found) == len(wanted)
        assert all(a == b or begins_alike(a, b) for a, b in zip(found, wanted, strict=True))
    assert said > DRAWN / 20


MUTANTS = {
    "no doubled quotes": ("again = '\"'", "again = ''"),
    "spaces after separators": ("while (spaces && text[at]", "while (false && text[at]"),
    "codes are numbers": ("return partlyFits(plain, PARTLY.code)", "return false"),
    "no decimal commas": ('join("").replace(way.decimal, ".")', 'join("")'),
    "other marks are missing too": ("[...RULES.missing, ", '["flu", ...RULES.missing, '),
    "comments are names": ('!lines[above].startsWith("#")', "true"),
    "titles are names": ("if (names.length === count && areWords", "if (false && areWords"),
    "row names are kept": ("named ? all.slice(1) : all", "all"),
    "the least frequent separator": ("told[more] > found.told", "told[more] < found.told"),
    "other letters": ('"windows-1252", name', '"koi8-r", name'),
    "half-open ranges are closed": ('opening === "[", closing === "]"', "true, true"),
    "bands of any label": ("low > high || (padded", "(padded"),
    "no words below": ("upper ? [-Infinity, end, true,", "upper ? [end, end, true,"),
    "grades are codes": ("2 * same >= Math.max(plain.length, 1) || most", "true"),
    "sets name nobody": ("if (parts.length) {", "if (parts.length > 99) {"),
    "suppressed rows are seen": ("return count === n ||", "return count >= 0 ||"),
    "a promise is not kept": ('facts.promise ?? "untold"', '"untold"'),
    "siblings in another order": ("path.reverse().slice(1)", "path.slice(1)"),
    "luck is not told": ("facts.reported_luck == null", "true"),
    "pairs are never undone": ('method !== "rank_swap"', 'method !== "none"'),
    "roles are not heard": ('role: roles.get(name) ?? "quasi"', 'role: "quasi"'),
    "orders are not heard": ("null : orders.get(name) ?? null", "null : null"),
}  # fmt: skip


def test_a_column_of_words_is_asked_for_and_its_cells_are_words_then(empty):
    page = empty()
    give(page, ("t.csv", b"pay,zip,age\n<=50K,02138,31\n>50K,02139,45\n<=50K,021**,33\n"))
    assert page.inner_text("#files-told").count("may be a band, a set or a word") == 2
    page.locator("#door details summary").click()
    for at in (0, 1):
        page.check(f"#words-{at}")
        page.wait_for_function("(left) => SEEN.bare.notes.length === left", arg=1 - at)
    words = page.evaluate("SEEN.bare.columns.map((column) => column.wordy)")
    assert words == [True, True, False]
    assert page.problems == []


UNTOLD = {
    "words are not asked for": 'note("ask-words",',
    "words that look alike are not told": 'note("alike-words",',
    "letters are not told": 'note("letters-guessed");',
    "titles are not told": 'leftOut("title", "titles", "title", said.slice(0, first));',
    "footers are not told": 'leftOut("footer", "footers", "footer", footer.filter(widthOf));',
    "names are not doubted": "!years) note(",
    "points are not doubted": "if (found.length) note(",
    "numbers are not told": "readAs(way, better);",
    "short records are not told": "shortRecord(rows, names.length - empty);",
    "cells are not named": "dated.forEach(disturbed);",
    "numbers that would merge are not told": "note(lost.name,",
}


@pytest.mark.parametrize("mutant", UNTOLD)
def test_a_reading_that_is_not_told_is_noticed(mutant, monkeypatch, empty):
    old, parts = UNTOLD[mutant], _write._join_scripts
    assert parts(_write.PARTS).count(old) == 1
    new = re.sub(r"\b(note|leftOut|readAs)\(", "String(", old)
    new = new if new != old else ""
    monkeypatch.setattr(_write, "_join_scripts", lambda names: parts(names).replace(old, new))
    page = empty()
    assert any(noted(page, content) == [] for content in NOTED.values())


def test_every_fault_can_be_made():
    program = _write._join_scripts(_write.PARTS)
    assert [old for old, _ in MUTANTS.values() if program.count(old) != 1] == []


@pytest.mark.parametrize("mutant", every(MUTANTS, 9))
def test_a_fault_in_the_program_is_noticed(mutant, monkeypatch, empty, cases, drawn):
    old, new = MUTANTS[mutant]
    parts = _write._join_scripts
    assert parts(_write.PARTS).count(old) == 1
    monkeypatch.setattr(_write, "_join_scripts", lambda names: parts(names).replace(old, new))
    assert cases.noticed(empty(), drawn)


def test_a_person_gives_a_folder_and_reads_her_verdict(empty, tmp_path):
    page = empty()
    assert page.locator("#form").is_hidden()
    give(page, *saved(RUNNING, tmp_path / "release"))
    assert page.inner_text("#files-told").endswith(": 20 records.")
    answered(page)
    report = vk.check(vk.load("dm_table1").record(2), RUNNING)
    assert all(part.text in page.text_content("#card") for part in report.parts)
    assert page.problems == []


@pytest.mark.parametrize("without", [None, ["town"]])
def test_a_folder_says_first_what_the_reported_links_leave_out(without, empty, tmp_path):
    """Where it does not tell, these are the columns without an order, as in Python."""
    town = vk.Column("town", kind="nominal", label="place of work")
    frame = RUNNING.frame.assign(town=list("abcdefghijklmnopqrst"))
    release = vk.TableRelease.of(frame, vk.Schema((*RUNNING.schema, town)))
    release = release.reporting(12, luck=1.5, without=without)
    page = empty()
    give(page, *saved(release, tmp_path / "release"))
    answered(page)
    said = vk.check(vk.load("dm_table1").record(2), release).headline.text
    assert said.startswith("Not compared: place of work;")
    assert said in page.text_content("#card")


def test_a_table_is_dropped_and_its_columns_are_told(empty):
    page = empty()
    page.evaluate(DROP, ["people.csv", "pay;stage\n1,5;low\n2;high\n3,25;low\n7;high\n"])
    page.wait_for_selector("#own-0")
    assert page.locator("select#own-1").count() == 0  # a word, until it has an order
    assert page.evaluate("document.getElementById('files').files[0].name") == "people.csv"
    page.click("#door summary")
    page.fill("#order-1", "low; high")
    page.press("#order-1", "Tab")
    page.wait_for_selector("select#own-1")
    page.fill("#own-0", "2")
    page.select_option("#own-1", "high")
    page.press("#own-0", "Enter")
    page.wait_for_selector("#answer:not(.stale) .first")
    stage = pd.Categorical(["low", "high", "low", "high"], ["low", "high"], ordered=True)
    frame = pd.DataFrame({"pay": [1.5, 2, 3.25, 7], "stage": stage})
    report = vk.check({"pay": 2, "stage": "high"}, vk.TableRelease.of(frame))
    assert all(part.text in page.text_content("#card") for part in report.parts)
    page.select_option("#role-0", "sensitive")
    assert page.locator("#card").inner_text() == ""
    assert page.problems == []


def test_another_language_keeps_the_table_and_what_was_told_of_it(empty):
    page = empty()
    give(page, ("people.csv", b"pay,stage\n1.5,low\n2,high\n"))
    page.click("#door summary")
    page.fill("#order-1", "low; high")
    page.press("#order-1", "Tab")
    page.wait_for_selector("#own-1")
    page.select_option("#language", "de")
    page.wait_for_selector("html[lang=de]")
    assert "2 Datensätze" in page.inner_text("#files-told")
    assert page.input_value("#order-1") == "low; high"


def test_a_page_for_one_release_knows_its_columns_and_takes_its_table_only(opened, tmp_path):
    files = dict(saved(RUNNING, tmp_path / "release"))
    page = opened(RUNNING, data=False, ready="#files")
    assert "table.csv" in page.inner_text("#door")
    assert page.evaluate("document.documentElement.outerHTML").count("100.41") == 0
    give(page, ("table (1).csv", files["table.csv"]))
    answered(page)
    report = vk.check(vk.load("dm_table1").record(2), RUNNING)
    assert all(part.text in page.text_content("#card") for part in report.parts)
    give(page, ("table.csv", files["table.csv"].replace(b"100.41", b"100.42")))
    assert "its checksum differs" in page.inner_text("#files-error")
    assert page.locator("#form").is_hidden()


def package(tmp_path, change):
    files = dict(saved(RUNNING, tmp_path / "release"))
    told = json.loads(files["datapackage.json"])
    change(told)
    return [("table.csv", files["table.csv"]), ("datapackage.json", json.dumps(told).encode())]


def renamed(told):
    told["resources"][0]["schema"]["fields"][0]["name"] = "Y1"


def zipped():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("table.csv", "a,b\n1,2\n")
    return stream.getvalue()


ZIPPED = zipped()
PACKED = {"a zip file", "letters of four bytes"}  # which Python reads
WRONG = {
    "no table": ("letter.pdf", b"%PDF-1.7\n\0\1\2", "is no CSV"),
    "a zip file": ("a.zip", ZIPPED, "is no CSV"),
    "letters of four bytes": ("t.csv", "a,b\n1,2\n".encode("utf-32"), "is no CSV"),
    "a page": ("page.csv", b"<!doctype html>", "is no CSV"),
    "nothing": ("empty.csv", b"", "holds no record"),
    "names alone": ("names.csv", b"a,b\n", "holds no record"),
    "too many values": ("long.csv", b"a,b\n1,2\n1,2,3\n4,5\n", "more values than its first line"),
    "a name twice": ("twice.csv", b"a,a\n1,2\n3,4\n", "several columns named “a”"),
    "no end": ("open.csv", b'a,b\n"1,2\n', "inside a quoted value"),
    "infinite": ("inf.csv", b"a,b\n1,inf\n2,3\n", "Column b holds “inf”"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_refused_in_one_sentence(name, blank):
    file, content, words = WRONG[name]
    page = blank
    give(page, (file, content))
    said = page.inner_text("#files-error")
    assert words in said
    assert said.count(". ") == 0
    assert page.locator("#form").is_hidden()
    assert page.problems == []
    source = io.BytesIO(content)
    source.name = file
    with nullcontext() if name in PACKED else pytest.raises(vk.VerikitError):
        vk.check({"a": 1, "b": 1}, vk.open_release(source))


DAMAGED = {
    "another format": (lambda told: told["verikit"].update(format=2), "newer verikit"),
    "another kind": (lambda told: told["verikit"].update(kind="rumour"), "release of this kind"),
    "other columns": (renamed, "does not hold the columns"),
    "fewer records": (
        lambda told: told["resources"][0]["verikit"].update(rows=3),
        "promises 3 records, but “table.csv” holds 20 records",
    ),
    "no description": (lambda told: told.pop("resources"), "does not describe a release"),
    "no columns": (
        lambda told: told["resources"][0].pop("schema"),
        "does not describe a release",
    ),
    "a role of its own": (
        lambda told: told["resources"][0]["schema"]["fields"][0]["verikit"].update(role="king"),
        "does not describe a release",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_folder_is_refused_in_one_sentence(name, blank, tmp_path):
    change, words = DAMAGED[name]
    page = blank
    give(page, *package(tmp_path, change))
    assert words in page.inner_text("#files-error")
    assert page.locator("#form").is_hidden()


def test_an_order_that_lacks_a_category_is_refused_and_can_be_mended(empty):
    page = empty()
    give(page, ("people.csv", b"pay,stage\n1.5,low\n2,high\n"))
    page.click("#door summary")
    for order, fits in (("low", False), ("low; high", True)):
        page.fill("#order-1", order)
        page.press("#order-1", "Tab")
        page.wait_for_selector("#own-1" if fits else "#files-error:not(:empty)")
        assert ("Column stage holds “high”" in page.inner_text("#files-error")) != fits
    assert page.inner_text("#files-error") == ""


def test_a_file_that_lacks_is_named_and_several_tables_are_refused(empty, tmp_path):
    page, files = empty(), saved(RUNNING, tmp_path / "release")
    give(page, *[(name, content) for name, content in files if name.endswith("json")])
    assert "names the file “table.csv”" in page.inner_text("#files-error")
    give(page, ("a.csv", b"a\n1\n"), ("b.csv", b"a\n1\n"))
    assert "Choose one CSV file" in page.inner_text("#files-error")
    give(page, ("a.csv", b"a,b\n1,2\n3,4\n"))
    assert page.inner_text("#files-error") == ""


def test_paper_tells_which_file_was_read(empty, tmp_path):
    page = empty()
    give(page, *saved(RUNNING, tmp_path / "release"))
    answered(page)
    page.emulate_media(media="print")
    assert page.locator("#files-told").is_visible()
    assert page.locator("#files").is_hidden()
    assert page.locator("form").is_hidden()


def test_the_policy_of_the_page_without_data_forbids_every_connection(empty):
    page = empty()
    policy = page.get_attribute("meta[http-equiv]", "content")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    script = "fetch('http://127.0.0.1:9').then(() => 'out', (error) => `${error}`)"
    assert "Failed to fetch" in page.evaluate(script)


def test_hostile_names_and_words_do_nothing(empty):
    hostile = "<img src=x onerror=document.title='hijacked'>"
    page = empty()
    give(page, (f"{hostile}.csv", f"{hostile},b\n1,{hostile}\n2,x\n".encode()))
    assert hostile in page.inner_text("#door")
    assert page.locator("img").count() == 0
    assert page.title() == "Check your record"


def test_everybody_can_use_the_page(empty, axe):
    page = empty()
    assert grave(page, axe) == []
    give(page, ("people.csv", b"pay,stage,city\n1.5,low,A\n2,high,B\n3,low,C\n"))
    page.click("#door summary")
    assert grave(page, axe) == []
    page.emulate_media(color_scheme="dark")
    assert grave(page, axe, "color-contrast") == []  # what else is found is found in the light
    page.emulate_media(color_scheme="light")
    resize(page, 360, 740)
    assert grave(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("mask", ["anatomize", "generalize"])
@pytest.mark.parametrize(
    ("method", "asked", "who"),
    [
        ("entropy_diverse", {"ell": 2}, "whole table or repeats the publisher's method may do"),
        ("mondrian", {"k": 2}, "whole table may do"),
        ("anatomy", {"ell": 2, "seed": 1}, "whole table may do"),
    ],
)
def test_who_repeats_a_method_that_looks_at_the_secrets_is_named_on_the_page(
    mask, method, asked, who, empty, opened, tmp_path
):
    data = vk.load("lhcc_table1")
    groups = getattr(vk.partition, method)(data, **asked)
    release = getattr(vk.mask, mask)(data, partition=groups, seed=1).release
    report = vk.check({"Age": 65}, release)
    assert who in str(report)
    page = opened(release)
    answered(page, ("65",))
    shown = page.text_content("#card")
    assert all(part.text in shown for part in report.parts)
    assert f"This holds {report.facts['rests']}." in shown
    assert page.problems == []
    release.save(tmp_path / "release")
    told = json.loads((tmp_path / "release/datapackage.json").read_text(encoding="utf-8"))
    read = empty().evaluate("(told) => bySecrets(told)", told["verikit"]["parameters"])
    assert read == (method == "entropy_diverse")
