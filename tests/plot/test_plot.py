"""Pictures show the numbers they are given, and say them in words."""

import base64
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit import plot
from verikit.errors import FormatError, RecordError, SchemaError
from verikit.utility import Noise

BEFORE = pd.DataFrame({"age": [20, 40, 30, 10], "pay": [1, 2, 3, 4]})
AFTER = pd.DataFrame({"age": [40, 20, 30, 10], "pay": [1, 2, 3, 4]})


@pytest.fixture(scope="module")
def original():
    return vk.load("dm_table1")


@pytest.fixture(scope="module")
def masked():
    return vk.published("dm_table1_masked")


@pytest.fixture(scope="module")
def audited(original, masked):
    return vk.audit(original, masked, vk.Key.of(range(20)))


def drawn(panel, shape):
    """The places of the marks of one shape."""
    marks = [line for line in panel.lines if line.get_marker() == shape]
    return [tuple(point) for line in marks for point in np.round(line.get_xydata(), 6).tolist()]


def test_permutation_draws_each_rank_before_against_its_rank_after():
    age, pay = plot.permutation(BEFORE, AFTER).axes
    assert drawn(age, "o") == [(2, 4), (4, 2), (3, 3), (1, 1)]
    assert drawn(pay, "s") == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_permutation_says_how_far_records_moved():
    words = plot.html(plot.permutation(BEFORE, AFTER)).alt
    assert "4 records" in words
    assert "age: moved 1.0 places on average, 2 at most; 2 unmoved." in words
    assert "pay: moved 0.0 places on average, 0 at most; 4 unmoved." in words


def test_lines_to_the_diagonal_are_left_out_where_they_would_be_a_blot():
    few = pd.DataFrame({"a": range(200)})
    many = pd.DataFrame({"a": range(201)})
    assert len(plot.permutation(few, few[::-1]).axes[0].collections) == 1
    assert len(plot.permutation(many, many[::-1]).axes[0].collections) == 0


def test_equal_values_share_their_middle_rank():
    tied = pd.DataFrame({"a": [7, 7, 9]})
    assert drawn(plot.permutation(tied, tied).axes[0], "o") == [(1.5, 1.5), (1.5, 1.5), (3, 3)]


def test_more_than_four_attributes_start_another_row_of_panels():
    wide = pd.DataFrame({name: [1, 2] for name in "abcde"})
    figure = plot.permutation(wide, wide)
    assert [panel.get_title() for panel in figure.axes] == list("abcde")
    assert figure.get_figheight() == pytest.approx(figure.get_figwidth() / 2)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (BEFORE, AFTER.iloc[:3], "4 and 3 records"),
        (BEFORE, AFTER.rename(columns=str.upper), "share 0 columns"),
        (BEFORE, AFTER.assign(age=["a", "b", "c", "d"]), "'age' holds 'a'; expected numbers"),
        (BEFORE, AFTER.assign(age=[1, None, 2, None]), "'age' has 2 missing values"),
    ],
)
def test_permutation_refuses_tables_that_do_not_fit_together(before, after, said):
    with pytest.raises(SchemaError, match=said):
        plot.permutation(before, after)


def test_noise_sizes_draws_means_as_bars_and_records_as_dots():
    total = pd.DataFrame({"age": [3.0, -5.0]})
    left = pd.DataFrame({"age": [-1.0, 2.0]})
    figure = plot.noise_sizes(Noise(mapped=total, residual=left, total=total))
    (panel,) = figure.axes
    assert [bar.get_height() for bar in panel.patches] == [4.0, 1.5]
    assert [height for _, height in drawn(panel, "s") + drawn(panel, "o")] == [3, 5, 1, 2]
    assert "age: 4 in all, 1.5 left after the permutation." in figure.get_label()


def test_the_two_bars_differ_in_hatching_too():
    total = pd.DataFrame({"age": [3.0]})
    bars = plot.noise_sizes(Noise(total, total, total)).axes[0].patches
    assert len({bar.get_hatch() for bar in bars}) == 2


def test_places_draws_record_3_as_table_3_prints_it(original, masked):
    (panel,) = plot.places(vk.check(original.record(2), masked)).axes
    yours = [line for line in panel.lines if line.get_label() == "you"]
    match = [line for line in panel.lines if line.get_label() == "closest record"]
    assert [line.get_xdata()[0] for line in yours] == [8, 2, 16]
    assert [line.get_xdata()[0] for line in match] == [12, 3, 12]
    edges = [(bar.get_x() + 0.4, bar.get_x() + bar.get_width() - 0.4) for bar in panel.patches]
    np.testing.assert_allclose(edges, [(4, 12), (1, 3), (12, 20)])


def test_places_marks_the_first_and_the_last_rank(original, masked):
    ticks = plot.places(vk.check(original.record(2), masked)).axes[0].get_xticks()
    assert (ticks[0], ticks[-1]) == (1, 20)
    assert np.all(ticks == ticks.round())


