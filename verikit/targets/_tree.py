"""A tree with a target as arrays: children, their reduced weights, the ranges of the nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from verikit._support.arrays import Ints
from verikit.hierarchy import Hierarchy, exact_fraction

Slots: TypeAlias = dict[int, int]  # how often a node is published, by its number


class Tree(NamedTuple):
    """The nodes of a target by number, as in its hierarchy.

    Parameters
    ----------
    names, numbers
        The name of each node, and the number of each name.
    root
        The number of the root.
    leaves
        The numbers of the leaves from left to right.
    first, last
        Where the leaves of each node begin and end among them.
    children
        The numbers of the nodes right below each node, from left to right.
    post
        All nodes, each after its children.
    ratio
        For each node the weights of its children, as whole numbers without a common divisor; all
        0 where the node has no weight.
    weight
        The weight of each node, as a whole number.
    width
        The range of each node in units: the greatest number less the least, or for categories
        their number less one.
    unit
        What the unit of the widths is.
    """

    names: tuple[str, ...]
    numbers: dict[str, int]
    root: int
    leaves: tuple[int, ...]
    first: tuple[int, ...]
    last: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    post: tuple[int, ...]
    ratio: tuple[tuple[int, ...], ...]
    weight: tuple[int, ...]
    width: tuple[int, ...]
    unit: Fraction

    def below(self, counts: Ints) -> Ints:
        """How many of some values lie below each node, from their counts by leaf."""
        summed = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        return np.asarray(summed[list(self.last)] - summed[list(self.first)])

    def cost(self, slots: Mapping[int, int]) -> Fraction:
        """The sum of the ranges of some nodes, given how often each is published."""
        return self.unit * sum(number * self.width[node] for node, number in slots.items())


def tree_of(hierarchy: Hierarchy, *, numeric: bool) -> Tree:
    """Lay out a target in O(nodes)."""
    shape, sums = hierarchy._shape, hierarchy._sums
    nodes = range(len(shape.names))
    leaves = tuple(shape.order.tolist())
    firsts, lasts = shape.first.tolist(), shape.last.tolist()
    weight = tuple(sums[lasts[node]] - sums[firsts[node]] for node in nodes)
    post, children = _post_order(shape, leaves)
    ratio = tuple(reduce_weights([weight[child] for child in children[node]]) for node in nodes)
    width, unit = _measure_widths(hierarchy.order(), firsts, lasts, numeric)
    first, last, root = tuple(firsts), tuple(lasts), post[-1]
    return Tree(
        shape.names, shape.numbers, root, leaves, first, last, children, post, ratio, weight,
        width, unit,
    )  # fmt: skip


def _post_order(
    shape: Any, leaves: Sequence[int]
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """The nodes, each after its children, and the children of each from left to right."""
    parent, below = shape.parent.tolist(), [list[int]() for _ in shape.names]
    post, last = [], shape.last.tolist()
    for at, leaf in enumerate(leaves, 1):
        node = leaf
        post.append(node)
        while parent[node] >= 0 and last[node] == at:
            below[parent[node]].append(node)
            node = parent[node]
            if last[node] == at:
                post.append(node)
    return tuple(post), tuple(map(tuple, below))


def reduce_weights(weights: Sequence[int]) -> tuple[int, ...]:
    """Whole weights without a common divisor.

    Examples
    --------
    >>> reduce_weights([2, 4, 2]), reduce_weights([0, 5]), reduce_weights([0, 0])
    ((1, 2, 1), (0, 1), (0, 0))
    """
    common = gcd(*weights) or 1
    return tuple(weight // common for weight in weights)


def _measure_widths(
    order: Sequence[str], first: Sequence[int], last: Sequence[int], numeric: bool
) -> tuple[tuple[int, ...], Fraction]:
    ends = list(zip(first, last, strict=True))
    if not numeric:
        return tuple(b - a - 1 for a, b in ends), Fraction(1)
    numbers = [exact_fraction(leaf, "A value of the hierarchy") for leaf in order]
    common = lcm(*(number.denominator for number in numbers))
    whole = [number.numerator * (common // number.denominator) for number in numbers]
    if whole == sorted(whole):
        return tuple(whole[b - 1] - whole[a] for a, b in ends), Fraction(1, common)
    return tuple(max(whole[a:b]) - min(whole[a:b]) for a, b in ends), Fraction(1, common)
