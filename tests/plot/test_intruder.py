"""Pictures of the intruder's work say and draw the same numbers: luck, moves, pairs."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit import plot
from verikit.errors import RecordError, SchemaError

KEY = vk.Key.of(range(20))


@pytest.fixture(scope="module")
def tables():
    return vk.load("dm_table1"), vk.published("dm_table1_masked")


def counted(tables, attack):
    return vk.protector.correct_links(vk.link(*tables, attack=attack), KEY)


def marks(panel):
    """Each mark's label and its count."""
    return {
        line.get_label(): line.get_xdata()[0]
        for line in panel.lines
        if line.get_marker() not in ("", "None", None)
    }


def test_luck_draws_one_line_a_count_as_long_as_its_poisson_chance(tables):
    (panel,) = plot.luck(counted(tables, "maximum_rank")).axes
    lines = panel.collections[0].get_segments()
    tops = [line[:, 1].max() for line in lines]
    assert [line[0, 0] for line in lines] == list(range(9))
    assert tops[:4] == pytest.approx([0.36788, 0.36788, 0.18394, 0.06131], abs=1e-5)
    assert sum(tops) == pytest.approx(1, abs=2e-6)


def test_luck_marks_what_the_attack_got_right(tables):
    figure = plot.luck(counted(tables, "maximum_rank"))
    assert marks(figure.axes[0]) == {"maximum_rank": 6}
    assert figure.get_label().endswith("more in 8. Found: maximum_rank 6.")


def test_luck_marks_every_attack_that_was_tried_with_a_shape_of_its_own(tables):
    found = counted(tables, "strongest")
    panel = plot.luck(found).axes[0]
    assert marks(panel) == dict(found.attempts)
    assert len({line.get_marker() for line in panel.lines}) == len(found.attempts)


def test_no_attack_of_luck_stands_at_a_height_that_the_axis_gives_a_meaning(tables):
    panel = plot.luck(counted(tables, "strongest")).axes[0]
    heights = [line.get_ydata()[0] for line in panel.lines if line.get_label() in marks(panel)]
    assert len(set(heights)) == len(heights)
    assert max(heights) < 0 <= panel.get_yticks().min()
    assert "square-root axis" in panel.get_xlabel()


def test_luck_shows_few_and_many_links_on_one_axis():
    data = vk.simulate("dm", 300, seed=1)
    release, key = vk.mask.noise(data, scale=0.001, seed=2)
    panel = plot.luck(vk.protector.correct_links(vk.link(data, release), key)).axes[0]
    assert panel.get_xticks().tolist() == [0, 1, 2, 5, 10, 20, 50, 100, 200, 300]
    at = panel.transData.transform([[0, 0], [1, 0], [4, 0], [300, 0]])[:, 0]
    assert at[2] - at[0] == pytest.approx(2 * (at[1] - at[0]))
    assert at[1] - at[0] > (at[3] - at[0]) / 20


def curve(panel, name):
    line = next(line for line in panel.lines if line.get_label() == name)
    return line.get_xdata().tolist(), line.get_ydata().tolist()


def test_moves_rises_at_each_distance_by_the_share_of_values_moved_so_far():
    (panel,) = plot.moves({"a": [[0, 2], [2, 5]]}).axes
    places, share = curve(panel, "a")
    assert places[:-1] == [0, 0, 2, 2, 5]
    assert share == [0, 0.25, 0.5, 0.75, 1, 1]


def test_moves_draws_values_in_any_order_alike():
    one, other = plot.moves({"a": [0, 1, 7]}), plot.moves({"a": [7, 0, 1]})
    assert curve(one.axes[0], "a") == curve(other.axes[0], "a")
    assert one.get_label() == other.get_label()


def test_moves_gives_every_masking_a_line_of_its_own_look():
    panel = plot.moves({name: [0, 1] for name in "abcdef"}).axes[0]
    looks = {(line.get_linestyle(), line.get_linewidth()) for line in panel.lines}
    assert len(looks) == 6


def test_moves_says_mean_middle_most_and_how_many_stayed():
    words = plot.moves({"swap": [0, 0, 3, 5]}).get_label()
    assert "swap: 2 on average, half of them at most 1.5, all at most 5; 50 in 100 unmoved" in words


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ({}, "No masking was given"),
        ({"a": []}, "'a' are empty"),
        ({"a": [1, -1]}, "one of them is below 0"),
        ({"a": [1, np.nan]}, "or missing"),
    ],
)
def test_moves_refuses_what_is_no_count_of_places(places, said):
    with pytest.raises(RecordError, match=said):
        plot.moves(places)


PEOPLE = pd.DataFrame({"age": [20, 30, 40, 50], "pay": [1, 2, 4, 3]})


