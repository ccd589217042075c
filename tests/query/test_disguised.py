"""Questions to disguised releases: generalized values, and values that are nobody's."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verikit as vk
from verikit.targets import balanced

TREE = balanced([30, 40, 50, 60])
WHOLE, LOW, HIGH = "[30, 60]", "[30, 40]", "[50, 60]"
ZIPS = [91110] * 3 + [91130, 91210, 91220, 91240, 91310, 91320, 91330, 91340]
GENDERS = list("FMMFFFFMMMF")
GROUPS = [1] * 4 + [2] * 3 + [3] * 4
TABLE_3_2 = ["40", "50", "30", "60", WHOLE, LOW, HIGH, WHOLE, LOW, WHOLE, HIGH]
TABLE_3_3 = [LOW, "50", LOW, "60", HIGH, LOW, WHOLE, WHOLE, LOW, WHOLE, WHOLE]


def release(cells, groups=GROUPS, fakes=0):
    quasi = pd.DataFrame({"zipcode": ZIPS, "gender": GENDERS, "Group-ID": GROUPS})
    hidden = pd.DataFrame({"Group-ID": groups, "salary": cells})
    columns = (
        vk.Column("zipcode"),
        vk.Column("gender", kind="nominal"),
        vk.Column("salary", "sensitive", hierarchy=TREE),
    )
    return vk.SplitRelease(
        quasi, hidden, vk.Schema(columns), parameters={"fakes": fakes}, promise="covers"
    )


def average(where, *args, **more):
    answer = vk.answer(f"select avg(salary) from t where {where}", release(*args, **more))
    return answer.lower, answer.upper


WOMEN, ZIP = "gender = 'F'", "zipcode = 91110"


@pytest.mark.parametrize(
    ("where", "cells", "bounds"),
    [
        pytest.param(WOMEN, TABLE_3_2, (35, 55), id="DP01"),
        pytest.param(ZIP, TABLE_3_2, (40, 50), id="DP03"),
        pytest.param(WOMEN, TABLE_3_3, (100 / 3, 55), id="DP12 query 1, table 3.3"),
        pytest.param(ZIP, TABLE_3_3, (110 / 3, 50), id="DP12 query 2, table 3.3"),
        pytest.param(WOMEN, [WHOLE] * 11, (30, 60), id="DP12 query 1, whole domain"),
        pytest.param(ZIP, [WHOLE] * 11, (30, 60), id="DP12 query 2, whole domain"),
        pytest.param("zipcode between 91200 and 91299", TABLE_3_2, (110 / 3, 160 / 3), id="DP04"),
        pytest.param("zipcode > 91300", TABLE_3_2, (35, 55), id="DP06"),
        pytest.param("zipcode < 91200", TABLE_3_2, (45, 45), id="DP20 together"),
        pytest.param("zipcode in (91130, 91210, 91310)", TABLE_3_2, (30, 60), id="DP20 scattered"),
    ],
)
def test_the_tables_of_the_example_bound_the_averages_as_printed_or_corrected(where, cells, bounds):
    assert average(where, cells) == pytest.approx(bounds)


def test_the_three_parts_of_the_first_query_have_the_printed_bounds():
    """DP02."""
    for group, bounds in (("< 91200", (70, 110)), ("between 91200 and 91300", (110, 160)),
                          ("> 91300", (30, 60))):  # fmt: skip
        where = f"{WOMEN} and zipcode {group}"
        answer = vk.answer(f"select sum(salary) from t where {where}", release(TABLE_3_2))
        assert (answer.lower, answer.upper) == bounds


def test_one_fake_makes_the_second_group_exact_and_its_average_narrower():
    """DP04, table 3.4."""
    cells = [*TABLE_3_2[:4], "30", "40", "50", "60", *TABLE_3_2[7:]]
    where = "zipcode between 91200 and 91299"
    assert average(where, cells, sorted([*GROUPS, 2]), 1) == (40, 50)


def test_eight_fakes_make_the_average_of_the_third_group_wider():
    """DP05: the four largest of twelve values are 50, 60, 60 and 60, so not 250/4."""
    cells = [*TABLE_3_2[:7], *(["30", "40", "50", "60"] * 3)]
    groups = [*GROUPS[:7], *[3] * 12]
    assert average("zipcode > 91300", cells, groups, 8) == (130 / 4, 230 / 4)


def test_fakes_are_never_counted_among_people():
    made = release([*TABLE_3_2, "60"], sorted([*GROUPS, 3]), 1)
    for text, bounds in (("select count(*) from t", (11, 11)),
                         ("select count(*) from t where zipcode > 91300", (4, 4)),
                         ("select count(*) from t where salary = 60", (1, 1 + 2 + 4))):  # fmt: skip
        answer = vk.answer(text, made)
        assert (answer.lower, answer.upper) == bounds, text


def worlds(cells, people):
    """All that can be true of the people of a group: whose value which cell stands for."""
    for chosen in set(permutations(cells, people)):
        yield from product(*(TREE.leaves(cell) for cell in chosen))


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from(["30", "60", LOW, HIGH, WHOLE]), min_size=2, max_size=4),
    st.integers(0, 2),
    st.sampled_from(["salary = 60", "salary > 40", "zip = 1", "zip = 1 and salary > 40",
                     "zip = 1 or salary = 30"]),
)  # fmt: skip
def test_bounds_hold_all_that_can_be_true_and_are_reached(cells, fakes, where):
    people = max(1, len(cells) - fakes)
    zips = np.arange(people) % 2
    quasi = pd.DataFrame({"zip": zips, "Group-ID": 1})
    hidden = pd.DataFrame({"Group-ID": 1, "salary": cells})
    columns = (vk.Column("zip"), vk.Column("salary", "sensitive", hierarchy=TREE))
    made = vk.SplitRelease(
        quasi, hidden, vk.Schema(columns), parameters={"fakes": 3}, promise="covers"
    )
    table = [
        pd.DataFrame({"zip": zips, "salary": list(map(int, w))}) for w in worlds(cells, people)
    ]
    counts = [len(t.query(where.replace(" = ", " == "))) for t in table]
    answer = vk.answer(f"select count(*) from t where {where}", made)
    assert answer.lower <= min(counts)
    assert max(counts) <= answer.upper
    if "zip" not in where:
        assert (answer.lower, answer.upper) == (min(counts), max(counts))
