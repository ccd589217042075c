"""A word is found in whatever case and blanks it is written, at the doors of attacks and questions.

`vk.check` says the same in tests/subject.
"""

import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError
from verikit.values.spellings import Spellings

COLUMNS = (vk.Column("sex", kind="nominal"), vk.Column("ill", "sensitive", "nominal"))
FRAME = pd.DataFrame({"sex": ["Female", "Female", "Male"], "ill": ["a", "b", "b"]})
TABLE = vk.TableRelease.of(FRAME, vk.Schema(COLUMNS), promise="as it was")
PEOPLE = pd.DataFrame({"sex": ["Female", " FEMALE"]})
TREE = vk.Hierarchy.of({"woman": ["Female"], "man": ["Male"], "other": ["Divers"]})
DECLARED = {
    "a tree": vk.Column("sex", kind="nominal", hierarchy=TREE),
    "an order": vk.Column("sex", kind="ordinal", order=("Female", "Divers", "Male")),
}
declared = pytest.mark.parametrize("column", DECLARED.values(), ids=DECLARED)


def released(column, **changed):
    frame = FRAME.assign(**changed)
    return vk.TableRelease.of(frame, vk.Schema((column, COLUMNS[1])), promise="as it was")


def counted(release, **where):
    return vk.answer(vk.Query.count(where), release).estimate


def test_people_are_found_however_their_words_are_written():
    found = vk.intruder.background_knowledge(TABLE, PEOPLE, value="a")
    assert "2 of 2 people known" in found.sentence
    assert found.frame["confidence"].tolist() == [0.5, 0.5]
    for attack in (vk.intruder.homogeneity, vk.intruder.skewness, vk.intruder.similarity):
        kinds = {"kinds": {"a": "x", "b": "x"}} if attack is vk.intruder.similarity else {}
        one, other = (attack(TABLE, {"sex": word}, **kinds) for word in ("Female", "feMALE"))
        assert one.frame.drop(columns="sex").equals(other.frame.drop(columns="sex"))
        assert one.total == other.total == 1


def test_a_known_value_is_found_however_it_is_written():
    one, other = (vk.intruder.background_knowledge(TABLE, PEOPLE, value=v) for v in ("a", " A"))
    assert one.frame.equals(other.frame)
    assert one.sentence == other.sentence
    left = [vk.intruder.background_knowledge(TABLE, ruled_out=[v]).frame for v in ("b", "B ")]
    assert left[0].equals(left[1])


@pytest.mark.parametrize("name", ["lhcc_table3", "lhcc_table4"])
def test_groups_of_two_tables_are_found_however_words_are_written(name):
    data, split = vk.load("lhcc_table1"), vk.published(name)
    words = {n: data.frame[n].astype(str).str.swapcase() + " " for n in ("Sex", "Disease")}
    typed = vk.Microdata(
        data.frame.assign(**words), vk.Schema.guess(data.frame, Disease="sensitive")
    )
    one, other = (vk.intruder.presence(who, split) for who in (data, typed))
    assert one.exact.tolist() == other.exact.tolist()
    assert min(one.exact) > 0
    one, other = (vk.intruder.value_chance(who, split) for who in (data, typed))
    assert one.own.tolist() == other.own.tolist()
    assert min(one.own) > 0


def test_a_question_finds_a_value_however_it_is_written():
    pytest.importorskip("sqlglot", reason="questions in SQL need it")
    assert counted(TABLE, ill="A") == counted(TABLE, ill=" a ") == counted(TABLE, ill="a") == 1
    assert counted(TABLE, ill={"A", "B"}) == 3
    assert vk.answer("select count(*) from t where not ill = 'A'", TABLE).estimate == 2


@declared
def test_a_question_finds_declared_values_and_groups_however_they_are_written(column):
    release = released(column)
    assert counted(release, sex="FEMALE") == 2
    if column.hierarchy is not None:
        assert counted(release, sex="Woman") == counted(release, sex="woman") == 2
    assert counted(release, sex="Divers") == 0  # declared, and nobody is


def test_a_value_that_is_held_as_written_wins():
    release = vk.TableRelease.of(
        FRAME.assign(ill=["a", "A", "b"]), TABLE.schema, promise="as it was"
    )
    assert [counted(release, ill=one) for one in ("a", "A", "b", "B")] == [1, 1, 1, 1]


@declared
def test_a_word_that_no_category_is_is_refused_with_the_nearest(column):
    release, people = released(column), pd.DataFrame({"sex": ["Male", "Fmale"]})
    with pytest.raises(RecordError, match="'Fmale' is not a category of 'sex'; it has 'Female', "):
        counted(release, sex="Fmale")
    with pytest.raises(RecordError, match="'Fmale' is not a category of 'sex'; it has 'Female'"):
        vk.intruder.homogeneity(release, people)


def test_a_word_that_is_nearly_a_value_is_refused_with_it():
    said = "'Femal' stands nowhere in 'sex', unlike 'Female'"
    with pytest.raises(RecordError, match=said):
        counted(TABLE, sex="Femal")
    with pytest.raises(RecordError, match=said):
        vk.intruder.homogeneity(TABLE, {"sex": "Femal"})
    assert counted(TABLE, ill="plague") == 0  # no value is declared, and nobody has it


def test_where_each_cell_is_one_value_a_set_is_a_word_to_choose_and_its_members_are_not():
    shown = pd.Series(["{a, b}", "c", "*"], dtype="category")
    known = [Spellings.of(vk.Column("x", kind="nominal"), shown, sets=s) for s in (True, False)]
    assert [one.offered for one in known] == [("c", "a", "b"), ("*", "c", "{a, b}")]
