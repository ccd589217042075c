"""The nodes that persons require, what respects them, and grouping people by requirement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import gcd, lcm, prod
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from verikit._support.arrays import Ints, Rows
from verikit._support.requests import one_of, whole
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.table import Microdata
from verikit.targets._distributions import Slots, Tree
from verikit.targets._published_nodes import fewest_nodes, find_fewest_nodes, place_values
from verikit.words import count, listed, text

Unsaid: TypeAlias = Literal["refuse", "strictest"]


def read_requirements(
    data: Microdata, tree: Tree, leaves: Ints, requirement: str | int, missing: Unsaid
) -> list[int]:
    """Give the number of the node that each person requires; it holds her value and has weight."""
    one_of(missing, "missing", ("refuse", "strictest"))
    if isinstance(requirement, str):
        found = _read_named_nodes(data, tree, requirement, missing)
    else:
        found = _find_level(tree, leaves, requirement)
    for leaf, node in zip(leaves.tolist(), found, strict=True):
        if not tree.first[node] <= leaf < tree.last[node]:
            raise RecordError(
                f"A person requires {quoted(tree.names[node])}, which does not hold her value "
                f"{quoted(tree.names[tree.leaves[leaf]])}; correct one of them in the table of "
                f"{count(len(data), 'record')}."
            )
        if not tree.weight[node]:
            raise RecordError(
                f"A person requires {quoted(tree.names[node])}, to which the target gives no "
                "weight, so that nothing can be shown below it; give a value of it weight, or ask "
                "her for a larger node."
            )
    return found


def _read_named_nodes(data: Microdata, tree: Tree, name: str, missing: Unsaid) -> list[int]:
    if name not in data.schema.names or data.schema[name].role in ("sensitive", "identifier"):
        raise SchemaError.given(
            "requirement",
            name,
            "the name of a column that holds nodes of the hierarchy, among "
            f"{listed(data.schema.names, 12)}, or a level",
        )
    values = data.frame[name]
    without = int(values.isna().sum())
    if without and missing == "refuse":
        raise RecordError(
            f"{count(without, 'person', 'people')} without a requirement in column "
            f"{quoted(name)}; ask for it, or say missing='strictest' to take the root."
        )
    pairs = zip(values.tolist(), values.isna().tolist(), strict=True)
    names = [tree.names[tree.root] if gone else text(value) for value, gone in pairs]
    strange = [node for node in dict.fromkeys(names) if node not in tree.numbers]
    if strange:
        raise RecordError(
            f"Column {quoted(name)} requires {listed(strange)}, which are no nodes of the "
            f"hierarchy; it has {listed(tree.names, 8)}."
        )
    return [tree.numbers[node] for node in names]


def _find_level(tree: Tree, leaves: Ints, level: object) -> list[int]:
    try:
        levels = whole(level, "requirement", least=0)
    except RecordError:
        raise RecordError.given(
            "requirement", level, "the name of a column, or a level from 0 up"
        ) from None
    parent = {child: node for node, below in enumerate(tree.children) for child in below}
    found = list(tree.leaves)
    for height in range(levels):
        if all(node == tree.root for node in found):
            raise RecordError(
                f"requirement was given as level {levels:,}, which does not exist; the hierarchy "
                f"has levels 0 to {height}.",
                field="requirement",
                value=levels,
            )
        found = [parent.get(node, node) for node in found]
    return [found[leaf] for leaf in leaves.tolist()]


class Person(NamedTuple):
    """The place of the leaf of a person's value, and the node that she requires."""

    leaf: int
    node: int


def count_values(tree: Tree, node: int) -> int:
    """How many values lie below a node."""
    return tree.last[node] - tree.first[node]


def respects_requirement(tree: Tree, slots: Mapping[int, int], node: int) -> bool:
    """Whether published nodes show just the target below a node, and something of it at all.

    What is published above a node, or as the node, shows the target below it; so only what is
    published inside has to show it too.
    """
    first, last = tree.first[node], tree.last[node]
    inside = [n for n in tree.post if first <= tree.first[n] and tree.last[n] <= last]
    used = {n: slots.get(n, 0) for n in inside}
    above = any(
        number and tree.first[n] <= first and last <= tree.last[n] for n, number in slots.items()
    )
    return bool(tree.weight[node]) and (above or any(used.values())) and _shows_target(tree, used)


