"""Exercises on random anonymization: one value of each record is drawn anew from its column."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, cast

import numpy as np

import verikit as vk
from verikit.exercises._blocks import find_answer, first_row, make_table, read_list, read_row
from verikit.exercises._exercise import Answer, Data, explain, pose

JOBS, LANDS = ("clerk", "banker", "welder", "nurse"), ("USA", "India", "Spain")


def draw_workers(rng: np.random.Generator) -> vk.Microdata:
    """Draw twelve people with three columns."""
    columns = {"Job": rng.choice(JOBS, 12, p=[0.4, 0.3, 0.2, 0.1])}
    columns["Land"] = rng.choice(LANDS, 12, p=[0.5, 0.3, 0.2])
    return make_table({**columns, "Age": rng.choice(["20-29", "30-39"], 12, p=[0.6, 0.4])}, "none")


def draw_changed_row(rng: np.random.Generator) -> Data:
    """Draw a record, and the same with another job."""
    data = draw_workers(rng)
    before = data.record(int(rng.integers(12)))
    others = sorted(set(data.frame["Job"]) - {before["Job"]})
    after = {**before, "Job": str(rng.choice(others))} if others else before
    return {"table": data, "before": before, "after": after}


def find_share(data: Data, name: str, value: object) -> float:
    return float((data["table"].frame[name] == value).mean())


def mistake_conversion(data: Data) -> dict[str, Answer]:
    """Answer with a chance that forgets a draw."""
    kept = find_share(data, "Job", data["before"]["Job"])
    return {
        "column chosen for sure": {"chance": find_share(data, "Job", data["after"]["Job"])},
        "all values equally likely": {"chance": 1 / 3 / data["table"].frame["Job"].nunique()},
        "another value for sure": {"chance": data["_right"]["chance"] / (1 - kept)},
    }


READ = pose(
    "ra-01",
    make=draw_changed_row,
    right=lambda data: {
        "chance": float(vk.models.conversion_chance(data["table"], data["before"], data["after"]))
    },
    wrong=mistake_conversion,
)


def measure_changes(data: Data) -> Any:
    """Measure the changes of the table, all columns being equally likely."""
    return vk.models.perturbation_diversity(data["table"], probabilities="equal")


UNCHANGED = pose(
    "ra-02",
    make=lambda rng: {"table": draw_workers(rng)},
    right=lambda data: {"share": float(measure_changes(data).unchanged)},
    wrong=lambda data: {
        "one over the diversity": {"share": 1 / float(measure_changes(data).value)},
        "none": {"share": 0.0},
        "two of three columns": {"share": 2 / 3},
    },
)


def draw_pair(rng: np.random.Generator) -> Data:
    """Draw a job and a land that occur together."""
    data = draw_workers(rng)
    record = data.record(int(rng.integers(12)))
    return {"table": data, "job": record["Job"], "land": record["Land"]}


def work_out_support(data: Data) -> Answer:
    """Work out the support to be expected, and its bias."""
    found = vk.utility.support_change(data["table"], {"Job": data["job"], "Land": data["land"]})
    return {"expected": float(found.expected), "bias": float(found.bias)}


def mistake_support(data: Data) -> dict[str, Answer]:
    """Answer with the support before, or as only some of the draws would have it."""
    frame = data["table"].frame
    support = float(((frame["Job"] == data["job"]) & (frame["Land"] == data["land"])).mean())
    job, land = find_share(data, "Job", data["job"]), find_share(data, "Land", data["land"])
    return {
        "as before": {"expected": support},
        "as if independent": {"expected": job * land},
        "losses only": {"expected": support * (1 / 3 + job / 3 + land / 3)},
        "difference": {"bias": data["_right"]["expected"] - support},
    }


SUPPORT = pose("ra-03", make=draw_pair, right=work_out_support, wrong=mistake_support)


def draw_measured(rng: np.random.Generator) -> Data:
    """Draw a table, and measure its changes."""
    data = {"table": draw_workers(rng)}
    found = measure_changes(data)
    value, least = round(float(found.value), 1), round(float(found.unchanged), 2)
    return {**data, "value": value, "least": least}


def can_be_seen(data: Data) -> bool:
    """Tell whether a drawn value can make a row that the original does not hold."""
    rows = {tuple(row) for row in data["table"].frame.to_numpy().tolist()}
    columns = [set(column) for column in zip(*rows, strict=True)]
    changed = {
        (*row[:at], value, *row[at + 1 :])
        for row in rows
        for at, values in enumerate(columns)
        for value in values
    }
    return bool(changed - rows)


EXPLAIN = explain(
    "ra-04",
    draw_measured,
    {
        1: lambda data: measure_changes(data).unchanged > 1.2 / measure_changes(data).value,
        3: can_be_seen,
        4: lambda data: measure_changes(data).unchanged > 0,
    },
)


def draw_randomized(rng: np.random.Generator) -> Data:
    """Draw a release, and find its rows that the original does not hold."""
    data = draw_workers(rng)
    masked = vk.mask.randomize(data, probabilities="equal", seed=int(rng.integers(1000)))
    released = cast("vk.TableRelease", masked.release)
    there = {tuple(row) for row in data.frame.to_numpy().tolist()}
    rows = [tuple(row) for row in released.frame[list(data.frame)].to_numpy().tolist()]
    new = [at for at, row in enumerate(rows) if row not in there]
    return {"original": data, "release": released, "_new": new}


def judge_row(data: Data, answer: Answer) -> str | None:
    """Tell whether a row of the release is none of the original."""
    return None if read_row(answer, 12) in data["_new"] else "was there"


BREAK = pose(
    "ra-05",
    make=draw_randomized,
    right=lambda data: first_row(np.isin(np.arange(12), data["_new"])),
    wrong=lambda data: {"was there": first_row(~np.isin(np.arange(12), data["_new"]))},
    judge=judge_row,
)


def judge_column(data: Data, answer: Answer) -> str | None:
    """Tell whether a guess is right more often than one over the measure."""
    n = data["n"]
    values = read_list(answer, "values", lambda given: len(given) == n, f"a list of {n} values")
    column = make_table({"Job": [str(value) for value in values]}, "none")
    made = vk.models.perturbation_diversity(column, probabilities="equal")
    if made.value < 1.5:
        return "hardly diverse"
    return None if made.unchanged > 1 / made.value + 1e-9 else "even"


DISPROVE = pose(
    "ra-06",
    make=lambda rng: {"n": int(rng.integers(5, 9))},
    right=lambda data: find_answer(
        data,
        judge_column,
        ({"values": list(v)} for v in combinations_with_replacement("abc", data["n"])),
    ),
    wrong=lambda data: {
        "hardly diverse": {"values": ["a"] * data["n"]},
        "even": {"values": [str(i) for i in range(data["n"])]},
    },
    judge=judge_column,
)
