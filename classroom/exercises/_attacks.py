"""Exercises of the attack lab: a release and one more thing that is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from verikit.alike import classes_of
from verikit.errors import RecordError, quoted
from verikit.exercises._draw import ILLNESSES, village
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.intruder import background_knowledge, homogeneity, skewness, temporal
from verikit.models import k_anonymity
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
    there = set(release.frame["Illness"])
    return {
        "release": release,
        "illness": str(rng.choice([one for one in ILLNESSES[:3] if one in there])),
    }


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


def _ratio(data: Data) -> float:
    """The largest ratio of two shares, over all classes and illnesses."""
    labels, ill = classes_of(data["release"]).labels, data["release"].frame["Illness"]
    every = ill.value_counts(normalize=True)
    own = ill.groupby(labels).value_counts(normalize=True)
    return float(max(share / every[value] for (_, value), share in own.items()))


def _steepest(data: Data) -> bool:
    """Whether the illness that gained most in shares gained most in times as well."""
    found = skewness(data["release"]).frame
    return bool(np.isclose((found["confidence"] / found["before"]).max(), _ratio(data)))


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
    text="Compare the share of an illness in a class with its share in the whole table. Over all "
    "classes and all illnesses in them, what is the largest ratio of the two, class to table? "
    "(The attack is skewness: how many times as likely an illness becomes by knowing the class.)",
    make=_published,
    right=lambda data: {"times": _ratio(data)},
    fits=_steepest,
    mistakes={
        "difference": Mistake(
            _difference,
            "That is by how much the share grew. How many times as large did it become?",
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
            lambda data: {"illness": Counter(sorted(_grown(data))).most_common(1)[0][0]},
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
    return {"release": release, "illness": str(rng.choice(release.frame["Illness"].unique()))}


def _spared(data: Data) -> bool:
    """Whether some class does not hold the illness."""
    return _holding_it(data)["people"] < len(data["release"].frame)


EXPLAIN = explain(
    "at-05",
    "Which knowledge breaks it?",
    "Somebody knows age and postal code of everybody in this release.",
    _diverse,
    [
        Statement(
            "Somebody who rules {illness} out learns some people's illness for certain.",
            "Somebody who rules {illness} out learns nobody's illness for certain.",
            "Look for the classes with two illnesses, one of which is ruled out.",
            lambda data: _left_one(data)["people"] > 0,
        ),
        Statement(
            "Without more knowledge nobody's illness is certain.",
            "Somebody's illness is certain already.",
            "Look at each class: all of them hold more than one illness.",
            lambda data: _told(data, 1) == 0,
        ),
        Statement(
            "Some class without {illness} stays as mixed as it is when {illness} is ruled out.",
            "Every class has fewer illnesses when {illness} is ruled out.",
            "Ruling an illness out tells nothing of the classes in which nobody has it.",
            _spared,
        ),
        Statement(
            "The table is 3-anonymous, and yet knowledge about illnesses helps.",
            "Nothing more can be learned, since the table is 3-anonymous.",
            "k is about rows. What is known besides works on the illnesses of a class.",
            lambda data: k_anonymity(data["release"]).value >= 3,
        ),
    ],
)


def _two_views(rng: np.random.Generator) -> Data:
    kinds = rng.permutation(ILLNESSES)[:3]
    ill = [str(value) for value in rng.permutation(np.repeat(kinds, (3, 2, 1)))]
    return {"ill": ill, "row": int(rng.integers(6))}


def _column(answer: Answer, part: str, n: int) -> list[str]:
    given = answer[part]
    if not isinstance(given, (list, tuple)) or len(given) != n:
        raise RecordError(f"{part} was given as {quoted(given)}; expected a list of {n} labels.")
    return [str(value) for value in given]


def _mixed(labels: Sequence[str], ill: Sequence[str]) -> list[int]:
    """How many illnesses the class of each row holds."""
    held = {
        label: {i for i, of in zip(ill, labels, strict=True) if of == label} for label in labels
    }
    return [len(held[label]) for label in labels]


def _against_two(data: Data, answer: Answer) -> str | None:
    ill = data["ill"]
    first, second = (_column(answer, part, len(ill)) for part in ("first", "second"))
    if min(_mixed(first, ill) + _mixed(second, ill)) < 2:
        return "one is open"
    both = [f"{one} and {other}" for one, other in zip(first, second, strict=True)]
    mixed = _mixed(both, ill)
    if mixed[data["row"]] > 1:
        return "still mixed"
    others = [held for label, held in zip(both, mixed, strict=True) if label != both[data["row"]]]
    return None if min(others, default=2) > 1 else "others too"


def _crossed(data: Data, wanted: str | None = None) -> Answer:
    """The first two groupings into two that are judged so, trying all."""
    halves = ["".join("A" if at in chosen else "B" for at in range(6))
              for size in (2, 3, 4) for chosen in combinations(range(6), size)]  # fmt: skip
    for first, second in combinations(halves, 2):
        answer = {"first": list(first), "second": list(second)}
        if _against_two(data, answer) == wanted:
            return answer
    return {}


DISPROVE = Exercise(
    name="at-06",
    kind="disprove",
    title="Two diverse releases",
    text='"If two releases of the same people are each 2-diverse, both together are." Disprove it: '
    "give two lists of labels, first and second, one label for each of the six people (whose "
    "illnesses are listed), such that each list alone makes classes of two illnesses or more, but "
    "both labels of the person in row {row} (counted from 0) tell her illness. Other labels than "
    "hers must not tell an illness.",
    make=_two_views,
    right=_crossed,
    mistakes={
        "one is open": Mistake(
            lambda data: {"first": list("ABCDEF"), "second": list("AAAAAA")},
            "One of your releases is not 2-diverse by itself.",
        ),
        "still mixed": Mistake(
            lambda data: {"first": list("AAAAAA"), "second": list("BBBBBB")},
            "Together they do not tell her illness: somebody with another illness has both of "
            "her labels.",
        ),
        "others too": Mistake(
            lambda data: _crossed(data, "others too"),
            "Both together also tell the illness of somebody with other labels.",
        ),
    },
    judge=_against_two,
)

EXERCISES = (READ, COMPUTE, SKEW, BREAK, EXPLAIN, DISPROVE)
