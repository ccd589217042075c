"""Exercises on disguised distributions: publish nodes of a tree so that only a target shows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np

import verikit as vk
from verikit.errors import RecordError, quoted
from verikit.exercises._blocks import LEAVES, TREE, find_answer, read_list
from verikit.exercises._exercise import Answer, Data, explain, pose

WIDTH = {"10": 0, "20": 0, "30": 0, "40": 0, "[10, 20]": 10, "[30, 40]": 10, "[10, 40]": 30}


def draw_values(rng: np.random.Generator) -> Data:
    """Draw eleven values, and find the commonest."""
    values = np.sort(rng.choice(LEAVES, 11, p=[0.4, 0.25, 0.2, 0.15])).tolist()
    return {"values": values, "often": max(LEAVES, key=values.count)}


def walk_down(values: Sequence[int]) -> list[str]:
    """Publish values as nodes, as the walk down the tree does."""
    steps = vk.targets.walk(TREE, values)
    return [str(row["node"]) for _, row in steps.iterrows() for _ in range(int(row["stay"] or 0))]


def count_published(data: Data) -> Answer:
    """Count what stays at the root, and how often a value is published itself."""
    nodes = walk_down(data["values"])
    return {"root": nodes.count(str(TREE.root)), "leaf": nodes.count(str(data["often"]))}


def mistake_walk(data: Data) -> dict[str, Answer]:
    """Answer as if there were no nodes between the root and the values."""
    counts = [data["values"].count(leaf) for leaf in LEAVES]
    return {
        "nodes between forgotten": {"root": sum(counts) - 4 * min(counts)},
        "nothing stays": {"root": 0},
        "as they are": {"leaf": max(counts)},
    }


READ = pose("dd-01", make=draw_values, right=count_published, wrong=mistake_walk)


def draw_halves(rng: np.random.Generator) -> Data:
    """Draw how many values two halves hold, and their weights."""
    weights = [int(w) for w in rng.integers(1, 4, 2)]
    there = [int(n) for n in rng.integers(3, 12, 2)]
    return {"there": there, "weights": weights}


def send_down(there: list[int], weights: list[int]) -> Answer:
    """Send as many down as fit in the ratio of the weights."""
    return {"down": list(vk.targets.allocation(there, weights, sum(there)))}


RATIO = pose(
    "dd-02",
    make=draw_halves,
    right=lambda data: send_down(data["there"], data["weights"]),
    wrong=lambda data: {
        "all": {"down": data["there"]},
        "equal": {"down": [min(data["there"])] * 2},
        "weights once": {"down": data["weights"]},
        "turned round": send_down(data["there"], data["weights"][::-1]),
    },
)


def draw_nodes(rng: np.random.Generator) -> Data:
    """Draw the nodes that a group published."""
    return {"nodes": [str(node) for node in rng.choice(list(WIDTH), 6)]}


def mistake_inference(data: Data) -> dict[str, Answer]:
    """Answer with shares of nodes that stand for 10 alone, or for 10 as well."""
    nodes, n = data["nodes"], len(data["nodes"])
    wide = sum(nodes.count(node) for node in ("10", "[10, 20]", "[10, 40]"))
    return {
        "single values only": {"chance": nodes.count("10") / n},
        "every node in full": {"chance": wide / n},
        "uniform": {"chance": 0.25},
    }


INFER = pose(
    "dd-03",
    make=draw_nodes,
    right=lambda data: {
        "chance": float(vk.models.target_privacy(data["nodes"], target=TREE).shown["all"]["10"])
    },
    wrong=mistake_inference,
)


def draw_with_fakes(rng: np.random.Generator) -> Data:
    """Draw six values, and work out the cost with up to three dummy values."""
    values = np.sort(rng.choice(np.arange(1, 9), 6)).tolist()
    costs = vk.targets.costs_of_fakes(vk.targets.balanced(range(1, 9)), values, 3)
    return {"values": values, "_costs": [int(cost) for cost in costs]}


FAKES = pose(
    "dd-04",
    make=draw_with_fakes,
    right=lambda data: {
        "cost": min(data["_costs"]),
        "fakes": data["_costs"].index(min(data["_costs"])),
    },
    wrong=lambda data: {
        key: {"cost": data["_costs"][fakes], "fakes": fakes}
        for key, fakes in (("none added", 0), ("as many as allowed", 3), ("first that helps", 1))
    },
)


def draw_group(rng: np.random.Generator) -> Data:
    """Draw the nodes of a group that shows just the target."""
    nodes = [["[10, 20]", "[10, 20]", "30", "40"], ["[10, 20]", "[10, 20]", "[30, 40]", "[30, 40]"]]
    chosen = rng.permutation(nodes[int(rng.integers(2))] * int(rng.integers(1, 3)))
    return {"nodes": [str(node) for node in chosen], "odds": int(rng.integers(2, 9))}


EXPLAIN = explain(
    "dd-05",
    draw_group,
    {
        1: lambda data: vk.models.target_privacy(data["nodes"], target=TREE).met,
        3: lambda data: "[10, 20]" in data["nodes"],
    },
)


def read_nodes(answer: Answer, n: int) -> list[str]:
    """Read n nodes of the tree."""
    given = read_list(answer, "nodes", lambda nodes: len(nodes) == n, f"a list of {n} nodes")
    names = [str(node) for node in given]
    unknown = [name for name in names if name not in WIDTH]
    if unknown:
        raise RecordError(
            f"{quoted(unknown[0])} is no node; expected one of: {', '.join(sorted(WIDTH))}."
        )
    return names


def judge_nodes(data: Data, answer: Answer) -> str | None:
    """Tell whether nodes hold the values, show the target and cost the least."""
    values = data["values"]
    nodes = read_nodes(answer, len(values))
    verdict = vk.models.target_privacy(nodes, target=TREE, values=values)
    if not verdict.covers:
        return "does not hold them"
    if not verdict.met:
        return "off the target"
    # Without dummy values the walk down the tree is optimal, so its cost is the least.
    least = int(vk.targets.costs_of_fakes(TREE, values, 0)[0])
    return None if sum(WIDTH[node] for node in nodes) == least else "too wide"


BUILD = pose(
    "dd-06",
    make=lambda rng: {"values": np.sort(rng.choice(LEAVES, 5, p=[0.4, 0.2, 0.2, 0.2])).tolist()},
    right=lambda data: {"nodes": walk_down(data["values"])},
    wrong=lambda data: {
        "does not hold them": {
            "nodes": [str(data["values"][0])] * 4 + [str(data["values"][0] % 40 + 10)]
        },
        "off the target": {"nodes": [str(value) for value in data["values"]]},
        "too wide": {"nodes": ["[10, 40]"] * 5},
    },
    judge=judge_nodes,
)


def judge_values(data: Data, answer: Answer) -> str | None:
    """Tell whether different values leave nothing but the root to publish."""
    n = data["n"]
    given = read_list(
        answer,
        "values",
        lambda values: len(values) == n and all(value in LEAVES for value in values),
        f"{n} of 10, 20, 30, 40",
    )
    if len(set(given)) < 2:
        return "one value"
    return None if set(walk_down(given)) == {str(TREE.root)} else "some go down"


DISPROVE = pose(
    "dd-07",
    make=lambda rng: {"n": int(rng.integers(3, 9))},
    right=lambda data: find_answer(
        data,
        judge_values,
        ({"values": list(v)} for v in combinations_with_replacement(LEAVES, data["n"])),
    ),
    wrong=lambda data: {
        "one value": {"values": [10] * data["n"]},
        "some go down": {"values": [10, 40] + [20] * (data["n"] - 2)},
    },
    judge=judge_values,
)
