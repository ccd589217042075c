"""The distribution that published nodes show, and how far it lies from a target."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from verikit.targets._tree import Tree

__all__ = ["away", "greatest_shift", "shown"]


def shown(tree: Tree, slots: Mapping[int, int]) -> list[Fraction]:
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


def away(tree: Tree, slots: Mapping[int, int]) -> Fraction:
    """Give the total variation distance of what is shown from the target: 0 if it is private."""
    whole = tree.weight[tree.root]
    wished = (Fraction(tree.weight[leaf], whole) for leaf in tree.leaves)
    pairs = zip(shown(tree, slots), wished, strict=True)
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
