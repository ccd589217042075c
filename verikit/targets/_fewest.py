"""The fewest generalizations that show a target: node by node as many values down as fit."""

from __future__ import annotations

from collections.abc import Sequence

from verikit.targets._tree import Counts, Tree, reduced

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


def fewest(tree: Tree, counts: Counts, top: int | None = None) -> list[int]:
    """Give how often each node is published: Algorithm 3, in O(nodes) whatever the counts.

    ``counts`` is the number of values of each leaf from left to right. Only what lies below
    ``top`` is published, and nothing is raised above it.

    Examples
    --------
    >>> import numpy as np
    >>> from verikit.targets import balanced
    >>> from verikit.targets._tree import tree_of
    >>> tree = tree_of(balanced([30, 40, 50, 60]), numeric=True)
    >>> slots = fewest(tree, np.array([2, 2, 1, 1]))
    >>> {tree.names[node]: n for node, n in enumerate(slots) if n}
    {'30': 1, '[30, 60]': 2, '40': 1, '50': 1, '60': 1}
    """
    below = tree.below(counts).tolist()
    start = tree.root if top is None else top
    slots = [0] * len(tree.names)
    todo = [(start, below[start])]
    while todo:
        node, kept = todo.pop()
        children, ratio = tree.children[node], tree.ratio[node]
        found = units([below[child] for child in children], ratio, kept) if children else 0
        slots[node] = kept - found * sum(ratio)
        if found:
            todo += [(c, found * w) for c, w in zip(children, ratio, strict=True) if w]
    return slots
