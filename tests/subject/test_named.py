"""Words that a person types: the spelling of the table, or a question back; never a star."""

import pandas as pd
import pytest

import verikit as vk
from verikit.cli import main
from verikit.errors import RecordError

SEXES = vk.Hierarchy.of({"*": ["Male", "Female"]})
SPELLED = ("Female", "female", "FEMALE", " Female", "  fEmale \t")
WRONG = ("F", "Femal", "woman", "males", "Any", "Femalle")


def people(tree=SEXES, promise="covers"):
    """Women and men, and two records that show a star: all people with one illness."""
    frame = pd.DataFrame(
        {"sex": ["Female"] * 4 + ["Male"] * 4 + ["*"] * 2, "illness": [*"aabbccdd", "e", "e"]}
    )
    columns = (
        vk.Column("sex", "quasi", "nominal", tree),
        vk.Column("illness", "sensitive", "nominal"),
    )
    return vk.TableRelease.of(frame, vk.Schema(columns), promise=promise)


@pytest.mark.parametrize("tree", [SEXES, None])
@pytest.mark.parametrize("given", SPELLED)
def test_case_and_blanks_make_no_other_word(given, tree):
    wanted = vk.check({"sex": "Female"}, people(tree))
    found = vk.check({"sex": given}, people(tree))
    assert found.to_json() == wanted.to_json()
    assert found.facts["fits"] == 4


@pytest.mark.parametrize("given", WRONG)
def test_a_word_that_the_tree_lacks_is_refused_with_the_nearest_first(given):
    with pytest.raises(RecordError, match=r"not a category of 'sex'; it has '(Fem|M)ale', '"):
        vk.check({"sex": given}, people())


def test_the_nearest_of_many_stand_first():
    tree = vk.Hierarchy.of({"*": ["Bachelors", "Masters", "HS-grad", "Some-college", "10th"]})
    frame = pd.DataFrame({"education": ["Bachelors", "Masters", "*"]})
    schema = vk.Schema((vk.Column("education", "quasi", "nominal", tree),))
    release = vk.TableRelease.of(frame, schema, promise="covers")
    with pytest.raises(RecordError, match="not a category of 'education'; it has 'Bachelors', "):
        vk.check({"education": "Bachelor"}, release)
    with pytest.raises(RecordError, match="it has 'Some-college', "):
        vk.check({"education": "some college degree"}, release)


def test_a_group_of_the_tree_is_asked_back_by_its_values():
    tree = vk.Hierarchy.of({"*": {"far": ["Ural", "Oka"], "near": ["Lek", "Waal"]}})
    frame = pd.DataFrame({"river": ["near", "near", "Oka", "*"]})
    schema = vk.Schema((vk.Column("river", "quasi", "nominal", tree),))
    release = vk.TableRelease.of(frame, schema, promise="covers")
    with pytest.raises(RecordError, match="'near' is not a category of 'river'; it has 'Lek', 'W"):
        vk.check({"river": "near"}, release)


@pytest.mark.parametrize("given", ["Femal", "femalle", "Femlae", "woman", "x"])
def test_without_a_tree_a_word_that_no_cell_may_be_is_asked_back(given):
    said = "stands nowhere in 'sex', unlike '(Fem|M)ale', '(Fem|M)ale'; write it so, leave it out"
    with pytest.raises(RecordError, match=said):
        vk.check({"sex": given}, people(None))


@pytest.mark.parametrize("given", ['"woman"', "“woman”", "„ woman “", "« woman »"])
def test_a_word_in_quotes_is_meant_as_it_stands_and_concludes_nothing(given):
    report = vk.check({"sex": given}, people(None))
    assert report.headline.state == "cannot-tell"
    assert report.headline.text == (
        "No published label shows 'woman' for sex. Unless it is written otherwise there, only "
        "records that withhold it could be yours."
    )
    assert [said.key for said in report.sentences] == ["G11", "S7", "S12"]
    male = vk.check({"sex": "male"}, people(None))
    assert male.facts["fits"] == 4  # which is no slip of Female


def test_a_code_that_nobody_shows_is_asked_back():
    frame = pd.DataFrame({"zip": ["47677", "47602", "4790*"]})
    release = vk.TableRelease.of(frame, promise="covers")
    with pytest.raises(RecordError, match="'47678' stands nowhere in 'zip', unlike '47677', "):
        vk.check({"zip": "47678"}, release)
    assert vk.check({"zip": '"47678"'}, release).facts["fits"] == 0
    assert vk.check({"zip": "47905"}, release).facts["fits"] == 1


