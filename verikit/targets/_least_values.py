"""How few values any release must publish that respects what everybody requires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from verikit.targets._distributions import Tree
from verikit.targets._requirements import Person, count_values

MAX_CHOICES = 30_000
FINE = 2**30  # multipliers are whole parts of this, so that the bound is exact whatever the solver


def find_least_values(tree: Tree, people: Sequence[Person]) -> int:
    """Give a number of values that no release can go below which respects everybody.

    Fractions of people are put below the required nodes around theirs, and what lies below a node
    is handed down in the ratio of its weights: every grouping is one of these choices, so the least
    of them is a bound from below. It need not be reached. Where there are more choices than a
    solver can compare, what lies further down the tree than some depth counts as one value each.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._distributions import tree_of
    >>> tree = tree_of(balanced([30, 40]), numeric=True)
    >>> find_least_values(tree, [Person(0, tree.root), Person(0, tree.root)])
    4
    """
    above = [[tree.root] for _ in tree.leaves]  # the nodes around each value, from the root down
    for node in reversed(tree.post):
        for child in tree.children[node]:
            for leaf in range(tree.first[child], tree.last[child]):
                above[leaf].append(child)
    kinds = Counter(people)
    for depth in range(max(map(len, above)), 0, -1):
        cut = Counter[tuple[int, int]]()
        for (leaf, node), number in kinds.items():
            path = above[leaf]
            cut[path[:depth][-1], path[min(path.index(node), depth - 1)]] += number
        tops = {node for _, node in cut}
        paths = {path[:depth][-1]: path[:depth] for path in above}
        choices = [
            (lowest, top, row)
            for row, (lowest, node) in enumerate(cut)
            for top in paths[lowest][: paths[lowest].index(node) + 1]
            if top in tops
        ]
        if len(choices) <= MAX_CHOICES:
            break
    return _solve(tree, list(cut.values()), choices, paths)


def _solve(
    tree: Tree, numbers: list[int], choices: list[tuple[int, int, int]], paths: dict[int, list[int]]
) -> int:
    """Bound the least sum of values by the multipliers of a linear program."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    total, tops = sum(numbers), {top for _, top, _ in choices}
    size = [1 if n in paths else count_values(tree, n) for n in range(len(tree.names))]
    # the variables: how many of a kind lie below a required node, then how often each node below
    # that hands its ratio down; the lines: what comes down to a node is enough for what it hands
    # on (~node), and there are as many people below it
    cost = [size[top] for _, top, _ in choices]
    most = [numbers[row] for *_, row in choices]
    lines: dict[tuple[int, int], int] = {}
    entries: list[tuple[int, int, int]] = []
    todo = [(top, top) for top in sorted(tops)]
    while todo:
        top, node = todo.pop()
        below = [(c, w) for c, w in zip(tree.children[node], tree.ratio[node], strict=True) if w]
        if node in paths or not below:
            continue
        parts, here = sum(tree.ratio[node]), len(cost)
        cost.append(sum(w * (size[child] - size[node]) for child, w in below))
        most.append(total // parts)
        entries.append((lines.setdefault((top, ~node), len(lines)), here, parts))
        for child, weight in below:
            entries.append((lines.setdefault((top, child), len(lines)), here, weight))
            entries.append((lines.setdefault((top, ~child), len(lines)), here, -weight))
            todo.append((top, child))
    for at, (lowest, top, _) in enumerate(choices):
        held = [lines.get((top, node)) for node in (~top, *paths[lowest])]
        entries += [(line, at, -1) for line in held if line is not None]
    row, column, value = zip(*entries, strict=True) if entries else ((), (), ())
    shape = (len(lines), len(cost))
    least = csr_array((np.array(value, float), (row, column)), shape=shape)
    whose = [row for *_, row in choices]
    every = csr_array(
        (np.ones(len(whose)), (whose, range(len(whose)))), shape=(len(numbers), len(cost))
    )
    found: Any = linprog(
        cost, least, np.zeros(len(lines)), every, np.array(numbers) / total, method="highs"
    )
    if found.status:
        return total
    # any multipliers give a bound, if each variable is charged at most as much as it can be
    by_line = [min(0, round(x * FINE)) for x in found.ineqlin.marginals.tolist()]
    by_kind = [round(x * FINE) for x in found.eqlin.marginals.tolist()]
    rest = [number * FINE for number in cost]
    for line, at, number in entries:
        rest[at] -= number * by_line[line]
    for at, kind in enumerate(whose):
        rest[at] -= by_kind[kind]
    bound = sum(number * x for number, x in zip(numbers, by_kind, strict=True))
    bound += sum(min(0, x) * number for x, number in zip(rest, most, strict=True))
    return max(total, -(-bound // FINE))
