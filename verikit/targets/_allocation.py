"""The fewest generalizations that show a target: node by node as many values down as fit."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Ints, Rows
from verikit._support.requests import whole
from verikit.errors import SchemaError
from verikit.hierarchy import Hierarchy, as_list
from verikit.targets._distributions import require_target
from verikit.targets._fakes import MAX_FAKES, costs_with_fakes
from verikit.targets._tree import Slots, Tree, reduce_weights, tree_of
from verikit.words import listed, text


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
    >>> from verikit.targets._tree import tree_of
    >>> tree = tree_of(balanced([30, 40, 50, 60]), numeric=True)
    >>> slots = find_fewest_nodes(tree, np.array([0, 0, 1, 1, 2, 3]))
    >>> {tree.names[node]: number for node, number in slots.items()}
    {'[30, 60]': 2, '60': 1, '50': 1, '40': 1, '30': 1}
    """
    before = _count_before(leaves, len(tree.leaves))
    first, last = tree.first, tree.last

    def below(node: int) -> int:
        return before(last[node]) - before(first[node])

    start = tree.root if top is None else top
    slots: Slots = {}
    todo = [(start, below(start))]
    while todo:
        node, kept = todo.pop()
        children, ratio = tree.children[node], tree.ratio[node]
        found = count_units([below(child) for child in children], ratio, kept) if children else 0
        if kept > found * sum(ratio):
            slots[node] = kept - found * sum(ratio)
        if found:
            todo += [(c, found * w) for c, w in zip(children, ratio, strict=True) if w]
    return slots


def _count_before(leaves: Ints, size: int) -> Callable[[int], int]:
    """How many values lie left of a leaf: looked up among few, counted among many."""
    if len(leaves) * 8 < size:
        values = leaves.tolist()
        return lambda at: bisect_left(values, at)
    counted: list[int] = [0, *np.cumsum(np.bincount(leaves, minlength=size)).tolist()]
    return counted.__getitem__


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
    >>> from verikit.targets._tree import tree_of
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
    leaves = _find_leaves(target, values)
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


def costs_of_fakes(target: Hierarchy, values: Iterable[Any], most: int) -> tuple[Fraction, ...]:
    """Give the least sum of ranges with exactly 0, 1, ... values that are nobody's.

    Parameters
    ----------
    target
        The tree with the weights of the target; where all its values are numbers, a range is
        their distance, else their number less one.
    values
        The values of one group.
    most
        The greatest number of values to add.

    Returns
    -------
    tuple of Fraction
        The least cost for each number of added values.

    Raises
    ------
    SchemaError
        If a value lies outside the tree.
    RecordError
        If most is no whole number from 0 to 8,191.

    References
    ----------
    [QZ]_ Problem 3.5.1, Algorithm 4

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> [int(cost) for cost in costs_of_fakes(balanced(range(1, 9)), [1, 3, 5, 7], 4)]
    [4, 11, 10, 17, 0]
    """
    most = whole(most, "most", least=0, most=MAX_FAKES)
    tree = tree_of(require_target(target), numeric=_are_numbers(target))
    counts = np.bincount(_find_leaves(target, values), minlength=len(tree.leaves))
    costs = costs_with_fakes(tree, counts.astype(np.int64), most).tolist()
    return tuple(int(cost) * tree.unit for cost in costs)


def _find_leaves(target: Hierarchy, values: Iterable[Any]) -> Ints:
    names = list(map(text, as_list(values, "The values")))
    lacking = target.missing(names)
    if lacking:
        raise SchemaError(f"The target lacks the values {listed(lacking)}; add each as a leaf.")
    return np.sort(np.array([target.span(name)[0] for name in names], np.int64))


def _are_numbers(target: Hierarchy) -> bool:
    try:
        return all(np.isfinite(float(leaf)) for leaf in target.levels)
    except ValueError:
        return False
