"""Exercises of the attack lab: a release and one more thing that is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

import verikit as vk
from verikit.exercises._blocks import ILLNESSES, as_release, draw_village, find_answer, read_list
from verikit.exercises._exercise import Answer, Data, explain, pose
from verikit.matching import classes_of

LEAST = 0.75


def draw_release(rng: np.random.Generator) -> Data:
    """Draw a village and publish it."""
    return {"release": as_release(draw_village(rng, people=26, least=2, most=5))}


def count_inferred(data: Data, least: float) -> int:
    """Count the people whose illness is inferred with a confidence, or with more."""
    return int(vk.intruder.homogeneity(data["release"], least=least).frame["records"].sum())


READ = pose(
    "at-01",
    make=draw_release,
    right=lambda data: {"people": count_inferred(data, LEAST)},
    wrong=lambda data: {
        "classes": {"people": len(vk.intruder.homogeneity(data["release"], least=LEAST).frame)},
        "certain only": {"people": count_inferred(data, 1)},
        "half": {"people": count_inferred(data, 0.5)},
    },
)


def draw_ruled_out(rng: np.random.Generator) -> Data:
    """Draw a release and an illness of it that somebody rules out."""
    data = draw_release(rng)
    there = set(data["release"].frame["Illness"])
    return {**data, "illness": str(rng.choice([one for one in ILLNESSES[:3] if one in there]))}


def count_left_with_one(data: Data, before: float = 2) -> Answer:
    """Count who is left with one illness, was her confidence below a number before."""
    found = vk.intruder.background_knowledge(data["release"], ruled_out={data["illness"]}).frame
    left = (found["confidence"] == 1) & (found["before"] < before)
    return {"people": int(found.loc[left, "records"].sum())}


def count_in_classes_with(data: Data) -> Answer:
    """Count the people in classes that hold the illness."""
    labels = classes_of(data["release"]).labels
    has = data["release"].frame["Illness"].to_numpy() == data["illness"]
    return {"people": int(np.isin(labels, labels[has]).sum())}


COMPUTE = pose(
    "at-02",
    make=draw_ruled_out,
    right=count_left_with_one,
    wrong=lambda data: {
        "without knowledge": {"people": count_inferred(data, 1)},
        "new ones only": count_left_with_one(data, before=1),
        "all that hold it": count_in_classes_with(data),
    },
)


def find_largest_ratio(data: Data) -> float:
    """Divide the shares of a class by those of the table, over all classes and illnesses."""
    labels, ill = classes_of(data["release"]).labels, data["release"].frame["Illness"]
    every = ill.value_counts(normalize=True)
    own = ill.groupby(labels).value_counts(normalize=True)
    return float(max(share / every[value] for (_, value), share in own.items()))


def is_steepest(data: Data) -> bool:
    """Tell whether the illness that gained most in shares gained most in times as well."""
    found = vk.intruder.skewness(data["release"]).frame
    largest = (found["confidence"] / found["before"]).max()
    return bool(np.isclose(largest, find_largest_ratio(data)))


def mistake_ratio(data: Data) -> dict[str, Answer]:
    """Answer with a difference of shares, and with a share."""
    found = vk.intruder.skewness(data["release"]).frame
    return {
        "difference": {"times": float((found["confidence"] - found["before"]).max())},
        "share": {"times": float(found["confidence"].max())},
    }


SKEW = pose(
    "at-03",
    make=draw_release,
    right=lambda data: {"times": find_largest_ratio(data)},
    fits=is_steepest,
    wrong=mistake_ratio,
)


def is_rare(frame: pd.DataFrame, row: int) -> bool:
    """Tell whether the illness of a row is the commonest neither of its class nor of the table."""
    alike = (frame[["Age", "Zip"]] == frame[["Age", "Zip"]].iloc[row]).all(axis=1)
    often = [frame["Illness"].mode()[0], frame["Illness"][alike].mode()[0]]
    return frame["Illness"].iloc[row] not in often


def draw_two_releases(rng: np.random.Generator) -> Data:
    """Draw a table, and publish it without one person and with her."""
    later = draw_village(rng, people=14, least=3, most=5, chances=(0.25, 0.25, 0.25, 0.25))
    newcomer = next((row for row in range(14) if is_rare(later.frame, row)), 0)
    before = later.frame.drop(index=newcomer).sample(frac=1, random_state=rng)
    after = later.frame.sample(frac=1, random_state=rng)
    return {
        name: vk.TableRelease.of(frame.reset_index(drop=True), later.schema)
        for name, frame in (("before", before), ("after", after))
    }


def mistake_newcomer(data: Data) -> dict[str, Answer]:
    """Answer with the commonest illness of the class that grew, and of the table."""
    before, after = (
        list(zip(data[name].frame["Age"], data[name].frame["Zip"], strict=True))
        for name in ("before", "after")
    )
    # A difference of multisets: just the class that has one person more is left.
    (grown,) = Counter(after) - Counter(before)
    ill = data["after"].frame["Illness"]
    own = ill[[cell == grown for cell in after]]
    return {
        "commonest of the class": {"illness": str(own.mode()[0])},
        "commonest of the table": {"illness": str(ill.mode()[0])},
    }


BREAK = pose(
    "at-04",
    make=draw_two_releases,
    right=lambda data: {
        "illness": str(vk.intruder.temporal(data["before"], data["after"]).frame["value"].iloc[0])
    },
    wrong=mistake_newcomer,
)


def draw_diverse_release(rng: np.random.Generator) -> Data:
    """Draw a release with classes of three and more, and one of its illnesses."""
    release = as_release(draw_village(rng, 16, 3, 5, chances=(0.3, 0.25, 0.25, 0.2)))
    return {"release": release, "illness": str(rng.choice(release.frame["Illness"].unique()))}


EXPLAIN = explain(
    "at-05",
    draw_diverse_release,
    {
        1: lambda data: count_left_with_one(data)["people"] > 0,
        2: lambda data: count_inferred(data, 1) == 0,
        3: lambda data: count_in_classes_with(data)["people"] < len(data["release"].frame),
        4: lambda data: vk.models.k_anonymity(data["release"]).value >= 3,
    },
)


def draw_six(rng: np.random.Generator) -> Data:
    """Draw six people with three illnesses, and one of them."""
    kinds = rng.permutation(ILLNESSES)[:3]
    ill = [str(value) for value in rng.permutation(np.repeat(kinds, (3, 2, 1)))]
    return {"ill": ill, "row": int(rng.integers(6))}


def count_illnesses(labels: Sequence[str], ill: Sequence[str]) -> list[int]:
    """Count the illnesses in the class of each row."""
    pairs = set(zip(labels, ill, strict=True))
    return [sum(label == own for label, _ in pairs) for own in labels]


def judge_two_releases(data: Data, answer: Answer) -> str | None:
    """Tell whether two diverse groupings together tell one illness and no other."""
    ill, row, n = data["ill"], data["row"], len(data["ill"])
    first, second = (
        [str(v) for v in read_list(answer, part, lambda v: len(v) == n, f"a list of {n} labels")]
        for part in ("first", "second")
    )
    if min(count_illnesses(first, ill) + count_illnesses(second, ill)) < 2:
        return "one is open"
    both = [f"{one} and {other}" for one, other in zip(first, second, strict=True)]
    mixed = count_illnesses(both, ill)
    if mixed[row] > 1:
        return "still mixed"
    others = [held for label, held in zip(both, mixed, strict=True) if label != both[row]]
    return None if min(others, default=2) > 1 else "others too"


def cross_halves(data: Data, verdict: str | None = None) -> Answer:
    """Search for the first two groupings into two that are judged so."""
    halves = [
        ["A" if at in chosen else "B" for at in range(6)]
        for size in (2, 3, 4)
        for chosen in combinations(range(6), size)
    ]
    answers = ({"first": one, "second": other} for one, other in combinations(halves, 2))
    return find_answer(data, judge_two_releases, answers, verdict)


DISPROVE = pose(
    "at-06",
    make=draw_six,
    right=cross_halves,
    wrong=lambda data: {
        "one is open": {"first": list("ABCDEF"), "second": list("AAAAAA")},
        "still mixed": {"first": list("AAAAAA"), "second": list("BBBBBB")},
        "others too": cross_halves(data, "others too"),
    },
    judge=judge_two_releases,
)
