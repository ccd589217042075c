"""Exercises on k-anonymity: who stands together, and what that does not promise."""

from __future__ import annotations

from itertools import product
from typing import Any, cast

import numpy as np

import verikit as vk
from verikit.errors import RecordError, quoted
from verikit.exercises import _blocks as blocks
from verikit.exercises._exercise import Answer, Data, explain, pose
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


READ = pose(
    "ka-01",
    make=lambda rng: {"table": blocks.draw_village(rng), "person": int(rng.integers(24))},
    right=lambda data: {"people": int(look_at_rows(data)[0][data["person"]])},
    wrong=lambda data: {
        "one column": count_equal_rows(data, ["Age"]),
        "illness known": count_equal_rows(data, ["Age", "Zip", "Illness"]),
        "without her": {"people": data["_right"]["people"] - 1},
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


COMPUTE = pose("ka-02", make=draw_people, right=measure_exposure, wrong=mistake_exposure)


def draw_safe_village(rng: np.random.Generator) -> Data:
    """Draw a draw_village in which nobody is alone, with its k."""
    data = blocks.draw_village(rng, people=16, least=2, most=4)
    return {"table": data, "k": int(vk.models.k_anonymity(data).value)}


EXPLAIN = explain(
    "ka-03",
    draw_safe_village,
    {
        1: lambda data: data["k"] >= 2,
        2: lambda data: vk.models.distinct_diversity(data["table"]).value == 1,
        3: lambda data: vk.models.frequency_diversity(data["table"]).value < data["k"],
        4: lambda data: bool(classes_of(data["table"]).sizes.max() > data["k"]),
    },
)


def judge_company(data: Data, answer: Answer) -> str | None:
    """Tell whether a row is open though its person is not alone."""
    sizes, one_value = look_at_rows(data)
    row = blocks.read_row(answer, len(sizes))
    if sizes[row] == 1:
        return "alone"
    return None if one_value[row] else "still mixed"


BREAK = pose(
    "ka-04",
    make=draw_people,
    right=lambda data: blocks.first_row(
        np.logical_and(look_at_rows(data)[0] > 1, look_at_rows(data)[1])
    ),
    wrong=lambda data: {
        "alone": blocks.first_row(look_at_rows(data)[0] == 1),
        "still mixed": blocks.first_row(~look_at_rows(data)[1]),
    },
    judge=judge_company,
)

AGE = vk.Hierarchy.of({"any": {"young": ["20-29", "30-39"], "older": ["40-49", "50-59"]}})
ZIP = vk.Hierarchy.of({"any": {"101*": ["1011", "1012"], "102*": ["1021", "1022"]}})


def draw_with_trees(rng: np.random.Generator) -> vk.Microdata:
    """Draw fourteen people whose age and postal code have hierarchies of two levels."""
    columns = {
        "Age": rng.choice(AGE.order(), 14),
        "Zip": rng.choice(ZIP.order(), 14),
        "Illness": rng.choice(["flu", "asthma", "ulcer"], 14),
    }
    quasi = [
        vk.Column(name, kind="nominal", hierarchy=h) for name, h in (("Age", AGE), ("Zip", ZIP))
    ]
    schema = vk.Schema((*quasi, vk.Column("Illness", "sensitive", "nominal")))
    return vk.Microdata(blocks.make_table(columns).frame, schema)


def draw_recodable(rng: np.random.Generator) -> Data:
    """Draw a table with two hierarchies, and work out k at each pair of levels."""
    data, reached = draw_with_trees(rng), {}
    for age, code in product(range(3), repeat=2):
        release = vk.mask.generalize(data, levels={"Age": age, "Zip": code}, seed=0).release
        reached[age, code] = int(vk.models.k_anonymity(cast("vk.TableRelease", release)).value)
    return {"table": data, "k": 2 + int(rng.integers(2)), "_reached": reached}


def find_least_levels(data: Data) -> Answer:
    safe = [levels for levels, k in data["_reached"].items() if k >= data["k"]]
    best = min(safe, key=sum)
    return {"Age": best[0], "Zip": best[1]}


def read_levels(answer: Answer) -> tuple[int, int]:
    """Read a level of age and one of postal code."""
    levels = (answer["Age"], answer["Zip"])
    if list(levels) not in [list(node) for node in product(range(3), repeat=2)]:
        raise RecordError(
            f"The levels were given as {quoted(levels)}; expected 0, 1 or 2 for each."
        )
    return levels


def judge_levels(data: Data, answer: Answer) -> str | None:
    levels = read_levels(answer)
    if data["_reached"][levels] < data["k"]:
        return "too low"
    return None if sum(levels) == sum(find_least_levels(data).values()) else "too high"


BUILD = pose(
    "ka-05",
    make=draw_recodable,
    right=find_least_levels,
    wrong=lambda data: {"too low": {"Age": 0, "Zip": 0}, "too high": {"Age": 2, "Zip": 2}},
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


DISPROVE = pose(
    "ka-06",
    make=lambda rng: {"k": int(rng.integers(2, 6))},
    right=lambda data: {"rows": [("1010", "flu")] * data["k"]},
    wrong=lambda data: {
        "not anonymous": {"rows": [("1010", "flu"), ("1020", "flu")]},
        "nobody open": {"rows": [("1010", f"illness {i}") for i in range(data["k"])]},
    },
    judge=judge_open_table,
)
