"""LatticeView: what is typed changes the search, its steps and the table at a node."""

import re

import pandas as pd
import pytest

import verikit as vk
from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.widgets import LatticeView

SEARCHES = ("datafly", "samarati", "incognito", "k_optimize")


@pytest.fixture
def view():
    return LatticeView()


def shown(view):
    return view.card().html


def pictured(view):
    """What the picture says to those who cannot see it."""
    return re.search(r'role="img" aria-label="([^"]*)"', shown(view)).group(1)


def heard(view, **message):
    """A message from the browser."""
    view._on_message(None, {"turn": 1, **message}, [])


def tall(levels):
    """Six records of three columns, each with so many levels."""
    frame = pd.DataFrame({name: ["a", "b"] * 3 for name in "XYZ"})
    path = [f"step {level}" for level in range(1, levels)]
    columns = tuple(
        vk.Column(n, "quasi", "nominal", vk.Hierarchy({v: (v, *path) for v in "ab"})) for n in "XYZ"
    )
    return vk.Microdata(frame, vk.Schema(columns))


def test_the_first_screen_shows_the_levels_that_make_pairs_of_the_surveys_table(view):
    assert view.result.levels == {"Race": 1, "Zip": 1}
    assert "Chosen: Race level 1, Zip level 1." in shown(view)
    assert view.last_error is None


def test_the_picture_tells_the_true_verdict_of_all_twelve_nodes(view):
    # There is one Black only, so Race must go; one code occurs once, so its last digit must go.
    assert pictured(view).endswith(
        "12 nodes: 5 met (1,1; 1,2; 1,3; 1,4; 1,5), "
        "7 missed (0,0; 0,1; 1,0; 0,2; 0,3; 0,4; 0,5). Chosen: 1,1."
    )


@pytest.mark.parametrize("algorithm", SEARCHES[1:])
def test_every_exact_search_ends_at_the_same_node(view, algorithm):
    view.algorithm = algorithm
    assert view.result.algorithm == algorithm
    assert view.result.node == (1, 1)


def test_leaving_one_record_out_makes_a_lower_node_enough(view):
    view.suppression = 0.2
    assert view.result.node in {(0, 1), (1, 0)}
    assert "11 met" in pictured(view)
    assert "1 of 5 records left out" in shown(view)


def test_a_step_shows_what_was_known_by_then_and_nothing_later(view):
    first, second = view.result.trail[:2]
    assert (first.node, first.verdict, second.node) == ((0, 3), "unsafe", (1, 2))
    view.step = 1
    assert "Race level 0, Zip level 3: missed." in shown(view)
    assert "1 record in classes of fewer than 2." in shown(view)
    assert pictured(view).endswith("12 nodes: 1 missed (0,3), 11 not looked at.")
    view.step = 0
    assert "12 not looked at" in pictured(view)


def test_the_chosen_node_is_framed_only_when_the_search_is_over(view):
    frame = 'fill="none" stroke="currentColor" stroke-width="2.5"'
    assert "Chosen" in pictured(view)
    assert shown(view).count(frame) == 1 + 1  # the node, and the legend
    view.step = 5
    assert "Chosen" not in pictured(view)
    assert frame not in shown(view)


def test_back_and_next_move_one_step_and_stop_at_both_ends(view):
    heard(view, kind="press", field="next")
    assert view.step is None or view.step == 6
    heard(view, kind="press", field="back")
    assert view.step == 5
    for _ in range(9):
        heard(view, kind="press", field="back")
    assert view.step == 0


def test_a_step_over_one_column_lights_every_node_with_its_level(view):
    view.algorithm = "incognito"
    view.step = 1
    assert "Race level 0 alone: missed." in shown(view)
    assert shown(view).count('opacity=".45"') == 6 + 1  # Race at level 0, and the legend


def test_a_node_can_be_chosen_by_its_levels_and_in_the_picture(view):
    heard(view, kind="set", field="level/Race", value="0")
    assert view.node == (0, 1)
    assert view.verdict.per_class.tolist() == [2, 1, 2]  # Asian, Black, White
    heard(view, kind="press", field="node/1,0")
    assert view.node == (1, 0)
    assert "The table at Race level 1, Zip level 0" in shown(view)
    assert "3 classes of records that look alike; 1 of 5 records in classes" in shown(view)
    heard(view, kind="press", field="chosen")
    assert view.verdict.value == 5


