"""Exercises on personal requirements: each person names the node below which nothing may show."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from verikit.errors import RecordError, VerikitError, quoted
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.mask import personalize
from verikit.models import personal_respect
from verikit.release import SplitRelease
from verikit.table import Column, Microdata, Schema
from verikit.targets import balanced

__all__ = ["EXERCISES"]

LEAVES = (10, 20, 30, 40)
TREE = balanced(LEAVES)
SIZE = {"10": 1, "20": 1, "30": 1, "40": 1, "[10, 20]": 2, "[30, 40]": 2, "[10, 40]": 4}


def _people(rng: np.random.Generator, n: int = 4) -> Microdata:
    pay = rng.choice(LEAVES, n)
    wish = [TREE.path(str(value))[int(rng.integers(0, 3))] for value in pay]
    frame = pd.DataFrame({"Zip": [f"{1010 + at}" for at in range(n)], "Pay": pay, "Wish": wish})
    columns = (Column("Zip", kind="nominal"), Column("Pay", "sensitive"))
    return Microdata(frame, Schema((*columns, Column("Wish", "other", "nominal"))))


def _wishes(rng: np.random.Generator) -> Data:
    return {"table": _people(rng)}


def _published(data: Data, search: Any) -> int:
    made = personalize(
        data["table"], hierarchy=TREE, requirement="Wish", search=search, seed=1
    ).release
    return int(str(made.parameters["values published"]))


def _wished(data: Data) -> int:
    return sum(SIZE[wish] for wish in data["table"].frame["Wish"])


READ = Exercise(
    name="pr-01",
    kind="read",
    title="Each for herself",
    text="Each person names a node (Wish) of the tree over 10, 20, 30, 40 that holds her pay. If "
    "everybody is a group of her own and her node is published, how many values do the published "
    "nodes hold in all, and how many people let their pay itself be known?",
    make=_wishes,
    right=lambda data: {
        "values": _wished(data),
        "open": int((data["table"].frame["Wish"].astype(str).str.len() == 2).sum()),
    },
    mistakes={
        "nodes": Mistake(
            lambda data: {"values": len(data["table"].frame)},
            "You counted the nodes. Count the values that each of them holds.",
        ),
        "different nodes": Mistake(
            lambda data: {"values": sum(SIZE[wish] for wish in set(data["table"].frame["Wish"]))},
            "You counted each node once. Each person's is published.",
        ),
        "those who hide": Mistake(
            lambda data: {
                "open": int((data["table"].frame["Wish"].astype(str).str.len() > 2).sum())
            },
            "Those are the people who ask for something wider.",
        ),
    },
)


SHARE = Exercise(
    name="pr-02",
    kind="compute",
    title="Sharing a group",
    text="People may share groups, so that values of others make a wide node unnecessary. How many "
    "values do the published nodes hold with the best grouping, and with all in one group?",
    make=_wishes,
    right=lambda data: {
        "best": _published(data, "exact"),
        "together": _published(data, "one group"),
    },
    mistakes={
        "each alone": Mistake(
            lambda data: {"best": _wished(data)},
            "That is what each alone publishes. Who shares a group may publish less.",
        ),
        "one value each": Mistake(
            lambda data: {"best": len(data["table"].frame)},
            "That would publish every pay as it is. Are all requirements respected then?",
        ),
    },
)


def _split(nodes: Sequence[str], data: Microdata) -> SplitRelease:
    """All people in one group, with the nodes given."""
    quasi = pd.DataFrame({"Zip": data.frame["Zip"], "Group-ID": "1"})
    sensitive = pd.DataFrame({"Group-ID": "1", "Pay": list(nodes)})
    pay = Column("Pay", "sensitive", "numeric", hierarchy=TREE)
    return SplitRelease(quasi, sensitive, Schema((Column("Zip", kind="nominal"), pay)))


@lru_cache(maxsize=512)
def _respected(
    nodes: tuple[str, ...], wishes: tuple[str, ...], pay: tuple[int, ...]
) -> tuple[bool, ...]:
    frame = pd.DataFrame(
        {"Zip": [f"{1010 + at}" for at in range(len(pay))], "Pay": pay, "Wish": wishes}
    )
    columns = (Column("Zip", kind="nominal"), Column("Pay", "sensitive"))
    data = Microdata(frame, Schema((*columns, Column("Wish", "other", "nominal"))))
    found = personal_respect(_split(nodes, data), data, requirement="Wish")
    return tuple(bool(one) for one in found.per_record)


def _printed(rng: np.random.Generator) -> Data:
    data = _people(rng, 5)
    nodes = [TREE.path(str(value))[int(rng.choice([0, 0, 1, 2]))] for value in data.frame["Pay"]]
    return {"table": data, "nodes": [str(node) for node in nodes]}


def _flags(data: Data) -> tuple[bool, ...]:
    frame = data["table"].frame
    wishes = tuple(str(wish) for wish in frame["Wish"])
    return _respected(tuple(data["nodes"]), wishes, tuple(frame["Pay"].tolist()))


def _naive(data: Data) -> Answer:
    """Who asks only whether the own node is at least as wide as the wish."""
    widths = [SIZE[node] for node in data["nodes"]]
    wished = [SIZE[wish] for wish in data["table"].frame["Wish"]]
    return {"people": sum(own >= wish for own, wish in zip(widths, wished, strict=True))}


RESPECT = Exercise(
    name="pr-03",
    kind="compute",
    title="Who is respected?",
    text="All five are in one group, which published {nodes}. Below the node of a person, just the "
    "uniform target must show. How many of the five are respected?",
    make=_printed,
    right=lambda data: {"people": sum(_flags(data))},
    mistakes={
        "own node only": Mistake(
            _naive,
            "You compared each person's node with her wish. What others of the group publish below "
            "her node counts, too.",
        ),
        "those who hide nothing": Mistake(
            lambda data: {
                "people": sum(len(str(wish)) == 2 for wish in data["table"].frame["Wish"])
            },
            "You counted those who ask for nothing. Wider wishes may be respected, too.",
        ),
    },
)


def _broken(data: Data, answer: Answer) -> str | None:
    row = answer["row"]
    if not isinstance(row, (int, np.integer)) or isinstance(row, bool) or not 0 <= row < 5:
        raise RecordError(f"row was given as {quoted(row)}; expected a row from 0 to 4.")
    return "respected" if _flags(data)[int(row)] else None


def _where(flags: Sequence[bool]) -> Answer:
    return {"row": next((at for at, flag in enumerate(flags) if flag), None)}


BREAK = Exercise(
    name="pr-04",
    kind="break",
    title="Somebody is not respected",
    text="All five are in one group, which published {nodes}. Give the row (counted from 0) of a "
    "person whose wish is not respected.",
    make=_printed,
    right=lambda data: _where([not flag for flag in _flags(data)]),
    mistakes={
        "respected": Mistake(
            lambda data: _where(_flags(data)),
            "Below her node just the target shows: her wish is respected. Look at the values "
            "published below other wishes.",
        ),
    },
    judge=_broken,
)


def _nodes(answer: Answer, n: int) -> list[str]:
    given = answer["nodes"]
    good = isinstance(given, (list, tuple)) and len(given) == n
    if not good or any(str(node) not in SIZE for node in given):
        raise RecordError(
            f"nodes was given as {quoted(given)}; expected {n} of: {', '.join(SIZE)}."
        )
    return [str(node) for node in given]


def _holds(node: str, value: int) -> bool:
    return node in [str(name) for name in TREE.path(str(value))]


def _together(data: Data, answer: Answer) -> str | None:
    frame = data["table"].frame
    nodes, pay = _nodes(answer, len(frame)), frame["Pay"].tolist()
    if not all(_holds(node, value) for node, value in zip(nodes, pay, strict=True)):
        raise RecordError(f"nodes was given as {quoted(nodes)}; each must hold the pay of its row.")
    wishes = tuple(str(wish) for wish in frame["Wish"])
    if not all(_respected(tuple(nodes), wishes, tuple(pay))):
        return "not respected"
    return None if sum(SIZE[node] for node in nodes) == _best(data) else "too wide"


def _all_nodes(data: Data) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for value in data["table"].frame["Pay"]:
        found = [[*one, str(node)] for one in found for node in TREE.path(str(value))]
    return sorted(found, key=lambda one: sum(SIZE[node] for node in one))


def _first_good(data: Data) -> Answer:
    """The narrowest nodes that respect everybody, by trying all."""
    frame = data["table"].frame
    wishes, pay = tuple(str(wish) for wish in frame["Wish"]), tuple(frame["Pay"].tolist())
    for nodes in _all_nodes(data):
        if all(_respected(tuple(nodes), wishes, pay)):
            return {"nodes": nodes}
    return {"nodes": None}


def _best(data: Data) -> int:
    return sum(SIZE[node] for node in _first_good(data)["nodes"])


BUILD = Exercise(
    name="pr-05",
    kind="build",
    title="One group for all",
    text="All four are in one group. Give a node for each person (such as '10', '[10, 20]' or "
    "'[10, 40]') that holds her pay, so that everybody's wish is respected and the nodes hold as "
    "few values as possible. All answers are tried.",
    make=_wishes,
    right=_first_good,
    mistakes={
        "not respected": Mistake(
            lambda data: {"nodes": [str(value) for value in data["table"].frame["Pay"]]},
            "Somebody's wish is not respected: below her node the shares differ from the target.",
        ),
        "too wide": Mistake(
            lambda data: {"nodes": ["[10, 40]"] * 4},
            "Everybody is respected, but narrower nodes do it, too.",
        ),
    },
    judge=_together,
)


def _half(rng: np.random.Generator) -> Data:
    low = int(rng.choice([10, 30]))
    return {"low": low, "high": low + 10, "pay": low + int(rng.choice([0, 10]))}


EXPLAIN = explain(
    "pr-06",
    "What a wish protects",
    "Somebody wishes for [{low}, {high}], and it is respected. Her pay is {pay}.",
    _half,
    [
        Statement(
            "Everybody may know that her pay is {low} or {high}; which of the two, only the "
            "target's chances tell.",
            "Everybody may know that her pay is {pay}.",
            "Below the node that she names only the target shows: which value is hers stays open.",
        ),
        Statement(
            "It may become known that her pay is at least {low} and at most {high}.",
            "Nobody can know that her pay is at least {low} and at most {high}.",
            "The node she names may be known: the wish is about what lies below it.",
        ),
        Statement(
            "Somebody who knows more than the release shows may infer her pay.",
            "Her pay cannot be inferred by anybody who knows more.",
            "The promise is about what the release shows, not about what is known besides.",
        ),
        Statement(
            "Others in her group may publish {low} or {high} themselves.",
            "Nobody in her group publishes {low} or {high}.",
            "Single values may be published, as long as they show just the target.",
        ),
    ],
)


def _greedy_fails(data: Data, answer: Answer) -> str | None:
    rows = answer["people"]
    good = isinstance(rows, (list, tuple)) and len(rows) == data["n"]
    good = good and all(isinstance(row, (list, tuple)) and len(row) == 2 for row in rows)
    if not good or any(pay not in LEAVES or str(w) not in SIZE for pay, w in rows):
        raise RecordError(
            f"people was given as {quoted(rows)}; expected {data['n']} pairs (pay, node)."
        )
    try:
        best, found = _two_searches(tuple((int(pay), str(wish)) for pay, wish in rows))
    except VerikitError as error:
        raise RecordError(str(error)) from None
    return None if best < found else "as good"


@lru_cache(maxsize=4096)
def _two_searches(rows: tuple[tuple[int, str], ...]) -> tuple[int, int]:
    frame = pd.DataFrame(rows, columns=["Pay", "Wish"])
    frame.insert(0, "Zip", [f"{1010 + at}" for at in range(len(rows))])
    columns = (Column("Zip", kind="nominal"), Column("Pay", "sensitive"))
    data = Microdata(frame, Schema((*columns, Column("Wish", "other", "nominal"))))
    task = {"table": data}
    return _published(task, "exact"), _published(task, "one group")


def _counterexample(data: Data) -> Answer:
    choices = [(pay, str(node)) for pay in LEAVES for node in TREE.path(str(pay))]
    for rows in combinations(choices, data["n"]):
        if _greedy_fails(data, {"people": list(rows)}) is None:
            return {"people": list(rows)}
    return {"people": None}


DISPROVE = Exercise(
    name="pr-07",
    kind="disprove",
    title="The more, the better?",
    text='"All people in one group publish at least as little as any other grouping." Disprove it: '
    "give {n} people, pairs of a pay (10, 20, 30, 40) and the node she wishes for, for whom the "
    "best grouping publishes fewer values than one group. All groupings are tried.",
    make=lambda rng: {"n": int(rng.integers(2, 5))},
    right=_counterexample,
    mistakes={
        "as good": Mistake(
            lambda data: {"people": [(10, "10"), (20, "20"), (30, "30"), (40, "40")][: data["n"]]},
            "Here one group is as good as any. Let somebody's narrow value disturb another's wish.",
        ),
    },
    judge=_greedy_fails,
)

EXERCISES = (READ, SHARE, RESPECT, BREAK, BUILD, EXPLAIN, DISPROVE)
