"""Exercises on anatomy and permutation anonymization: two tables joined by groups only."""

from __future__ import annotations

from itertools import product

import numpy as np

from verikit.alike import presence_chance, printed_chance
from verikit.analyst import Answer as Bounds
from verikit.analyst import Query, answer
from verikit.errors import RecordError, quoted
from verikit.exercises._diversity import grouping
from verikit.exercises._draw import table
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.intruder import value_chance
from verikit.mask import anatomize, permute_all
from verikit.models import frequency_diversity
from verikit.partition import Partition
from verikit.table import Microdata
from verikit.utility import rce

__all__ = ["EXERCISES"]

VALUES = ("flu", "cancer", "gastritis", "asthma", "ulcer")


def _patients(rng: np.random.Generator, sizes: tuple[int, ...]) -> tuple[Microdata, Partition]:
    n = sum(sizes)
    data = table(
        {
            "Age": rng.integers(4, 16, n) * 5,
            "Sex": rng.choice(["F", "M"], n),
            "Disease": rng.choice(VALUES, n, p=[0.3, 0.25, 0.2, 0.15, 0.1]),
        },
        "Disease",
    )
    return data, Partition.of(np.repeat(np.arange(len(sizes)), sizes).tolist())


def _anatomy(rng: np.random.Generator) -> Data:
    data, groups = _patients(rng, (5, 6))
    release = anatomize(data, partition=groups, seed=int(rng.integers(1000))).release
    person = data.record(int(rng.integers(11)))
    return {"release": release, "person": person, "disease": person["Disease"], "_data": data}


def _own(data: Data) -> Answer:
    at = _row_of(data)
    return {"chance": float(value_chance(data["_data"], data["release"]).own[at])}


def _row_of(data: Data) -> int:
    frame = data["_data"].frame
    fits = (frame["Age"] == data["person"]["Age"]) & (frame["Sex"] == data["person"]["Sex"])
    return int(np.flatnonzero(fits & (frame["Disease"] == data["disease"]))[0])


def _group_values(data: Data) -> Answer:
    rows = slice(0, 5) if _row_of(data) < 5 else slice(5, 11)
    return {"chance": 1 / data["_data"].frame["Disease"][rows].nunique()}


READ = Exercise(
    name="ap-01",
    kind="read",
    title="How likely is it hers?",
    text="Age and sex of a person are known: {person}. From the two tables of anatomy, how likely "
    "is it that her disease is {disease}, if she is in the table?",
    make=_anatomy,
    right=_own,
    mistakes={
        "one of the rows": Mistake(
            lambda data: {"chance": 1 / (5 if _row_of(data) < 5 else 6)},
            "You divided one by the size of the group. The disease may stand there several times.",
        ),
        "one of the values": Mistake(
            _group_values,
            "You counted each disease of the group once. They are not equally frequent.",
        ),
        "whole table": Mistake(
            lambda data: {
                "chance": float((data["_data"].frame["Disease"] == data["disease"]).mean())
            },
            "That is the share in the whole table. Her group is known.",
        ),
    },
)


def _asked(rng: np.random.Generator) -> Data:
    data, groups = _patients(rng, (5, 6))
    release = anatomize(data, partition=groups, seed=int(rng.integers(1000))).release
    low, disease = int(rng.integers(6, 11)) * 5, str(rng.choice(VALUES[:3]))
    return {"release": release, "low": low, "disease": disease, "_data": data}


def _bounds(data: Data) -> Bounds:
    query = Query.count({"Age": (data["low"], 200), "Disease": data["disease"]})
    return answer(query, data["release"])


def _counts(data: Data) -> tuple[list[int], list[int], list[int]]:
    frame = data["_data"].frame
    groups = [frame[:5], frame[5:]]
    old = [int((part["Age"] >= data["low"]).sum()) for part in groups]
    ill = [int((part["Disease"] == data["disease"]).sum()) for part in groups]
    return old, ill, [5, 6]


def _all_mixed(data: Data) -> Answer:
    old, ill, _ = _counts(data)
    return {"estimate": sum(old) * sum(ill) / 11}


def _lower_zero(data: Data) -> Answer:
    old, ill, _ = _counts(data)
    return {"upper": float(min(sum(old), sum(ill)))}


