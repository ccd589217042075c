"""Which value goes to which of the nodes that are published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from verikit.targets._tree import Counts, Tree

__all__ = ["fits", "placed"]

Nodes: TypeAlias = npt.NDArray[np.intp]


def fits(tree: Tree, counts: Counts, slots: Sequence[int]) -> bool:
    """Whether each value can go to a node that covers it, each node used once.

    Nodes lie inside each other or apart, so it is enough that below no node more are published
    than there are values, and as many in all.
    """
    below, used = tree.below(counts).tolist(), list(slots)
    for node in tree.post:
        used[node] += sum(used[child] for child in tree.children[node])
        if used[node] > below[node]:
            return False
    return bool(used[tree.root] == below[tree.root])


def placed(tree: Tree, counts: Counts, slots: Sequence[int]) -> Nodes:
    """Give a node to each value, in the order of the leaves; each node covers its value.

    One walk over the nodes with a pile of runs of values that have none yet: those on top of the
    pile lie below the node at hand.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._tree import tree_of
    >>> tree = tree_of(balanced([30, 40, 50, 60]), numeric=True)
    >>> slots = [0] * len(tree.names)
    >>> slots[tree.numbers["40"]] = slots[tree.numbers["[30, 60]"]] = 1
    >>> [tree.names[node] for node in placed(tree, np.array([0, 2, 0, 0]), slots)]
    ['[30, 60]', '40']
    """
    ends = np.cumsum(counts).tolist()
    starts = [0, *ends[:-1]]
    found = np.full(ends[-1], -1, np.intp)
    pile: list[tuple[int, int]] = []
    for node in tree.post:
        if not tree.children[node]:
            at = int(tree.first[node])
            pile.append((starts[at], ends[at]))
        wanted = slots[node]
        while wanted:
            start, end = pile.pop()
            taken = min(wanted, end - start)
            found[end - taken : end] = node
            wanted -= taken
            if start < end - taken:
                pile.append((start, end - taken))
    return found
