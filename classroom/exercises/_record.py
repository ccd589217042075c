"""Exercises on checking one's own record: what a person can learn, and what she cannot."""

from __future__ import annotations

from typing import cast

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
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
from verikit.mask import noise
from verikit.ranks import closest, mid_ranks
from verikit.release import TableRelease
from verikit.subject import SubjectReport, check
from verikit.table import Column, Microdata, Schema

__all__ = ["EXERCISES"]


NAMES = ("Height", "Weight", "Pulse")
MEANS, SPREADS = (170.0, 70.0, 75.0), (10.0, 12.0, 3.0)


def _release(rng: np.random.Generator, n: int = 12) -> Data:
    """A release without ties, and somebody whose closest row no wrong way finds."""
    schema = Schema(tuple(Column(name, kind="numeric") for name in NAMES))
    while True:
        columns = {
            name: np.round(rng.normal(mean, spread, n), 1)
            for name, mean, spread in zip(NAMES, MEANS, SPREADS, strict=True)
        }
        data = Microdata(pd.DataFrame(columns), schema)
        masked = noise(data, scale=0.6, seed=int(rng.integers(1000)))
        frame = cast("TableRelease", masked.release).frame.round(1)
        values, people = frame[list(NAMES)].to_numpy(), data.frame.to_numpy()
        order = rng.permutation(n).tolist() if all(map(different, values.T)) else []
        for at in order:
            if _telling(values, people[at]):
                own = dict(zip(NAMES, people[at].tolist(), strict=True))
                return {"own": own, "published": TableRelease.of(frame, schema)}


def _telling(values: Floats, own: Floats) -> bool:
    """Whether no value is halfway, the closest row is one, and sums and values find others."""
    apart = np.sort(np.abs(values - own), axis=0)
    if (apart[1] - apart[0]).min() < NEAR:
        return False
    places = _places_between(values, own)
    worst, wrong = places.max(axis=1), (places.sum(axis=1), np.abs(values - own).sum(axis=1))
    row = int(worst.argmin())
    rows = {row, *(int(way.argmin()) for way in wrong)}
    return (
        int((worst == worst.min()).sum()) == 1
        and len(rows) == 3
        and all(way[row] > way.min() + NEAR for way in wrong)
    )


def _values(data: Data) -> tuple[Floats, Floats]:
    """The published values, and hers."""
    return data["published"].frame[list(NAMES)].to_numpy(), np.array(
        [data["own"][n] for n in NAMES]
    )


def _report(data: Data) -> SubjectReport:
    return check(data["own"], data["published"])


def _places_between(values: Floats, own: Floats) -> Floats:
    """How many places each row is from the closest value, by column."""
    found = []
    for column, value in zip(values.T, own, strict=True):
        block = closest(np.sort(column), float(value))
        found.append(np.abs(mid_ranks(column) - (block.first + block.last) / 2))
    return np.array(found).T


def _places(data: Data) -> Floats:
    return _places_between(*_values(data))


def _by_value(data: Data) -> Answer:
    values, own = _values(data)
    return {"row": int(np.abs(values - own).sum(axis=1).argmin())}


def _closest(data: Data) -> Answer:
    matches = _report(data).matches
    if len(matches) != 1:
        return {"row": None, "distance": None}
    row = matches.iloc[0]
    return {"row": int(row["row"]) - 1, "distance": int(row[list(NAMES)].max())}


RECORD = Exercise(
    name="cr-01",
    kind="compute",
    title="Which row is closest?",
    text="You are the person with the values {own}; the release holds 12 masked records in a new "
    "order. Which row is closest by Algorithm 3 (rows are counted from 0), and at what distance?",
    make=_release,
    right=_closest,
    mistakes={
        "sum of places": Mistake(
            lambda data: {"row": int(_places(data).sum(axis=1).argmin())},
            "You added the places up. Algorithm 3 looks at the worst column.",
        ),
        "values": Mistake(
            _by_value,
            "You compared values, so the column with the largest numbers decides. Compare places.",
        ),
        "from one": Mistake(lambda data: {"row": (data["_right"]["row"] or 0) + 1}, FROM_ONE),
        "best column": Mistake(
            lambda data: {"distance": int(_places(data).min(axis=1).min())},
            "You took the best column. The distance of a row is that of its worst column.",
        ),
    },
)


def _line(data: Data) -> pd.Series:
    table = _report(data).attributes
    return table[table["attribute"] == data["column"]].iloc[0]


def _row_of_value(data: Data) -> Answer:
    values = data["published"].frame[data["column"]]
    return {"rank": int(np.flatnonzero(values == data["_right"]["value"])[0])}


READ = Exercise(
    name="cr-02",
    kind="read",
    title="Where would she stand?",
    text="You are the person with the values {own}. In column {column}, which published value is "
    "closest to yours, and what is its rank (the least has rank 1)?",
    make=lambda rng: {**_release(rng), "column": str(rng.choice(NAMES))},
    right=lambda data: {
        "value": float(_line(data)["closest"]),
        "rank": int(_line(data)["first_rank"]),
    },
    mistakes={
        "from the top": Mistake(
            lambda data: {"rank": 13 - data["_right"]["rank"]},
            "You counted from the top. The least value has rank 1.",
        ),
        "row": Mistake(
            _row_of_value,
            "That is the row of the value. Its rank is its place in the sorted column.",
        ),
        "her own value": Mistake(
            lambda data: {"value": data["own"][data["column"]]},
            "That is your own value. Which of the published ones is nearest to it?",
        ),
    },
)


