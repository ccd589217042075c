"""Grouping people by what they require, so that few values are published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from heapq import heapify, heappop, heappush
from itertools import product
from math import gcd, lcm, prod
from typing import NamedTuple, TypeAlias

import numpy as np

from verikit._support.arrays import Ints, Rows
from verikit.errors import InfeasibleError
from verikit.targets._distributions import Slots, Tree
from verikit.targets._published_nodes import fewest_nodes
from verikit.targets._requirements import Person, count_saving, count_values

MAX_SUBGROUPS = 2_500
Grouping: TypeAlias = list[list[int]]
Kinds: TypeAlias = tuple[int, ...]


class Multiset:
    """People of whom some are alike: same value, same requirement; groups are counts of kinds."""

    def __init__(self, tree: Tree, people: Sequence[Person]) -> None:
        self.tree = tree
        self.kinds = sorted(set(people))
        self.members = [[at for at, one in enumerate(people) if one == k] for k in self.kinds]
        self.counts = tuple(map(len, self.members))
        sub = prod(number + 1 for number in self.counts)
        if sub > MAX_SUBGROUPS:
            raise InfeasibleError(
                f"The search 'exact' was asked for {len(people)} people who can be grouped "
                f"in {sub:,} ways; it takes up to {MAX_SUBGROUPS:,}, so use 'top down', or fewer "
                "people."
            )
        self.saving = cache(self._count_saving)

    def groups(self, left: Kinds) -> Iterator[Kinds]:
        """All groups that can be taken from what is left."""
        for found in product(*(range(number + 1) for number in left)):
            if any(found):
                yield found

    def _count_saving(self, group: Kinds) -> int:
        people = [k for k, n in zip(self.kinds, group, strict=True) for _ in range(n)]
        return count_saving(self.tree, people, range(len(people)))

    def people(self, groups: Sequence[Kinds]) -> Grouping:
        """The people of groups given by kinds."""
        rest = [list(members) for members in self.members]
        return [[rest[k].pop() for k, n in enumerate(group) for _ in range(n)] for group in groups]


def group_exactly(tree: Tree, people: Sequence[Person]) -> Grouping:
    """Give groups that save most of all, by trying all; for few people only."""
    those = Multiset(tree, people)

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


class Cuts(NamedTuple):
    """The smallest groups whose people show the target below a node.

    Parameters
    ----------
    node
        The node.
    inside
        It and all nodes below it with weight, each after its children.
    below
        The places of the children of each of them in that list.
    kept
        By number of people in a group (ascending, the rows), how many of them each node keeps; -1
        where that is no whole number.
    """

    node: int
    inside: list[int]
    below: list[list[int]]
    kept: Rows

    @classmethod
    def of(cls, tree: Tree, node: int, most: int) -> Cuts:
        """For up to so many people: the fewest with whom each node below may be published."""
        first, last, weight = tree.first[node], tree.last[node], tree.weight
        inside = [n for n in tree.post if first <= tree.first[n] and tree.last[n] <= last]
        inside = [n for n in inside[: inside.index(node) + 1] if weight[n]]
        place = {n: at for at, n in enumerate(inside)}
        below = [[place[child] for child in tree.children[n] if weight[child]] for n in inside]
        fewest = {len(inside) - 1: 1}  # by place; a child is published beside all its siblings
        for at in reversed(range(len(inside))):
            shares = (Fraction(weight[inside[child]], weight[node]) for child in below[at])
            people = lcm(fewest[at], *(share.denominator for share in shares))
            fewest |= dict.fromkeys(below[at], people)
        sizes = sorted({people for people in fewest.values() if people <= max(most, 1)})
        parts = [[divmod(people * weight[n], weight[node]) for n in inside] for people in sizes]
        return cls(node, inside, below, np.array([[-1 if r else k for k, r in x] for x in parts]))


class Found(NamedTuple):
    """Groups with the greatest average saving below a node, and how often they can be taken.

    Parameters
    ----------
    average, people
        The saving for each of its people, and how many these are.
    parts
        By published node how many people of each size of requirement it takes.
    times
        How many such groups there are.
    """

    average: float
    people: int
    parts: list[tuple[int, Rows]]
    times: int


def group_greedily(tree: Tree, people: Sequence[Person]) -> Grouping:
    """Take again and again the group that saves most for each of its people: Algorithm 8.

    A group publishes the nodes of a cut through the tree below a node that somebody requires, each
    as often as its weight says, and is as small as that allows. For each number of people the best
    cut is found from the leaves up: a node goes to those below it with the greatest requirements,
    or is parted. Of equal groups the one with the fewest people is taken, of equal people those of
    whose value there are most, so that the rest stays even. A heuristic: what is taken first may
    spoil what is left. A step takes O(nodes x sizes of requirements x sizes of groups), however
    many people there are; and what was found before, a bound from above, tells what to look at.
    """
    wished = [count_values(tree, one.node) for one in people]
    sizes = sorted(set(wished), reverse=True)
    lines: list[list[list[int]]] = [[[] for _ in sizes] for _ in tree.leaves]
    place = {size: at for at, size in enumerate(sizes)}
    for at in reversed(range(len(people))):  # who comes first stands last
        lines[people[at].leaf][place[wished[at]]].append(at)
    left = np.array([list(map(len, line)) for line in lines], np.int64)
    found: Grouping = []
    tops = {one.node for one in people}
    cuts = [Cuts.of(tree, node, len(people)) for node in sorted(tops, key=tree.first.__getitem__)]
    bounds = [(-np.inf, 0, at) for at in range(len(cuts))]
    while bounds:
        at = heappop(bounds)[2]
        best = _find_best_cut(tree, cuts[at], left, np.array(sizes))
        if best is None:
            continue
        bound = (-best.average, best.people, at)
        if not bounds or bound < bounds[0]:
            shares = [
                _draw_evenly(tree, lines, left, (node, size), int(numbers[size]) * best.times)
                for node, numbers in best.parts
                for size in np.flatnonzero(numbers).tolist()
            ]
            groups = (np.array(some).reshape(best.times, -1) for some in shares)
            found += np.concatenate(list(groups), axis=1).tolist()
        heappush(bounds, bound)
    return found


def _find_best_cut(tree: Tree, cuts: Cuts, left: Ints, sizes: Ints) -> Found | None:
    """Find the group below a node with the greatest average saving, of those who are left."""
    start = int(np.searchsorted(-sizes, -count_values(tree, cuts.node)))
    wanted, inside, kept = sizes[start:], cuts.inside, cuts.kept
    summed = np.concatenate([np.zeros((1, len(wanted)), np.int64), left[:, start:].cumsum(axis=0)])
    ends = np.array([(tree.first[n], tree.last[n]) for n in inside])
    held = summed[ends[:, 1]] - summed[ends[:, 0]]
    so_far = held.cumsum(axis=1)
    taken = np.clip(kept[:, :, None] - (so_far - held), 0, held)  # the greatest requirements
    own = (ends[:, 1] - ends[:, 0]) * kept
    feasible = (kept >= 0) & (kept <= so_far[:, -1])
    saved = np.where(feasible, taken @ wanted - own, -np.inf).T
    parted = np.zeros(saved.shape, np.bool_)
    for at, below in enumerate(cuts.below):
        if below:
            apart = saved[below].sum(axis=0)
            parted[at] = (apart >= saved[at]) & (apart > -np.inf)
            saved[at] = np.where(parted[at], apart, saved[at])
    people = kept[:, -1]
    best = int(np.argmax(saved[-1] / people))
    if saved[-1, best] == -np.inf:
        return None
    parts, todo = [], [len(inside) - 1]
    while todo:
        at = todo.pop()
        if parted[at, best]:
            todo += cuts.below[at]
        else:
            parts.append((at, taken[best, at]))
    times = min(int((held[at][n > 0] // n[n > 0]).min()) for at, n in parts)
    named = [(inside[at], np.concatenate([np.zeros(start, np.int64), n])) for at, n in parts]
    return Found(float(saved[-1, best] / people[best]), int(people[best]), named, times)


def _draw_evenly(
    tree: Tree, lines: list[list[list[int]]], left: Ints, kind: tuple[int, int], number: int
) -> list[int]:
    """Take people below a node with one size of requirement, of whose value there are most."""
    node, size = kind
    totals = left.sum(axis=1).tolist()
    leaves = range(tree.first[node], tree.last[node])
    fullest = [(-totals[leaf], leaf) for leaf in leaves if lines[leaf][size]]
    heapify(fullest)
    taken = []
    for _ in range(number):
        total, leaf = heappop(fullest)
        taken.append(lines[leaf][size].pop())
        left[leaf, size] -= 1
        if lines[leaf][size]:
            heappush(fullest, (total + 1, leaf))
    return taken


def group_top_down(tree: Tree, people: Sequence[Person]) -> Grouping:
    """Serve the greatest requirements first, with the finest group that serves them: Algorithm 9.

    What would be published of everybody below the node is taken apart into one group that is as
    fine as can be; its places go to the people with the greatest requirements. People with equal
    values and requirements are one kind, so a group takes O(its nodes and people), however many
    people there are.
    """
    waiting, found = Waiting(tree, people), []
    for node in sorted(waiting.requiring, key=lambda n: (-count_values(tree, n), tree.first[n])):
        while waiting.requiring[node]:
            slots = fewest_nodes(tree, waiting.below.__getitem__, node)
            bag = _find_finest_group(tree, slots, node)[1]
            while waiting.requiring[node]:
                found.append(waiting.serve(bag))
                if bag != {node: 1}:  # once nothing finer shows the target, nothing ever will
                    break
    return found


def _find_finest_group(tree: Tree, slots: Slots, node: int) -> tuple[int, Slots]:
    """A smallest group of published nodes that shows the target below a node, as fine as can be."""
    first, last = tree.first[node], tree.last[node]
    inside = [n for n in slots if first <= tree.first[n] and tree.last[n] <= last]
    down = {n: slots[n] for n in inside if n != node}
    if not down:
        return 1, {node: 1}
    pairs = zip(tree.children[node], tree.ratio[node], strict=True)
    parts = [(weight, *_find_finest_group(tree, down, child)) for child, weight in pairs if weight]
    times = lcm(*(number // gcd(number, weight) for weight, number, _ in parts))
    bag: Slots = {}
    for weight, number, part in parts:
        bag |= {n: k * (times * weight // number) for n, k in part.items()}
    if any(k > down.get(n, 0) for n, k in bag.items()):
        bag = down
    return sum(bag.values()), bag


class Waiting:
    """People who are in no group yet: by value, the greatest requirements first."""

    def __init__(self, tree: Tree, people: Sequence[Person]) -> None:
        self.tree, self.people = tree, people
        self.requiring = Counter(one.node for one in people)
        self.lines: list[list[int]] = [[] for _ in tree.leaves]
        self.size = [count_values(tree, node) for node in range(len(tree.names))]
        for at in sorted(range(len(people)), key=lambda at: (self.size[people[at].node], -at)):
            self.lines[people[at].leaf].append(at)  # who is served first stands last
        self.below = tree.below(np.array([len(line) for line in self.lines])).tolist()
        parent = {child: node for node, some in enumerate(tree.children) for child in some}
        self.above = [[leaf] for leaf in tree.leaves]
        for path in self.above:
            while path[-1] in parent:
                path.append(parent[path[-1]])

    def serve(self, bag: Slots) -> list[int]:
        """Give the nodes of a group to people, the smallest first, the greatest requirements first.

        Of equal ones those are taken of whose value there are most, so that the rest stays even.
        """
        first, last = self.tree.first, self.tree.last
        ordered = sorted(bag, key=self.size.__getitem__)
        wanted = (range(first[node], last[node]) for node in ordered for _ in range(bag[node]))
        return [self._take(max(leaves, key=self._urgency)) for leaves in wanted]

    def _urgency(self, leaf: int) -> tuple[int, int]:
        line = self.lines[leaf]
        return (self.size[self.people[line[-1]].node], len(line)) if line else (0, 0)

    def _take(self, leaf: int) -> int:
        at = self.lines[leaf].pop()
        self.requiring[self.people[at].node] -= 1
        for node in self.above[leaf]:
            self.below[node] -= 1
        return at
