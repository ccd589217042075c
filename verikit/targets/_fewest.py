"""The fewest generalizations that show a target: node by node as many values down as fit."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

import numpy as np

from verikit._support.arrays import Ints
from verikit.targets._tree import Slots, Tree, reduced

__all__ = ["allocation", "fewest", "units"]


def units(there: Sequence[int], ratio: Sequence[int], most: int) -> int:
    """How many times a ratio fits into the numbers there are, and into a bound on their sum."""
    total = sum(ratio)
    if not total:
        return 0
    fits = (number // weight for number, weight in zip(there, ratio, strict=True) if weight)
    return min(most // total, *fits)


def allocation(there: Sequence[int], weights: Sequence[int], most: int) -> tuple[int, ...]:
    """Give the greatest numbers in the ratio of some weights, within what there is and a bound.

    Examples
    --------
    >>> allocation((3, 6, 5), (1, 2, 1), 10), allocation((3, 6, 5), (1, 2, 1), 3)
    ((2, 4, 2), (0, 0, 0))
    """
    ratio = reduced(weights)
    found = units(there, ratio, most)
    return tuple(found * weight for weight in ratio)


def fewest(tree: Tree, leaves: Ints, top: int | None = None) -> Slots:
    """Give how often each node is published: Algorithm 3.

    ``leaves`` is the place of the leaf of each value, in ascending order. Only what lies below
    ``top`` is published, and nothing is raised above it. One counting pass, then O(nodes) whatever
    the number of values; few values are looked up and never counted.

    Examples
    --------
    >>> import numpy as np
    >>> from verikit.targets import balanced
    >>> from verikit.targets._tree import tree_of
    >>> tree = tree_of(balanced([30, 40, 50, 60]), numeric=True)
    >>> slots = fewest(tree, np.array([0, 0, 1, 1, 2, 3]))
    >>> {tree.names[node]: number for node, number in slots.items()}
    {'[30, 60]': 2, '60': 1, '50': 1, '40': 1, '30': 1}
    """
    before = _before(leaves, len(tree.leaves))
    first, last = tree.first, tree.last

    def below(node: int) -> int:
        return before(last[node]) - before(first[node])

    start = tree.root if top is None else top
    slots: Slots = {}
    todo = [(start, below(start))]
    while todo:
        node, kept = todo.pop()
        children, ratio = tree.children[node], tree.ratio[node]
        found = units([below(child) for child in children], ratio, kept) if children else 0
        if kept > found * sum(ratio):
            slots[node] = kept - found * sum(ratio)
        if found:
            todo += [(c, found * w) for c, w in zip(children, ratio, strict=True) if w]
    return slots


def _before(leaves: Ints, size: int) -> Callable[[int], int]:
    """How many values lie left of a leaf: looked up among few, counted among many."""
    if len(leaves) * 8 < size:
        values = leaves.tolist()
        return lambda at: bisect_left(values, at)
    counted: list[int] = [0, *np.cumsum(np.bincount(leaves, minlength=size)).tolist()]
    return counted.__getitem__
