"""What is believed of each value by somebody who reads published nodes with weights of his own."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats
from verikit.targets._tree import Tree

__all__ = ["believed", "shares_of"]


def believed(tree: Tree, amounts: Floats, weights: Floats) -> Floats:
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
    >>> believed(tree, amounts, np.array([1.0, 3.0])).tolist()
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


def shares_of(tree: Tree) -> Floats:
    """The share of each value in the target of a tree."""
    whole = tree.weight[tree.root]
    return np.array([tree.weight[leaf] / whole for leaf in tree.leaves])
