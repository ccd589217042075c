"""Requirements of persons: below the node that a person names, nothing but the target is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Rows
from verikit.targets._fewest import fewest
from verikit.targets._placed import placed
from verikit.targets._tree import Tree

__all__ = ["Person", "apart", "one_group", "respects", "saving", "size"]


class Person(NamedTuple):
    """The place of the leaf of a person's value, and the node that she requires."""

    leaf: int
    node: int


def size(tree: Tree, node: int) -> int:
    """How many values lie below a node."""
    return tree.last[node] - tree.first[node]


def respects(tree: Tree, slots: Mapping[int, int], node: int) -> bool:
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
    return bool(tree.weight[node]) and (above or any(used.values())) and _even(tree, used)


def _even(tree: Tree, used: dict[int, int]) -> bool:
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


def apart(tree: Tree, people: Sequence[Person], members: Iterable[int]) -> dict[int, list[int]]:
    """People by the greatest required node that holds their value.

    A requirement inside another is met with it, and nodes apart from each other need no common
    group.
    """
    ordered = sorted(members, key=lambda at: -size(tree, people[at].node))
    found: dict[int, list[int]] = {}
    for at in ordered:
        leaf = people[at].leaf
        home = next((n for n in found if tree.first[n] <= leaf < tree.last[n]), people[at].node)
        found.setdefault(home, []).append(at)
    return found


def one_group(
    tree: Tree, people: Sequence[Person], members: Iterable[int]
) -> list[tuple[list[int], Rows]]:
    """Give what is published of people in one group: Algorithm 6.

    Those below one greatest required node come together, each with her node.
    """
    found = []
    for top, some in apart(tree, people, members).items():
        order = np.argsort([people[at].leaf for at in some], kind="stable")
        leaves = np.array([people[at].leaf for at in some], np.int64)[order]
        nodes = np.empty(len(some), np.intp)
        nodes[order] = placed(tree, leaves, fewest(tree, leaves, top))
        found.append((some, nodes))
    return found


def saving(tree: Tree, people: Sequence[Person], members: Sequence[int]) -> int:
    """Give by how many values fewer than required one group publishes in all; it may be negative.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._tree import tree_of
    >>> tree = tree_of(balanced([1, 2]), numeric=True)
    >>> people = [Person(0, tree.root), Person(1, tree.root)]
    >>> saving(tree, people, [0, 1]), saving(tree, people, [0])
    (2, 0)
    """
    wished = sum(size(tree, people[at].node) for at in members)
    parts = one_group(tree, people, members)
    return wished - sum(size(tree, node) for _, part in parts for node in part.tolist())
