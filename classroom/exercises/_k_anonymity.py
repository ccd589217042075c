"""Exercises on k-anonymity: who stands together, and what that does not promise."""

from __future__ import annotations

from itertools import product
from typing import Any, cast

import numpy as np

from verikit.alike import classes_of, grouped
from verikit.errors import RecordError, quoted
from verikit.exercises._draw import table, village
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.hierarchy import Hierarchy
from verikit.mask import generalize
from verikit.models import distinct_diversity, k_anonymity
from verikit.release import TableRelease
from verikit.table import Column, Microdata, Schema

__all__ = ["EXERCISES"]


def _people(rng: np.random.Generator) -> Data:
    return {"table": village(rng)}


def _class_of(data: Data) -> Answer:
    classes = classes_of(data["table"])
    return {"people": int(classes.sizes[classes.labels[data["person"]]])}


def _by_age_only(data: Data) -> Answer:
    age = data["table"].frame["Age"]
    return {"people": int((age == age.iloc[data["person"]]).sum())}


def _with_illness(data: Data) -> Answer:
    classes = grouped(data["table"].frame)
    return {"people": int(classes.sizes[classes.labels[data["person"]]])}


READ = Exercise(
    name="ka-01",
    kind="read",
    title="Who stands with this person?",
    text="A neighbour knows age and postal code of the person in row {person} (rows are counted "
    "from 0). How many people, she herself included, could it be?",
    make=lambda rng: {"table": village(rng), "person": int(rng.integers(24))},
    right=_class_of,
    mistakes={
        "one column": Mistake(
            _by_age_only, "You looked at the age alone. The neighbour knows the postal code, too."
        ),
        "illness known": Mistake(
            _with_illness,
            "You let the neighbour know the illness. Only age and postal code make a class.",
        ),
        "without her": Mistake(
            lambda data: {"people": _class_of(data)["people"] - 1},
            "You left her out. She is one of those it could be.",
        ),
    },
)


def _exposed(data: Data) -> Answer:
    sizes = classes_of(data["table"]).sizes
    one_value = distinct_diversity(data["table"]).per_class == 1
    return {
        "k": int(k_anonymity(data["table"]).value),
        "alone": int((sizes == 1).sum()),
        "open": int(sizes[one_value].sum()),
    }


def _one_at_a_time(data: Data) -> Answer:
    frame = data["table"].frame
    return {"k": int(min(frame[name].value_counts().min() for name in ("Age", "Zip")))}


COMPUTE = Exercise(
    name="ka-02",
    kind="compute",
    title="How exposed are they?",
    text="This table of your village was published without names. Age and postal code are known "
    "to any neighbour; the illness is not. Give k of the table, how many people are alone in "
    "their class, and for how many the illness lies open to a neighbour, alone or not.",
    make=_people,
    right=_exposed,
    mistakes={
        "number of classes": Mistake(
            lambda data: {"k": len(classes_of(data["table"]).sizes)},
            "That is how many classes there are. k is about the people in the smallest one.",
        ),
        "largest class": Mistake(
            lambda data: {"k": int(classes_of(data["table"]).sizes.max())},
            "You took the best hidden people. A promise to everybody must hold for the worst off.",
        ),
        "one column at a time": Mistake(
            _one_at_a_time,
            "You looked at one column at a time. The neighbour knows both at once.",
        ),
        "classes for people": Mistake(
            lambda data: {"open": int((distinct_diversity(data["table"]).per_class == 1).sum())},
            "You counted classes; count the people in them.",
        ),
        "only the lonely": Mistake(
            lambda data: {"open": _exposed(data)["alone"]},
            "The illness of people who are not alone may lie open, too: look at their classes.",
        ),
    },
)


def _safe_looking(rng: np.random.Generator) -> Data:
    data = {"table": village(rng, people=16, least=2, most=4)}
    return {**data, "k": int(k_anonymity(data["table"]).value)}


