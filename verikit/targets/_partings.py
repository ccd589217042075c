"""Into which groups people with requirements are put, so that little is made coarse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import lcm, prod
from typing import TypeAlias

import numpy as np

from verikit.errors import InfeasibleError
from verikit.targets._fewest import fewest
from verikit.targets._respect import Person, saving, size
from verikit.targets._tree import Slots, Tree

__all__ = ["MOST", "best_parting", "greedy_parting", "top_down"]

MOST = 2_500
Parting: TypeAlias = list[list[int]]
Kinds: TypeAlias = tuple[int, ...]


class Multiset:
    """People of whom some are alike: same value, same requirement; groups are counts of kinds."""

    def __init__(self, tree: Tree, people: Sequence[Person], way: str) -> None:
        self.tree = tree
        self.kinds = sorted(set(people))
        self.members = [[at for at, one in enumerate(people) if one == k] for k in self.kinds]
        self.counts = tuple(map(len, self.members))
        sub = prod(number + 1 for number in self.counts)
        if sub > MOST:
            raise InfeasibleError(
                f"The search {way!r} was asked for {len(people)} people who can be grouped in "
                f"{sub:,} ways; it takes up to {MOST:,}, so use 'top down', or fewer people."
            )
        self.saving = cache(self._saving)

    def groups(self, left: Kinds) -> Iterator[Kinds]:
        """All groups that can be taken from what is left."""
        for found in product(*(range(number + 1) for number in left)):
            if any(found):
                yield found

    def _saving(self, group: Kinds) -> int:
        people = [k for k, n in zip(self.kinds, group, strict=True) for _ in range(n)]
        return saving(self.tree, people, range(len(people)))

    def people(self, groups: Sequence[Kinds]) -> Parting:
        """The people of groups given by kinds."""
        rest = [list(members) for members in self.members]
        return [[rest[k].pop() for k, n in enumerate(group) for _ in range(n)] for group in groups]


def best_parting(tree: Tree, people: Sequence[Person]) -> Parting:
    """Give groups that save most of all, by trying all; for few people only."""
    those = Multiset(tree, people, "exact")

    @cache
    def best(left: Kinds) -> tuple[int, tuple[Kinds, ...]]:
        if not any(left):
            return 0, ()
        first = next(k for k, n in enumerate(left) if n)
        found = []
        for group in those.groups(left):
            if group[first]:
                rest = best(tuple(a - b for a, b in zip(left, group, strict=True)))
                found.append((those.saving(group) + rest[0], (group, *rest[1])))
        return max(found, key=lambda pair: pair[0])

    return those.people(best(those.counts)[1])


def greedy_parting(tree: Tree, people: Sequence[Person]) -> Parting:
    """Take again and again the group that saves most for each of its people: Algorithm 8.

    Of equal groups the one with the fewest people is taken, then the one that leaves the rest
    most even. A heuristic: what is taken first may spoil what is left.
    """
    those = Multiset(tree, people, "average saving")
    left, found = those.counts, []
    while any(left):
        best = min(those.groups(left), key=lambda group: _rank(those, left, group))
        found.append(best)
        left = tuple(a - b for a, b in zip(left, best, strict=True))
    return those.people(found)


def _rank(those: Multiset, left: Kinds, group: Kinds) -> tuple[Fraction, int, int]:
    number = sum(group)
    rest = sum((a - b) ** 2 for a, b in zip(left, group, strict=True))
    return -Fraction(those.saving(group), number), number, rest


def top_down(tree: Tree, people: Sequence[Person]) -> Parting:
    """Serve the greatest requirements first, with the finest group that serves them: Algorithm 9.

    What would be published of everybody below the node is taken apart into one group that is as
    fine as can be; its places go to the people with the greatest requirements.
    """
    left, found = set(range(len(people))), []
    for node in sorted({one.node for one in people}, key=lambda n: (-size(tree, n), tree.first[n])):
        while any(people[at].node == node for at in left):
            inside = [at for at in left if tree.first[node] <= people[at].leaf < tree.last[node]]
            leaves = np.sort([people[at].leaf for at in inside])
            bag = _finest(tree, fewest(tree, leaves, node), node)[1]
            group = _served(tree, people, inside, bag)
            left -= set(group)
            found.append(group)
    return found


def _finest(tree: Tree, slots: Slots, node: int) -> tuple[int, Slots]:
    """A smallest group of published nodes that shows the target below a node, as fine as can be."""
    below = _inside(tree, slots, node)
    down = {n: k for n, k in below.items() if n != node}
    if not down:
        return 1, {node: 1}
    pairs = zip(tree.children[node], tree.ratio[node], strict=True)
    parts = [(weight, *_finest(tree, slots, child)) for child, weight in pairs if weight]
    times = lcm(*(number // np.gcd(number, weight).item() for weight, number, _ in parts))
    bag: Slots = {}
    for weight, number, part in parts:
        bag |= {n: k * (times * weight // number) for n, k in part.items()}
    if any(k > slots.get(n, 0) for n, k in bag.items()):
        bag = down
    return sum(bag.values()), bag


def _inside(tree: Tree, slots: Slots, node: int) -> Slots:
    first, last = tree.first[node], tree.last[node]
    return {n: k for n, k in slots.items() if first <= tree.first[n] and tree.last[n] <= last}


def _served(tree: Tree, people: Sequence[Person], inside: list[int], bag: Slots) -> list[int]:
    """Whom the nodes of a group go to, the smallest first: the greatest requirements below them.

    Of equal ones those are taken of whose value there are most, so that the rest stays even.
    """
    rest, found = set(inside), []
    often = Counter(people[at].leaf for at in inside)
    for node in sorted(bag, key=lambda n: size(tree, n)):
        for _ in range(bag[node]):
            below = [at for at in rest if tree.first[node] <= people[at].leaf < tree.last[node]]
            best = max(
                below, key=lambda at: (size(tree, people[at].node), often[people[at].leaf], -at)
            )
            rest.remove(best)
            often[people[best].leaf] -= 1
            found.append(best)
    return found
