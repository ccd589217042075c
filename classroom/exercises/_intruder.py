"""Exercises on the intruder: links, luck, and what a protector can publish."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any, cast

import numpy as np
import pandas as pd

import verikit as vk
from verikit.errors import RecordError
from verikit.exercises import _blocks as blocks
from verikit.exercises._exercise import Answer, Data, explain, is_number, pose


def draw_people(rng: np.random.Generator, n: int = 10, columns: str = "XYZ") -> vk.Microdata:
    """Draw people with numbers that are all different within a column."""
    return blocks.numeric_table({name: rng.permutation(n * 4)[:n] + 50 for name in columns})


def draw_masked(rng: np.random.Generator) -> Data:
    """Draw people and their masked records, without equal values in a column."""
    while True:
        data = draw_people(rng)
        release, key = vk.mask.noise(data, scale=0.5, seed=int(rng.integers(1000)))
        frame = cast("vk.TableRelease", release).frame.round(1)
        if all(blocks.are_different(frame[name]) for name in data.schema.names):
            published = vk.TableRelease.of(frame, data.schema)
            return {"original": data, "release": published, "_key": key}


def list_candidates(data: Data) -> list[list[int]]:
    """List by person the rows that the attack links her to, counted from 0."""
    links = vk.link(data["original"], data["release"], attack="maximum_rank")
    return [rows_of(links, person) for person in range(len(data["original"]))]


def rows_of(links: vk.Links, person: int) -> list[int]:
    """Give the candidates of a person; both are counted from 0."""
    return [int(row) - 1 for row in links.of(person)["row"]]


def draw_person(rng: np.random.Generator) -> Data:
    """Draw somebody with one link, and other rows by sums, by one column and by values."""
    while True:
        data = draw_masked(rng)
        telling = find_telling(data)
        if telling:
            return {**data, "person": telling[int(rng.integers(len(telling)))]}


def link_person(data: Data) -> Answer:
    """Answer with the only row that the attack links the person to."""
    rows = list_candidates(data)[data["person"]]
    return {"row": rows[0] if len(rows) == 1 else None}


def mistake_link(data: Data) -> dict[str, Answer]:
    """Answer with the rows that are closest in other ways."""
    ways = compare_ways(data)
    found = {key: {"row": int(way[data["person"]].argmin())} for key, way in ways.items()}
    del found["right"]
    return {**found, "from one": {"row": data["_right"]["row"] + 1}}


def compare_ways(data: Data) -> dict[str, Any]:
    """Measure in four ways how far each row is from each person."""
    own, rows = data["original"].frame, data["release"].frame[["X", "Y", "Z"]]
    places = np.abs(own.rank().to_numpy()[:, None] - rows.rank().to_numpy()[None])
    values = np.hypot.reduce(own.to_numpy()[:, None] - rows.to_numpy()[None], axis=2)
    return {
        "right": places.max(axis=2),
        "sum": places.sum(axis=2),
        "values": values,
        "one column": places[:, :, 0],
    }


def find_telling(data: Data) -> list[int]:
    """Find the people for whom each way to compare finds one row, and each another one."""
    found = []
    for way in compare_ways(data).values():
        nearest = way <= way.min(axis=1, keepdims=True) + blocks.ROUNDING
        found.append(np.where(nearest.sum(axis=1) == 1, nearest.argmax(axis=1), -1))
    rows = np.array(found).T.tolist()
    return [at for at, own in enumerate(rows) if min(own) >= 0 and len(set(own)) == len(own)]


READ = pose("in-01", make=draw_person, right=link_person, wrong=mistake_link)


def draw_with_key(rng: np.random.Generator) -> Data:
    """Draw a release with its key, and work out the candidates."""
    data = draw_masked(rng)
    key = np.asarray(data["_key"].places[""]).tolist()
    return {**data, "key": key, "_rows": list_candidates(data)}


def count_right_and_wrong(data: Data) -> Answer:
    """Count the people with their own row alone, and those without it."""
    found = list(zip(data["_rows"], data["key"], strict=True))
    right = sum(rows == [own] for rows, own in found)
    return {"right": right, "wrong": sum(own not in rows for rows, own in found)}


def mistake_counts(data: Data) -> dict[str, Answer]:
    """Answer with links that were not compared with the key, or not all of them."""
    both = zip(data["_rows"], data["key"], strict=True)
    single = [(rows[0], own) for rows, own in both if len(rows) == 1]
    return {
        "all single links": {"right": len(single)},
        "one candidate only": {"wrong": sum(row != own for row, own in single)},
        "right for wrong": {"wrong": 10 - data["_right"]["right"]},
        "by position": {"right": sum(rows == [at] for at, rows in enumerate(data["_rows"]))},
    }


COUNT = pose("in-02", make=draw_with_key, right=count_right_and_wrong, wrong=mistake_counts)


def try_orders(data: Data) -> Answer:
    """Count the right links in all orders of n rows: their mean, and how often there is one."""
    n = data["n"]
    right = [sum(at == to for at, to in enumerate(order)) for order in permutations(range(n))]
    # Orders without a right link are derangements; the mean is 1 whatever n is.
    some = sum(map(bool, right))
    return {"mean": sum(right) / len(right), "some": 1 - (len(right) - some) / len(right)}


def mistake_luck(data: Data) -> dict[str, Answer]:
    """Answer with one person's chance, with independent links and with none right."""
    n = data["n"]
    return {
        "share": {"mean": 1 / n},
        "as if independent": {"some": 1 - (1 - 1 / n) ** n},
        "none": {"some": 1 - data["_right"]["some"]},
    }


