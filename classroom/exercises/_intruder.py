"""Exercises on the intruder: links, luck, and what a protector can publish."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any, cast

import numpy as np
import pandas as pd

from verikit.errors import RecordError, quoted
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.intruder import Links, link, undo_pairs
from verikit.mask import noise, rank_swap
from verikit.protector import correct_links
from verikit.release import Key, TableRelease
from verikit.table import Column, Microdata, Schema
from verikit.utility import rank_correlation

__all__ = ["EXERCISES"]


def people(
    rng: np.random.Generator, n: int = 10, columns: Sequence[str] = ("X", "Y", "Z")
) -> Microdata:
    """People with numbers that are all different within a column."""
    frame = pd.DataFrame({name: rng.permutation(n * 4)[:n] * 1.0 + 50 for name in columns})
    return Microdata(frame, Schema(tuple(Column(name, kind="numeric") for name in columns)))


def _masked(rng: np.random.Generator) -> Data:
    data = people(rng)
    release, key = noise(data, scale=0.5, seed=int(rng.integers(1000)))
    frame = cast("TableRelease", release).frame.round(1)
    published = TableRelease.of(frame, data.schema)
    return {"original": data, "release": published, "_key": key}


def _links(data: Data) -> Links:
    return link(data["original"], data["release"], attack="maximum_rank")


def _one_person(rng: np.random.Generator) -> Data:
    data = _masked(rng)
    return {**data, "person": int(rng.integers(10))}


def _ranks(frame: pd.DataFrame) -> Any:
    return frame.rank().to_numpy()


def _apart(data: Data) -> Any:
    """How many places each row is from the person, by column."""
    own = _ranks(data["original"].frame)[data["person"]]
    return np.abs(_ranks(data["release"].frame[["X", "Y", "Z"]]) - own)


def _linked(data: Data) -> Answer:
    rows = _links(data).of(data["person"])["row"].tolist()
    return {"row": int(rows[0]) if len(rows) == 1 else None}


READ = Exercise(
    name="in-01",
    kind="read",
    title="The paper's attack",
    text="The intruder knows the original, and compares ranks: the row whose worst column is the "
    "fewest places away is her link (maximum_rank). Which released row (counted from 1) does she "
    "link the person in row {person} of the original (the first is 0) to?",
    make=_one_person,
    right=_linked,
    mistakes={
        "sum": Mistake(
            lambda data: {"row": int(_apart(data).sum(axis=1).argmin()) + 1},
            "You added the places up. Her attack looks at the worst column.",
        ),
        "from zero": Mistake(
            lambda data: {"row": (data["_right"]["row"] or 0) - 1},
            "Released rows are counted from 1 here.",
        ),
        "one column": Mistake(
            lambda data: {"row": int(_apart(data)[:, 0].argmin()) + 1},
            "You looked at the first column alone.",
        ),
    },
)


def _found(data: Data) -> Answer:
    found = correct_links(_links(data), data["_key"])
    return {"right": int(found.count), "wrong": int(found.wrong)}


def _with_key(rng: np.random.Generator) -> Data:
    data = _masked(rng)
    return {**data, "key": np.asarray(data["_key"].places[""]).tolist()}


def _singles(data: Data) -> Answer:
    return {"right": int((_links(data).counts == 1).sum())}


COUNT = Exercise(
    name="in-02",
    kind="compute",
    title="Opening the key",
    text="The protector opens her key: the person in row i of the original became the released row "
    "that key lists at i, both from 0. Of the links of the attack maximum_rank, how many "
    "people have one candidate "
    "that is right, and how many have none right among their candidates? key {key}",
    make=_with_key,
    right=_found,
    mistakes={
        "all single links": Mistake(
            _singles, "You counted all links to one row. Compare them with the key."
        ),
        "right for wrong": Mistake(
            lambda data: {"wrong": 10 - _found(data)["right"]},
            "Some have several candidates with the right one among them: these are not wrong.",
        ),
        "by position": Mistake(
            lambda data: {"right": int(correct_links(_links(data), Key.of(range(10))).count)},
            "You took the rows as unmoved. The key says where each came from.",
        ),
    },
)


def _matching(rng: np.random.Generator) -> Data:
    n = int(rng.integers(4, 7))
    return {"n": n}


def _none_right(n: int) -> float:
    """The share of all orders of n rows in which no row is at its place, counted."""
    orders = list(permutations(range(n)))
    return sum(all(at != to for at, to in enumerate(order)) for order in orders) / len(orders)


def _mean_right(n: int) -> float:
    orders = list(permutations(range(n)))
    return sum(sum(at == to for at, to in enumerate(order)) for order in orders) / len(orders)


LUCK = Exercise(
    name="in-03",
    kind="compute",
    title="What luck gives",
    text="Somebody links {n} people to {n} rows, one row each, by drawing lots. How many of her "
    "links are right in the mean, and how likely is at least one right?",
    make=_matching,
    right=lambda data: {"mean": _mean_right(data["n"]), "some": 1 - _none_right(data["n"])},
    mistakes={
        "share": Mistake(
            lambda data: {"mean": 1 / data["n"]},
            "That is the chance of one person. Add it up over all of them.",
        ),
        "as if independent": Mistake(
            lambda data: {"some": 1 - (1 - 1 / data["n"]) ** data["n"]},
            "You let several people be linked to one row. Each row is used once here: count the "
            "orders without a right one.",
        ),
        "none": Mistake(
            lambda data: {"some": _none_right(data["n"])},
            "That is the chance that none is right.",
        ),
    },
)


def _counted(rng: np.random.Generator) -> Data:
    data = _masked(rng)
    found = correct_links(_links(data), data["_key"])
    return {"original": data["original"], "release": data["release"], "count": int(found.count),
            "_more": bool(found.more_than_luck), "_several": int(found.several)}  # fmt: skip


EXPLAIN = explain(
    "in-04",
    "What do right links mean?",
    "The protector's key says that the attack maximum_rank finds {count} of 10 people.",
    _counted,
    [
        Statement(
            "It is more than luck gives: at least {count} people can be found by who knows their "
            "values.",
            lambda data: data["_more"],
        ),
        Statement(
            "The intruder knows which {count} of her links are right.",
            lambda data: False,
            "She has no key: right and wrong links look alike to her.",
        ),
        Statement(
            "The others are safe.",
            lambda data: data["count"] == 10,
            "Another attack may find others. This one tells of itself only.",
        ),
        Statement(
            "It is what drawing lots would give.",
            lambda data: not data["_more"],
            "Drawing lots finds one person in the mean, however many there are.",
        ),
    ],
)


def _swapped(rng: np.random.Generator) -> Data:
    data = people(rng, 12)
    masked = rank_swap(data, percent=25, scheme="pairs", seed=int(rng.integers(1000)))
    release = cast("TableRelease", masked.release)
    found = undo_pairs(data, release)
    rows = np.asarray(found.certain) if found.certain is not None else np.zeros(12, dtype=bool)
    certain = np.flatnonzero(rows).tolist()
    told = {"original": data, "release": release, "_certain": certain, "_links": found}
    return {**told, "_key": masked.key}


def _pair(data: Data, answer: Answer) -> str | None:
    person, row = answer["person"], answer["row"]
    for name, value, low in (("person", person, 0), ("row", row, 1)):
        if not isinstance(value, (int, np.integer)) or not low <= value < 12 + low:
            raise RecordError(
                f"{name} was given as {quoted(value)}; expected a whole number from {low} to "
                f"{11 + low}."
            )
    possible = data["_links"].of(int(person))["row"].tolist()
    if int(row) not in possible:
        return "impossible"
    return None if int(person) in data["_certain"] and len(possible) == 1 else "not certain"


def _certain_pair(data: Data) -> Answer:
    for person in data["_certain"]:
        rows = data["_links"].of(person)["row"].tolist()
        if len(rows) == 1:
            return {"person": person, "row": int(rows[0])}
    return {"person": None, "row": None}


def _impossible_pair(data: Data) -> Answer:
    there = set(data["_links"].of(0)["row"].tolist())
    return {"person": 0, "row": next(row for row in range(1, 13) if row not in there)}


BREAK = Exercise(
    name="in-05",
    kind="break",
    title="Undo the pairs",
    text="The release was made by swapping each value with one at most a quarter of the ranks "
    "away, in pairs (verikit.intruder.undo_pairs). Give a person (row of the original, from 0) "
    "and the released row (from 1) that is hers for certain.",
    make=_swapped,
    right=_certain_pair,
    mistakes={
        "impossible": Mistake(
            _impossible_pair,
            "That row cannot be hers: some value would have come from too far away, or its partner "
            "is not there.",
        ),
    },
    judge=_pair,
)


def _to_publish(rng: np.random.Generator) -> Data:
    data = people(rng, 8, ("X", "Y"))
    return {"original": data, "most": 2, "kept": 0.3}


def _order(answer: Answer, part: str) -> list[int]:
    given = answer[part]
    if not isinstance(given, (list, tuple, np.ndarray)) or sorted(map(str, given)) != sorted(
        map(str, range(8))
    ):
        raise RecordError(
            f"{part} was given as {quoted(given)}; expected the rows 0 to 7 in some order: from "
            "which row each value comes."
        )
    return [int(at) for at in given]


def _judged(data: Data, answer: Answer) -> str | None:
    frame = data["original"].frame
    made = {part: frame[part].to_numpy()[_order(answer, part)] for part in ("X", "Y")}
    masked = Microdata(pd.DataFrame(made), data["original"].schema)
    release = TableRelease.of(masked.frame, masked.schema)
    found = correct_links(link(data["original"], release, attack="maximum_rank"), Key.of(range(8)))
    if found.count > data["most"]:
        return "found"
    kept = rank_correlation(data["original"], masked)
    return None if float(kept.min()) >= data["kept"] else "nothing left"


def _rolled(data: Data, part: str, shift: int) -> list[int]:
    """Each value from the person so many ranks away, round the ends."""
    order = np.argsort(data["original"].frame[part].to_numpy())
    source = np.empty(8, dtype=int)
    source[order] = np.roll(order, shift)
    return [int(at) for at in source]


def _swaps(data: Data, part: str, apart: int, first: int) -> list[int]:
    order = np.argsort(data["original"].frame[part].to_numpy()).tolist()
    source = list(range(8))
    for at in range(first, 8 - apart, 2 * apart):
        for step in range(min(apart, 8 - at - apart)):
            one, other = order[at + step], order[at + step + apart]
            source[one], source[other] = other, one
    return source


def _reference(data: Data) -> Answer:
    for apart in (1, 2):
        for first in ((0, 0), (0, 1), (1, 0), (1, 1)):
            for other in (1, 2, 3):
                answer = {"X": _swaps(data, "X", apart, first[0]),
                          "Y": _swaps(data, "Y", other, first[1])}  # fmt: skip
                if _judged(data, answer) is None:
                    return answer
    return {"X": None, "Y": None}


BUILD = Exercise(
    name="in-06",
    kind="build",
    title="Hide eight people",
    text="Permute both columns: for each of the 8 rows say from which row its value of X comes, "
    "and from which its value of Y. The attack maximum_rank must find at most {most} people (luck "
    "finds one), and each column must keep a rank correlation of at least {kept}.",
    make=_to_publish,
    right=_reference,
    mistakes={
        "found": Mistake(
            lambda data: {"X": list(range(8)), "Y": list(range(8))},
            "The attack still finds more people than allowed. Each must look like another.",
        ),
        "nothing left": Mistake(
            lambda data: {"X": _rolled(data, "X", 4), "Y": _rolled(data, "Y", 4)},
            "People are hidden, but the order is gone: an analyst might as well throw dice.",
        ),
    },
    judge=_judged,
)


def _table(answer: Answer, part: str) -> list[float]:
    given = answer[part]
    good = isinstance(given, (list, tuple)) and 3 <= len(given) <= 6
    if not good or not all(isinstance(v, (int, float)) and np.isfinite(v) for v in given):
        raise RecordError(
            f"{part} was given as {quoted(given)}; expected a list of 3 to 6 numbers."
        )
    return [float(v) for v in given]


def _at_zero(data: Data, answer: Answer) -> str | None:
    original, masked = _table(answer, "original"), _table(answer, "masked")
    if len(original) != len(masked) or len(set(original)) < len(original):
        return "not comparable"
    schema = Schema((Column("X", kind="numeric"),))
    before = Microdata(pd.DataFrame({"X": original}), schema)
    found = link(before, TableRelease.of(pd.DataFrame({"X": masked}), schema))
    if not all(distance == 0 for distance in found.distances.tolist()):
        return "not at zero"
    right = correct_links(found, Key.of(range(len(original))))
    return None if right.count <= len(original) - data["wrong"] else "right"


DISPROVE = Exercise(
    name="in-07",
    kind="disprove",
    title="A match at distance 0 is right?",
    text='"A link at distance 0 is always right." Disprove it with one column: give two lists of 3 '
    "to 6 numbers, original and masked, row by row the same people, such that everybody's link is "
    "at distance 0 and at least {wrong} links are not right.",
    make=lambda rng: {"wrong": int(rng.integers(2, 4))},
    right=lambda data: {"original": [1.0, 2.0, 3.0, 4.0], "masked": [2.0, 1.0, 4.0, 3.0]},
    mistakes={
        "not comparable": Mistake(
            lambda data: {"original": [1.0, 1.0, 1.0], "masked": [1.0, 2.0, 3.0]},
            "Give as many masked as original values, and different original ones.",
        ),
        "right": Mistake(
            lambda data: {"original": [1.0, 2.0, 3.0], "masked": [1.1, 2.1, 3.1]},
            "Here the links are right. Let people change places.",
        ),
    },
    judge=_at_zero,
)

EXERCISES = (READ, COUNT, LUCK, EXPLAIN, BREAK, BUILD, DISPROVE)
