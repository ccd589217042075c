"""Exercises on synthetic tables: who is memorized, beside people the model did not learn from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import comb, factorial

import numpy as np

from verikit.exercises._blocks import AGES, ILLNESSES, ZIPS, find_answer, make_table, read_list
from verikit.exercises._exercise import Answer, Data, is_number, pose

RATE = 20  # of false alarms: one of so many
ILL = ILLNESSES[:3]


def draw_people(rng: np.random.Generator) -> Data:
    """Draw how far people and others lie from a table; three to six of the people lie near it."""
    others, people, near = int(rng.integers(41, 79)), 12, int(rng.integers(3, 7))
    values = rng.permutation(np.arange(20, 1000, 3))[: others + people]
    values[:near] = rng.permutation(np.arange(20, 60, 3) + 1)[:near]
    who = np.array(["person"] * people + ["other"] * others)
    order = rng.permutation(others + people)
    return {"table": make_table({"Who": who[order], "Distance": values[order]})}


def split_distances(data: Data) -> tuple[list[int], list[int]]:
    """Give the distances of people, and those of others from the nearest on."""
    frame = data["table"].frame
    parts = [frame.loc[frame["Who"] == who, "Distance"] for who in ("person", "other")]
    return parts[0].tolist(), sorted(parts[1].tolist())


def count_near(data: Data, allowed: int) -> int:
    """Count the people who are nearer than all but so many of the others."""
    people, others = split_distances(data)
    return sum(one < others[allowed] for one in people)


def answer_near(data: Data) -> Answer:
    """Find how many others may be as near, who is found, and what luck gives."""
    people, others = split_distances(data)
    allowed = (len(others) + 1) // RATE - 1
    luck = len(people) * (allowed + 1) / (len(others) + 1)
    return {"allowed": allowed, "found": count_near(data, allowed), "luck": luck}


def mistake_near(data: Data) -> dict[str, Answer]:
    """Answer with a share of the others, with the nearest of all, and with the rate itself."""
    people, others = split_distances(data)
    allowed = answer_near(data)["allowed"]
    return {
        "she is not counted": {"allowed": (len(others) + 1) // RATE},
        "nearer than the middle": {"found": count_near(data, len(others) // 2)},
        "nearer than all": {"found": count_near(data, 0)},
        "the limit itself": {"luck": len(people) / RATE},
        "others only": {"luck": len(people) * allowed / len(others)},
    }


NEAR = pose("sy-01", make=draw_people, right=answer_near, wrong=mistake_near)


def draw_orders(rng: np.random.Generator) -> Data:
    """Draw how many people and others were put in order, and how many people stand first."""
    people = int(rng.integers(5, 9))
    return {"people": people, "others": int(rng.integers(5, 9)), "found": int(rng.integers(2, 4))}


def answer_orders(data: Data) -> Answer:
    """Count the orders, and those in which so many people or more stand before all others."""
    n, m, found = data["people"], data["others"], data["found"]
    return {"orders": comb(n + m, n), "chance": comb(n + m - found, m) / comb(n + m, m)}


def mistake_orders(data: Data) -> dict[str, Answer]:
    """Answer with people told apart, with draws put back, and with just so many."""
    n, m, found = data["people"], data["others"], data["found"]
    exactly = comb(n + m - found - 1, m - 1) / comb(n + m, m)
    return {
        "told apart": {"orders": factorial(n + m)},
        "put back": {"chance": (n / (n + m)) ** found},
        "just so many": {"chance": exactly},
    }


ORDERS = pose("sy-02", make=draw_orders, right=answer_orders, wrong=mistake_orders)


def draw_repeated(rng: np.random.Generator) -> Data:
    """Draw people, others, and a table that repeats some of the people, one of them twice."""
    lists = rng.integers([4, 2, 3], size=(3, 12, 3)).tolist()
    repeated = lists[0][: int(rng.integers(3, 8))]
    lists[2] = rng.permutation([*lists[2][:6], *repeated, repeated[0]]).tolist()
    named = {"Age": AGES, "Zip": ZIPS, "Illness": ILL}
    tables = [
        {name: [words[row[at]] for row in rows] for at, (name, words) in enumerate(named.items())}
        for rows in (sorted(lists[0]), lists[1], lists[2])
    ]
    names = ("people", "others", "drawn")
    return {name: make_table(table) for name, table in zip(names, tables, strict=True)}


def list_rows(data: Data) -> list[list[tuple[str, ...]]]:
    """List the rows of the three tables."""
    frames = [data[name].frame for name in ("people", "others", "drawn")]
    return [[tuple(map(str, row)) for row in frame.to_numpy()] for frame in frames]


def answer_repeated(data: Data) -> Answer:
    """Count the people whose record was drawn, and those of them whose nobody else has."""
    people, others, drawn = list_rows(data)
    stand = [row for row in people if row in drawn]
    alone = [row for row in stand if people.count(row) == 1 and row not in others]
    return {"stand": len(stand), "alone": len(alone)}


def mistake_repeated(data: Data) -> dict[str, Answer]:
    """Count rows for people, leave the illness out, and forget one half of those who share."""
    people, others, drawn = list_rows(data)
    stand, known = [row for row in people if row in drawn], {row[:2] for row in drawn}
    return {
        "rows for people": {"stand": sum(row in people for row in drawn)},
        "illness left out": {"stand": sum(row[:2] in known for row in people)},
        "others forgotten": {"alone": sum(people.count(row) == 1 for row in stand)},
        "people forgotten": {"alone": sum(row not in others for row in stand)},
    }


REPEATED = pose("sy-03", make=draw_repeated, right=answer_repeated, wrong=mistake_repeated)


def draw_scores(rng: np.random.Generator) -> Data:
    """Draw numbers of people, of as many others, and of rows."""
    parts = [rng.integers(0, 100, size).tolist() for size in (6, 6, 10)]
    return dict(zip(("people", "others", "rows"), parts, strict=True))


def find_nearest(own: Sequence[float], among: Sequence[float]) -> list[float]:
    """Find how far each number lies from the nearest of others."""
    return [min(abs(one - other) for other in among) for one in own]


def find_middle(own: Sequence[float], among: Sequence[float]) -> float:
    """Find the middle of how far numbers lie from the nearest of others."""
    return float(np.median(find_nearest(own, among)))


def answer_scores(data: Data) -> Answer:
    """Find the share of rows that lie closer to a person, the score, and the middle distance."""
    people, others = (find_nearest(data["rows"], data[name]) for name in ("people", "others"))
    closer = sum(a < b for a, b in zip(people, others, strict=True)) / len(people)
    middle = find_middle(data["rows"], data["people"])
    return {"closer": closer, "score": min(1.0, 2 * (1 - closer)), "middle": middle}


def mistake_scores(data: Data) -> dict[str, Answer]:
    """Answer from people to rows, with equal distances counted, and with half of the score."""
    closer = answer_scores(data)["closer"]  # no row is as near to both
    return {
        "others for people": {"middle": find_middle(data["rows"], data["others"])},
        "from people to rows": {"middle": find_middle(data["people"], data["rows"])},
        "closer to others": {"closer": 1 - closer},
        "not doubled": {"score": 1 - closer},
    }


def is_close(data: Data) -> bool:
    """Tell whether most rows lie closer to a person, and none as near to another."""
    both = (find_nearest(data["rows"], data[name]) for name in ("people", "others"))
    return answer_scores(data)["closer"] >= 0.6 and all(map(np.not_equal, *both))


SCORES = pose("sy-04", make=draw_scores, right=answer_scores, wrong=mistake_scores, fits=is_close)


def draw_guesses(rng: np.random.Generator) -> Data:
    """Draw people and others of known age, and rows that show an illness for each age."""
    drawn, who = np.arange(20, 80, 4), np.repeat(["person", "other"], 12)
    shown, at = rng.choice(ILL, 15), rng.permutation([*range(15)] * 2)[:24]
    keeps = rng.random(24) < np.where(who == "person", 0.8, 0.3)
    own = np.where(keeps, shown[at], rng.choice(ILL, 24))
    asked = make_table({"Who": who, "Age": drawn[at] + 1, "Illness": own})
    order = rng.permutation(15)
    return {"asked": asked, "drawn": make_table({"Age": drawn[order], "Illness": shown[order]})}


def count_guessed(data: Data, who: str) -> float:
    """Find the share of those whom the row nearest by age names rightly."""
    asked, drawn = data["asked"].frame, data["drawn"].frame.astype({"Illness": str})
    rows = asked[asked["Who"] == who]
    far = np.abs(np.subtract.outer(rows["Age"].to_numpy(), drawn["Age"].to_numpy()))
    guess = drawn["Illness"].to_numpy()[far.argmin(axis=1)]
    return float((guess == rows["Illness"].astype(str)).mean())


def answer_guesses(data: Data) -> Answer:
    """Find the shares guessed rightly, and the risk of having been learned from."""
    people, others = (count_guessed(data, who) for who in ("person", "other"))
    return {"people": people, "others": others, "risk": (people - others) / (1 - others)}


def mistake_guesses(data: Data) -> dict[str, Answer]:
    """Answer with the difference, the ratio, and the commonest illness."""
    people, others = (count_guessed(data, who) for who in ("person", "other"))
    asked, usual = data["asked"].frame, data["drawn"].frame["Illness"].mode()[0]
    of_people = asked.loc[asked["Who"] == "person", "Illness"]
    return {
        "commonest illness": {"people": float((of_people == usual).mean())},
        "difference": {"risk": people - others},
        "without a control": {"risk": people},
    }


GUESSES = pose(
    "sy-05",
    make=draw_guesses,
    right=answer_guesses,
    wrong=mistake_guesses,
    fits=lambda data: 0 < count_guessed(data, "other") < count_guessed(data, "person"),
)


def draw_passing(rng: np.random.Generator) -> Data:
    """Draw people who stand far apart, and others, each near to one of them."""
    people = np.cumsum(rng.integers(9, 40, 5))
    return {"people": people.tolist(), "others": (people + rng.integers(1, 4, 5)).tolist()}


def judge_passing(data: Data, given: Answer) -> str | None:
    """Tell whether rows pass by nearest records and repeat two people or more."""
    rows = read_list(
        given,
        "rows",
        lambda rows: len(rows) == 5 and all(is_number(row) for row in rows),
        "a list of five numbers",
    )
    repeated = len({*rows} & {*data["people"]})
    if find_middle(rows, data["people"]) < find_middle(data["others"], data["people"]):
        return "does not pass"
    return None if repeated >= 2 else "repeats one" if repeated else "repeats nobody"


def find_passing(data: Data, verdict: str | None) -> Answer:
    """Search rows that are judged so."""
    values = [*data["people"], data["people"][0] - 5, data["people"][0] - 6]
    answers = ({"rows": list(rows)} for rows in combinations_with_replacement(values, 5))
    return find_answer(data, judge_passing, answers, verdict)


PASSING = pose(
    "sy-06",
    make=draw_passing,
    right=lambda data: find_passing(data, None),
    wrong=lambda data: {
        "does not pass": {"rows": data["people"]},
        "repeats nobody": find_passing(data, "repeats nobody"),
        "repeats one": find_passing(data, "repeats one"),
    },
    judge=judge_passing,
    points=2,
)