def _shows_target(tree: Tree, used: dict[int, int]) -> bool:
    """Whether the shares of all published siblings among some nodes are those of the target."""
    for node in used:
        down = [used[child] for child in tree.children[node]]
        whole, total = sum(down), sum(tree.ratio[node])
        pairs = zip(down, tree.ratio[node], strict=True)
        if any(number * total != weight * whole for number, weight in pairs):
            return False
        if whole and not total:
            return False
        used[node] += whole
    return True


def group_by_requirement(
    tree: Tree, people: Sequence[Person], members: Iterable[int]
) -> dict[int, list[int]]:
    """People by the greatest required node that holds their value.

    A requirement inside another is met with it, and nodes apart from each other need no common
    group.
    """
    ordered = sorted(members, key=lambda at: -count_values(tree, people[at].node))
    found: dict[int, list[int]] = {}
    for at in ordered:
        leaf = people[at].leaf
        home = next((n for n in found if tree.first[n] <= leaf < tree.last[n]), people[at].node)
        found.setdefault(home, []).append(at)
    return found


def publish_one_group(
    tree: Tree, people: Sequence[Person], members: Iterable[int]
) -> list[tuple[list[int], Rows]]:
    """Give what is published of people in one group: Algorithm 6.

    Those below one greatest required node come together, each with her node.
    """
    found = []
    for top, some in group_by_requirement(tree, people, members).items():
        order = np.argsort([people[at].leaf for at in some], kind="stable")
        leaves = np.array([people[at].leaf for at in some], np.int64)[order]
        nodes = np.empty(len(some), np.intp)
        nodes[order] = place_values(tree, leaves, find_fewest_nodes(tree, leaves, top))
        found.append((some, nodes))
    return found


def count_saving(tree: Tree, people: Sequence[Person], members: Sequence[int]) -> int:
    """Give by how many values fewer than required one group publishes in all; it may be negative.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._distributions import tree_of
    >>> tree = tree_of(balanced([1, 2]), numeric=True)
    >>> people = [Person(0, tree.root), Person(1, tree.root)]
    >>> count_saving(tree, people, [0, 1]), count_saving(tree, people, [0])
    (2, 0)
    """
    wished = sum(count_values(tree, people[at].node) for at in members)
    parts = publish_one_group(tree, people, members)
    return wished - sum(count_values(tree, node) for _, part in parts for node in part.tolist())


MAX_SUBGROUPS = 2_500
Grouping: TypeAlias = list[list[int]]
Kinds: TypeAlias = tuple[int, ...]


class Multiset:
    """People of whom some are alike: same value, same requirement; groups are counts of kinds."""

    def __init__(self, tree: Tree, people: Sequence[Person], way: str) -> None:
        self.tree = tree
        self.kinds = sorted(set(people))
        self.members = [[at for at, one in enumerate(people) if one == k] for k in self.kinds]
        self.counts = tuple(map(len, self.members))
        sub = prod(number + 1 for number in self.counts)
        if sub > MAX_SUBGROUPS:
            raise InfeasibleError(
                f"The search {way!r} was asked for {len(people)} people who can be grouped "
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


def group_greedily(tree: Tree, people: Sequence[Person]) -> Grouping:
    """Take again and again the group that saves most for each of its people: Algorithm 8.

    Of equal groups the one with the fewest people is taken, then the one that leaves the rest
    most even. A heuristic: what is taken first may spoil what is left.
    """
    those = Multiset(tree, people, "average saving")
    left, found = those.counts, []
    while any(left):
        best = min(those.groups(left), key=partial(_rank_group, those, left))
        found.append(best)
        left = tuple(a - b for a, b in zip(left, best, strict=True))
    return those.people(found)


def _rank_group(those: Multiset, left: Kinds, group: Kinds) -> tuple[Fraction, int, int]:
    number = sum(group)
    rest = sum((a - b) ** 2 for a, b in zip(left, group, strict=True))
    return -Fraction(those.saving(group), number), number, rest


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