def test_a_k_that_is_no_number_or_too_large_is_said_at_its_box(view):
    heard(view, kind="set", field="k", value="many")
    assert isinstance(view.last_error, RecordError)
    assert view.result is None
    assert view.verdict is None
    heard(view, kind="set", field="k", value="6")
    assert isinstance(view.last_error, InfeasibleError)
    box = next(f for part in view.parts() for f in part.fields if f.id == "k")
    assert box.error.endswith("the largest k that can be reached is 5.")
    assert "Outdated" in shown(view)
    heard(view, kind="set", field="k", value="3")
    assert (view.k, view.result.k, view.last_error) == (3, 3, None)
    assert "Outdated" not in shown(view)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("suppression", "2", "expected a share from 0 to 1"),
        ("algorithm", "magic", "expected one of datafly, samarati"),
        ("step", "-1", "expected a whole number from 0 up"),
        ("level/Zip", "9", "a whole number from 0 to 5"),
        ("level/Zip", "x", "Zip was given as 'x'; expected a whole number"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_breaks(view, field, value, said):
    heard(view, kind="set", field=field, value=value)
    assert said in str(view.last_error)
    assert view.result is None


def test_a_wrong_node_given_in_python_is_refused_with_what_is_expected(view):
    view.node = (1,)
    assert "expected 2 levels, one for each of Race, Zip" in str(view.last_error)


def test_a_message_can_change_boxes_only(view):
    heard(view, kind="set", field="last_error", value="x")
    heard(view, kind="set", field="_esm", value="alert()")
    assert view.last_error is None
    assert "alert()" not in str(view._esm)


def test_a_table_without_hierarchies_is_refused_when_the_view_is_made():
    with pytest.raises(SchemaError, match="'X1', 'X2', 'X3' have no hierarchy"):
        LatticeView(vk.load("dm_table1"))


def test_a_large_lattice_is_drawn_by_its_heights():
    view = LatticeView(tall(6), k=2)
    # Six levels a column make 216 nodes; even the bottom has two classes of three equal records.
    assert pictured(view).endswith("216 of 216 nodes are safe.")
    assert "3 of 3" in shown(view)


def test_texts_from_the_table_are_shown_as_texts():
    tree = vk.Hierarchy({"<i>": ("<i>", "<img src=x>"), "b": ("b", "<img src=x>")})
    columns = (vk.Column("<script>", "quasi", "nominal", tree),)
    frame = pd.DataFrame({"<script>": ["<i>", "b"]})
    html = shown(LatticeView(vk.Microdata(frame, vk.Schema(columns)), k=2))
    assert "<script>" not in html
    assert "<img" not in html
    assert "&lt;img src=x&gt;" in html


def test_no_screen_calls_a_table_safe(view):
    for step in (0, 1, 3, None):
        view.step = step
        assert "safe" not in shown(view)
        assert "safe" not in pictured(view)


def test_of_several_requirements_each_node_tells_which_hold_there():
    """Ages 1 and 2 share the flu, 3 and 4 do not: pairs need one level, two diseases the root."""
    tree = vk.Hierarchy.of({"*": {"young": ["1", "2"], "old": ["3", "4"]}})
    columns = (vk.Column("age", "quasi", "numeric", tree), vk.Column("S", "sensitive", "nominal"))
    frame = pd.DataFrame({"age": [1, 2, 3, 4], "S": ["flu", "flu", "flu", "cold"]})
    view = LatticeView(
        vk.Microdata(frame, vk.Schema(columns)), requirement="distinct_diversity,ell=2"
    )
    assert view.result.node == (2,)
    said = "k-anonymity with k 2 {}; distinct diversity with ell 2 {}"
    for node, k, ell in (("0", "fails", "fails"), ("1", "holds", "fails"), ("2", "holds", "holds")):
        assert re.search(rf"age {node}: [^<]*; {said.format(k, ell)}", shown(view))
    view.node = (1,)
    assert "2 of 4 records in classes that miss" in shown(view)
    heard(view, kind="set", field="requirement", value="distinct_diversity,ell=3")
    assert "the largest ell that can be reached is 2" in str(view.last_error)
    heard(view, kind="set", field="requirement", value="closeness")
    assert "expected" in str(view.last_error)
    heard(view, kind="set", field="requirement", value="")
    assert view.result.node == (1,)
