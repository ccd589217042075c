"""Exercises on k-anonymity: who stands together, and what that does not promise."""

from __future__ import annotations

from itertools import product
from typing import Any, cast

import numpy as np

import verikit as vk
from verikit.errors import RecordError, quoted
from verikit.exercises import _blocks as blocks
from verikit.exercises._exercise import Answer, Data, Exercise, Statement, explain
from verikit.matching import classes_of


def draw_people(rng: np.random.Generator) -> Data:
    """Draw a draw_village of 24 people."""
    return {"table": blocks.draw_village(rng)}


def look_at_rows(data: Data) -> tuple[Any, Any]:
    """Count by row the people of its class, and tell whether all of them have one illness."""
    labels, sizes = classes_of(data["table"]).labels, classes_of(data["table"]).sizes
    one_value = vk.models.distinct_diversity(data["table"]).per_class == 1
    return sizes[labels], one_value[labels]


def count_equal_rows(data: Data, columns: list[str]) -> Answer:
    """Count the people who equal hers in some columns."""
    frame = data["table"].frame[columns]
    return {"people": int((frame == frame.iloc[data["person"]]).all(axis=1).sum())}


READ = Exercise(
    name="ka-01",
    kind="read",
    title="Who stands with this person?",
    text="A neighbour knows age and postal code of the person in row {person} (rows are counted "
    "from 0). How many people, she herself included, could it be?",
    make=lambda rng: {"table": blocks.draw_village(rng), "person": int(rng.integers(24))},
    right=lambda data: {"people": int(look_at_rows(data)[0][data["person"]])},
    wrong=lambda data: {
        "one column": count_equal_rows(data, ["Age"]),
        "illness known": count_equal_rows(data, ["Age", "Zip", "Illness"]),
        "without her": {"people": data["_right"]["people"] - 1},
    },
    hints={
        "one column": "You looked at the age alone. The neighbour knows the postal code, too.",
        "illness known": "You let the neighbour know the illness. Only age and postal code make a "
        "class.",
        "without her": "You left her out. She is one of those it could be.",
    },
)


def measure_exposure(data: Data) -> Answer:
    """Measure k, and count who is alone and whose illness lies open."""
    sizes, one_value = look_at_rows(data)
    k = int(vk.models.k_anonymity(data["table"]).value)
    return {"k": k, "alone": int((sizes == 1).sum()), "open": int(one_value.sum())}


def mistake_exposure(data: Data) -> dict[str, Answer]:
    """Answer with what counts classes, the wrong class or one column."""
    frame, values = data["table"].frame, vk.models.distinct_diversity(data["table"]).per_class
    return {
        "number of classes": {"k": len(values)},
        "largest class": {"k": int(look_at_rows(data)[0].max())},
        "one column at a time": {
            "k": int(min(frame[c].value_counts().min() for c in ("Age", "Zip")))
        },
        "classes for people": {"open": int((values == 1).sum())},
        "only the lonely": {"open": data["_right"]["alone"]},
    }


COMPUTE = Exercise(
    name="ka-02",
    kind="compute",
    title="How exposed are they?",
    text="This table of your village was published without names. Age and postal code are known "
    "to any neighbour; the illness is not. Give k of the table, how many people are alone in "
    "their class, and for how many the illness lies open to a neighbour, alone or not.",
    make=draw_people,
    right=measure_exposure,
    wrong=mistake_exposure,
    hints={
        "number of classes": "That is how many classes there are. k is about the people in the "
        "smallest one.",
        "largest class": "You took the best hidden people. A promise to everybody must hold for "
        "the worst off.",
        "one column at a time": "You looked at one column at a time. The neighbour knows both at "
        "once.",
        "classes for people": "You counted classes; count the people in them.",
        "only the lonely": "The illness of people who are not alone may lie open, too: look at "
        "their classes.",
    },
)


def draw_safe_village(rng: np.random.Generator) -> Data:
    """Draw a draw_village in which nobody is alone, with its k."""
    data = blocks.draw_village(rng, people=16, least=2, most=4)
    return {"table": data, "k": int(vk.models.k_anonymity(data).value)}


EXPLAIN = explain(
    "ka-03",
    "What does k promise?",
    "The table is {k}-anonymous.",
    draw_safe_village,
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
            lambda data: vk.models.distinct_diversity(data["table"]).value == 1,
        ),
        Statement(
            "Somebody can guess an illness from its class with a chance above 1/{k}.",
            "Whoever guesses an illness from the class is right with a chance of at most 1/{k}.",
            "1/k is the chance to pick her row. The illness may be shared by most of the class.",
            lambda data: vk.models.frequency_diversity(data["table"]).value < data["k"],
        ),
        Statement(
            "Some class has more than {k} people.",
            "No class has more than {k} people.",
            "k is the size of the smallest class, not of the largest.",
            lambda data: bool(classes_of(data["table"]).sizes.max() > data["k"]),
        ),
    ],
)


def judge_company(data: Data, answer: Answer) -> str | None:
    """Tell whether a row is open though its person is not alone."""
    sizes, one_value = look_at_rows(data)
    row = blocks.read_row(answer, len(sizes))
    if sizes[row] == 1:
        return "alone"
    return None if one_value[row] else "still mixed"


