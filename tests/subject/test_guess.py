"""What somebody makes of a sensitive column, on tables worked out by hand."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.subject._guess import MAX_LINES, Guess, guess_of, values_table

# Eight people, three of whom may be her: those with flu, flu and a cold, the second as likely as
# both others together. Of all eight four have flu, two a cold, one asthma, and of one nobody knows.
ILL = ["flu", "flu", "cold", "flu", "flu", "cold", "asthma", None]
ROWS, WEIGHTS = np.array([0, 1, 2]), np.array([0.25, 0.5, 0.25])
TEXTS = pd.Series(ILL, dtype=object)


@pytest.mark.parametrize("values", [TEXTS, TEXTS.astype("category")], ids=["texts", "categories"])
def test_values_stand_by_their_chance_beside_their_share_of_the_whole_table(values):
    guess = guess_of(vk.Column("ill", "sensitive", "nominal"), values, ROWS, WEIGHTS, "cold")
    table = values_table([guess])
    assert table.to_dict("list") == {
        "attribute": ["ill", "ill"],
        "value": ["flu", "cold"],
        "of 100 here": [75.0, 25.0],
        "of 100 everywhere": [50.0, 25.0],  # 4 and 2 of 8
    }
    assert (guess.own_chance, guess.surest, guess.possible) == (0.25, 0.75, 2)


def test_numbers_and_missing_ones_have_their_shares_of_the_whole_table():
    pay = pd.Series([10.0, 20, 20, np.nan, 30])  # one, two, one and one of five
    rows, weights = np.array([1, 3]), np.array([0.875, 0.125])
    guess = guess_of(vk.Column("pay", "sensitive"), pay, rows, weights, None)
    table = values_table([guess])
    assert table["value"].tolist() == ["20", "missing"]
    assert table["of 100 here"].tolist() == [87.5, 12.5]
    assert table["of 100 everywhere"].tolist() == [40.0, 20.0]
    assert guess.own_chance is None


def test_several_columns_stand_below_each_other_each_cut_where_it_is_long():
    many = np.full(MAX_LINES + 1, 1 / (MAX_LINES + 1))
    names = tuple(map(str, range(MAX_LINES + 1)))
    long = Guess(vk.Column("code", kind="nominal"), names, many, many, None, 0)
    rare = np.array([0.125])
    short = Guess(vk.Column("ill", kind="nominal"), ("flu",), np.ones(1), rare, None, 0)
    table = values_table([long, short])
    assert table["attribute"].tolist() == ["code"] * MAX_LINES + ["ill"]
    assert table["of 100 everywhere"].iloc[-1] == 12.5


def test_a_check_shows_the_shares_of_the_whole_table():
    """Alex may have the salaries of his group; how frequent each is everywhere is counted."""
    release = vk.published("qz_table2_3")
    report = vk.check({"age": 35, "zipcode": "27101", "gender": "M"}, release)
    values = report.tables["values"]
    (column,) = release.schema.sensitive
    pays = release.sensitive[column.name]
    shares = [100 * (pays == float(value)).mean() for value in values["value"]]
    assert values["of 100 everywhere"].tolist() == pytest.approx(shares)
    assert 0 < len(values) < pays.nunique()
