"""Exercises on disguised distributions: publish nodes of a tree so that only a target shows."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from verikit.errors import RecordError, quoted
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.models import target_privacy
from verikit.targets import allocation, balanced, costs_of_fakes, walk

__all__ = ["EXERCISES"]

LEAVES = (10, 20, 30, 40)
TREE = balanced(LEAVES)


def _values(rng: np.random.Generator) -> Data:
    values = np.sort(rng.choice(LEAVES, 11, p=[0.4, 0.25, 0.2, 0.15])).tolist()
    return {"values": values, "often": max(LEAVES, key=values.count)}


def _walked(data: Data) -> Answer:
    steps = walk(TREE, data["values"])
    stay = {row["node"]: int(row["stay"] or 0) for _, row in steps.iterrows()}
    return {"root": stay[str(TREE.root)], "leaf": stay.get(str(data["often"]), 0)}


def _leaves_only(data: Data) -> Answer:
    """Who publishes as many of each leaf as the rarest has, and the rest at the root."""
    least = min(data["values"].count(leaf) for leaf in LEAVES)
    return {"root": len(data["values"]) - 4 * least}


READ = Exercise(
    name="dd-01",
    kind="read",
    title="The walk down the tree",
    text="The target is uniform on 10, 20, 30, 40; the tree halves them: [10, 40] above [10, 20] "
    "and [30, 40]. By Algorithm 3, how many of these values stay at the root, and how many times "
    "is {often} itself published? {values}",
    make=_values,
    right=_walked,
    mistakes={
        "nodes between forgotten": Mistake(
            _leaves_only,
            "You sent what does not fit straight to the root. Halves of the tree can be "
            "published, too.",
        ),
        "nothing stays": Mistake(
            lambda data: {"root": 0},
            "As many as go left have to go right. Count both halves, and let the rest stay.",
        ),
        "as they are": Mistake(
            lambda data: {"leaf": data["values"].count(data["often"])},
            "You counted the values themselves. Go down from the root: a half that passes on less "
            "limits the other.",
        ),
    },
)


def _ratio(rng: np.random.Generator) -> Data:
    weights = [int(w) for w in rng.integers(1, 4, 2)]
    there = [int(n) for n in rng.integers(3, 12, 2)]
    return {"there": there, "weights": weights}


def _down(data: Data) -> Answer:
    most = sum(data["there"])
    return {"down": list(allocation(data["there"], data["weights"], most))}


RATIO = Exercise(
    name="dd-02",
    kind="compute",
    title="In the ratio of the target",
    text="Below a node lie two halves with {there} values. The target gives them weights "
    "{weights}. How many values go down to each half, at most and just in that ratio?",
    make=_ratio,
    right=_down,
    mistakes={
        "all": Mistake(
            lambda data: {"down": data["there"]},
            "You sent all down. The numbers have to be in the ratio of the weights.",
        ),
        "equal": Mistake(
            lambda data: {"down": [min(data["there"])] * 2},
            "You sent equally many down; the weights are not equal.",
        ),
        "weights once": Mistake(
            lambda data: {"down": data["weights"]},
            "That is the ratio once. Several times as many may fit.",
        ),
        "turned round": Mistake(
            lambda data: {
                "down": list(allocation(data["there"], data["weights"][::-1], sum(data["there"])))
            },
            "You gave each half the weight of the other.",
        ),
    },
)


def _published(rng: np.random.Generator) -> Data:
    nodes = rng.choice(["10", "20", "30", "40", "[10, 20]", "[30, 40]", "[10, 40]"], 6).tolist()
    return {"nodes": [str(node) for node in nodes]}


def _shown(data: Data) -> dict[str, Fraction]:
    return dict(target_privacy(data["nodes"], target=TREE).shown["all"])


def _all_that_may(data: Data) -> Answer:
    hold = ("10", "[10, 20]", "[10, 40]")
    return {"chance": sum(data["nodes"].count(node) for node in hold) / len(data["nodes"])}


INFER = Exercise(
    name="dd-03",
    kind="compute",
    title="What everybody infers",
    text="A group published these nodes of the tree over 10, 20, 30, 40: {nodes}. A published "
    "node stands for each value below it with the chance of the uniform target. How likely is the "
    "value of one of the group 10?",
    make=_published,
    right=lambda data: {"chance": float(_shown(data)["10"])},
    mistakes={
        "single values only": Mistake(
            lambda data: {"chance": data["nodes"].count("10") / len(data["nodes"])},
            "You counted the single values. The wider nodes may stand for 10, too.",
        ),
        "every node in full": Mistake(
            _all_that_may,
            "You counted a wide node as if it were 10 for sure. It counts as its share of it.",
        ),
        "uniform": Mistake(
            lambda data: {"chance": 0.25},
            "That is the target. Does this group show it?",
        ),
    },
)


def _with_fakes(rng: np.random.Generator) -> Data:
    values = np.sort(rng.choice(np.arange(1, 9), 6)).tolist()
    costs = costs_of_fakes(balanced(range(1, 9)), values, 3)
    return {"values": values, "_costs": [int(cost) for cost in costs]}


FAKES = Exercise(
    name="dd-04",
    kind="compute",
    title="Values that are nobody's",
    text="The target is uniform on 1 to 8, and a published range from a to b costs b - a. What is "
    "the least cost with up to three values that are nobody's, and with how many is it reached "
    "first? {values}",
    make=_with_fakes,
    right=lambda data: {
        "cost": min(data["_costs"]),
        "fakes": data["_costs"].index(min(data["_costs"])),
    },
    mistakes={
        "none added": Mistake(
            lambda data: {"cost": data["_costs"][0], "fakes": 0},
            "That is the cost without one. A value that is nobody's may fill a gap.",
        ),
        "as many as allowed": Mistake(
            lambda data: {"cost": data["_costs"][3], "fakes": 3},
            "More is not always better: one more that fits nowhere stays at the root.",
        ),
        "first that helps": Mistake(
            lambda data: {"cost": data["_costs"][1], "fakes": 1},
            "One helps as far as that. Did you try two and three?",
        ),
    },
)


def _group(rng: np.random.Generator) -> Data:
    nodes = [["[10, 20]", "[10, 20]", "30", "40"], ["[10, 20]", "[10, 20]", "[30, 40]", "[30, 40]"]]
    chosen = rng.permutation(nodes[int(rng.integers(2))] * int(rng.integers(1, 3)))
    return {"nodes": [str(node) for node in chosen], "odds": int(rng.integers(2, 9))}


EXPLAIN = explain(
    "dd-05",
    "What a target promises",
    "A group published the nodes {nodes}; the target is uniform on 10, 20, 30, 40.",
    _group,
    [
        Statement(
            "For someone who knows nothing else, each of the four values is equally likely.",
            "For someone who knows nothing else, 10 and 20 are less likely than 30 and 40.",
            "Share each wide node out over the values below it, and add up: just the target shows.",
            lambda data: target_privacy(data["nodes"], target=TREE).met,
        ),
        Statement(
            "The people of the group need not have each of the four values equally often.",
            "The people of the group must have each of the four values equally often.",
            "What is shown is a target, not the truth: wide nodes may hide any mixture below them.",
        ),
        Statement(
            "Someone who knows that 10 is really {odds} times as frequent as 20 learns more.",
            "Someone who knows that 10 is really {odds} times as frequent as 20 learns nothing "
            "more.",
            "The promise is for someone who knows nothing else. Knowing the true shares says more "
            "about the wide nodes.",
            lambda data: "[10, 20]" in data["nodes"],
        ),
        Statement(
            "Each published node gives away that somebody's value lies in it.",
            "Nothing can be inferred from the published nodes.",
            "A node tells that somebody's value lies in it.",
        ),
    ],
)


def _nodes(answer: Answer, n: int) -> list[str]:
    given = answer["nodes"]
    if not isinstance(given, (list, tuple)) or len(given) != n:
        raise RecordError(f"nodes was given as {quoted(given)}; expected a list of {n} nodes.")
    known = {str(node) for path in TREE.levels.values() for node in path}
    names = [str(node) for node in given]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise RecordError(
            f"{quoted(unknown[0])} is no node; expected one of: {', '.join(sorted(known))}."
        )
    return names


WIDTH = {"10": 0, "20": 0, "30": 0, "40": 0, "[10, 20]": 10, "[30, 40]": 10, "[10, 40]": 30}


def _walk_nodes(data: Data) -> Answer:
    steps = walk(TREE, data["values"])
    nodes = [str(row["node"]) for _, row in steps.iterrows() for _ in range(int(row["stay"] or 0))]
    return {"nodes": nodes}


def _fits(data: Data, answer: Answer) -> str | None:
    nodes = _nodes(answer, len(data["values"]))
    verdict = target_privacy(nodes, target=TREE, values=data["values"])
    if not verdict.covers:
        return "does not hold them"
    if not verdict.met:
        return "off the target"
    cost = sum(WIDTH[node] for node in nodes)
    return None if cost == int(costs_of_fakes(TREE, data["values"], 0)[0]) else "too wide"


BUILD = Exercise(
    name="dd-06",
    kind="build",
    title="Publish it yourself",
    text="Publish these five values as nodes of the tree over 10, 20, 30, 40, such as '10', "
    "'[10, 20]' or '[10, 40]': each value in a node that holds it, only the uniform target to be "
    "seen, and as little range in all as possible. {values}",
    make=lambda rng: {"values": np.sort(rng.choice(LEAVES, 5, p=[0.4, 0.2, 0.2, 0.2])).tolist()},
    right=_walk_nodes,
    mistakes={
        "does not hold them": Mistake(
            lambda data: {
                "nodes": [str(data["values"][0])] * 4 + [str(data["values"][0] % 40 + 10)]
            },
            "These nodes cannot hold the values: each value needs a node of its own that holds it.",
        ),
        "off the target": Mistake(
            lambda data: {"nodes": [str(value) for value in data["values"]]},
            "These are the values themselves, or the shares of two halves differ: the target must "
            "show.",
        ),
        "too wide": Mistake(
            lambda data: {"nodes": ["[10, 40]"] * 5},
            "That shows the target. It tells less than you could.",
        ),
    },
    judge=_fits,
)


def _truth_shown(data: Data, answer: Answer) -> str | None:
    given = answer["values"]
    good = isinstance(given, (list, tuple)) and len(given) == data["n"]
    if not good or any(value not in LEAVES for value in given):
        raise RecordError(
            f"values was given as {quoted(given)}; expected {data['n']} of 10, 20, 30, 40."
        )
    if len(set(given)) < 2:
        return "one value"
    nodes = _walk_nodes({"values": list(given)})["nodes"]
    return None if set(nodes) == {str(TREE.root)} else "some go down"


def _stuck(data: Data) -> Answer:
    """The first multiset of which nothing can go down, trying all."""
    for values in combinations_with_replacement(LEAVES, data["n"]):
        answer: dict[str, Any] = {"values": list(values)}
        if _truth_shown(data, answer) is None:
            return answer
    return {"values": None}


DISPROVE = Exercise(
    name="dd-07",
    kind="disprove",
    title="More than the root?",
    text='"If a group holds at least two different values, something more precise than the root '
    'can be published." Disprove it for a uniform target on 10, 20, 30, 40: give {n} values.',
    make=lambda rng: {"n": int(rng.integers(3, 9))},
    right=_stuck,
    mistakes={
        "one value": Mistake(
            lambda data: {"values": [10] * data["n"]}, "Use at least two different values."
        ),
        "some go down": Mistake(
            lambda data: {"values": [10, 40] + [20] * (data["n"] - 2)},
            "Here some values can go down, for both halves of the tree hold one.",
        ),
    },
    judge=_truth_shown,
)

EXERCISES = (READ, RATIO, INFER, FAKES, EXPLAIN, BUILD, DISPROVE)
