"""What is published of one group: nodes within a tolerance, and values that are nobody's."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm
from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Ints, Rows, Values
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.hierarchy import exact_fraction
from verikit.targets._allocation import find_fewest_nodes, place_values
from verikit.targets._fakes import with_fakes
from verikit.targets._tree import Slots, Tree
from verikit.words import text

MAX_VALUES = 10_000
MAX_EXACT_COST = 2**53


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far the published shares of siblings may be from those of a target.

    Parameters
    ----------
    share
        By how much at most, from 0 to 1; a fraction, a text such as ``"1/20"``, or a decimal.
    searched
        Whether the numbers below siblings are searched for the least cost, which a greater
        tolerance never raises; else the target is first moved as close to the data as it may be,
        as the paper prints it, which need not cost least.

    Examples
    --------
    >>> Tolerance("1/20", searched=True).share
    Fraction(1, 20)
    """

    share: Fraction | float | str = 0
    searched: bool = False

    def __post_init__(self) -> None:
        """Hold the share exactly."""
        found = exact_fraction(self.share, "tolerance")
        if not 0 <= found <= 1:
            raise RecordError(
                f"tolerance was given as {quoted(text(self.share))}; expected a share from 0 to 1.",
                field="tolerance",
                value=self.share,
            )
        object.__setattr__(self, "share", found)


def shift_target(tree: Tree, counts: Ints, tolerance: Fraction) -> Tree:
    """Give the target whose shares come as close to those of the data as a tolerance allows.

    The share of a child is compared with that of the values of its parent; where a parent has no
    value the target stays. What is published by it need not cost least (see `searched`).
    """
    below = tree.below(counts).tolist()
    ratio = list(tree.ratio)
    for node, children in enumerate(tree.children):
        if len(children) > 1 and below[node] and sum(ratio[node]):
            left, right = _find_two_children(tree, node)
            low, high = _share_limits(tree, node, tolerance)
            share = min(max(Fraction(below[left], below[left] + below[right]), low), high)
            ratio[node] = (share.numerator, share.denominator - share.numerator)
    return tree._replace(ratio=tuple(ratio))


def _find_two_children(tree: Tree, node: int) -> tuple[int, int]:
    if len(tree.children[node]) != 2:
        raise SchemaError(
            f"The node {quoted(tree.names[node])} has {len(tree.children[node])} children; a "
            "tolerance is defined for trees that part in two, such as verikit.targets.balanced "
            "gives."
        )
    left, right = tree.children[node]
    return left, right


def _share_limits(tree: Tree, node: int, tolerance: Fraction) -> tuple[Fraction, Fraction]:
    """The least and the greatest share that the first of two children may have."""
    left, right = tree.ratio[node]
    wished = Fraction(left, left + right)
    return max(wished - tolerance, Fraction(0)), min(wished + tolerance, Fraction(1))


class Room(NamedTuple):
    """For each number of values below the first child, how many may be below the second."""

    least: Ints
    most: Ints


def search_slots(tree: Tree, counts: Ints, tolerance: Fraction) -> Slots:
    """Give how often each node is published at the least cost within a tolerance.

    Numbers below siblings are chosen, not shares, so no rounding stands between the choice and
    what is published; a greater tolerance never costs more. The time grows with the square of the
    number of values.

    Raises
    ------
    InfeasibleError
        If there are too many values for that.
    """
    below = tree.below(counts).tolist()
    if below[tree.root] > MAX_VALUES:
        raise InfeasibleError(
            f"The best choice within a tolerance was asked for {below[tree.root]:,} values; it is "
            f"searched for up to {MAX_VALUES:,}, so leave out searched=True or make smaller groups."
        )
    kind: Any = np.float64 if below[tree.root] * tree.width[tree.root] < MAX_EXACT_COST else object
    # dynamic programming from the leaves up: the least cost below a node by what it keeps
    rooms: list[Room | None] = [None] * len(tree.names)
    costs: list[Values] = [np.zeros(n + 1, kind) for n in below]
    for node in tree.post:
        rooms[node] = _find_room(tree, node, below, tolerance)
        for kept in range(1, below[node] + 1) if tree.children[node] else ():
            costs[node][kept] = _find_best_split(tree, node, costs, rooms[node], kept)[0]
    return _read_slots(tree, costs, rooms, below[tree.root])


