"""Exercises on checking one's own record: what a person can learn, and what she cannot."""

from __future__ import annotations

from typing import cast

import numpy as np
import pandas as pd

import verikit as vk
from verikit._support.arrays import Floats
from verikit.errors import RecordError
from verikit.exercises import _blocks as blocks
from verikit.exercises._exercise import Answer, Data, Exercise, Statement, explain, is_number

NAMES = ("Height", "Weight", "Pulse")
MEANS, SPREADS = (170.0, 70.0, 75.0), (10.0, 12.0, 3.0)


def draw_release(rng: np.random.Generator, n: int = 12) -> Data:
    """Draw a release without ties, and somebody whose closest row no wrong way finds."""
    while True:
        data = blocks.numeric_table(
            {
                name: np.round(rng.normal(mean, spread, n), 1)
                for name, mean, spread in zip(NAMES, MEANS, SPREADS, strict=True)
            }
        )
        masked = vk.mask.noise(data, scale=0.6, seed=int(rng.integers(1000)))
        frame = cast("vk.TableRelease", masked.release).frame.round(1)
        values, people = frame[list(NAMES)].to_numpy(), data.frame.to_numpy()
        order = rng.permutation(n).tolist() if all(map(blocks.are_different, values.T)) else []
        for at in order:
            if tells_ways_apart(values, people[at]):
                own = dict(zip(NAMES, people[at].tolist(), strict=True))
                return {"own": own, "published": vk.TableRelease.of(frame, data.schema)}


def tells_ways_apart(values: Floats, own: Floats) -> bool:
    """Tell whether no value is halfway, the closest row is one, and sums and values find others."""
    apart = np.sort(np.abs(values - own), axis=0)
    if (apart[1] - apart[0]).min() < blocks.ROUNDING:
        return False
    places = count_places_between(values, own)
    worst, wrong = places.max(axis=1), (places.sum(axis=1), np.abs(values - own).sum(axis=1))
    row = int(worst.argmin())
    # Who adds places up or compares values must not come to the right row by chance.
    rows = {row, *(int(way.argmin()) for way in wrong)}
    return (
        int((worst == worst.min()).sum()) == 1
        and len(rows) == 3
        and all(way[row] > way.min() + blocks.ROUNDING for way in wrong)
    )


def get_values(data: Data) -> tuple[Floats, Floats]:
    """Give the published values, and hers."""
    own = np.array([data["own"][name] for name in NAMES])
    return data["published"].frame[list(NAMES)].to_numpy(), own


def count_places_between(values: Floats, own: Floats) -> Floats:
    """Count the places of each row from the value closest to hers, by column."""
    found = []
    for column, value in zip(values.T, own, strict=True):
        block = vk.ranks.closest(np.sort(column), float(value))
        found.append(np.abs(vk.ranks.mid_ranks(column) - (block.first + block.last) / 2))
    return np.array(found).T


def count_places(data: Data) -> Floats:
    """Count the places of each published row from hers, by column."""
    return count_places_between(*get_values(data))


def find_closest_row(data: Data) -> Answer:
    """Find the one closest row and its distance; None where several are."""
    matches = vk.check(data["own"], data["published"]).matches
    if len(matches) != 1:
        return {"row": None, "distance": None}
    row = matches.iloc[0]
    return {"row": int(row["row"]) - 1, "distance": int(row[list(NAMES)].max())}


def mistake_closest(data: Data) -> dict[str, Answer]:
    """Answer with sums, values, one row too far and the best column."""
    places, (values, own) = count_places(data), get_values(data)
    return {
        "sum of places": {"row": int(places.sum(axis=1).argmin())},
        "values": {"row": int(np.abs(values - own).sum(axis=1).argmin())},
        "from one": {"row": data["_right"]["row"] + 1},
        "best column": {"distance": int(places.min(axis=1).min())},
    }


RECORD = Exercise(
    name="cr-01",
    kind="compute",
    title="Which row is closest?",
    text="You are the person with the values {own}; the release holds 12 masked records in a new "
    "order. Which row is closest by Algorithm 3 (rows are counted from 0), and at what distance?",
    make=draw_release,
    right=find_closest_row,
    wrong=mistake_closest,
    hints={
        "sum of places": "You added the places up. Algorithm 3 looks at the worst column.",
        "values": "You compared values, so the column with the largest numbers decides. Compare "
        "places.",
        "from one": blocks.FROM_ONE,
        "best column": "You took the best column. The distance of a row is that of its worst "
        "column.",
    },
)


def find_standing(data: Data) -> Answer:
    """Find the published value closest to hers in a column, and its rank."""
    table = vk.check(data["own"], data["published"]).attributes.set_index("attribute")
    line = table.loc[data["column"]]
    return {"value": float(line["closest"]), "rank": int(line["first_rank"])}


def mistake_standing(data: Data) -> dict[str, Answer]:
    """Answer with a rank from the top, with a row and with her own value."""
    right, column = data["_right"], data["column"]
    row = np.flatnonzero(data["published"].frame[column] == right["value"])[0]
    return {
        "from the top": {"rank": 13 - right["rank"]},
        "row": {"rank": int(row)},
        "her own value": {"value": data["own"][column]},
    }


READ = Exercise(
    name="cr-02",
    kind="read",
    title="Where would she stand?",
    text="You are the person with the values {own}. In column {column}, which published value is "
    "closest to yours, and what is its rank (the least has rank 1)?",
    make=lambda rng: {**draw_release(rng), "column": str(rng.choice(NAMES))},
    right=find_standing,
    wrong=mistake_standing,
    hints={
        "from the top": "You counted from the top. The least value has rank 1.",
        "row": "That is the row of the value. Its rank is its place in the sorted column.",
        "her own value": "That is your own value. Which of the published ones is nearest to it?",
    },
)


