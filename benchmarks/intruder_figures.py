"""What the attacks on swapping and shuffling find, and what the intruder expects: measured anew.

Run with  python benchmarks/intruder_figures.py [tables]   (5 tables a line take some minutes)

Every line is a mean over tables, normal columns, table t made with seed t and masked with seed
t + 50, and the standard error of that mean. FIGURES.md holds what came out.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np
import pandas as pd

import verikit as vk
from verikit.protector import Goal, choose, correct_links, trade_off

RECORDS = 1000


def table(n: int, m: int, seed: int, rho: float = 0, levels: float | None = None) -> vk.Microdata:
    """Normal columns, correlated or rounded to so many steps a standard deviation."""
    rng = np.random.default_rng(seed)
    values = np.sqrt(rho) * rng.normal(size=(n, 1)) + np.sqrt(1 - rho) * rng.normal(size=(n, m))
    if levels is not None:
        values = np.round(values * levels)
    return vk.Microdata(pd.DataFrame(values, columns=list("abcdefgh")[:m]))


def line(name: str, one: Callable[[int], float], tables: int) -> None:
    """Print a line of the table in FIGURES.md."""
    found = np.array([one(seed) for seed in range(tables)])
    error = found.std(ddof=1) / np.sqrt(tables)
    print(f"| {name} | {found.mean():.4g} | {error:.2g} | {tables} |", flush=True)


def undone(n: int, m: int, percent: float, kind: str, levels: float | None = None):
    """Right, wrong or candidate links of `undo_pairs`, or its seconds."""

    def one(seed: int) -> float:
        data = table(n, m, seed, levels=levels)
        release, key = vk.mask.rank_swap(data, percent=percent, seed=seed + 50)
        begun = time.process_time()
        links = vk.intruder.undo_pairs(data, release)
        if kind == "seconds":
            return time.process_time() - begun
        own = links.rows == key.rows[links.records]
        sole = links.counts[links.records] == 1
        return float((sole & (own if kind == "right" else ~own)).sum())

    return one


def negative(mask: str, arguments: dict[str, object]):
    """Links that `undo_pairs` makes where nothing was swapped in pairs."""

    def one(seed: int) -> float:
        data = table(RECORDS, 3, seed)
        release, _ = getattr(vk.mask, mask)(data, **arguments, seed=seed + 50)
        return float(vk.intruder.undo_pairs(data, release).counts.sum())

    return one


def strongest(mask: str, arguments: dict[str, object], m: int, rho: float):
    """Right links of the strongest attack."""

    def one(seed: int) -> float:
        data = table(RECORDS, m, seed, rho)
        release, key = getattr(vk.mask, mask)(data, **arguments, seed=seed + 50)
        return float(correct_links(vk.link(data, release, attack="strongest"), key).count)

    return one


def expected(mask: str, arguments: dict[str, object], kind: str):
    """What the intruder expects, and what is right."""

    def one(seed: int) -> float:
        data = table(RECORDS, 3, seed)
        release, key = getattr(vk.mask, mask)(data, **arguments, seed=seed + 50)
        if kind == "said":
            return vk.intruder.own_estimate(data, release).links
        links = vk.link(data, release, attack="published_mechanism")
        return float(correct_links(links, key).count)

    return one


def others_meet(method: str, seeds: int):
    """The share of 20 other seeds that meet the goal at the amount chosen."""

    def one(seed: int) -> float:
        data = vk.simulate("dm", 200, seed=seed)
        goal = Goal(links=8, attack="maximum_rank")
        value = choose(data, method, goal, seed=seed + 50, seeds=seeds).value
        again = [trade_off(data, {method: [value]}, goal, seed=1000 + s) for s in range(20)]
        return float(np.mean([found["met"][0] for found in again]))

    return one


def undoing() -> Iterator[tuple[str, Callable[[int], float]]]:
    """Swapping in pairs, and what is not in pairs."""
    for m, percents in ((3, (5, 20, 50, 100)), (2, (5, 20, 50))):
        for percent in percents:
            name = f"pairs within {percent} %, m = {m}"
            yield f"{name}: undone rightly", undone(RECORDS, m, percent, "right")
            yield f"{name}: wrongly", undone(RECORDS, m, percent, "wrong")
    for levels in (950, 110, 30, 5):
        for percent in (5, 10, 20):
            name = f"pairs within {percent} %, {levels} levels a sd"
            yield f"{name}: undone rightly", undone(RECORDS, 3, percent, "right", levels)
            yield f"{name}: wrongly", undone(RECORDS, 3, percent, "wrong", levels)
    for percent in (5, 50):
        name = f"10,000 records in pairs within {percent} %: CPU seconds"
        yield name, undone(10_000, 3, percent, "seconds")
    for percent in (5, 50):
        cycles = {"percent": percent, "scheme": "cycles"}
        yield f"cycles within {percent} %: linked by undo_pairs", negative("rank_swap", cycles)
    yield "shuffle .95: linked by undo_pairs", negative("shuffle", {"correlation": 0.95})


def others() -> Iterator[tuple[str, Callable[[int], float]]]:
    """Cycles, shuffling, the intruder's own estimate, and choosing."""
    for percent in (5, 10, 20, 30):
        cycles = {"percent": percent, "scheme": "cycles"}
        name = f"cycles within {percent} %: right links of the strongest attack"
        yield name, strongest("rank_swap", cycles, 3, 0)
    for m, rho, r in ((3, 0.7, 0.95), (5, 0.7, 0.8), (8, 0.9, 0.95), (8, 0.9, 0.8), (8, 0.9, 0.5)):
        name = f"shuffle {r}, m = {m}, correlation {rho}: right links of the strongest attack"
        yield name, strongest("shuffle", {"correlation": r}, m, rho)
    maskings: dict[str, tuple[str, dict[str, object]]] = {
        f"noise {scale} sd": ("noise", {"scale": scale}) for scale in (0.1, 0.5, 1, 3)
    }
    maskings["cycles within 20 %"] = "rank_swap", {"percent": 20, "scheme": "cycles"}
    for name, (mask, arguments) in maskings.items():
        yield f"{name}: links the intruder expects", expected(mask, arguments, "said")
        yield f"{name}: links that are right", expected(mask, arguments, "right")
    for method in ("noise", "rank_swap_cycles", "shuffle", "mdav"):
        name = f"choose {method}, seeds=1: share of other seeds that meet the goal"
        yield name, others_meet(method, 1)  # choose_figures.py measures seeds=5


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print("| what | mean | standard error | tables |\n|---|---|---|---|")
    for name, one in chain(undoing(), others()):
        line(name, one, count)
