"""Weights on the edges of a tree: how much each node counts against its siblings."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verikit.errors import SchemaError, quoted
from verikit.hierarchy import Hierarchy, exact_weight
from verikit.targets._distributions import checked
from verikit.targets._tree import Tree, tree_of
from verikit.words import listed, text

__all__ = ["edges", "on_edges"]


def edges(target: Hierarchy) -> dict[str, int]:
    """Give how much every node counts against its siblings.

    Parameters
    ----------
    target
        The tree with the weights of the target.

    Returns
    -------
    dict
        By node, without the root, a whole number; those of siblings have no common divisor. Below
        a node without weight all siblings count 1.

    Raises
    ------
    SchemaError
        If no tree is given.

    References
    ----------
    [QZ]_ section 3.3.1, Figure 3.1

    Examples
    --------
    >>> from verikit.targets import balanced, of_values
    >>> edges(of_values(balanced([30, 40, 50]), [30, 30, 40, 50]))
    {'[30, 40]': 3, '50': 1, '30': 2, '40': 1}
    """
    tree = tree_of(checked(target), numeric=False)
    found: dict[str, int] = {}
    for node in reversed(tree.post):
        children, ratio = tree.children[node], tree.ratio[node]
        parts = ratio if any(ratio) else (1,) * len(children)
        found |= {tree.names[child]: part for child, part in zip(children, parts, strict=True)}
    return found


def on_edges(tree: Hierarchy, weights: Mapping[Any, Any]) -> Hierarchy:
    """Let some nodes of a tree count more or less against their siblings; the others keep theirs.

    Parameters
    ----------
    tree
        A tree with the weights of a target.
    weights
        By node how much it counts against its siblings: a number from 0 up, given exactly.

    Returns
    -------
    Hierarchy
        The same tree with the weights of the new target.

    Raises
    ------
    SchemaError
        If no tree is given, a weight belongs to no node or to the root, is negative or a computed
        binary float, or all nodes below one that has weight are given none.

    References
    ----------
    [QZ]_ section 3.3.1, Figure 3.1

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> found = on_edges(balanced([30, 40, 50, 60]), {"[30, 40]": 2, 30: 0})
    >>> [str(found.share(leaf)) for leaf in (30, 40, 50, 60)]
    ['0', '2/3', '1/6', '1/6']
    """
    known = edges(tree)
    given = _given(weights, known)
    found = tree_of(tree, numeric=False)
    share = {found.root: Fraction(1)}
    for node in reversed(found.post):
        names = [found.names[child] for child in found.children[node]]
        parts = [given.get(name, Fraction(known[name])) for name in names]
        total = _total(parts, found, node, share[node])
        for child, part in zip(found.children[node], parts, strict=True):
            share[child] = share[node] * part / total
    return Hierarchy(tree.levels, {found.names[leaf]: share[leaf] for leaf in found.leaves})


def _given(weights: object, known: Mapping[str, int]) -> dict[str, Fraction]:
    if not isinstance(weights, Mapping):
        raise SchemaError(
            f"The weights of nodes were given as {quoted(weights)}; expected a dictionary of "
            "numbers by node."
        )
    found = {text(node): exact_weight(weight, text(node)) for node, weight in weights.items()}
    strange = [node for node in found if node not in known]
    if strange:
        raise SchemaError(
            f"The weights name {listed(strange)}, below no node of the tree; name nodes that "
            f"have one above them, such as {listed(known, 6)}."
        )
    for node, weight in found.items():
        if weight < 0:
            raise SchemaError(
                f"The weight of {quoted(node)} was given as {weight}; expected a number from 0 up.",
                field=node,
                value=weight,
            )
    return found


def _total(parts: list[Fraction], tree: Tree, node: int, share: Fraction) -> Fraction:
    """What the children of a node count together; 1 where there is nothing to share."""
    total = sum(parts, Fraction(0))
    if parts and share and not total:
        raise SchemaError(
            f"All {len(parts)} nodes below {quoted(tree.names[node])} have the weight 0, but it "
            "has some itself; give one of them a weight above 0, or it none."
        )
    return total or Fraction(1)
