"""One tree for generalization, weights and order: its truths are worked out on small trees."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verikit.errors import FormatError, RecordError, SchemaError
from verikit.hierarchy import Hierarchy
from verikit.words import listed, text

JOBS = {"any": {"office": ["clerk", "lawyer"], "trade": {"metal": ["welder"], "wood": ["joiner"]}}}


@st.composite
def trees(draw):
    """Rows of levels of a random tree: every group's name tells its level and its place."""
    names = draw(
        st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=9, unique=True)
    )
    height = draw(st.integers(1, 4))
    groups, rows = list(range(len(names))), [[f"v{name}"] for name in names]
    for level in range(1, height):
        kept = draw(st.integers(1, max(1, len(set(groups)))))
        groups = [group % kept for group in groups]
        for row, group in zip(rows, groups, strict=True):
            row.append(f"g{level}.{group}")
    return [[*row, "*"] for row in rows]


# -- where hierarchies come from ------------------------------------------------------------------


def test_nested_dictionaries_are_read_from_the_root_to_the_values():
    jobs = Hierarchy.of(JOBS)
    assert jobs.order() == ("clerk", "lawyer", "welder", "joiner")
    assert (jobs.root, jobs.height) == ("any", 3)


def test_a_shallow_branch_stands_for_itself_until_its_group_begins():
    jobs = Hierarchy.of(JOBS)
    assert jobs.levels["clerk"] == ("clerk", "clerk", "office", "any")
    assert jobs.levels["welder"] == ("welder", "metal", "trade", "any")


def test_several_roots_are_put_under_a_star():
    assert Hierarchy.of({"a": ["x"], "b": ["y"]}).levels == {
        "x": ("x", "a", "*"),
        "y": ("y", "b", "*"),
    }


def test_a_name_without_branches_is_a_value():
    assert Hierarchy.of({"any": {"clerk": None, "trade": ["welder"]}}).order() == (
        "clerk",
        "welder",
    )


def test_a_file_of_levels_is_read_line_by_line(tmp_path):
    file = tmp_path / "age.csv"
    file.write_bytes("\ufeff5;young;*\n6; young;*\n70;old;*\n".encode())
    ages = Hierarchy.read_csv(file)
    assert ages.levels == {
        "5": ("5", "young", "*"),
        "6": ("6", "young", "*"),
        "70": ("70", "old", "*"),
    }


def test_the_hierarchies_of_arx_are_read_as_they_are(datasets_dir):
    folder = datasets_dir / "adult-hierarchies"
    found = {file.stem: Hierarchy.read_csv(file) for file in folder.glob("*.csv")}
    assert len(found) == 9
    assert found["adult_hierarchy_sex"].levels["Male"] == ("Male", "*")
    assert found["adult_hierarchy_age"].level(17, 1) == "15-19"


def test_whole_numbers_get_closed_intervals():
    ages = Hierarchy.intervals([21, 24, 25, 39], [5, 10])
    assert ages.levels["24"] == ("24", "[20, 24]", "[20, 29]", "*")
    assert ages.levels["25"] == ("25", "[25, 29]", "[20, 29]", "*")


def test_other_numbers_get_half_open_intervals_that_do_not_hold_their_upper_end():
    heights = Hierarchy.intervals([0.1, 0.3, 0.35], [0.1])
    assert heights.level(0.3, 1) == "[0.3, 0.4)"
    assert heights.level(0.1, 1) == "[0.1, 0.2)"


def test_intervals_from_an_origin_that_is_no_whole_number_hold_their_values():
    assert Hierarchy.intervals([0, 2], [2], origin=0.01).levels == {
        "0": ("0", "[-1.99, 0.01)", "*"),
        "2": ("2", "[0.01, 2.01)", "*"),
    }


def test_intervals_may_start_anywhere_and_hold_negative_numbers():
    assert Hierarchy.intervals([-3, 2], [5], origin=2).levels == {
        "-3": ("-3", "[-3, 1]", "*"),
        "2": ("2", "[2, 6]", "*"),
    }


def test_codes_are_grouped_by_their_first_letters():
    assert Hierarchy.prefixes([47677, 47602]).levels["47677"] == (
        "47677", "4767*", "476**", "47***", "4****", "*",
    )  # fmt: skip
    assert Hierarchy.prefixes(["02138", "02141"], [1, 3]).levels["02138"] == (
        "02138", "021**", "0****", "*",
    )  # fmt: skip


# -- what one asks of a tree ----------------------------------------------------------------------


def test_a_group_covers_values_as_low_as_it_can():
    jobs = Hierarchy.of(JOBS)
    assert jobs.cover(["clerk"]) == "clerk"
    assert jobs.cover(["welder", "joiner"]) == "trade"
    assert jobs.cover(["metal", "clerk"]) == "any"