BREAK = Exercise(
    name="ka-04",
    kind="break",
    title="Open in company",
    text="Find a row (counted from 0) whose person is not alone in her class, but whose "
    "illness a neighbour still knows for certain.",
    make=draw_people,
    right=lambda data: blocks.first_row(
        np.logical_and(look_at_rows(data)[0] > 1, look_at_rows(data)[1])
    ),
    wrong=lambda data: {
        "alone": blocks.first_row(look_at_rows(data)[0] == 1),
        "still mixed": blocks.first_row(~look_at_rows(data)[1]),
    },
    hints={
        "alone": "She is alone in her class. Find somebody who has company and is open "
        "nevertheless.",
        "still mixed": "Her class holds more than one illness, so the neighbour has to guess.",
    },
    judge=judge_company,
)

AGE = vk.Hierarchy.of({"any": {"young": ["20-29", "30-39"], "older": ["40-49", "50-59"]}})
ZIP = vk.Hierarchy.of({"any": {"101*": ["1011", "1012"], "102*": ["1021", "1022"]}})


def draw_recodable(rng: np.random.Generator) -> Data:
    """Draw a table with two hierarchies, and work out k at each pair of levels."""
    columns = {
        "Age": rng.choice(AGE.order(), 14),
        "Zip": rng.choice(ZIP.order(), 14),
        "Illness": rng.choice(["flu", "asthma", "ulcer"], 14),
    }
    quasi = [
        vk.Column(name, kind="nominal", hierarchy=h) for name, h in (("Age", AGE), ("Zip", ZIP))
    ]
    schema = vk.Schema((*quasi, vk.Column("Illness", "sensitive", "nominal")))
    data, reached = vk.Microdata(blocks.make_table(columns).frame, schema), {}
    for age, code in product(range(3), repeat=2):
        release = vk.mask.generalize(data, levels={"Age": age, "Zip": code}, seed=0).release
        reached[age, code] = int(vk.models.k_anonymity(cast("vk.TableRelease", release)).value)
    return {"table": data, "k": 2 + int(rng.integers(2)), "_reached": reached}


def find_least_levels(data: Data) -> Answer:
    safe = [levels for levels, k in data["_reached"].items() if k >= data["k"]]
    best = min(safe, key=sum)
    return {"Age": best[0], "Zip": best[1]}


def judge_levels(data: Data, answer: Answer) -> str | None:
    levels = (answer["Age"], answer["Zip"])
    if list(levels) not in [list(node) for node in data["_reached"]]:
        raise RecordError(
            f"The levels were given as {quoted(levels)}; expected 0, 1 or 2 for each."
        )
    if data["_reached"][levels] < data["k"]:
        return "too low"
    return None if sum(levels) == sum(find_least_levels(data).values()) else "too high"


BUILD = Exercise(
    name="ka-05",
    kind="build",
    title="As little as needed",
    text="Choose a level for Age (0 as it is, 1 young or older, 2 any) and for Zip (0 as it is, "
    "1 three digits, 2 any), so that the table is {k}-anonymous and the levels add up to as "
    "little as possible.",
    make=draw_recodable,
    right=find_least_levels,
    wrong=lambda data: {
        "too low": {"Age": 0, "Zip": 0},
        "too high": {"Age": 2, "Zip": 2},
    },
    hints={
        "too low": "Some class is still smaller than k: group by both generalized columns and "
        "count.",
        "too high": "That is enough, but so is a node with a smaller sum of levels.",
    },
    judge=judge_levels,
)


def judge_open_table(data: Data, answer: Answer) -> str | None:
    """Tell whether rows are k-anonymous, and yet an illness lies open."""
    most = data["k"] * 2
    rows = blocks.read_list(
        answer,
        "rows",
        lambda rows: 2 <= len(rows) <= most and blocks.are_tuples(rows, 2),
        f"2 to {most} pairs (postal code, illness)",
    )
    made = blocks.make_table(
        {"Zip": [str(z) for z, _ in rows], "Illness": [str(i) for _, i in rows]}
    )
    if vk.models.k_anonymity(made).value < data["k"]:
        return "not anonymous"
    return None if vk.models.distinct_diversity(made).value == 1 else "nobody open"


DISPROVE = Exercise(
    name="ka-06",
    kind="disprove",
    title="Anonymous, and known",
    text='"In a {k}-anonymous table nobody\'s illness can be known." Disprove it: give rows, pairs '
    "of a postal code (all that a neighbour knows) and an illness, such that the table is "
    "{k}-anonymous and somebody's illness is certain. Use at most twice {k} rows.",
    make=lambda rng: {"k": int(rng.integers(2, 6))},
    right=lambda data: {"rows": [("1010", "flu")] * data["k"]},
    wrong=lambda data: {
        "not anonymous": {"rows": [("1010", "flu"), ("1020", "flu")]},
        "nobody open": {"rows": [("1010", f"illness {i}") for i in range(data["k"])]},
    },
    hints={
        "not anonymous": "Your table is not k-anonymous: each postal code needs at least k rows.",
        "nobody open": "Each of your classes holds several illnesses, so nobody's is certain.",
    },
    judge=judge_open_table,
)
