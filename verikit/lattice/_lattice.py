"""The lattice of generalization levels: one level per column, from as given to fully general."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from verikit._support.requests import whole
from verikit.errors import SchemaError, quoted
from verikit.table import Microdata, microdata
from verikit.words import count, listed, text

__all__ = ["Lattice", "Node"]

Node: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Lattice:
    """All ways of generalizing whole columns: a node names one level of each quasi-identifier.

    Level 0 publishes a column as it is, its last level is the root of the hierarchy. A node's
    parents generalize one column one level further; its children one level less.

    Parameters
    ----------
    names
        The quasi-identifiers.
    heights
        The last level of each.

    References
    ----------
    [KS]_ section 2.2, Figure 2

    Examples
    --------
    >>> lattice = Lattice(("Race", "Zip"), (1, 2))
    >>> len(lattice), lattice.top, lattice.at(2)
    (6, (1, 2), ((0, 2), (1, 1)))
    >>> lattice.parents((0, 1)), lattice.levels((0, 1))
    (((1, 1), (0, 2)), {'Race': 0, 'Zip': 1})
    """

    names: tuple[str, ...]
    heights: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse names and heights that do not fit together."""
        object.__setattr__(self, "names", tuple(map(text, self.names)))
        object.__setattr__(self, "heights", tuple(map(int, self.heights)))
        if len(self.names) != len(self.heights) or not self.names or min(self.heights) < 0:
            raise SchemaError(
                f"A lattice needs a height from 0 up for each column; got the columns "
                f"{listed(self.names) or 'none'} and the heights {list(self.heights)}."
            )

    @classmethod
    def of(cls, data: Microdata) -> Lattice:
        """The lattice of a table's quasi-identifiers, each of which needs a hierarchy."""
        columns = microdata(data, "Lattice.of").schema.quasi
        if not columns:
            raise SchemaError(
                "The table has no quasi-identifier, so there is nothing to generalize; declare at "
                "least one column 'quasi'."
            )
        bare = [column.name for column in columns if column.hierarchy is None]
        if bare:
            raise SchemaError(
                f"The quasi-identifiers {listed(bare, 12)} have no hierarchy; give each one "
                "(verikit.Hierarchy), or another role."
            )
        heights = tuple(c.hierarchy.height for c in columns if c.hierarchy is not None)
        return cls(tuple(column.name for column in columns), heights)

    def __len__(self) -> int:
        return math.prod(self.shape)

    def __iter__(self) -> Iterator[Node]:
        nodes = np.indices(self.shape).reshape(len(self.shape), -1)
        lowest_first = np.argsort(nodes.sum(axis=0), kind="stable")
        yield from map(tuple, nodes.T[lowest_first].tolist())

    def __contains__(self, node: object) -> bool:
        return (
            isinstance(node, tuple)
            and len(node) == len(self.heights)
            and all(
                isinstance(level, (int, np.integer)) and 0 <= level <= height
                for level, height in zip(node, self.heights, strict=True)
            )
        )

    def __repr__(self) -> str:
        return f"Lattice({count(len(self), 'node')} over {', '.join(self.names)})"

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of levels of each column."""
        return tuple(height + 1 for height in self.heights)

    @property
    def height(self) -> int:
        """The height of the top: the sum of all last levels."""
        return sum(self.heights)

    @property
    def bottom(self) -> Node:
        """The node that publishes every column as it is."""
        return (0,) * len(self.heights)

    @property
    def top(self) -> Node:
        """The node that publishes nothing but the roots."""
        return self.heights

    def at(self, height: int) -> tuple[Node, ...]:
        """All nodes of one height, in ascending order."""
        return tuple(_of_height(self.heights, height))

    def parents(self, node: Node) -> tuple[Node, ...]:
        """The nodes one level more general."""
        return tuple(
            (*node[:place], level + 1, *node[place + 1 :])
            for place, level in enumerate(node)
            if level < self.heights[place]
        )

    def children(self, node: Node) -> tuple[Node, ...]:
        """The nodes one level more specific."""
        return tuple(
            (*node[:place], level - 1, *node[place + 1 :])
            for place, level in enumerate(node)
            if level > 0
        )

    def levels(self, node: Node) -> dict[str, int]:
        """A node as levels by column."""
        return dict(zip(self.names, node, strict=True))

    def node(self, levels: Mapping[str, int]) -> Node:
        """Levels by column as a node, checked to name each column and an existing level of it."""
        lacking = [name for name in self.names if name not in levels]
        unknown = [name for name in levels if name not in self.names]
        if lacking or unknown:
            raise SchemaError(
                f"Levels must name each of {listed(self.names, 12)}; they lack "
                f"{listed(lacking) or 'none'} and name {listed(unknown) or 'none'} besides. Level "
                "0 publishes a column as it is."
            )
        for name, height in zip(self.names, self.heights, strict=True):
            whole(levels[name], f"The level of {quoted(name)}", least=0, most=height)
        return tuple(int(levels[name]) for name in self.names)

    def minimal(self, safe: frozenset[Node]) -> tuple[Node, ...]:
        """Those of the given nodes that have no child among them, lowest first."""
        return tuple(
            node
            for node in sorted(safe, key=lambda node: (sum(node), node))
            if not any(child in safe for child in self.children(node))
        )


def _of_height(heights: tuple[int, ...], total: int) -> Iterator[Node]:
    if len(heights) == 1:
        if 0 <= total <= heights[0]:
            yield (total,)
        return
    rest = sum(heights[1:])
    for level in range(max(0, total - rest), min(heights[0], total) + 1):
        for tail in _of_height(heights[1:], total - level):
            yield (level, *tail)
