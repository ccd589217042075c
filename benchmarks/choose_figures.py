"""Whether what is chosen with several seeds holds with others: four data sets, four methods.

Run with  VERIKIT_DATASETS=folder python benchmarks/choose_figures.py [tables]

From each data set so many tables of 200 records and three columns are drawn; table t with seed t.
The least masking that leaves at most 8 right links is chosen with seed t + 50 and seeds=5, and 40
other seeds are tried at that amount. FIGURES.md holds what came out. Two data sets are made up; the
real ones are left out where they are not at hand.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import verikit as vk
from verikit.protector import Goal, choose, trade_off

RECORDS, OTHERS = 200, 40
METHODS = ("noise", "rank_swap_cycles", "shuffle", "mdav")
GOAL = Goal(links=8, attack="maximum_rank")


def independent(seed: int) -> vk.Microdata:
    return vk.simulate("dm", RECORDS, seed=seed)


def skewed(seed: int) -> vk.Microdata:
    """Correlated columns (.7) with long tails."""
    rng = np.random.default_rng(seed)
    normal = np.sqrt(0.7) * rng.normal(size=(RECORDS, 1))
    normal = normal + np.sqrt(0.3) * rng.normal(size=(RECORDS, 3))
    return vk.Microdata(pd.DataFrame(np.exp(normal), columns=list("abc")))


def drawn(data: vk.Microdata, names: list[str]) -> Callable[[int], vk.Microdata]:
    """Tables of some columns of a real one, without its missing values."""
    whole = data.frame[names].astype(float).dropna()

    def table(seed: int) -> vk.Microdata:
        return vk.Microdata(whole.sample(RECORDS, random_state=seed).reset_index(drop=True))

    return table


def data_sets() -> dict[str, Callable[[int], vk.Microdata]]:
    found = {"normal, independent": independent, "lognormal, correlation .7": skewed}
    folder = os.environ.get("VERIKIT_DATASETS")
    if folder:
        houses = vk.datasets.cahousing(Path(folder) / "cahousing")
        found["California housing"] = drawn(houses, ["median_income", "population", "latitude"])
        people = vk.datasets.adult(Path(folder) / "adult", Path(folder) / "adult-hierarchies")
        found["Adult"] = drawn(people, ["age", "fnlwgt", "hours-per-week"])
    return found


def others_meet(table: vk.Microdata, method: str, seed: int) -> float:
    value = choose(table, method, GOAL, seed=seed + 50, seeds=5).value
    again = [trade_off(table, {method: [value]}, GOAL, seed=1000 + s) for s in range(OTHERS)]
    return float(np.mean([found["met"][0] for found in again]))


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print("| data set, method | other seeds that meet the goal | standard error | tables |")
    print("|---|---|---|---|")
    for name, make in data_sets().items():
        for method in METHODS:
            met = np.array([others_meet(make(seed), method, seed) for seed in range(count)])
            error = met.std(ddof=1) / np.sqrt(count)
            print(f"| {name}: {method} | {met.mean():.4g} | {error:.2g} | {count} |", flush=True)
