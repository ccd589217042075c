"""All originals that a release allows: against every way to link its rows, written out by hand."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import verikit as vk

SCHEMA = vk.Schema((vk.Column("h", kind="nominal"), vk.Column("s", "sensitive")))


def draw_records(rng, n):
    frame = pd.DataFrame({"h": rng.choice(list("ab"), n), "s": rng.integers(0, 3, n)})
    return vk.Microdata(frame, SCHEMA)


def as_rows(data):
    return tuple(map(tuple, data.frame.astype({"h": str}).itertuples(index=False)))


def swap_places(percent):
    few = vk.load("dm_table1").take(range(5))
    return vk.mask.rank_swap(few, percent=percent, seed=1).release


def chances_of_originals(found):
    return {as_rows(world): chance for world, chance in zip(found, found.chances, strict=True)}


def link_rows_in_all_ways(release, columns_apart):
    """Each way to put rows of the second table beside those of the first, counted one by one."""
    first, second, group = release.quasi, release.sensitive, release.group
    people = [first.index[first[group] == g] for g in sorted(set(first[group]))]
    rows = [second.index[second[group] == g] for g in sorted(set(first[group]))]
    orders = [itertools.permutations(r, len(p)) for p, r in zip(people, rows, strict=True)]
    found = Counter()
    for ways in itertools.product(*orders):
        world = {}
        for own, way in zip(people, ways, strict=True):
            for person, row in zip(own, way, strict=True):
                world[person] = (str(first.h[person]), float(second.s[row]))
        found[tuple(world[person] for person in first.index)] += 1
    assert columns_apart == ("h" not in second)
    total = sum(found.values())
    return {world: Fraction(times, total) for world, times in found.items()}


@pytest.mark.parametrize("mask", ["anatomize", "permute_all"])
@pytest.mark.parametrize("seed", range(4))
def test_originals_are_all_ways_to_link_the_rows_of_a_group(mask, seed):
    rng = np.random.default_rng(seed)
    groups = vk.Partition.of([0, 0, 0, 1, 1])
    release = getattr(vk.mask, mask)(draw_records(rng, 5), partition=groups, seed=seed).release
    expected = link_rows_in_all_ways(release, columns_apart=True)
    found = chances_of_originals(vk.worlds(release))
    assert found == pytest.approx({world: float(c) for world, c in expected.items()})


def test_dummy_rows_are_nobodys_and_people_choose_among_all_rows_of_their_group():
    labels = pd.DataFrame({"Group-ID": [1, 1], "h": ["a", "b"]})
    rows = pd.DataFrame({"Group-ID": [1, 1, 1, 1], "s": [0, 0, 0, 1]})
    release = vk.SplitRelease(labels, rows, SCHEMA, "disguise", {"fakes": 2}, promise="covers")
    expected = link_rows_in_all_ways(release, columns_apart=True)
    assert expected[("a", 0.0), ("b", 0.0)] == Fraction(1, 2)
    found = chances_of_originals(vk.worlds(release))
    assert found == pytest.approx({world: float(c) for world, c in expected.items()})


def test_a_cell_stands_for_the_whole_numbers_of_its_range_and_the_leaves_of_its_node():
    tree = vk.Hierarchy.of({"any": {"office": ["clerk", "lawyer"], "trade": ["smith"]}})
    schema = vk.Schema((vk.Column("age"), vk.Column("job", kind="nominal", hierarchy=tree)))
    ages = pd.arrays.IntervalArray.from_breaks([20, 22, 23], closed="left")
    frame = pd.DataFrame({"age": ages, "job": ["any", "office"]})
    found = vk.worlds(vk.TableRelease.of(frame, schema, promise="covers"))
    pairs = [
        tuple(itertools.product((20, 21), ("clerk", "lawyer", "smith"))),
        tuple(itertools.product((22,), ("clerk", "lawyer"))),
    ]
    worlds = {tuple(map(tuple, one.frame.astype({"job": str}).values.tolist())) for one in found}
    assert worlds == set(itertools.product(*pairs))
    assert found.chances == pytest.approx([1 / 12] * 12)
    assert found.answer("select max(age) from t where job = 'smith'").answers == (20, 21)


def test_graphs_are_counted_once_however_many_ways_name_their_nodes():
    tables = [vk.load(f"qz_table4_1{part}") for part in "cab"]
    graph = vk.BipartiteGraph.of(tables[0].frame, *tables[1:])
    groups = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])
    release = vk.mask.group_nodes(graph, 3, 3, groups=groups, seed=5).release
    expected, sides = Counter(), []
    for side in ("left", "right"):
        names, own, nodes = release.names(side), release.groups(side), release.nodes(side)
        named = [
            dict(zip(np.flatnonzero(nodes == g), way, strict=True))
            for g in (0, 1)
            for way in itertools.permutations(names[own == g])
        ]
        sides.append([{**one, **two} for one in named[:6] for two in named[6:]])
    for left, right in itertools.product(*sides):
        expected[frozenset((left[a], right[b]) for a, b in release.links)] += 1
    assert expected.total() == 6**4
    found = vk.worlds(release)
    titles = [release.title("left"), release.title("right")]
    graphs = [frozenset(map(tuple, one.frame[titles].astype(str).to_numpy())) for one in found]
    assert dict(zip(graphs, found.chances, strict=True)) == pytest.approx(
        {one: times / 6**4 for one, times in expected.items()}
    )
    with pytest.raises(vk.RecordError, match="rows are links"):
        found.chances_of(titles[1], row=0)


@pytest.mark.parametrize("seed", range(8))
def test_a_question_is_answered_in_each_world_as_a_person_would(w, seed):
    rng = np.random.default_rng(seed)
    groups = vk.Partition.of([0, 0, 1, 1, 1])
    data = w.table(rng, 5, missing=True)
    release = w.released("anatomize", data, groups.labels)
    found = vk.worlds(release)
    worlds = [w.records(world) for world in found]
    for _ in range(10):
        query = w.question(rng, w.predicate(rng, ["age", "job", "pay"]))
        truths = Counter()
        for world, chance in zip(worlds, found.chances, strict=True):
            truths[w.truth(world, query)] += chance
        truths = {one: chance for one, chance in truths.items() if not math.isnan(one)}
        spread = found.answer(query)
        assert dict(zip(spread.answers, spread.chances, strict=True)) == pytest.approx(truths)


def test_what_one_learns_crosses_out_the_worlds_that_contradict_it():
    found = vk.worlds(vk.published("lhcc_table3"))
    assert len(found) == math.factorial(5) * math.factorial(4)
    assert found.chances_of("Disease", row=0) == pytest.approx(
        dict.fromkeys(["Dyspepsia", "Flu", "Cancer", "Gastritis", "Emphysema"], 0.2)
    )
    left = found.given({"Disease": "Flu"}, row=0)
    assert len(left) == math.factorial(4) ** 2
    assert left.chances_of("Disease", row=1)["Cancer"] == pytest.approx(1 / 4)
    with pytest.raises(vk.InfeasibleError, match="None of 576 originals agrees"):
        left.given({"Disease": "Flu"}, row=1)


def test_anything_may_be_put_to_every_world():
    found = vk.worlds(vk.published("lhcc_table3"))
    sick = found.each(lambda world: tuple(world.frame.Disease[world.frame.Sex == "F"]).count("Flu"))
    asked = found.answer("select count(*) from t where sex = 'F' and disease = 'flu'")
    assert (sick.answers, sick.chances) == (asked.answers, pytest.approx(asked.chances))


@pytest.mark.parametrize(
    ("release", "words"),
    [
        (lambda: vk.mask.noise(vk.load("dm_table1"), scale=1, seed=1).release, "any original is"),
        (lambda: swap_places(percent=20), "not every order is as likely"),
        (lambda: vk.published("lhcc_table2"), "originals or more, and the limit is 100,000"),
    ],
)
def test_what_has_too_many_originals_is_refused_in_a_sentence(release, words):
    with pytest.raises(vk.VerikitError, match=words):
        vk.worlds(release())


def test_ends_that_are_not_asked_for_themselves_are_not_said_to_be_reached():
    """Above 22 whole years are 23 at least: 22 is a bound that holds, and is not reached."""
    data = vk.Microdata(pd.DataFrame({"age": [20, 24, 25]}), vk.Schema((vk.Column("age"),)))
    release = vk.mask.generalize(data, partition=vk.Partition.of([0, 0, 1]), seed=1).release
    for word, tight in ((">", False), (">=", True)):
        query = f"select avg(age) from t where age {word} 22"
        found, true = vk.answer(query, release), vk.worlds(release).answer(query)
        assert found.lower <= true.lower
        assert found.tight is tight
        assert (found.lower == true.lower) is tight
