"""Exercises on bipartite graphs: all links are published, names are known by groups only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from verikit.analyst import count_links
from verikit.errors import RecordError, quoted
from verikit.exercises._diversity import grouping
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.intruder import learned_links
from verikit.mask import group_nodes
from verikit.models import safe_grouping
from verikit.partition import Partition
from verikit.release import GraphRelease
from verikit.table import BipartiteGraph

__all__ = ["EXERCISES"]

PEOPLE = ["ann", "ben", "cho", "dia", "eva", "fay"]
FILMS = ["p1", "p2", "p3", "p4", "p5", "p6"]
Pairs: TypeAlias = list[tuple[str, str]]

HALVES = Partition.of([0, 0, 0, 1, 1, 1])


def graph_of(links: Sequence[tuple[str, str]]) -> BipartiteGraph:
    """The six people and six films, and who saw what."""
    people, films = pd.DataFrame({"person": PEOPLE}), pd.DataFrame({"film": FILMS})
    made = pd.DataFrame(sorted(set(links)), columns=["person", "film"])
    return BipartiteGraph.of(made, people, films)


def _links(rng: np.random.Generator, share: float = 0.3) -> list[tuple[str, str]]:
    there = rng.random((6, 6)) < share
    return [(PEOPLE[i], FILMS[j]) for i, j in zip(*np.nonzero(there), strict=True)]


def _drawn(rng: np.random.Generator) -> Data:
    """A graph in which everybody saw a film, so that all stand in its table."""
    links: list[tuple[str, str]] = []
    while len({person for person, _ in links}) < len(PEOPLE):
        links = _links(rng, 0.25)
    graph, person = graph_of(links), PEOPLE[int(rng.integers(6))]
    return {"graph": graph, "person": person, "_films": _films_of(graph)}


def _films_of(graph: BipartiteGraph) -> Mapping[str, set[str]]:
    links = graph.to_frame()[["person", "film"]].to_numpy().tolist()
    return {name: {film for person, film in links if person == name} for name in PEOPLE}


def _unsafe_pairs(data: Data) -> int:
    """How many pairs of people saw a film in common, however many films that are."""
    films = data["_films"].values()
    return sum(bool(one & other) for one, other in combinations(films, 2))


def _sharing(data: Data) -> int:
    """How many others saw a film that the person saw."""
    films = data["_films"]
    own = films[data["person"]]
    return sum(bool(own & films[name]) for name in PEOPLE if name != data["person"])


def _once_a_film(graph: BipartiteGraph) -> int:
    """The pairs of people for each film, which counts two people once for each film they share."""
    return int(safe_grouping(graph, "left", Partition.of([0] * 6)).violations)


READ = Exercise(
    name="bg-01",
    kind="read",
    title="Who may share a group?",
    text="Two people may be in one group only if they saw no film in common. With how many others "
    "may {person} be in a group, and how many of all pairs of the six people (ann, ben, cho, dia, "
    "eva, fay) may not be in one group?",
    make=_drawn,
    right=lambda data: {"others": 5 - _sharing(data), "pairs": _unsafe_pairs(data)},
    mistakes={
        "those she shares with": Mistake(
            lambda data: {"others": _sharing(data)},
            "Those are the people with a film in common: they must not be in her group.",
        ),
        "herself": Mistake(
            lambda data: {"others": 6 - _sharing(data)},
            "You counted one too many. Others are asked for, she herself left out.",
        ),
        "pairs twice": Mistake(
            lambda data: {"pairs": 2 * _unsafe_pairs(data)},
            "You counted each pair in both orders.",
        ),
        "once a film": Mistake(
            lambda data: {"pairs": _once_a_film(data["graph"])},
            "Two people who share several films are one pair. Count each pair once.",
        ),
    },
)


def _published(rng: np.random.Generator) -> Data:
    """A graph whose halves are safe: between two halves, nobody and nothing has two links."""
    links = []
    for left in (0, 3):
        for right in (0, 3):
            ends = zip(rng.permutation(3) + left, rng.permutation(3) + right, strict=True)
            links += [(PEOPLE[i], FILMS[j]) for i, j in list(ends)[: rng.integers(1, 4)]]
    graph = graph_of(links)
    seed = int(rng.integers(1000))
    release = group_nodes(graph, 3, 3, groups=(HALVES, HALVES), seed=seed).release
    return {"graph": graph, "release": release}


def _asked(rng: np.random.Generator) -> Data:
    data = _published(rng)
    return {
        "release": data["release"],
        "person": PEOPLE[int(rng.integers(6))],
        "film": FILMS[int(rng.integers(6))],
        "_graph": data["graph"],
    }


def _between(data: Data) -> tuple[int, int]:
    """The links between the two groups, and all links."""
    frame = data["_graph"].to_frame()
    person, film = PEOPLE.index(data["person"]) // 3, FILMS.index(data["film"]) // 3
    left = frame["person"].map(PEOPLE.index) // 3 == person
    right = frame["film"].map(FILMS.index) // 3 == film
    return int((left & right).sum()), len(frame)


def _chance(data: Data) -> Answer:
    return {
        "chance": float(learned_links(data["release"], []).chance(data["person"], data["film"]))
    }


COMPUTE = Exercise(
    name="bg-02",
    kind="compute",
    title="How likely is this link?",
    text="Of the release, everybody knows the group of each name and the group of each node. How "
    "likely did {person} see {film}?",
    make=_asked,
    right=_chance,
    mistakes={
        "one of three": Mistake(
            lambda data: {"chance": 1 / 3},
            "That is the bound for safe groups of three. How many links are there between the two "
            "groups, and how many would be possible?",
        ),
        "all groups": Mistake(
            lambda data: {"chance": _between(data)[1] / 36},
            "You divided all links by all pairs. The two groups are known: count between them.",
        ),
        "of all links": Mistake(
            lambda data: {"chance": _between(data)[0] / _between(data)[1]},
            "You divided by the number of links. Divide by the number of pairs of the two groups.",
        ),
    },
)


def _query(rng: np.random.Generator) -> Data:
    data = _published(rng)
    people = sorted(rng.choice(PEOPLE, 2, replace=False).tolist())
    return {"release": data["release"], "people": people, "_graph": data["graph"]}


def _expected(data: Data) -> float:
    left = {"person": set(data["people"])}
    return float(count_links(data["release"], left=left).estimate)


def _true_links(data: Data) -> Answer:
    return {"links": float(data["_graph"].to_frame()["person"].isin(data["people"]).sum())}


COUNT = Exercise(
    name="bg-03",
    kind="compute",
    title="What the analyst counts",
    text="From the release: how many links are to be expected of {people} together, to any film?",
    make=_query,
    right=lambda data: {"links": _expected(data)},
    mistakes={
        "of all people": Mistake(
            lambda data: {"links": len(data["_graph"].to_frame()) * 2 / 6},
            "You took the mean of all people. Each is in a group of three: take the mean of hers.",
        ),
        "true number": Mistake(
            _true_links,
            "That is the true number. The release does not tell which node is whose.",
        ),
        "one person": Mistake(
            lambda data: {"links": _expected(data) / 2}, "That is for one of them on average."
        ),
    },
)


def _certain_after(
    release: GraphRelease, graph: BipartiteGraph, rng: np.random.Generator
) -> tuple[Pairs, Pairs]:
    """Two links, and those that are certain to whoever has learned them; none if none are found."""
    links = [tuple(row) for row in graph.to_frame().to_numpy().tolist()]
    pairs = list(combinations(links, 2))
    for at in rng.permutation(len(pairs))[:20]:
        known = list(pairs[int(at)])
        certain = learned_links(release, known).certain
        if len(certain):
            return known, [tuple(row) for row in certain.to_numpy().tolist()]
    return [], []


def _learned(rng: np.random.Generator) -> Data:
    data = _published(rng)
    known, certain = _certain_after(data["release"], data["graph"], rng)
    return {"release": data["release"], "known": known, "_certain": certain}


def _follows(data: Data, answer: Answer) -> str | None:
    link = answer["link"]
    good = isinstance(link, (list, tuple)) and len(link) == 2
    if not good or link[0] not in PEOPLE or link[1] not in FILMS:
        raise RecordError(f"link was given as {quoted(link)}; expected a pair (person, film).")
    if tuple(link) in data["known"]:
        return "known"
    return None if tuple(link) in data["_certain"] else "not certain"


def _uncertain(data: Data) -> Answer:
    every = [(p, f) for p in PEOPLE for f in FILMS]
    there = [*data["known"], *data["_certain"]]
    return {"link": next(link for link in every if link not in there)}


BREAK = Exercise(
    name="bg-04",
    kind="break",
    title="A third link follows",
    text="Somebody has learned the links {known}. Which other link is certain to her now? Give a "
    "pair (person, film).",
    make=_learned,
    right=lambda data: {"link": data["_certain"][0] if data["_certain"] else None},
    mistakes={
        "known": Mistake(
            lambda data: {"link": data["known"][0] if data["known"] else None},
            "That is one of those she has learned.",
        ),
        "not certain": Mistake(
            _uncertain,
            "That link is possible at best. Which nodes must the learned links be, and which other "
            "links do these nodes have?",
        ),
    },
    judge=_follows,
)


def _told(rng: np.random.Generator) -> Data:
    data = _published(rng)
    largest = max(
        learned_links(data["release"], []).chance(person, film)
        for person in PEOPLE
        for film in FILMS
    )
    seen = [len(films) for films in _films_of(data["graph"]).values()]
    alone = any(seen.count(number) == 1 for number in seen)
    known = _certain_after(data["release"], data["graph"], rng)[0]
    return {"release": data["release"], "_largest": float(largest), "_alone": alone,
            "_two": bool(known)}  # fmt: skip


EXPLAIN = explain(
    "bg-05",
    "Safe groups of three",
    "All groups of the release hold three and are safe.",
    _told,
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


def _safe(data: Data, answer: Answer) -> str | None:
    labels = grouping(answer, 6)
    if sorted(np.unique(labels, return_counts=True)[1].tolist()) != [3, 3]:
        return "not three"
    return None if safe_grouping(data["graph"], "left", Partition.of(labels)).safe else "unsafe"


def _all_halves(data: Data) -> tuple[Answer, Answer]:
    """The first safe and the first unsafe way to make two groups of three, trying all."""
    found: dict[Any, list[int]] = {}
    for others in combinations(range(1, 6), 2):
        labels = [0 if at in (0, *others) else 1 for at in range(6)]
        found.setdefault(_safe(data, {"groups": labels}), labels)
    return {"groups": found.get(None)}, {"groups": found.get("unsafe")}


BUILD = Exercise(
    name="bg-06",
    kind="build",
    title="Two safe groups",
    text="Put the six people (ann, ben, cho, dia, eva, fay, in this order) into two groups of "
    "three such that no two in a group saw the same film. Give the group of each, 0 or 1.",
    make=lambda rng: {"graph": graph_of(_links(rng, 0.25))},
    right=lambda data: _all_halves(data)[0],
    mistakes={
        "not three": Mistake(lambda data: {"groups": [0] * 6}, "Make two groups of three each."),
        "unsafe": Mistake(
            lambda data: _all_halves(data)[1],
            "Two people of one group saw the same film. Begin with the person with most films.",
        ),
    },
    judge=_safe,
)


def _answer_links(data: Data, answer: Answer) -> list[tuple[str, str]]:
    links = answer["links"]
    good = isinstance(links, (list, tuple)) and 1 <= len(links) <= data["most"]
    good = good and all(isinstance(link, (list, tuple)) and len(link) == 2 for link in links)
    if not good or any(p not in PEOPLE or f not in FILMS for p, f in links):
        raise RecordError(
            f"links was given as {quoted(links)}; expected 1 to {data['most']} pairs such as "
            "('ann', 'p1')."
        )
    return [(str(p), str(f)) for p, f in links]


def _two_seen(rng: np.random.Generator) -> Data:
    people = rng.choice(PEOPLE, 2, replace=False).tolist()
    films = rng.choice(FILMS, 2, replace=False).tolist()
    seen = sorted(zip(people, films, strict=True))
    return {"seen": seen, "most": int(rng.integers(4, 7))}


def _impossible(data: Data, answer: Answer) -> str | None:
    links = _answer_links(data, answer)
    if not set(data["seen"]) <= set(links):
        return "others"
    graph = graph_of(links)
    if max(len(films) for films in _films_of(graph).values()) > 1:
        return "two films"
    return "possible" if _all_halves({"graph": graph})[0]["groups"] else None


def _three_at_one(data: Data) -> Answer:
    """Two more people at the film of the first."""
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
    make=_two_seen,
    right=_three_at_one,
    mistakes={
        "others": Mistake(
            lambda data: {"links": [(name, "p1") for name in PEOPLE[:3]]},
            "The two links that are given have to be among yours.",
        ),
        "two films": Mistake(
            lambda data: {
                "links": [*data["seen"], (data["seen"][0][0], data["seen"][1][1])],
            },
            "Somebody of yours saw two films.",
        ),
        "possible": Mistake(
            lambda data: {"links": data["seen"]},
            "These can be grouped: put those who saw the same film apart. With two groups, how "
            "many may have seen one film?",
        ),
    },
    judge=_impossible,
)

EXERCISES = (READ, COMPUTE, COUNT, BREAK, EXPLAIN, BUILD, DISPROVE)
