"""Which value goes to which of the nodes that are published."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from verikit._support.arrays import Ints, Rows
from verikit.targets._tree import Tree

__all__ = ["fits", "placed"]


def fits(tree: Tree, leaves: Ints, slots: Mapping[int, int]) -> bool:
    """Whether each value can go to a node that covers it, each node used once: Definition 3.3.2.

    Nodes lie inside each other or apart, so it is enough that below no node more are published
    than there are values, and as many in all.
    """
    there = tree.below(np.bincount(leaves, minlength=len(tree.leaves))).tolist()
    used = [slots.get(node, 0) for node in range(len(tree.names))]
    for node in tree.post:
        used[node] += sum(used[child] for child in tree.children[node])
        if used[node] > there[node]:
            return False
    return bool(used[tree.root] == there[tree.root])


def placed(tree: Tree, leaves: Ints, slots: Mapping[int, int]) -> Rows:
    """Give a node to each value, in the order of the leaves; each node covers its value.

    Of the values up to the end of a node those without a node lie on a pile; the topmost lie below
    the node, since all that lie further down were put there before it began.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._tree import tree_of
    >>> tree = tree_of(balanced([30, 40, 50, 60]), numeric=True)
    >>> slots = {tree.numbers["40"]: 1, tree.numbers["[30, 60]"]: 1}
    >>> [tree.names[node] for node in placed(tree, np.array([1, 1]), slots)]
    ['[30, 60]', '40']
    """
    used = sorted(slots, key=lambda node: (tree.last[node], -tree.first[node]))
    ends = np.searchsorted(leaves, [tree.last[node] for node in used]).tolist()
    found = np.full(len(leaves), -1, np.intp)
    pile: list[tuple[int, int]] = []
    start = 0
    for node, end in zip(used, ends, strict=True):
        if start < end:
            pile.append((start, end))
            start = end
        wanted = slots[node]
        while wanted:
            low, high = pile.pop()
            taken = min(wanted, high - low)
            found[high - taken : high] = node
            wanted -= taken
            if low < high - taken:
                pile.append((low, high - taken))
    return found
