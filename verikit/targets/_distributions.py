"""Trees with weights to show instead of the true distribution: exact weights of their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import exp, gcd, lcm
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from verikit._support.arrays import Ints
from verikit._support.requests import whole
from verikit.errors import RecordError, SchemaError, quoted
from verikit.hierarchy import Hierarchy, as_list, exact_weight
from verikit.values.names import name_keys
from verikit.values.numbers import exact_fraction
from verikit.words import listed, text

PARTS_OF_LARGEST = 1_000_000


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
    weights: Any = dict.fromkeys(require_target(tree).levels, 1)
    return Hierarchy(tree.levels, weights)


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
    lacking = require_target(tree).missing(counts)
    if lacking:
        raise SchemaError(f"The hierarchy lacks {listed(lacking)}; add each as a leaf.")
    weights: Any = {leaf: counts[leaf] for leaf in tree.levels}
    return Hierarchy(tree.levels, weights)


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
    levels = require_target(tree).levels
    numbers = {leaf: exact_fraction(leaf, "A value of the hierarchy") for leaf in levels}
    low, high = min(numbers.values()), max(numbers.values())
    found = exact_fraction(parts, "parts")
    if found <= 0:
        raise RecordError.given("parts", parts, "a number above 0")
    width = (high - low) / found
    middle = (low + high) / 2
    steps = {
        leaf: float((number - middle) / width) if width else 0.0 for leaf, number in numbers.items()
    }
    return _weigh_in_parts(tree, {leaf: exp(-step * step / 2) for leaf, step in steps.items()})


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
        raise RecordError.given("The power", power, "a number from 0 up", field="power")
    order = [text(v) for v in as_list(first, "The order")] if first is not None else None
    names = order or list(require_target(tree).order())[::-1]
    if sorted(names) != sorted(require_target(tree).levels):
        raise SchemaError(
            f"The order of {len(names)} values does not hold each of the {len(tree.levels)} values "
            "of the hierarchy once; name them from the most frequent on."
        )
    return _weigh_in_parts(
        tree, {leaf: float(k) ** -float(found) for k, leaf in enumerate(names, 1)}
    )


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
    found = tree_of(require_target(tree), numeric=False)
    return _share_out(
        tree, found, lambda node, _: _round_ratio(found.ratio[node], of, found.names[node])
    )


def _round_ratio(ratio: Sequence[int], of: int, name: str) -> list[Fraction]:
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


def require_target(tree: object) -> Hierarchy:
    """The tree of a target, if it is one."""
    if not isinstance(tree, Hierarchy):
        raise SchemaError.given(
            "A target", tree, "a Hierarchy with weights, as verikit.targets.uniform gives it"
        )
    return tree


def _weigh_in_parts(tree: Hierarchy, density: Mapping[str, float]) -> Hierarchy:
    most = max(density.values())
    weights: Any = {leaf: round(PARTS_OF_LARGEST * part / most) for leaf, part in density.items()}
    return Hierarchy(tree.levels, weights)


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
    tree = tree_of(require_target(target), numeric=False)
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
    given = _check_weights(weights, known)
    found = tree_of(tree, numeric=False)

    def find_parts(node: int, share: Fraction) -> list[Fraction]:
        names = [found.names[child] for child in found.children[node]]
        parts = [given.get(name, Fraction(known[name])) for name in names]
        total = sum(parts, Fraction(0))
        if parts and share and not total:
            raise SchemaError(
                f"All {len(parts)} nodes below {quoted(found.names[node])} have the weight 0, but "
                "it has some itself; give one of them a weight above 0, or it none."
            )
        return [part / (total or 1) for part in parts]

    return _share_out(tree, found, find_parts)


def _share_out(
    tree: Hierarchy, found: Tree, find_parts: Callable[[int, Fraction], list[Fraction]]
) -> Hierarchy:
    """Give each node its part of the share of the node above it, from the root down."""
    share = {found.root: Fraction(1)}
    for node in reversed(found.post):
        parts = find_parts(node, share[node])
        for child, part in zip(found.children[node], parts, strict=True):
            share[child] = share[node] * part
    return Hierarchy(tree.levels, {found.names[leaf]: share[leaf] for leaf in found.leaves})


def _check_weights(weights: object, known: Mapping[str, int]) -> dict[str, Fraction]:
    if not isinstance(weights, Mapping):
        raise SchemaError(
            f"The weights of nodes were given as {quoted(weights)}; expected a dictionary of "
            "numbers by node."
        )
    named = name_keys(weights, "The weights of nodes")
    found = {node: exact_weight(weight, node) for node, weight in named.items()}
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


def balanced(values: Iterable[float], ways: int = 2) -> Hierarchy:
    """Give the tree that cuts numbers in order into halves, or thirds, down to single ones.

    A group is called by its least and greatest number, such as ``[1, 4]``.

    Parameters
    ----------
    values
        The numbers, each once.
    ways
        Into how many parts each group is cut.

    Returns
    -------
    Hierarchy
        The tree, all its numbers with the same weight.

    Raises
    ------
    SchemaError
        If no number is given, or something that is none.
    RecordError
        If ways is no whole number from 2 up.

    References
    ----------
    [QZ]_ sections 3.3.1 and 3.7.3

    Examples
    --------
    >>> balanced(range(1, 9)).path(3)
    ('3', '[3, 4]', '[1, 4]', '[1, 8]')
    """
    ways = whole(ways, "ways", least=2)
    found = {
        exact_fraction(value, "A value of the tree"): text(value)
        for value in as_list(values, "Values")
    }
    names = [found[number] for number in sorted(found)]
    if len(names) < 2:
        return Hierarchy({name: (name,) for name in names})
    return Hierarchy.of({_name_group(names): _cut_names(names, ways)})


def _cut_names(names: list[str], ways: int) -> Any:
    """The parts of a group by name; single values stand for themselves."""
    size, longer = divmod(len(names), ways)
    ends = [size * at + min(at, longer) for at in range(ways + 1)]
    parts = [names[a:b] for a, b in pairwise(ends) if a < b]
    return {_name_group(part): _cut_names(part, ways) if len(part) > 1 else None for part in parts}


def _name_group(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"[{names[0]}, {names[-1]}]"


Slots: TypeAlias = dict[int, int]  # how often a node is published, by its number


class Tree(NamedTuple):
    """The nodes of a target by number, as in its hierarchy.

    Parameters
    ----------
    names, numbers
        The name of each node, and the number of each name.
    root
        The number of the root.
    leaves
        The numbers of the leaves from left to right.
    first, last
        Where the leaves of each node begin and end among them.
    children
        The numbers of the nodes right below each node, from left to right.
    post
        All nodes, each after its children.
    ratio
        For each node the weights of its children, as whole numbers without a common divisor; all
        0 where the node has no weight.
    weight
        The weight of each node, as a whole number.
    width
        The range of each node in units: the greatest number less the least, or for categories
        their number less one.
    unit
        What the unit of the widths is.
    """

    names: tuple[str, ...]
    numbers: dict[str, int]
    root: int
    leaves: tuple[int, ...]
    first: tuple[int, ...]
    last: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    post: tuple[int, ...]
    ratio: tuple[tuple[int, ...], ...]
    weight: tuple[int, ...]
    width: tuple[int, ...]
    unit: Fraction

    def leaf_names(self) -> list[str]:
        """Name the values from left to right."""
        return [self.names[leaf] for leaf in self.leaves]

    def below(self, counts: Ints) -> Ints:
        """How many of some values lie below each node, from their counts by leaf."""
        summed = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        return np.asarray(summed[list(self.last)] - summed[list(self.first)])

    def cost(self, slots: Mapping[int, int]) -> Fraction:
        """The sum of the ranges of some nodes, given how often each is published."""
        return self.unit * sum(number * self.width[node] for node, number in slots.items())


def tree_of(hierarchy: Hierarchy, *, numeric: bool) -> Tree:
    """Lay out a target in O(nodes)."""
    shape, sums = hierarchy._shape, hierarchy._sums
    nodes = range(len(shape.names))
    leaves = tuple(shape.order.tolist())
    firsts, lasts = shape.first.tolist(), shape.last.tolist()
    weight = tuple(sums[lasts[node]] - sums[firsts[node]] for node in nodes)
    post, children = _post_order(shape, leaves)
    ratio = tuple(reduce_weights([weight[child] for child in children[node]]) for node in nodes)
    width, unit = _measure_widths(hierarchy.order(), firsts, lasts, numeric)
    first, last, root = tuple(firsts), tuple(lasts), post[-1]
    return Tree(
        shape.names, shape.numbers, root, leaves, first, last, children, post, ratio, weight,
        width, unit,
    )  # fmt: skip


def _post_order(
    shape: Any, leaves: Sequence[int]
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """The nodes, each after its children, and the children of each from left to right."""
    parent, below = shape.parent.tolist(), [list[int]() for _ in shape.names]
    post, last = [], shape.last.tolist()
    for at, leaf in enumerate(leaves, 1):
        node = leaf
        post.append(node)
        while parent[node] >= 0 and last[node] == at:
            below[parent[node]].append(node)
            node = parent[node]
            if last[node] == at:
                post.append(node)
    return tuple(post), tuple(map(tuple, below))


def reduce_weights(weights: Sequence[int]) -> tuple[int, ...]:
    """Whole weights without a common divisor.

    Examples
    --------
    >>> reduce_weights([2, 4, 2]), reduce_weights([0, 5]), reduce_weights([0, 0])
    ((1, 2, 1), (0, 1), (0, 0))
    """
    common = gcd(*weights) or 1
    return tuple(weight // common for weight in weights)


def _measure_widths(
    order: Sequence[str], first: Sequence[int], last: Sequence[int], numeric: bool
) -> tuple[tuple[int, ...], Fraction]:
    ends = list(zip(first, last, strict=True))
    if not numeric:
        return tuple(b - a - 1 for a, b in ends), Fraction(1)
    numbers = [exact_fraction(leaf, "A value of the hierarchy") for leaf in order]
    common = lcm(*(number.denominator for number in numbers))
    whole = [number.numerator * (common // number.denominator) for number in numbers]
    if whole == sorted(whole):
        return tuple(whole[b - 1] - whole[a] for a, b in ends), Fraction(1, common)
    return tuple(max(whole[a:b]) - min(whole[a:b]) for a, b in ends), Fraction(1, common)
