"""Tables and releases behave as users of pandas expect, and cannot be changed through it."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk

DATA, RELEASE = vk.load("dm_table1"), vk.published("dm_table1_masked")


@pytest.mark.parametrize("table", [DATA, RELEASE], ids=["data", "release"])
def test_a_table_is_looked_into_like_a_frame(table):
    assert table.shape == (20, 3)
    assert len(table) == 20
    assert list(table.columns) == ["X1", "X2", "X3"]
    assert table.head(3).equals(table.frame.iloc[:3])
    assert table["X1"].equals(table.frame["X1"])
    assert table[["X2", "X1"]].equals(table.frame[["X2", "X1"]])
    assert table.to_frame().equals(table.frame)
    with pytest.raises(KeyError):
        table["X9"]


@pytest.mark.parametrize("table", [DATA, RELEASE], ids=["data", "release"])
def test_what_is_taken_out_is_a_copy(table):
    before = table.frame.copy()
    for part in (table.head(), table.to_frame(), table["X1"], table[["X1"]]):
        part.iloc[0] = -1
    assert table.frame.equals(before)


@pytest.mark.parametrize(
    ("shown", "part"),
    [
        (DATA.schema, "<td>numeric</td>"),
        (vk.Partition.of([1, 1, 2]), "Partition(3 records in 2 groups)"),
        (vk.answer(vk.Query.count({"X1": (0, 100)}), DATA), "<td>rests on</td>"),
        (vk.papers.fact("DM", "P37"), "<td>erratum</td>"),
    ],
)
def test_what_is_shown_in_a_notebook_is_a_table(shown, part):
    assert part in shown._repr_html_()
    assert "<table>" in shown._repr_html_()


def test_names_of_columns_are_escaped_in_what_is_shown():
    frame = pd.DataFrame({"<img src=x>": np.arange(3)})
    shown = vk.Schema.guess(frame)._repr_html_()
    assert "<img" not in shown
    assert "&lt;img src=x&gt;" in shown