def test_places_draws_equal_values_at_their_nearest_ends():
    frame = pd.DataFrame({"a": [1, 2, 2, 2, 5, 9], "b": [5, 6, 3, 4, 2, 1]})
    figure = plot.places(vk.check({"a": 9, "b": 6}, vk.TableRelease.of(frame)))
    marks = {line.get_label(): line.get_xdata()[0] for line in figure.axes[0].lines[::-1]}
    assert (marks["you"], marks["closest record"]) == (6, 4)
    assert "a: yours 6, closest record 2 to 4, window 4 to 6." in figure.get_label()


def test_places_draws_only_the_attributes_that_were_given(masked):
    figure = plot.places(vk.check({"X1": 100, "X3": 5000}, masked))
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["X1", "X3"]
    assert "X2" not in figure.get_label()


def test_places_has_nothing_to_draw_for_an_empty_release(masked):
    empty = vk.TableRelease.of(masked.frame.iloc[:0], masked.schema)
    with pytest.raises(RecordError, match="no ranks to draw"):
        plot.places(vk.check({"X1": 1}, empty))


def test_shares_draws_each_value_with_one_bar_a_group_from_the_top_down():
    table = pd.DataFrame({"class": [0.25, 0.75, 0], "all": [0.5, 0.3, 0.2]}, index=list("abc"))
    (panel,) = plot.shares(table, "people found").axes
    widths = [round(bar.get_width(), 6) for bar in panel.patches]
    assert widths == [0.25, 0.75, 0, 0.5, 0.3, 0.2]
    middles = [bar.get_y() + bar.get_height() / 2 for bar in panel.patches]
    assert [round(middle) for middle in middles] == [0, 1, 2, 0, 1, 2]
    assert middles[0] < middles[3], "the first group comes first"
    low, high = panel.get_ylim()
    assert low > high, "the first value is at the top"
    assert len({bar.get_hatch() for bar in panel.patches}) == 2


def test_shares_says_each_number():
    table = pd.DataFrame({"class": [0.125, 0.875]}, index=["flu", "cold"])
    assert "flu: class 12. cold: class 88." in plot.shares(table, "people found").get_label()


def test_every_tick_of_shares_says_the_number_it_stands_at():
    table = pd.DataFrame({"chance": [0.02, 0.2]}, index=["formula", "counted"])
    figure = plot.shares(table, "chance")
    figure.draw_without_rendering()
    (panel,) = figure.axes
    said = [float(label.get_text().rstrip("%")) for label in panel.get_xticklabels()]
    assert said == pytest.approx([100 * tick for tick in panel.get_xticks()])
    assert panel.get_xlabel() == "chance, in per cent"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pd.DataFrame({"class": [0.5, 50]}), "2 values and 1 groups was given"),
        (pd.DataFrame({"class": [-0.1]}), "shares from 0 to 1"),
        (pd.DataFrame({"class": [np.nan]}), "shares from 0 to 1"),
        (pd.DataFrame(), "0 values and 0 groups"),
    ],
)
def test_shares_refuses_what_are_no_shares(table, said):
    with pytest.raises(SchemaError, match=said):
        plot.shares(table, "people found")


@pytest.fixture(scope="module")
def compared(original, masked):
    return vk.plausibility(original, masked)


def steps(figure):
    """The two step curves by their label: heights and edges."""
    return {step.get_label(): step.get_data()[:2] for step in figure.axes[0].patches}


def test_distances_draws_table_5(compared):
    printed = vk.load("dm_table5").frame[:9]
    drawn_steps = steps(plot.distances(compared))
    for label, column in (("records", "share_original"), ("others", "share_random")):
        heights, edges = drawn_steps[label]
        np.testing.assert_allclose(heights, printed[column], atol=6e-5)
        np.testing.assert_allclose(edges, np.arange(-0.5, 9))


def test_distances_says_where_the_middle_of_both_lies(compared):
    words = plot.distances(compared).get_label()
    assert "20 records: 2 to 5, 3 in the middle." in words
    assert "Others (exact): 3 in the middle; 55.2 in 100 match within 3 places." in words


def test_of_many_distances_neighbours_are_put_together_and_nothing_is_lost(compared):
    evenly = np.arange(1, 101) / 100
    found = replace(compared, points=np.arange(100), share_observed=evenly, share_others=evenly**2)
    drawn_steps = steps(plot.distances(found))
    for heights, edges in drawn_steps.values():
        assert len(heights) <= 40
        assert (edges[0], edges[-1]) == (-0.5, 99.5)
        assert (heights * np.diff(edges)).sum() == pytest.approx(1)
    np.testing.assert_allclose(drawn_steps["records"][0], 0.01)


