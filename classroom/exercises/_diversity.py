"""Exercises on diversity and closeness: four ways to say how mixed a class is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

import verikit as vk
from verikit.exercises import _blocks as blocks
from verikit.exercises._exercise import Answer, Data, explain, pose
from verikit.exercises._k_anonymity import draw_with_trees, read_levels
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
    values = np.repeat(["flu", "asthma", "ulcer"], rng.integers(1, 7, 3).tolist())
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


def draw_levels_to_choose(rng: np.random.Generator) -> Data:
    """Draw people whose k-anonymous levels are not all diverse, and find both in the lattice."""
    asked = vk.models.Requirement("frequency_diversity", ell=2)
    while True:
        data = draw_with_trees(rng)
        if data.frame["Illness"].value_counts().max() > len(data) // 2:
            continue
        found = vk.lattice.classify(data, requirement=asked, suppression=0)
        # 2-anonymous, and with levels that add up to no more than those of diverse ones
        large = vk.lattice.classify(data, k=2, suppression=0).safe
        least = min(map(sum, found.safe))
        only = [node for node in large if node not in found.safe and sum(node) <= least]
        if only and 0 < least < 4:
            return {"table": data, "_diverse": list(found.safe), "_large": only}


def judge_diverse_levels(data: Data, answer: Answer) -> str | None:
    """Tell whether levels are diverse, and whether lower ones are too."""
    levels = read_levels(answer)
    if levels in data["_diverse"]:
        return None if sum(levels) == min(map(sum, data["_diverse"])) else "too high"
    return "only k" if levels in data["_large"] else "too low"


def name_levels(levels: tuple[int, int]) -> Answer:
    return {"Age": levels[0], "Zip": levels[1]}


CHOOSE = pose(
    "dc-07",
    make=draw_levels_to_choose,
    right=lambda data: name_levels(min(data["_diverse"], key=sum)),
    wrong=lambda data: {
        "only k": name_levels(data["_large"][0]),
        "too low": {"Age": 0, "Zip": 0},
        "too high": {"Age": 2, "Zip": 2},
    },
    judge=judge_diverse_levels,
)
