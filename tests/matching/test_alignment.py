"""Chances over all ways to align the columns of a group, against counting every way."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.matching import Alignment, Contents, presence_chance, printed_chance
from verikit.matching._group_contents import _Joint, lemma_chance


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.integers(0, n), min_size=1, max_size=3))
    )
)
def test_the_chance_of_presence_is_the_share_of_alignments_that_hold_the_values(drawn):
    size, counts = drawn
    ways = list(itertools.product(*(itertools.combinations(range(size), c) for c in counts)))
    hits = sum(bool(set.intersection(*map(set, way))) for way in ways)
    assert presence_chance(size, counts) == pytest.approx(hits / len(ways), abs=1e-12)


@given(st.integers(1, 60), st.data())
def test_two_columns_have_the_closed_form(size, data):
    first, second = data.draw(st.tuples(st.integers(1, size), st.integers(1, size)))
    none = Fraction(math.comb(size - first, second), math.comb(size, second))
    assert presence_chance(size, [first, second]) == pytest.approx(float(1 - none), abs=1e-12)


@given(st.integers(1, 40), st.lists(st.integers(1, 40), min_size=1, max_size=5))
def test_presence_lies_between_the_lemma_and_size_times_it(size, counts):
    counts = [min(count, size) for count in counts]
    delta, exact = lemma_chance(size, counts), presence_chance(size, counts)
    assert delta - 1e-12 <= exact <= min(1, size * delta) + 1e-12


def test_groups_of_half_a_million_are_no_obstacle():
    expected = 1 - math.exp(-500_000 * math.prod([300, 400, 2500]) / 500_000**3)
    assert presence_chance(500_000, [300, 2500, 400]) == pytest.approx(expected, rel=0.01)
    assert presence_chance(500_000, [250_000] * 7) == pytest.approx(1)


def test_the_chances_of_values_and_groups_come_from_every_alignment_of_all_groups():
    """Two groups of three, both columns shuffled; a person of whom (1, p) is known."""
    frame = pd.DataFrame(
        {
            "x": [1, 1, 2, 1, 2, 3],
            "y": ["p", "q", "q", "p", "p", "q"],
            "s": ["a", "b", "c", "a", "a", "d"],
            "g": [0, 0, 0, 1, 1, 1],
        }
    )
    data = vk.Microdata(
        frame[["x", "y", "s"]], vk.Schema.guess(frame[["x", "y", "s"]], s="sensitive")
    )
    release, _ = vk.mask.permute_all(data, partition=vk.Partition.of(frame["g"]), seed=1)
    worlds = Counter()
    copies = Counter()
    for orders in itertools.product(itertools.permutations(range(3)), repeat=4):
        seen = False
        for group, (ys, ss) in enumerate((orders[:2], orders[2:])):
            part = frame[frame["g"] == group].reset_index(drop=True)
            for row in range(3):
                if (part["x"][row], part["y"][ys[row]]) == (1, "p"):
                    seen = True
                    copies[part["s"][ss[row]]] += 1
        worlds[seen] += 1
    alignment = Alignment(release, ["x", "y"])
    fit = alignment.fit({"x": 1, "y": "p"})
    assert alignment.presence(fit) == pytest.approx(worlds[True] / worlds.total())
    contents = Contents(release, "s")
    chances = dict(zip(contents.values, contents.chances(fit), strict=True))
    for value, count in copies.items():
        assert chances[value] == pytest.approx(count / copies.total()), value


def test_in_anatomy_a_person_is_where_a_row_like_hers_stands():
    frame = pd.DataFrame(
        {"x": [1, 1, 2, 1], "y": list("ppqq"), "s": list("abab"), "g": [0, 1, 1, 0]}
    )
    data = vk.Microdata(
        frame[["x", "y", "s"]], vk.Schema.guess(frame[["x", "y", "s"]], s="sensitive")
    )
    release, _ = vk.mask.anatomize(data, partition=vk.Partition.of(frame["g"]), seed=1)
    alignment = Alignment(release, ["x", "y"])
    both, none = alignment.fit({"x": 1, "y": "p"}), alignment.fit({"x": 2, "y": "p"})
    assert both.weights.tolist() == [0.5, 0.5]
    assert (alignment.presence(both), alignment.presence(none)) == (1, 0)
    assert len(none.groups) == 0


def test_the_printed_formula_is_no_chance():
    assert printed_chance(1, 5, [5, 2]) == 0.02
    assert 5 * printed_chance(1, 5, [5, 2]) == pytest.approx(0.1)


def test_columns_that_were_generalized_as_well_are_refused():
    frame = pd.DataFrame({"x": pd.arrays.IntervalArray.from_tuples([(1, 3)], closed="both")})
    release = vk.SplitRelease(
        frame.assign(**{"Group-ID": 1}),
        pd.DataFrame({"Group-ID": [1], "s": ["a"]}),
        vk.Schema((vk.Column("x"), vk.Column("s", "sensitive", "nominal"))),
    )
    with pytest.raises(vk.SchemaError, match="'x' was generalized as well"):
        Alignment(release, ["x"])


def test_the_lemma_multiplies_exactly():
    assert lemma_chance(5, [1, 2]) == 2 / 25
    assert np.isclose(lemma_chance(500_000, [500_000] * 7), 1)


def test_no_group_is_denied_whose_label_may_stand_for_her_value():
    frame = pd.DataFrame({"age": ["20-29", "30+", "30+"], "ill": ["flu", "cold", "flu"]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    release, _ = vk.mask.anatomize(data, partition=vk.Partition.of([0, 0, 0]), seed=1)
    assert len(vk.check({"age": "30+"}, release).tables["groups"]) == 1
    with pytest.raises(vk.SchemaError, match="Column 'age' was generalized as well"):
        vk.check({"age": 25}, release)
    assert len(vk.check({"age": '"nurse"'}, release).tables["groups"]) == 0


def test_rows_are_numbered_as_one_even_where_all_places_together_are_too_many():
    rng = np.random.default_rng(4)
    codes = [rng.integers(0, 3, 40) * 2**40 for _ in range(4)]
    joint = _Joint(codes, [2**42] * 4)
    rows = list(zip(*(part.tolist() for part in codes), strict=True))
    assert len(set(zip(rows, joint.labels.tolist(), strict=True))) == len(set(rows))
    assert [joint.label(row) for row in rows] == joint.labels.tolist()
    assert (
        joint.label((1, 2, 3, 4)) == joint.label((0, 0, 0, -1)) == joint.label((-1, 0, 0, 0)) == -1
    )
