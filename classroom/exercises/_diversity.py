"""Exercises on diversity and closeness: four ways to say how mixed a class is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

import verikit as vk
from verikit.exercises import _blocks as blocks
from verikit.exercises._exercise import Answer, Data, Exercise, Statement, explain
from verikit.matching import classes_of


def make_class(values: Sequence[object]) -> vk.Microdata:
    """Make a table whose people all look alike."""
    return blocks.make_table(
        {"Zip": ["1010"] * len(values), "Illness": [str(value) for value in values]}
    )


READ = Exercise(
    name="dc-01",
    kind="read",
    title="How many illnesses at least?",
    text="What is the smallest number of different illnesses in any class (distinct diversity; age "
    "and postal code are what others know)?",
    make=lambda rng: {"table": blocks.draw_village(rng, 24, 3, 7, chances=[1 / 7] * 7)},
    right=lambda data: {"diversity": int(vk.models.distinct_diversity(data["table"]).value)},
    wrong=lambda data: {
        "whole table": {"diversity": data["table"].frame["Illness"].nunique()},
        "k": {"diversity": int(vk.models.k_anonymity(data["table"]).value)},
        "best class": {
            "diversity": int(vk.models.distinct_diversity(data["table"]).per_class.max())
        },
    },
    hints={
        "whole table": "You counted in the whole table. Count in each class, and take the class "
        "with fewest.",
        "k": "You counted people. Two people with one illness are one value.",
        "best class": "That is the class with most. A promise must hold for the one with fewest.",
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


COMPUTE = Exercise(
    name="dc-02",
    kind="compute",
    title="Two measures of one class",
    text="All in this table look alike to others. Give its entropy diversity, as a number of "
    "values (the exponential of the entropy), and the ratio of recursive diversity for l = 2: how "
    "many times as frequent the most frequent illness is as all others together.",
    make=draw_class,
    right=lambda data: {
        "entropy": float(vk.models.entropy_diversity(data["table"]).value),
        "recursive": float(vk.models.recursive_diversity(data["table"], ell=2).value),
    },
    wrong=mistake_measures,
    hints={
        "the entropy itself": "That is the entropy. As a number of equally frequent values it is "
        "its exponential.",
        "binary logarithm": "That is the entropy in bits. As a number of values it is 2 to that "
        "power.",
        "distinct": "You counted the values. Uneven ones count as fewer.",
        "share": "You divided by all people. Divide by those who have another illness.",
        "second only": "You divided by the second most frequent illness alone. The rarer ones "
        "count as well.",
    },
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


CLOSE = Exercise(
    name="dc-03",
    kind="compute",
    title="How far from the whole table?",
    text="How far are the illnesses of the worst class from those of the whole table, all "
    "illnesses being equally far from each other (t-closeness)?",
    make=lambda rng: {"table": blocks.draw_village(rng, people=20, least=3, most=6)},
    right=lambda data: {"t": float(vk.models.t_closeness(data["table"]).value)},
    wrong=mistake_closeness,
    hints={
        "sum of differences": "You added all differences. What leaves one value arrives at "
        "another: halve it.",
        "one value": "You took the largest single difference. All that has to be moved counts.",
        "best class": "That is the closest class. The promise is that of the farthest.",
    },
)


def draw_uneven_class(rng: np.random.Generator) -> Data:
    """Draw how many have flu beside two others."""
    most = int(rng.integers(7, 16))
    return {"table": make_class(["flu"] * most + ["asthma", "ulcer"]), "n": most + 2}


EXPLAIN = explain(
    "dc-04",
    "Three illnesses in the class",
    "All {n} people of this table look alike.",
    draw_uneven_class,
    [
        Statement(
            "Somebody who guesses the most frequent illness is right more often than not.",
            "As the class holds three illnesses, no guess is right more often than not.",
            "Count the most frequent illness: it fills more than half of the class.",
            lambda data: count_illnesses(data)[0] > data["n"] / 2,
        ),
        Statement(
            "The class holds three illnesses, and yet they are not equally likely.",
            "Three illnesses make every guess from the class alone right in one of three cases.",
            "Only if all three were equally frequent. Count the most frequent one.",
            lambda data: count_illnesses(data)[0] > count_illnesses(data)[1] > 0,
        ),
        Statement(
            "It is 3-diverse by the number of different values, but not by entropy.",
            "It is 3-diverse by entropy, too.",
            "Entropy reaches 3 only where three values are equally frequent.",
            lambda data: vk.models.entropy_diversity(data["table"]).value < 3,
        ),
        Statement(
            "Somebody who knows that a person does not have flu is left with two illnesses.",
            "Somebody who knows that a person does not have flu knows her illness.",
            "Take the rows with flu away: how many illnesses are left?",
            lambda data: len(count_illnesses(data)) == 3,
        ),
    ],
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


BUILD = Exercise(
    name="dc-05",
    kind="build",
    title="Deal them out",
    text="Put the eight people into four groups such that no illness fills more than half of a "
    "group. Give the number of the group of each person, from 0.",
    make=draw_to_deal,
    right=lambda data: {"groups": blocks.deal_sorted(data["illnesses"], 4)},
    wrong=lambda data: {
        "too few": {"groups": [0] * 8},
        "too frequent": {"groups": blocks.cut_sorted(data["illnesses"], 2)},
    },
    hints={
        "too few": "These are fewer than four groups.",
        "too frequent": "In some group one illness fills more than half. Deal the most frequent "
        "one out first.",
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


DISPROVE = Exercise(
    name="dc-06",
    kind="disprove",
    title="Many values, little diversity",
    text='"A class with {ell} different values is 2-diverse by entropy." Disprove it: give the '
    "values of one class, 20 at most.",
    make=lambda rng: {"ell": int(rng.integers(3, 5))},
    right=lambda data: {"values": ["flu"] * 17 + [f"other {i}" for i in range(data["ell"] - 1)]},
    wrong=lambda data: {
        "too few values": {"values": ["flu", "flu", "ulcer"]},
        "even enough": {"values": [f"value {i}" for i in range(data["ell"])]},
    },
    hints={
        "too few values": "The class must hold as many different values as the sentence says.",
        "even enough": "By entropy this class counts as 2 values or more. Make one value far more "
        "frequent.",
    },
    judge=judge_class,
)