COMPUTE = Exercise(
    name="ap-02",
    kind="compute",
    title="Estimate, and what is certain",
    text="From the two tables: how many people of {low} years or more have {disease}? Give the "
    "estimate (every link inside a group equally likely) and the largest number that is possible.",
    make=_asked,
    right=lambda data: {
        "estimate": float(_bounds(data).estimate),
        "upper": float(_bounds(data).upper),
    },
    mistakes={
        "groups forgotten": Mistake(
            _all_mixed, "You mixed all people. Estimate in each group, and add the groups up."
        ),
        "bound of the whole": Mistake(
            _lower_zero,
            "That bound holds for the whole table. Each group has a bound of its own: add them.",
        ),
        "estimate as bound": Mistake(
            lambda data: {"upper": float(_bounds(data).estimate)},
            "That is what to expect. More is possible.",
        ),
    },
)


def _shuffled(rng: np.random.Generator) -> Data:
    data, groups = _patients(rng, (5, 6))
    release = permute_all(data, partition=groups, seed=int(rng.integers(1000))).release
    frame, at = data.frame, int(rng.integers(5))
    age, sex = int(frame["Age"][at]), str(frame["Sex"][at])
    there = frame["Age"][5:] == age
    counts = [int((frame["Age"][:5] == age).sum()), int((frame["Sex"][:5] == sex).sum())]
    return {
        "release": release, "age": age, "sex": sex, "_counts": counts, "_twice": bool(there.any()),
    }  # fmt: skip


def _present(data: Data) -> Answer:
    if data["_twice"]:
        return {"chance": None}  # her age stands in both groups: drawn again
    return {"chance": presence_chance(5, data["_counts"])}


PRESENCE = Exercise(
    name="ap-03",
    kind="compute",
    title="Is such a person there at all?",
    text="Each column was shuffled inside the groups. Somebody of {age} years and sex {sex} would "
    "have to be in the first group. How likely is it, seen from the tables, that some row of the "
    "original held both values?",
    make=_shuffled,
    right=_present,
    mistakes={
        "one given row": Mistake(
            lambda data: {"chance": float(np.prod([c / 5 for c in data["_counts"]]))},
            "That is the chance for one given row (the paper's Lemma 1). Any row may be it.",
        ),
        "certain": Mistake(
            lambda data: {"chance": 1.0},
            "Both values are there, but perhaps in different rows: they were shuffled apart.",
        ),
        "age only": Mistake(
            lambda data: {"chance": data["_counts"][0] / 5},
            "That is the share of one column. Count how often both may meet in a row.",
        ),
    },
)


def _group(rng: np.random.Generator) -> Data:
    sizes = (int(rng.integers(3, 7)), int(rng.integers(2, 6)))
    data, groups = _patients(rng, sizes)
    ages, sexes = (int(data.frame[c][: sizes[0]].nunique()) for c in ("Age", "Sex"))
    ill = data.frame["Disease"][: sizes[0]].nunique()
    release = permute_all(data, partition=groups, seed=1).release
    return {"release": release, "n": sizes[0], "_distinct": [ages, sexes], "_illnesses": int(ill)}


FORMULA = explain(
    "ap-04",
    "Formula (1)",
    "Every column was shuffled inside the groups. A neighbour knows that a woman is in the first "
    "group of {n} people, and asks for her disease. Formula (1) is the chance that the paper "
    "prints for it.",
    _group,
    [
        Statement(
            "How likely a disease is hers is its share in her group, as under anatomy.",
            "How likely a disease is hers is less than under anatomy, by the number of different "
            "ages and sexes, as printed.",
            "Add the printed chances of all her possible diseases up: they do not make 1.",
            lambda data: printed_chance(1, data["n"], data["_distinct"]) < 1 / data["n"],
        ),
        Statement(
            "The printed chances of all diseases of her group add up to less than 1.",
            "The printed chances of all diseases of her group add up to 1.",
            "The shares of the diseases add up to 1; the formula divides each of them once more.",
            lambda data: printed_chance(data["n"], data["n"], data["_distinct"]) < 1,
        ),
        Statement(
            "Her row need not be found: her disease is one of those of the group.",
            "Nothing can be said of her disease, for her row cannot be found any more.",
            "Her row is not needed: her disease is one of those of the group.",
        ),
        Statement(
            "Her disease is not certain, although the diseases were published as they are.",
            "Her disease is certain, for the diseases were published as they are.",
            "The group holds several diseases; which one is hers is open.",
            lambda data: data["_illnesses"] > 1,
        ),
    ],
)


