"""How often the check warns people, rightly and by mistake: measured anew, with standard errors.

Run with  python benchmarks/verdict_figures.py [tables]   (10 tables a line take about a minute)

A false alarm is a "warning about you" to somebody who is not in the table: a fresh sample of the
same population. Power is the share of people in the table who are warned. People of one table are
alike, so the standard error is that of the means of the tables; where all tables agree it is 0.

Measured, share of "warning about you" (standard error); N people in all.

Not in the table, alpha .05, n = 20 / 50 / 300 (N = 800 each); in brackets how many "cannot tell":
    independent            .031 (.008) [.05]   .018 (.005) [0]     .039 (.008) [0]
    x and its square       0 [1]               0 [1]               0 [1]
    correlation .95        .034 (.012) [.55]   .015 (.005) [.40]   .019 (.004) [0]
    clusters of ten        .022 (.008) [0]     .005 (.002) [.20]   .011 (.004) [0]
    two coarse, one fine   .031 (.010) [.60]   .004 (.004) [.90]   .009 (.006) [.90]
    integers               .018 (.005) [.15]   .006 (.003) [.10]   .028 (.008) [.45]
The same, alpha .01 (N = 1000 each): 0 and "cannot tell" for all at n = 20 and 50, where one of
n + 1 is more than .01; at n = 300 independent .009 (.004), correlation .95 .005 (.003), clusters
of ten 0, and 0 for the others, who are told "cannot tell".
Any of 20 looks, n = 2500, alpha .01 (N = 20 only): looks=1 .15 (.05), looks=20 0.
In the table, n = 1000, m = 3, alpha .01 (N = 200 each): not masked 1, individual ranking k = 3 1
and k = 10 .75 (.04), noise of .05 sd .18 (.05), of .5 sd .015 (.010). Not masked but rounded to
sd/1, sd/2, sd/5, sd/10: "cannot tell" for all; to sd/20: 1. Never "no warning".
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, combinations

import numpy as np
import pandas as pd

import verikit as vk

ALPHA, LOOSE = 0.01, 0.05
PEOPLE = 40
Draw = Callable[[np.random.Generator, int], np.ndarray]


def related(correlation: float, m: int) -> Draw:
    """Normal columns that all hang together as much as each other."""

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        own, shared = rng.normal(size=(n, m)), rng.normal(size=(n, 1))
        return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own

    return draw


def square(rng: np.random.Generator, n: int) -> np.ndarray:
    """A value and nearly its square: dependent, and not correlated."""
    x = rng.normal(size=n)
    return np.column_stack([x, x**2 + 0.05 * rng.normal(size=n)])


def clusters(rng: np.random.Generator, n: int) -> np.ndarray:
    """People in groups of ten who resemble each other; the groups are the same in every sample."""
    centres = np.random.default_rng(0).normal(size=(max(2, n // 10), 3))
    return centres[rng.integers(0, len(centres), n)] + 0.05 * rng.normal(size=(n, 3))


def coarse(rng: np.random.Generator, n: int) -> np.ndarray:
    """Two columns of few values and a fine one."""
    values = rng.normal(size=(n, 3))
    values[:, :2] = values[:, :2].round()
    return values


def integers(rng: np.random.Generator, n: int) -> np.ndarray:
    """Whole numbers of some thirty values."""
    return (5 * rng.normal(size=(n, 3))).round()


WORLDS: dict[str, Draw] = {
    "independent": related(0, 3),
    "x and its square": square,
    "correlation .95": related(0.95, 3),
    "clusters of ten": clusters,
    "two coarse, one fine": coarse,
    "integers": integers,
}


def framed(values: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(values, columns=[f"a{j}" for j in range(values.shape[1])])


def states(people: pd.DataFrame, release: vk.TableRelease, alpha: float = ALPHA) -> Counter[str]:
    prepared = release.prepare()
    return Counter(
        vk.check(person, prepared, alpha=alpha).headline.state
        for person in people.to_dict("records")
    )


def line(name: str, found: list[Counter[str]]) -> str:
    warned = np.array([c["warning-you"] / c.total() for c in found])
    error = warned.std(ddof=1) / np.sqrt(len(warned)) if len(warned) > 1 else np.nan
    total = sum(found, Counter())
    rest = ", ".join(f"{s} {total[s] / total.total():.3f}" for s in ("no-warning", "cannot-tell"))
    return f"{name}: warning-you {warned.mean():.4f} ({error:.4f}), {rest}; N = {total.total()}"


def false_alarms(
    tables: int, alpha: float, sizes: tuple[int, ...] = (20, 50, 300)
) -> Iterator[str]:
    """People who are not in the table, in each world and size."""
    for world, draw in WORLDS.items():
        for n in sizes:
            found = []
            for seed in range(tables):
                rng = np.random.default_rng(seed)
                release = vk.TableRelease.of(framed(draw(rng, n)))
                found.append(states(framed(draw(rng, PEOPLE)), release, alpha))
            yield line(f"not in the table, {world}, n = {n}, alpha {alpha:g}", found)


def several_looks(tables: int) -> Iterator[str]:
    """People who are not in the table try all 20 pairs and triples of five values."""
    names = [f"a{j}" for j in range(5)]
    sets = [list(c) for size in (2, 3) for c in combinations(names, size)]
    for looks in (1, len(sets)):
        found = []
        for seed in range(tables):
            rng = np.random.default_rng(seed)
            release = vk.TableRelease.of(framed(rng.normal(size=(2500, 5)))).prepare()
            people = framed(rng.normal(size=(PEOPLE // 8, 5)))
            warned = np.zeros(len(people), bool)
            for chosen in sets:
                for at, person in enumerate(people[chosen].to_dict("records")):
                    report = vk.check(person, release, alpha=ALPHA, looks=looks)
                    warned[at] |= report.headline.state == "warning-you"
            words = ("no-warning", "warning-you")
            found.append(Counter({s: int((warned == at).sum()) for at, s in enumerate(words)}))
        yield line(f"not in the table, any of 20 looks, n = 2500, looks={looks}", found)


def power(tables: int) -> Iterator[str]:
    """People who are in the table, of 1000 records and three attributes."""
    masks: dict[str, Callable[[vk.Microdata, int], vk.TableRelease]] = {
        "not masked": lambda d, s: vk.TableRelease.of(d.frame),
        "individual ranking k = 3": lambda d, s: individually(d, 3, s),
        "individual ranking k = 10": lambda d, s: individually(d, 10, s),
        "noise .05 sd": lambda d, s: vk.mask.noise(d, scale=0.05, seed=s).release,
        "noise .5 sd": lambda d, s: vk.mask.noise(d, scale=0.5, seed=s).release,
    }
    for name, mask in masks.items():
        found = []
        for seed in range(tables):
            data = vk.Microdata(framed(np.random.default_rng(seed).normal(size=(1000, 3))))
            found.append(states(data.frame.head(PEOPLE), mask(data, seed)))
        yield line(f"in the table, {name}", found)


def individually(data: vk.Microdata, k: int, seed: int) -> vk.TableRelease:
    return vk.mask.microaggregate(data, k=k, method="individual", seed=seed).release


def rounded(tables: int) -> Iterator[str]:
    """People in a table that was only rounded."""
    for parts in (1, 2, 5, 10, 20):
        found = []
        for seed in range(tables):
            values = np.random.default_rng(seed).normal(size=(1000, 3))
            table = framed((values * parts).round())
            found.append(states(table.head(PEOPLE), vk.TableRelease.of(table)))
        yield line(f"in the table, not masked, rounded to sd/{parts}", found)


def main() -> None:
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    parts = [false_alarms(tables, ALPHA), false_alarms(tables, LOOSE)]
    parts += [part(tables) for part in (several_looks, power, rounded)]
    for said in chain(*parts):
        print(said, flush=True)


if __name__ == "__main__":
    main()