def test_shares_are_exact_and_follow_the_weights():
    even, weighted = (
        Hierarchy.of(JOBS),
        Hierarchy.of(JOBS, {"clerk": 0.1, "lawyer": 1, "welder": 2, "joiner": 3}),
    )
    assert even.share("office") == Fraction(1, 2)
    assert weighted.share("office") == Fraction(11, 61)
    assert weighted.share("any") == 1


def test_a_value_may_weigh_nothing():
    tree = Hierarchy.of({"*": {"x": ["a", "b"], "y": ["c", "d"]}}, {"a": 0, "b": 0, "c": 1, "d": 3})
    assert (tree.share("x"), tree.share("d")) == (0, Fraction(3, 4))


def test_a_weight_is_the_decimal_number_that_was_written():
    tree = Hierarchy.of({"*": ["a", "b"]}, {"a": 0.1, "b": "1/3"})
    assert tree.share("a") == Fraction(3, 13)


@given(trees())
def test_the_values_below_a_node_stand_next_to_each_other_in_the_order_of_the_tree(rows):
    tree = Hierarchy.of_rows(rows)
    for node in tree.nodes:
        first, last = tree.span(node)
        below = {row[0] for row in rows if node in row}
        assert set(tree.order()[first:last]) == below
        assert tree.leaves(node) == tree.order()[first:last]


def test_siblings_stand_as_declared_though_a_branch_is_declared_in_pieces():
    rows = [["b", "g", "p"], ["a", "p", "p"], ["c", "g", "p"]]
    assert Hierarchy.of_rows(rows).order() == ("b", "c", "a")


def test_all_shares_of_a_tree_cost_no_walk_through_its_leaves():
    """A walk through 4,096 leaves for each of 8,191 nodes took 42 s."""
    leaves = [f"{number:012b}" for number in range(4096)]
    tree = Hierarchy.of_rows([[leaf[:at] + "*" for at in range(12, -1, -1)] for leaf in leaves])
    shares = [tree.share(node) for node in tree.nodes]
    assert len(shares) == 8191
    assert sum(shares) == tree.height + 1


def test_parent_path_leaves_and_nodes_agree_with_the_picture():
    jobs = Hierarchy.of(JOBS)
    assert (jobs.parent("clerk"), jobs.parent("metal"), jobs.parent("any")) == (
        "office",
        "trade",
        None,
    )
    assert jobs.path("welder") == ("welder", "metal", "trade", "any")
    assert jobs.leaves("trade") == ("welder", "joiner")
    assert set(jobs.nodes) == {
        "clerk",
        "lawyer",
        "welder",
        "joiner",
        "office",
        "metal",
        "wood",
        "trade",
        "any",
    }


def test_a_number_names_the_leaf_however_it_is_written():
    ages = Hierarchy.intervals([21, 22], [5])
    assert ages.level(21.0, 1) == ages.level("21", 1) == ages.level(np.int64(21), 1) == "[20, 24]"


def test_what_a_column_holds_beyond_the_leaves_is_listed_once():
    assert Hierarchy.of(JOBS).missing(["clerk", "nurse", 7.0, "nurse", "trade"]) == (
        "nurse",
        "7",
        "trade",
    )


@given(trees())
def test_the_leaves_of_the_root_are_all_values_and_shares_on_a_level_sum_to_one(rows):
    tree = Hierarchy.of_rows(rows)
    assert sorted(tree.order()) == sorted(row[0] for row in rows)
    for level in range(tree.height + 1):
        nodes = {tree.level(row[0], level) for row in rows}
        assert sum(tree.share(node) for node in nodes) == 1
        assert sorted(leaf for node in nodes for leaf in tree.leaves(node)) == sorted(tree.order())


@given(trees(), st.data())
def test_the_cover_is_the_lowest_node_above_all_values(rows, data):
    tree = Hierarchy.of_rows(rows)
    values = data.draw(st.lists(st.sampled_from(tree.order()), min_size=1, max_size=4))
    cover = tree.cover(values)
    assert set(values) <= set(tree.leaves(cover))
    below = [node for node in tree.nodes if tree.parent(node) == cover]
    assert not any(set(values) <= set(tree.leaves(node)) for node in below) or len(set(values)) == 1


