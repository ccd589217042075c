"""What a check by distance misses: figures measured anew, with their spread over several runs.

Run with  python benchmarks/verification_figures.py [runs]   (10 runs take some minutes)
It writes FIGURES.md beside it. Each figure is the mean over runs with other data and other seeds,
and its standard deviation; "before" is what was measured once with other code and other seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from scipy.special import ndtri

import verikit as vk
from verikit.protector import correct_links
from verikit.ranks import blocks, find_nearest, luck

ATTACKS = ("maximum_rank", "assignment", "normal_scores", "published_mechanism")
Lines = Iterator[tuple[str, list[float], str]]


def normal(n: int, m: int, correlation: float, seed: int) -> vk.Microdata:
    rng = np.random.default_rng(seed)
    spread = np.full((m, m), correlation) + (1 - correlation) * np.eye(m)
    values = rng.multivariate_normal(np.zeros(m), spread, n)
    return vk.Microdata(pd.DataFrame(values, columns=[f"a{j}" for j in range(m)]))


def linked(data: vk.Microdata, masked: vk.Masked, attack: str) -> np.ndarray:
    """For each record whether its own row is its only candidate."""
    links = vk.link(data, masked.release, attack=attack)
    first = links.rows[links.starts[:-1]]
    return (links.counts == 1) & (first == masked.key.rows)


def collect(runs: int, once: Callable[[int], dict[str, float]]) -> dict[str, list[float]]:
    found = [once(seed) for seed in range(runs)]
    return {name: [run[name] for run in found] for name in found[0]}


def passing(runs: int) -> Lines:
    """Records that match no closer than chance, and how many of them are linked all the same."""
    settings = {
        "noise .1 sd": (lambda d, s: vk.mask.noise(d, scale=0.1, seed=s), "81.5 / 56 / 77"),
        "rank swap 5 %": (lambda d, s: vk.mask.rank_swap(d, percent=5, seed=s), "92.5 / 61 / -"),
    }
    for name, (mask, before) in settings.items():

        def once(seed: int, mask: Callable[..., vk.Masked] = mask) -> dict[str, float]:
            data = vk.simulate("dm", 1000, seed=seed)
            masked = mask(data, seed + 1000)
            passes = vk.plausibility(data, masked.release).p > 0.05
            return {
                "p > .05, % of records": 100 * passes.mean(),
                "of those linked by maximum_rank, %": 100
                * linked(data, masked, "maximum_rank")[passes].mean(),
                "of those linked by normal_scores, %": 100
                * linked(data, masked, "normal_scores")[passes].mean(),
            }

        for part, values in collect(runs, once).items():
            yield f"{name}: {part}", values, before


def attacks(runs: int) -> Lines:
    """Correct links of 1000 by each attack."""
    settings: dict[str, tuple[int, Callable[..., vk.Masked], str]] = {
        "noise .1 sd": (3, lambda d, s: vk.mask.noise(d, scale=0.1, seed=s), "604 -> 792"),
        "noise .5 sd": (3, lambda d, s: vk.mask.noise(d, scale=0.5, seed=s), "50 -> 63-74"),
        "noise 1 sd": (3, lambda d, s: vk.mask.noise(d, scale=1, seed=s), ""),
        "noise .5 sd, m = 8": (8, lambda d, s: vk.mask.noise(d, scale=0.5, seed=s), "410 -> 721"),
        "rank swap 5 %": (3, lambda d, s: vk.mask.rank_swap(d, percent=5, seed=s), ""),
        "rank swap 10 %": (3, lambda d, s: vk.mask.rank_swap(d, percent=10, seed=s), "111 -> 277"),
        "microaggregation k = 50": (
            3, lambda d, s: vk.mask.microaggregate(d, k=50, seed=s), "824 -> 922",
        ),
        "shuffle .95": (3, lambda d, s: vk.mask.shuffle(d, correlation=0.95, seed=s), "105 -> 153"),
        "all drawn anew": (3, lambda d, s: vk.mask.shuffle(d, correlation=0, seed=s), "about 1"),
    }  # fmt: skip
    for name, (m, mask, before) in settings.items():

        def once(seed: int, m: int = m, mask: Callable[..., vk.Masked] = mask) -> dict[str, float]:
            data = normal(1000, m, 0, seed)
            masked = mask(data, seed + 1000)
            counts = {a: float(linked(data, masked, a).sum()) for a in ATTACKS}
            return {**counts, "strongest": max(counts.values())}

        for attack, values in collect(runs, once).items():
            yield f"{name}: correct links by {attack}", values, before


def example() -> Lines:
    """The running example, with two ways of placing normal scores."""
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    for shift, below, before in ((0.5, 0, "12"), (0, 1, "10")):
        tables = [
            np.column_stack([blocks(t.scores(n))[0] for n in data.schema.names])
            for t in (data, release)
        ]
        scores = [ndtri((t - shift) / (len(t) + below)) for t in tables]
        cost = ((scores[0][:, None] - scores[1][None]) ** 2).sum(axis=2)
        right = np.sum(linear_sum_assignment(cost)[1] == np.arange(20))
        name = "(rank - 1/2) / n" if shift else "rank / (n + 1)"
        yield f"running example: correct links of 20, scores at {name}", [float(right)], before


def outsiders(runs: int) -> Lines:
    """People unrelated to the release who are warned all the same, at alpha .10."""
    for correlation, before in ((0.0, ""), (0.7, "27 / 7-11"), (0.95, "81 / 7-11")):

        def once(seed: int, correlation: float = correlation) -> dict[str, float]:
            data = normal(1000, 3, correlation, seed)
            people = normal(1000, 3, correlation, seed + 5000)
            release = vk.TableRelease.of(data.frame)
            return {
                null: 100 * float(np.mean(vk.plausibility(people, release, null=null).p <= 0.10))
                for null in ("exact", "leave_one_out", "conformal")
            }

        for null, values in collect(runs, once).items():
            yield f"outsiders warned, correlation {correlation:g}, null {null}, %", values, before


def discovered(p: np.ndarray, level: float = 0.05) -> int:
    """How many records Benjamini and Hochberg's procedure flags."""
    ordered = np.sort(p)
    below = np.flatnonzero(ordered <= level * np.arange(1, len(p) + 1) / len(p))
    return int(below[-1]) + 1 if len(below) else 0