LUCK = pose(
    "in-03", make=lambda rng: {"n": int(rng.integers(4, 7))}, right=try_orders, wrong=mistake_luck
)


def draw_counted(rng: np.random.Generator) -> Data:
    """Draw a release, and count the people whom the attack finds."""
    data = draw_masked(rng)
    links = vk.link(data["original"], data["release"], attack="maximum_rank")
    found = vk.protector.correct_links(links, data["_key"])
    counted = {"count": int(found.count), "_more": bool(found.more_than_luck)}
    return {"original": data["original"], "release": data["release"], **counted}


EXPLAIN = explain(
    "in-04", draw_counted, {1: lambda data: data["_more"], 3: lambda data: data["count"] < 10}
)


def draw_swapped(rng: np.random.Generator) -> Data:
    """Draw a release of swapped pairs, and undo them."""
    data = draw_people(rng, 12)
    masked = vk.mask.rank_swap(data, percent=25, scheme="pairs", seed=int(rng.integers(1000)))
    release = cast("vk.TableRelease", masked.release)
    found = vk.intruder.undo_pairs(data, release)
    certain = np.flatnonzero([] if found.certain is None else found.certain).tolist()
    rows = [rows_of(found, at) for at in range(12)]
    drawn = {"original": data, "release": release, "_certain": certain}
    return {**drawn, "_rows": rows, "_key": masked.key}


def judge_pair(data: Data, answer: Answer) -> str | None:
    """Tell whether a row is a person's for certain."""
    person, row = answer["person"], answer["row"]
    for name, value in (("person", person), ("row", row)):
        if not is_number(value, whole=True) or not 0 <= value < 12:
            raise RecordError.given(name, value, "a whole number from 0 to 11")
    possible, certain = data["_rows"][int(person)], int(person) in data["_certain"]
    if row in possible:
        return None if certain and len(possible) == 1 else "not certain"
    return "from one" if certain and possible == [row - 1] else "impossible"


def find_pair(data: Data, verdict: str | None = None) -> Answer:
    """Search for the first pair that is judged so, trying all."""
    pairs = ({"person": person, "row": row} for person, row in product(range(12), repeat=2))
    return blocks.find_answer(data, judge_pair, pairs, verdict)


BREAK = pose(
    "in-05",
    make=draw_swapped,
    right=lambda data: find_pair(data) or {"person": None, "row": None},
    wrong=lambda data: {
        key: find_pair(data, key) for key in ("impossible", "not certain", "from one")
    },
    judge=judge_pair,
)


