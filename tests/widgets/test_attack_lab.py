"""AttackLab: pick a release, an attack and what the attacker knows; see what falls."""

import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.widgets import AttackLab


@pytest.fixture
def she(before):
    return before(AttackLab())


def test_the_first_screen_shows_that_all_single_persons_stole(she):
    assert she.view.result.attack == "homogeneity"
    assert "Crime is given away with certainty for 4 of 11 records, first Theft" in she.card
    assert "1 finding, 1 of them certain" in she.card
    assert "vk-head warning" in she.html
    # Five of the eleven crimes are thefts, four of them in this class.
    assert she.pictures == ["How sure. Theft · Single, 20**, 19552: 45 of 100 → 100 of 100."]
    assert she.rows()[1] == ["Single", "20**", "19552", "4", "Theft", "45 of 100", "100 of 100"]


def test_the_one_who_was_caught_for_indecency_lives_at_one_postal_code(she):
    she.types("attack", "background_knowledge")
    assert she.view.result.frame["Zip"].tolist() == ["36363"]
    assert "Indecency" in she.card
    she.types("value", "Theft")
    assert she.view.result.frame["Zip"].tolist()[0] == "19552"


def test_ruling_a_value_out_is_another_kind_of_knowledge(she):
    she.types("attack", "background_knowledge")
    she.types("value", "Murder")
    she.types("knows", "ruled_out")
    assert "Murder" not in {row[4] for row in she.rows()[1:]}
    assert she.view.result.people == 11


def test_the_skewed_class_of_a_hundred_tests_is_nearly_certain(she):
    she.types("attack", "skewness")
    she.types("table", "tests")
    assert "in 98 of 100 cases instead of 50 of 100" in she.card
    she.types("gain", "0.49")
    assert she.view.result.people == 0
    assert "Nothing gained" in she.card


def test_diseases_of_one_kind_are_found_in_the_table_that_has_kinds(she):
    she.types("attack", "similarity")
    assert she.field("table").value == "ks_table6"
    assert "first neurological for Marital Status Single" in she.card


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        ("unsorted_matching", "4 of 4 rows fit at their own place"),
        ("complementary_release", "4 of 4 records can be joined without a choice"),
        ("temporal", "1 came and 0 left between the releases"),
    ],
)
def test_attacks_on_two_tables_show_both(she, attack, said):
    she.types("attack", attack)
    assert said in she.card
    assert "What he has already" in she.card
    assert [field.id for field in she.view.parts()[1].fields] == []


def test_one_person_is_described_box_by_box(she):
    she.types("whom", "one")
    assert "give at least one" in she.card
    she.types("record/Zip", "19552")
    assert "1 of 1 people known" in she.card
    she.types("record/Zip", "36363")
    assert she.view.result.people == 0
    she.types("record/Zip", "")
    assert she.view.result is None


def test_people_given_in_python_are_those_who_are_looked_for(before):
    people = pd.DataFrame({"Name": ["Jack", "Jill", "Jim"], "Zip": ["36363", "20001", "19552"]})
    she = before(AttackLab(people=people, attack="background_knowledge"))
    assert she.view.result.frame["Name"].tolist() == ["Jack"]
    assert she.pictures == ["How sure. Indecency · Jack, 36363: 33 of 100 → 100 of 100."]


def test_less_than_certainty_finds_more(she):
    she.types("table", "ks_table1")
    assert she.view.result.people == 0
    she.types("least", "0.5")
    assert she.view.result.people > 0
    assert all(she.view.result.frame["confidence"] >= 0.5)


def test_a_release_of_ones_own_is_attacked(before):
    frame = pd.DataFrame({"Zip": ["1", "1"], "Ill": ["flu", "flu"]})
    release = vk.TableRelease.of(frame, vk.Schema.guess(frame, Ill="sensitive"))
    she = before(AttackLab(release))
    assert she.view.result.total == 2
    she.types("attack", "temporal")
    assert "AttackLab(release, known=...)" in str(she.view.last_error)
    both = before(AttackLab(release, known=release, attack="temporal"))
    assert both.view.result.people == 0


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("attack", "guess", RecordError),
        ("table", "dm_table1", RecordError),
        ("least", "2", RecordError),
        ("whom", "nobody", RecordError),
    ],
)
def test_what_cannot_be_asked_is_said_at_its_box(she, field, value, error):
    she.types(field, value)
    assert isinstance(she.view.last_error, error)
    assert she.field(field).error.startswith(f"{field} was given as")
    assert she.view.result is None


def test_kinds_are_needed_for_similarity(before):
    release = vk.published("ks_table4")
    she = before(AttackLab(release, attack="similarity"))
    assert isinstance(she.view.last_error, SchemaError)
    assert "Column 'Crime' has no hierarchy" in she.card


def test_texts_from_the_table_are_shown_as_texts(before):
    frame = pd.DataFrame({"<script>": ["<img src=x>"] * 2, "Ill": ["<b>"] * 2})
    she = before(AttackLab(vk.TableRelease.of(frame, vk.Schema.guess(frame, Ill="sensitive"))))
    assert "<script>" not in she.html
    assert "<img" not in she.html
    assert "&lt;img src=x&gt;" in she.html
