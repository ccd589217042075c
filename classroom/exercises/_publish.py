"""The exercise whose answer is a function: publish so that a secret seed does not matter."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit._support.seed import generator
from verikit.errors import InfeasibleError
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake
from verikit.exercises._run import rows_made
from verikit.intruder import find_records, link, undo_pairs
from verikit.mask import noise
from verikit.protector import correct_links
from verikit.release import Key, Masked, TableRelease
from verikit.table import Column, Microdata, Schema
from verikit.utility import rank_correlation

__all__ = ["EXERCISES"]

PEOPLE, SEEDS = 120, 8
ALLOWED, KEPT = 25, 0.1  # luck finds 8 with eight seeds, and more than 25 in 4 of 10 million cases
NEAR = 2  # places; independent columns bring such a record to 10 of 8 x 120 people
ENOUGH = 4.0


def _people(rng: np.random.Generator) -> Data:
    drawn = rng.normal(size=(PEOPLE, 3)) + 0.7 * rng.normal(size=(PEOPLE, 1))
    values = np.asarray([170, 70, 70]) + drawn * [9, 12, 8]
    frame = pd.DataFrame(values, columns=["Height", "Weight", "Pulse"]).round(1)
    schema = Schema(tuple(Column(name, kind="numeric") for name in frame))
    told = {"original": Microdata(frame, schema), "allowed": ALLOWED, "kept": KEPT}
    return {**told, "_seeds": rng.integers(2**31, size=SEEDS).tolist()}


def _table(data: Data, rows: Floats) -> Microdata:
    original: Microdata = data["original"]
    return Microdata(pd.DataFrame(rows, columns=original.frame.columns), original.schema)


def _released(data: Data, rows: Floats) -> TableRelease:
    masked = _table(data, rows)
    return TableRelease.of(masked.frame, masked.schema)


def _linked(data: Data, rows: Floats) -> int:
    """How many people the attack on normal scores finds."""
    release, own = _released(data, rows), Key.of(range(PEOPLE))
    return int(correct_links(link(data["original"], release, attack="normal_scores"), own).count)


def _undone(data: Data, rows: Floats) -> int:
    """How many people undoing swapped pairs finds; none where no values were swapped."""
    release, own = _released(data, rows), Key.of(range(PEOPLE))
    with suppress(InfeasibleError):
        return int(correct_links(undo_pairs(data["original"], release), own).count)
    return 0


def _standing(data: Data, rows: Floats) -> int:
    """How many people's own record stands in the release, whoever it is said to belong to."""
    return find_records(data["original"], _released(data, rows), places=NEAR).count


def _left(data: Data, rows: Floats) -> float:
    """The rank correlation kept, in the mean of the columns; a column without order keeps none."""
    kept = np.nan_to_num(np.asarray(rank_correlation(data["original"], _table(data, rows)), float))
    return float(kept.mean())


def _holds(data: Data, answer: Answer) -> str | None:
    made = rows_made(answer["publish"], "publish", data["original"], data["_seeds"])
    if len({rows.tobytes() for rows in made}) < len(made):
        return "constant"
    linked = [_linked(data, rows) for rows in made]
    if sum(linked) > data["allowed"]:
        return "found"
    if sum(_standing(data, rows) for rows in made) > data["allowed"]:
        return "exchanged"
    undone = [_undone(data, rows) for rows in made]
    if sum(map(max, linked, undone)) > data["allowed"]:
        return "found"
    kept = np.mean([_left(data, rows) for rows in made])
    return None if kept >= data["kept"] else "nothing left"


def enough(data: Microdata, seed: int) -> Masked:
    """The reference: much noise, drawn anew with each seed."""
    return noise(data, scale=ENOUGH, seed=seed)


def _as_in_figure_2(data: Microdata, seed: int) -> Masked:
    return noise(data, scale=0.5, seed=seed)


def _one_seed(data: Microdata, seed: int) -> Masked:
    return noise(data, scale=ENOUGH, seed=1)


def _exchanged(data: Microdata, seed: int) -> Masked:
    """Whole records, each handed on to a person with nearly the same height."""
    n, rng = len(data), generator(seed)
    order = np.argsort(data.frame["Height"].to_numpy() + rng.random(n), kind="stable")
    source = np.empty(n, dtype=int)
    source[order] = np.roll(order, 1)
    handed = data.frame.iloc[source].reset_index(drop=True)
    return Masked(TableRelease.of(handed, data.schema), Key.of(range(n)))


def _dice(data: Microdata, seed: int) -> Masked:
    return noise(data, scale=1000, seed=seed)


def _gives(function: Any) -> Mistake:
    return Mistake(lambda data: {"publish": function}, HINTS[function])


HINTS = {
    _as_in_figure_2: "The attack finds far more people than luck would. One masking that looked "
    "well proves nothing for the next: draw links and order kept for several amounts.",
    _one_seed: "Some seeds give the same release: whoever runs your code has the key.",
    _exchanged: "No link is right, and yet the records themselves stand in the release: whoever "
    "knows a person finds hers there, whoever it is said to belong to.",
    _dice: "Nobody is found, and nothing is left: the analyst might as well throw dice.",
}

PUBLISH = Exercise(
    name="in-08",
    kind="build",
    title="Publish it",
    text="Write publish(data, seed), which masks the 120 people of original and returns what a "
    "mask of verikit returns, or a table with a row for each person in the same order. It is run "
    "with eight seeds that you do not know. The attacks normal_scores and undo_pairs may find at "
    "most {allowed} people in all eight together (luck finds 8). At most {allowed} people in all "
    "eight may have their own record in the release, within two places in every column, whoever it "
    "is said to belong to (find_records; luck gives 10). The columns must keep a rank "
    "correlation of {kept} in the mean. np, pd and vk are there; import what else you need inside.",
    make=_people,
    right=lambda data: {"publish": enough},
    mistakes={
        "constant": _gives(_one_seed),
        "found": _gives(_as_in_figure_2),
        "exchanged": _gives(_exchanged),
        "nothing left": _gives(_dice),
    },
    judge=_holds,
    points=5,
    code="publish",
)

EXERCISES = (PUBLISH,)
