"""Releases that respect what each person requires, and what is refused."""

from collections import Counter
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verikit as vk
from verikit.mask import personalize
from verikit.models import personal_respect
from verikit.targets import balanced

SEARCHES = ("one group", "quasi", "average saving", "top down", "exact")


def people(values, wishes, zips=None):
    frame = pd.DataFrame(
        {"zip": list(map(str, zips or range(len(values)))), "pay": values, "wish": wishes}
    )
    columns = (
        vk.Column("zip", kind="nominal"),
        vk.Column("pay", "sensitive"),
        vk.Column("wish", "other", "nominal"),
    )
    return vk.Microdata(frame, vk.Schema(columns))


@st.composite
def cases(draw, most=8, values=8):
    tree = balanced(range(1, values + 1))
    values = draw(st.lists(st.integers(1, values), min_size=1, max_size=most))
    wishes = [draw(st.sampled_from(tree.path(value))) for value in values]
    zips = draw(st.lists(st.sampled_from("pq"), min_size=len(values), max_size=len(values)))
    return tree, people(values, wishes, zips)


@given(cases(), st.sampled_from(SEARCHES))
def test_every_search_respects_everybody_and_covers_every_value(case, search):
    tree, data = case
    release, key = personalize(data, hierarchy=tree, requirement="wish", search=search, seed=4)
    cells = release.sensitive["pay"].to_numpy()[key.columns["pay"]]
    values = data.frame["pay"].tolist()
    assert all(str(v) in tree.leaves(c) for c, v in zip(cells, values, strict=True))
    assert (release.labels.sensitive[key.columns["pay"]] == release.labels.quasi[key.rows]).all()
    assert "wish" not in release.schema.names
    apart = people(values, data.frame["wish"].astype(str).tolist())
    release, _ = personalize(apart, hierarchy=tree, requirement="wish", search=search, seed=4)
    verdict = personal_respect(release, apart, requirement="wish")
    assert verdict.met
    assert verdict.groups.tolist() == [1] * len(values)


@given(cases())
def test_no_search_publishes_less_than_the_exact_one(case):
    tree, data = case
    found = {
        search: personalize(data, hierarchy=tree, requirement="wish", search=search, seed=1)
        .release.parameters["values published"]
        for search in SEARCHES
    }  # fmt: skip
    assert min(found.values()) == found["exact"]


@pytest.mark.filterwarnings("ignore:Of .* are the root")
@given(cases())
def test_the_whole_domain_for_everybody_in_one_group_is_distributional_privacy(case):
    """PP-27."""
    tree, data = case
    mine, _ = personalize(data, hierarchy=tree, requirement=3, search="one group", seed=1)
    theirs, _ = vk.mask.disguise(data, hierarchy=tree, seed=1)
    assert sorted(map(str, mine.sensitive["pay"])) == sorted(map(str, theirs.sensitive["pay"]))
    assert vk.models.target_privacy(mine).met


def test_a_level_is_a_node_for_everybody():
    """PP-24: level 0 is the value itself."""
    data = people([1, 2, 3], ["1", "2", "3"])
    release, _ = personalize(data, hierarchy=balanced([1, 2, 3, 4]), requirement=0, seed=1)
    assert sorted(release.sensitive["pay"]) == [1, 2, 3]
    assert len(release.labels.names) == 3


@pytest.mark.parametrize("level", [3, 99, 10**12])
def test_a_level_above_the_root_is_refused(level):
    data, tree = people([1, 2, 3, 4], ["1", "2", "3", "4"]), balanced([1, 2, 3, 4])
    made, _ = personalize(data, hierarchy=tree, requirement=2, seed=1)
    assert personal_respect(made, data, requirement=2).required == ("[1, 4]",) * 4
    with pytest.raises(vk.RecordError, match=r"as level .* the hierarchy has levels 0 to 2\."):
        personalize(data, hierarchy=tree, requirement=level, seed=1)
    with pytest.raises(vk.RecordError, match=r"the hierarchy has levels 0 to 2\."):
        personal_respect(made, data, requirement=level)


def respected(release, data, tree):
    """By the definition: each group that a person may be in shows just the target below her node.

    The target of `balanced` gives all values the same weight, so below a node each value must be
    as often in what is published, nodes counting for all of their values evenly.
    """
    quasi, hidden = release.quasi, release.sensitive
    found = []
    for zip_, wish in zip(data.frame["zip"], data.frame["wish"], strict=True):
        below, told = set(tree.leaves(wish)), []
        for group in quasi["Group-ID"][quasi["zip"] == zip_].unique():
            nodes = hidden["pay"][hidden["Group-ID"] == group]
            shown = Counter()
            for leaves in map(tree.leaves, nodes):
                shown.update({leaf: Fraction(1, len(leaves)) for leaf in leaves})
            if any(shown[leaf] for leaf in below):
                told.append(len({shown[leaf] for leaf in below}) == 1)
        found.append(bool(told) and all(told))
    return found


@given(cases(), st.sampled_from(SEARCHES))
def test_everybody_is_respected_where_known_values_repeat(case, search):
    tree, data = case
    release, _ = personalize(data, hierarchy=tree, requirement="wish", search=search, seed=4)
    assert all(respected(release, data, tree))
    assert personal_respect(release, data, requirement="wish").met


