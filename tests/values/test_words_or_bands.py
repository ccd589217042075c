"""Whether a cell is a band, a set or a word is asked where nobody tells it, and then kept."""

import pandas as pd
import pytest
from sources import WHOLE

import verikit as vk
from verikit.languages import translate, use_language
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
