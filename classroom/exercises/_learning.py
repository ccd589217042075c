"""Exercises on who learns from a published table: by hand, and beside who needs no table."""

from __future__ import annotations

from collections import Counter

import numpy as np

from verikit.exercises._blocks import AGES, ILLNESSES, are_different, make_table, publish_groups
from verikit.exercises._exercise import Answer, Data, pose

BANDS, ILL = AGES[:3], ILLNESSES[:4]


def draw_to_learn(rng: np.random.Generator) -> Data:
    """Draw groups of three people in which one of two illnesses is there twice."""
    ill = [str(one) for _ in range(5) for one in rng.choice(ILL, 2, replace=False)[[0, 0, 1]]]
    ages = rng.choice(BANDS, len(ill)).tolist()
    release = publish_groups(rng, ages, ill, np.repeat(np.arange(5), 3).tolist())
    row = int(rng.integers(len(ill)))
    held = release.sensitive.loc[release.labels.sensitive == release.labels.quasi[row], "Illness"]
    illness = str(rng.choice(sorted(set(held))))
    age = str(release.quasi["Age"].iloc[row])
    return {"release": release, "row": row, "age": age, "illness": illness}


def share_out(data: Data) -> list[dict[str, float]]:
    """Give each row of the first table the share of each illness in its group."""
    labels = data["release"].labels
    ill = data["release"].sensitive["Illness"].astype(str).to_numpy()
    parts = [ill[labels.sensitive == group].tolist() for group in range(len(labels.names))]
    shares = [{one: part.count(one) / len(part) for one in set(part)} for part in parts]
    return [shares[group] for group in labels.quasi]


def learn_once(data: Data) -> Answer:
    """Count one table by even chances, and the chances that follow from it."""
    shares, own = share_out(data), data["release"].quasi["Age"].astype(str) == data["age"]
    weights = {}
    for ill, chance in shares[data["row"]].items():
        column = np.array([part.get(ill, 0.0) for part in shares])
        weights[ill] = (chance, float(column[own].sum() / column.sum()))
    total = sum(chance * share for chance, share in weights.values())
    chance, share = weights[data["illness"]]
    return {"share": share, "chance": chance * share / total}


def mistake_learned(data: Data) -> dict[str, Answer]:
    """Answer by the group alone, by whole people, the other way round, and undivided."""
    column = np.array([part.get(data["illness"], 0.0) for part in share_out(data)])
    own = (data["release"].quasi["Age"].astype(str) == data["age"]).to_numpy()
    by_group = float(column[data["row"]])
    return {
        "whole people": {"share": float((column[own] > 0).sum() / (column > 0).sum())},
        "other way round": {"share": float(column[own].mean())},
        "group alone": {"chance": by_group},
        "not divided": {"chance": by_group * data["_right"]["share"]},
    }


BY_HAND = pose(
    "le-01",
    make=draw_to_learn,
    right=learn_once,
    wrong=mistake_learned,
    fits=lambda data: are_different([*learn_once(data).values(), 0, 1]),
)


def draw_control(rng: np.random.Generator) -> Data:
    """Draw people of two halves, and guesses of somebody who learned from what was published."""
    n = 30
    ages, half = rng.integers(3, size=n), np.repeat(["asked", "other"], n // 2)
    usual = rng.random(n) < 0.5
    ill = np.where(usual, np.array(ILL)[ages], rng.choice(ILL, n))
    guess = np.where(rng.random(n) < 0.6, ill, rng.choice(ILL, n))
    frame = {"Half": half, "Age": np.array(BANDS)[ages], "Illness": ill}
    return {"table": make_table({**frame, "Guess": np.where(half == "asked", guess, "-")})}


def count_right(data: Data, teachers: str = "other") -> tuple[np.ndarray, np.ndarray, bool]:
    """Find whom of those asked the guess and a control name rightly, and whether nothing is tied.

    The control knows one half of the people, and guesses what is most frequent there at an age.
    """
    rows = data["table"].frame.astype(str).to_dict("records")
    taught = [row for row in rows if row["Half"] == teachers]
    counts = {age: Counter(row["Illness"] for row in taught if row["Age"] == age) for age in BANDS}
    tops = {age: [*part.most_common(2), ("", 0), ("", 0)] for age, part in counts.items()}
    fair = all(first[1] > second[1] for first, second, *_ in tops.values())
    asked = [row for row in rows if row["Half"] == "asked"]
    with_it = np.array([row["Guess"] == row["Illness"] for row in asked])
    return with_it, np.array([tops[row["Age"]][0][0] == row["Illness"] for row in asked]), fair


def answer_control(data: Data) -> Answer:
    """Count what is guessed with the release, without it, and with it alone."""
    with_it, without, _ = count_right(data)
    return {
        "with": float(with_it.mean()),
        "without": float(without.mean()),
        "added": int((with_it & ~without).sum()),
    }


def mistake_control(data: Data) -> dict[str, Answer]:
    """Answer with a control that knows those asked, or no age, and with other differences."""
    frame = data["table"].frame
    asked = frame[frame["Half"] == "asked"]
    usual = frame.loc[frame["Half"] == "other", "Illness"].mode()[0]
    with_it, without, _ = count_right(data)
    return {
        "control knows them": {"without": float(count_right(data, "asked")[1].mean())},
        "age forgotten": {"without": float((asked["Illness"] == usual).mean())},
        "all right guesses": {"added": int(with_it.sum())},
        "difference": {"added": int(with_it.sum() - without.sum())},
    }


CONTROL = pose(
    "le-05",
    make=draw_control,
    right=answer_control,
    wrong=mistake_control,
    fits=lambda data: count_right(data)[2],
)