def _worst_share(data: Data) -> float:
    classes = classes_of(data["table"])
    ill = data["table"].frame["Illness"].to_numpy()
    cells = [ill[classes.labels == label] for label in range(len(classes.sizes))]
    return float(max(np.unique(cell, return_counts=True)[1].max() / len(cell) for cell in cells))


EXPLAIN = explain(
    "ka-03",
    "What does k promise?",
    "The table is {k}-anonymous.",
    _safe_looking,
    [
        Statement(
            "Everybody shares age and postal code with at least one other person.",
            "Somebody shares age and postal code with nobody.",
            "k is the size of the smallest class: with k above 1 nobody is alone in hers.",
            lambda data: data["k"] >= 2,
        ),
        Statement(
            "Somebody's illness can be known for certain.",
            "Nobody's illness can be known for certain.",
            "Look for a class in which all have the same illness: k says nothing about illnesses.",
            lambda data: distinct_diversity(data["table"]).value == 1,
        ),
        Statement(
            "Somebody can guess an illness from its class with a chance above 1/{k}.",
            "Whoever guesses an illness from the class is right with a chance of at most 1/{k}.",
            "1/k is the chance to pick her row. The illness may be shared by most of the class.",
            lambda data: _worst_share(data) > 1 / data["k"],
        ),
        Statement(
            "Some class has more than {k} people.",
            "No class has more than {k} people.",
            "k is the size of the smallest class, not of the largest.",
            lambda data: bool(classes_of(data["table"]).sizes.max() > data["k"]),
        ),
    ],
)


def _row(data: Data, answer: Answer) -> int:
    row = answer["row"]
    n = len(data["table"].frame)
    if (
        isinstance(row, (bool, np.bool_))
        or not isinstance(row, (int, np.integer))
        or not 0 <= row < n
    ):
        raise RecordError(f"row was given as {quoted(row)}; expected a row from 0 to {n - 1}.")
    return int(row)


def _kinds_of_rows(data: Data) -> tuple[Any, Any]:
    classes = classes_of(data["table"])
    one_value = distinct_diversity(data["table"]).per_class == 1
    return classes.sizes[classes.labels], one_value[classes.labels]


def _open_in_company(data: Data, answer: Answer) -> str | None:
    sizes, one_value = _kinds_of_rows(data)
    row = _row(data, answer)
    if sizes[row] == 1:
        return "alone"
    return None if one_value[row] else "still mixed"


def _first(flags: Any) -> Answer:
    found = np.flatnonzero(flags)
    return {"row": int(found[0]) if len(found) else None}


BREAK = Exercise(
    name="ka-04",
    kind="break",
    title="Open in company",
    text="Find a row (counted from 0) whose person is not alone in her class, but whose "
    "illness a neighbour still knows for certain.",
    make=_people,
    right=lambda data: _first((_kinds_of_rows(data)[0] > 1) & _kinds_of_rows(data)[1]),
    mistakes={
        "alone": Mistake(
            lambda data: _first(_kinds_of_rows(data)[0] == 1),
            "She is alone in her class. Find somebody who has company and is open nevertheless.",
        ),
        "still mixed": Mistake(
            lambda data: _first(~_kinds_of_rows(data)[1]),
            "Her class holds more than one illness, so the neighbour has to guess.",
        ),
    },
    judge=_open_in_company,
)

AGE = Hierarchy.of({"any": {"young": ["20-29", "30-39"], "older": ["40-49", "50-59"]}})
ZIP = Hierarchy.of({"any": {"101*": ["1011", "1012"], "102*": ["1021", "1022"]}})


def _k_at(data: Microdata, age: int, code: int) -> int:
    release = generalize(data, levels={"Age": age, "Zip": code}, seed=0).release
    return int(k_anonymity(cast("TableRelease", release)).value)


