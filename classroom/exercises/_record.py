"""Exercises on checking one's own record: what a person can learn, and what she cannot."""

from __future__ import annotations

from typing import cast

import numpy as np
import pandas as pd

import verikit as vk
from verikit._support.arrays import Floats
from verikit.errors import RecordError
from verikit.exercises import _blocks as blocks
from verikit.exercises._exercise import Answer, Data, explain, is_number, pose

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


RECORD = pose("cr-01", make=draw_release, right=find_closest_row, wrong=mistake_closest)


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


READ = pose(
    "cr-02",
    make=lambda rng: {**draw_release(rng), "column": str(rng.choice(NAMES))},
    right=find_standing,
    wrong=mistake_standing,
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


WORST = pose(
    "cr-03",
    make=draw_release,
    right=lambda data: {
        "column": str(count_places_of_closest(data).idxmax()),
        "places": int(count_places_of_closest(data).max()),
    },
    fits=has_one_farthest,
    wrong=mistake_farthest,
)


def draw_distance(rng: np.random.Generator) -> Data:
    """Draw a release, and work out the distance of the closest row."""
    data = draw_release(rng)
    return {**data, "distance": int(find_closest_row(data)["distance"] or 0)}


EXPLAIN = explain(
    "cr-04",
    draw_distance,
    {
        1: lambda data: float(count_places(data).max(axis=1).min()) >= data["distance"],
        3: lambda data: data["distance"] > 0,
        4: lambda data: bool((count_places_of_closest(data) < data["distance"]).any()),
    },
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


BREAK = pose(
    "cr-05",
    make=draw_promise,
    right=lambda data: blocks.first_row(count_places(data).max(axis=1) > data["most"]),
    wrong=lambda data: {
        "may be hers": blocks.first_row(count_places(data).max(axis=1) <= data["most"])
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


DISPROVE = pose(
    "cr-06",
    make=lambda rng: {"published": draw_release(rng)["published"]},
    right=find_tied,
    wrong=lambda data: {
        "one row": {"own": {n: float(data["published"].frame[n].iloc[0]) for n in NAMES}}
    },
    judge=judge_record,
)
