"""Who repeats the published method: held to the enumeration of every world of small tables."""

import math
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
from verikit.partition._diversity import deal_records, make_task, split_table
from verikit.partition._several_columns import check_several


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
    assert 0 < found.left <= found.worlds


class Scripted:
    """A generator that gives one order after the other, as a path through all of them says."""

    def __init__(self, path):
        self.path, self.taken, self.ways = path, [], []

    def permutation(self, size):
        at = len(self.taken)
        self.taken.append(self.path[at] if at < len(self.path) else 0)
        self.ways.append(math.factorial(size))
        return np.array(list(permutations(range(size)))[self.taken[at]])


def run_all(method):
    """Run a method with all that its generator may give, each with its chance."""
    path = []
    while True:
        rng = Scripted(path)
        yield method(rng), 1 / math.prod(rng.ways)
        taken, ways = rng.taken, rng.ways
        while taken and taken[-1] == ways[-1] - 1:
            taken.pop(), ways.pop()
        if not taken:
            return
        taken[-1] += 1
        path = taken


@cache
def deal_all(parts, codes):
    """How often each set of groups is dealt from some parts."""
    dealt = Counter()
    for labels, chance in run_all(
        lambda rng: deal_records(np.array(parts), np.array(codes), 2, rng)
    ):
        dealt[frozenset(as_sets(labels.tolist()))] += chance
    return dealt


def chances_of_groups(data, tries, corners):
    """How often `diverse` makes each set of groups: it is run with every order of the records."""
    request = check_several(data, 2, None, "refuse")
    task, found = make_task(data, request, "refuse"), Counter()
    for parts, chance in run_all(lambda rng: split_table(task, tries, rng, corners)):
        for groups, share in deal_all(tuple(parts.tolist()), tuple(request.codes.tolist())).items():
            found[groups] += chance * share
    return found


@pytest.mark.parametrize("corners", ["part", "table"])
@pytest.mark.parametrize(("people", "tries"), [(4, 1), (4, 2), (5, 1)])
def test_of_diverse_each_world_counts_as_often_as_it_makes_the_groups(people, tries, corners):
    rng = np.random.default_rng(people + tries)
    narrower = 0
    for seed in range(5):
        frame = pd.DataFrame(
            {"age": rng.integers(20, 26, people), "sex": rng.choice([*"FM"], people)}
        )
        frame["ill"] = rng.permutation([*"ABAC", "B"][:people])
        data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
        groups = vk.partition.diverse(data, ell=2, tries=tries, corners=corners, seed=seed)
        release = released(data, groups)
        there, weights = frozenset(as_sets(release.quasi["Group-ID"])), {}
        for world in worlds(release):
            made = release.quasi.drop(columns="Group-ID").assign(ill=world)
            made = vk.Microdata(made, vk.Schema.guess(made, ill="sensitive"))
            weights[tuple(world)] = chances_of_groups(made, tries, corners)[there]
        found, whole = repeated_partition(release), sum(weights.values())
        assert (found.worlds, found.left) == (len(weights), sum(w > 0 for w in weights.values()))
        for row, chances in enumerate(found.possible):
            held = Counter()
            for world, weight in weights.items():
                held[world[row]] += weight / whole
            assert chances == pytest.approx({v: n for v, n in held.items() if n})
        narrower += len({round(weight, 9) for weight in weights.values()}) > 1
    assert narrower


def test_of_more_people_diverse_makes_groups_in_each_world_as_often_as_is_said():
    """Three pairs: the method is run with 200 seeds in each of eight worlds."""
    frame = pd.DataFrame({"age": [20, 21, 22, 50, 51, 52], "ill": [*"ABCACB"]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    release = released(data, vk.partition.diverse(data, ell=2, tries=2, seed=3))
    there, weights = as_sets(release.quasi["Group-ID"]), {}
    for world in worlds(release):
        made = release.quasi.drop(columns="Group-ID").assign(ill=world)
        made = vk.Microdata(made, vk.Schema.guess(made, ill="sensitive"))
        runs = (vk.partition.diverse(made, ell=2, tries=2, seed=seed) for seed in range(200))
        weights[tuple(world)] = sum(as_sets(run.labels.tolist()) == there for run in runs)
    found, whole = repeated_partition(release), sum(weights.values())
    for row, chances in enumerate(found.possible):
        for value, chance in chances.items():
            held = sum(w for world, w in weights.items() if world[row] == value) / whole
            assert abs(held - chance) < 4 * (0.25 / whole) ** 0.5
    assert any(abs(chance - 0.5) > 0.1 for chances in found.possible for chance in chances.values())


def test_of_ten_people_what_diverse_draws_is_not_counted():
    frame = pd.DataFrame({"age": range(10), "ill": [*"ABCDE"] * 2})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    found = repeated_partition(released(data, vk.partition.diverse(data, ell=2, seed=1)))
    assert found.left is None
    assert "was not counted" in found.rests
    assert [set(chances) for chances in found.possible] == [set(chances) for chances in found.shown]


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