def all_releases(data, tree):
    """Every way to put people into groups and to publish a node around each value."""
    number = len(data)
    paths = [tree.path(value) for value in data.frame["pay"]]
    for labels in product(*(range(at + 1) for at in range(number))):
        for nodes in product(*paths):
            quasi = pd.DataFrame({"zip": data.frame["zip"], "Group-ID": labels})
            hidden = pd.DataFrame({"pay": nodes, "Group-ID": labels})
            yield SimpleNamespace(quasi=quasi, sensitive=hidden)


@given(cases(most=3, values=4))
@settings(max_examples=20, deadline=None)
def test_the_exact_search_finds_the_least_of_all_that_respect_everybody(case):
    tree, data = case
    least = min(
        sum(len(tree.leaves(node)) for node in release.sensitive["pay"])
        for release in all_releases(data, tree)
        if all(respected(release, data, tree))
    )
    made, _ = personalize(data, hierarchy=tree, requirement="wish", search="exact", seed=4)
    verdict = personal_respect(made, data, requirement="wish")
    assert verdict.published == least >= verdict.least


def test_two_with_the_same_known_values_are_served_as_the_one_who_asks_for_more():
    tree = balanced([30, 40, 50, 60])
    data = people([60, 60, 30], ["[50, 60]", "60", "30"], zips="ppq")
    release, _ = personalize(data, hierarchy=tree, requirement="wish", seed=1)
    assert sorted(map(str, release.sensitive["pay"])) == ["30", "[50, 60]", "[50, 60]"]
    verdict = personal_respect(release, data, requirement="wish")
    assert (verdict.wished, verdict.published, verdict.least) == (4, 5, 5)


def test_who_requires_nothing_is_refused_or_gets_the_strictest():
    """PP-28."""
    data = people([1, 2], [None, "2"])
    tree = balanced([1, 2, 3, 4])
    with pytest.raises(vk.RecordError, match="1 person without a requirement in column 'wish'"):
        personalize(data, hierarchy=tree, requirement="wish", seed=1)
    release, _ = personalize(
        data, hierarchy=tree, requirement="wish", missing="strictest", search="one group", seed=1
    )
    assert set(release.sensitive["pay"]) == {"[1, 4]"}
    verdict = personal_respect(release, data, requirement="wish", missing="strictest")
    assert verdict.required == ("[1, 4]", "2")


def test_a_release_that_shows_more_is_not_respected_for_those_it_shows():
    data = people([1, 1, 3], ["[1, 2]", "[1, 4]", "3"], zips="ppq")
    tree = balanced([1, 2, 3, 4])
    bare, _ = personalize(data, hierarchy=tree, requirement=0, seed=1)
    verdict = personal_respect(bare, data, requirement="wish")
    assert verdict.per_record.tolist() == [False, False, True]
    assert repr(verdict) == (
        "personal respect: not met for 2 people. Of 3 people 7 values were required and 3 "
        "published."
    )
    assert verdict.to_frame()["required"].tolist() == ["[1, 2]", "[1, 4]", "3"]


def test_a_person_who_is_not_found_is_not_respected():
    data = people([1, 2], ["1", "2"])
    release, _ = personalize(data, hierarchy=balanced([1, 2]), requirement="wish", seed=1)
    stranger = people([1], ["1"], zips=["elsewhere"])
    assert not personal_respect(release, stranger, requirement="wish").met


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"requirement": "pay"}, "requirement was given as 'pay'; expected the name of a column"),
        ({"requirement": "hope"}, "requirement was given as 'hope'; expected the name of a col"),
        ({"requirement": -1}, "requirement was given as -1; expected the name of a column, or a"),
        ({"requirement": 1.5}, "requirement was given as 1.5; expected"),
        ({"hierarchy": balanced([1, 2])}, "lacks the values '3', which column 'pay' holds"),
        ({"hierarchy": [1, 2]}, r"hierarchy was given as \[1, 2\]; expected a Hierarchy"),
        ({"search": "best"}, "search was given as 'best'; expected 'one group', 'quasi'"),
        ({"missing": "leaf"}, "missing was given as 'leaf'; expected 'refuse' or 'strictest'"),
        (
            {"hierarchy": vk.Hierarchy(balanced([1, 2, 3]).levels, {1: 1, 2: 1, 3: 0})},
            "A person requires '3', to which the target gives no weight",
        ),
    ],
)
def test_what_cannot_be_personalized_is_refused_in_one_sentence(given, words):
    data = people([1, 2, 3], ["1", "2", "3"])
    good = {"hierarchy": balanced([1, 2, 3]), "requirement": "wish", "seed": 1}
    with pytest.raises(vk.VerikitError, match=words):
        personalize(data, **{**good, **given})


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ("2", "A person requires '2', which does not hold her value '1'"),
        ("[1, 9]", r"Column 'wish' requires '\[1, 9\]', which are no nodes of the hierarchy"),
    ],
)
def test_a_requirement_must_be_a_node_around_the_value(wish, words):
    with pytest.raises(vk.RecordError, match=words):
        personalize(people([1], [wish]), hierarchy=balanced([1, 2]), requirement="wish", seed=1)


def test_a_thousand_people_are_served_from_the_top_down():
    rng = np.random.default_rng(5)
    tree = balanced(range(64))
    values = rng.integers(0, 64, 1000).tolist()
    wishes = [tree.level(value, int(rng.integers(0, 7))) for value in values]
    data = people(values, wishes)
    release, _ = personalize(data, hierarchy=tree, requirement="wish", seed=1)
    assert personal_respect(release, data, requirement="wish").met
