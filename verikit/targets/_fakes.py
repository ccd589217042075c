"""Values that are nobody's, added where they save most generalization: Algorithm 4, corrected.

Dynamic programming: one pass from the leaves to the root gives the least cost for every number of
fakes at once. A node that must keep some values publishes ``c`` times the ratio of its children
below itself and the
rest as itself; which ``c`` can be best follows from the counts and the number of fakes alone, so
the tables do not grow with the data. Nothing is assumed about the shape of the costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Ints, Values
from verikit.errors import InfeasibleError
from verikit.targets._tree import Tree

MAX_EXACT = 2**53
MAX_COSTS = 2**26  # costs that are held for a group, half a gigabyte of numbers
MAX_FAKES = 8_191  # fakes, of which a table of costs is as large


class Plan(NamedTuple):
    """By node the numbers of values it may have to keep, and how many times its ratio may fit."""

    kept: list[Values]
    fits: list[Values]
    below: list[int]


def costs_with_fakes(tree: Tree, counts: Ints, most: int) -> Values:
    """Give the least sum of ranges, in units, with exactly 0, 1, ... fakes."""
    tables = _make_tables(tree, counts, most)[1]
    return _diagonal(tables[tree.root])


def with_fakes(tree: Tree, counts: Ints, most: int) -> Ints:
    """Give how many fakes to add to each leaf: the fewest in all that reach the least cost.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._tree import tree_of
    >>> tree = tree_of(balanced(range(1, 9)), numeric=True)
    >>> costs_with_fakes(tree, np.array([1, 0, 1, 0, 1, 0, 1, 0]), 4).astype(int).tolist()
    [4, 11, 10, 17, 0]
    >>> with_fakes(tree, np.array([1, 0, 1, 0, 1, 0, 1, 0]), 4).tolist()
    [0, 1, 0, 1, 0, 1, 0, 1]
    """
    plan, tables = _make_tables(tree, counts, most)
    number = int(np.argmin(_diagonal(tables[tree.root])))
    fakes = np.zeros(len(counts), np.int64)
    todo = [(tree.root, number, number)]  # a node, the row of its table, its fakes
    while todo:
        node, row, number = todo.pop()
        if not tree.children[node]:
            fakes[tree.first[node]] = number
        elif number:
            todo += _choose_children(tree, plan, tables, node, row, number)
    return fakes


def _diagonal(table: Values) -> Values:
    """At the root, which keeps all there is: the cost with k fakes and k values more."""
    return np.asarray(table[np.arange(len(table)), np.arange(len(table))])


def _make_tables(tree: Tree, counts: Ints, most: int) -> tuple[Plan, list[Values]]:
    plan = _plan_counts(tree, counts, most)
    # refuse tables of costs that are too large, before they are made
    lines = sum(map(len, plan.kept))
    if lines * (most + 1) > MAX_COSTS:
        raise InfeasibleError(
            f"fakes up to {most:,} need {lines * (most + 1):,} costs to be compared in a group, of "
            f"which the search takes up to {MAX_COSTS:,}; take fewer fakes, or a target of rounder "
            "weights (verikit.targets.rounded)."
        )
    bound = (plan.below[tree.root] + most) * tree.width[tree.root]
    kind: Any = np.float64 if bound < MAX_EXACT else object
    tables: list[Values] = [np.empty(0)] * len(tree.names)
    for node in tree.post:
        # the least cost below a node, by what it keeps (rows) and its fakes (columns)
        kept, there = plan.kept[node], plan.below[node] + np.arange(most + 1)
        table = np.zeros((len(kept), most + 1), kind)
        if tree.children[node]:
            down = _costs_of_children(tree, plan, tables, node)[-1]
            rest = kept[:, None] - sum(tree.ratio[node]) * plan.fits[node]
            width = tree.width[node]
            for row in range(len(kept)):
                fit = int(np.searchsorted(-rest[row], 0, "right"))
                own = (rest[row, :fit].astype(kind) * width)[:, None]
                table[row] = np.min(down[:fit] + own, axis=0, initial=np.inf)
        table[kept[:, None] > there] = np.inf
        tables[node] = table
    return plan, tables


def _plan_counts(tree: Tree, counts: Ints, most: int) -> Plan:
    """Plan from the root down what each node may have to keep."""
    below = tree.below(counts).tolist()
    kept: list[Values] = [np.empty(0, np.int64)] * len(tree.names)
    fits = list(kept)
    added = np.arange(most + 1)
    kept[tree.root] = below[tree.root] + added
    for node in reversed(tree.post):
        children, ratio = tree.children[node], tree.ratio[node]
        fits[node] = _list_fits(kept[node], [below[child] for child in children], ratio, added)
        for child, weight in zip(children, ratio, strict=True):
            kept[child] = weight * fits[node] if weight else np.zeros(1, np.int64)
    return Plan(kept, fits, below)


def _list_fits(kept: Values, there: Sequence[int], ratio: Sequence[int], added: Values) -> Values:
    """List how often a ratio may fit: the least of several steps, all of which grow with fakes."""
    total = sum(ratio)
    if not total:
        return np.zeros(1, np.int64)
    steps = [(n + added) // w for n, w in zip(there, ratio, strict=True) if w] + [kept // total]
    found = np.unique(np.concatenate(steps))
    low, high = min(step[0] for step in steps), min(step[-1] for step in steps)
    return np.asarray(found[(low <= found) & (found <= high)])


def _costs_of_children(tree: Tree, plan: Plan, tables: Sequence[Values], node: int) -> list[Values]:
    """Compute the least cost of the first child, the first two, ... by how often the ratio fits."""
    found: list[Values] = []
    for child, weight in zip(tree.children[node], tree.ratio[node], strict=True):
        part = (
            tables[child]
            if weight
            else np.broadcast_to(tables[child], (len(plan.fits[node]), tables[child].shape[1]))
        )
        found.append(_share_fakes(found[-1], part) if found else part)
    return found


def _share_fakes(left: Values, right: Values) -> Values:
    """Compute the least cost of two parts together, by the fakes that they share."""
    # a min-plus convolution; nothing is assumed about the shape of the costs
    found = left[:, :1] + right
    for number in range(1, left.shape[1]):
        part = left[:, number : number + 1] + right[:, :-number]
        np.minimum(found[:, number:], part, out=found[:, number:])
    return found


def _choose_children(
    tree: Tree, plan: Plan, tables: Sequence[Values], node: int, row: int, number: int
) -> list[tuple[int, int, int]]:
    """For each child the row of its table and its fakes, on the way to the least cost."""
    total, rows = sum(tree.ratio[node]), _costs_of_children(tree, plan, tables, node)
    rest = plan.kept[node][row] - total * plan.fits[node]
    own = np.maximum(rest, 0).astype(rows[-1].dtype) * tree.width[node]
    cost = np.where(rest >= 0, rows[-1][:, number] + own, np.inf)
    fit = int(np.argmin(cost))
    found = []
    for at in range(len(rows) - 1, -1, -1):
        child, weight = tree.children[node][at], tree.ratio[node][at]
        line = fit if weight else 0
        here = number
        if at:
            both = rows[at - 1][fit, : number + 1] + tables[child][line, number::-1]
            here = number - int(np.argmin(both))
        found.append((child, line, here))
        number -= here
    return found
