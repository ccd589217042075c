"""Searching the lattice of generalizations and cutting records by Mondrian, on real people.

Run with  python benchmarks/bench_k_anonymity.py [--small]
Needs the Adult data set and its hierarchies in the folder that VERIKIT_DATASETS names.
"""

from __future__ import annotations

import os
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
from _timing import Row, cpu, race, write

import verikit as vk
from verikit.lattice._lattice import Tally

K = 10


def people() -> vk.Microdata:
    """The 30,162 complete records with their eight quasi-identifiers only."""
    folder = Path(os.environ.get("VERIKIT_DATASETS", "nowhere"))
    data = vk.datasets.adult(folder / "adult", folder / "adult-hierarchies")
    schema = vk.Schema((*data.schema.quasi, *data.schema.sensitive))
    return vk.Microdata(data.frame[list(schema.names)], schema)


# -- the lattice ----------------------------------------------------------------------------------


def every_node(data: vk.Microdata, allowed: int) -> int:
    """The same counting, without any verdict drawn from another."""
    tally = Tally(data, K, "refuse")
    return sum(tally.count_short(node) <= allowed for node in tally.lattice)


def by_pandas(data: vk.Microdata, nodes: int) -> int:
    """What one writes without verikit: relabel the columns and count, node by node."""
    columns = data.schema.quasi
    texts = {column.name: data.frame[column.name].astype(str) for column in columns}
    lattice, safe = vk.lattice.Lattice.of(data), 0
    for node in islice(lattice, 0, None, len(lattice) // nodes):
        frame = pd.DataFrame({
            column.name: texts[column.name].map(
                {value: path[level] for value, path in column.hierarchy.levels.items()}
            )
            for column, level in zip(columns, node, strict=True)
        })  # fmt: skip
        safe += bool(frame.value_counts(sort=False).min() >= K)
    return safe


def lattice_rows(data: vk.Microdata, repeat: int) -> list[Row]:
    rows, sample = [], 40
    nodes = len(vk.lattice.Lattice.of(data))
    for share, goal, safe in ((0, "<= 0.040 s", 50), (0.05, "<= 0.35 s", 1937)):
        allowed = int(share * len(data))
        times = race(
            {
                "classify": lambda s=share: vk.lattice.classify(data, k=K, suppression=s),
                "every": lambda a=allowed: every_node(data, a),
                "pandas": lambda: by_pandas(data, sample),
                "incognito": lambda s=share: vk.lattice.incognito(data, k=K, suppression=s),
                "k_optimize": lambda s=share: vk.lattice.k_optimize(data, k=K, suppression=s),
            },
            repeat,
        )
        found = vk.lattice.classify(data, k=K, suppression=share)
        assert len(found.safe) == every_node(data, allowed) == safe
        job = f"all {nodes} nodes, suppression {share:.0%}"
        projected = times["pandas"] * nodes / sample
        rows += [
            Row(job, times["classify"], "counting each node", times["every"], goal),
            Row(job, times["classify"], f"pandas, from {sample} nodes", projected, "<= 0.025"),
            Row(f"incognito, {share:.0%}", times["incognito"], "each", times["every"], "-"),
            Row(f"k_optimize, {share:.0%}", times["k_optimize"], "each", times["every"], "-"),
        ]
    return rows


# -- Mondrian -------------------------------------------------------------------------------------


def plain_mondrian(columns: list[list[int]], scales: list[list[float]], k: int) -> list[int]:
    """Pure Python: one group after the other, in the order of the vectorized version."""
    labels, number = [0] * len(columns[0]), 0
    waiting = [list(range(len(columns[0])))]
    while waiting:
        rows = waiting.pop()
        parts = _halved(columns, scales, rows, k) if len(rows) >= 2 * k else None
        if parts:
            waiting += parts
            continue
        for row in rows:
            labels[row] = number
        number += 1
    return labels


def _halved(
    columns: list[list[int]], scales: list[list[float]], rows: list[int], k: int
) -> list[list[int]] | None:
    cells = [[column[row] for row in rows] for column in columns]
    widths = [
        scale[max(part)] - scale[min(part)] for scale, part in zip(scales, cells, strict=True)
    ]
    for place in sorted(range(len(columns)), key=lambda place: -widths[place]):
        if not widths[place]:
            return None
        part = cells[place]
        median = sorted(part)[(len(part) - 1) // 2]
        left = [row for row, cell in zip(rows, part, strict=True) if cell <= median]
        if k <= len(left) <= len(rows) - k:
            right = [row for row, cell in zip(rows, part, strict=True) if cell > median]
            return [right, left]
    return None


def coded(data: vk.Microdata) -> tuple[list[list[int]], list[list[float]]]:
    """Each quasi-identifier as places in its order, and where these lie between 0 and 1."""
    columns, scales = [], []
    for column in data.schema.quasi:
        codes, values = pd.factorize(data.scores(column.name), sort=True)
        numbers = values if column.kind == "numeric" else np.arange(len(values))
        columns.append(codes.tolist())
        scales.append(((numbers - numbers[0]) / (numbers[-1] - numbers[0])).tolist())
    return columns, scales


def mondrian_row(data: vk.Microdata, goal: str, repeat: int) -> list[Row]:
    columns, scales = coded(data)
    times = race(
        {
            "ours": lambda: vk.partition.mondrian(data, k=K),
            "plain": lambda: plain_mondrian(columns, scales, K),
        },
        repeat,
    )
    assert vk.partition.mondrian(data, k=K).labels.tolist() == plain_mondrian(columns, scales, K)
    relaxed = cpu(lambda: vk.partition.mondrian(data, k=K, relaxed=True, seed=1), repeat)
    size = f"{len(data):,} x {len(columns)}"
    return [
        Row(f"mondrian, {size}", times["ours"], "plain Python", times["plain"], goal),
        Row(f"mondrian relaxed, {size}", relaxed, "plain Python, strict", times["plain"], "-"),
    ]


def rows(small: bool = False) -> list[Row]:
    data = people()
    repeat = 2 if small else 5
    found = lattice_rows(data, repeat)
    found += mondrian_row(data, "<= 0.1, <= 0.045 s", repeat)
    if not small:
        many = data.take(np.random.default_rng(0).integers(0, len(data), 300_000))
        found += mondrian_row(many, "<= 0.1, <= 0.7 s", 2)
        partition = vk.partition.mondrian(data, k=K)
        times = race(
            {
                "publish": lambda: vk.mask.generalize(data, partition=partition, seed=1),
                "plain": lambda: data.take(data.canonical_order()),
            },
            repeat,
        )
        base = "sorting the records"
        found.append(Row("generalize by groups", times["publish"], base, times["plain"], "-"))
    return found


if __name__ == "__main__":
    write("Generalization: the lattice and Mondrian", rows("--small" in sys.argv))
