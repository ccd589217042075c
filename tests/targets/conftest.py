"""Exhaustive search over published nodes and fakes, on trees small enough for it."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

from verikit.targets._distributions import tree_of


class Exhaustive:
    """All that can be published of some values, by the definitions alone."""

    def __init__(self, hierarchy):
        self.tree = tree_of(hierarchy, numeric=True)
        self.order = hierarchy.order()
        self.hierarchy = hierarchy
        self.numbers = [Fraction(leaf) for leaf in self.order]
        self.spans = [hierarchy.span(name) for name in self.tree.names]
        self.share = [hierarchy.share(name) for name in self.tree.names]

    def counts(self, values):
        found = Counter(map(str, values))
        return np.array([found[leaf] for leaf in self.order])

    def width(self, node):
        low, high = self.spans[node]
        inside = self.numbers[low:high]
        return max(inside) - min(inside)

    def chance(self, node, at):
        """P(x = t | x in D), from the weights of the leaves."""
        low, high = self.spans[node]
        if not low <= at < high:
            return Fraction(0)
        return self.hierarchy.share(self.order[at]) / self.share[node]

    def private(self, nodes):
        """Definition 3.3.1."""
        if any(self.share[node] == 0 for node in nodes):
            return False
        return all(
            sum(self.chance(node, at) for node in nodes) == len(nodes) * self.hierarchy.share(leaf)
            for at, leaf in enumerate(self.order)
        )

    def within(self, nodes, tolerance, own=None):
        """Section 3.6: the published shares of all siblings come near those of the target.

        Its footnote 4: a node may have a tolerance of its own.
        """
        below = [
            sum(low <= self.spans[n][0] and self.spans[n][1] <= high for n in nodes)
            for low, high in self.spans
        ]
        # a node counts below its ancestors and itself; equal spans do not occur in these trees
        for node, children in enumerate(self.tree.children):
            total = sum(below[child] for child in children)
            weight = self.share[node]
            allowed = (own or {}).get(self.tree.names[node], tolerance)
            for child in children if total else ():
                if not weight:
                    return False
                if abs(Fraction(below[child], total) - self.share[child] / weight) > allowed:
                    return False
        return True

    def covers(self, nodes, values):
        """Definition 3.3.2: a matching of the values with the nodes, tried out."""
        if not values:
            return not nodes
        at = self.order.index(str(values[0]))
        return any(
            self.spans[node][0] <= at < self.spans[node][1]
            and self.covers(nodes[:place] + nodes[place + 1 :], values[1:])
            for place, node in enumerate(nodes)
            if node not in nodes[:place]
        )

    def least(self, values, fits=None):
        """The least sum of ranges of all multisets of nodes that fit."""
        fits = fits or self.private
        nodes = range(len(self.tree.names))
        costs = [
            sum(map(self.width, found))
            for found in combinations_with_replacement(nodes, len(values))
            if fits(found) and self.covers(list(found), list(values))
        ]
        return min(costs)


@pytest.fixture(scope="session")
def exhaustive():
    return Exhaustive
