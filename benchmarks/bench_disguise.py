"""Disguising distributions: 1e6 values on 4,096 leaves, with fakes and without.

Run with  python benchmarks/bench_disguise.py [--small]
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from _timing import Row, cpu, write

import verikit as vk
from verikit.targets import Tolerance, balanced
from verikit.targets._disguise_group import disguise_group, with_fakes
from verikit.targets._distributions import tree_of

LEAVES, FAKES = 4_096, 50


def values(number: int) -> np.ndarray:
    """Values of a normal distribution, which a uniform target does not fit."""
    drawn = np.random.default_rng(1).normal(LEAVES / 2, LEAVES / 8, number)
    return np.clip(drawn, 0, LEAVES - 1).astype(np.int64)


def table(number: int) -> vk.Microdata:
    """The values beside a quasi-identifier."""
    drawn = values(number)
    frame = pd.DataFrame({"age": drawn % 70, "pay": drawn})
    return vk.Microdata(frame, vk.Schema((vk.Column("age"), vk.Column("pay", "sensitive"))))


def measured(number: int) -> list[Row]:
    """The algorithms on so many values."""
    hierarchy, drawn = balanced(range(LEAVES)), values(number)
    tree, goals = tree_of(hierarchy, numeric=True), ("<= 0.3 s", "<= 1.5 s")
    goal = goals if number == 10**6 else ("-", "-")
    alone = cpu(
        lambda: disguise_group([(tree_of(hierarchy, numeric=True), drawn, Tolerance())], 0), 3
    )
    count = cpu(lambda: np.bincount(drawn, minlength=LEAVES), 3)
    fakes = cpu(lambda: disguise_group([(tree, drawn, Tolerance())], FAKES), 1)
    return [
        Row(f"Algorithm 3, {number:,} values", alone, "counting them", count, goal[0]),
        Row(f"{FAKES} fakes, {number:,} values", fakes, "without fakes", alone, goal[1]),
    ]


def after_counting(number: int) -> Row:
    """What is left to do once the values are counted: the same for any number of them."""
    tree = tree_of(balanced(range(LEAVES)), numeric=True)
    shares = np.bincount(values(100_000), minlength=LEAVES) / 100_000
    few, many = (np.random.default_rng(2).multinomial(n, shares) for n in (10_000, number))
    ours = cpu(lambda: with_fakes(tree, many, FAKES), 2)
    other = cpu(lambda: with_fakes(tree, few, FAKES), 2)
    return Row(
        f"{FAKES} fakes, {number:,} counted values", ours, "10,000 of them", other, "about 1"
    )


def dearest(number: int) -> Row:
    """Values that fit their target nearly, so that every fake changes much: the dearest seen."""
    tree = tree_of(balanced(range(LEAVES)), numeric=True)
    even = np.random.default_rng(3).multinomial(number, [1 / LEAVES] * LEAVES)
    ours = cpu(lambda: with_fakes(tree, even, FAKES), 2)
    drawn = np.repeat(np.arange(LEAVES), even)
    alone = cpu(lambda: disguise_group([(tree, drawn, Tolerance())], 0), 2)
    return Row(f"{FAKES} fakes, {number:,} even values", ours, "without fakes", alone, "<= 1.5 s")


def whole(number: int) -> Row:
    """The mask beside another that publishes two tables."""
    data, hierarchy = table(number), balanced(range(LEAVES))
    ours = cpu(lambda: vk.mask.disguise(data, hierarchy=hierarchy, seed=1), 1)
    one = vk.Partition(np.zeros(number, np.intp))
    other = cpu(lambda: vk.mask.anatomize(data, partition=one, seed=1), 1)
    return Row(f"mask.disguise, {number:,} rows", ours, "mask.anatomize", other, "-")


if __name__ == "__main__":
    sizes = (10**4, 10**5) if "--small" in sys.argv else (10**4, 10**5, 10**6)
    found = [row for number in sizes for row in measured(number)]
    counted = [after_counting(number) for number in (10**6, 10**9)]
    write("Disguised distributions", [*found, *counted, dearest(10**6), whole(sizes[-1])])
