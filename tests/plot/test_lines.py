"""Lines run along the numbers of the index, in the table's words."""

import numpy as np
import pandas as pd
import pytest

from verikit import plot
from verikit.errors import SchemaError

TABLE = pd.DataFrame({"anatomy": [9.0, 2.5], "permuted": [8.0, np.nan]}, index=[10, 2])


def test_every_column_is_a_line_along_the_index_in_ascending_order():
    (panel,) = plot.lines(TABLE, across="l", up="error").axes
    first, second = panel.lines
    assert first.get_xydata().tolist() == [[2, 2.5], [10, 9]]
    assert second.get_ydata().tolist()[1] == 8
    assert np.isnan(second.get_ydata()[0])


def test_lines_differ_in_shape_and_dash_besides_colour():
    four = pd.DataFrame(np.ones((2, 4)), columns=list("abcd"))
    drawn = plot.lines(four).axes[0].lines
    assert len({line.get_marker() for line in drawn}) == 4
    assert len({line.get_linestyle() for line in drawn}) == 4


def test_several_tables_get_a_panel_each_on_one_scale():
    left, right = plot.lines({"small": TABLE, "large": TABLE * 10}).axes
    assert [left.get_title(), right.get_title()] == ["small", "large"]
    assert left.get_ylim() == right.get_ylim()


def test_the_words_hold_every_point_and_leave_out_gaps():
    words = plot.html(plot.lines(TABLE, across="l", up="error")).alt
    assert words == "Error along l. anatomy: 2.5 at 2, 9 at 10. permuted: 8 at 10."


def test_the_words_of_a_long_line_hold_its_ends_and_extremes():
    table = pd.DataFrame({"a": [5.0, 1, 4, 4, 4, 4, 4, 7, 4, 3]})
    words = plot.html(plot.lines({"T": table})).alt
    assert words == "T, a: 5 at 0, 1 at 1, 7 at 7, 3 at 9."


def test_the_table_is_left_as_it_was():
    before = TABLE.copy()
    plot.lines(TABLE)
    pd.testing.assert_frame_equal(TABLE, before)


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({}, "No table was given"),
        ({"SAL": pd.DataFrame()}, "Table 'SAL' has nothing to draw"),
        (pd.DataFrame({"a": [np.nan]}), "The table has nothing to draw"),
        (pd.DataFrame({"a": ["tall"]}), "no number .*'tall'"),
        (pd.DataFrame({"a": [1.0]}, index=["low"]), "no number .*'low'"),
        (pd.DataFrame({"a": [np.inf]}), "without end"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tables, words):
    with pytest.raises(SchemaError, match=words):
        plot.lines(tables)
