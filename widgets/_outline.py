"""The part of a tree that fits on a card: some levels below a node, line by line."""

from __future__ import annotations

from typing import NamedTuple

from verikit.targets import Tree

__all__ = ["ROWS", "Row", "ends", "outline"]

ROWS = 23


class Row(NamedTuple):
    """One line: a node, how deep it lies below the first, and whether its children follow."""

    node: int
    depth: int
    opened: bool


def outline(tree: Tree, start: int, most: int = ROWS) -> list[Row]:
    """The nodes below one, level by level as long as whole families fit; then in their order.

    Of a family too large for the card the first members are shown.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> from verikit.targets._tree import tree_of
    >>> tree = tree_of(balanced(range(1, 9)), numeric=True)
    >>> [tree.names[row.node] for row in outline(tree, tree.root, 5)]
    ['[1, 8]', '[1, 4]', '[1, 2]', '[3, 4]', '[5, 8]']
    """
    shown = {start: tree.children[start][: most - 1]}
    room, waiting = most - 1 - len(shown[start]), list(shown[start])
    for node in waiting:
        family = tree.children[node]
        if family and len(family) <= room:
            shown[node] = family
            room -= len(family)
            waiting += family
    rows, todo = [], [(start, 0)]
    while todo:
        node, depth = todo.pop()
        below = shown.get(node, ())
        rows.append(Row(node, depth, bool(below)))
        todo += [(child, depth + 1) for child in reversed(below)]
    return rows


def ends(rows: list[Row]) -> list[int]:
    """The nodes whose children are not shown: single values, or what was left closed."""
    return [row.node for row in rows if not row.opened]
