"""Who repeats the published method: held to the enumeration of every world of small tables."""

from collections import Counter
from functools import cache
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import InfeasibleError, SchemaError
from verikit.intruder import repeated_partition
from verikit.partition import PARTITIONERS


def table(rng, most=7):
    people = int(rng.integers(4, most))
    values = "ABCD"[: rng.integers(2, 5)]
    frame = pd.DataFrame({"age": rng.integers(20, 29, people), "sex": rng.choice([*"FM"], people)})
    frame["ill"] = rng.choice([*values], people)
    return vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))


def released(data, groups, seed=1):
    return vk.mask.anatomize(data, partition=groups, seed=seed).release


def worlds(release):
    """Every way to give the values of each group to its published rows."""
    ids, held = release.quasi["Group-ID"], release.sensitive
    rows = [np.flatnonzero(ids == group) for group in sorted(set(ids))]
    values = [held["ill"][held["Group-ID"] == group] for group in sorted(set(ids))]
    for dealt in product(*(sorted(set(permutations(part))) for part in values)):
        world = [""] * len(ids)
        for places, part in zip(rows, dealt, strict=True):
            for row, value in zip(places, part, strict=True):
                world[row] = value
        yield world


def as_sets(labels):
    return {frozenset(np.flatnonzero(np.array(labels) == group)) for group in set(labels)}


def worlds_left(release, ell):
    """Run the published method in every world, and keep those with the published groups."""
    found, total = [], 0
    for world in worlds(release):
        frame = release.quasi.drop(columns="Group-ID").assign(ill=world)
        data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
        total += 1
        if as_sets(vk.partition.entropy_diverse(data, ell=ell).labels) == as_sets(
            release.quasi["Group-ID"]
        ):
            found.append(world)
    return found, total


@cache
def entropy_releases(tables=25):
    """Small releases with the worlds that running the method leaves, and how many there were."""
    rng, found = np.random.default_rng(7), []
    while len(found) < tables:
        data, ell = table(rng), int(rng.integers(2, 4))
        try:
            groups = vk.partition.entropy_diverse(data, ell=ell)
        except InfeasibleError:
            continue
        if len(groups) == 1 and rng.random() < 0.7:
            continue
        release = released(data, groups)
        found.append((release, *worlds_left(release, ell)))
    return found


def test_the_worlds_left_and_the_chances_are_those_of_running_the_method_in_every_world():
    narrower = 0
    for release, left, total in entropy_releases():
        found = repeated_partition(release)
        assert (found.worlds, found.left) == (total, len(left))
        for row, chances in enumerate(found.possible):
            counts = Counter(world[row] for world in left)
            assert chances == pytest.approx({v: n / len(left) for v, n in counts.items()})
        narrower += len(left) < total
    assert narrower > 10


@pytest.mark.parametrize("limit", [1, 4, 12])
def test_beyond_the_limit_nothing_possible_is_ruled_out_and_what_is_certain_is_true(limit):
    for release, left, _ in entropy_releases():
        found = repeated_partition(release, limit=limit)
        assert found.left in (None, len(left))
        for row, chances in enumerate(found.possible):
            assert {world[row] for world in left} <= set(chances)


def test_two_of_six_are_certain_where_the_group_says_half():
    frame = pd.DataFrame({"age": [20, 20, 21, 22, 24, 27], "ill": [*"BAABCC"]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    release = released(data, vk.partition.entropy_diverse(data, ell=2))
    found = repeated_partition(release).to_frame().set_index("age")
    assert found["certain"].dropna().to_dict() == {24: "C", 27: "C"}
    assert found["by group"][24] == 0.5


@pytest.mark.parametrize("name", [*PARTITIONERS])
def test_a_method_leaves_all_worlds_or_says_that_they_were_not_counted(name):
    if name == "safe_groups":
        return
    data = vk.load("qz_table2_1")
    asked = {"k": 2} if name == "mondrian" else {"ell": 2}
    if name in {"max_groups", "min_max_error", "min_sum_error", "sequential"}:
        asked = {"k": 2, "e": 0}
    if name not in {"mondrian", "entropy_diverse"}:
        asked["seed"] = 1
    groups = PARTITIONERS[name].function(data, **asked)
    found = repeated_partition(vk.mask.permute_sensitive(data, partition=groups, seed=1).release)
    if PARTITIONERS[name].resists == "repetition":
        assert found.left == found.worlds
        assert found.possible == found.shown
    assert (found.left is None) == (name == "diverse")
    assert ("was not counted" in found.rests) == (name == "diverse")


def test_of_thousands_of_people_what_is_certain_is_true():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 600), "zip": rng.integers(0, 9, 600)})
    frame["ill"] = rng.choice([*"ABC"], 600, p=[0.6, 0.25, 0.15])
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    groups = vk.partition.entropy_diverse(data, ell=2)
    release, key = vk.mask.anatomize(data, partition=groups, seed=1)
    found, truth = repeated_partition(release), np.empty(600, object)
    truth[key.places[""]] = frame["ill"]
    assert found.certain > 1
    assert all(true in left for true, left in zip(truth, found.possible, strict=True))


def test_what_cannot_be_repeated_is_refused_in_a_sentence():
    data = vk.load("lhcc_table1")
    groups = vk.partition.anatomy(data, ell=2, seed=1)
    with pytest.raises(SchemaError, match="shuffled inside the groups"):
        repeated_partition(vk.mask.permute_all(data, partition=groups, seed=1).release)
    with pytest.raises(SchemaError, match="names no method"):
        repeated_partition(released(data, vk.Partition.of(groups.labels)))
    with pytest.raises(SchemaError, match="TableRelease"):
        repeated_partition(vk.published("dm_table1_masked"))


def test_groups_that_the_named_method_never_makes_are_refused():
    frame = pd.DataFrame({"age": [20, 21, 50, 51], "ill": [*"ABAB"]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    crossed = vk.Partition(np.array([0, 1, 1, 0]), "entropy_diverse", {"ell": 2})
    with pytest.raises(SchemaError, match="never makes"):
        repeated_partition(released(data, crossed))
