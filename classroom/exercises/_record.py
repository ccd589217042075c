"""Exercises on checking one's own record: what a person can learn, and what she cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
import pandas as pd

from verikit.errors import RecordError, quoted
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.mask import noise
from verikit.ranks import closest, mid_ranks
from verikit.release import TableRelease
from verikit.subject import SubjectReport, check
from verikit.table import Column, Microdata, Schema

__all__ = ["EXERCISES"]

NAMES = ("Height", "Weight", "Pulse")
MEANS, SPREADS = (170.0, 70.0, 75.0), (10.0, 12.0, 3.0)


def _release(rng: np.random.Generator, n: int = 12) -> Data:
    columns = {
        name: np.round(rng.normal(mean, spread, n), 1)
        for name, mean, spread in zip(NAMES, MEANS, SPREADS, strict=True)
    }
    schema = Schema(tuple(Column(name, kind="numeric") for name in NAMES))
    data = Microdata(pd.DataFrame(columns), schema)
    masked = noise(data, scale=0.6, seed=int(rng.integers(1000)))
    release = cast("TableRelease", masked.release)
    frame = release.frame.round(1)
    published = TableRelease.of(frame, schema)
    people = [data.record(int(at)) for at in rng.permutation(n)]
    found = [{"own": _floats(person), "published": published} for person in people]
    return next((one for one in found if _telling(one)), found[0])


def _floats(record: Mapping[str, object]) -> dict[str, float]:
    return {name: float(str(value)) for name, value in record.items()}


def _telling(data: Data) -> bool:
    """Whether the closest row is one, and not that of the smallest sum or of the values."""
    worst = _places(data).max(axis=1)
    row = int(worst.argmin()) + 1
    wrong = {_by_sum(data)["row"], _by_values(data)["row"]}
    return int((worst == worst.min()).sum()) == 1 and row not in wrong


def _report(data: Data) -> SubjectReport:
    return check(data["own"], data["published"])


def _places(data: Data) -> np.ndarray:
    """How many places each row is from the closest value, by column."""
    frame, found = data["published"].frame, []
    for name in NAMES:
        values = frame[name].to_numpy()
        block = closest(np.sort(values), data["own"][name])
        found.append(np.abs(mid_ranks(values) - (block.first + block.last) / 2))
    return np.array(found).T


def _closest(data: Data) -> Answer:
    matches = _report(data).matches
    if len(matches) != 1:
        return {"row": None, "distance": None}
    row = matches.iloc[0]
    return {"row": int(row["row"]), "distance": int(row[list(NAMES)].max())}


def _by_sum(data: Data) -> Answer:
    return {"row": int(_places(data).sum(axis=1).argmin()) + 1}


def _by_values(data: Data) -> Answer:
    own = np.array([data["own"][name] for name in NAMES])
    apart = np.abs(data["published"].frame[list(NAMES)].to_numpy() - own).sum(axis=1)
    return {"row": int(apart.argmin()) + 1}


RECORD = Exercise(
    name="cr-01",
    kind="compute",
    title="Which row is closest?",
    text="You are the person with the values {own}; the release holds 12 masked records in a new "
    "order. Which row is closest by Algorithm 3 (rows are counted from 1), and at what distance?",
    make=_release,
    right=_closest,
    mistakes={
        "sum of places": Mistake(
            _by_sum, "You added the places up. Algorithm 3 looks at the worst column."
        ),
        "values": Mistake(
            _by_values,
            "You compared values, so the column with the largest numbers decides. Compare places.",
        ),
        "from zero": Mistake(
            lambda data: {"row": (data["_right"]["row"] or 0) - 1},
            "Rows are counted from 1 here, as in print.",
        ),
        "best column": Mistake(
            lambda data: {"distance": int(_places(data).min(axis=1).min())},
            "You took the best column. The distance of a row is that of its worst column.",
        ),
    },
)


def _one_column(rng: np.random.Generator) -> Data:
    return {**_release(rng), "column": str(rng.choice(NAMES))}


def _line(data: Data) -> pd.Series:
    table = _report(data).attributes
    return table[table["attribute"] == data["column"]].iloc[0]


def _wrong_end(data: Data) -> Answer:
    return {"rank": 13 - int(_line(data)["first_rank"])}


def _row_of_value(data: Data) -> Answer:
    values = data["published"].frame[data["column"]]
    return {"rank": int(np.flatnonzero(values == _line(data)["closest"])[0]) + 1}


READ = Exercise(
    name="cr-02",
    kind="read",
    title="Where would she stand?",
    text="You are the person with the values {own}. In column {column}, which published value is "
    "closest to yours, and what is its rank (the least has rank 1)?",
    make=_one_column,
    right=lambda data: {
        "value": float(_line(data)["closest"]),
        "rank": int(_line(data)["first_rank"]),
    },
    mistakes={
        "from the top": Mistake(
            _wrong_end, "You counted from the top. The least value has rank 1."
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


def _farthest(data: Data) -> Answer:
    distances = _report(data).attributes.set_index("attribute")["distance"]
    return {"column": str(distances.idxmax()), "places": int(distances.max())}


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
    right=lambda data: (
        _farthest(data)
        if len(_report(data).matches) == 1
        and _report(data).attributes["distance"].value_counts().get(_farthest(data)["places"]) == 1
        else {"column": None, "places": None}
    ),
    mistakes={
        "least": Mistake(
            lambda data: {
                "column": str(_report(data).attributes.set_index("attribute")["distance"].idxmin()),
                "places": int(_report(data).attributes["distance"].min()),
            },
            "That is where the row is nearest to you.",
        ),
        "sum": Mistake(
            lambda data: {"places": int(_report(data).attributes["distance"].sum())},
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
            lambda data: float(_places(data).max(axis=1).min()) >= data["distance"],
        ),
        Statement(
            "The closest row is hers.",
            lambda data: False,
            "Closest need not be hers: other people have values, too, and hers were moved.",
        ),
        Statement(
            "She cannot be found, as no row is at distance 0.",
            lambda data: data["distance"] == 0,
            "Far does not mean not found: an intruder takes the likeliest row, not an equal one.",
        ),
        Statement(
            "In every column the closest row is {distance} places away.",
            lambda data: bool((_report(data).attributes["distance"] == data["distance"]).all()),
            "The distance is that of the worst column; in others the row is nearer.",
        ),
    ],
)


def _row(answer: Answer) -> int:
    row = answer["row"]
    if not isinstance(row, (int, np.integer)) or isinstance(row, bool) or not 1 <= row <= 12:
        raise RecordError(f"row was given as {quoted(row)}; expected a row from 1 to 12.")
    return int(row)


def _excluded(data: Data, answer: Answer) -> str | None:
    apart = float(_places(data)[_row(answer) - 1].max())
    return None if apart > data["most"] else "may be hers"


def _row_with(data: Data, far: bool) -> Answer:
    worst = _places(data).max(axis=1)
    found = np.flatnonzero((worst > data["most"]) == far)
    return {"row": int(found[0]) + 1 if len(found) else None}


BREAK = Exercise(
    name="cr-05",
    kind="break",
    title="Surely not hers",
    text="The protector promises that no value was moved by more than {most} places from where the "
    "closest published value stands. Give a row (counted from 1) that therefore cannot be that of "
    "the person with the values {own}.",
    make=lambda rng: {**_release(rng), "most": int(rng.integers(3, 7))},
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
    if not good or not all(isinstance(v, (int, float)) and np.isfinite(v) for v in given.values()):
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