# -- mistakes, each named -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Hierarchy({}), "at least one value; none was given"),
        (lambda: Hierarchy.of({}), "nested dictionaries with one root"),
        (lambda: Hierarchy.of(["a"]), "given as list; expected nested dictionaries"),
        (lambda: Hierarchy.of({"*": {"a": ["x"], "b": ["x"]}}), "'x' stands in two places"),
        (lambda: Hierarchy.of_rows([["x", "*"], ["x", "*"]]), "'x' has two lines"),
        (
            lambda: Hierarchy.of_rows([["x", "a", "*"], ["y", "*"]]),
            "'y' has 2 levels where others have 3",
        ),
        (lambda: Hierarchy({"x": ("y", "*")}), "The levels of 'x' begin with 'y'"),
        (lambda: Hierarchy.of_rows([["x", "a"], ["y", "b"]]), r"2 roots \('a', 'b'\)"),
        (
            lambda: Hierarchy.of_rows([["x", "a", "b", "*"], ["y", "a", "c", "*"]]),
            "'a' has two parents, 'b' and 'c'",
        ),
        (
            lambda: Hierarchy.of_rows([["x", "x", "y", "*"], ["y", "y", "z", "*"]]),
            "'y' has two parents",
        ),
        (
            lambda: Hierarchy.of_rows([["x", "y", "*"], ["y", "y", "*"]]),
            "'y' names both a value and a group",
        ),
        (lambda: Hierarchy.of_rows([["x", "a", "x"]]), "The levels of 'x' come back to 'x'"),
    ],
)
def test_a_tree_that_is_none_is_refused(make, sentence):
    with pytest.raises(SchemaError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ({"a": 1}, "without weight: 'b'"),
        ({"a": 1, "b": 1, "c": 1}, "unknown: 'c'"),
        ({"a": 0, "b": 0}, "The weights of all 2 values are 0; give at least one value a weight"),
        ({"a": 0.1 + 0.2, "b": 1}, r"0.30000000000000004, a binary float .* Fraction\(3, 10\)"),
        ({"a": 1, "b": -2}, "those of 'b' are not"),
        ({"a": 1, "b": "much"}, "The weight of 'b' was given as 'much'; expected a finite number"),
        ({"a": float("nan"), "b": 1}, "The weight of 'a' was given as nan"),
    ],
)
def test_weights_that_are_no_weights_are_refused(weights, sentence):
    with pytest.raises(SchemaError, match=sentence):
        Hierarchy.of({"*": ["a", "b"]}, weights)


@pytest.mark.parametrize(
    ("values", "widths", "sentence"),
    [
        ([], [5], "at least one number"),
        ([1], [0], "widths above 0"),
        ([1], [5, 12], "Width 12 is not a multiple of width 5"),
        ([1, float("nan")], [5], "given as nan; expected a finite number"),
        (["x"], [5], "given as 'x'; expected a finite number"),
        ([1], ["wide"], "The width was given as 'wide'"),
    ],
)
def test_intervals_that_cannot_be_made_are_refused(values, widths, sentence):
    with pytest.raises(SchemaError, match=sentence):
        Hierarchy.intervals(values, widths)


def test_codes_of_several_lengths_are_refused_with_a_likely_reason():
    with pytest.raises(SchemaError, match=r"lengths \[4, 5\].*loses its leading zeros"):
        Hierarchy.prefixes(["2138", "47677"])


def test_prefixes_longer_than_the_codes_are_refused():
    with pytest.raises(SchemaError, match="do not fit codes of 5 letters"):
        Hierarchy.prefixes(["47677"], [5])


def test_an_unknown_value_is_named_and_so_is_what_there_is():
    jobs = Hierarchy.of(JOBS)
    with pytest.raises(RecordError, match="lacks the value 'nurse'; add it as a leaf"):
        jobs.level("nurse", 1)
    with pytest.raises(RecordError, match=r"no node 'nurse'; its values are 'clerk'"):
        jobs.cover(["nurse"])


@pytest.mark.parametrize("height", [-1, 4])
def test_a_level_that_does_not_exist_is_refused(height):
    with pytest.raises(
        RecordError, match=f"Level {height} does not exist; the hierarchy has levels 0 to 3"
    ):
        Hierarchy.of(JOBS).level("clerk", height)


def test_nothing_has_no_cover():
    with pytest.raises(RecordError, match="No values were given to cover"):
        Hierarchy.of(JOBS).cover([])


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_hierarchy_file_that_cannot_be_read_is_named(content, tmp_path):
    file = tmp_path / "ages.csv"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(FormatError, match=r"ages.csv' cannot be read"):
        Hierarchy.read_csv(file)


# -- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("02138", "02138"), (2138, "2138"), (2138.0, "2138"), (2.5, "2.5"), (np.float64(7), "7"),
        (True, "True"), (np.True_, "True"), (None, "None"), (float("inf"), "inf"), (-0.0, "0"),
    ],
)  # fmt: skip
def test_a_value_is_named_by_its_text(value, name):
    assert text(value) == name


@given(st.lists(st.integers(), max_size=8), st.integers(1, 4))
def test_a_list_in_a_sentence_names_the_first_few_and_counts_the_rest(values, most):
    sentence = listed(values, most)
    assert sentence.count("'") == 2 * min(len(values), most)
    assert (f"and {len(values) - most} more" in sentence) == (len(values) > most)
