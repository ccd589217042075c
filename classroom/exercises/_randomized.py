"""Exercises on random anonymization: one value of each record is drawn anew from its column."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import cast

import numpy as np

from verikit.errors import RecordError, quoted
from verikit.exercises._draw import table
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.mask import randomize
from verikit.models import conversion_chance, perturbation_diversity
from verikit.release import TableRelease
from verikit.table import Microdata
from verikit.utility import support_change

__all__ = ["EXERCISES"]

JOBS, LANDS = ("clerk", "banker", "welder", "nurse"), ("USA", "India", "Spain")


def _workers(rng: np.random.Generator, n: int = 12) -> Microdata:
    columns = {"Job": rng.choice(JOBS, n, p=[0.4, 0.3, 0.2, 0.1])}
    columns["Land"] = rng.choice(LANDS, n, p=[0.5, 0.3, 0.2])
    return table({**columns, "Age": rng.choice(["20-29", "30-39"], n, p=[0.6, 0.4])}, "none")


def _changed_row(rng: np.random.Generator) -> Data:
    data = _workers(rng)
    before = data.record(int(rng.integers(12)))
    others = sorted(set(data.frame["Job"]) - {before["Job"]})
    after = {**before, "Job": str(rng.choice(others))} if others else before
    return {"table": data, "before": before, "after": after}


def _share(data: Data, name: str, value: object) -> float:
    return float((data["table"].frame[name] == value).mean())


def _converted(data: Data) -> Answer:
    chance = conversion_chance(data["table"], data["before"], data["after"])
    return {"chance": float(chance)}


READ = Exercise(
    name="ra-01",
    kind="read",
    title="From this row to that",
    text="One of the three columns of each record is chosen, all being equally likely, and its "
    "value is drawn anew from the values of that column. How likely does the record {before} come "
    "out as {after}?",
    make=_changed_row,
    right=_converted,
    mistakes={
        "column chosen for sure": Mistake(
            lambda data: {"chance": _share(data, "Job", data["after"]["Job"])},
            "You took for granted that the job is the column that was chosen.",
        ),
        "all values equally likely": Mistake(
            lambda data: {"chance": 1 / 3 / data["table"].frame["Job"].nunique()},
            "The new value is drawn from the column as it is: frequent values come more often.",
        ),
        "another value for sure": Mistake(
            lambda data: {
                "chance": _converted(data)["chance"]
                / (1 - _share(data, "Job", data["before"]["Job"]))
            },
            "You left out that the old value may be drawn again.",
        ),
    },
)


def _unchanged(data: Data) -> float:
    return float(perturbation_diversity(data["table"], probabilities="equal").unchanged)


def _diversity(data: Data) -> float:
    return float(perturbation_diversity(data["table"], probabilities="equal").value)


UNCHANGED = Exercise(
    name="ra-02",
    kind="compute",
    title="As it was",
    text="One of the three columns of each record, all being equally likely, is drawn anew from "
    "its values. What share of the records is expected to come out as it was?",
    make=lambda rng: {"table": _workers(rng)},
    right=lambda data: {"share": _unchanged(data)},
    mistakes={
        "one over the diversity": Mistake(
            lambda data: {"share": 1 / _diversity(data)},
            "That is one divided by the diversity of the changes, which is no chance of anything "
            "that you were asked for. Add up: each value may be drawn again.",
        ),
        "none": Mistake(
            lambda data: {"share": 0.0},
            "A drawn value may be the old one, so some stay as they were.",
        ),
        "two of three columns": Mistake(
            lambda data: {"share": 2 / 3},
            "That is the share of columns that are not drawn. Here whole records count.",
        ),
    },
)


def _pair(rng: np.random.Generator) -> Data:
    data = _workers(rng)
    record = data.record(int(rng.integers(12)))
    return {"table": data, "job": record["Job"], "land": record["Land"]}


def _support(data: Data) -> tuple[float, float, float]:
    found = support_change(data["table"], {"Job": data["job"], "Land": data["land"]})
    return float(found.support), float(found.expected), float(found.bias)


SUPPORT = Exercise(
    name="ra-03",
    kind="compute",
    title="What the analyst will count",
    text="One of the three columns of each record, all being equally likely, is drawn anew. What "
    "share of the released records is to be expected to have both job {job} and land {land}, and "
    "what is its relative bias, (expected - true) / true?",
    make=_pair,
    right=lambda data: {"expected": _support(data)[1], "bias": _support(data)[2]},
    mistakes={
        "as before": Mistake(
            lambda data: {"expected": _support(data)[0]},
            "That is the share before. Records lose the two values, and others gain them.",
        ),
        "as if independent": Mistake(
            lambda data: {
                "expected": _share(data, "Job", data["job"]) * _share(data, "Land", data["land"])
            },
            "You treated job and land as independent. Only one column is drawn; the other stays.",
        ),
        "losses only": Mistake(
            lambda data: {
                "expected": _support(data)[0]
                * (
                    1 / 3
                    + _share(data, "Job", data["job"]) / 3
                    + _share(data, "Land", data["land"]) / 3
                )
            },
            "You counted those who keep both values. Others come to have them by the draw.",
        ),
        "difference": Mistake(
            lambda data: {"bias": _support(data)[1] - _support(data)[0]},
            "That is the difference; relative means divided by the true share.",
        ),
    },
)


def _number(rng: np.random.Generator) -> Data:
    data = _workers(rng)
    found = perturbation_diversity(data, probabilities="equal")
    return {
        "table": data,
        "value": round(float(found.value), 1),
        "least": round(float(found.unchanged), 2),
    }


def _can_be_seen(data: Data) -> bool:
    """Whether a drawn value can make a row that the original does not hold."""
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
    "About so many what?",
    "One column of each record was drawn anew. The paper's measure, its \"probabilistic "
    'anonymity", is {value} for this table.',
    _number,
    [
        Statement(
            'Guessing "nothing changed" is right in a share of {least} of cases, far more often '
            "than 1 in {value}.",
            'Guessing "nothing changed" is right in 1 of {value} cases.',
            "Drawn values may be the old ones; compare with the share that stays as it was.",
            lambda data: _unchanged(data) > 1.2 / _diversity(data),
        ),
        Statement(
            "The measure is about changes of values: nobody need look like another person.",
            "Each person hides among {value} people.",
            "The measure counts changes, not people: nobody need look like her.",
        ),
        Statement(
            "Somebody who knows the whole original may see of a released row that it was changed.",
            "Nobody can ever see of a released row that it was changed.",
            "A row may come out with values that occur together nowhere in the original.",
            _can_be_seen,
        ),
        Statement(
            "Rows may come out as they were, although each has one column drawn anew.",
            "No row is as it was, for each has one column drawn anew.",
            "Drawn anew does not mean changed: the same value may come out.",
            lambda data: _unchanged(data) > 0,
        ),
    ],
)


def _released(rng: np.random.Generator) -> Data:
    data = _workers(rng)
    masked = randomize(data, probabilities="equal", seed=int(rng.integers(1000)))
    released = cast("TableRelease", masked.release)
    there = {tuple(row) for row in data.frame.to_numpy().tolist()}
    rows = [tuple(row) for row in released.frame[list(data.frame)].to_numpy().tolist()]
    new = [at for at, row in enumerate(rows) if row not in there]
    return {"original": data, "release": released, "_new": new}


def _row(data: Data, answer: Answer) -> str | None:
    row = answer["row"]
    if not isinstance(row, (int, np.integer)) or isinstance(row, bool) or not 0 <= row < 12:
        raise RecordError(f"row was given as {quoted(row)}; expected a row from 0 to 11.")
    return None if int(row) in data["_new"] else "was there"


BREAK = Exercise(
    name="ra-05",
    kind="break",
    title="Surely not as it was",
    text="Somebody knows the whole original. Give a row of the release (counted from 0) of which "
    "she knows for certain that one of its values was changed.",
    make=_released,
    right=lambda data: {"row": data["_new"][0] if data["_new"] else None},
    mistakes={
        "was there": Mistake(
            lambda data: {"row": next((i for i in range(12) if i not in data["_new"]), None)},
            "These values occur together in the original, so the row may be as it was.",
        ),
    },
    judge=_row,
)


def column_table(answer: Answer, part: str, n: int) -> Microdata:
    """A table of one column that an answer gives, of n values."""
    given = answer[part]
    if not isinstance(given, (list, tuple)) or len(given) != n:
        raise RecordError(f"{part} was given as {quoted(given)}; expected a list of {n} values.")
    return table({"Job": [str(value) for value in given]}, "none")


def _against_measure(data: Data, answer: Answer) -> str | None:
    made = perturbation_diversity(column_table(answer, "values", data["n"]), probabilities="equal")
    if made.value < 1.5:
        return "hardly diverse"
    return None if made.unchanged > 1 / made.value + 1e-9 else "even"


def _uneven(data: Data) -> Answer:
    """The first column by exhaustive search that shows it."""
    for values in combinations_with_replacement("abc", data["n"]):
        if _against_measure(data, {"values": list(values)}) is None:
            return {"values": list(values)}
    return {"values": None}


DISPROVE = Exercise(
    name="ra-06",
    kind="disprove",
    title="One over the measure",
    text='"Nobody guesses right more often than with a chance of one divided by the measure." '
    "Disprove it with a table of one column, which is always drawn anew: give {n} values such that "
    "the measure (verikit.models.perturbation_diversity) is at least 1.5 and the guess that "
    "nothing changed is right more often than one divided by it.",
    make=lambda rng: {"n": int(rng.integers(5, 9))},
    right=_uneven,
    mistakes={
        "hardly diverse": Mistake(
            lambda data: {"values": ["a"] * data["n"]}, "The measure of your column is below 1.5."
        ),
        "even": Mistake(
            lambda data: {"values": [str(i) for i in range(data["n"])]},
            "With equally frequent values the two are equal. Make some values more frequent.",
        ),
    },
    judge=_against_measure,
)

EXERCISES = (READ, UNCHANGED, SUPPORT, EXPLAIN, BREAK, DISPROVE)
