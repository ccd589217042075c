"""Exercises on diversity and closeness: four ways to say how mixed a class is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

import verikit as vk
from verikit.exercises import _blocks as blocks
from verikit.exercises._exercise import Answer, Data, explain, pose
from verikit.matching import classes_of


def make_class(values: Sequence[object]) -> vk.Microdata:
    """Make a table whose people all look alike."""
    return blocks.make_table(
        {"Zip": ["1010"] * len(values), "Illness": [str(value) for value in values]}
    )


READ = pose(
    "dc-01",
    make=lambda rng: {"table": blocks.draw_village(rng, 24, 3, 7, chances=[1 / 7] * 7)},
    right=lambda data: {"diversity": int(vk.models.distinct_diversity(data["table"]).value)},
    wrong=lambda data: {
        "whole table": {"diversity": data["table"].frame["Illness"].nunique()},
        "k": {"diversity": int(vk.models.k_anonymity(data["table"]).value)},
        "best class": {
            "diversity": int(vk.models.distinct_diversity(data["table"]).per_class.max())
        },
    },
)


def draw_class(rng: np.random.Generator) -> Data:
    """Draw one class with three illnesses."""
    values = np.repeat(["flu", "asthma", "ulcer"], rng.integers(1, 7, 3))
    return {"table": make_class(rng.permutation(values).tolist())}


def count_illnesses(data: Data) -> list[int]:
    """Count the people with each illness, the commonest first."""
    return sorted(data["table"].frame["Illness"].value_counts().tolist(), reverse=True)


def mistake_measures(data: Data) -> dict[str, Answer]:
    """Answer with an entropy instead of a number of values, and with other ratios."""
    counts, entropy = count_illnesses(data), float(np.log(data["_right"]["entropy"]))
    return {
        "the entropy itself": {"entropy": entropy},
        "binary logarithm": {"entropy": entropy / float(np.log(2))},
        "distinct": {"entropy": float(len(counts))},
        "share": {"recursive": counts[0] / sum(counts)},
        "second only": {"recursive": counts[0] / counts[1]},
    }


COMPUTE = pose(
    "dc-02",
    make=draw_class,
    right=lambda data: {
        "entropy": float(vk.models.entropy_diversity(data["table"]).value),
        "recursive": float(vk.models.recursive_diversity(data["table"], ell=2).value),
    },
    wrong=mistake_measures,
)


def mistake_closeness(data: Data) -> dict[str, Answer]:
    """Answer with other distances between the illnesses of a class and of the table."""
    classes, ill = classes_of(data["table"]), data["table"].frame["Illness"]
    # All illnesses being equally far apart, the earth mover's distance halves the sum.
    own = pd.crosstab(classes.labels, ill, normalize="index")
    return {
        "sum of differences": {"t": 2 * data["_right"]["t"]},
        "one value": {"t": float((own - ill.value_counts(normalize=True)).abs().max(axis=None))},
        "best class": {"t": float(vk.models.t_closeness(data["table"]).per_class.min())},
    }


CLOSE = pose(
    "dc-03",
    make=lambda rng: {"table": blocks.draw_village(rng, people=20, least=3, most=6)},
    right=lambda data: {"t": float(vk.models.t_closeness(data["table"]).value)},
    wrong=mistake_closeness,
)


def draw_uneven_class(rng: np.random.Generator) -> Data:
    """Draw how many have flu beside two others."""
    most = int(rng.integers(7, 16))
    return {"table": make_class(["flu"] * most + ["asthma", "ulcer"]), "n": most + 2}


EXPLAIN = explain(
    "dc-04",
    draw_uneven_class,
    {
        1: lambda data: count_illnesses(data)[0] > data["n"] / 2,
        2: lambda data: count_illnesses(data)[0] > count_illnesses(data)[1] > 0,
        3: lambda data: vk.models.entropy_diversity(data["table"]).value < 3,
        4: lambda data: len(count_illnesses(data)) == 3,
    },
)


def draw_to_deal(rng: np.random.Generator) -> Data:
    """Draw eight people, four of whom have one illness."""
    ill = np.repeat(["flu", "asthma", "ulcer", "gout"], rng.permutation([4, 2, 1, 1]))
    return {"illnesses": rng.permutation(ill).tolist()}


def judge_dealing(data: Data, answer: Answer) -> str | None:
    """Tell whether no illness fills more than half of one of four groups."""
    groups = blocks.read_groups(answer, len(data["illnesses"]))
    if len(set(groups)) < 4:
        return "too few"
    made = blocks.make_table({"Zip": [f"group {g}" for g in groups], "Illness": data["illnesses"]})
    return None if vk.models.frequency_diversity(made).value >= 2 else "too frequent"


BUILD = pose(
    "dc-05",
    make=draw_to_deal,
    right=lambda data: {"groups": blocks.deal_sorted(data["illnesses"], 4)},
    wrong=lambda data: {
        "too few": {"groups": [0] * 8},
        "too frequent": {"groups": blocks.cut_sorted(data["illnesses"], 2)},
    },
    judge=judge_dealing,
)


def judge_class(data: Data, answer: Answer) -> str | None:
    """Tell whether a class has many values, and little diversity by entropy."""
    made = make_class(
        blocks.read_list(answer, "values", lambda v: 1 <= len(v) <= 20, "a list of 1 to 20")
    )
    if vk.models.distinct_diversity(made).value < data["ell"]:
        return "too few values"
    return None if vk.models.entropy_diversity(made).value < 2 else "even enough"


DISPROVE = pose(
    "dc-06",
    make=lambda rng: {"ell": int(rng.integers(3, 5))},
    right=lambda data: {"values": ["flu"] * 17 + [f"other {i}" for i in range(data["ell"] - 1)]},
    wrong=lambda data: {
        "too few values": {"values": ["flu", "flu", "ulcer"]},
        "even enough": {"values": [f"value {i}" for i in range(data["ell"])]},
    },
    judge=judge_class,
)