def _whole_columns(rng: np.random.Generator) -> Data:
    columns = {
        "Age": rng.choice(AGE.order(), 14),
        "Zip": rng.choice(ZIP.order(), 14),
        "Illness": rng.choice(["flu", "asthma", "ulcer"], 14),
    }
    schema = Schema(
        (
            Column("Age", kind="nominal", hierarchy=AGE),
            Column("Zip", kind="nominal", hierarchy=ZIP),
            Column("Illness", "sensitive", "nominal"),
        )
    )
    data = Microdata(table(columns).frame, schema)
    reached = {(age, code): _k_at(data, age, code) for age, code in product(range(3), repeat=2)}
    return {"table": data, "k": 2 + int(rng.integers(2)), "_reached": reached}


def _least_levels(data: Data) -> Answer:
    safe = [levels for levels, k in data["_reached"].items() if k >= data["k"]]
    best = min(safe, key=sum)
    return {"Age": best[0], "Zip": best[1]}


def _levels(data: Data, answer: Answer) -> str | None:
    levels = (answer["Age"], answer["Zip"])
    if list(levels) not in [list(node) for node in data["_reached"]]:
        raise RecordError(
            f"The levels were given as {quoted(levels)}; expected 0, 1 or 2 for each."
        )
    if data["_reached"][levels] < data["k"]:
        return "too low"
    return None if sum(levels) == sum(_least_levels(data).values()) else "too high"


BUILD = Exercise(
    name="ka-05",
    kind="build",
    title="As little as needed",
    text="Choose a level for Age (0 as it is, 1 young or older, 2 any) and for Zip (0 as it is, "
    "1 three digits, 2 any), so that the table is {k}-anonymous and the levels add up to as "
    "little as possible.",
    make=_whole_columns,
    right=_least_levels,
    mistakes={
        "too low": Mistake(
            lambda data: {"Age": 0, "Zip": 0},
            "Some class is still smaller than k: group by both generalized columns and count.",
        ),
        "too high": Mistake(
            lambda data: {"Age": 2, "Zip": 2},
            "That is enough, but so is a node with a smaller sum of levels.",
        ),
    },
    judge=_levels,
)


def _rows(answer: Answer, most: int) -> Microdata:
    rows = answer["rows"]
    good = isinstance(rows, (list, tuple)) and 2 <= len(rows) <= most
    if not good or not all(isinstance(row, (list, tuple)) and len(row) == 2 for row in rows):
        raise RecordError(
            f"rows was given as {quoted(rows)}; expected 2 to {most} pairs (postal code, illness)."
        )
    return table({"Zip": [str(z) for z, _ in rows], "Illness": [str(i) for _, i in rows]})


def _against_k(data: Data, answer: Answer) -> str | None:
    made = _rows(answer, data["k"] * 2)
    if k_anonymity(made).value < data["k"]:
        return "not anonymous"
    return None if distinct_diversity(made).value == 1 else "nobody open"


DISPROVE = Exercise(
    name="ka-06",
    kind="disprove",
    title="Anonymous, and known",
    text='"In a {k}-anonymous table nobody\'s illness can be known." Disprove it: give rows, pairs '
    "of a postal code (all that a neighbour knows) and an illness, such that the table is "
    "{k}-anonymous and somebody's illness is certain. Use at most twice {k} rows.",
    make=lambda rng: {"k": int(rng.integers(2, 6))},
    right=lambda data: {"rows": [("1010", "flu")] * data["k"]},
    mistakes={
        "not anonymous": Mistake(
            lambda data: {"rows": [("1010", "flu"), ("1020", "flu")]},
            "Your table is not k-anonymous: each postal code needs at least k rows.",
        ),
        "nobody open": Mistake(
            lambda data: {"rows": [("1010", f"illness {i}") for i in range(data["k"])]},
            "Each of your classes holds several illnesses, so nobody's is certain.",
        ),
    },
    judge=_against_k,
)

EXERCISES = (READ, COMPUTE, EXPLAIN, BREAK, BUILD, DISPROVE)