def test_no_spelling_gives_a_stronger_verdict_than_the_right_one():
    strength = ["no-warning", "cannot-tell", "warning-table", "warning-you"]
    for tree in (SEXES, None):
        right = strength.index(vk.check({"sex": "Female"}, people(tree)).headline.state)
        for given in (*SPELLED, *WRONG, "*x", "f e m a l e", "Fraulein", "-"):
            try:
                report = vk.check({"sex": given}, people(tree))
            except RecordError:
                continue
            found = report.headline.state
            assert found == "cannot-tell" or strength.index(found) <= right, given
            assert found == "cannot-tell" or report.facts["fits"] == 4, given


def test_her_sensitive_value_is_read_in_the_spelling_of_the_table_too():
    wanted = vk.check({"sex": "Male", "illness": "c"}, people()).to_json()
    assert vk.check({"sex": "Male", "illness": " C "}, people()).to_json() == wanted


def test_words_fold_in_tables_by_groups_and_in_ordered_columns():
    lhcc = vk.published("lhcc_table4")
    wanted = vk.check({"Age": 65, "Sex": "M"}, lhcc).to_json()
    assert vk.check({"Age": 65, "Sex": " m"}, lhcc).to_json() == wanted
    frame = pd.DataFrame({"stage": ["I", "II", "II"], "age": [30, 40, 50]})
    stage = vk.Column("stage", kind="ordinal", order=("I", "II"))
    release = vk.TableRelease.of(frame, vk.Schema((stage, vk.Column("age"))))
    wanted = vk.check({"stage": "II", "age": 40}, release).to_json()
    assert vk.check({"stage": "ii ", "age": 40}, release).to_json() == wanted


def test_a_word_that_two_categories_spell_alike_is_not_chosen_for_her():
    frame = pd.DataFrame({"grade": ["aB", "Ab", "c"]})
    order = vk.Column("grade", "quasi", "ordinal", order=("aB", "Ab", "c"))
    release = vk.TableRelease.of(frame, vk.Schema((order,)), promise="covers")
    assert vk.check({"grade": " Ab "}, release).facts["fits"] == 1
    with pytest.raises(RecordError, match="'AB' is not a category of 'grade'; it has 'aB', 'Ab', "):
        vk.check({"grade": "AB"}, release)


@pytest.mark.parametrize("given", ["female", "Female", "Femal", "woman"])
def test_the_command_takes_and_refuses_the_same_words(given, tmp_path, capsys):
    folder = people().save(tmp_path / "gen")
    code = main(["check", str(folder), "--set", f"sex={given}"])
    said = "".join(capsys.readouterr())
    if given.lower() == "female":
        assert code == 0
        assert "4 of the 10 published records fit your values" in said
    else:
        assert code != 0
        assert "is not a category of 'sex'; it has" in said


WRITTEN = [
    *("2003-05-14", "14.05.2003", "05/14/2003", "May 14, 2003", "14 May 2003", "14. Mai 2003"),
    *("2003-05", "05/2003", "14.5.03", "20030514"),
]


@pytest.mark.parametrize("given", WRITTEN)
def test_a_date_typed_into_a_column_of_years_is_asked_back_as_its_year(given):
    with pytest.raises(
        RecordError, match=r"'DOB' was given as .*, but it holds years; give 2003\."
    ):
        vk.check({"DOB": given, "Zip": "19552"}, vk.published("ks_table4"))
    for years in ([2003, 2004, 2003], ["2003", "2004", "*"], ["2000-2009", "2000-2009", "1990"]):
        release = vk.TableRelease.of(pd.DataFrame({"born": years, "x": [1, 2, 3]}))
        with pytest.raises(RecordError, match=r"but it holds years; give 2003\."):
            vk.check({"born": given, "x": 1}, release)


@pytest.mark.parametrize("given", ["2003", "1012 AB", "2000-2009", "20030514"])
def test_what_is_no_date_beside_numbers_is_not_taken_for_one(given):
    labels = ["1000-1999", "2000-2999", "2000-29999999"]
    release = vk.TableRelease.of(pd.DataFrame({"pay": labels, "x": [1, 2, 3]}))
    assert "it holds years" not in repr(attempt(given, release))


def attempt(given, release):
    try:
        return vk.check({"pay": given, "x": 1}, release)
    except RecordError as error:
        return error


def test_a_year_typed_into_a_column_of_dates_is_asked_back_for_the_whole_date():
    born = pd.to_datetime(["2003-05-14", "2004-01-01", "1999-12-31"])
    release = vk.TableRelease.of(pd.DataFrame({"born": born, "x": [1, 2, 3]}))
    with pytest.raises(RecordError, match="'born' was given as '2003', but it holds dates; give"):
        vk.check({"born": "2003", "x": 1}, release)
    assert vk.check({"born": "2003-05-14", "x": 1}, release)


def test_a_date_in_a_column_of_ages_stays_no_number():
    release = vk.TableRelease.of(pd.DataFrame({"age": [30, 40], "x": [1, 2]}))
    with pytest.raises(RecordError, match="'age' was given as '2003-05-14'; expected a number"):
        vk.check({"age": "2003-05-14", "x": 1}, release)