def _find_room(tree: Tree, node: int, below: list[int], tolerance: Fraction) -> Room | None:
    """Find which numbers of values below the two children of a node have shares that will do."""
    if len(tree.children[node]) < 2 or not sum(tree.ratio[node]):
        return None
    left, right = (below[child] for child in _find_two_children(tree, node))
    (a, b), (c, d) = (end.as_integer_ratio() for end in _share_limits(tree, node, tolerance))
    numbers = range(left + 1)
    most = [min(right, n * (b - a) // a) if a else right for n in numbers]
    least = [-(-n * (d - c) // c) if c else (0 if not n else right + 1) for n in numbers]
    return Room(np.array([min(n, right + 1) for n in least]), np.array(most))


def _find_best_split(
    tree: Tree, node: int, costs: list[Values], room: Room | None, kept: int
) -> tuple[Any, tuple[int, ...]]:
    """Find the least cost below a node that keeps some values, and how many its children keep."""
    children, width = tree.children[node], tree.width[node]
    if len(children) == 1:
        return costs[children[0]][kept], (kept,)
    if room is None:
        return kept * width, (0,) * len(children)
    first = np.arange(min(kept, len(room.most) - 1) + 1)
    second = np.minimum(room.most[: len(first)], kept - first)
    fits = second >= room.least[: len(first)]
    first, second = first[fits], second[fits]
    own = (kept - first - second).astype(costs[node].dtype) * width
    total = costs[children[0]][first] + costs[children[1]][second] + own
    at = int(np.argmin(total))
    return total[at], (int(first[at]), int(second[at]))


def _read_slots(tree: Tree, costs: list[Values], rooms: list[Room | None], kept: int) -> Slots:
    slots: Slots = {}
    todo = [(tree.root, kept)]
    while todo:
        node, number = todo.pop()
        down: tuple[int, ...] = ()
        if tree.children[node] and number:
            down = _find_best_split(tree, node, costs, rooms[node], number)[1]
            todo += zip(tree.children[node], down, strict=True)
        if number > sum(down):
            slots[node] = number - sum(down)
    return slots


class Near(NamedTuple):
    """How near a target is to be met: within a tolerance, and whether the best way is searched."""

    tolerance: Fraction = Fraction(0)
    search: bool = False


class Disguise(NamedTuple):
    """What is published of some values.

    Parameters
    ----------
    nodes
        The node of each value, in the order in which they were given.
    added
        The nodes of the values that are nobody's.
    cost
        The sum of the ranges of all nodes.
    """

    nodes: Rows
    added: Rows
    cost: Fraction


def disguise_group(tree: Tree, leaves: Ints, fakes: int, near: Near) -> Disguise:
    """Generalize the values of one group, given the place of the leaf of each."""
    counts = np.empty(0, np.int64)
    if fakes or near.tolerance or near.search:
        counts = np.bincount(leaves, minlength=len(tree.leaves)).astype(np.int64)
    target = (
        shift_target(tree, counts, near.tolerance) if near.tolerance and not near.search else tree
    )
    made_up = np.empty(0, np.int64)
    if fakes:
        most = min(fakes, _count_enough_fakes(target, counts, fakes))
        made_up = np.repeat(np.arange(len(counts)), with_fakes(target, counts, most))
    every = np.concatenate([leaves, made_up])
    order = np.argsort(
        every.astype(np.uint16) if len(tree.leaves) <= 2**16 else every, kind="stable"
    )
    ordered = every[order]
    slots = (
        search_slots(target, counts, near.tolerance)
        if near.search
        else find_fewest_nodes(target, ordered)
    )
    nodes = np.empty(len(every), np.intp)
    nodes[order] = place_values(tree, ordered, slots)
    return Disguise(nodes[: len(leaves)], nodes[len(leaves) :], tree.cost(slots))


def _count_enough_fakes(tree: Tree, counts: Ints, fakes: int) -> int:
    """How many fakes make every value fit as itself, which costs nothing; no more ever help.

    All that were asked for, where a value that is there has no weight.
    """
    share = {tree.root: Fraction(1)}
    for node in reversed(tree.post):
        whole = sum(tree.ratio[node])
        for child, weight in zip(tree.children[node], tree.ratio[node], strict=True):
            share[child] = share[node] * Fraction(weight, whole or 1)
    shares = [share[leaf] for leaf in tree.leaves]
    there = [(number, part) for number, part in zip(counts.tolist(), shares, strict=True) if number]
    if any(not part for _, part in there):
        return fakes
    parts = lcm(*(part.denominator for part in shares))
    times = max(ceil(number / (part * parts)) for number, part in there)
    return times * parts - int(counts.sum())
