"""GroupingView: a graph, what is published of it, and what a learned link gives away."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import InfeasibleError, RecordError
from verikit.intruder import learned_links
from verikit.widgets import GroupingView


@pytest.fixture
def she(before):
    return before(GroupingView())


def links_of(html):
    """The presses that the picture offers."""
    return [part.split('"')[0] for part in html.split('data-press="')[1:]]


def large(names=12_000):
    rng = np.random.default_rng(1)
    pairs = {(f"a{i}", f"p{rng.integers(names)}") for i in range(names) for _ in range(1 + i % 3)}
    return vk.BipartiteGraph.of(pd.DataFrame(sorted(pairs), columns=["who", "what"]))


def test_at_first_nothing_is_learned_and_every_link_can_be_pressed(she):
    assert "Nobody has learned a link, and no link is certain." in she.card
    assert "Two names of which nothing was learned look linked in 33 of 100 cases at most, if" in (
        she.card
    )
    assert links_of(she.html) == [f"link/{at}" for at in range(11)]
    assert len(she.pictures) == 2


def test_both_pictures_say_their_links_and_groups(she):
    first, second = she.pictures
    assert "a1 is linked to p2 and p6." in first
    assert second.count("in some order") == 4
    assert "Nobody is placed." in second


def test_a_pressed_link_is_learned_and_pressed_again_it_is_forgotten(she):
    she.presses("link/0")
    assert she.view.known == (("a1", "p2"),)
    assert she.view.result.ways == learned_links(she.view.release, [("a1", "p2")]).ways
    assert "a1 is linked to p2 (learned) and p6." in she.pictures[0]
    she.presses("link/0")
    assert she.view.known == ()


def test_by_keyboard_a_link_is_chosen_and_learned_and_all_are_forgotten(she):
    assert she.field("link").value == "0"
    she.types("link", "2")
    she.presses("reveal")
    assert she.view.known == (("a2", "p3"),)
    assert she.field("link").value == "0"  # the next one that is not learned
    she.presses("reveal")
    assert she.view.known == (("a2", "p3"), ("a1", "p2"))
    she.presses("forget")
    assert she.view.known == ()


def test_what_follows_for_certain_is_named_and_drawn(she):
    groups = [("a1", "p2"), ("a2", "p3"), ("a5", "p1"), ("a3", "p2")]
    she.view.known = tuple(groups)
    certain = she.view.result.certain.itertuples(index=False, name=None)
    sure = [f"{i} with {j}" for i, j in certain]
    assert sure, "this lot gives a link away"
    assert all(words in she.card for words in sure)
    assert "follows for certain" in she.pictures[0]
    assert 'class="vk-head warning"' in she.html


def test_how_likely_other_links_look_is_what_the_attack_says(she):
    she.presses("link/0")
    before, found = learned_links(she.view.release, []), she.view.result
    (said,) = [words for words in she.pictures if words.startswith("How likely")]
    for i, j in she.view._graph.to_frame().itertuples(index=False, name=None):
        if (i, j) == ("a1", "p2"):
            continue
        was, now = before.chance(i, j), found.chance(i, j)
        words = f"{i} with {j}: {100 * was:.0f} % before, {100 * now:.0f} % now"
        assert (words in said) == (abs(was - now) > 1e-9) or len(said.split(";")) == 8


def test_another_lot_gives_another_release(she):
    first = she.view.release.links.tolist(), she.view.release.left_groups.tolist()
    she.presses("again")
    assert she.view.seed == 2
    assert (she.view.release.links.tolist(), she.view.release.left_groups.tolist()) != first


def test_groups_that_cannot_be_are_refused_at_their_box_and_nothing_is_called_current(she):
    she.types("k", "7")
    assert isinstance(she.view.last_error, InfeasibleError)
    assert "the left side has 6" in she.field("k").error
    assert she.view.result is None
    assert she.view.release is None
    she.types("k", "3")
    she.types("ell", "7")
    assert she.field("k").error == ""
    assert she.field("ell").error.startswith("ell was given as 7, but the right side has 6")
    she.types("ell", "3")
    she.types("k", "two")
    assert she.field("k").error.startswith("k was given as 'two'")
    she.types("k", "3")
    assert she.view.last_error is None


def test_a_link_nobody_can_have_learned_is_refused(she):
    she.view.known = (("a1", "p9"),)
    assert isinstance(she.view.last_error, RecordError)
    assert "There is no Paper 'p9'" in she.card
    she.presses("link/0")  # begins anew
    assert she.view.known == (("a1", "p2"),)


def test_of_twelve_thousand_names_an_aggregate_is_shown_and_says_so(before):
    she = before(GroupingView(large(), k=5, ell=5))
    assert she.view.last_error is None
    assert "are too many to be drawn one by one" in she.card
    assert links_of(she.html) == []
    assert len(she.html) < 30_000
    said = " ".join(she.pictures)
    assert "1 link: 4,000 in the graph, 4,000 published" in said
    she.types("of", "a4")
    assert she.field("link").options[0][1].startswith("a4 with p")
    she.presses("reveal")
    assert len(she.view.known) == 1
    assert "Whoever knows 1 link is certain of" in she.card
    she.types("of", "nobody")
    assert "There is no who 'nobody'" in str(she.view.last_error)


def test_texts_of_the_graph_are_shown_as_texts(before):
    pairs = pd.DataFrame({"<i>": ["<em>", "<script>"], "<u>": ["<img src=x>", "q"]})
    she = before(GroupingView(vk.BipartiteGraph.of(pairs), k=2, ell=2))
    for tag in ("<em>", "<script>", "<img", "<i>", "<u>"):
        assert tag not in she.html
