"""Tables 3.2 to 3.4 and 5.2 of the dissertation as releases, row by row, against our own."""

from collections import Counter
from fractions import Fraction

import pandas as pd
import pytest

import verikit as vk
from verikit.mask import disguise, personalize
from verikit.models import personal_respect, target_privacy
from verikit.targets import balanced
from verikit.words import text

TREE = balanced([30_000, 40_000, 50_000, 60_000])
WHOLE, LOW, HIGH = "[30000, 60000]", "[30000, 40000]", "[50000, 60000]"
ROWS_3_2 = ["40000", "50000", "30000", "60000", WHOLE, LOW, HIGH, WHOLE, LOW, WHOLE, HIGH]
ROWS_3_3 = [LOW, "50000", LOW, "60000", HIGH, LOW, WHOLE, WHOLE, LOW, WHOLE, WHOLE]
ROWS_3_4 = ["30000", "40000", "50000", "60000"]
ROWS_5_2 = ["60000", LOW, "30000"]


def printed(people, numbers, cells, groups, fakes=0):
    """The two tables of a printed release: who is in which group, and what the groups hold."""
    quasi = people.frame[["zipcode", "gender"]].assign(**{"Group-ID": numbers})
    hidden = pd.DataFrame({"Group-ID": groups, "salary": cells})
    salary = vk.Column("salary", "sensitive", hierarchy=TREE)
    schema = vk.Schema((people.schema["zipcode"], people.schema["gender"], salary))
    return vk.SplitRelease(quasi, hidden, schema, parameters={"fakes": fakes}, promise="covers")


@pytest.fixture(scope="module")
def people():
    return vk.load("qz_table3_1")


@pytest.fixture(scope="module")
def numbers(people):
    return (people.frame["zipcode"] // 100 - 910).tolist()


def held(release):
    """What each group holds, in the order of its people."""
    cells = release.sensitive["salary"].map(text).to_numpy()
    labels = release.labels
    first = list(dict.fromkeys(labels.quasi[release.quasi["zipcode"].argsort()].tolist()))
    return [Counter(cells[labels.sensitive == at].tolist()) for at in first]


def test_table_3_2_is_private_covers_the_salaries_and_is_what_comes_out(people, numbers):
    table = printed(people, numbers, ROWS_3_2, numbers)
    verdict = target_privacy(table, target=TREE)
    assert verdict.met
    assert set(verdict.per_group.values()) == {(0, 0)}
    ours, _ = disguise(people, hierarchy=TREE, groups=vk.Partition.of(numbers), seed=3)
    assert held(table) == held(ours)


def test_table_3_3_is_private_but_for_its_third_group_and_dearer(people, numbers):
    table = printed(people, numbers, ROWS_3_3, numbers)
    verdict = target_privacy(table, target=TREE)
    assert [d == 0 for d, _ in verdict.per_group.values()] == [True, True, False]
    width = {WHOLE: 30_000, LOW: 10_000, HIGH: 10_000}
    costs = [sum(width.get(cell, 0) for cell in rows) for rows in (ROWS_3_2, ROWS_3_3)]
    assert costs == [130_000, 170_000]


def test_table_3_4_is_what_comes_out_with_one_fake_and_its_zip_code_is_misprinted(people, numbers):
    """DP04 and DP10: tuple 7 lives in 91240."""
    second = people.take([4, 5, 6])
    assert second.frame["zipcode"].tolist() == [91210, 91220, 91240]
    table = printed(second, [2, 2, 2], ROWS_3_4, [2, 2, 2, 2], 1)
    ours, _ = disguise(second, hierarchy=TREE, fakes=1, seed=3)
    assert held(table) == held(ours) == [Counter(ROWS_3_4)]
    assert target_privacy(table, target=TREE).met
    assert ours.parameters["sum of ranges"] == "0"


def test_the_groups_of_table_3_2_earn_45_40_and_55_thousand_on_average(people, numbers):
    """DP69: three of the four in the third group earn 60,000."""
    means = people.frame["salary"].groupby(numbers).mean()
    assert means.tolist() == [45_000, 40_000, 55_000]
    assert people.frame["salary"][pd.Series(numbers) == 3].tolist().count(60_000) == 3


def test_table_5_2_respects_everybody_and_sharing_a_group_publishes_one_value_less():
    people = vk.load("qz_table5_1")
    table = printed(people, [1, 2, 3], ROWS_5_2, [1, 2, 3])
    verdict = personal_respect(table, people, requirement="requirement")
    assert verdict.per_record.tolist() == [True, True, True]
    assert (verdict.wished, verdict.published, verdict.saved) == (4, 4, 0)
    ours, _ = personalize(people, hierarchy=TREE, requirement="requirement", seed=1)
    best = personal_respect(ours, people, requirement="requirement")
    assert (best.met, best.published, best.saved) == (True, 3, 1)


def test_of_elaine_table_5_2_shows_a_half_for_each_of_two_salaries():
    people = vk.load("qz_table5_1")
    table = printed(people, [1, 2, 3], ROWS_5_2, [1, 2, 3])
    shown = target_privacy(table, target=TREE).shown["2"]
    assert shown == {"30000": Fraction(1, 2), "40000": Fraction(1, 2), "50000": 0, "60000": 0}
