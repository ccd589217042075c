"""Exercises on (k,e)-anonymity: numbers that stay apart, and answers with bounds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from verikit.analyst import Answer as Bounds
from verikit.analyst import Query, answer
from verikit.errors import InfeasibleError, RecordError, quoted
from verikit.exercises._diversity import grouping
from verikit.exercises._draw import table
from verikit.exercises._exercise import Answer, Data, Exercise, Mistake, Statement, explain
from verikit.mask import permute_sensitive
from verikit.models import ke_anonymity
from verikit.partition import Partition, min_max_error, min_sum_error
from verikit.table import Microdata

__all__ = ["EXERCISES"]


def _groups_of_pay(rng: np.random.Generator) -> Data:
    sizes = rng.integers(3, 6, 3)
    zips = np.repeat(["1010", "1020", "1030"], sizes)
    pay = rng.integers(10, 31, len(zips)) * 2
    order = rng.permutation(len(zips))
    return {"table": table({"Zip": zips[order], "Pay": pay[order]}, "Pay")}


def _ke(data: Data) -> Answer:
    found = ke_anonymity(data["table"])
    return {"k": int(found.different), "e": float(found.span)}


def _by_zip(data: Data) -> list[Sequence[float]]:
    frame = data["table"].frame
    return [frame["Pay"][frame["Zip"] == code].tolist() for code in sorted(set(frame["Zip"]))]


READ = Exercise(
    name="ke-01",
    kind="read",
    title="How many, and how far apart?",
    text="The postal code is known, the pay (in thousands) is not. For which k and e is the table "
    "(k,e)-anonymous? Give the largest of each.",
    make=_groups_of_pay,
    right=_ke,
    mistakes={
        "people for values": Mistake(
            lambda data: {"k": min(map(len, _by_zip(data)))},
            "You counted people. Two people with the same pay are one value.",
        ),
        "smallest step": Mistake(
            lambda data: {
                "e": float(min(np.diff(sorted(set(pay))).min(initial=99) for pay in _by_zip(data)))
            },
            "That is the smallest step between two values. e is the range of the group.",
        ),
        "widest group": Mistake(
            lambda data: {"e": float(max(max(pay) - min(pay) for pay in _by_zip(data)))},
            "That is the widest group. The promise is that of the narrowest.",
        ),
    },
)


def _asked(rng: np.random.Generator) -> Data:
    n = 9
    age, pay = rng.integers(20, 60, n), rng.permutation(np.arange(10, 40, 2))[:n]
    data = table({"Age": age, "Pay": pay}, "Pay")
    groups = Partition.of((np.argsort(np.argsort(pay)) // 3).tolist())
    release = permute_sensitive(data, partition=groups, seed=int(rng.integers(1000))).release
    return {"release": release, "low": int(rng.integers(30, 46))}


def _sum(data: Data) -> Bounds:
    query = Query.sum("Pay", {"Age": (data["low"], 200)})
    return answer(query, data["release"])


def _as_permuted(data: Data) -> Answer:
    """Read the two tables row by row, as if the permuted values were in place."""
    quasi, pay = data["release"].quasi, data["release"].sensitive
    total, group = 0.0, data["release"].group
    for label in quasi[group].unique():
        old = (quasi["Age"][quasi[group] == label] >= data["low"]).to_numpy()
        total += float(pay["Pay"][pay[group] == label].to_numpy()[old].sum())
    return {"estimate": total}


def _extremes(data: Data) -> Answer:
    quasi, pay = data["release"].quasi, data["release"].sensitive["Pay"]
    hits = int((quasi["Age"] >= data["low"]).sum())
    return {"lower": float(hits * pay.min()), "upper": float(hits * pay.max())}


BOUNDS = Exercise(
    name="ke-02",
    kind="compute",
    title="A sum with a guarantee",
    text="The pay was permuted inside the groups. What is the sum of the pay of all people of "
    "{low} years or more: at least, at most, and in the mean of all possibilities?",
    make=_asked,
    right=lambda data: {
        "lower": float(_sum(data).lower),
        "upper": float(_sum(data).upper),
        "estimate": float(_sum(data).estimate),
    },
    mistakes={
        "rows taken as printed": Mistake(
            _as_permuted,
            "You read the permuted pay as if it stood beside its owner. Any order is possible.",
        ),
        "extremes of the table": Mistake(
            _extremes,
            "You took the least and the greatest pay again and again. In each group, as many "
            "different people as are meant get the smallest values of the group.",
        ),
        "whole groups": Mistake(
            lambda data: {"upper": float(data["release"].sensitive["Pay"].sum())},
            "You added the pay of everybody. Only as many of a group as are old enough count.",
        ),
    },
)


def numbers(values: Sequence[float]) -> Microdata:
    """People of different ages with a number each."""
    return table({"Age": np.arange(len(values)), "Pay": list(values)}, "Pay")


@lru_cache(maxsize=64)
def groupings(values: tuple[int, ...], k: int, e: int) -> tuple[tuple[int, int], ...]:
    """Sum and widest of the ranges of every grouping that is (k,e)-anonymous, by trying all."""
    ordered, found = sorted(values), []

    def grow(at: int, groups: list[list[int]]) -> None:
        if at == len(ordered):
            if all(len(set(g)) >= k and g[-1] - g[0] >= e for g in groups):
                spans = [g[-1] - g[0] for g in groups]
                found.append((sum(spans), max(spans)))
            return
        for group in groups:
            group.append(ordered[at])
            grow(at + 1, groups)
            group.pop()
        if (len(groups) + 1) * k <= len(ordered):
            grow(at + 1, [*groups, [ordered[at]]])

    grow(0, [])
    return tuple(found)


def _to_group(rng: np.random.Generator) -> Data:
    values = np.sort(rng.permutation(np.arange(10, 36))[:7]).tolist()
    return {"values": values, "k": 2, "e": int(rng.integers(3, 7))}


def _spans(data: Data, labels: Sequence[int]) -> list[int]:
    values = np.array(data["values"])
    parts = [values[np.array(labels) == label] for label in sorted(set(labels))]
    return [int(part.max() - part.min()) for part in parts]


def _least_sum(data: Data) -> Answer:
    groups = min_sum_error(numbers(data["values"]), k=data["k"], e=data["e"], seed=1)
    return {"sum": sum(_spans(data, groups.labels.tolist()))}


def _greedy(data: Data) -> Answer:
    """Close a group as soon as it is good enough; what is left joins the last."""
    labels, start, label = [0] * len(data["values"]), 0, 0
    values = data["values"]
    for at in range(len(values)):
        labels[at] = label
        full = at - start + 1 >= data["k"] and values[at] - values[start] >= data["e"]
        if full:
            start, label = at + 1, label + 1
    labels = [min(found, label - 1) if label else 0 for found in labels]
    return {"sum": sum(_spans(data, labels))}


LEAST = Exercise(
    name="ke-03",
    kind="compute",
    title="The least sum of ranges",
    text="Group these values so that each group has at least {k} different values and a range of "
    "at least {e}, and the ranges add up to as little as possible: {values}. What is that sum?",
    make=_to_group,
    right=_least_sum,
    mistakes={
        "greedy": Mistake(
            _greedy,
            "You closed each group as early as possible. A wider group now may save one later.",
        ),
        "one group": Mistake(
            lambda data: {"sum": max(data["values"]) - min(data["values"])},
            "That is one group of all. Leave out the widest gaps where you can.",
        ),
        "e forgotten": Mistake(
            lambda data: {
                "sum": sum(
                    _spans(
                        data,
                        min_sum_error(
                            numbers(data["values"]), k=data["k"], e=0, seed=1
                        ).labels.tolist(),
                    )
                )
            },
            "Some of your groups have too small a range: e asks for a least one.",
        ),
    },
)


def _grouped(data: Data, given: Answer) -> str | None:
    labels = grouping(given, len(data["values"]))
    made = table({"Group": [str(g) for g in labels], "Pay": data["values"]}, "Pay")
    if not ke_anonymity(made, k=data["k"], e=data["e"]).met:
        return "not apart"
    best = min(total for total, _ in groupings(tuple(data["values"]), data["k"], data["e"]))
    return None if sum(_spans(data, labels)) == best else "too wide"


BUILD = Exercise(
    name="ke-04",
    kind="build",
    title="Group them yourself",
    text="Group these values so that each group has at least {k} different values and a range of "
    "at least {e}, and the ranges add up to as little as possible: {values}. Give the number of "
    "the group of each value.",
    make=_to_group,
    right=lambda data: {
        "groups": min_sum_error(
            numbers(data["values"]), k=data["k"], e=data["e"], seed=1
        ).labels.tolist()
    },
    mistakes={
        "not apart": Mistake(
            lambda data: {"groups": list(range(7))},
            "Some group has too few different values or too small a range.",
        ),
        "too wide": Mistake(
            lambda data: {"groups": [0] * 7},
            "The groups are good, but their ranges add up to more than needed.",
        ),
    },
    judge=_grouped,
)


def _told(rng: np.random.Generator) -> Data:
    pay = np.sort(rng.permutation(np.arange(20, 60))[:4]).tolist()
    data = table({"Zip": ["1010"] * 4, "Pay": pay}, "Pay")
    found = ke_anonymity(data)
    return {"table": data, "k": int(found.different), "e": int(found.span), "_pay": pay}


def _near_share(data: Data) -> float:
    """The best chance to be within a quarter of e by one guess."""
    pay, near = np.array(data["_pay"]), data["e"] / 4
    return float(max((np.abs(pay - guess) <= near).mean() for guess in pay))


EXPLAIN = explain(
    "ke-05",
    "What k and e promise",
    "The pay of all in this table is ({k},{e})-anonymous: {k} different values, {e} apart.",
    _told,
    [
        Statement(
            "One guess is within a quarter of {e} for at least half of the people.",
            "A guess can be within a quarter of {e} for one person in {k} at most.",
            "Values may lie close together; count how many one guess comes near to.",
            lambda data: _near_share(data) >= 0.5,
        ),
        Statement(
            "Some two of the values lie less than {e} apart.",
            "Any two of the values lie at least {e} apart.",
            "e is about the least and the greatest value of the group, not about neighbours.",
            lambda data: min(np.diff(data["_pay"])) < data["e"],
        ),
        Statement(
            "Everybody's pay can be estimated to within less than {e}.",
            "Nobody with the lowest or highest pay can be estimated to within less than {e}.",
            "Whoever guesses the middle is at most half of e away from everybody.",
        ),
        Statement(
            "The values between the ends could be others, and k and e the same.",
            "From k and e it follows how far each value lies from the next.",
            "Only how many values differ, and how far apart the ends are, is promised.",
        ),
    ],
)


def _ends(rng: np.random.Generator) -> Data:
    low, scale = int(rng.integers(0, 30)), int(rng.integers(1, 4))
    return {"k": 4, "low": low, "high": low + 7 * scale, "_scale": scale}


def _row_of_values(data: Data, given: Answer) -> tuple[int, ...]:
    values = given["values"]
    good = isinstance(values, (list, tuple, np.ndarray)) and 4 <= len(values) <= 8
    if not good or not all(isinstance(v, (int, np.integer)) and 0 <= v <= 50 for v in values):
        raise RecordError(
            f"values was given as {quoted(values)}; expected 4 to 8 whole numbers from 0 to 50."
        )
    if (min(values), max(values)) != (data["low"], data["high"]):
        raise RecordError(
            f"values was given as {quoted(values)}; the smallest has to be {data['low']} and the "
            f"largest {data['high']}."
        )
    return tuple(int(v) for v in values)


def _against_neighbours(data: Data, given: Answer) -> str | None:
    values = _row_of_values(data, given)
    best = min((widest for _, widest in groupings(values, data["k"], 0)), default=None)
    try:
        groups = min_max_error(numbers(values), k=data["k"], e=0, seed=1)
    except InfeasibleError:
        return "impossible"
    spans = _spans({"values": values}, groups.labels.tolist())
    return None if best is not None and best < max(spans) else "as good"


DISPROVE = Exercise(
    name="ke-06",
    kind="disprove",
    title="Neighbours are not always best",
    text='"Groups of neighbouring values always reach the least widest range." Disprove it for '
    "groups of at least {k} different values (e is 0): give 4 to 8 whole numbers, the smallest "
    "{low} and the largest {high}, for which groups that overlap do better. All groupings are "
    "tried.",
    make=_ends,
    right=lambda data: {
        "values": [data["low"] + v * data["_scale"] for v in (0, 1, 2, 4, 4, 5, 5, 7)]
    },
    mistakes={
        "impossible": Mistake(
            lambda data: {"values": [data["low"], data["low"], data["high"], data["high"]]},
            "There are too few different values for a single group.",
        ),
        "as good": Mistake(
            lambda data: {
                "values": [data["low"] + at for at in range(4)]
                + [data["high"] - at for at in range(4)]
            },
            "Here neighbours are as good as any grouping. Repeated values are what overlapping "
            "groups can share.",
        ),
    },
    judge=_against_neighbours,
)

EXERCISES = (READ, BOUNDS, LEAST, BUILD, EXPLAIN, DISPROVE)
