"""What holds where incomes are missing: a stand-in for EU-SILC, in which 18 of 100 are.

Run with  python benchmarks/missing_incomes.py [releases]   (20 releases take about a minute)
It prints the table that stands in FIGURES.md. Incomes are deleted at random, or the more likely
the higher they are; people who are in no table are checked, and questions are asked whose true
answers are known.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import numpy as np
import pandas as pd

import verikit as vk

RECORDS, OUTSIDERS, MISSING, ALPHA = 1000, 40, 0.18, 0.01
WAYS = ("none", "at random", "high incomes")


def people(count: int, rng: np.random.Generator) -> pd.DataFrame:
    """Age, hours of work and income, which go together as in surveys of income."""
    age = rng.integers(16, 85, count)
    hours = np.where(age < 65, np.clip(rng.normal(36, 11, count), 0, 80), 0).round()
    scale = 9.3 + 0.012 * np.minimum(age, 60) + 0.015 * hours
    return pd.DataFrame(
        {"age": age, "hours": hours, "income": np.exp(rng.normal(scale, 0.5)).round(2)}
    )


def without(frame: pd.DataFrame, way: str, rng: np.random.Generator) -> pd.DataFrame:
    """The same with 18 of 100 incomes missing, chosen in one of the ways."""
    if way == "none":
        return frame
    chance = np.ones(len(frame)) if way == "at random" else frame["income"].rank().to_numpy() ** 3
    gone = rng.choice(len(frame), round(MISSING * len(frame)), False, chance / chance.sum())
    hidden = np.isin(np.arange(len(frame)), gone)
    return frame.assign(income=frame["income"].mask(hidden))


def once(way: str, seed: int, outsiders: int = OUTSIDERS) -> Mapping[str, int]:
    """One table, masked, with values deleted: who is answered and warned, what intervals hold."""
    rng = np.random.default_rng(seed)
    original = people(RECORDS, rng)
    masked = vk.mask.noise(vk.Microdata(original), scale=0.1, seed=seed).release
    published = vk.TableRelease.of(without(masked.frame, way, rng)).prepare()
    others = people(outsiders, rng).to_dict("records")
    reports = [vk.check(one, published) for one in others]
    covers = vk.TableRelease.of(without(original, way, rng), promise="covers")
    held = 0
    for low in (limits := np.quantile(original["income"], [0.1, 0.3, 0.5, 0.7, 0.9]).tolist()):
        found = vk.answer(f"select count(*) from t where income > {low}", covers)
        held += int(found.lower <= (original["income"] > low).sum() <= found.upper)
    return {
        "people": len(others),
        "answered": sum("income" in set(one.attributes["attribute"]) for one in reports),
        "warned": sum(one.warned for one in reports),
        "questions": len(limits),
        "held": held,
    }


def figures(way: str, releases: int, outsiders: int = OUTSIDERS) -> Mapping[str, int]:
    """The sums over several releases."""
    found = [once(way, seed, outsiders) for seed in range(releases)]
    return {name: sum(int(one[name]) for one in found) for name in found[0]}


def most(people_checked: int) -> float:
    """The most warnings by mistake that alpha allows, and two standard errors."""
    return people_checked * ALPHA + 2 * np.sqrt(people_checked * ALPHA * (1 - ALPHA))


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print("| missing incomes | people | answered | warned by mistake | at most | intervals right |")
    print("|---|---|---|---|---|---|")
    for each in WAYS:
        sums = figures(each, wanted)
        print(
            f"| {each} | {sums['people']} | {sums['answered']} | {sums['warned']} | "
            f"{most(sums['people']):.1f} | {sums['held']} of {sums['questions']} |"
        )
