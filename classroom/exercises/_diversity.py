"""Exercises on diversity and closeness: four ways to say how mixed a class is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verikit.alike import classes_of
from verikit.errors import RecordError, quoted
from verikit.exercises._draw import table, village
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.models import (
    distinct_diversity,
    entropy_diversity,
    frequency_diversity,
    k_anonymity,
    recursive_diversity,
    t_closeness,
)
from verikit.table import Microdata

__all__ = ["EXERCISES"]


def _people(rng: np.random.Generator) -> Data:
    return {"table": village(rng, people=20, least=3, most=6)}


def one_class(values: Sequence[object]) -> Microdata:
    """A table whose people all look alike."""
    return table({"Zip": ["1010"] * len(values), "Illness": [str(value) for value in values]})


READ = Exercise(
    name="dc-01",
    kind="read",
    title="How many illnesses at least?",
    text="What is the smallest number of different illnesses in any class (distinct diversity; age "
    "and postal code are what others know)?",
    make=lambda rng: {"table": village(rng, 24, 3, 7, chances=[1 / 7] * 7)},
    right=lambda data: {"diversity": int(distinct_diversity(data["table"]).value)},
    mistakes={
        "whole table": Mistake(
            lambda data: {"diversity": data["table"].frame["Illness"].nunique()},
            "You counted in the whole table. Count in each class, and take the class with fewest.",
        ),
        "k": Mistake(
            lambda data: {"diversity": int(k_anonymity(data["table"]).value)},
            "You counted people. Two people with one illness are one value.",
        ),
        "best class": Mistake(
            lambda data: {"diversity": int(distinct_diversity(data["table"]).per_class.max())},
            "That is the class with most. A promise must hold for the one with fewest.",
        ),
    },
)


def _class(rng: np.random.Generator) -> Data:
    counts = rng.integers(1, 7, 3)
    values = np.repeat(["flu", "asthma", "ulcer"], counts)
    return {"table": one_class(rng.permutation(values).tolist())}


def _counts(data: Data) -> list[int]:
    return sorted(data["table"].frame["Illness"].value_counts().tolist(), reverse=True)


COMPUTE = Exercise(
    name="dc-02",
    kind="compute",
    title="Two measures of one class",
    text="All in this table look alike to others. Give its entropy diversity, as a number of "
    "values (the exponential of the entropy), and the ratio of recursive diversity for l = 2: how "
    "many times as frequent the most frequent illness is as all others together.",
    make=_class,
    right=lambda data: {
        "entropy": float(entropy_diversity(data["table"]).value),
        "recursive": float(recursive_diversity(data["table"], ell=2).value),
    },
    mistakes={
        "the entropy itself": Mistake(
            lambda data: {"entropy": float(np.log(entropy_diversity(data["table"]).value))},
            "That is the entropy. As a number of equally frequent values it is its exponential.",
        ),
        "binary logarithm": Mistake(
            lambda data: {"entropy": float(np.log2(entropy_diversity(data["table"]).value))},
            "That is the entropy in bits. As a number of values it is 2 to that power.",
        ),
        "distinct": Mistake(
            lambda data: {"entropy": float(distinct_diversity(data["table"]).value)},
            "You counted the values. Uneven ones count as fewer.",
        ),
        "share": Mistake(
            lambda data: {"recursive": _counts(data)[0] / sum(_counts(data))},
            "You divided by all people. Divide by those who have another illness.",
        ),
        "second only": Mistake(
            lambda data: {"recursive": _counts(data)[0] / _counts(data)[1]},
            "You divided by the second most frequent illness alone. The rarer ones count as well.",
        ),
    },
)


def _shares(data: Data) -> tuple[dict[str, float], list[dict[str, float]]]:
    classes, ill = classes_of(data["table"]), data["table"].frame["Illness"]
    values = sorted(ill.unique())
    every = {v: float((ill == v).mean()) for v in values}
    own = [ill[classes.labels == at] for at in range(len(classes.sizes))]
    return every, [{v: float((part == v).mean()) for v in values} for part in own]


def _twice(data: Data) -> Answer:
    return {"t": 2 * float(t_closeness(data["table"]).value)}


def _largest_difference(data: Data) -> Answer:
    every, own = _shares(data)
    return {"t": max(max(abs(part[v] - every[v]) for v in every) for part in own)}


CLOSE = Exercise(
    name="dc-03",
    kind="compute",
    title="How far from the whole table?",
    text="How far are the illnesses of the worst class from those of the whole table, all "
    "illnesses being equally far from each other (t-closeness)?",
    make=_people,
    right=lambda data: {"t": float(t_closeness(data["table"]).value)},
    mistakes={
        "sum of differences": Mistake(
            _twice, "You added all differences. What leaves one value arrives at another: halve it."
        ),
        "one value": Mistake(
            _largest_difference,
            "You took the largest single difference. All that has to be moved counts.",
        ),
        "best class": Mistake(
            lambda data: {"t": float(t_closeness(data["table"]).per_class.min())},
            "That is the closest class. The promise is that of the farthest.",
        ),
    },
)


def _uneven(rng: np.random.Generator) -> Data:
    most = int(rng.integers(7, 16))
    return {"table": one_class(["flu"] * most + ["asthma", "ulcer"]), "n": most + 2}


EXPLAIN = explain(
    "dc-04",
    "Three illnesses in the class",
    "All {n} people of this table look alike.",
    _uneven,
    [
        Statement(
            "Somebody who guesses the most frequent illness is right more often than not.",
            "As the class holds three illnesses, no guess is right more often than not.",
            "Count the most frequent illness: it fills more than half of the class.",
            lambda data: _counts(data)[0] > data["n"] / 2,
        ),
        Statement(
            "The class holds three illnesses, and yet they are not equally likely.",
            "Three illnesses make every guess from the class alone right in one of three cases.",
            "Only if all three were equally frequent. Count the most frequent one.",
            lambda data: _counts(data)[0] > _counts(data)[1] > 0,
        ),
        Statement(
            "It is 3-diverse by the number of different values, but not by entropy.",
            "It is 3-diverse by entropy, too.",
            "Entropy reaches 3 only where three values are equally frequent.",
            lambda data: entropy_diversity(data["table"]).value < 3,
        ),
        Statement(
            "Somebody who knows that a person does not have flu is left with two illnesses.",
            "Somebody who knows that a person does not have flu knows her illness.",
            "Take the rows with flu away: how many illnesses are left?",
            lambda data: len(_counts(data)) == 3,
        ),
    ],
)


def _to_group(rng: np.random.Generator) -> Data:
    counts = rng.permutation([4, 2, 1, 1])
    return {
        "illnesses": rng.permutation(np.repeat(["flu", "asthma", "ulcer", "gout"], counts)).tolist()
    }


def grouping(answer: Answer, n: int) -> list[int]:
    """The group of each of n records, as an answer gives it."""
    given = answer["groups"]
    good = isinstance(given, (list, tuple, np.ndarray)) and len(given) == n
    if not good or not all(isinstance(g, (int, np.integer)) and 0 <= g < n for g in given):
        raise RecordError(
            f"groups was given as {quoted(given)}; expected a list of {n} whole numbers, one for "
            "each record: the number of its group, from 0."
        )
    return [int(g) for g in given]


def _grouped(data: Data, groups: Sequence[int]) -> Microdata:
    return table({"Zip": [f"group {g}" for g in groups], "Illness": data["illnesses"]})


def _two_diverse(data: Data, answer: Answer) -> str | None:
    groups = grouping(answer, len(data["illnesses"]))
    if len(set(groups)) < 4:
        return "too few"
    value = frequency_diversity(_grouped(data, groups)).value
    return None if value >= 2 else "too frequent"


def _dealt(data: Data) -> Answer:
    """Sort by illness and deal: equal illnesses, four at most, come into different groups."""
    order = np.argsort(data["illnesses"], kind="stable")
    groups = np.empty(len(order), dtype=int)
    groups[order] = np.arange(len(order)) % 4
    return {"groups": groups.tolist()}


def _sorted_pairs(data: Data) -> Answer:
    order = np.argsort(data["illnesses"], kind="stable")
    groups = np.empty(len(order), dtype=int)
    groups[order] = np.arange(len(order)) // 2
    return {"groups": groups.tolist()}


BUILD = Exercise(
    name="dc-05",
    kind="build",
    title="Deal them out",
    text="Put the eight people into four groups such that no illness fills more than half of a "
    "group. Give the number of the group of each person, from 0.",
    make=_to_group,
    right=_dealt,
    mistakes={
        "too few": Mistake(lambda data: {"groups": [0] * 8}, "These are fewer than four groups."),
        "too frequent": Mistake(
            _sorted_pairs,
            "In some group one illness fills more than half. Deal the most frequent one out first.",
        ),
    },
    judge=_two_diverse,
)


def _values(answer: Answer, most: int) -> list[object]:
    given = answer["values"]
    if not isinstance(given, (list, tuple)) or not 1 <= len(given) <= most:
        raise RecordError(f"values was given as {quoted(given)}; expected a list of 1 to {most}.")
    return list(given)


def _against_distinct(data: Data, answer: Answer) -> str | None:
    made = one_class(_values(answer, 20))
    if distinct_diversity(made).value < data["ell"]:
        return "too few values"
    return None if entropy_diversity(made).value < 2 else "even enough"


DISPROVE = Exercise(
    name="dc-06",
    kind="disprove",
    title="Many values, little diversity",
    text='"A class with {ell} different values is 2-diverse by entropy." Disprove it: give the '
    "values of one class, 20 at most.",
    make=lambda rng: {"ell": int(rng.integers(3, 5))},
    right=lambda data: {"values": ["flu"] * 17 + [f"other {i}" for i in range(data["ell"] - 1)]},
    mistakes={
        "too few values": Mistake(
            lambda data: {"values": ["flu", "flu", "ulcer"]},
            "The class must hold as many different values as the sentence says.",
        ),
        "even enough": Mistake(
            lambda data: {"values": [f"value {i}" for i in range(data["ell"])]},
            "By entropy this class counts as 2 values or more. Make one value far more frequent.",
        ),
    },
    judge=_against_distinct,
)

EXERCISES = (READ, COMPUTE, CLOSE, EXPLAIN, BUILD, DISPROVE)
