"""Exercises on differential privacy: what epsilon is of a method, of whom, and what it allows."""

from __future__ import annotations

from collections import Counter
from math import exp, log
from typing import Any

import numpy as np
import pandas as pd

from verikit.exercises._blocks import read_list
from verikit.exercises._exercise import Answer, Data, pose

DERANGED = (1, 0, 1, 2, 9, 44, 265)  # orders of so many people in which nobody keeps a value
VALUES = ["rare", "some", "often", "most"]


def draw_kept(rng: np.random.Generator) -> Data:
    """Draw how often an answer is kept, and how many answers there are."""
    return {"keep": int(rng.integers(2, 19)) / 20, "values": int(rng.integers(3, 13))}


def answer_kept(data: Data) -> Answer:
    """Find the chances of the own and of another answer, and epsilon."""
    keep, values = data["keep"], data["values"]
    other = (1 - keep) / values
    return {"same": keep + other, "other": other, "epsilon": log((keep + other) / other)}


def mistake_kept(data: Data) -> dict[str, Answer]:
    """Answer as if another answer were drawn, with all others, the ratio, and the coin."""
    keep, values, right = data["keep"], data["values"], data["_right"]
    return {
        "another is drawn": {"same": keep, "other": (1 - keep) / (values - 1)},
        "kept alone": {"same": keep},
        "all others": {"other": 1 - right["same"]},
        "no logarithm": {"epsilon": exp(right["epsilon"])},
        "the coin": {"epsilon": log(keep / (1 - keep))},
    }


KEPT = pose("dp-01", make=draw_kept, right=answer_kept, wrong=mistake_kept)


def draw_budget(rng: np.random.Generator) -> Data:
    """Draw how many counts are answered, with which epsilon, and what may be spent."""
    many, towns = int(rng.integers(2, 7)), int(rng.integers(3, 10))
    each, town, more = (int(rng.integers(*ends)) / 10 for ends in ((1, 6), (2, 11), (2, 6)))
    budget = round(many * each + town + int(rng.integers(10, 40)) / 10, 1)
    names = ("many", "each", "towns", "town", "more", "budget")
    return dict(zip(names, (many, each, towns, town, more, budget), strict=True))


def has_rest(data: Data) -> bool:
    """Tell whether something is left of the budget beside whole counts."""
    together = data["many"] * data["each"] + data["town"]
    return round(10 * (data["budget"] - together)) % round(10 * data["more"]) > 0


def answer_budget(data: Data) -> Answer:
    """Add up what one person is in; count in tenths, which are whole, what is left."""
    together = data["many"] * data["each"] + data["town"]
    left = round(10 * (data["budget"] - together)) // round(10 * data["more"])
    return {"together": together, "left": left, "factor": exp(together)}


