"""Small random tables, and what every node of their lattices comes to when counted one by one."""

from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest

import verikit as vk


def random_tree(rng, values):
    """A hierarchy of random height over the values: each level merges some neighbours."""
    rows = [[str(value)] for value in values]
    for level in range(int(rng.integers(0, 4))):
        names = list(dict.fromkeys(row[-1] for row in rows))
        group = {name: int(rng.integers(0, max(1, len(names) // 2))) for name in names}
        for row in rows:
            row.append(f"L{level + 1}g{group[row[-1]]}")
    if len(rows) > 1 or rng.random() < 0.5:
        for row in rows:
            row.append("*")
    return vk.Hierarchy.of_rows(rows)


def random_table(seed, gaps=False):
    """Up to 14 records of one to three quasi-identifiers, numbers and categories."""
    rng = np.random.default_rng(seed)
    records = int(rng.integers(2, 15))
    frame, columns = {}, []
    for place in range(int(rng.integers(1, 4))):
        numeric = bool(rng.random() < 0.4)
        size = int(rng.integers(1, 6))
        values = np.arange(size) * 3 if numeric else np.array([f"v{i}" for i in range(size)])
        cells = values[rng.integers(0, size, records)].astype(object)
        if gaps:
            cells[rng.random(records) < 0.2] = None
        kind = "numeric" if numeric else "nominal"
        columns.append(vk.Column(f"Q{place}", "quasi", kind, random_tree(rng, values)))
        frame[f"Q{place}"] = cells
    columns.append(vk.Column("S", "sensitive", "nominal"))
    frame["S"] = [f"s{i % 3}" for i in range(records)]
    return vk.Microdata(pd.DataFrame(frame), vk.Schema(tuple(columns)))


def label(tree, value, level):
    """A value on a level; a missing one stands for itself until the root covers it too."""
    if value is None or value != value:
        return tree.root if level == tree.height else None
    return tree.level(value, level)


def counted(data, k):
    """For every node: how many records stand in small classes, what it costs, and the classes."""
    trees = [column.hierarchy for column in data.schema.quasi]
    rows = [[data.record(i)[c.name] for c in data.schema.quasi] for i in range(len(data))]
    found = {}
    for node in product(*(range(tree.height + 1) for tree in trees)):
        classes = [
            tuple(
                label(tree, value, level)
                for tree, value, level in zip(trees, row, node, strict=True)
            )
            for row in rows
        ]
        sizes = Counter(classes)
        short = sum(size for size in sizes.values() if size < k)
        kept = sum(size**2 for size in sizes.values() if size >= k)
        found[node] = (short, kept + short * len(rows), classes)
    return found


@cache
def case(seed, gaps):
    """A random request with the truth about all nodes: table, k, share allowed, truth."""
    data = random_table(seed, gaps)
    rng = np.random.default_rng([seed, 1])
    k = int(rng.integers(1, min(len(data), 5) + 1))
    share = float(rng.choice([0, 0, 0.1, 0.25, 0.5, 1]))
    return data, k, share, counted(data, k)


@pytest.fixture(scope="session")
def exhaustive():
    """Random requests, each with the truth about all nodes."""
    return lambda count, first=0, gaps=False: (case(first + seed, gaps) for seed in range(count))


@pytest.fixture
def table2():
    """The five readable rows of the survey's Table 2 with their hierarchies."""
    return vk.load("ks_table2_unmasked")
