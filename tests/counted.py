"""Places over attributes of every kind as the text says them, by counting one row at a time."""

import numpy as np

from verikit.hierarchy import Hierarchy

TREE = Hierarchy.of({"all": {"care": ["nurse", "doctor", "aide"], "law": ["judge", "clerk"]}})
ABOVE = {"nurse": "care", "doctor": "care", "aide": "care", "judge": "law", "clerk": "law"}


def share_groups(one, other, tree):
    """How many groups below the whole two values share, the value itself counted in."""
    return int(one == other) + (int(ABOVE[one] == ABOVE[other]) if tree else 0)


def places_of(value, column, kind):
    """The places of all rows of a column from a value, as the text says it."""
    if kind == "ranks":
        ranks = sorted(column)
        ends = {v: (ranks.index(v) + 1, len(ranks) - ranks[::-1].index(v)) for v in column}
        near = min(abs(v - value) for v in column)
        hers = [ends[v] for v in column if abs(v - value) == near]
        low, high = min(a for a, _ in hers), max(b for _, b in hers)
        return [max(ends[v][0] - high, low - ends[v][1], 0) for v in column]
    shared = [share_groups(value, v, kind == "tree") for v in column]
    nearest = max(shared)
    return [0 if s == nearest else 1 + sum(s < other < nearest for other in shared) for s in shared]


def find_distance(record, table, kinds):
    """The places to the closest row, at worst over the attributes."""
    each = [places_of(v, c, k) for v, c, k in zip(record, table, kinds, strict=True)]
    return min(max(of) for of in zip(*each, strict=True))


def draw_table(seed, kinds, n):
    rng = np.random.default_rng(seed)
    draw = {
        "ranks": lambda: rng.integers(0, rng.choice([3, 9, 50]), n).tolist(),
        "tree": lambda: rng.choice([*ABOVE][: rng.integers(2, 6)], n).tolist(),
        "equal": lambda: rng.choice([*"abc"], n).tolist(),
    }
    return [draw[kind]() for kind in kinds]
