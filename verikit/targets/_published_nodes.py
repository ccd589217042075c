"""What published nodes tell of each value, and which groups show something but the target."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Ints, Rows, count_codes
from verikit.errors import SchemaError
from verikit.hierarchy import Hierarchy, as_list
from verikit.targets._distributions import Slots, Tree, reduce_weights, require_target, tree_of
from verikit.words import listed, text


def infer_chances(tree: Tree, slots: Mapping[int, int]) -> list[Fraction]:
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


def variation_distance(tree: Tree, slots: Mapping[int, int]) -> Fraction:
    """Give the total variation distance of what is shown from the target: 0 if it is private."""
    whole = tree.weight[tree.root]
    wished = (Fraction(tree.weight[leaf], whole) for leaf in tree.leaves)
    pairs = zip(infer_chances(tree, slots), wished, strict=True)
    return sum((abs(a - b) for a, b in pairs), Fraction(0)) / 2


def find_shifts(tree: Tree, slots: Mapping[int, int]) -> dict[int, Fraction]:
    """Give by node by how much the shares of its published children are off at most.

    All are 0 exactly where the published nodes are private for the target.
    """
    used = [slots.get(node, 0) for node in range(len(tree.names))]
    found: dict[int, Fraction] = {}
    for node in tree.post:
        down = [used[child] for child in tree.children[node]]
        whole, total = sum(down), sum(tree.ratio[node])
        if whole:
            pairs = zip(down, tree.ratio[node], strict=True)
            off = (abs(Fraction(n, whole) - Fraction(w, total)) for n, w in pairs if total)
            found[node] = max(off, default=Fraction(1))
        used[node] += whole
    return found


def believed_shares(tree: Tree, amounts: Floats, weights: Floats) -> Floats:
    """The chance of each value, where each node has some chance and stands for values below it.

    The values below a node share its chance by their weights; where all of these are 0, alike.
    The quick form of `shown`, for any weights.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._distributions import tree_of
    >>> tree = tree_of(balanced([30, 40]), numeric=True)
    >>> amounts = np.zeros(3)
    >>> amounts[[tree.numbers["30"], tree.root]] = 0.5
    >>> believed_shares(tree, amounts, np.array([1.0, 3.0])).tolist()
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


def target_shares(tree: Tree) -> Floats:
    """The share of each value in the target of a tree."""
    whole = tree.weight[tree.root]
    return np.array([tree.weight[leaf] / whole for leaf in tree.leaves])