def _to_deal(rng: np.random.Generator) -> Data:
    counts = rng.permutation([3, 3, 2, 1])
    diseases = rng.permutation(np.repeat(VALUES[:4], counts)).tolist()
    return {"diseases": diseases, "ell": 3}


def _dealt(data: Data) -> Answer:
    order = np.argsort(data["diseases"], kind="stable")
    groups = np.empty(9, dtype=int)
    groups[order] = np.arange(9) % 3
    return {"groups": groups.tolist()}


def _in_order(data: Data) -> Answer:
    order = np.argsort(data["diseases"], kind="stable")
    groups = np.empty(9, dtype=int)
    groups[order] = np.arange(9) // 3
    return {"groups": groups.tolist()}


def _diverse(data: Data, given: Answer) -> str | None:
    groups = grouping(given, 9)
    if len(set(groups)) < 3:
        return "too few groups"
    made = table({"Group": [str(g) for g in groups], "Disease": data["diseases"]}, "Disease")
    return None if frequency_diversity(made).value >= data["ell"] else "not diverse"


BUILD = Exercise(
    name="ap-05",
    kind="build",
    title="Deal by hand",
    text="Put the nine patients into three groups so that no disease fills more than one in {ell} "
    "of a group, as Algorithm 1 of the paper does. Give the number of each patient's group.",
    make=_to_deal,
    right=_dealt,
    mistakes={
        "too few groups": Mistake(
            lambda data: {"groups": [0] * 9}, "These are fewer than three groups."
        ),
        "not diverse": Mistake(
            _in_order,
            "In some group a disease is too frequent. Sort by disease and deal like cards, one by "
            "one to each group.",
        ),
    },
    judge=_diverse,
)


def _rows(given: Answer, n: int) -> Microdata:
    rows = given["rows"]
    good = isinstance(rows, (list, tuple)) and len(rows) == n
    if not good or not all(isinstance(row, (list, tuple)) and len(row) == 3 for row in rows):
        raise RecordError(
            f"rows was given as {quoted(rows)}; expected {n} triples (first value, second "
            "value, disease)."
        )
    first, second, disease = (["v" + str(row[at]) for row in rows] for at in range(3))
    return table({"A": first, "B": second, "Disease": disease}, "Disease")


def _against_theorem(data: Data, given: Answer) -> str | None:
    made = _rows(given, data["n"])
    if made.frame["Disease"].nunique() == 1:
        return "one disease"
    found = rce(made, Partition.of([0] * len(made.frame)))
    if found.total < found.bound - 1e-9:
        return None
    return "bound holds" if made.frame["Disease"].duplicated().any() else "no value repeats"


def _counterexample(data: Data) -> Answer:
    """The first group of people alike in nothing for which the bound fails, by trying them all."""
    for codes in product((0, 1), repeat=data["n"] - 1):
        diseases = (0, *codes)
        rows = [(i, i, disease) for i, disease in enumerate(diseases)]
        if _against_theorem(data, {"rows": rows}) is None:
            return {"rows": rows}
    return {"rows": None}


DISPROVE = Exercise(
    name="ap-06",
    kind="disprove",
    title="Theorem 2 of the paper",
    text='"The reconstruction error of a permuted group is never below the bound of Theorem 2." '
    "Disprove it: give the rows of one group, {n} triples (first value, second value, disease), "
    "with at least two diseases, for which verikit.utility.rce falls below the bound.",
    make=lambda rng: {"n": int(rng.integers(4, 7))},
    right=_counterexample,
    mistakes={
        "one disease": Mistake(
            lambda data: {"rows": [(i, i, "a") for i in range(data["n"])]},
            "Use at least two diseases.",
        ),
        "no value repeats": Mistake(
            lambda data: {"rows": [(i, i, f"d{i}") for i in range(data["n"])]},
            "Where no disease repeats, the theorem holds. Look at what the proof does with counts.",
        ),
        "bound holds": Mistake(
            lambda data: {"rows": [(1, 1, "b")] + [(1, 1, "a")] * (data["n"] - 1)},
            "Here the bound holds. Make the first two columns as different as you can.",
        ),
    },
    judge=_against_theorem,
)

EXERCISES = (READ, COMPUTE, PRESENCE, FORMULA, BUILD, DISPROVE)
