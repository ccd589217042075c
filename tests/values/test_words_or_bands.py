"""Whether a cell is a band, a set or a word is asked where nobody tells it, and then kept."""

import json

import pandas as pd
import pytest
from sources import WHOLE

import verikit as vk
from verikit.languages import translate, use_language
from verikit.subject import read_typed
from verikit.values.meanings import find_doubtful

LINES = "pay,zip,job,age\n<=50K,02138,clerk,31\n>50K,02139,{a},45\n<=50K,021**,clerk,33\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(LINES, encoding="utf-8")
    return path


def asked_of(release):
    return {name for name in release.schema.names for n in release.notes if f"words='{name}'" in n}


def test_each_untold_column_that_may_hold_bands_or_sets_is_asked_for(table):
    assert asked_of(vk.open_release(table)) == {"pay", "zip", "job"}
    assert asked_of(vk.open_release(table, words=["pay", "zip"])) == {"job"}
    assert asked_of(vk.open_release(table, words=["pay", "zip", "job"])) == set()


def test_a_column_of_words_holds_words_in_a_check_a_question_and_the_saved_release(table, tmp_path):
    words = vk.open_release(table, words=["pay", "zip", "job"])
    assert words.generalized_columns() == {}
    words.save(tmp_path / "r")
    saved = vk.open_release(tmp_path / "r")
    assert [column.words for column in saved.schema] == [True, True, True, False]
    for release, counted in ((vk.open_release(table), (0, 3)), (saved, (0, 3))):
        found = vk.answer(vk.Query.count({"zip": "02138"}), release)
        assert (found.lower, found.upper) == counted  # an untold table promises nothing
    told = vk.TableRelease.of(words.frame, words.schema, promise="covers")
    found = vk.answer(vk.Query.count({"zip": "02138"}), told)
    assert (found.lower, found.upper) == (1, 1)  # 021** is another word
    bands = vk.TableRelease.of(words.frame, promise="covers")
    assert vk.answer(vk.Query.count({"zip": "02138"}), bands).upper == 2
    assert vk.read(table, words="pay").schema["pay"].words


PEOPLE = {
    "pay": ["<=50K", ">50K", "<=50K", ">50K"],
    "age": ["20-29", "30-39", "20-29", "40+"],
    "zip": ["02138", "02139", "021**", "02138"],
    "job": ["clerk", "cook", "{clerk, cook}", "clerk"],
    "ill": ["flu", "flu ", "cold", "flu"],
    "month": ["2020-01", "2020-02", "2020-03", "2020-01"],
    "grade": ["A*", "A", "B", "A"],
    "truth": ["True", "true", "TRUE", "True"],
    "kids": [1, 2, 0, 1],
    "weight": [61.5, None, 80.25, 72.0],
}
DOORS = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".parquet": pd.DataFrame.to_parquet,
    ".feather": pd.DataFrame.to_feather,
    ".xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "": lambda frame, path: vk.TableRelease.of(frame).save(path),
}
RECORDS = [
    {"age": "25", "zip": "02138", "job": "Clerk", "kids": 1},
    {"pay": "<=50K", "grade": "a*", "truth": "true", "weight": "61,5"},
    {"ill": "flu"},
    {"job": "plumber"},
    {"month": "2020-02-05"},
    {"kids": "many"},
]


def say_of(record, release):
    try:
        report = vk.check(record, release)
    except vk.VerikitError as refusal:
        return type(refusal), str(refusal)
    return report.headline, report.sentences, report.facts, report.notes


@pytest.mark.parametrize("words", [None, ["pay", "age", "zip", "job"]])
@pytest.mark.parametrize("door", DOORS)
def test_a_frame_is_asked_and_checked_as_the_same_table_in_a_file(door, words, tmp_path):
    for library in ("pyarrow", "openpyxl"):
        pytest.importorskip(library)
    frame, path = pd.DataFrame(PEOPLE), tmp_path / f"t{door}"
    DOORS[door](frame, path)
    held, read = vk.TableRelease.of(frame, words=words), vk.open_release(path, words=words)
    assert read.schema == held.schema
    assert read.notes == held.notes
    pd.testing.assert_frame_equal(read.frame, held.frame)
    assert asked_of(held) == ({"pay", "age", "zip", "job"} if words is None else set())
    said = [say_of(record, held) for record in RECORDS]
    assert [say_of(record, read) for record in RECORDS] == said
    states = [getattr(found[0], "state", "refused") for found in said]
    first = "cannot-tell" if words is None else "refused"  # 25 is no word of '20-29', '30-39'
    assert states == [first, "cannot-tell", *["refused"] * 4]  # nobody promises anything