def test_distances_that_were_left_out_count_for_the_next_one(compared):
    found = replace(
        compared,
        points=np.array([1, 5]),
        share_observed=np.array([0.2, 1.0]),
        share_others=np.array([0.5, 1.0]),
    )
    heights, edges = steps(plot.distances(found))["records"]
    assert edges.tolist() == [-0.5, 1.5, 5.5]
    np.testing.assert_allclose(heights, [0.1, 0.2])


def test_views_draws_no_record_above_the_diagonal(audited):
    (panel,) = plot.views(audited).axes
    points = panel.collections[0].get_offsets()
    assert np.all(points[:, 1] <= points[:, 0])
    assert (9, 4) in {tuple(point) for point in points.tolist()}, "record 3: 9 and 4 places"


def test_views_draws_records_at_one_point_larger(audited):
    shown = plot.views(audited).axes[0].collections[0]
    pairs = list(zip(audited.protector.max(axis=1), audited.subject, strict=True))
    counts = [pairs.count(tuple(point)) for point in shown.get_offsets().astype(int).tolist()]
    np.testing.assert_allclose(shown.get_sizes() / shown.get_sizes().min(), counts)
    assert sum(counts) == 20


def test_views_needs_the_subjects_view(original, masked):
    audited = vk.audit(original, masked, vk.Key.of(range(20)), subject_view=False)
    with pytest.raises(RecordError, match="subject_view=True"):
        plot.views(audited)


def test_a_picture_is_an_image_with_its_words():
    picture = plot.html(plot.permutation(BEFORE, AFTER))
    source = re.search(r'src="data:image/png;base64,([^"]+)"', picture._repr_html_())
    assert base64.b64decode(source[1]).startswith(b"\x89PNG")
    assert f'alt="{picture.alt}"' in picture._repr_html_()
    assert repr(picture) == f"Picture: {picture.alt}"


def test_hostile_column_names_are_escaped_in_the_words():
    named = pd.DataFrame({'"><img src=x onerror=alert(1)>': [1, 2]})
    shown = plot.html(plot.permutation(named, named))._repr_html_()
    assert (shown.count("<"), shown.count(">")) == (1, 1)
    assert "&quot;&gt;&lt;img src=x" in shown


def test_own_words_replace_those_of_the_figure():
    assert plot.html(plot.permutation(BEFORE, AFTER), "Two lines").alt == "Two lines"


@pytest.mark.parametrize("words", ["", " "])
def test_a_figure_without_words_is_refused(words):
    with pytest.raises(FormatError, match="no words for those who cannot see it"):
        plot.html(plot.permutation(BEFORE, AFTER), words)


def test_the_same_figure_gives_the_same_image():
    one, other = (plot.html(plot.permutation(BEFORE, AFTER)) for _ in range(2))
    assert one == other


def test_drawing_leaves_pyplot_and_its_global_state_alone():
    code = (
        "import sys, pandas as pd; from verikit import plot\n"
        "assert 'matplotlib' not in sys.modules\n"
        "plot.html(plot.permutation(pd.DataFrame({'a': [1, 2]}), pd.DataFrame({'a': [2, 1]})))\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"


def test_a_hierarchy_is_drawn_as_a_tree_of_all_levels_that_have_room():
    tree = vk.Hierarchy.of({"*": {"craft": ["cook", "smith"], "office": ["clerk"]}})
    figure = vk.plot.hierarchy(tree)
    panel = figure.axes[0]
    places = {part.get_text(): part.get_position() for part in panel.texts}
    assert places["*"] == (1, 2)
    assert places["craft"] == (0.5, 1)
    assert places["clerk"] == (2, 0)
    assert len(panel.lines) == 5
    many = vk.Hierarchy.intervals(range(100), (10, 50))
    assert "1 level below with 100 values. Level 3: *." in vk.plot.html(vk.plot.hierarchy(many)).alt
    with pytest.raises(vk.SchemaError, match="expected a Hierarchy"):
        vk.plot.hierarchy({"a": "b"})


def test_the_lattice_of_groupings_shows_for_which_sizes_safe_groups_are_found():
    """Three authors of one paper never share a group; papers of other authors may by twos."""
    links = [("a", "p"), ("b", "p"), ("c", "p"), ("d", "q"), ("e", "q"), ("f", "q")]
    graph = vk.BipartiteGraph.of(pd.DataFrame(links, columns=["author", "paper"]))
    figure = vk.plot.groupings(graph, most=3, seed=1)
    found, none = figure.axes[0].lines
    assert set(zip(*found.get_data(), strict=True)) == {(1, 1), (1, 2), (2, 1), (2, 2)}
    assert len(none.get_xdata()) == 5
    assert "left are found of sizes 1 and 2 out of 1 to 3" in vk.plot.html(figure).alt
    labels = {part.get_text() for part in figure.axes[0].texts}
    assert labels == {"1/1", "1/2"}