def test_pairs_draws_ranks_one_panel_a_table():
    one, other = plot.pairs({"real": PEOPLE, "upside down": PEOPLE.assign(pay=-PEOPLE["pay"])}).axes
    assert (one.get_title(), other.get_title()) == ("real", "upside down")
    assert one.lines[0].get_xydata().tolist() == [[1, 1], [2, 2], [3, 4], [4, 3]]
    assert other.lines[0].get_xydata().tolist() == [[1, 4], [2, 3], [3, 1], [4, 2]]
    assert (one.get_xlabel(), one.get_ylabel()) == ("rank of age", "rank of pay")


def test_pairs_says_how_the_columns_are_related():
    words = plot.pairs({"real": PEOPLE, "flat": PEOPLE.assign(pay=7)}).get_label()
    assert "real: age and pay of 4 records, rank correlation 0.80." in words
    assert "flat: age and pay of 4 records, rank correlation 0.00." in words


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({}, "No table was given"),
        ({"a": PEOPLE[["age"]]}, "'a' has 4 records of 'age'; expected two columns"),
        ({"a": PEOPLE.iloc[:0]}, "'a' has 0 records"),
        ({"a": PEOPLE.assign(pay=list("abcd"))}, "expected two columns of numbers"),
        ({"a": PEOPLE.assign(pay=[1, None, 2, 3])}, "without missing values"),
    ],
)
def test_pairs_refuses_tables_without_two_columns_of_numbers(tables, said):
    with pytest.raises(SchemaError, match=said):
        plot.pairs(tables)


@pytest.mark.parametrize("draw", [plot.luck, plot.moves, plot.pairs])
def test_every_picture_carries_its_words_and_can_be_shown(draw, tables):
    given = {
        plot.luck: lambda: counted(tables, "maximum_rank"),
        plot.moves: lambda: {"a": [0, 1]},
        plot.pairs: lambda: {"a": PEOPLE},
    }[draw]()
    shown = plot.html(draw(given))
    assert shown.alt in shown._repr_html_().replace("&#x27;", "'")
    assert len(shown.png) > 2000


TRIALS = pd.DataFrame(
    {
        "method": ["noise", "noise", "noise", "shuffle"],
        "amount": [0.1, 1, 2.0, 0.5],
        "links": [300, 12, 2, 1],
        "rank_correlation": [0.99, 0.7, 0.45, 0.5],
        "met": [False, False, True, True],
    }
)


def points(panel, filled):
    """The marks that are filled, or those that are hollow."""
    return [
        tuple(point)
        for line in panel.lines
        if line.get_marker() not in ("None", "")
        and (line.get_markerfacecolor() != "white") is filled
        for point in line.get_xydata().tolist()
    ]


def test_trade_off_fills_the_marks_of_what_meets_the_goal():
    panel = plot.trade_off(TRIALS).axes[0]
    assert points(panel, filled=True) == [(0.45, 2), (0.5, 1)]
    assert points(panel, filled=False) == [(0.99, 300), (0.7, 12)]


def test_trade_off_draws_luck_as_a_line_at_one_link():
    panel = plot.trade_off(TRIALS).axes[0]
    (luck,) = [line for line in panel.lines if line.get_label() == "luck"]
    assert list(luck.get_ydata()) == [1, 1]


def test_trade_off_joins_the_trials_of_a_method_from_little_masking_to_much():
    panel = plot.trade_off(TRIALS).axes[0]
    joined = [line for line in panel.lines if line.get_linestyle() == "-"]
    assert joined[0].get_ydata().tolist() == [300, 12, 2]


def test_trade_off_says_every_trial():
    words = plot.trade_off(TRIALS).get_label()
    assert "noise 0.1: 300 right, 0.99 kept, goal not met." in words
    assert words.endswith("shuffle 0.5: 1 right, 0.50 kept, goal met.")


@pytest.mark.parametrize(
    ("trials", "said"),
    [
        (TRIALS.iloc[:0], "0 trials that lacks nothing"),
        (TRIALS.drop(columns="links"), "4 trials that lacks 'links'"),
    ],
)
def test_trade_off_refuses_what_is_no_table_of_trials(trials, said):
    with pytest.raises(SchemaError, match=said):
        plot.trade_off(trials)


def test_shares_tells_five_groups_apart_and_keeps_their_names_in_the_picture():
    table = pd.DataFrame({f"a group with a long name {at}": [0.5] for at in range(5)}, index=["x"])
    figure = plot.shares(table, "people found")
    looks = {(bar.get_edgecolor(), bar.get_hatch()) for bar in figure.axes[0].patches}
    assert len(looks) == 5
    figure.draw_without_rendering()
    legend = figure.legends[0].get_window_extent()
    assert legend.x0 >= 0
