"""Whether people can be shown to be in the data, and what their sensitive values may be."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.intruder import presence, value_chance
from verikit.partition import diverse


@pytest.fixture(scope="module")
def census():
    return vk.simulate("census", 240, seed=1).only("Age", "Gender", "Marital", "Salary-class")


@pytest.fixture(scope="module")
def permuted(census):
    return vk.mask.permute_all(census, partition=diverse(census, ell=4, seed=1), seed=1)[0]


@pytest.fixture(scope="module")
def anatomized(census):
    return vk.mask.anatomize(census, partition=diverse(census, ell=4, seed=1), seed=1)[0]


def test_everyone_is_certainly_present_under_anatomy_and_not_under_permutation(
    census, anatomized, permuted
):
    assert (presence(census, anatomized).exact == 1).all()
    found = presence(census, permuted)
    assert 0 < found.exact.min() < 1
    assert (found.groups >= 1).all()
    assert (found.lemma <= found.exact + 1e-12).all()


def test_people_who_were_never_there_may_look_present_and_people_unlike_all_do_not(
    permuted, census
):
    strangers = census.frame.head(2).assign(Age=[99, 40], Gender=["01", "02"])
    found = presence(vk.Microdata(strangers, census.schema), permuted)
    assert found.exact[0] == found.lemma[0] == found.groups[0] == 0


def test_the_share_of_truly_present_among_the_certain_is_one(census, permuted):
    """Certain means certain: every combination with chance 1 occurs in the data."""
    known = ["Age", "Gender", "Marital"]
    combinations = pd.MultiIndex.from_product([sorted(set(census.frame[name])) for name in known])
    people = vk.Microdata(
        combinations.to_frame(index=False, name=known), vk.Schema(tuple(census.schema.quasi))
    )
    found = presence(people, permuted)
    there = pd.MultiIndex.from_frame(people.frame.astype(str)).isin(
        pd.MultiIndex.from_frame(census.frame[known].astype(str))
    )
    assert there[found.exact >= 1 - 1e-12].all()
    assert not there[found.exact == 0].any()


def test_the_chances_stand_beside_what_is_known_of_each_person(census, permuted):
    found = presence(census, permuted)
    assert list(found.to_frame()) == ["Age", "Gender", "Marital", "groups", "lemma", "exact"]
    assert len(found) == len(census)
    assert repr(found).startswith("presence: certain for")


def test_a_guess_is_right_as_often_as_its_chance_says(census, anatomized, permuted):
    """The mean chance of the true value is what guessing by it gets right on average."""
    for release in (anatomized, permuted):
        found = value_chance(census, release)
        assert (found.chance <= 1 / 2).all()
        assert (found.own <= found.chance + 1e-12).all()
        assert (found.own > 0).all()
        right = (found.guess == census.frame["Salary-class"].astype(str)).mean()
        assert right == pytest.approx(found.chance.mean(), abs=4 * np.sqrt(0.25 / 240))


def test_under_anatomy_the_chance_in_a_single_group_is_at_most_one_in_ell(census, anatomized):
    single = presence(census, anatomized).groups == 1
    assert value_chance(census, anatomized).chance[single].max() <= 1 / 4 + 1e-12


def test_the_printed_formula_never_exceeds_the_chance(census, anatomized, permuted):
    found = value_chance(census, permuted)
    assert (found.printed <= found.own + 1e-12).all()
    assert found.printed.sum() < found.own.sum()
    same = value_chance(census, anatomized)
    assert same.printed == pytest.approx(same.own)


def test_people_without_sensitive_values_can_be_looked_up(census, permuted):
    people = census.only("Age", "Gender", "Marital")
    found = value_chance(people, permuted)
    assert np.isnan(found.own).all()
    assert found.chance == pytest.approx(value_chance(census, permuted).chance)


def test_somebody_who_fits_no_group_has_no_guess(census, permuted):
    stranger = vk.Microdata(census.frame.head(1).assign(Age=[99]), census.schema)
    found = value_chance(stranger, permuted)
    assert found.guess.tolist() == [None]
    assert (found.chance[0], found.own[0]) == (0, 0)


def test_the_order_of_the_people_does_not_matter(census, permuted):
    rows = np.random.default_rng(1).permutation(len(census))
    for attack, names in ((presence, ("lemma", "exact")), (value_chance, ("chance", "own"))):
        plain, mixed = attack(census, permuted), attack(census.take(rows), permuted)
        for name in names:
            assert getattr(mixed, name) == pytest.approx(getattr(plain, name)[rows])


@pytest.mark.parametrize("attack", [presence, value_chance])
def test_what_cannot_be_attacked_is_refused(attack, census, permuted):
    with pytest.raises(vk.SchemaError, match="was given TableRelease; expected a SplitRelease"):
        attack(census, vk.published("lhcc_table2"))
    with pytest.raises(vk.SchemaError, match="people known lack 'Marital' of the release"):
        attack(census.only("Age", "Gender"), permuted)
    gaps = vk.Microdata(
        census.frame.assign(Age=census.frame["Age"].where(census.frame["Age"] > 30)), census.schema
    )
    with pytest.raises(vk.SchemaError, match=r"'Age' has \d+ missing values"):
        attack(gaps, permuted)
    with pytest.raises(vk.SchemaError, match="was given DataFrame; expected Microdata"):
        attack(census.frame, permuted)


def test_which_sensitive_column_must_be_clear():
    data = vk.simulate("census", 40, seed=1).only("Age", "Occupation", "Salary-class")
    groups = diverse(data, ell=2, sensitive="Occupation", seed=1)
    release, _ = vk.mask.permute_all(data, partition=groups, seed=1)
    with pytest.raises(vk.SchemaError, match=r"sensitive columns \('Occupation', 'Salary-class'\)"):
        value_chance(data, release)
    assert len(value_chance(data, release, sensitive="Occupation")) == 40


def test_the_results_can_be_shown(census, permuted):
    for found in (presence(census, permuted), value_chance(census, permuted)):
        assert "<table" in found._repr_html_()


def test_a_value_that_no_group_holds_has_no_chance():
    person = vk.load("lhcc_table1").frame.head(1).assign(Disease="Gout")
    data = vk.Microdata(person, vk.Schema.guess(person, Disease="sensitive"))
    found = value_chance(data, vk.published("lhcc_table4"))
    assert (found.own.tolist(), found.printed.tolist()) == ([0], [0])