def find_uneven_groups(tree: Tree, owner: Rows, nodes: Rows, top: int) -> Rows:
    """The owners of published nodes that do not show just the target below a node.

    `respects` for many groups at once: what is published as the node or above it shows the target
    anyway; what lies inside is counted from the lowest level up, and compared with the weights of
    all siblings at each step.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._distributions import tree_of
    >>> tree = tree_of(balanced([30, 40]), numeric=True)
    >>> thirty, forty = tree.numbers["30"], tree.numbers["40"]
    >>> owner, nodes = (
    ...     np.array([0, 0, 1, 1, 2]),
    ...     np.array([thirty, forty, thirty, thirty, tree.root]),
    ... )
    >>> find_uneven_groups(tree, owner, nodes, tree.root).tolist()
    [1]
    """
    depth, parent = _find_depths(tree, top)
    weight, total = _sibling_weights(tree, len(nodes))
    width = len(tree.names)
    wrong = []
    keys, counts = _sum_by_node(owner * width + nodes, np.ones(len(nodes), np.int64), depth)
    for level in range(int(depth.max()), 0, -1):
        here = depth[keys % width] == level
        child, number = keys[here] % width, counts[here]
        own = keys[here] // width
        above, place = np.unique(own * width + parent[child], return_inverse=True)
        whole = np.bincount(place, number, len(above)).astype(np.int64)
        sought = total[above % width]
        wrong.append(own[number * sought[place] != weight[child] * whole[place]])
        wrong.append((above // width)[sought == 0])
        rest = np.concatenate([keys[~here], above]), np.concatenate([counts[~here], whole])
        keys, counts = _sum_by_node(*rest, depth)
    return np.unique(np.concatenate([np.empty(0, np.intp), *wrong]))


def _sum_by_node(keys: Rows, counts: Any, depth: Rows) -> tuple[Rows, Any]:
    """How often each node is held by each owner, but for nodes that do not lie inside."""
    inside = depth[keys % len(depth)] > 0
    found, place = np.unique(keys[inside], return_inverse=True)
    return found, np.bincount(place, counts[inside], len(found)).astype(np.int64)


def _find_depths(tree: Tree, top: int) -> tuple[Rows, Rows]:
    """By node how many steps it lies below one, 0 for all others; and the node right above it."""
    depth, parent = (np.zeros(len(tree.names), np.intp) for _ in range(2))
    layer = [top]
    for node in layer:
        below = list(tree.children[node])
        parent[below], depth[below] = node, depth[node] + 1
        layer += below
    return depth, parent


def _sibling_weights(tree: Tree, most: int) -> tuple[Any, Any]:
    """By node its weight among its siblings, and that of all its children, without divisors."""
    largest = max((sum(ratio) for ratio in tree.ratio), default=0)
    exact: Any = np.int64 if largest * max(most, 1) < 2**62 else object
    weight, total = (np.zeros(len(tree.names), exact) for _ in range(2))
    for node, (below, ratio) in enumerate(zip(tree.children, tree.ratio, strict=True)):
        weight[list(below)], total[node] = ratio, sum(ratio)
    return weight, total


def count_units(there: Sequence[int], ratio: Sequence[int], most: int) -> int:
    """How many times a ratio fits into the numbers there are, and into a bound on their sum."""
    total = sum(ratio)
    if not total:
        return 0
    fits = (number // weight for number, weight in zip(there, ratio, strict=True) if weight)
    return min(most // total, *fits)


def allocation(there: Sequence[int], weights: Sequence[int], most: int) -> tuple[int, ...]:
    """Give the greatest numbers in the ratio of some weights, within what there is and a bound.

    Examples
    --------
    >>> allocation((3, 6, 5), (1, 2, 1), 10), allocation((3, 6, 5), (1, 2, 1), 3)
    ((2, 4, 2), (0, 0, 0))
    """
    ratio = reduce_weights(weights)
    found = count_units(there, ratio, most)
    return tuple(found * weight for weight in ratio)


def find_fewest_nodes(tree: Tree, leaves: Ints, top: int | None = None) -> Slots:
    """Give how often each node is published: Algorithm 3.

    ``leaves`` is the place of the leaf of each value, in ascending order. Only what lies below
    ``top`` is published, and nothing is raised above it. One counting pass, then O(nodes) whatever
    the number of values; few values are looked up and never counted.

    Examples
    --------
    >>> import numpy as np
    >>> from verikit.targets import balanced
    >>> from verikit.targets._distributions import tree_of
    >>> tree = tree_of(balanced([30, 40, 50, 60]), numeric=True)
    >>> slots = find_fewest_nodes(tree, np.array([0, 0, 1, 1, 2, 3]))
    >>> {tree.names[node]: number for node, number in slots.items()}
    {'[30, 60]': 2, '60': 1, '50': 1, '40': 1, '30': 1}
    """
    before: Callable[[int], int]  # how many values lie left of a leaf
    if len(leaves) * 8 < len(tree.leaves):  # looked up among few, counted among many
        before = partial(bisect_left, leaves.tolist())
    else:
        counts = count_codes(leaves, len(tree.leaves))
        before = [0, *np.cumsum(counts).tolist()].__getitem__
    first, last = tree.first, tree.last
    start = tree.root if top is None else top
    return fewest_nodes(tree, lambda node: before(last[node]) - before(first[node]), start)


def fewest_nodes(tree: Tree, below: Callable[[int], int], top: int) -> Slots:
    """Give how often each node is published, from how many values lie below it: Algorithm 3."""
    slots: Slots = {}
    todo = [(top, below(top))]
    while todo:
        node, kept = todo.pop()
        children, ratio = tree.children[node], tree.ratio[node]
        found = count_units([below(child) for child in children], ratio, kept) if children else 0
        if kept > found * sum(ratio):
            slots[node] = kept - found * sum(ratio)
        if found:
            todo += [(c, found * w) for c, w in zip(children, ratio, strict=True) if w]
    return slots


def can_be_placed(tree: Tree, leaves: Ints, slots: Mapping[int, int]) -> bool:
    """Whether each value can go to a node that covers it, each node used once: Definition 3.3.2.

    Nodes lie inside each other or apart, so it is enough that below no node more are published
    than there are values, and as many in all.
    """
    there = tree.below(np.bincount(leaves, minlength=len(tree.leaves))).tolist()
    used = [slots.get(node, 0) for node in range(len(tree.names))]
    for node in tree.post:
        used[node] += sum(used[child] for child in tree.children[node])
        if used[node] > there[node]:
            return False
    return bool(used[tree.root] == there[tree.root])


def place_values(tree: Tree, leaves: Ints, slots: Mapping[int, int]) -> Rows:
    """Give a node to each value, in the order of the leaves; each node covers its value.

    Of the values up to the end of a node those without a node lie on a pile; the topmost lie below
    the node, since all that lie further down were put there before it began.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._distributions import tree_of
    >>> tree = tree_of(balanced([30, 40, 50, 60]), numeric=True)
    >>> slots = {tree.numbers["40"]: 1, tree.numbers["[30, 60]"]: 1}
    >>> [tree.names[node] for node in place_values(tree, np.array([1, 1]), slots)]
    ['[30, 60]', '40']
    """
    used = sorted(slots, key=lambda node: (tree.last[node], -tree.first[node]))
    ends = np.searchsorted(leaves, [tree.last[node] for node in used]).tolist()
    found = np.full(len(leaves), -1, np.intp)
    pile: list[tuple[int, int]] = []
    start = 0
    for node, end in zip(used, ends, strict=True):
        if start < end:
            pile.append((start, end))
            start = end
        wanted = slots[node]
        while wanted:
            low, high = pile.pop()
            taken = min(wanted, high - low)
            found[high - taken : high] = node
            wanted -= taken
            if low < high - taken:
                pile.append((low, high - taken))
    return found


def walk(target: Hierarchy, values: Iterable[Any]) -> pd.DataFrame:
    """Give the steps of Algorithm 3: how many values each node passes on, and how many stay.

    Parameters
    ----------
    target
        The tree with the weights of the target.
    values
        The values of one group.

    Returns
    -------
    DataFrame
        One line a node that has values to place, from the root down: how many; how many of all
        values lie below its children; their ratio; how many go down; how many stay.

    Raises
    ------
    SchemaError
        If a value lies outside the tree.

    References
    ----------
    [QZ]_ Problem 3.4.1, Algorithm 3, section 3.4.1

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> walk(balanced([30, 40, 50, 60]), [30, 30, 40, 40, 50, 60]).iloc[0].to_dict()
    {'node': '[30, 60]', 'to place': 6, 'below': '4 : 2', 'ratio': '1 : 1', 'down': '2 : 2',
    'stay': 2}
    """
    tree = tree_of(require_target(target), numeric=False)
    leaves = np.sort(find_leaves(tree, as_list(values, "The values")))
    below = tree.below(np.bincount(leaves, minlength=len(tree.leaves))).tolist()
    slots = find_fewest_nodes(tree, leaves)
    lines, todo = [], [(tree.root, len(leaves))]
    while todo:
        node, kept = todo.pop(0)
        there = [below[child] for child in tree.children[node]]
        down = allocation(there, tree.ratio[node], kept) if there else ()
        told = (" : ".join(map(str, part)) for part in (there, tree.ratio[node], down))
        lines.append((tree.names[node], kept, *told, slots.get(node, 0)))
        todo += [(c, n) for c, n in zip(tree.children[node], down, strict=True) if n]
    return pd.DataFrame(lines, columns=["node", "to place", "below", "ratio", "down", "stay"])


def find_leaves(tree: Tree, values: Iterable[Any], column: str = "") -> Ints:
    """Find the place of the leaf of each value, in their order."""
    leaves, names = set(tree.leaves), list(map(text, values))
    lacking = [name for name in dict.fromkeys(names) if tree.numbers.get(name) not in leaves]
    if lacking:
        of = f", which column {column!r} holds" if column else ""
        raise SchemaError(f"The target lacks the values {listed(lacking)}{of}; each needs a leaf.")
    return np.array([tree.first[tree.numbers[name]] for name in names], np.intp)
