"""The distribution that published nodes show, and how far it lies from a target."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from verikit.errors import RecordError, quoted
from verikit.targets._tree import Tree

__all__ = ["away", "greatest_shift", "shown"]


def shown(tree: Tree, slots: Sequence[int]) -> list[Fraction]:
    """Give what everybody can infer about each value: Definition 3.3.1, exactly.

    Each published node stands for the values below it, with the chances of the target; all nodes
    are equally likely to be a person's.

    Raises
    ------
    RecordError
        If a node without weight is published, which leaves those chances undefined.
    """
    total = sum(slots)
    density = [Fraction(0)] * len(tree.names)
    for node in reversed(tree.post):
        if slots[node] and not tree.weight[node]:
            raise RecordError(
                f"{quoted(tree.names[node])} was published, to which the target gives no weight; "
                "what it stands for is undefined, so compare with another target."
            )
        density[node] += Fraction(slots[node], tree.weight[node] or 1)
        for child in tree.children[node]:
            density[child] = density[node]
    return [density[leaf] * tree.weight[leaf] / total for leaf in tree.leaves]


def away(tree: Tree, slots: Sequence[int]) -> Fraction:
    """Give the total variation distance of what is shown from the target: 0 if it is private."""
    whole = tree.weight[tree.root]
    wished = (Fraction(tree.weight[leaf], whole) for leaf in tree.leaves)
    pairs = zip(shown(tree, slots), wished, strict=True)
    return sum((abs(a - b) for a, b in pairs), Fraction(0)) / 2


def greatest_shift(tree: Tree, slots: Sequence[int]) -> Fraction:
    """Give by how much the share of a node among the published siblings is off at most.

    It is 0 exactly where the published nodes are private for the target.
    """
    used, found = list(slots), Fraction(0)
    for node in tree.post:
        down = [used[child] for child in tree.children[node]]
        whole, total = sum(down), sum(tree.ratio[node])
        if whole and not total:
            return Fraction(1)
        for number, weight in zip(down, tree.ratio[node], strict=True) if whole else ():
            found = max(found, abs(Fraction(number, whole) - Fraction(weight, total)))
        used[node] += whole
    return found
