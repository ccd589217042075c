"""A tree as arrays: leaves in order, each node a range of them, parents as numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Rows
from verikit.hierarchy._levels import Levels, refuse

__all__ = ["Shape", "shape_of"]


class Shape(NamedTuple):
    """The nodes of a tree by number; the leaves below a node stand next to each other.

    Parameters
    ----------
    names, numbers
        The name of each node, and the number of each name.
    order
        The numbers of the leaves from left to right: depth first, siblings as declared.
    parent
        The number of the node above each node; -1 above the root.
    first, last
        Where the leaves of each node begin and end in that order.
    """

    names: tuple[str, ...]
    numbers: dict[str, int]
    order: Rows
    parent: Rows
    first: Rows
    last: Rows


def shape_of(levels: Levels) -> Shape:
    """Lay out a tree in O(n h) numpy steps for n values of h levels, and one sort.

    Raises
    ------
    SchemaError
        If the rows are no tree.
    """
    depth = len(next(iter(levels.values())))
    numbers: dict[str, int] = {}
    flat = [numbers.setdefault(name, len(numbers)) for row in levels.values() for name in row]
    table = np.array(flat, np.intp).reshape(-1, depth)
    parent = _parents(table, len(numbers))
    if parent is None:
        refuse(levels)
    paths = _from_root(table)
    rank = _first_seen(table, len(numbers))
    rows = np.lexsort(tuple(rank[paths[:, at]] for at in range(depth - 1, -1, -1)))
    first, last = _ranges(paths[rows], len(numbers))
    return Shape(tuple(numbers), numbers, table[rows, 0], parent, first, last)


def _parents(table: Rows, nodes: int) -> Rows | None:
    """The node above each; None where the rows are no tree."""
    root = table[0, -1]
    below, above = table[:, :-1].ravel(), table[:, 1:].ravel()
    moved = below != above
    parent = np.full(nodes, -1, np.intp)
    parent[below[moved]] = above[moved]
    one_root = (table[:, -1] == root).all() and parent[root] == -1
    one_parent = np.array_equal(parent[below[moved]], above[moved])
    leaves_at_the_end = not np.isin(table[:, 0], above[moved]).any()
    return parent if one_root and one_parent and leaves_at_the_end else None


def _from_root(table: Rows) -> Rows:
    """The nodes of each row from the root down, each once, then the value again and again."""
    down = table[:, ::-1]
    depth = np.zeros(down.shape, np.intp)
    np.cumsum(down[:, 1:] != down[:, :-1], axis=1, out=depth[:, 1:])
    paths = np.repeat(table[:, :1], table.shape[1], axis=1)
    np.put_along_axis(paths, depth, down, axis=1)
    return paths


def _first_seen(table: Rows, nodes: int) -> Rows:
    """In which row each node stands first, which puts siblings in their declared order."""
    seen = np.full(nodes, len(table), np.intp)
    rows = np.arange(len(table))
    for at in range(table.shape[1]):
        np.minimum.at(seen, table[:, at], rows)
    return seen


def _ranges(paths: Rows, nodes: int) -> tuple[Rows, Rows]:
    """Where the leaves of each node begin and end, the rows being in the order of the leaves."""
    first, last = np.zeros(nodes, np.intp), np.zeros(nodes, np.intp)
    rows: npt.NDArray[Any] = np.arange(len(paths))
    for column in paths.T:
        first[column[::-1]] = rows[::-1]
        last[column] = rows + 1
    return first, last
