"""The pictures of single numbers: how often values occur, and between what an answer lies."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit import plot
from verikit.errors import RecordError


def bars(panel):
    """The middle and the height of each upright bar."""
    return [
        (round(bar.get_x() + bar.get_width() / 2, 6), bar.get_height()) for bar in panel.patches
    ]


def test_whole_numbers_are_counted_one_by_one():
    (panel,) = plot.frequencies({"size": [3, 3, 4, 7]}).axes
    assert bars(panel) == [(3, 2), (4, 1), (7, 1)]


def test_other_numbers_are_counted_in_steps_and_none_is_lost():
    values = np.random.default_rng(7).normal(size=500)
    (panel,) = plot.frequencies({"x": values}).axes
    heights, edges, _ = panel.patches[0].get_data()
    assert heights.sum() == 500
    assert (edges[0], edges[-1]) == (values.min(), values.max())


def test_categories_keep_their_order_and_stand_by_frequency_without_one():
    stages = pd.Categorical(["III", "I", "III"], ["I", "II", "III"], ordered=True)
    towns = ["p", "q", "q"]
    first, second = plot.frequencies({"stage": stages, "town": towns}).axes
    assert [bar.get_width() for bar in first.patches] == [1, 0, 2]
    assert [tick.get_text() for tick in second.get_yticklabels()] == ["q", "p"]


def test_of_many_categories_the_rare_ones_are_counted_together():
    names = [f"town {at}" for at in range(15)] + ["town 3"] * 4
    words = plot.frequencies({"town": names}).get_label()
    assert "town 3 5, " in words
    assert "6 others 6." in words


def test_what_is_missing_or_without_end_is_said_and_not_drawn():
    figure = plot.frequencies({"ratio": [1.0, np.inf, np.nan, np.nan]})
    assert bars(figure.axes[0]) == [(1, 1)]
    assert figure.axes[0].get_xlabel() == "ratio (2 missing, 1 without end)"
    assert "2 missing, 1 without end" in figure.get_label()


def test_what_was_asked_for_is_a_line_in_its_own_panel():
    first, second = plot.frequencies({"a": [1, 2], "b": [1, 2]}, asked={"a": 2}).axes
    assert [line.get_xdata()[0] for line in first.lines] == [2]
    assert not second.lines


def test_a_wide_table_draws_twelve_columns_and_says_how_many_it_leaves_out():
    figure = plot.frequencies({f"X{at}": [1, 2] for at in range(15)})
    assert len(figure.axes) == 12
    assert figure.get_label().endswith("3 more columns not drawn.")


def test_a_verdict_draws_its_classes_and_what_was_asked_for():
    figure = vk.models.k_anonymity(vk.published("ks_table1"), k=4).plot()
    assert bars(figure.axes[0]) == [(3, 2), (4, 1)]
    assert [line.get_xdata()[0] for line in figure.axes[0].lines] == [4]


def test_an_answer_is_drawn_between_its_ends_and_an_endless_one_as_an_arrow():
    answer = vk.Answer("records", 1, 2.5, 4, None, None, "it")
    figure = answer.plot()
    marks = {line.get_marker(): line.get_xdata()[0] for line in figure.axes[0].lines[::-1]}
    assert (marks["|"], marks["D"]) == (1, 2.5)
    assert "answer: 2.5 expected, from 1 to 4." in figure.get_label()
    endless = vk.Answer("records", 1, 2.5, np.inf, None, None, "it").plot()
    assert ">" in [line.get_marker() for line in endless.axes[0].lines]
    assert "from 1 without an upper end" in endless.get_label()


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_report_on_groups_draws_those_like_her_beside_the_whole_table(language):
    release = vk.published("ks_table1")
    mine = {column.name: release.frame[column.name].iloc[0] for column in release.schema.quasi}
    report = vk.check(mine, release, language=language)
    figure = report.plot()
    labels = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert labels == report.tables["values"]["value"].tolist()
    here = report.tables["values"]["of 100 here"].to_numpy(float)
    assert [100 * bar.get_width() for bar in figure.axes[0].patches[: len(labels)]] == (
        pytest.approx(here)
    )


def test_a_report_without_ranks_and_values_is_refused_in_a_sentence():
    graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    release = vk.mask.group_nodes(graph, 3, 3, seed=5).release
    node = {graph.left.schema.names[0]: str(graph.left.frame.iloc[0, 0])}
    with pytest.raises(RecordError, match="no ranks to draw"):
        vk.check(node, release).plot()
