"""What a person is told of somebody who repeats the publisher's method: no less than he learns."""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pandas as pd

import verikit as vk
from verikit.errors import InfeasibleError


def grouped(frame, **asked):
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    return data, vk.partition.entropy_diverse(data, **asked)


def as_sets(labels):
    return {frozenset(np.flatnonzero(np.array(labels) == group)) for group in set(labels)}


def posterior_of(release, ell):
    """By row how often it has each value, in the worlds in which the method makes these groups."""
    ids, values = release.quasi["Group-ID"], release.sensitive
    rows = [np.flatnonzero(ids == group) for group in sorted(set(ids))]
    ways = [
        sorted(set(permutations(values["ill"][values["Group-ID"] == group])))
        for group in sorted(set(ids))
    ]
    held, worlds = [Counter() for _ in ids], 0
    for dealt in product(*ways):
        ill = np.empty(len(ids), object)
        ill[np.concatenate(rows)] = [value for part in dealt for value in part]
        try:
            made = grouped(release.quasi.drop(columns="Group-ID").assign(ill=ill), ell=ell)[1]
        except InfeasibleError:
            continue
        if as_sets(made.labels.tolist()) == as_sets(ids.tolist()):
            worlds += 1
            for row, value in enumerate(ill):
                held[row][value] += 1
    return [{value: n / worlds for value, n in part.items()} for part in held]


def test_a_person_is_told_what_who_repeats_the_method_learns_of_her():
    """She is any of the rows with her values; his best guess is right as often as they say."""
    rng, told_more, tried = np.random.default_rng(11), 0, 0
    while tried < 60:
        people = int(rng.integers(4, 8))
        frame = pd.DataFrame({"age": rng.integers(20, 26, people)})
        frame["ill"] = rng.choice([*"ABC"], people)
        try:
            data, groups = grouped(frame, ell=2)
        except InfeasibleError:
            continue
        tried += 1
        release = vk.mask.anatomize(data, partition=groups, seed=1).release
        posterior = posterior_of(release, 2)
        for age in set(frame["age"]):
            rows = np.flatnonzero(release.quasi["age"] == age)
            best = max(sum(posterior[row].get(v, 0) for row in rows) / len(rows) for v in "ABC")
            report = vk.check({"age": int(age)}, release)
            (again,) = report.facts["repeated"] or [{"chance": 0.0}]
            by_group = report.tables["values"]["of 100 here"].max() / 100
            assert max(again["chance"], by_group) >= best - 1e-9
            if again["chance"]:
                assert abs(again["chance"] - best) < 1e-9
                assert again["chance"] > by_group
                told_more += 1
                assert "this is not counted here" not in str(report)
            assert (report.sentence("P9") is not None) == bool(report.facts["repeated"])
            assert report.warned >= (again["chance"] >= 0.9)
    assert told_more > 20


def test_the_two_who_are_certain_are_warned_where_the_group_says_half():
    frame = pd.DataFrame({"age": [20, 20, 21, 22, 24, 27], "ill": [*"BAABCC"]})
    data, groups = grouped(frame, ell=2)
    release = vk.mask.anatomize(data, partition=groups, seed=1).release
    for age in (24, 27):
        report = vk.check({"age": age}, release)
        assert report.headline.state == "warning-you"
        assert "repeats the publisher's method can guess your ill: C" in report.headline.text
    assert vk.check({"age": 20}, release).sentence("P9") is None


def test_who_shuffles_the_known_columns_too_or_resists_repetition_is_told_no_such_thing():
    frame = pd.DataFrame({"age": [20, 20, 21, 22, 24, 27], "ill": [*"BAABCC"]})
    data, groups = grouped(frame, ell=2)
    resists = vk.partition.anatomy(data, ell=2, seed=1)
    for mask, partition in ((vk.mask.permute_all, groups), (vk.mask.anatomize, resists)):
        report = vk.check({"age": 27}, mask(data, partition=partition, seed=1).release)
        assert report.sentence("P9") is None
