"""What is published of one group: nodes within a tolerance, and values that are nobody's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, lcm
from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Ints, Rows, Values
from verikit._support.requests import whole
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.hierarchy import Hierarchy, as_list
from verikit.targets._distributions import Slots, Tree, require_target, tree_of
from verikit.targets._published_nodes import find_fewest_nodes, find_leaves, place_values
from verikit.values.names import name_keys
from verikit.values.numbers import exact_fraction
from verikit.words import listed, text

MAX_VALUES = 10_000
MAX_EXACT_COST = 2**53


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far the published shares of siblings may be from those of a target.

    Parameters
    ----------
    share
        By how much at most, from 0 to 1; a fraction, a text such as ``"1/20"``, or a decimal.
    searched
        Whether the numbers below siblings are searched for the least cost, which a greater
        tolerance never raises; else the target is first moved as close to the data as it may be,
        as the paper prints it, which need not cost least.
    nodes
        By node a share of its own, which holds for the children of that node.

    Examples
    --------
    >>> Tolerance("1/20", searched=True).share
    Fraction(1, 20)
    >>> Tolerance(nodes={"[30, 60]": "1/5"})
    Tolerance(share=Fraction(0, 1), searched=False, nodes={'[30, 60]': Fraction(1, 5)})
    """

    share: Fraction | float | str = 0
    searched: bool = False
    nodes: Mapping[Any, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        """Hold the shares exactly."""
        object.__setattr__(self, "share", _read_share(self.share, "tolerance"))
        if not isinstance(self.nodes, Mapping):
            raise RecordError.given("nodes", self.nodes, "a dictionary of shares by node")
        named = name_keys(self.nodes, "A tolerance by node")
        own = {n: _read_share(share, f"tolerance of {quoted(n)}") for n, share in named.items()}
        object.__setattr__(self, "nodes", own)

    @classmethod
    def of(cls, given: object) -> Tolerance:
        """Take a tolerance, a share for all nodes, or shares by node (0 for all others)."""
        if isinstance(given, Tolerance):
            return given
        asked: Any = {"nodes": given} if isinstance(given, Mapping) else {"share": given}
        return cls(**asked)

    def by_node(self, tree: Tree) -> list[Fraction]:
        """Give the share of each node of a tree; none where the node has no weight to share."""
        strange = [n for n in self.nodes if n not in tree.numbers]
        single = [n for n in self.nodes if n not in strange and not tree.children[tree.numbers[n]]]
        if strange or single:
            raise SchemaError(
                f"The tolerance names {listed(strange or single)}, "
                f"{'no node of the tree' if strange else 'with nothing below'}; name nodes that "
                f"part, such as {quoted(tree.names[tree.root])}."
            )
        own = (Fraction(self.nodes.get(name, self.share)) for name in tree.names)
        return [s if any(r) else Fraction(0) for s, r in zip(own, tree.ratio, strict=True)]


def _read_share(given: Any, name: str) -> Fraction:
    found = exact_fraction(given, name)
    if not 0 <= found <= 1:
        raise RecordError(
            f"{name} was given as {quoted(text(given))}; expected a share from 0 to 1.",
            field="tolerance",
            value=given,
        )
    return found


def shift_target(tree: Tree, counts: Ints, tolerance: Tolerance) -> Tree:
    """Give the target whose shares come as close to those of the data as a tolerance allows.

    The share of a child is compared with that of the values of its parent; where a parent has no
    value the target stays. What is published by it need not cost least (see `searched`).
    """
    below = tree.below(counts).tolist()
    ratio = list(tree.ratio)
    for node, share in enumerate(tolerance.by_node(tree)):
        if share and len(tree.children[node]) > 1 and below[node]:
            left, right = _find_two_children(tree, node)
            low, high = _share_limits(tree, node, share)
            moved = min(max(Fraction(below[left], below[left] + below[right]), low), high)
            ratio[node] = (moved.numerator, moved.denominator - moved.numerator)
    return tree._replace(ratio=tuple(ratio))


def _find_two_children(tree: Tree, node: int) -> tuple[int, int]:
    if len(tree.children[node]) != 2:
        raise SchemaError(
            f"The node {quoted(tree.names[node])} has {len(tree.children[node])} children; a "
            "tolerance is defined for trees that part in two, such as verikit.targets.balanced "
            "gives."
        )
    left, right = tree.children[node]
    return left, right


def _share_limits(tree: Tree, node: int, tolerance: Fraction) -> tuple[Fraction, Fraction]:
    """The least and the greatest share that the first of two children may have."""
    left, right = tree.ratio[node]
    wished = Fraction(left, left + right)
    return max(wished - tolerance, Fraction(0)), min(wished + tolerance, Fraction(1))


class Room(NamedTuple):
    """For each number of values below the first child, how many may be below the second."""

    least: Ints
    most: Ints


def search_slots(tree: Tree, counts: Ints, tolerance: Tolerance) -> Slots:
    """Give how often each node is published at the least cost within a tolerance.

    Numbers below siblings are chosen, not shares, so no rounding stands between the choice and
    what is published; a greater tolerance never costs more. The time grows with the square of the
    number of values.

    Raises
    ------
    InfeasibleError
        If there are too many values for that.
    """
    below = tree.below(counts).tolist()
    if below[tree.root] > MAX_VALUES:
        raise InfeasibleError(
            f"The best choice within a tolerance was asked for {below[tree.root]:,} values; it is "
            f"searched for up to {MAX_VALUES:,}, so leave out searched=True or make smaller groups."
        )
    kind: Any = np.float64 if below[tree.root] * tree.width[tree.root] < MAX_EXACT_COST else object
    # dynamic programming from the leaves up: the least cost below a node by what it keeps
    rooms: list[Room | None] = [None] * len(tree.names)
    costs: list[Values] = [np.zeros(n + 1, kind) for n in below]
    allowed = tolerance.by_node(tree)
    for node in tree.post:
        rooms[node] = _find_room(tree, node, below, allowed[node])
        for kept in range(1, below[node] + 1) if tree.children[node] else ():
            costs[node][kept] = _find_best_split(tree, node, costs, rooms[node], kept)[0]
    return _read_slots(tree, costs, rooms, below[tree.root])


def _find_room(tree: Tree, node: int, below: list[int], tolerance: Fraction) -> Room | None:
    """Find which numbers of values below the two children of a node have shares that will do."""
    if len(tree.children[node]) < 2 or not sum(tree.ratio[node]):
        return None
    left, right = (below[child] for child in _find_two_children(tree, node))
    (a, b), (c, d) = (end.as_integer_ratio() for end in _share_limits(tree, node, tolerance))
    numbers = range(left + 1)
    most = [min(right, n * (b - a) // a) if a else right for n in numbers]
    least = [-(-n * (d - c) // c) if c else (0 if not n else right + 1) for n in numbers]
    return Room(np.array([min(n, right + 1) for n in least]), np.array(most))


def _find_best_split(
    tree: Tree, node: int, costs: list[Values], room: Room | None, kept: int
) -> tuple[Any, tuple[int, ...]]:
    """Find the least cost below a node that keeps some values, and how many its children keep."""
    children, width = tree.children[node], tree.width[node]
    if len(children) == 1:
        return costs[children[0]][kept], (kept,)
    if room is None:
        return kept * width, (0,) * len(children)
    first = np.arange(min(kept, len(room.most) - 1) + 1)
    second = np.minimum(room.most[: len(first)], kept - first)
    fits = second >= room.least[: len(first)]
    first, second = first[fits], second[fits]
    own = (kept - first - second).astype(costs[node].dtype) * width
    total = costs[children[0]][first] + costs[children[1]][second] + own
    at = int(np.argmin(total))
    return total[at], (int(first[at]), int(second[at]))


def _read_slots(tree: Tree, costs: list[Values], rooms: list[Room | None], kept: int) -> Slots:
    slots: Slots = {}
    todo = [(tree.root, kept)]
    while todo:
        node, number = todo.pop()
        down: tuple[int, ...] = ()
        if tree.children[node] and number:
            down = _find_best_split(tree, node, costs, rooms[node], number)[1]
            todo += zip(tree.children[node], down, strict=True)
        if number > sum(down):
            slots[node] = number - sum(down)
    return slots


def disguise_group(wishes: Sequence[tuple[Tree, Ints, Tolerance]], fakes: int) -> list[Rows]:
    """Give the nodes that stand for the values of one group, and after them those of fakes.

    Of each column the tree of its target, the place of the leaf of each value, and the tolerance
    are given; all columns get as many fakes.
    """
    targets, counts, found = [], [], []
    for tree, leaves, near in wishes:
        shifted = not near.searched and any((near.share, *near.nodes.values()))
        there = np.empty(0, np.int64)
        if fakes or shifted or near.searched:
            there = np.bincount(leaves, minlength=len(tree.leaves)).astype(np.int64)
        targets.append(shift_target(tree, there, near) if shifted else tree)
        counts.append(there)
    added = add_fakes(targets, counts, fakes) if fakes else [np.empty(0, np.int64)] * len(wishes)
    for (tree, leaves, near), target, there, own in zip(
        wishes, targets, counts, added, strict=True
    ):
        every = np.concatenate([leaves, np.repeat(np.arange(len(own)), own)])
        small = every.astype(np.uint16) if len(tree.leaves) <= 2**16 else every
        order = np.argsort(small, kind="stable")
        ordered = every[order]
        exact = near.searched
        slots = search_slots(target, there, near) if exact else find_fewest_nodes(target, ordered)
        nodes = np.empty(len(every), np.intp)
        nodes[order] = place_values(tree, ordered, slots)
        found.append(nodes)
    return found


def add_fakes(targets: Sequence[Tree], counts: Sequence[Ints], most: int) -> list[Ints]:
    """Give how many fakes to add to each leaf of each column, in every column as many in all.

    They are the fewest that reach the least sum of ranges; those of several columns are added up
    as shares of the range of their roots.
    """
    pairs = list(zip(targets, counts, strict=True))
    if len(pairs) == 1:
        most = min(most, _count_enough_fakes(*pairs[0], most))
        return [with_fakes(*pairs[0], most)]
    costs = [costs_with_fakes(tree, there, most).tolist() for tree, there in pairs]
    widths = [max(int(tree.width[tree.root]), 1) for tree in targets]

    def find_share(number: int) -> Fraction:
        parts = zip(costs, widths, strict=True)
        return sum((Fraction(int(cost[number]), width) for cost, width in parts), Fraction(0))

    number = min(range(most + 1), key=find_share)
    return [with_fakes(tree, there, most, number) for tree, there in pairs]


def _count_enough_fakes(tree: Tree, counts: Ints, fakes: int) -> int:
    """How many fakes make every value fit as itself, which costs nothing; no more ever help.

    All that were asked for, where a value that is there has no weight.
    """
    share = {tree.root: Fraction(1)}
    for node in reversed(tree.post):
        whole = sum(tree.ratio[node])
        for child, weight in zip(tree.children[node], tree.ratio[node], strict=True):
            share[child] = share[node] * Fraction(weight, whole or 1)
    shares = [share[leaf] for leaf in tree.leaves]
    there = [(number, part) for number, part in zip(counts.tolist(), shares, strict=True) if number]
    if any(not part for _, part in there):
        return fakes
    parts = lcm(*(part.denominator for part in shares))
    times = max(ceil(number / (part * parts)) for number, part in there)
    return times * parts - int(counts.sum())


MAX_EXACT = 2**53
MAX_COSTS = 2**26  # costs that are held for a group, half a gigabyte of numbers
MAX_FAKES = 8_191  # fakes, of which a table of costs is as large


class Plan(NamedTuple):
    """By node the numbers of values it may have to keep, and how many times its ratio may fit."""

    kept: list[Values]
    fits: list[Values]
    below: list[int]


def costs_with_fakes(tree: Tree, counts: Ints, most: int) -> Values:
    """Give the least sum of ranges, in units, with exactly 0, 1, ... fakes."""
    tables = _make_tables(tree, counts, most)[1]
    # the root keeps all there is: the cost with k fakes and k values more
    return np.asarray(tables[tree.root].diagonal())


def with_fakes(tree: Tree, counts: Ints, most: int, number: int | None = None) -> Ints:
    """Give how many fakes to add to each leaf: in all so many, or the fewest of the least cost.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._distributions import tree_of
    >>> tree = tree_of(balanced(range(1, 9)), numeric=True)
    >>> costs_with_fakes(tree, np.array([1, 0, 1, 0, 1, 0, 1, 0]), 4).astype(int).tolist()
    [4, 11, 10, 17, 0]
    >>> with_fakes(tree, np.array([1, 0, 1, 0, 1, 0, 1, 0]), 4).tolist()
    [0, 1, 0, 1, 0, 1, 0, 1]
    """
    plan, tables = _make_tables(tree, counts, most)
    number = int(np.argmin(tables[tree.root].diagonal())) if number is None else number
    fakes = np.zeros(len(counts), np.int64)
    todo = [(tree.root, number, number)]  # a node, the row of its table, its fakes
    while todo:
        node, row, number = todo.pop()
        if not tree.children[node]:
            fakes[tree.first[node]] = number
        elif number:
            todo += _choose_children(tree, plan, tables, node, row, number)
    return fakes


def _make_tables(tree: Tree, counts: Ints, most: int) -> tuple[Plan, list[Values]]:
    plan = _plan_counts(tree, counts, most)
    # refuse tables of costs that are too large, before they are made
    lines = sum(map(len, plan.kept))
    if lines * (most + 1) > MAX_COSTS:
        raise InfeasibleError(
            f"fakes up to {most:,} need {lines * (most + 1):,} costs to be compared in a group, of "
            f"which the search takes up to {MAX_COSTS:,}; take fewer fakes, or a target of rounder "
            "weights (verikit.targets.rounded)."
        )
    bound = (plan.below[tree.root] + most) * tree.width[tree.root]
    kind: Any = np.float64 if bound < MAX_EXACT else object
    tables: list[Values] = [np.empty(0)] * len(tree.names)
    for node in tree.post:
        # the least cost below a node, by what it keeps (rows) and its fakes (columns)
        kept, there = plan.kept[node], plan.below[node] + np.arange(most + 1)
        table = np.zeros((len(kept), most + 1), kind)
        if tree.children[node]:
            down = _costs_of_children(tree, plan, tables, node)[-1]
            rest = kept[:, None] - sum(tree.ratio[node]) * plan.fits[node]
            width = tree.width[node]
            for row in range(len(kept)):
                fit = int(np.searchsorted(-rest[row], 0, "right"))
                own = (rest[row, :fit].astype(kind) * width)[:, None]
                table[row] = np.min(down[:fit] + own, axis=0, initial=np.inf)
        table[kept[:, None] > there] = np.inf
        tables[node] = table
    return plan, tables


def _plan_counts(tree: Tree, counts: Ints, most: int) -> Plan:
    """Plan from the root down what each node may have to keep."""
    below = tree.below(counts).tolist()
    kept: list[Values] = [np.empty(0, np.int64)] * len(tree.names)
    fits = list(kept)
    added = np.arange(most + 1)
    kept[tree.root] = below[tree.root] + added
    for node in reversed(tree.post):
        children, ratio = tree.children[node], tree.ratio[node]
        fits[node] = np.zeros(1, np.int64)
        if total := sum(ratio):
            # how often the ratio may fit: the least of several steps, all growing with fakes
            steps = [(below[c] + added) // w for c, w in zip(children, ratio, strict=True) if w]
            steps.append(kept[node] // total)
            found = np.unique(np.concatenate(steps))
            low, high = min(step[0] for step in steps), min(step[-1] for step in steps)
            fits[node] = found[(low <= found) & (found <= high)]
        for child, weight in zip(children, ratio, strict=True):
            kept[child] = weight * fits[node] if weight else np.zeros(1, np.int64)
    return Plan(kept, fits, below)


def _costs_of_children(tree: Tree, plan: Plan, tables: Sequence[Values], node: int) -> list[Values]:
    """Compute the least cost of the first child, the first two, ... by how often the ratio fits."""
    found: list[Values] = []
    for child, weight in zip(tree.children[node], tree.ratio[node], strict=True):
        part = (
            tables[child]
            if weight
            else np.broadcast_to(tables[child], (len(plan.fits[node]), tables[child].shape[1]))
        )
        if not found:
            found.append(part)
            continue
        # a min-plus convolution; nothing is assumed about the shape of the costs
        left, both = found[-1], found[-1][:, :1] + part
        for number in range(1, left.shape[1]):
            more = left[:, number : number + 1] + part[:, :-number]
            np.minimum(both[:, number:], more, out=both[:, number:])
        found.append(both)
    return found


def _choose_children(
    tree: Tree, plan: Plan, tables: Sequence[Values], node: int, row: int, number: int
) -> list[tuple[int, int, int]]:
    """For each child the row of its table and its fakes, on the way to the least cost."""
    total, rows = sum(tree.ratio[node]), _costs_of_children(tree, plan, tables, node)
    rest = plan.kept[node][row] - total * plan.fits[node]
    own = np.maximum(rest, 0).astype(rows[-1].dtype) * tree.width[node]
    cost = np.where(rest >= 0, rows[-1][:, number] + own, np.inf)
    fit = int(np.argmin(cost))
    found = []
    for at in range(len(rows) - 1, -1, -1):
        child, weight = tree.children[node][at], tree.ratio[node][at]
        line = fit if weight else 0
        here = number
        if at:
            both = rows[at - 1][fit, : number + 1] + tables[child][line, number::-1]
            here = number - int(np.argmin(both))
        found.append((child, line, here))
        number -= here
    return found


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
    leaves = find_leaves(tree, as_list(values, "The values"))
    counts = np.bincount(leaves, minlength=len(tree.leaves))
    costs = costs_with_fakes(tree, counts.astype(np.int64), most).tolist()
    return tuple(int(cost) * tree.unit for cost in costs)


def _are_numbers(target: Hierarchy) -> bool:
    try:
        return all(np.isfinite(float(leaf)) for leaf in target.levels)
    except ValueError:
        return False
