"""Distributions to show instead of the true one: exact weights of the values of a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np

from verikit.errors import RecordError, SchemaError, quoted
from verikit.hierarchy import Hierarchy, as_list, exact_fraction
from verikit.targets._tree import tree_of
from verikit.words import listed, text

__all__ = ["normal", "of_values", "rounded", "uniform", "zipf"]

PARTS = 1_000_000


def uniform(tree: Hierarchy) -> Hierarchy:
    """Give every value of a tree the same weight.

    Parameters
    ----------
    tree
        The tree.

    Returns
    -------
    Hierarchy
        The same tree with the weights of this target.

    Raises
    ------
    SchemaError
        If no tree is given.

    References
    ----------
    [QZ]_ section 3.3.1

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> uniform(balanced([30, 40, 50, 60])).share("[30, 40]")
    Fraction(1, 2)
    """
    return _weighted(tree, dict.fromkeys(checked(tree).levels, 1))


def of_values(tree: Hierarchy, values: Iterable[Any]) -> Hierarchy:
    """Give each value the weight with which it occurs among some values, such as another table's.

    Parameters
    ----------
    tree
        The tree.
    values
        The values; what does not occur among them gets the weight 0.

    Returns
    -------
    Hierarchy
        The same tree with the weights of this target.

    Raises
    ------
    SchemaError
        If no tree is given, or it lacks one of the values.

    References
    ----------
    [QZ]_ sections 3.3.1 and 3.7.1

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> of_values(balanced([30, 40, 50, 60]), [30, 30, 40, 60]).share("[30, 40]")
    Fraction(3, 4)
    """
    counts = Counter(map(text, as_list(values, "The values of a target")))
    lacking = checked(tree).missing(counts)
    if lacking:
        raise SchemaError(f"The hierarchy lacks {listed(lacking)}; add each as a leaf.")
    return _weighted(tree, {leaf: counts[leaf] for leaf in tree.levels})


def normal(tree: Hierarchy, parts: float) -> Hierarchy:
    """Give the weights of a normal distribution around the middle of the numbers of a tree.

    Parameters
    ----------
    tree
        The tree; its values are numbers.
    parts
        How often its standard deviation goes into the range of the numbers.

    Returns
    -------
    Hierarchy
        The same tree with the weights of this target.

    Raises
    ------
    SchemaError
        If no tree is given, or a value is no number.
    RecordError
        If parts is not above 0.

    References
    ----------
    [QZ]_ section 3.7.3, Table 3.5

    Notes
    -----
    Weights are whole numbers, in millionths of the greatest; what is rarer gets the weight 0.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> target = normal(balanced(range(1024)), 4)
    >>> round(float(target.share("[0, 255]") / target.share("[0, 511]")), 2)
    0.28
    """
    numbers = _numbers(checked(tree))
    low, high = min(numbers.values()), max(numbers.values())
    width = (high - low) / _above_0(parts, "parts")
    middle = (low + high) / 2
    steps = {
        leaf: float((found - middle) / width) if width else 0.0 for leaf, found in numbers.items()
    }
    return _in_parts(tree, {leaf: exp(-step * step / 2) for leaf, step in steps.items()})


def zipf(tree: Hierarchy, power: float, *, first: Sequence[Any] | None = None) -> Hierarchy:
    """Give the k-th value of an order a weight that falls as k to a power grows.

    Parameters
    ----------
    tree
        The tree.
    power
        The power; 0 gives all values the same weight.
    first
        The values from the most frequent on; from the last value of the tree to the first where
        none are given, as in the paper's table.

    Returns
    -------
    Hierarchy
        The same tree with the weights of this target.

    Raises
    ------
    SchemaError
        If no tree is given, or the order does not hold each value once.
    RecordError
        If the power is negative.

    References
    ----------
    [QZ]_ sections 3.7.3 and 3.7.5, Table 3.5

    Notes
    -----
    Printed is a power of k that grows with k; Table 3.5 follows from its inverse, counted from the
    greatest value. Weights are whole numbers, in millionths of the greatest.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> zipf(balanced([1, 2]), 1).share(2)
    Fraction(2, 3)
    """
    found = exact_fraction(power, "The power", field="power")
    if found < 0:
        raise RecordError(
            f"The power was given as {quoted(power)}; expected a number from 0 up.",
            field="power",
            value=power,
        )
    order = [text(v) for v in as_list(first, "The order")] if first is not None else None
    names = order or list(checked(tree).order())[::-1]
    if sorted(names) != sorted(checked(tree).levels):
        raise SchemaError(
            f"The order of {len(names)} values does not hold each of the {len(tree.levels)} values "
            "of the hierarchy once; name them from the most frequent on."
        )
    return _in_parts(tree, {leaf: float(k) ** -float(found) for k, leaf in enumerate(names, 1)})


def rounded(tree: Hierarchy, of: int = 10) -> Hierarchy:
    """Round the shares of the children of every node to parts that add up to a whole.

    Two shares such as 1000 to 1001 leave no way down for a hundred values each; 5 to 5 does.

    Parameters
    ----------
    tree
        A tree with the weights of a target.
    of
        How many parts the children of a node share; a child with any weight gets at least one.

    Returns
    -------
    Hierarchy
        The same tree with the weights of a target near the first.

    Raises
    ------
    SchemaError
        If no tree is given.
    RecordError
        If a node has more children than there are parts.

    References
    ----------
    [QZ]_ sections 3.7.2 and 3.7.5, Table 3.5

    Examples
    --------
    >>> rounded(Hierarchy.of({"*": ["a", "b"]}, weights={"a": 1000, "b": 1001})).share("a")
    Fraction(1, 2)
    """
    found = tree_of(checked(tree), numeric=False)
    share = {found.root: Fraction(1)}
    for node in reversed(found.post):
        parts = _rounded(found.ratio[node], of, found.names[node])
        for child, part in zip(found.children[node], parts, strict=True):
            share[child] = share[node] * part
    return _weighted(tree, {found.names[leaf]: share[leaf] for leaf in found.leaves})


def _rounded(ratio: Sequence[int], of: int, name: str) -> list[Fraction]:
    """The parts of siblings: halves upward, the largest giving or taking what is left."""
    some, total = sum(map(bool, ratio)), sum(ratio)
    if some > of:
        raise RecordError(
            f"The node {quoted(name)} has {some} children with weight, which cannot share {of} "
            "parts; give more parts."
        )
    if not total:
        return [Fraction(0)] * len(ratio)
    parts = [max(1, (2 * of * weight + total) // (2 * total)) if weight else 0 for weight in ratio]
    while sum(parts) != of:
        parts[int(np.argmax(parts))] += 1 if sum(parts) < of else -1
    return [Fraction(part, of) for part in parts]


def checked(tree: object) -> Hierarchy:
    """The tree of a target, if it is one."""
    if not isinstance(tree, Hierarchy):
        raise SchemaError(
            f"A target was given as {quoted(tree)}; expected a Hierarchy with weights, as "
            "verikit.targets.uniform gives it."
        )
    return tree


def _weighted(tree: Hierarchy, weights: Mapping[str, Any]) -> Hierarchy:
    return Hierarchy(tree.levels, weights)


def _in_parts(tree: Hierarchy, density: Mapping[str, float]) -> Hierarchy:
    most = max(density.values())
    return _weighted(tree, {leaf: round(PARTS * part / most) for leaf, part in density.items()})


def _numbers(tree: Hierarchy) -> dict[str, Fraction]:
    return {leaf: exact_fraction(leaf, "A value of the hierarchy") for leaf in tree.levels}


def _above_0(value: object, name: str) -> Fraction:
    found = exact_fraction(value, name)
    if found <= 0:
        raise RecordError(
            f"{name} was given as {quoted(value)}; expected a number above 0.",
            field=name,
            value=value,
        )
    return found
