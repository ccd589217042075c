"""The nodes that persons require, what respects them, and grouping people by requirement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from verikit._support.arrays import Ints, Rows
from verikit._support.requests import one_of, whole
from verikit.errors import RecordError, SchemaError, quoted
from verikit.table import Microdata
from verikit.targets._distributions import Tree
from verikit.targets._published_nodes import find_fewest_nodes, place_values
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


def raise_requirements(tree: Tree, nodes: Ints, classes: Rows) -> Ints:
    """Raise each requirement to the greatest in her class that holds it: Theorem 9 by class.

    Whoever knows a person by her class sees all groups of the class. A group that shows anything
    below a node must show the target there; so no member may be served with less than the greatest
    node around hers that another member requires, and with that everybody is respected.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._distributions import tree_of
    >>> tree = tree_of(balanced([30, 40]), numeric=True)
    >>> nodes = np.array([tree.root, tree.numbers["30"], tree.numbers["40"]])
    >>> [tree.names[n] for n in raise_requirements(tree, nodes, np.array([0, 0, 1]))]
    ['[30, 40]', '[30, 40]', '40']
    """
    width = len(tree.names)
    found = nodes.copy()
    shared = np.flatnonzero(np.bincount(classes)[classes] > 1)
    required = np.unique(classes[shared] * width + nodes[shared])
    parent = np.full(width, tree.root)
    for node, below in enumerate(tree.children):
        parent[list(below)] = node
    above = nodes[shared]
    while len(required) and (above != tree.root).any():
        above = parent[above]
        keys = classes[shared] * width + above
        places = np.searchsorted(required, keys) % len(required)
        found[shared] = np.where(required[places] == keys, above, found[shared])
    return found
