"""Exercises on bipartite graphs: all links are published, names are known by groups only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations, product
from typing import TypeAlias

import numpy as np
import pandas as pd

import verikit as vk
from verikit.errors import RecordError
from verikit.exercises._blocks import are_tuples, find_answer, read_groups, read_list
from verikit.exercises._exercise import Answer, Data, Exercise, Statement, explain

PEOPLE = ["ann", "ben", "cho", "dia", "eva", "fay"]
FILMS = ["p1", "p2", "p3", "p4", "p5", "p6"]
Pairs: TypeAlias = list[tuple[str, str]]

HALVES = vk.Partition.of([0, 0, 0, 1, 1, 1])


def make_graph(links: Iterable[tuple[str, str]]) -> vk.BipartiteGraph:
    """Make the graph of the six people and six films, and who saw what."""
    people, films = pd.DataFrame({"person": PEOPLE}), pd.DataFrame({"film": FILMS})
    made = pd.DataFrame(sorted(set(links)), columns=["person", "film"])
    return vk.BipartiteGraph.of(made, people, films)


def draw_links(rng: np.random.Generator) -> Pairs:
    """Draw each link with a chance of a quarter."""
    there = rng.random((6, 6)) < 0.25
    return [(PEOPLE[i], FILMS[j]) for i, j in zip(*np.nonzero(there), strict=True)]


def list_films(graph: vk.BipartiteGraph) -> Mapping[str, set[str]]:
    """List the films of each person."""
    links = graph.to_frame()[["person", "film"]].to_numpy().tolist()
    return {name: {film for person, film in links if person == name} for name in PEOPLE}


def draw_graph(rng: np.random.Generator) -> Data:
    """Draw a graph in which everybody saw a film, so that all stand in its table."""
    links: Pairs = []
    while len({person for person, _ in links}) < len(PEOPLE):
        links = draw_links(rng)
    return {"graph": make_graph(links), "person": PEOPLE[int(rng.integers(6))]}


def count_partners(data: Data) -> Answer:
    """Count with whom the person may be in a group, and the pairs that may not share one."""
    films = list_films(data["graph"])
    shared = [pair for pair in combinations(PEOPLE, 2) if films[pair[0]] & films[pair[1]]]
    return {"others": 5 - sum(data["person"] in pair for pair in shared), "pairs": len(shared)}


def mistake_partners(data: Data) -> dict[str, Answer]:
    """Answer with the others of the others, and with pairs counted more than once."""
    right = data["_right"]
    once_a_film = vk.models.safe_grouping(
        data["graph"], "left", vk.Partition.of([0] * 6)
    ).violations
    return {
        "those she shares with": {"others": 5 - right["others"]},
        "herself": {"others": right["others"] + 1},
        "pairs twice": {"pairs": 2 * right["pairs"]},
        "once a film": {"pairs": int(once_a_film)},
    }


READ = Exercise(
    name="bg-01",
    kind="read",
    title="Who may share a group?",
    text="Two people may be in one group only if they saw no film in common. With how many others "
    "may {person} be in a group, and how many of all pairs of the six people (ann, ben, cho, dia, "
    "eva, fay) may not be in one group?",
    make=draw_graph,
    right=count_partners,
    wrong=mistake_partners,
    hints={
        "those she shares with": "Those are the people with a film in common: they must not be in "
        "her group.",
        "herself": "You counted one too many. Others are asked for, she herself left out.",
        "pairs twice": "You counted each pair in both orders.",
        "once a film": "Two people who share several films are one pair. Count each pair once.",
    },
)


def draw_release(rng: np.random.Generator) -> Data:
    """Draw a graph whose halves are safe, and publish it.

    Between two halves nobody and nothing has two links.
    """
    links = []
    # A partial matching between each two groups: the condition that makes both groupings safe.
    for left, right in product((0, 3), repeat=2):
        ends = zip(rng.permutation(3) + left, rng.permutation(3) + right, strict=True)
        links += [(PEOPLE[i], FILMS[j]) for i, j in list(ends)[: rng.integers(1, 4)]]
    graph = make_graph(links)
    seed = int(rng.integers(1000))
    release = vk.mask.group_nodes(graph, 3, 3, groups=(HALVES, HALVES), seed=seed).release
    return {"release": release, "_graph": graph}


def draw_link(rng: np.random.Generator) -> Data:
    """Draw a release, a person and a film."""
    data = draw_release(rng)
    return {**data, "person": PEOPLE[int(rng.integers(6))], "film": FILMS[int(rng.integers(6))]}


def find_chance(release: vk.GraphRelease, person: str, film: str) -> float:
    """Find how likely a link is to somebody who has learned none."""
    return float(vk.intruder.learned_links(release, []).chance(person, film))


def mistake_chance(data: Data) -> dict[str, Answer]:
    """Answer with a bound, and with shares that know no groups."""
    frame = data["_graph"].to_frame()
    left = frame["person"].map(PEOPLE.index) // 3 == PEOPLE.index(data["person"]) // 3
    right = frame["film"].map(FILMS.index) // 3 == FILMS.index(data["film"]) // 3
    return {
        "one of three": {"chance": 1 / 3},
        "all groups": {"chance": len(frame) / 36},
        "of all links": {"chance": int((left & right).sum()) / len(frame)},
    }


COMPUTE = Exercise(
    name="bg-02",
    kind="compute",
    title="How likely is this link?",
    text="Of the release, everybody knows the group of each name and the group of each node. How "
    "likely did {person} see {film}?",
    make=draw_link,
    right=lambda data: {"chance": find_chance(data["release"], data["person"], data["film"])},
    wrong=mistake_chance,
    hints={
        "one of three": "That is the bound for safe groups of three. How many links are there "
        "between the two groups, and how many would be possible?",
        "all groups": "You divided all links by all pairs. The two groups are known: count "
        "between them.",
        "of all links": "You divided by the number of links. Divide by the number of pairs of the "
        "two groups.",
    },
)


def draw_two_people(rng: np.random.Generator) -> Data:
    """Draw a release, and two people."""
    data = draw_release(rng)
    return {**data, "people": sorted(rng.choice(PEOPLE, 2, replace=False).tolist())}


def mistake_links(data: Data) -> dict[str, Answer]:
    """Answer with a mean of all people, with the truth and with one person's."""
    people = data["_graph"].to_frame()["person"]
    return {
        "of all people": {"links": len(people) * 2 / 6},
        "true number": {"links": float(people.isin(data["people"]).sum())},
        "one person": {"links": data["_right"]["links"] / 2},
    }


