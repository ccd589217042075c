"""What is published of one group of values: the nodes, and the values that are nobody's."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, lcm
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Ints, Rows
from verikit.targets._fakes import MOST, with_fakes
from verikit.targets._fewest import fewest
from verikit.targets._placed import placed
from verikit.targets._tolerance import searched, shifted
from verikit.targets._tree import Slots, Tree

__all__ = ["MOST", "Disguise", "Near", "disguised"]


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


def disguised(tree: Tree, leaves: Ints, fakes: int, near: Near) -> Disguise:
    """Generalize the values of one group, given the place of the leaf of each."""
    counts = np.empty(0, np.int64)
    if fakes or near.tolerance or near.search:
        counts = np.bincount(leaves, minlength=len(tree.leaves)).astype(np.int64)
    target = shifted(tree, counts, near.tolerance) if near.tolerance and not near.search else tree
    made_up = np.empty(0, np.int64)
    if fakes:
        most = min(fakes, _enough(target, counts, fakes))
        made_up = np.repeat(np.arange(len(counts)), with_fakes(target, counts, most))
    every = np.concatenate([leaves, made_up])
    order = np.argsort(_small(every, len(tree.leaves)), kind="stable")
    ordered = every[order]
    slots = _slots(target, ordered, counts, near)
    nodes = np.empty(len(every), np.intp)
    nodes[order] = placed(tree, ordered, slots)
    return Disguise(nodes[: len(leaves)], nodes[len(leaves) :], tree.cost(slots))


def _enough(tree: Tree, counts: Ints, fakes: int) -> int:
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


def _slots(tree: Tree, ordered: Ints, counts: Ints, near: Near) -> Slots:
    return searched(tree, counts, near.tolerance) if near.search else fewest(tree, ordered)


def _small(leaves: Ints, size: int) -> Ints:
    """The places of leaves as numbers that are sorted by counting, where they are small enough."""
    return leaves.astype(np.uint16) if size <= 2**16 else leaves