def mistake_budget(data: Data) -> dict[str, Answer]:
    """Answer with the largest, with every town, with the whole budget, and with wrong factors."""
    many, each, town, right = data["many"], data["each"], data["town"], data["_right"]
    return {
        "the largest": {"together": max(each, town)},
        "every town": {"together": many * each + data["towns"] * town},
        "nothing spent": {"left": round(10 * data["budget"]) // round(10 * data["more"])},
        "one too many": {"left": right["left"] + 1},
        "factors added": {"factor": many * exp(each) + exp(town)},
        "no power": {"factor": 1 + right["together"]},
    }


BUDGET = pose("dp-02", make=draw_budget, right=answer_budget, wrong=mistake_budget, fits=has_rest)


def draw_visits(rng: np.random.Generator) -> Data:
    """Draw the epsilon of a row, and a factor that so many rows reach and no fewer."""
    need, people, epsilon = (int(rng.integers(*ends)) for ends in ((3, 8), (4, 10), (2, 13)))
    rows, factor = need + people - 1 + int(rng.integers(3)), exp(epsilon / 10 * (need - 0.5))
    told = {"epsilon": epsilon / 10, "rows": rows, "people": people}
    return {**told, "factor": round(factor, 1), "_need": need}


def judge_visits(data: Data, given: Answer) -> str | None:
    """Tell whether some person has enough rows, and enough people are in the table."""
    names = read_list(
        given,
        "names",
        lambda names: len(names) == data["rows"] and all(isinstance(n, str) for n in names),
        f"a list of {data['rows']} names in quotes, one for each row",
    )
    most = max(Counter(names).values())
    if len(set(names)) < data["people"]:
        return "too few people"
    if exp(data["epsilon"] * most) >= data["factor"]:
        return None
    return "each once" if most == 1 else "too few rows"


def list_names(data: Data, most: int) -> Answer:
    """List the names of rows of which one person has so many, and others one each."""
    return {"names": ["ann"] * most + [f"person {at}" for at in range(data["rows"] - most)]}


VISITS = pose(
    "dp-03",
    make=draw_visits,
    right=lambda data: list_names(data, data["_need"]),
    wrong=lambda data: {
        "each once": list_names(data, 1),
        "too few rows": list_names(data, data["_need"] - 1),
        "too few people": list_names(data, data["rows"]),
    },
    judge=judge_visits,
    points=2,
)


def draw_swapping(rng: np.random.Generator) -> Data:
    """Draw how many people swap, and how often each is drawn."""
    return {"people": int(rng.integers(4, 7)), "rate": int(rng.integers(5, 50)) / 100}


def answer_swapping(data: Data) -> Answer:
    """Find the chances of no exchange and of one, and by what factor an exchange changes them."""
    people, rate = data["people"], data["rate"]
    once = people * rate * (1 - rate) ** (people - 1)  # just one is drawn: drawn again
    chances = {
        moved: rate**moved * (1 - rate) ** (people - moved) / (1 - once) / DERANGED[moved]
        for moved in (0, *range(2, people + 1))
    }
    # An exchange of two moves both, or one more, or the other way round; or nobody more.
    pairs = [(m, m + step) for m in chances for step in (1, 2) if (m, step) != (0, 1)]
    ratios = [chances[a] / chances[b] for a, b in pairs if b in chances]
    factor = max(max(ratio, 1 / ratio) for ratio in ratios)
    return {"still": chances[0], "pair": chances[2], "factor": factor}


def mistake_swapping(data: Data) -> dict[str, Answer]:
    """Answer without a second draw, without the others, with odds alone, and with epsilon."""
    people, rate, right = data["people"], data["rate"], data["_right"]
    rest = (1 - rate) ** (people - 2)
    return {
        "not drawn again": {"still": rest * (1 - rate) ** 2, "pair": rest * rate**2},
        "others forgotten": {"pair": rate**2},
        "all pairs": {"pair": right["pair"] * people * (people - 1) / 2},
        "odds alone": {"factor": ((1 - rate) / rate) ** 2},
        "epsilon itself": {"factor": log(right["factor"])},
    }


SWAPPING = pose("dp-04", make=draw_swapping, right=answer_swapping, wrong=mistake_swapping)


def draw_methods(rng: np.random.Generator) -> Data:
    """Draw three tables of chances; one of them never shows some values as some others."""
    tables = []
    for keep in rng.choice([0.2, 0.4, 0.6, 0.8], 3, replace=False):
        shares = rng.permutation([0.05, 0.15, 0.3, 0.5])
        made = np.round(100 * (keep * np.eye(4) + (1 - keep) * shares)).astype(int)
        tables.append(made)
    off = [(i, j) for i in range(4) for j in range(4) if i != j]
    for at in rng.permutation(12)[: int(rng.integers(2, 8))]:
        i, j = off[at]
        tables[2][i, i] += tables[2][i, j]
        tables[2][i, j] = 0
    order = rng.permutation(3)
    letters = {letter: tables[at] for letter, at in zip("ABC", order, strict=True)}
    return {
        name: pd.DataFrame(table, columns=VALUES).assign(true=VALUES)[["true", *VALUES]]
        for name, table in letters.items()
    }


def find_epsilons(data: Data, axis: int = 0) -> dict[str, float]:
    """Find the logarithm of the largest ratio of chances in a column of each table, or a row."""
    tables = {name: data[name][VALUES].to_numpy() for name in "ABC"}
    return {
        name: float(np.log(table.max(axis) / table.min(axis)).max())
        for name, table in tables.items()
        if table.min() > 0
    }


def answer_methods(data: Data) -> Answer:
    """Find the table without an epsilon, what it rules out, and the larger one of the others."""
    found = find_epsilons(data)
    (none,) = {*"ABC"} - {*found}
    ruled = int((data[none][VALUES] == 0).to_numpy().sum())
    return {"none": none, "ruled": ruled, "epsilon": max(found.values())}


def mistake_methods(data: Data) -> dict[str, Answer]:
    """Answer with the largest epsilon for none, with what is left, and with other ratios."""
    found, right = find_epsilons(data), data["_right"]
    zero = data[right["none"]][VALUES] == 0
    return {
        "large is none": {"none": max(found, key=lambda name: found[name])},
        "values for pairs": {"ruled": int(zero.any(axis=1).sum())},
        "what is left": {"ruled": 16 - right["ruled"]},
        "row by row": {"epsilon": max(find_epsilons(data, 1).values())},
        "the smaller": {"epsilon": min(found.values())},
        "no logarithm": {"epsilon": exp(right["epsilon"])},
    }


METHODS = pose("dp-05", make=draw_methods, right=answer_methods, wrong=mistake_methods)


def draw_allowed(rng: np.random.Generator) -> Data:
    """Draw a factor, how many people it is about, and how many links were right."""
    people, factor = int(rng.integers(5, 11)), int(rng.integers(3, 17)) / 2
    return {"people": people, "factor": factor, "links": int(rng.integers(3, people + 1))}


def answer_allowed(data: Data) -> Answer:
    """Bound a guess, the right ones on average, and how often so many are right."""
    people, factor = data["people"], data["factor"]
    chance = factor / (factor + people - 1)
    rare = people * chance / data["links"]  # a number that is never below 0
    return {"chance": chance, "allowed": people * chance, "rare": rare}


def is_rare(data: Data) -> bool:
    """Tell whether more links were right than are on average."""
    return bool(answer_allowed(data)["rare"] < 0.95)


def mistake_allowed(data: Data) -> dict[str, Answer]:
    """Answer with the factor over all, with luck, and as if guesses did not hang together."""
    people, factor, right = data["people"], data["factor"], data["_right"]
    found: dict[str, Any] = {
        "factor of luck": {"chance": factor / people},
        "two people": {"chance": factor / (factor + 1)},
        "luck": {"allowed": 1.0},
        "never": {"rare": 0.0},
        "independent": {"rare": right["chance"] ** data["links"]},
    }
    return found


ALLOWED = pose(
    "dp-06", make=draw_allowed, right=answer_allowed, wrong=mistake_allowed, fits=is_rare
)
