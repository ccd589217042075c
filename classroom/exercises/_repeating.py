"""Exercises on who repeats the method that made groups, and who puts two releases together."""

from __future__ import annotations

from collections.abc import Sequence
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
from verikit.exercises._exercise import LETTERS, Answer, Data, Exercise

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


REPEATED = Exercise(
    name="le-02",
    kind="break",
    title="Repeat the method",
    text="The office published two tables and its method: people are taken from the youngest to "
    "the oldest; a group is closed as soon as it holds two different illnesses; who is left at the "
    "end joins the last group. (a) worlds: in how many ways can the illnesses of each group belong "
    "to its people? (Equal illnesses are not told apart.) (b) left: in how many of these does the "
    "method make the published groups? (c) certain: the list of the ages of those who have the "
    "same illness in all that are left.",
    make=draw_to_repeat,
    right=count_repeated,
    wrong=mistake_repeated,
    hints={
        "people for illnesses": "You told equal illnesses apart: two people with the flu are one "
        "way, whoever of them is named first.",
        "nothing ruled out": "Try a world: where the second illness comes earlier, the method "
        "closes the group earlier.",
        "one world": "More than one is left: look for a group whose people can exchange their "
        "illnesses and would be grouped the same.",
    },
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


TWICE = Exercise(
    name="le-03",
    kind="read",
    title="Two tables of the same people",
    text="The same people were published twice, in groups of others. Each release alone leaves "
    "everybody three illnesses at least. Whoever has both, and looks at one person's two groups at "
    "a time: (a) certain: for whom is one illness left? Give the list of their ages. (b) left: how "
    "many illnesses are left for each person, added up over all people?",
    make=draw_twice,
    right=count_left,
    wrong=mistake_twice,
    hints={
        "one release": "That is what the first release leaves. An illness that is missing in the "
        "group of the second release cannot be hers.",
        "either release": "You counted illnesses that stand in either group. Hers stands in both.",
        "the fewer": "You took the smaller of two counts. Look which illnesses stand in both "
        "groups.",
    },
    fits=lambda data: len(count_left(data)["certain"]) >= 2,
)

METHODS = {  # by words: whether known columns, the sensitive one, and lots decide
    "People in order of their ages are cut into groups of four.": "known",
    "Groups are cut in two at the middle of their ages, as long as both parts keep four people.":
        "known",
    "People with the same postal code come together; neighbouring codes until there are five.":
        "known",
    "Each group takes four people, drawn at random.": "random",
    "Each group takes one person of each of the three most frequent illnesses, drawn at random "
    "among those who have it.": "secret random",
    "People are sorted by illness, those with the same illness in an order drawn at random, and "
    "dealt like cards.": "secret random",
    "People, in an order drawn at random, join a group until it holds three illnesses.":
        "secret random",
    "Groups are cut in two at the middle of their ages, as long as both parts hold three "
    "illnesses.": "known secret",
    "People in order of their ages join a group until it holds three illnesses.": "known secret",
    "Each group takes one person of each of the three most frequent illnesses, the youngest by age "
    "among those who have it.": "known secret",
    "People are sorted by illness, those with the same illness by age, and dealt like cards.":
        "known secret",
    "Of ten cuts by postal code, drawn at random, the first is made after which both parts hold "
    "three illnesses.": "known secret random",
    "Groups of four people drawn at random exchange members, those of like ages first, until each "
    "holds three illnesses.": "known secret random",
}  # fmt: skip


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


RESIST = Exercise(
    name="le-04",
    kind="read",
    title="Who may repeat it?",
    text="Six methods make groups of people of whom age and postal code are known and the illness "
    "is sensitive. Each is published with its parameters, not its random numbers. Which "
    "of them make the published groups as often whoever of a group has which of its illnesses, so "
    "that repeating them rules out no world? Give the list of their letters.",
    make=draw_methods,
    right=lambda data: choose_methods(data, without="known secret"),
    wrong=lambda data: {
        "whatever is drawn": choose_methods(data, of="random"),
        "known alone": choose_methods(data, without="secret"),
        "whatever heeds illness": choose_methods(data, of="secret"),
    },
    hints={
        "whatever is drawn": "Drawing something at random is neither needed nor enough. Ask what "
        "would change if two people of a group exchanged their illnesses.",
        "known alone": "A method may look at illnesses too, if it does not look at who else "
        "somebody is: then two of a group may exchange theirs.",
        "whatever heeds illness": "These look at illnesses. Ask of each whether it also looks at "
        "who has them.",
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


AGAIN = Exercise(
    name="le-06",
    kind="disprove",
    title="Three today, three tomorrow",
    text='Nine people were published in three groups of three, as the table shows them. "Publish '
    "them again in three groups of three others, each with three different illnesses: everybody "
    'keeps three." Disprove it: give the number of the second group of each person, in the order '
    "of the table, so that for {many} people or more one illness is left to whoever has both "
    "releases and knows their groups.",
    make=draw_again,
    right=lambda data: find_again(data, None),
    wrong=lambda data: {
        "not three": {"groups": [0] * 9},
        "nobody loses": {"groups": data["_first"]},
        "some keep more": find_again(data, "some keep more"),
    },
    hints={
        "not three": "Some group does not hold three people with three different illnesses.",
        "nobody loses": "Nobody is left with one illness. (Releases that leave each person the "
        "same set of values are called m-invariant.)",
        "some keep more": "More people can be left with one illness. Put nobody together with an "
        "illness of her first group.",
    },
    judge=judge_again,
    points=2,
    fits=lambda data: data["many"] >= 3 and data["_ways"] <= 14,
)
