"""Exercises on bipartite graphs: all links are published, names are known by groups only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from verikit.analyst import count_links
from verikit.errors import RecordError, quoted
from verikit.exercises._diversity import grouping
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.intruder import learned_links, signatures
from verikit.mask import group_nodes
from verikit.models import safe_grouping
from verikit.partition import Partition
from verikit.table import BipartiteGraph

__all__ = ["EXERCISES"]

PEOPLE = ["ann", "ben", "cho", "dia", "eva", "fay"]
FILMS = ["p1", "p2", "p3", "p4", "p5", "p6"]
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
    person = PEOPLE[int(rng.integers(6))]
    return {"graph": graph_of(_links(rng, 0.2)), "person": person}


def _films_of(graph: BipartiteGraph) -> Mapping[str, set[str]]:
    frame = graph.to_frame()
    return {name: set(frame["film"][frame["person"] == name]) for name in PEOPLE}


def _unsafe_pairs(graph: BipartiteGraph) -> int:
    return int(safe_grouping(graph, "left", Partition.of([0] * 6)).violations)


READ = Exercise(
    name="bg-01",
    kind="read",
    title="Who may share a group?",
    text="Two people may be in one group only if they saw no film in common. With how many others "
    "may {person} be in a group, and how many of all pairs of the six people may not?",
    make=_drawn,
    right=lambda data: {
        "others": sum(
            not (_films_of(data["graph"])[data["person"]] & _films_of(data["graph"])[name])
            for name in PEOPLE
            if name != data["person"]
        ),
        "pairs": _unsafe_pairs(data["graph"]),
    },
    mistakes={
        "those she shares with": Mistake(
            lambda data: {
                "others": sum(
                    bool(_films_of(data["graph"])[data["person"]] & _films_of(data["graph"])[name])
                    for name in PEOPLE
                    if name != data["person"]
                )
            },
            "Those are the people with a film in common: they must not be in her group.",
        ),
        "herself": Mistake(
            lambda data: {
                "others": 1
                + sum(
                    not (_films_of(data["graph"])[data["person"]] & _films_of(data["graph"])[name])
                    for name in PEOPLE
                    if name != data["person"]
                )
            },
            "You counted one too many. Others are asked for, she herself left out.",
        ),
        "pairs twice": Mistake(
            lambda data: {"pairs": 2 * _unsafe_pairs(data["graph"])},
            "You counted each pair in both orders.",
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


def _learned(rng: np.random.Generator) -> Data:
    data = _published(rng)
    links = [tuple(row) for row in data["graph"].to_frame().to_numpy().tolist()]
    pairs = list(combinations(links, 2))
    for at in rng.permutation(len(pairs))[:20]:
        known = pairs[int(at)]
        certain = learned_links(data["release"], list(known)).certain
        if len(certain):
            found = [tuple(row) for row in certain.to_numpy().tolist()]
            return {"release": data["release"], "known": list(known), "_certain": found}
    return {"release": data["release"], "known": [], "_certain": []}


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
            "That link is possible at best. Which nodes must the learned links be? What else "
            "hangs on them?",
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
    recognised = int(signatures(data["graph"]).unique("left").sum())
    return {"release": data["release"], "n": recognised, "_largest": float(largest)}


EXPLAIN = explain(
    "bg-05",
    "Safe groups of three",
    "All groups of the release hold three and are safe.",
    _told,
    [
        Statement(
            "To who has learned no link, no link is likelier than one in three.",
            lambda data: data["_largest"] <= 1 / 3 + 1e-9,
        ),
        Statement(
            "Who has learned two links knows no other for certain.",
            lambda data: False,
            "The promise is for those who have learned none. Two may fix where both names sit.",
        ),
        Statement(
            "Nobody can be recognised by the number of her links.",
            lambda data: data["n"] == 0,
            "All links are published, and some patterns occur only once. Who knows a person's "
            "number of links may find her node.",
        ),
        Statement(
            "All counts of links per film are published falsely.",
            lambda data: False,
            "The graph is published as it is; only the names are cut off from the nodes.",
        ),
    ],
)


def _to_group(rng: np.random.Generator) -> Data:
    return {"graph": graph_of(_links(rng, 0.25))}


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
    make=_to_group,
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


def _impossible(data: Data, answer: Answer) -> str | None:
    graph = graph_of(_answer_links(data, answer))
    if max(len(films) for films in _films_of(graph).values()) > 1:
        return "two films"
    return "possible" if _all_halves({"graph": graph})[0]["groups"] else None


DISPROVE = Exercise(
    name="bg-07",
    kind="disprove",
    title="One film each is enough?",
    text='"If each of the six people saw at most one film, they can be put into two safe groups of '
    'three." Disprove it with at most {most} links, pairs of ann, ben, cho, dia, eva, fay and p1 '
    "to p6. All groupings are tried.",
    make=lambda rng: {"most": int(rng.integers(3, 7))},
    right=lambda data: {"links": [(name, "p1") for name in PEOPLE[:3]]},
    mistakes={
        "two films": Mistake(
            lambda data: {"links": [("ann", "p1"), ("ann", "p2"), ("ben", "p1")]},
            "Somebody of yours saw two films.",
        ),
        "possible": Mistake(
            lambda data: {"links": [("ann", "p1"), ("ben", "p1")]},
            "These can be grouped: put those who saw the same film apart. With two groups, how "
            "many may have seen one film?",
        ),
    },
    judge=_impossible,
)

EXERCISES = (READ, COMPUTE, COUNT, BREAK, EXPLAIN, BUILD, DISPROVE)