def judge_hiding(data: Data, answer: Answer) -> str | None:
    """Tell whether permuted columns hide the people and keep the order."""
    original, every = data["original"], sorted(map(str, range(8)))
    expected = "the rows 0 to 7 in some order: from which row each value comes"
    made = {}
    for part in ("X", "Y"):
        rows = blocks.read_list(
            answer, part, lambda rows: sorted(map(str, rows)) == every, expected
        )
        made[part] = original.frame[part].to_numpy()[[int(at) for at in rows]]
    masked = vk.Microdata(pd.DataFrame(made), original.schema)
    links = vk.link(original, blocks.as_release(masked), attack="maximum_rank")
    if vk.protector.correct_links(links, vk.Key.of(range(8))).count > data["most"]:
        return "found"
    kept = vk.utility.rank_correlation(original, masked)
    return None if float(kept.min()) >= data["kept"] else "nothing left"


def roll_ranks(data: Data, part: str) -> list[int]:
    """Take each value from the person four ranks away, round the ends."""
    order = np.argsort(data["original"].frame[part].to_numpy())
    source = np.empty(8, dtype=int)
    source[order] = np.roll(order, 4)
    return source.tolist()


def swap_ranks(data: Data, part: str, apart: int, first: int) -> list[int]:
    """Swap values of people some ranks apart, from a first rank on."""
    order = np.argsort(data["original"].frame[part].to_numpy()).tolist()
    source = list(range(8))
    for at in range(first, 8 - apart, 2 * apart):
        for step in range(min(apart, 8 - at - apart)):
            one, other = order[at + step], order[at + step + apart]
            source[one], source[other] = other, one
    return source


def find_swaps(data: Data) -> Answer:
    """Search for swaps in both columns that hide the people and keep the order."""
    answers = (
        {"X": swap_ranks(data, "X", apart, first), "Y": swap_ranks(data, "Y", other, second)}
        for apart, first, second, other in product((1, 2), (0, 1), (0, 1), (1, 2, 3))
    )
    return blocks.find_answer(data, judge_hiding, answers) or {"X": None, "Y": None}


BUILD = pose(
    "in-06",
    make=lambda rng: {"original": draw_people(rng, 8, "XY"), "most": 2, "kept": 0.3},
    right=find_swaps,
    wrong=lambda data: {
        "found": {"X": list(range(8)), "Y": list(range(8))},
        "nothing left": {"X": roll_ranks(data, "X"), "Y": roll_ranks(data, "Y")},
    },
    judge=judge_hiding,
)


def draw_column(rng: np.random.Generator) -> Data:
    """Draw a column, and how many of its links are to be right."""
    values = rng.permutation(np.arange(20, 60))[:6].tolist()
    return {"original": values, "right": int(rng.integers(2, 5))}


def judge_column(data: Data, answer: Answer) -> str | None:
    """Tell whether just so many links at distance 0 are right."""
    masked = blocks.read_list(
        answer,
        "masked",
        lambda values: len(values) == 6 and all(map(is_number, values)),
        "a list of 6 numbers",
    )
    if len(set(masked)) < 6:
        return "equal values"
    before, after = (
        blocks.numeric_table({"X": data["original"]}),
        blocks.numeric_table({"X": masked}),
    )
    right = vk.protector.correct_links(
        vk.link(before, blocks.as_release(after)), vk.Key.of(range(6))
    ).count
    if right == data["right"]:
        return None
    return "too many right" if right > data["right"] else "too few right"


def pass_some_on(data: Data) -> Answer:
    """Let the first people keep their value, and the others pass theirs on in a circle."""
    values, kept = data["original"], data["right"]
    return {"masked": [*values[:kept], *values[kept + 1 :], values[kept]]}


DISPROVE = pose(
    "in-07",
    make=draw_column,
    right=pass_some_on,
    wrong=lambda data: {
        "equal values": {"masked": [1, 1, 2, 3, 4, 5]},
        "too many right": {"masked": [value + 0.5 for value in data["original"]]},
        "too few right": {"masked": [-value for value in data["original"]]},
    },
    judge=judge_column,
    points=2,
)
