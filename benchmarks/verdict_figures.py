"""How often the check warns people, rightly and by mistake: measured anew, with standard errors.

Run with  python benchmarks/verdict_figures.py [tables]   (20 tables a line take some minutes)

A false alarm is a "warning about you" to somebody who is not in the table: a fresh sample of the
same population. Power is the share of people in the table who are warned. Table t is drawn with
seed t and masked with it. People of one table are alike, so the standard error is that of the means
of the tables; where all tables agree it is 0. FIGURES.md holds what came out.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, combinations

import numpy as np
import pandas as pd

import verikit as vk
from verikit.widgets._selfcheck import ALL, AlphaSpending

ALPHA, LOOSE = 0.01, 0.05
PEOPLE = 40
WAYS = ("each by itself", "divided by the sets so far", "with the page's count")
COARSE = ("individual ranking k = 10", "individual ranking k = 20")  # tables differ most here
Draw = Callable[[np.random.Generator, int], np.ndarray]
Facts = dict[str, float]


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
    """A line of the table: shares of warnings, with their error, and of the other two answers."""
    warned = np.array([c["warning-you"] / c.total() for c in found])
    error = warned.std(ddof=1) / np.sqrt(len(warned)) if len(warned) > 1 else np.nan
    total = sum(found, Counter())
    rest = " | ".join(f"{total[s] / total.total():.3f}" for s in ("no-warning", "cannot-tell"))
    return f"| {name} | {warned.mean():.4f} | {error:.4f} | {rest} | {total.total():,} |"


def false_alarms(
    tables: int, alpha: float, sizes: tuple[int, ...] = (20, 50, 300, 5000)
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


def every_set(tables: int, n: int = 1000) -> Iterator[str]:
    """People who are not in the table try all sets of two to five of five values, as on the page.

    Three ways to share: each set by itself, divided by the number of sets tried so far, and as the
    page counts. They begin with two values and add one after another, as boxes are filled; then
    come the other sets.
    """
    names = [f"a{j}" for j in range(5)]
    filled = [frozenset(names[:size]) for size in range(2, 6)]
    others = [frozenset(c) for size in (2, 3, 4) for c in combinations(names, size)]
    sets = list(dict.fromkeys([*filled, *others]))
    told: list[list[list[Facts]]] = []
    for seed in range(8 * tables):
        rng = np.random.default_rng(seed)
        release = vk.TableRelease.of(framed(rng.normal(size=(n, 5)))).prepare()
        people = framed(rng.normal(size=(PEOPLE // 4, 5))).to_dict("records")
        told.append([[looked(person, release, chosen) for chosen in sets] for person in people])
    for alpha in (ALPHA, LOOSE):
        for way in WAYS:
            who = f"not in the table, independent, n = {n}, any of {len(sets)} sets"
            found = [Counter(answer(sets, facts, alpha, way) for facts in part) for part in told]
            yield line(f"{who}, {way}, alpha {alpha:g}", found)


def looked(person: dict[str, float], release: vk.TableRelease, chosen: frozenset[str]) -> Facts:
    """How often others match as closely as a person by some of her values."""
    values = {name: value for name, value in person.items() if name in chosen}
    found: Facts = vk.check(values, release).facts["chance"]
    return found


def answer(sets: list[frozenset[str]], facts: list[Facts], alpha: float, way: str) -> str:
    """Whether any of several sets of her values leads to a warning, by a way of sharing."""
    looks, number, warned = AlphaSpending(frozenset().union(*sets)), 1, False
    for chosen, found in zip(sets, facts, strict=True):
        among = dict(zip(WAYS, (1, number, looks.at(chosen)), strict=True))[way]
        warned = warned or found["others"] <= alpha / among
        number += found["least"] <= alpha / number
        looks.count_attempt(chosen, {"chance": {**found, "alpha": alpha}})
    return "warning-you" if warned else "no-warning"


def power(tables: int) -> Iterator[str]:
    """People who are in the table, of 1000 records and three attributes."""
    masks: dict[str, Callable[[vk.Microdata, int], vk.TableRelease]] = {
        "not masked": lambda d, s: vk.TableRelease.of(d.frame),
        "individual ranking k = 3": lambda d, s: individually(d, 3, s),
        "individual ranking k = 10": lambda d, s: individually(d, 10, s),
        "individual ranking k = 20": lambda d, s: individually(d, 20, s),
        "noise .05 sd": lambda d, s: vk.mask.noise(d, scale=0.05, seed=s).release,
        "noise .5 sd": lambda d, s: vk.mask.noise(d, scale=0.5, seed=s).release,
    }
    for name, mask in masks.items():
        more = 8 if name in COARSE else 1
        for alpha in (ALPHA, ALPHA / ALL):
            found = []
            for seed in range(more * tables):
                data = vk.Microdata(framed(np.random.default_rng(seed).normal(size=(1000, 3))))
                people = data.frame.head(PEOPLE if more == 1 else PEOPLE // 2)
                found.append(states(people, mask(data, seed), alpha))
            yield line(f"in the table, {name}, alpha {alpha:g}", found)


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
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    parts = [false_alarms(tables, ALPHA, (300, 5000)), false_alarms(tables, LOOSE)]
    parts += [part(tables) for part in (every_set, power, rounded)]
    print("| who, and which table | warned | standard error | no warning | cannot tell | N |")
    print("|---|---|---|---|---|---|")
    for said in chain(*parts):
        print(said, flush=True)


if __name__ == "__main__":
    main()
