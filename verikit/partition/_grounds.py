"""The earth mover's distance of each class to the whole table, for three ground distances.

Each is a closed form over the pairs of class and value that occur, in whole numbers up to the last
division; what a class does not hold needs no work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Ints
from verikit.errors import SchemaError
from verikit.hierarchy import Hierarchy
from verikit.partition._counted import Counted
from verikit.words import listed

Ground: TypeAlias = Literal["equal", "ordered", "hierarchical"]

MAX_EXACT = 2**62


def equal_distance(held: Counted) -> Floats:
    """All values are equally far from each other: half the sum of the absolute differences.

    Only what a class holds too much of is added up; it lacks as much elsewhere.
    """
    sizes, total = held.sizes, held.total
    excess = _count_excess(held.count, sizes[held.owner], held.overall[held.place], total)
    return np.asarray(np.add.reduceat(excess, held.starts) / (sizes * total))


def _count_excess(count: Any, size: Any, overall: Any, total: int) -> Ints:
    """By how much a class exceeds the table's share, times its size and the table's."""
    return np.maximum(count * total - size * overall, 0)


def ordered_distance(held: Counted) -> Floats:
    """Values lie on a line, neighbours equally far: the mean absolute difference of what is below.

    Between two values that a class holds its cumulative count stands still while the table's
    grows, so each stretch is summed at once, from prefix sums, on either side of the crossing.

    Written out: at place i the class has held H of its records and the table B(i), and what must
    be carried on is |H / size - B(i) / total|. Over a stretch H stays and B only grows, so the
    difference changes its sign once, at ``cross``: before it H counts in full and B is taken off,
    behind it the other way round, which gives the two terms of ``work``. The places before the
    first value held, where H is 0, are ``before``. So the cost goes by the values that classes
    hold and not by classes times values. All of it is multiplied by size and total, to stay in
    whole numbers; only where these would not fit into 64 bits are they rounded.
    """
    steps = _count_steps(held)
    if steps < 1:
        return np.zeros(len(held.sizes))
    sizes, total, starts = held.sizes, held.total, held.starts
    exact = total**2 * (steps + 1) < MAX_EXACT
    below = np.cumsum(held.overall[: steps + 1]).astype(np.int64 if exact else np.float64)
    summed = np.concatenate([[0], np.cumsum(below)]).astype(below.dtype)
    size = sizes[held.owner]
    so_far = np.cumsum(held.count)
    so_far -= np.repeat(so_far[starts] - held.count[starts], np.diff(starts, append=len(so_far)))
    low = held.place
    high = np.append(low[1:], steps + 1)
    high[np.append(starts[1:], len(high)) - 1] = steps + 1
    cross = np.clip(np.searchsorted(below, so_far * total // size, "right"), low, high)
    work = so_far * total * (2 * cross - low - high) + size * (
        summed[low] + summed[high] - 2 * summed[cross]
    )
    before = sizes * summed[low[starts]]
    return np.asarray((np.add.reduceat(work, starts) + before) / (sizes * (total * steps)))


def _count_steps(held: Counted) -> int:
    """The number of steps from the first to the last value of the column's order."""
    column, values = held.column, held.values
    there = values.dropna().infer_objects()
    numbers = column.kind == "numeric" and pd.api.types.is_numeric_dtype(there)
    if not numbers and column.kind != "ordinal":
        raise SchemaError(
            f"Column {column.name!r} has no order to measure along; use ground='equal', or declare "
            "it ordinal with its order."
        )
    known = len(there) if numbers else len(column.categories or ())
    bad = (np.flatnonzero(held.overall[known:]) + known).tolist()
    if bad:
        raise SchemaError(
            f"{listed(held.shown(bad))} in column {column.name!r} has no place in its order; "
            "use ground='equal'."
        )
    return known - 1


def hierarchical_distance(held: Counted) -> Floats:
    """Values are as far as the level of their lowest common group, of all levels of the tree.

    That distance is the mean, over the levels below the root, of the equal distance between the
    groups of the level: on each level two values count as far until they share a group.
    """
    tree = held.column.hierarchy
    if tree is None:
        raise SchemaError(
            f"Column {held.column.name!r} has no hierarchy; give it one, or use ground='equal'."
        )
    leaf = _find_leaves(held, tree)
    order = np.lexsort((leaf[held.place], held.owner))
    owner, count = held.owner[order], held.count[order]
    overall = np.bincount(leaf[held.overall > 0], held.overall[held.overall > 0])
    sizes, total = held.sizes, held.total
    summed = np.zeros(len(sizes), np.int64)
    for level in range(tree.height):
        group = np.unique([tree.levels[v][level] for v in tree.order()], return_inverse=True)[1]
        at = group[leaf[held.place[order]]]
        starts = np.flatnonzero((np.diff(owner, prepend=-1) != 0) | (np.diff(at, prepend=-1) != 0))
        parts = np.bincount(group[: len(overall)], overall).astype(np.int64)
        excess = _count_excess(
            np.add.reduceat(count, starts), sizes[owner[starts]], parts[at[starts]], total
        )
        summed += np.add.reduceat(excess, np.flatnonzero(np.diff(owner[starts], prepend=-1)))
    return np.asarray(summed / (sizes * (total * max(tree.height, 1))))


def _find_leaves(held: Counted, tree: Hierarchy) -> Ints:
    """The place of each value among the leaves of the tree, from left to right."""
    places = {name: place for place, name in enumerate(tree.order())}
    names = held.named(range(len(held.values)))
    found = np.array([places.get(name, -1) for name in names], np.int64)
    bad = [names[at] for at in np.flatnonzero((found < 0) & (held.overall > 0))]
    if bad:
        raise SchemaError(
            f"{listed(bad)} in column {held.column.name!r} is no value at the bottom of its "
            "hierarchy; use ground='equal'."
        )
    return found


GROUNDS: dict[Ground, Callable[[Counted], Floats]] = {
    "equal": equal_distance,
    "ordered": ordered_distance,
    "hierarchical": hierarchical_distance,
}