def power(runs: int) -> Lines:
    """How often each test of a whole release sees that it is not chance."""
    for scale, before in ((1.0, "1.00 / .07 / .12 / 0"), (0.1, "BH flags 0.9 of 605 linkable")):

        def once(seed: int, scale: float = scale) -> dict[str, float]:
            data = vk.simulate("dm", 1000, seed=seed)
            masked = vk.mask.noise(data, scale=scale, seed=seed + 1000)
            found = vk.plausibility(data, masked.release)
            right = correct_links(vk.link(data, masked.release), masked.key)
            return {
                "correct links against luck": float(right.p <= 0.05),
                "Kolmogorov-Smirnov": float(found.kolmogorov_smirnov_p <= 0.05),
                "Hellinger": float(found.permutation_p <= 0.05),
                "records flagged by Benjamini-Hochberg": float(discovered(found.p)),
                "correct links": float(right.count),
            }

        for test, values in collect(3 * runs, once).items():
            yield f"noise {scale:g} sd, power (or count): {test}", values, before


def estimate(runs: int) -> Lines:
    """The intruder's own estimate of his success."""
    for scale, before in ((0.1, ".608 / .598"), (0.5, "")):

        def once(seed: int, scale: float = scale) -> dict[str, float]:
            data = vk.simulate("dm", 1000, seed=seed)
            release, key = vk.mask.noise(data, scale=scale, seed=seed + 1000)
            links = vk.link(data, release)
            right = (links.rows == key.rows[links.records]) / links.counts[links.records]
            estimated = vk.plausibility(data, release).success
            return {"estimated": float(estimated), "true": float(right.sum() / 1000)}

        for part, values in collect(runs, once).items():
            yield f"noise {scale:g} sd, share of right links, {part}", values, before


def paper_draws() -> Lines:
    """How often 10,000 draws put a p just below .05 on the right side."""
    ranks = np.column_stack([np.random.default_rng(s).permutation(1000) + 1 for s in range(3)])
    shares = luck.exact(ranks, ranks, range(40))
    distance = int(np.searchsorted(shares, 0.05)) - 1
    drawn = [
        find_nearest(*luck.made_up((np.sort(ranks, 0),) * 2, 10_000, seed)[:2], ranks, ranks)[0]
        for seed in range(100)
    ]
    says = [float(np.mean(part <= distance) <= 0.05) for part in drawn]
    yield (
        f"exact p {shares[distance]:.4f}: share of runs of 10,000 draws that say p <= .05",
        says,
        "",
    )


def repeated(runs: int) -> Lines:
    """What a subject finds by repeating the published method, and what is true."""
    for scale, before in ((0.1, ".692 / .661"), (0.5, ".055 / .052")):

        def once(seed: int, scale: float = scale) -> dict[str, float]:
            data = vk.simulate("dm", 1000, seed=seed)
            masked = vk.mask.noise(data, scale=scale, seed=seed + 1000)
            release = masked.release.prepare()
            people = np.random.default_rng(seed).choice(1000, 20, replace=False)
            found = [vk.check(data.record(int(i)), release, runs=20).facts for i in people]
            return {
                "found in repetitions": float(
                    np.mean([f["repeated"]["found"] / 20 for f in found])
                ),
                "linked by maximum_rank": float(linked(data, masked, "maximum_rank").mean()),
            }

        for part, values in collect(max(1, runs // 3), once).items():
            yield f"noise {scale:g} sd, repeated runs, {part}", values, before


def main(runs: int) -> None:
    sections = [
        passing(runs), attacks(runs), example(), outsiders(runs), power(runs), estimate(runs),
        paper_draws(), repeated(runs),
    ]  # fmt: skip
    lines = [
        "# What a check by distance misses",
        "",
        f"Means and standard deviations over {runs} runs (power: {3 * runs}), n = 1000, m = 3",
        "unless said otherwise; written by verification_figures.py.",
        "",
        "| figure | mean | sd | before |",
        "|---|---|---|---|",
    ]
    for section in sections:
        for name, values, before in section:
            line = f"| {name} | {np.mean(values):.4g} | {np.std(values):.3g} | {before} |"
            print(line, flush=True)
            lines.append(line)
    Path(__file__).with_name("FIGURES.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
