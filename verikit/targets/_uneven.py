"""Which of many groups do not show just the target below a node: one pass over the levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from verikit._support.arrays import Rows
from verikit.targets._tree import Tree

__all__ = ["uneven"]


def uneven(tree: Tree, owner: Rows, nodes: Rows, top: int) -> Rows:
    """The owners of published nodes that do not show just the target below a node.

    `respects` for many groups at once: what is published as the node or above it shows the target
    anyway; what lies inside is counted from the lowest level up, and compared with the weights of
    all siblings at each step.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._tree import tree_of
    >>> tree = tree_of(balanced([30, 40]), numeric=True)
    >>> thirty, forty = tree.numbers["30"], tree.numbers["40"]
    >>> owner, nodes = (
    ...     np.array([0, 0, 1, 1, 2]),
    ...     np.array([thirty, forty, thirty, thirty, tree.root]),
    ... )
    >>> uneven(tree, owner, nodes, tree.root).tolist()
    [1]
    """
    depth, parent = _below(tree, top)
    weight, total = _weights(tree, len(nodes))
    width = len(tree.names)
    wrong = []
    keys, counts = _summed(owner * width + nodes, np.ones(len(nodes), np.int64), depth)
    for level in range(int(depth.max()), 0, -1):
        here = depth[keys % width] == level
        child, number = keys[here] % width, counts[here]
        own = keys[here] // width
        above, place = np.unique(own * width + parent[child], return_inverse=True)
        whole = np.bincount(place, number, len(above)).astype(np.int64)
        sought = total[above % width]
        wrong.append(own[number * sought[place] != weight[child] * whole[place]])
        wrong.append((above // width)[sought == 0])
        rest = np.concatenate([keys[~here], above]), np.concatenate([counts[~here], whole])
        keys, counts = _summed(*rest, depth)
    return np.unique(np.concatenate([np.empty(0, np.intp), *wrong]))


def _summed(keys: Rows, counts: Any, depth: Rows) -> tuple[Rows, Any]:
    """How often each node is held by each owner, but for nodes that do not lie inside."""
    inside = depth[keys % len(depth)] > 0
    found, place = np.unique(keys[inside], return_inverse=True)
    return found, np.bincount(place, counts[inside], len(found)).astype(np.int64)


def _below(tree: Tree, top: int) -> tuple[Rows, Rows]:
    """By node how many steps it lies below one, 0 for all others; and the node right above it."""
    depth, parent = (np.zeros(len(tree.names), np.intp) for _ in range(2))
    layer = [top]
    for node in layer:
        below = list(tree.children[node])
        parent[below], depth[below] = node, depth[node] + 1
        layer += below
    return depth, parent


def _weights(tree: Tree, most: int) -> tuple[Any, Any]:
    """By node its weight among its siblings, and that of all its children, without divisors."""
    largest = max((sum(ratio) for ratio in tree.ratio), default=0)
    exact: Any = np.int64 if largest * max(most, 1) < 2**62 else object
    weight, total = (np.zeros(len(tree.names), exact) for _ in range(2))
    for node, (below, ratio) in enumerate(zip(tree.children, tree.ratio, strict=True)):
        weight[list(below)], total[node] = ratio, sum(ratio)
    return weight, total
