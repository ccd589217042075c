"""Exercises on the intruder: links, luck, and what a protector can publish."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any, cast

import numpy as np
import pandas as pd

from verikit.errors import RecordError, quoted
from verikit.exercises._draw import FROM_ONE, NEAR, different
from verikit.exercises._exercise import (
    Answer,
    Data,
    Exercise,
    Mistake,
    Statement,
    explain,
    is_number,
)
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
    """People and their masked records, without equal values in a column."""
    while True:
        data = people(rng)
        release, key = noise(data, scale=0.5, seed=int(rng.integers(1000)))
        frame = cast("TableRelease", release).frame.round(1)
        if all(different(frame[name]) for name in data.schema.names):
            published = TableRelease.of(frame, data.schema)
            return {"original": data, "release": published, "_key": key}


def _links(data: Data) -> Links:
    return link(data["original"], data["release"], attack="maximum_rank")


def _one_person(rng: np.random.Generator) -> Data:
    """Somebody with one link, and other rows by sums, by one column and by values."""
    while True:
        data = _masked(rng)
        told = [at for at, telling in enumerate(_telling(data)) if telling]
        if told:
            return {**data, "person": told[int(rng.integers(len(told)))]}


def _telling(data: Data) -> list[bool]:
    """By person whether each way to compare finds one row, and each another one."""
    apart, ways = _apart(data), []
    for way in (apart.max(axis=2), apart.sum(axis=2), apart[:, :, 0], _by_value(data)):
        nearest = way <= way.min(axis=1, keepdims=True) + NEAR
        ways.append(np.where(nearest.sum(axis=1) == 1, nearest.argmax(axis=1), -1))
    return [min(rows) >= 0 and len(set(rows)) == len(rows) for rows in np.array(ways).T.tolist()]


def _ranks(frame: pd.DataFrame) -> Any:
    return frame.rank().to_numpy()


def _apart(data: Data) -> Any:
    """How many places each row is from each person, by column."""
    own, rows = _ranks(data["original"].frame), _ranks(data["release"].frame[["X", "Y", "Z"]])
    return np.abs(own[:, None] - rows[None])


def _by_value(data: Data) -> Any:
    """How far each row is from each person, straight through the values."""
    own, rows = data["original"].frame.to_numpy(), data["release"].frame[["X", "Y", "Z"]].to_numpy()
    return np.hypot.reduce(own[:, None] - rows[None], axis=2)


def _nearest(data: Data, way: Any) -> Answer:
    return {"row": int(way[data["person"]].argmin())}


def _rows_of(links: Links, person: int) -> list[int]:
    """The candidates of a person; both are counted from 0."""
    return [int(row) - 1 for row in links.of(person)["row"]]


def _linked(data: Data) -> Answer:
    rows = _rows_of(_links(data), data["person"])
    return {"row": rows[0] if len(rows) == 1 else None}


READ = Exercise(
    name="in-01",
    kind="read",
    title="The paper's attack",
    text="The intruder knows the original, and compares ranks: the row whose worst column is the "
    "fewest places away is her link (maximum_rank). Which released row does she link the person in "
    "row {person} of the original to? The rows of both tables are counted from 0.",
    make=_one_person,
    right=_linked,
    mistakes={
        "sum": Mistake(
            lambda data: _nearest(data, _apart(data).sum(axis=2)),
            "You added the places up. Her attack looks at the worst column.",
        ),
        "values": Mistake(
            lambda data: _nearest(data, _by_value(data)),
            "You compared values. Her attack compares ranks.",
        ),
        "from one": Mistake(lambda data: {"row": (data["_right"]["row"] or 0) + 1}, FROM_ONE),
        "one column": Mistake(
            lambda data: _nearest(data, _apart(data)[:, :, 0]),
            "You looked at the first column alone.",
        ),
    },
)


def _found(data: Data) -> Answer:
    found = list(zip(data["_rows"], data["key"], strict=True))
    right = sum(rows == [own] for rows, own in found)
    return {"right": right, "wrong": sum(own not in rows for rows, own in found)}


def _with_key(rng: np.random.Generator) -> Data:
    data = _masked(rng)
    links, key = _links(data), np.asarray(data["_key"].places[""]).tolist()
    return {**data, "key": key, "_rows": [_rows_of(links, at) for at in range(10)]}


def _singles(data: Data) -> list[tuple[int, int]]:
    """By person with one candidate: that row, and her own."""
    both = zip(data["_rows"], data["key"], strict=True)
    return [(rows[0], own) for rows, own in both if len(rows) == 1]


COUNT = Exercise(
    name="in-02",
    kind="compute",
    title="Opening the key",
    text="The protector opens her key: the person in row i of the original became the released row "
    "that key lists at i (rows are counted from 0). By the attack maximum_rank, how many people "
    "have their own row as their only candidate (right), and how many do not have it among their "
    "candidates at all, one or several (wrong)? key {key}",
    make=_with_key,
    right=_found,
    mistakes={
        "all single links": Mistake(
            lambda data: {"right": len(_singles(data))},
            "You counted all links to one row. Compare them with the key.",
        ),
        "one candidate only": Mistake(
            lambda data: {"wrong": sum(row != own for row, own in _singles(data))},
            "You left out people with several candidates, none of which is their own row.",
        ),
        "right for wrong": Mistake(
            lambda data: {"wrong": 10 - _found(data)["right"]},
            "Some have several candidates with the right one among them: these are not wrong.",
        ),
        "by position": Mistake(
            lambda data: {"right": sum(rows == [at] for at, rows in enumerate(data["_rows"]))},
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
            "It is more than luck gives: anyone who knows their values can find {count} people.",
            "It is what random links would give.",
            "Random links find one person on average, however many there are.",
            lambda data: data["_more"],
        ),
        Statement(
            "The intruder cannot tell which {count} of her links are right.",
            "The intruder knows which {count} of her links are right.",
            "She has no key: right and wrong links look alike to her.",
        ),
        Statement(
            "Another attack may find some of the others.",
            "The others are safe.",
            "Another attack may find others. This one tells of itself only.",
            lambda data: data["count"] < 10,
        ),
        Statement(
            "Random links, one row each, would find one person on average.",
            "Random links, one row each, would find a tenth of the people, however many there are.",
            "Each of n people has a chance of 1 in n: that makes one person on average.",
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
    told = {"original": data, "release": release, "_certain": certain}
    return {**told, "_rows": [_rows_of(found, at) for at in range(12)], "_key": masked.key}


def _pair(data: Data, answer: Answer) -> str | None:
    person, row = answer["person"], answer["row"]
    for name, value in (("person", person), ("row", row)):
        if not is_number(value, whole=True) or not 0 <= value < 12:
            raise RecordError(
                f"{name} was given as {quoted(value)}; expected a whole number from 0 to 11."
            )
    possible, certain = data["_rows"][int(person)], int(person) in data["_certain"]
    if row in possible:
        return None if certain and len(possible) == 1 else "not certain"
    return "from one" if certain and possible == [row - 1] else "impossible"


def _certain_pair(data: Data) -> Answer:
    for person in data["_certain"]:
        if len(data["_rows"][person]) == 1:
            return {"person": person, "row": data["_rows"][person][0]}
    return {"person": None, "row": None}


def _first_pair(data: Data, mistake: str) -> Answer:
    """The first pair, trying all, that is wrong in one way; nothing if none is."""
    pairs = ({"person": person, "row": row} for person in range(12) for row in range(12))
    return next((pair for pair in pairs if _pair(data, pair) == mistake), {})


BREAK = Exercise(
    name="in-05",
    kind="break",
    title="Undo the pairs",
    text="The release was made by swapping each value with one at most a quarter of the ranks "
    "away, in pairs (verikit.intruder.undo_pairs). Give a person (row of the original) and the "
    "released row that is hers for certain. The rows of both tables are counted from 0.",
    make=_swapped,
    right=_certain_pair,
    mistakes={
        "impossible": Mistake(
            lambda data: _first_pair(data, "impossible"),
            "That row cannot be hers: some value would have come from too far away, or its partner "
            "is not there.",
        ),
        "not certain": Mistake(
            lambda data: _first_pair(data, "not certain"),
            "That row may be hers, but others may be as well. Find somebody with one row only.",
        ),
        "from one": Mistake(lambda data: _first_pair(data, "from one"), FROM_ONE),
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
    text="Permute both columns: for each of the 8 rows say from which row (counted from 0) its "
    "value of X comes, and from which its value of Y. The attack maximum_rank must find at most "
    "{most} people (luck finds one), and each column must keep a rank correlation of at least "
    "{kept}.",
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


def _column(rng: np.random.Generator) -> Data:
    values = rng.permutation(np.arange(20, 60))[:6].tolist()
    return {"original": values, "right": int(rng.integers(2, 5))}


def _at_zero(data: Data, answer: Answer) -> str | None:
    masked = answer["masked"]
    good = isinstance(masked, (list, tuple)) and len(masked) == 6
    if not good or not all(map(is_number, masked)):
        raise RecordError(f"masked was given as {quoted(masked)}; expected a list of 6 numbers.")
    if len(set(masked)) < 6:
        return "equal values"
    schema = Schema((Column("X", kind="numeric"),))
    before = Microdata(pd.DataFrame({"X": data["original"]}, dtype=float), schema)
    released = TableRelease.of(pd.DataFrame({"X": masked}, dtype=float), schema)
    right = correct_links(link(before, released), Key.of(range(6))).count
    if right == data["right"]:
        return None
    return "too many right" if right > data["right"] else "too few right"


def _some_moved(data: Data) -> Answer:
    """The first people keep their value, the others pass theirs on in a circle."""
    values, kept = data["original"], data["right"]
    return {"masked": [*values[:kept], *values[kept + 1 :], values[kept]]}


DISPROVE = Exercise(
    name="in-07",
    kind="disprove",
    title="A match at distance 0 is right?",
    text='"A link at distance 0 is always right." Disprove it with one column of six people: '
    "{original}. Give masked, six different numbers for the same people in the same order. Then "
    "everybody's link by rank is at distance 0; let exactly {right} of the six links be right.",
    make=_column,
    right=_some_moved,
    mistakes={
        "equal values": Mistake(
            lambda data: {"masked": [1, 1, 2, 3, 4, 5]},
            "Give different values, so that each has a rank of its own.",
        ),
        "too many right": Mistake(
            lambda data: {"masked": [value + 0.5 for value in data["original"]]},
            "More of the links are right. Let people change places.",
        ),
        "too few right": Mistake(
            lambda data: {"masked": [-value for value in data["original"]]},
            "Fewer of the links are right. Let some people keep their place.",
        ),
    },
    judge=_at_zero,
    points=2,
)

EXERCISES = (READ, COUNT, LUCK, EXPLAIN, BREAK, BUILD, DISPROVE)
