"""Exercises of the attack lab: a release and one more thing that is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from verikit.alike import classes_of
from verikit.errors import RecordError, quoted
from verikit.exercises._draw import ILLNESSES, table, village
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.intruder import background_knowledge, homogeneity, skewness, temporal
from verikit.models import distinct_diversity, k_anonymity
from verikit.release import TableRelease
from verikit.table import Microdata

__all__ = ["EXERCISES"]

LEAST = 0.75


def _release(data: Microdata) -> TableRelease:
    return TableRelease.of(data.frame, data.schema)


def _published(rng: np.random.Generator) -> Data:
    return {"release": _release(village(rng, people=26, least=2, most=5))}


def _told(data: Data, least: float) -> int:
    return int(homogeneity(data["release"], least=least).frame["records"].sum())


READ = Exercise(
    name="at-01",
    kind="read",
    title="Nearly all the same",
    text="In how many people's class does the most frequent illness fill at least three quarters?",
    make=_published,
    right=lambda data: {"people": _told(data, LEAST)},
    mistakes={
        "classes": Mistake(
            lambda data: {"people": len(homogeneity(data["release"], least=LEAST).frame)},
            "You counted classes. Count the people in them.",
        ),
        "certain only": Mistake(
            lambda data: {"people": _told(data, 1)},
            "You counted only those for whom it is certain. Three quarters is enough here.",
        ),
        "half": Mistake(
            lambda data: {"people": _told(data, 0.5)},
            "You let half of a class be enough; three quarters are asked for.",
        ),
    },
)


def _with_friend(rng: np.random.Generator) -> Data:
    release = _release(village(rng, people=26, least=2, most=5))
    return {"release": release, "illness": str(rng.choice(ILLNESSES[:3]))}


def _left_one(data: Data) -> Answer:
    found = background_knowledge(data["release"], ruled_out={data["illness"]}).frame
    return {"people": int(found.loc[found["confidence"] == 1, "records"].sum())}


def _newly(data: Data) -> Answer:
    found = background_knowledge(data["release"], ruled_out={data["illness"]}).frame
    new = (found["confidence"] == 1) & (found["before"] < 1)
    return {"people": int(found.loc[new, "records"].sum())}


def _holding_it(data: Data) -> Answer:
    labels = classes_of(data["release"]).labels
    has = data["release"].frame["Illness"].to_numpy() == data["illness"]
    return {"people": int(np.isin(labels, labels[has]).sum())}


COMPUTE = Exercise(
    name="at-02",
    kind="compute",
    title="She surely has not that",
    text="A doctor knows of a person that she does not have {illness}, and to which class she "
    "belongs. In classes of how many people would only one illness be left for her? Count all "
    "people of these classes.",
    make=_with_friend,
    right=_left_one,
    mistakes={
        "without knowledge": Mistake(
            lambda data: {"people": _told(data, 1)},
            "You counted the classes that are open to everybody. Take out what the doctor knows.",
        ),
        "new ones only": Mistake(
            _newly, "You left out the classes that had one illness to begin with."
        ),
        "all that hold it": Mistake(
            _holding_it,
            "You counted all classes with that illness. Look at what is left there without it.",
        ),
    },
)


def _gain(data: Data) -> Answer:
    found = skewness(data["release"]).frame
    at = (found["confidence"] / found["before"]).idxmax()
    return {"times": float(found.loc[at, "confidence"] / found.loc[at, "before"])}


def _difference(data: Data) -> Answer:
    found = skewness(data["release"]).frame
    return {"times": float((found["confidence"] - found["before"]).max())}


def _rare_within(data: Data) -> Answer:
    found = skewness(data["release"]).frame
    return {"times": float(found["confidence"].max())}


SKEW = Exercise(
    name="at-03",
    kind="compute",
    title="How many times as likely?",
    text="For some class and some illness of its people, seeing the class makes the illness many "
    "times as likely as it is in the whole table. How many times, at most? (Take from each class "
    "the illness whose share gained most: that is what the attack skewness lists.)",
    make=_published,
    right=_gain,
    mistakes={
        "difference": Mistake(
            _difference, "That is by how much the share grew; asked is how many times as large."
        ),
        "share": Mistake(
            _rare_within,
            "That is a share within a class. Compare it with the share in the whole table.",
        ),
    },
)


def _rare(frame: pd.DataFrame, row: int) -> bool:
    """Whether the illness of a row is the most frequent neither of its class nor of the table."""
    alike = (frame[["Age", "Zip"]] == frame[["Age", "Zip"]].iloc[row]).all(axis=1)
    often = [frame["Illness"].mode()[0], frame["Illness"][alike].mode()[0]]
    return frame["Illness"].iloc[row] not in often


def _twice(rng: np.random.Generator) -> Data:
    later = village(rng, people=14, least=3, most=5, chances=(0.25, 0.25, 0.25, 0.25))
    newcomer = next((row for row in range(14) if _rare(later.frame, row)), 0)
    before = later.frame.drop(index=newcomer).sample(frac=1, random_state=rng)
    after = later.frame.sample(frac=1, random_state=rng).reset_index(drop=True)
    return {
        "before": TableRelease.of(before.reset_index(drop=True), later.schema),
        "after": TableRelease.of(after, later.schema),
    }


def _newcomer(data: Data) -> Answer:
    return {"illness": str(temporal(data["before"], data["after"]).frame["value"].iloc[0])}


def _grown(data: Data) -> list[Any]:
    """The illnesses of the class that grew, in the later release."""
    cells = [tuple(row) for row in data["after"].frame[["Age", "Zip"]].to_numpy().tolist()]
    old = Counter(tuple(row) for row in data["before"].frame[["Age", "Zip"]].to_numpy().tolist())
    (grown,) = {cell for cell, count in Counter(cells).items() if count > old[cell]}
    ill = data["after"].frame["Illness"].tolist()
    return [value for cell, value in zip(cells, ill, strict=True) if cell == grown]


def _commonest(data: Data) -> Answer:
    return {"illness": Counter(sorted(_grown(data))).most_common(1)[0][0]}


def _commonest_of_all(data: Data) -> Answer:
    every = sorted(data["after"].frame["Illness"])
    return {"illness": Counter(every).most_common(1)[0][0]}


BREAK = Exercise(
    name="at-04",
    kind="break",
    title="The newcomer",
    text="The hospital published its table before and after one more person came. What is the "
    "newcomer's illness?",
    make=_twice,
    right=_newcomer,
    mistakes={
        "commonest of the class": Mistake(
            _commonest,
            "That is the most frequent illness of her class now. Subtract what was there before.",
        ),
        "commonest of the table": Mistake(
            _commonest_of_all,
            "That is the most frequent illness of all. Find the class that grew first.",
        ),
    },
)


def _diverse(rng: np.random.Generator) -> Data:
    release = _release(village(rng, 16, 3, 5, chances=(0.3, 0.25, 0.25, 0.2)))
    return {"release": release, "illness": "flu"}


EXPLAIN = explain(
    "at-05",
    "Which knowledge breaks it?",
    "Somebody knows age and postal code of everybody in this release.",
    _diverse,
    [
        Statement(
            "Nobody's illness is certain, but it is for some as soon as flu is ruled out.",
            lambda data: _told(data, 1) == 0 and _left_one(data)["people"] > 0,
        ),
        Statement(
            "Somebody's illness is certain already.",
            lambda data: _told(data, 1) > 0,
            "Look at each class: all of them hold more than one illness.",
        ),
        Statement(
            "Without flu, at least two illnesses are left for everybody.",
            lambda data: _left_one(data)["people"] == 0,
            "Find the classes with two illnesses, one of which is flu.",
        ),
        Statement(
            "Nothing more can be learned, since the table is 3-anonymous.",
            lambda data: k_anonymity(data["release"]).value < 3,
            "k is about rows. What is known besides works on the illnesses of a class.",
        ),
    ],
)


def _two_views(rng: np.random.Generator) -> Data:
    return {"ill": [str(value) for value in rng.permutation(ILLNESSES)[:4]]}


def _column(answer: Answer, part: str, n: int) -> list[str]:
    given = answer[part]
    if not isinstance(given, (list, tuple)) or len(given) != n:
        raise RecordError(f"{part} was given as {quoted(given)}; expected a list of {n} labels.")
    return [str(value) for value in given]


def _diversity(labels: Sequence[object], ill: Sequence[str]) -> float:
    return distinct_diversity(table({"Seen": [str(v) for v in labels], "Illness": ill})).value


def _against_two(data: Data, answer: Answer) -> str | None:
    ill = data["ill"]
    first, second = (_column(answer, part, len(ill)) for part in ("first", "second"))
    if min(_diversity(first, ill), _diversity(second, ill)) < 2:
        return "one is open"
    both = [f"{one} and {other}" for one, other in zip(first, second, strict=True)]
    return None if _diversity(both, ill) == 1 else "still mixed"


DISPROVE = Exercise(
    name="at-06",
    kind="disprove",
    title="Two diverse releases",
    text='"If two releases of the same people are each 2-diverse, both together are." Disprove it: '
    "give two lists of labels, first and second, one label for each of the four people (whose "
    "illnesses are listed), such that each list alone makes classes of two illnesses or more, and "
    "both together do not.",
    make=_two_views,
    right=lambda data: {"first": list("FFMM"), "second": list("ABBA")},
    mistakes={
        "one is open": Mistake(
            lambda data: {"first": list("FFMM"), "second": list("ABCC")},
            "One of your releases is not 2-diverse by itself.",
        ),
        "still mixed": Mistake(
            lambda data: {"first": list("FFMM"), "second": list("AABB")},
            "Together they tell nobody more than each alone. Cross the two groupings.",
        ),
    },
    judge=_against_two,
)

EXERCISES = (READ, COMPUTE, SKEW, BREAK, EXPLAIN, DISPROVE)
