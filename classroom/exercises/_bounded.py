"""Exercises on (k,e)-anonymity: numbers that stay apart, and answers with bounds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

import verikit as vk
from verikit.errors import InfeasibleError, RecordError, quoted
from verikit.exercises._blocks import cut_sorted, make_table, read_groups, read_list
from verikit.exercises._exercise import Answer, Data, explain, pose


def draw_groups_of_pay(rng: np.random.Generator) -> Data:
    """Draw the pay of people in three postal codes."""
    zips = np.repeat(["1010", "1020", "1030"], rng.integers(3, 6, 3).tolist())
    pay = rng.integers(10, 31, len(zips)) * 2
    order = rng.permutation(len(zips))
    return {"table": make_table({"Zip": zips[order], "Pay": pay[order]}, "Pay")}


def measure_table(data: Data) -> Answer:
    """Measure k and e of the table."""
    found = vk.models.ke_anonymity(data["table"])
    return {"k": int(found.different), "e": float(found.span)}


def mistake_k_and_e(data: Data) -> dict[str, Answer]:
    """Answer with people for values, and with other distances."""
    groups = [pay for _, pay in data["table"].frame.groupby("Zip")["Pay"]]
    steps = [np.diff(np.unique(pay)).min(initial=99) for pay in groups]
    return {
        "people for values": {"k": min(map(len, groups))},
        "smallest step": {"e": float(min(steps))},
        "widest group": {"e": float(max(np.ptp(pay) for pay in groups))},
    }


READ = pose("ke-01", make=draw_groups_of_pay, right=measure_table, wrong=mistake_k_and_e)


def draw_permuted_pay(rng: np.random.Generator) -> Data:
    """Draw a release whose pay was permuted, and a least age to ask for."""
    n = 9
    age, pay = rng.integers(20, 60, n), rng.permutation(np.arange(10, 40, 2))[:n]
    data = make_table({"Age": age, "Pay": pay}, "Pay")
    groups = vk.Partition.of(cut_sorted(pay.tolist(), 3))
    release = vk.mask.permute_sensitive(
        data, partition=groups, seed=int(rng.integers(1000))
    ).release
    return {"release": release, "low": int(rng.integers(30, 46))}


def answer_sum(data: Data) -> Answer:
    """Answer with the bounds and the estimate of the analyst."""
    found = vk.answer(vk.Query.sum("Pay", {"Age": (data["low"], 200)}), data["release"])
    return {part: float(getattr(found, part)) for part in ("lower", "upper", "estimate")}


def mistake_sum(data: Data) -> dict[str, Answer]:
    """Answer as if the permuted values were in place, and with bounds that know no groups."""
    quasi, sensitive = data["release"].quasi, data["release"].sensitive
    pay, total = sensitive["Pay"], 0.0
    for label, rows in quasi.groupby(data["release"].group):
        old = (rows["Age"] >= data["low"]).to_numpy()
        total += float(pay[sensitive[data["release"].group] == label].to_numpy()[old].sum())
    hits = int((quasi["Age"] >= data["low"]).sum())
    return {
        "rows taken as printed": {"estimate": total},
        "extremes of the table": {
            "lower": float(hits * pay.min()),
            "upper": float(hits * pay.max()),
        },
        "whole groups": {"upper": float(pay.sum())},
    }


BOUNDS = pose("ke-02", make=draw_permuted_pay, right=answer_sum, wrong=mistake_sum)


def group_values(values: Sequence[float], k: int, e: int) -> list[int]:
    """Group people of different ages so that the ranges of their numbers add up to least."""
    people = make_table({"Age": np.arange(len(values)), "Pay": list(values)}, "Pay")
    return vk.partition.min_sum_error(people, k=k, e=e, seed=1).labels.tolist()


@lru_cache(maxsize=64)
def try_groupings(values: tuple[int, ...], k: int, e: int) -> tuple[tuple[int, int], ...]:
    """Try every grouping that is (k,e)-anonymous: the sum and the widest of its ranges."""
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

    # A value joins a group that is there or opens one, which lists each set partition once; no more
    # groups are opened than can hold k values each.
    grow(0, [])
    return tuple(found)


def draw_values(rng: np.random.Generator) -> Data:
    """Draw seven values to be put into groups."""
    values = np.sort(rng.permutation(np.arange(10, 36))[:7]).tolist()
    return {"values": values, "k": 2, "e": int(rng.integers(3, 7))}


def measure_ranges(values: Sequence[int], labels: Sequence[int]) -> list[int]:
    """Measure the range of each group."""
    return [int(np.ptp(part)) for _, part in pd.Series(values).groupby(list(labels))]


def close_groups_early(data: Data) -> list[int]:
    """Close a group as soon as it is good enough; what is left joins the last."""
    values, start, label = data["values"], 0, 0
    labels = []
    for at, value in enumerate(values):
        labels.append(label)
        if at - start + 1 >= data["k"] and value - values[start] >= data["e"]:
            start, label = at + 1, label + 1
    return [min(found, max(label - 1, 0)) for found in labels]


def mistake_least_sum(data: Data) -> dict[str, Answer]:
    """Answer with the sums of groupings that are wider, or too narrow."""
    values = data["values"]
    narrow = group_values(values, data["k"], 0)
    return {
        "greedy": {"sum": sum(measure_ranges(values, close_groups_early(data)))},
        "one group": {"sum": max(values) - min(values)},
        "e forgotten": {"sum": sum(measure_ranges(values, narrow))},
    }


LEAST = pose(
    "ke-03",
    make=draw_values,
    right=lambda data: {
        "sum": sum(
            measure_ranges(data["values"], group_values(data["values"], data["k"], data["e"]))
        )
    },
    wrong=mistake_least_sum,
)


def judge_groups(data: Data, given: Answer) -> str | None:
    """Tell whether the groups are apart, and their ranges add up to the least."""
    labels = read_groups(given, len(data["values"]))
    made = make_table({"Group": [str(g) for g in labels], "Pay": data["values"]}, "Pay")
    if not vk.models.ke_anonymity(made, k=data["k"], e=data["e"]).met:
        return "not apart"
    best = min(total for total, _ in try_groupings(tuple(data["values"]), data["k"], data["e"]))
    return None if sum(measure_ranges(data["values"], labels)) == best else "too wide"


BUILD = pose(
    "ke-04",
    make=draw_values,
    right=lambda data: {"groups": group_values(data["values"], data["k"], data["e"])},
    wrong=lambda data: {"not apart": {"groups": list(range(7))}, "too wide": {"groups": [0] * 7}},
    judge=judge_groups,
)


def draw_promise(rng: np.random.Generator) -> Data:
    """Draw one group of four people, and what it promises."""
    pay = np.sort(rng.permutation(np.arange(20, 60))[:4]).tolist()
    data = make_table({"Zip": ["1010"] * 4, "Pay": pay}, "Pay")
    found = vk.models.ke_anonymity(data)
    return {"table": data, "k": int(found.different), "e": int(found.span), "_pay": pay}


def find_near_share(data: Data) -> float:
    """Find the best chance to be within a quarter of e by one guess."""
    pay, near = np.array(data["_pay"]), data["e"] / 4
    return float(max((np.abs(pay - guess) <= near).mean() for guess in pay))


EXPLAIN = explain(
    "ke-05",
    draw_promise,
    {
        1: lambda data: find_near_share(data) >= 0.5,
        2: lambda data: min(np.diff(data["_pay"])) < data["e"],
    },
)


def draw_ends(rng: np.random.Generator) -> Data:
    """Draw the smallest and the largest value."""
    low, scale = int(rng.integers(0, 30)), int(rng.integers(1, 4))
    return {"k": 4, "low": low, "high": low + 7 * scale, "_scale": scale}


def read_values(data: Data, given: Answer) -> tuple[int, ...]:
    """Read whole numbers with the given ends."""

    def fits(values: list[object]) -> bool:
        numbers = [v for v in values if isinstance(v, int) and 0 <= v <= 50]
        return 4 <= len(values) <= 8 and len(numbers) == len(values)

    values = read_list(given, "values", fits, "4 to 8 whole numbers from 0 to 50")
    if (min(values), max(values)) != (data["low"], data["high"]):
        raise RecordError(
            f"values was given as {quoted(values)}; the smallest has to be {data['low']} and the "
            f"largest {data['high']}."
        )
    return tuple(int(v) for v in values)


def judge_values(data: Data, given: Answer) -> str | None:
    """Tell whether groups that overlap reach a smaller widest range than neighbours do."""
    values = read_values(data, given)
    best = min((widest for _, widest in try_groupings(values, data["k"], 0)), default=None)
    people = make_table({"Age": np.arange(len(values)), "Pay": list(values)}, "Pay")
    try:
        groups = vk.partition.min_max_error(people, k=data["k"], e=0, seed=1)
    except InfeasibleError:
        return "impossible"
    widest = max(measure_ranges(values, groups.labels.tolist()))
    return None if best is not None and best < widest else "as good"


DISPROVE = pose(
    "ke-06",
    make=draw_ends,
    right=lambda data: {
        "values": [data["low"] + v * data["_scale"] for v in (0, 1, 2, 4, 4, 5, 5, 7)]
    },
    wrong=lambda data: {
        "impossible": {"values": [data["low"], data["low"], data["high"], data["high"]]},
        "as good": {
            "values": [data["low"] + at for at in range(4)] + [data["high"] - at for at in range(4)]
        },
    },
    judge=judge_values,
)