def _of_closest(data: Data) -> pd.Series:
    """How many places the closest row is away, by column."""
    places = _places(data)
    return pd.Series(places[places.max(axis=1).argmin()], index=NAMES)


def _farthest(data: Data) -> Answer:
    distances = _of_closest(data)
    return {"column": str(distances.idxmax()), "places": int(distances.max())}


def _one_farthest(data: Data) -> bool:
    distances = _of_closest(data).sort_values()
    return bool(distances.iloc[-1] > distances.iloc[-2])


def _largest_difference(data: Data) -> Answer:
    table = _report(data).attributes.set_index("attribute")
    return {"column": str((table["own"] - table["closest"]).abs().idxmax())}


WORST = Exercise(
    name="cr-03",
    kind="compute",
    title="The column that hides her most",
    text="You are the person with the values {own}. Take the closest row (Algorithm 3). In which "
    "column is it the most places away from you, and how many?",
    make=_release,
    right=_farthest,
    fits=_one_farthest,
    mistakes={
        "least": Mistake(
            lambda data: {
                "column": str(_of_closest(data).idxmin()),
                "places": int(_of_closest(data).min()),
            },
            "That is where the row is nearest to you.",
        ),
        "sum": Mistake(
            lambda data: {"places": int(_of_closest(data).sum())},
            "You added all columns. The distance is that of one of them.",
        ),
        "by value": Mistake(
            _largest_difference,
            "You compared how far the closest value is. Compare how many places the row is away.",
        ),
    },
)


def _with_distance(rng: np.random.Generator) -> Data:
    data = _release(rng)
    return {**data, "distance": int(_closest(data)["distance"] or 0)}


EXPLAIN = explain(
    "cr-04",
    "What may she say?",
    "The closest row is {distance} places away from the person with the values {own}.",
    _with_distance,
    [
        Statement(
            "Every released row is at least {distance} places away from her in some column.",
            "Some released row is less than {distance} places away from her in every column.",
            "That row would be closer than the closest one.",
            lambda data: float(_places(data).max(axis=1).min()) >= data["distance"],
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
            lambda data: bool((_of_closest(data) < data["distance"]).any()),
        ),
    ],
)


def _promised(rng: np.random.Generator) -> Data:
    """A promise that rules a few rows out, three at most."""
    data = _release(rng)
    worst = np.sort(_places(data).max(axis=1))
    return {**data, "most": int(worst[-1 - rng.integers(1, 4)])}


def _row(answer: Answer) -> int:
    row = answer["row"]
    if not is_number(row, whole=True) or not 0 <= row < 12:
        raise RecordError(f"row was given as {quoted(row)}; expected a row from 0 to 11.")
    return int(row)


def _excluded(data: Data, answer: Answer) -> str | None:
    apart = float(_places(data)[_row(answer)].max())
    return None if apart > data["most"] else "may be hers"


def _row_with(data: Data, far: bool) -> Answer:
    worst = _places(data).max(axis=1)
    found = np.flatnonzero((worst > data["most"]) == far)
    return {"row": int(found[0]) if len(found) else None}


BREAK = Exercise(
    name="cr-05",
    kind="break",
    title="Surely not hers",
    text="The protector promises that every value stays within {most} places of the published "
    "value closest to it. Give a row (counted from 0) that therefore cannot be that of the person "
    "with the values {own}.",
    make=_promised,
    right=lambda data: _row_with(data, far=True),
    mistakes={
        "may be hers": Mistake(
            lambda data: _row_with(data, far=False),
            "That row is near enough in every column. One column that is too far rules a row out.",
        ),
    },
    judge=_excluded,
)


def _hand_in(data: Data, answer: Answer) -> str | None:
    given = answer["own"]
    good = isinstance(given, dict) and set(given) == set(NAMES)
    if not good or not all(map(is_number, given.values())):
        raise RecordError(
            f"own was given as {quoted(given)}; expected a dict with Height, Weight and Pulse."
        )
    matches = check({k: float(v) for k, v in given.items()}, data["published"]).matches
    if len(matches) == 1:
        return "one row"
    return None


def _tied(data: Data) -> Answer:
    """A record between two others: the first that several rows are equally close to."""
    frame = data["published"].frame[list(NAMES)]
    for at in range(len(frame)):
        for other in range(at):
            own = {n: float((frame[n].iloc[at] + frame[n].iloc[other]) / 2) for n in NAMES}
            if len(check(own, data["published"]).matches) > 1:
                return {"own": own}
    return {"own": None}


DISPROVE = Exercise(
    name="cr-06",
    kind="disprove",
    title="One closest row?",
    text='"There is always one closest row." Disprove it for this release: give the record of a '
    "person, a dict with Height, Weight and Pulse, to whom several rows are equally close.",
    make=lambda rng: {"published": _release(rng)["published"]},
    right=_tied,
    mistakes={
        "one row": Mistake(
            lambda data: {"own": {n: float(data["published"].frame[n].iloc[0]) for n in NAMES}},
            "One row alone is closest to this person. Put her between two of them.",
        ),
    },
    judge=_hand_in,
)

EXERCISES = (RECORD, READ, WORST, EXPLAIN, BREAK, DISPROVE)