def test_a_frame_that_is_told_to_cover_or_to_hold_words_is_not_asked():
    frame = pd.DataFrame(PEOPLE)
    assert vk.TableRelease.of(frame, promise="covers").notes == ()
    schema = vk.Schema.guess(frame).with_column("pay", words=True)
    assert asked_of(vk.TableRelease.of(frame, schema)) == {"age", "zip", "job"}
    assert vk.read(frame, words="pay").schema["pay"].words


def test_words_of_a_package_of_others_are_told_too(tmp_path):
    (tmp_path / "t.csv").write_text(LINES, encoding="utf-8")
    package = {"resources": [{"name": "t", "path": "t.csv"}]}
    (tmp_path / "datapackage.json").write_text(json.dumps(package), encoding="utf-8")
    assert asked_of(vk.open_release(tmp_path)) == {"pay", "zip", "job"}
    assert asked_of(vk.open_release(tmp_path, words=["pay", "zip"])) == {"job"}


@pytest.mark.parametrize(
    "other", ["flu ", "f lu", "flu\u200b", "flu\u3000", "\u2060flu", "flu\u00ad"]
)
def test_words_that_look_alike_stay_apart_and_are_told_and_asked_back(other):
    table = vk.TableRelease.of(pd.DataFrame({"ill": ["flu", other, "cold"], "age": [31, 45, 52]}))
    assert table.frame["ill"].tolist() == ["flu", other, "cold"]
    if other == "f lu":  # which can be seen
        assert table.notes == ()
        assert read_typed("flu", table.schema["ill"], table).value == "flu"
        return
    (note,) = table.notes
    assert repr(other) in note
    assert "look alike" in note
    with pytest.raises(vk.RecordError, match="which look alike; put the one that is meant in q"):
        vk.check({"ill": "flu"}, table)
    for word in ("flu", other):
        assert read_typed(f'"{word}"', table.schema["ill"], table).value == word


@pytest.mark.parametrize("typed", ["Flu", " FLU ", "f\u200blu", "ｆｌｕ", "flu\u3000", "\ufeffflu"])
def test_a_typed_word_is_the_one_that_looks_like_it(typed):
    table = vk.TableRelease.of(pd.DataFrame({"ill": ["flu", "cold"], "age": [31, 45]}))
    assert read_typed(typed, table.schema["ill"], table).value == "flu"
    assert table.notes == ()


def test_a_column_that_is_not_there_is_refused(table):
    with pytest.raises(vk.RecordError, match="There is no column 'nix'"):
        vk.open_release(table, words="nix")
    with pytest.raises(vk.FormatError, match="columns of words were given as 5"):
        vk.open_release(table, words=5)


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (("clerk", "nurse", "*"), None),
        (("20", "30"), None),
        (("2020-01", "2020-02"), None),
        (("A", "A*", "B"), None),
        (("20-29", "30+"), "20-29"),
        (("{a, b}", "a"), "{a, b}"),
        (("47602", "476**"), "476**"),
        (("<fifty", "clerk"), "<fifty"),
    ],
)
def test_only_what_may_be_two_things_is_asked(labels, found):
    assert find_doubtful(labels, vk.Column("x", kind="nominal")) == found
    assert find_doubtful(labels, vk.Column("x", kind="nominal", words=True)) is None


@pytest.mark.parametrize("language", WHOLE)
def test_the_question_is_asked_in_each_language(table, language):
    notes = vk.open_release(table).notes
    with use_language(language):
        said = [translate(note) for note in notes]
    assert "'<=50K'" in said[0]
    assert "'pay'" in said[0]
    assert language == "en" or said[0] != notes[0]


def test_the_range_of_numbers_travels_and_a_typed_number_beyond_it_is_told(tmp_path):
    ages = vk.Schema((vk.Column("age", domain=(0, 65), unit="years"),))
    release = vk.mask.noise(vk.Microdata(pd.DataFrame({"age": range(20, 60)}), ages),
                            scale={"age": 1}, seed=3).release  # fmt: skip
    release.save(tmp_path / "r")
    saved = vk.open_release(tmp_path / "r")
    assert (saved.schema["age"].domain, saved.schema["age"].unit) == ((0, 65), "years")
    notes = {typed: vk.check({"age": typed}, saved).notes for typed in ("66", "70", "65", "0")}
    told = {typed for typed, said in notes.items() if any("beyond what it" in n for n in said)}
    assert told == {"66", "70"}
    assert "0 bis 65" in vk.check({"age": "66"}, saved, language="de").notes[0]


@pytest.mark.parametrize("domain", [(5, 1), (1, 2, 3), (1,)])
def test_a_range_that_is_none_is_refused(domain):
    with pytest.raises(vk.SchemaError, match="expected the least and the greatest number"):
        vk.Column("age", domain=domain)
    with pytest.raises(vk.SchemaError, match="of a numeric column"):
        vk.Column("job", kind="nominal", domain=(1, 2))