COUNT = Exercise(
    name="bg-03",
    kind="compute",
    title="What the analyst counts",
    text="From the release: how many links are to be expected of {people} together, to any film?",
    make=draw_two_people,
    right=lambda data: {
        "links": float(
            vk.analyst.count_links(data["release"], left={"person": set(data["people"])}).estimate
        )
    },
    wrong=mistake_links,
    hints={
        "of all people": "You took the mean of all people. Each is in a group of three: take the "
        "mean of hers.",
        "true number": "That is the true number. The release does not tell which node is whose.",
        "one person": "That is for one of them on average.",
    },
)


def learn_two_links(data: Data, rng: np.random.Generator) -> tuple[Pairs, Pairs]:
    """Try two links, and list those that are certain to whoever has learned them.

    Both lists are empty where none of 20 tries makes another link certain.
    """
    links = [tuple(row) for row in data["_graph"].to_frame().to_numpy().tolist()]
    pairs = list(combinations(links, 2))
    for at in rng.permutation(len(pairs))[:20]:
        known = list(pairs[int(at)])
        certain = vk.intruder.learned_links(data["release"], known).certain
        if len(certain):
            return known, [tuple(row) for row in certain.to_numpy().tolist()]
    return [], []


def draw_learned(rng: np.random.Generator) -> Data:
    """Draw a release, and two links that make another one certain."""
    data = draw_release(rng)
    known, certain = learn_two_links(data, rng)
    return {"release": data["release"], "known": known, "_certain": certain}


def judge_link(data: Data, answer: Answer) -> str | None:
    """Tell whether a link is certain, and none of those that were learned."""
    link = answer["link"]
    if not are_tuples([link], 2) or link[0] not in PEOPLE or link[1] not in FILMS:
        raise RecordError.given("link", link, "a pair (person, film)")
    if tuple(link) in data["known"]:
        return "known"
    return None if tuple(link) in data["_certain"] else "not certain"


BREAK = Exercise(
    name="bg-04",
    kind="break",
    title="A third link follows",
    text="Somebody has learned the links {known}. Which other link is certain to her now? Give a "
    "pair (person, film).",
    make=draw_learned,
    right=lambda data: {"link": next(iter(data["_certain"]), None)},
    wrong=lambda data: {
        "known": {"link": next(iter(data["known"]), None)},
        "not certain": find_answer(
            data, judge_link, ({"link": link} for link in product(PEOPLE, FILMS)), "not certain"
        ),
    },
    hints={
        "known": "That is one of those she has learned.",
        "not certain": "That link is possible at best. Which nodes must the learned links be, and "
        "which other links do these nodes have?",
    },
    judge=judge_link,
)


def draw_statements(rng: np.random.Generator) -> Data:
    """Draw a release, and look for what is said of it."""
    data = draw_release(rng)
    largest = max(find_chance(data["release"], *link) for link in product(PEOPLE, FILMS))
    seen = [len(films) for films in list_films(data["_graph"]).values()]
    alone = any(seen.count(number) == 1 for number in seen)
    two = bool(learn_two_links(data, rng)[0])
    return {"release": data["release"], "_largest": largest, "_alone": alone, "_two": two}


