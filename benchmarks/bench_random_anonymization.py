"""Random anonymization: drawing a million records anew, rules of Adult, links of Adult.

Run with  python benchmarks/bench_random_anonymization.py [<folder of Adult>]
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from _timing import Row, cpu, race, write
from random_anonymization import QI, people

import verikit as vk
from verikit.utility._associations import itemsets

N, WIDTH = 10**6, 9


def table() -> vk.Microdata:
    """A million records of nine attributes, one of them a number, as many values as Adult has."""
    rng = np.random.default_rng(1)
    sizes = (72, 7, 16, 7, 6, 5, 2, 41, 2)
    frame = pd.DataFrame({f"A{k}": rng.integers(0, size, N) for k, size in enumerate(sizes)})
    kinds = ("numeric", *("nominal",) * (WIDTH - 1))
    columns = (vk.Column(f"A{k}", kind=kind) for k, kind in enumerate(kinds))
    return vk.Microdata(frame, vk.Schema(tuple(columns)))


def drawing(data: vk.Microdata, changed: int) -> None:
    """The draws alone: which attributes of each record, whose value, and that value."""
    rng = np.random.default_rng(1)
    left = np.full(len(data), changed)
    for k, name in enumerate(data.schema.names):
        picked = rng.random(len(data)) * (WIDTH - k) < left
        left -= picked
        rows = np.flatnonzero(picked)
        data.frame[name].array.take(rng.integers(len(data), size=len(rows)))


def redrawn() -> list[Row]:
    """The whole call beside the draws."""
    data, rows = table(), []
    for changed in (1, 4, 9):
        found = race(
            {
                "ours": lambda c=changed: vk.mask.randomize(
                    data, changed=c, probabilities="equal", seed=1
                ),
                "draws": lambda c=changed: drawing(data, c),
            },
            5,
        )
        goal = "<= 3"
        job = f"randomize 1e6 x 9, {changed} drawn"
        rows.append(Row(job, found["ours"], "drawing the values", found["draws"], goal))
    return rows


def of_adult(folder: str) -> list[Row]:
    """Sets at 8 % beside mlxtend's own Apriori, and links by likelihood beside 5 s."""
    from mlxtend.frequent_patterns import apriori

    data = people(folder)

    def plainly() -> pd.DataFrame:
        held = pd.get_dummies(data.frame.astype(str), prefix_sep="\x00")
        return apriori(held, min_support=0.08, use_colnames=True)

    found = race({"ours": lambda: itemsets(data, 0.08), "theirs": plainly}, 3)
    rows = [Row("sets of Adult at 8 %", found["ours"], "mlxtend apriori", found["theirs"], "<= 1")]
    for changed in (1, 4, 9):
        release, _ = vk.mask.randomize(data, changed=changed, probabilities="equal", seed=1)
        for names in (None, QI):
            took = cpu(
                lambda r=release, n=names: vk.link(data, r, attack="likelihood", attributes=n), 1
            )
            job = f"links of Adult, {changed} drawn, {len(names or data.schema)} attributes"
            rows.append(Row(job, took, "5 s", 5, "<= 1"))
    return rows


if __name__ == "__main__":
    write("Random anonymization", redrawn() + (of_adult(sys.argv[1]) if sys.argv[1:] else []))
