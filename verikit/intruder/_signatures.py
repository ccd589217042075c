"""Telling the nodes of a graph apart by whom they are linked to, step by step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.plotted import Plotted
from verikit._support.requests import whole
from verikit.table import BipartiteGraph, Side, checked_graph, checked_side, neighbour_ranks
from verikit.words import count, share

__all__ = ["Signatures", "signatures"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Signatures(Plotted):
    """Classes of nodes that nobody can tell apart by their signatures, after each step.

    Parameters
    ----------
    left, right
        By step the class of each entity, counted from 0 on each side.
    stable
        After how many steps no class was split any more; None if that was not reached.

    References
    ----------
    [QZ]_ section 4.5

    Examples
    --------
    >>> import verikit as vk
    >>> found = signatures(vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame))
    >>> found.stable, found.unique("left").tolist()
    (2, [3, 4])
    """

    left: tuple[Rows, ...]
    right: tuple[Rows, ...]
    stable: int | None

    def sizes(self, side: Side) -> Rows:
        """The size of the last class of each entity."""
        codes = self._last(side)
        return np.bincount(codes)[codes]

    def unique(self, side: Side) -> Rows:
        """The places of those whom nobody shares the last class with: they are recognised."""
        return np.flatnonzero(self.sizes(side) == 1)

    def to_frame(self) -> pd.DataFrame:
        """After each step and on each side: the classes, the unique, and those in tens or more."""
        rows = [
            (step, side, len(sizes), int((sizes == 1).sum()), int(sizes[sizes >= 10].sum()))
            for side, steps in (("left", self.left), ("right", self.right))
            for step, sizes in enumerate(map(np.bincount, steps))
        ]
        names = ["step", "side", "classes", "unique", "in classes of 10 or more"]
        return pd.DataFrame(rows, columns=names)

    def __repr__(self) -> str:
        sides: tuple[Side, Side] = ("left", "right")
        told = " and ".join(
            f"{share(len(self.unique(side)) / max(len(self._last(side)), 1))} {side}"
            for side in sides
        )
        return f"after {count(len(self.left) - 1, 'step')} {told} are recognised by their links"

    def _last(self, side: Side) -> Rows:
        return (self.left if checked_side(side) == "left" else self.right)[-1]


def signatures(graph: BipartiteGraph, *, steps: int | None = None) -> Signatures:
    """Tell entities apart by their numbers of links, those of their neighbours, and so on.

    Two releases of one graph, one naming the left nodes and one the right, show the same links.
    Each node is given a signature: its own and, sorted, those of all its neighbours, again and
    again. A node whose signature is its own is found in both releases, and its name in one of them
    is known in the other.

    Parameters
    ----------
    graph
        Who is linked to what.
    steps
        How many steps are taken; None for as many as split a class.

    Returns
    -------
    Signatures
        The classes after each step.

    Raises
    ------
    RecordError
        If the number of steps is none.
    SchemaError
        If there is no graph.

    References
    ----------
    [QZ]_ section 4.5, Figure 4.9

    Notes
    -----
    The signatures of the neighbours are a multiset (fact BG-46): as a set they would tell nothing
    apart. O(e log e) for e links, each step.

    Examples
    --------
    >>> import verikit as vk
    >>> found = signatures(vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame))
    >>> found
    after 2 steps 33 of 100 left and 33 of 100 right are recognised by their links
    """
    checked_graph(graph, "signatures")
    if steps is not None:
        steps = whole(steps, "steps", least=0)
    near = graph.neighbours("left"), graph.neighbours("right")
    found = [(np.zeros(len(graph.left), np.intp), np.zeros(len(graph.right), np.intp))]
    while steps is None or len(found) <= steps:
        left, right = found[-1]
        new = (
            _joined(left, neighbour_ranks(near[0], right)),
            _joined(right, neighbour_ranks(near[1], left)),
        )
        if all(_classes(a) == _classes(b) for a, b in zip(new, found[-1], strict=True)):
            break
        found.append(new)
    stable = len(found) - 1 if steps is None or len(found) <= steps else None
    return Signatures(tuple(f[0] for f in found), tuple(f[1] for f in found), stable)


def _joined(own: Rows, neighbours: Rows) -> Rows:
    """One code for each different pair of an own signature and those of the neighbours."""
    keys = own * (int(neighbours.max(initial=0)) + 1) + neighbours
    return np.unique(keys, return_inverse=True)[1].astype(np.intp)


def _classes(codes: Rows) -> int:
    return int(codes.max(initial=-1)) + 1
