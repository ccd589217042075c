"""Looks at how values are generalized: the walk down the tree, and what fakes would save."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Ints
from verikit._support.requests import whole
from verikit.errors import SchemaError
from verikit.hierarchy import Hierarchy, as_list
from verikit.targets._distributions import checked
from verikit.targets._fakes import MOST, costs_with_fakes
from verikit.targets._fewest import allocation, fewest
from verikit.targets._tree import tree_of
from verikit.words import listed, text

__all__ = ["costs_of_fakes", "walk"]


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
    tree = tree_of(checked(target), numeric=False)
    leaves = _leaves(target, values)
    below = tree.below(np.bincount(leaves, minlength=len(tree.leaves))).tolist()
    slots = fewest(tree, leaves)
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
    most = whole(most, "most", least=0, most=MOST)
    tree = tree_of(checked(target), numeric=_numbers(target))
    counts = np.bincount(_leaves(target, values), minlength=len(tree.leaves))
    costs = costs_with_fakes(tree, counts.astype(np.int64), most).tolist()
    return tuple(int(cost) * tree.unit for cost in costs)


def _leaves(target: Hierarchy, values: Iterable[Any]) -> Ints:
    names = list(map(text, as_list(values, "The values")))
    lacking = target.missing(names)
    if lacking:
        raise SchemaError(f"The target lacks the values {listed(lacking)}; add each as a leaf.")
    return np.sort(np.array([target.span(name)[0] for name in names], np.int64))


def _numbers(target: Hierarchy) -> bool:
    try:
        return all(np.isfinite(float(leaf)) for leaf in target.levels)
    except ValueError:
        return False
