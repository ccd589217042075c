"""What being in a table gives away, beside a control: membership and attribute inference.

Run with  python benchmarks/baseline_figures.py [tables]

1000 people of a table and 1000 others, three normal columns, independent or correlated. Every line
is a mean over tables, table t made with seed t and masked with seed t + 50, and its standard error.
FIGURES.md holds what came out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pandas as pd

import verikit as vk
from verikit.intruder import Baseline, attribute_inference, membership, own_estimate
from verikit.protector import correct_links

RECORDS = 1000
MASKINGS: dict[str, tuple[str, dict[str, object]]] = {
    "as it is": ("noise", {"scale": 0}),
    "noise .01 sd": ("noise", {"scale": 0.01}),
    "noise .1 sd": ("noise", {"scale": 0.1}),
    "noise .5 sd": ("noise", {"scale": 0.5}),
    "cycles within 5 %": ("rank_swap", {"percent": 5, "scheme": "cycles"}),
    "cycles within 20 %": ("rank_swap", {"percent": 20, "scheme": "cycles"}),
    "microaggregation k = 3": ("microaggregate", {"k": 3, "method": "mdav"}),
    "microaggregation k = 20": ("microaggregate", {"k": 20, "method": "mdav"}),
}


def people(seed: int, rho: float) -> vk.Microdata:
    rng = np.random.default_rng(seed)
    values = np.sqrt(rho) * rng.normal(size=(RECORDS, 1))
    values = values + np.sqrt(1 - rho) * rng.normal(size=(RECORDS, 3))
    return vk.Microdata(pd.DataFrame(values, columns=list("abc")))


def masked(name: str, data: vk.Microdata, seed: int) -> vk.Masked:
    method, given = MASKINGS[name]
    if given.get("scale") == 0:
        order = np.random.default_rng(seed).permutation(len(data))
        return vk.Masked(vk.TableRelease.of(data.frame.iloc[order]), vk.Key.of(np.argsort(order)))
    return getattr(vk.mask, method)(data, **given, seed=seed + 50)


def attacks(name: str, rho: float, seed: int) -> tuple[Baseline, Baseline]:
    data, others = people(seed, rho), people(seed + 10_000, rho)
    release = masked(name, data, seed).release
    return (
        membership(data, release, control=others),
        attribute_inference(data, release, secret="c", control=others),
    )


def lines(tables: int) -> Iterator[tuple[str, list[float]]]:
    few = {"noise .1 sd", "cycles within 20 %", "microaggregation k = 20"}
    for rho, names in ((0, MASKINGS), (0.7, few & set(MASKINGS))):
        for name in sorted(names, key=list(MASKINGS).index):
            found = [attacks(name, rho, seed) for seed in range(tables)]
            place = f"{name}, correlation {rho}"
            yield f"{place}: said to be in it, of its people", [a.found for a, _ in found]
            yield f"{place}: said to be in it, of others", [a.control for a, _ in found]
            yield f"{place}: pairs in which hers lies closer", [a.pairs or 0 for a, _ in found]
            yield f"{place}: third value guessed, of its people", [b.found for _, b in found]
            yield f"{place}: third value guessed, of others", [b.control for _, b in found]


def near_or_luck(method: str, given: dict[str, object], seed: int) -> float:
    """Whether the intruder's own estimate is within 30 % of the truth, or cannot be told."""
    data = people(seed, 0)
    release, key = getattr(vk.mask, method)(data, **given, seed=seed + 50)
    said = own_estimate(data, release)
    true = correct_links(vk.link(data, release, attack="published_mechanism"), key).count
    return float(said.from_luck or abs(said.links - true) <= 0.3 * true)


def estimates(tables: int) -> Iterator[tuple[str, list[float]]]:
    settings: dict[str, tuple[str, dict[str, object]]] = {
        f"noise {scale} sd": ("noise", {"scale": scale}) for scale in (0.1, 0.5, 1, 3)
    }
    settings["cycles within 20 %"] = "rank_swap", {"percent": 20, "scheme": "cycles"}
    for name, (method, given) in settings.items():
        words = f"{name}: own estimate of one table within 30 %, or not told from luck"
        yield words, [near_or_luck(method, given, seed) for seed in range(tables)]


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print("| what | mean | standard error | tables |\n|---|---|---|---|")
    for part in (lines, estimates):
        for name, values in part(count):
            error = np.std(values, ddof=1) / np.sqrt(count)
            print(f"| {name} | {np.mean(values):.4g} | {error:.2g} | {count} |", flush=True)