def count_places_of_closest(data: Data) -> pd.Series:
    """Count by column how many places the closest row is away."""
    places = count_places(data)
    return pd.Series(places[places.max(axis=1).argmin()], index=NAMES)


def has_one_farthest(data: Data) -> bool:
    """Tell whether one column is farther than all others."""
    places = count_places_of_closest(data)
    return int((places == places.max()).sum()) == 1


def mistake_farthest(data: Data) -> dict[str, Answer]:
    """Answer with the nearest column, with all columns and with values."""
    places = count_places_of_closest(data)
    table = vk.check(data["own"], data["published"]).attributes.set_index("attribute")
    return {
        "least": {"column": str(places.idxmin()), "places": int(places.min())},
        "sum": {"places": int(places.sum())},
        "by value": {"column": str((table["own"] - table["closest"]).abs().idxmax())},
    }


WORST = Exercise(
    name="cr-03",
    kind="compute",
    title="The column that hides her most",
    text="You are the person with the values {own}. Take the closest row (Algorithm 3). In which "
    "column is it the most places away from you, and how many?",
    make=draw_release,
    right=lambda data: {
        "column": str(count_places_of_closest(data).idxmax()),
        "places": int(count_places_of_closest(data).max()),
    },
    fits=has_one_farthest,
    wrong=mistake_farthest,
    hints={
        "least": "That is where the row is nearest to you.",
        "sum": "You added all columns. The distance is that of one of them.",
        "by value": "You compared how far the closest value is. Compare how many places the row "
        "is away.",
    },
)


def draw_distance(rng: np.random.Generator) -> Data:
    """Draw a release, and work out the distance of the closest row."""
    data = draw_release(rng)
    return {**data, "distance": int(find_closest_row(data)["distance"] or 0)}


EXPLAIN = explain(
    "cr-04",
    "What may she say?",
    "The closest row is {distance} places away from the person with the values {own}.",
    draw_distance,
    [
        Statement(
            "Every released row is at least {distance} places away from her in some column.",
            "Some released row is less than {distance} places away from her in every column.",
            "That row would be closer than the closest one.",
            lambda data: float(count_places(data).max(axis=1).min()) >= data["distance"],
        ),
        Statement(
            "The closest row may be somebody else's.",
            "The closest row is hers.",
            "Closest need not be hers: other people have values, too, and hers were moved.",
        ),
        Statement(
            "She may be found, although no row is at distance 0.",
            "She cannot be found, as no row is at distance 0.",
            "Far does not mean not found: an intruder takes the likeliest row, not an equal one.",
            lambda data: data["distance"] > 0,
        ),
        Statement(
            "In some column the closest row is fewer than {distance} places away.",
            "In every column the closest row is {distance} places away.",
            "The distance is that of the worst column; in others the row is nearer.",
            lambda data: bool((count_places_of_closest(data) < data["distance"]).any()),
        ),
    ],
)


def draw_promise(rng: np.random.Generator) -> Data:
    """Draw a promise that rules a few rows out, three at most."""
    data = draw_release(rng)
    worst = np.sort(count_places(data).max(axis=1))
    return {**data, "most": int(worst[-1 - rng.integers(1, 4)])}


def judge_row(data: Data, answer: Answer) -> str | None:
    """Tell whether a row is too far in some column."""
    apart = float(count_places(data)[blocks.read_row(answer, 12)].max())
    return None if apart > data["most"] else "may be hers"


BREAK = Exercise(
    name="cr-05",
    kind="break",
    title="Surely not hers",
    text="The protector promises that every value stays within {most} places of the published "
    "value closest to it. Give a row (counted from 0) that therefore cannot be that of the person "
    "with the values {own}.",
    make=draw_promise,
    right=lambda data: blocks.first_row(count_places(data).max(axis=1) > data["most"]),
    wrong=lambda data: {
        "may be hers": blocks.first_row(count_places(data).max(axis=1) <= data["most"])
    },
    hints={
        "may be hers": "That row is near enough in every column. One column that is too far rules "
        "a row out.",
    },
    judge=judge_row,
)


def judge_record(data: Data, answer: Answer) -> str | None:
    """Tell whether several rows are equally close to a record."""
    given = answer["own"]
    good = isinstance(given, dict) and set(given) == set(NAMES)
    if not good or not all(map(is_number, given.values())):
        raise RecordError.given("own", given, "a dict with Height, Weight and Pulse")
    matches = vk.check({k: float(v) for k, v in given.items()}, data["published"]).matches
    return "one row" if len(matches) == 1 else None


def find_tied(data: Data) -> Answer:
    """Search halfway between two rows for a record to which several are equally close."""
    values = data["published"].frame[list(NAMES)].to_numpy()
    halves = ((values[at] + values[other]) / 2 for at in range(12) for other in range(at))
    answers = ({"own": dict(zip(NAMES, half.tolist(), strict=True))} for half in halves)
    return blocks.find_answer(data, judge_record, answers) or {"own": None}


DISPROVE = Exercise(
    name="cr-06",
    kind="disprove",
    title="One closest row?",
    text='"There is always one closest row." Disprove it for this release: give the record of a '
    "person, a dict with Height, Weight and Pulse, to whom several rows are equally close.",
    make=lambda rng: {"published": draw_release(rng)["published"]},
    right=find_tied,
    wrong=lambda data: {
        "one row": {"own": {n: float(data["published"].frame[n].iloc[0]) for n in NAMES}},
    },
    hints={
        "one row": "One row alone is closest to this person. Put her between two of them.",
    },
    judge=judge_record,
)
