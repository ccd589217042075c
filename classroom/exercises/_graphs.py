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
from verikit.exercises._exercise import Answer, Data, explain, pose

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


READ = pose("bg-01", make=draw_graph, right=count_partners, wrong=mistake_partners)


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


COMPUTE = pose(
    "bg-02",
    make=draw_link,
    right=lambda data: {"chance": find_chance(data["release"], data["person"], data["film"])},
    wrong=mistake_chance,
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


COUNT = pose(
    "bg-03",
    make=draw_two_people,
    right=lambda data: {
        "links": float(
            vk.analyst.count_links(data["release"], left={"person": set(data["people"])}).estimate
        )
    },
    wrong=mistake_links,
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


BREAK = pose(
    "bg-04",
    make=draw_learned,
    right=lambda data: {"link": next(iter(data["_certain"]), None)},
    wrong=lambda data: {
        "known": {"link": next(iter(data["known"]), None)},
        "not certain": find_answer(
            data, judge_link, ({"link": link} for link in product(PEOPLE, FILMS)), "not certain"
        ),
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
    draw_statements,
    {
        1: lambda data: data["_largest"] <= 1 / 3 + 1e-9,
        2: lambda data: data["_two"],
        3: lambda data: data["_alone"],
    },
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


BUILD = pose(
    "bg-06",
    make=lambda rng: {"graph": make_graph(draw_links(rng))},
    right=find_halves,
    wrong=lambda data: {"not three": {"groups": [0] * 6}, "unsafe": find_halves(data, "unsafe")},
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


DISPROVE = pose(
    "bg-07",
    make=draw_two_links,
    right=seat_three_at_one,
    wrong=lambda data: {
        "others": {"links": [(name, "p1") for name in PEOPLE[:3]]},
        "two films": {"links": [*data["seen"], (data["seen"][0][0], data["seen"][1][1])]},
        "possible": {"links": data["seen"]},
    },
    judge=judge_links,
)