EXPLAIN = explain(
    "bg-05",
    "Safe groups of three",
    "All groups of the release hold three and are safe.",
    draw_statements,
    [
        Statement(
            "For someone who has learned no link, every link has a chance of at most 1 in 3.",
            "For someone who has learned no link, some link has a chance above 1 in 3.",
            "Between two safe groups of three at most three of the nine links are there.",
            lambda data: data["_largest"] <= 1 / 3 + 1e-9,
        ),
        Statement(
            "Someone who has learned two links may know another one for certain.",
            "Someone who has learned two links knows no other for certain.",
            "The promise is for someone who has learned none. Two may fix whose node is whose.",
            lambda data: data["_two"],
        ),
        Statement(
            "Somebody may be recognised by the number of her links.",
            "Nobody can be recognised by the number of her links.",
            "All links are published, and some numbers of links occur only once: whoever knows how "
            "many links a person has may find her node.",
            lambda data: data["_alone"],
        ),
        Statement(
            "The published links show how many films were seen by one, two or more people.",
            "The published links do not show how many people saw the same film.",
            "The graph is published as it is; only the names are cut off from the nodes.",
        ),
    ],
)


def judge_groups(data: Data, answer: Answer) -> str | None:
    """Tell whether two groups of three are safe."""
    labels = read_groups(answer, 6)
    if sorted(np.unique(labels, return_counts=True)[1].tolist()) != [3, 3]:
        return "not three"
    return (
        None
        if vk.models.safe_grouping(data["graph"], "left", vk.Partition.of(labels)).safe
        else "unsafe"
    )


def find_halves(data: Data, verdict: str | None = None) -> Answer:
    """Search for the first two groups of three that are judged so, trying all."""
    # The first person stays in group 0: the other halves are the same with their names exchanged.
    halves = ([int(at not in (0, *own)) for at in range(6)] for own in combinations(range(1, 6), 2))
    answers = ({"groups": labels} for labels in halves)
    return find_answer(data, judge_groups, answers, verdict) or {"groups": None}


BUILD = Exercise(
    name="bg-06",
    kind="build",
    title="Two safe groups",
    text="Put the six people (ann, ben, cho, dia, eva, fay, in this order) into two groups of "
    "three such that no two in a group saw the same film. Give the group of each, 0 or 1.",
    make=lambda rng: {"graph": make_graph(draw_links(rng))},
    right=find_halves,
    wrong=lambda data: {
        "not three": {"groups": [0] * 6},
        "unsafe": find_halves(data, "unsafe"),
    },
    hints={
        "not three": "Make two groups of three each.",
        "unsafe": "Two people of one group saw the same film. Begin with the person with most "
        "films.",
    },
    judge=judge_groups,
)


def draw_two_links(rng: np.random.Generator) -> Data:
    """Draw two links that have to be among the answer, and how many it may hold."""
    people = rng.choice(PEOPLE, 2, replace=False).tolist()
    films = rng.choice(FILMS, 2, replace=False).tolist()
    return {"seen": sorted(zip(people, films, strict=True)), "most": int(rng.integers(4, 7))}


def judge_links(data: Data, answer: Answer) -> str | None:
    """Tell whether no grouping is safe although nobody saw two films."""
    links = read_list(
        answer,
        "links",
        lambda links: (
            1 <= len(links) <= data["most"]
            and are_tuples(links, 2)
            and all(person in PEOPLE and film in FILMS for person, film in links)
        ),
        f"1 to {data['most']} pairs such as ('ann', 'p1')",
    )
    links = [(str(person), str(film)) for person, film in links]
    if not set(data["seen"]) <= set(links):
        return "others"
    graph = make_graph(links)
    if max(len(films) for films in list_films(graph).values()) > 1:
        return "two films"
    return "possible" if find_halves({"graph": graph})["groups"] else None


def seat_three_at_one(data: Data) -> Answer:
    """Send two more people to the film of the first."""
    taken = [person for person, _ in data["seen"]]
    more = [person for person in PEOPLE if person not in taken][:2]
    return {"links": [*data["seen"], *((person, data["seen"][0][1]) for person in more)]}


DISPROVE = Exercise(
    name="bg-07",
    kind="disprove",
    title="One film each is enough?",
    text='"If each of the six people saw at most one film, they can be put into two safe groups of '
    'three." Disprove it with at most {most} links, pairs of ann, ben, cho, dia, eva, fay and p1 '
    "to p6, among them {seen}. All groupings are tried.",
    make=draw_two_links,
    right=seat_three_at_one,
    wrong=lambda data: {
        "others": {"links": [(name, "p1") for name in PEOPLE[:3]]},
        "two films": {
            "links": [*data["seen"], (data["seen"][0][0], data["seen"][1][1])],
        },
        "possible": {"links": data["seen"]},
    },
    hints={
        "others": "The two links that are given have to be among yours.",
        "two films": "Somebody of yours saw two films.",
        "possible": "These can be grouped: put those who saw the same film apart. With two "
        "groups, how many may have seen one film?",
    },
    judge=judge_links,
)
