"""Exercises on who repeats the method that made groups, and who puts two releases together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations, product
from math import factorial, prod

import numpy as np

import verikit as vk
from verikit.exercises._blocks import (
    ILLNESSES,
    find_answer,
    make_table,
    publish_groups,
    read_groups,
)
from verikit.exercises._exercise import LETTERS, Answer, Data, find_words, pose

ILL = ILLNESSES[:6]


def cut_by_age(ill: Sequence[str]) -> list[int]:
    """Close a group of neighbours in age as soon as it holds two illnesses."""
    groups: list[int] = []
    number, held = 0, set[str]()
    for one in ill:
        groups.append(number)
        held.add(one)
        if len(held) == 2:
            number, held = number + 1, set()
    last = max(number - 1, 0)
    return [min(group, last) for group in groups]


def list_worlds(data: Data) -> list[tuple[str, ...]]:
    """List the ways to give the illnesses of each group to its people."""
    groups, ill = data["_groups"], data["_ill"]
    parts = [[own for own, group in zip(ill, groups, strict=True) if group == at] for at in
             range(groups[-1] + 1)]  # fmt: skip
    ways = [sorted(set(permutations(part))) for part in parts]
    return [tuple(one for part in world for one in part) for world in product(*ways)]


def draw_to_repeat(rng: np.random.Generator) -> Data:
    """Draw people in order of age, cut where a second illness comes."""
    n = int(rng.integers(8, 13))
    ages = np.sort(rng.permutation(np.arange(20, 80))[:n]).tolist()
    ill = [str(one) for one in rng.choice(ILL[:3], n, p=[0.6, 0.25, 0.15])]
    groups = cut_by_age(ill)
    release = publish_groups(rng, ages, ill, groups)
    return {"release": release, "_ill": ill, "_groups": groups, "_ages": ages}


def count_repeated(data: Data) -> Answer:
    """Count the worlds, those in which the method makes these groups, and who is certain."""
    worlds = list_worlds(data)
    left = [world for world in worlds if cut_by_age(world) == data["_groups"]]
    certain = [
        age for age, ill in zip(data["_ages"], zip(*left, strict=True), strict=True) if
        len(set(ill)) == 1
    ]  # fmt: skip
    return {"worlds": len(worlds), "left": len(left), "certain": frozenset(certain)}


def mistake_repeated(data: Data) -> dict[str, Answer]:
    """Answer as if nothing, or everything, were ruled out, and with people instead of illnesses."""
    sizes = np.bincount(data["_groups"]).tolist()
    right = data["_right"]
    return {
        "people for illnesses": {"worlds": prod(map(factorial, sizes))},
        "nothing ruled out": {"left": right["worlds"], "certain": frozenset()},
        "one world": {"left": 1, "certain": frozenset(data["_ages"])},
    }


REPEATED = pose(
    "le-02",
    make=draw_to_repeat,
    right=count_repeated,
    wrong=mistake_repeated,
    fits=lambda data: (
        max(data["_groups"]) >= 2
        and len(count_repeated(data)["certain"]) > 0
        and count_repeated(data)["left"] > 1
    ),
)


def draw_twice(rng: np.random.Generator) -> Data:
    """Draw people who are published twice, by other groups each time."""
    n = 12
    ages = np.sort(rng.permutation(np.arange(20, 80))[:n])
    ill = rng.permutation([*ILL, *ILL])
    data = make_table({"Age": ages, "Illness": ill})
    first, second = (
        vk.mask.anatomize(
            data, partition=vk.partition.anatomy(data, ell=3, seed=seed), seed=seed
        ).release
        for seed in rng.integers(1000, size=2).tolist()
    )
    return {"first": first, "second": second, "_data": data}


def count_left(data: Data) -> Answer:
    """Find for whom one illness is left by her own two groups, and how many are left in all."""
    found = vk.intruder.put_together(data["first"], data["second"], people=data["_data"])
    left = found.apart.counts()
    certain = found.people["Age"][left == 1]
    return {"certain": frozenset(certain.tolist()), "left": int(left.sum())}


def mistake_twice(data: Data) -> dict[str, Answer]:
    """Answer by one release, by both added up, and by companions."""
    sets: list[dict[int, set[str]]] = []
    for release in (data["first"], data["second"]):
        held = release.sensitive.groupby("Group-ID")["Illness"].agg(set)
        sets.append(
            dict(zip(release.quasi["Age"], release.quasi["Group-ID"].map(held), strict=True))
        )
    one, two = sets
    return {
        "one release": {"certain": frozenset(), "left": sum(map(len, one.values()))},
        "either release": {"left": sum(len(one[age] | two[age]) for age in one)},
        "the fewer": {"left": sum(min(len(one[age]), len(two[age])) for age in one)},
    }


TWICE = pose(
    "le-03",
    make=draw_twice,
    right=count_left,
    wrong=mistake_twice,
    fits=lambda data: len(count_left(data)["certain"]) >= 2,
)

METHODS: Mapping[str, str] = find_words("le-04")["methods"]


def draw_methods(rng: np.random.Generator) -> Data:
    """Draw six methods."""
    drawn = [list(METHODS)[at] for at in rng.permutation(len(METHODS))[: len(LETTERS)].tolist()]
    return {"methods": dict(zip(LETTERS, drawn, strict=True))}


def choose_methods(data: Data, *, without: str = "", of: str = "") -> Answer:
    """Answer with the methods without something, or with something."""
    words = {letter: METHODS[text].split() for letter, text in data["methods"].items()}
    chosen = [
        letter
        for letter, said in words.items()
        if (of in said if of else not set(without.split()) <= set(said))
    ]
    return {"resist": frozenset(chosen)}


RESIST = pose(
    "le-04",
    make=draw_methods,
    right=lambda data: choose_methods(data, without="known secret"),
    wrong=lambda data: {
        "whatever is drawn": choose_methods(data, of="random"),
        "known alone": choose_methods(data, without="secret"),
        "whatever heeds illness": choose_methods(data, of="secret"),
    },
    fits=lambda data: 2 <= len(choose_methods(data, without="known secret")["resist"]) <= 4,
)


TRIPLES = [  # the ways to put nine people into groups of three
    (0, *groups)
    for groups in product(range(3), repeat=8)
    if sorted(groups) == [0, 0, 1, 1, 1, 2, 2, 2] and groups.index(1) < groups.index(2)
]


def count_opened(data: Data, groups: Sequence[int]) -> int:
    """Count the people left with one illness by both releases; -1 where a group lacks three."""
    sets = []
    for labels in (data["_first"], groups):
        held = [{data["_ill"][at] for at in range(9) if labels[at] == own} for own in labels]
        if sorted(labels) != [0, 0, 0, 1, 1, 1, 2, 2, 2] or min(map(len, held)) < 3:
            return -1
        sets.append(held)
    return sum(len(one & two) == 1 for one, two in zip(*sets, strict=True))


def draw_again(rng: np.random.Generator) -> Data:
    """Draw three groups of three illnesses each, and how many people can be left with one."""
    first = rng.permutation(np.repeat(np.arange(3), 3)).tolist()
    ill = np.empty(9, dtype=object)
    for group in range(3):
        ill[np.equal(first, group)] = rng.permutation(ILL)[:3]
    table = make_table({"Person": list("ABCDEFGHI"), "Illness": ill.tolist(), "First group": first})
    data = {"table": table, "_ill": ill.tolist(), "_first": first}
    opened = [count_opened(data, groups) for groups in TRIPLES]
    return {**data, "many": max(opened), "_ways": opened.count(max(opened))}


def judge_again(data: Data, given: Answer) -> str | None:
    """Tell whether a second release leaves as many people one illness as can be."""
    numbers = read_groups(given, 9)
    names = sorted(set(numbers), key=numbers.index)
    opened = count_opened(data, [names.index(one) for one in numbers])
    if opened < 0:
        return "not three"
    return None if opened >= data["many"] else "some keep more" if opened else "nobody loses"


def find_again(data: Data, verdict: str | None) -> Answer:
    """Search the groupings for one that is judged so."""
    answers = ({"groups": list(groups)} for groups in TRIPLES)
    return find_answer(data, judge_again, answers, verdict)


AGAIN = pose(
    "le-06",
    make=draw_again,
    right=lambda data: find_again(data, None),
    wrong=lambda data: {
        "not three": {"groups": [0] * 9},
        "nobody loses": {"groups": data["_first"]},
        "some keep more": find_again(data, "some keep more"),
    },
    judge=judge_again,
    points=2,
    fits=lambda data: data["many"] >= 3 and data["_ways"] <= 14,
)
