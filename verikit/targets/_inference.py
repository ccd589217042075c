"""What published nodes tell of each value, and which groups show something but the target."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit.targets._tree import Tree


def infer_chances(tree: Tree, slots: Mapping[int, int]) -> list[Fraction]:
    """Give what everybody can infer about each value: Definition 3.3.1, exactly.

    Each published node stands for the values below it, with the chances of the target; all nodes
    are equally likely to be a person's. What a node without weight stands for is undefined; it is
    taken for all values below it alike.
    """
    total = sum(slots.values())
    density, evenly = ([Fraction(0)] * len(tree.names) for _ in range(2))
    for node in reversed(tree.post):
        number, weight = slots.get(node, 0), tree.weight[node]
        if weight:
            density[node] += Fraction(number, weight)
        else:
            evenly[node] += Fraction(number, tree.last[node] - tree.first[node])
        for child in tree.children[node]:
            density[child], evenly[child] = density[node], evenly[node]
    return [(density[leaf] * tree.weight[leaf] + evenly[leaf]) / total for leaf in tree.leaves]


def variation_distance(tree: Tree, slots: Mapping[int, int]) -> Fraction:
    """Give the total variation distance of what is shown from the target: 0 if it is private."""
    whole = tree.weight[tree.root]
    wished = (Fraction(tree.weight[leaf], whole) for leaf in tree.leaves)
    pairs = zip(infer_chances(tree, slots), wished, strict=True)
    return sum((abs(a - b) for a, b in pairs), Fraction(0)) / 2


def greatest_shift(tree: Tree, slots: Mapping[int, int]) -> Fraction:
    """Give by how much the share of a node among the published siblings is off at most.

    It is 0 exactly where the published nodes are private for the target.
    """
    used = [slots.get(node, 0) for node in range(len(tree.names))]
    found = Fraction(0)
    for node in tree.post:
        down = [used[child] for child in tree.children[node]]
        whole, total = sum(down), sum(tree.ratio[node])
        if whole and not total:
            return Fraction(1)
        for number, weight in zip(down, tree.ratio[node], strict=True) if whole else ():
            found = max(found, abs(Fraction(number, whole) - Fraction(weight, total)))
        used[node] += whole
    return found


def believed_shares(tree: Tree, amounts: Floats, weights: Floats) -> Floats:
    """The chance of each value, where each node has some chance and stands for values below it.

    The values below a node share its chance by their weights; where all of these are 0, alike.
    The quick form of `shown`, for any weights.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._tree import tree_of
    >>> tree = tree_of(balanced([30, 40]), numeric=True)
    >>> amounts = np.zeros(3)
    >>> amounts[[tree.numbers["30"], tree.root]] = 0.5
    >>> believed_shares(tree, amounts, np.array([1.0, 3.0])).tolist()
    [0.625, 0.375]
    """
    ends = np.column_stack([tree.first, tree.last]).ravel()
    held = np.add.reduceat(np.append(weights, 0.0), ends)[::2]
    sizes = np.subtract(tree.last, tree.first)
    some = held > 0
    by_weight = np.where(some, amounts / np.where(some, held, 1), 0).tolist()
    alike = np.where(some, 0, amounts / sizes).tolist()
    for node in reversed(tree.post):
        for child in tree.children[node]:
            by_weight[child] += by_weight[node]
            alike[child] += alike[node]
    leaves = list(tree.leaves)
    return np.asarray(np.array(by_weight)[leaves] * weights + np.array(alike)[leaves])


def target_shares(tree: Tree) -> Floats:
    """The share of each value in the target of a tree."""
    whole = tree.weight[tree.root]
    return np.array([tree.weight[leaf] / whole for leaf in tree.leaves])


def find_uneven_groups(tree: Tree, owner: Rows, nodes: Rows, top: int) -> Rows:
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
    >>> find_uneven_groups(tree, owner, nodes, tree.root).tolist()
    [1]
    """
    depth, parent = _find_depths(tree, top)
    weight, total = _sibling_weights(tree, len(nodes))
    width = len(tree.names)
    wrong = []
    keys, counts = _sum_by_node(owner * width + nodes, np.ones(len(nodes), np.int64), depth)
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
        keys, counts = _sum_by_node(*rest, depth)
    return np.unique(np.concatenate([np.empty(0, np.intp), *wrong]))


def _sum_by_node(keys: Rows, counts: Any, depth: Rows) -> tuple[Rows, Any]:
    """How often each node is held by each owner, but for nodes that do not lie inside."""
    inside = depth[keys % len(depth)] > 0
    found, place = np.unique(keys[inside], return_inverse=True)
    return found, np.bincount(place, counts[inside], len(found)).astype(np.int64)


def _find_depths(tree: Tree, top: int) -> tuple[Rows, Rows]:
    """By node how many steps it lies below one, 0 for all others; and the node right above it."""
    depth, parent = (np.zeros(len(tree.names), np.intp) for _ in range(2))
    layer = [top]
    for node in layer:
        below = list(tree.children[node])
        parent[below], depth[below] = node, depth[node] + 1
        layer += below
    return depth, parent


def _sibling_weights(tree: Tree, most: int) -> tuple[Any, Any]:
    """By node its weight among its siblings, and that of all its children, without divisors."""
    largest = max((sum(ratio) for ratio in tree.ratio), default=0)
    exact: Any = np.int64 if largest * max(most, 1) < 2**62 else object
    weight, total = (np.zeros(len(tree.names), exact) for _ in range(2))
    for node, (below, ratio) in enumerate(zip(tree.children, tree.ratio, strict=True)):
        weight[list(below)], total[node] = ratio, sum(ratio)
    return weight, total
