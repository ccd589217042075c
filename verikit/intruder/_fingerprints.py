"""Whose node is found in a published graph by somebody who knows the links of one name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Rows
from verikit._support.plotted import Plotted
from verikit._support.requests import one_of
from verikit.errors import RecordError, SchemaError, quoted
from verikit.release import GraphRelease, by_nodes
from verikit.table import (
    BipartiteGraph,
    Neighbours,
    Side,
    checked_graph,
    checked_side,
    neighbour_ranks,
)
from verikit.words import count, listed

__all__ = ["Fingerprints", "fingerprints"]

By: TypeAlias = Literal["count", "neighbours", "names"]
KNOWN = {
    "count": "how many links there are",
    "neighbours": "how many links each neighbour has",
    "names": "the names of all neighbours",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fingerprints(Plotted):
    """How many nodes each name may be for somebody who knows something of its links.

    Parameters
    ----------
    side, by
        Whose names are looked for, and what is known of the links of each.
    names
        The names.
    candidates
        For each name, the nodes of its group that fit what is known; its own is among them.
    sizes
        For each name, all nodes of its group.

    References
    ----------
    [QZ]_ sections 4.2.2 and 4.4.5

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> groups = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])
    >>> release = vk.mask.group_nodes(graph, 3, 3, groups=groups, seed=5).release
    >>> found = fingerprints(graph, release, "left", by="count")
    >>> found.recognised.tolist(), round(found.expected, 3), round(found.luck, 3)
    (['a4'], 3.0, 2.0)
    """

    side: Side
    by: By
    names: pd.Index[Any]
    candidates: Rows
    sizes: Rows

    @property
    def recognised(self) -> pd.Index[Any]:
        """The names whose node is certain, though it is not their group's only one."""
        return self.names[(self.candidates == 1) & (self.sizes > 1)]

    @property
    def expected(self) -> float:
        """How many nodes are right on average if one of the fitting ones is guessed for each."""
        return float((1 / self.candidates).sum())

    @property
    def luck(self) -> float:
        """How many are right if any node of the group is guessed: one for each group."""
        return float((1 / self.sizes).sum())

    def to_frame(self) -> pd.DataFrame:
        """One line a name: the nodes that fit, those of its group, and the chances."""
        return pd.DataFrame(
            {
                "name": self.names,
                "candidates": self.candidates,
                "group": self.sizes,
                "chance": 1 / self.candidates,
                "luck": 1 / self.sizes,
            }
        )

    def __repr__(self) -> str:
        some = len(self.recognised)
        sure = f", {listed(self.recognised, 3)}" if some else ""
        return (
            f"of {count(len(self.names), 'node')} {self.expected:,.4g} are expected to be guessed "
            f"right by whoever knows {KNOWN[self.by]}, {self.luck:,.4g} by luck; certain: "
            f"{some:,}{sure}"
        )

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame().head(12))


def fingerprints(
    graph: BipartiteGraph, release: GraphRelease, side: Side, *, by: By = "names"
) -> Fingerprints:
    """Look for the node of each name by what somebody may know of its links.

    A published graph shows all links between nodes. Whoever knows something of the links of one
    name, looks in its group for the nodes that have such links. What is counted is one name at a
    time: nothing is known of the others.

    Parameters
    ----------
    graph
        Who is linked to what.
    release
        What was published of it.
    side
        Whose names are looked for.
    by
        What is known: ``"count"``, how many links there are; ``"neighbours"``, how many links each
        neighbour has; ``"names"``, the names of all neighbours, and so their groups.

    Returns
    -------
    Fingerprints
        For each name how many nodes fit, against how many its group has.

    Raises
    ------
    RecordError
        If there is no such side or knowledge, or the names are not those of the release.
    SchemaError
        If there is no graph or release, or the release does not show the links of the graph.

    References
    ----------
    [QZ]_ sections 4.2.2 and 4.4.5

    Notes
    -----
    The paper bounds what follows from single links; here somebody knows all links of one name.
    Groups of names with as many links each (``order="degree"``) give less away by these numbers
    than groups by lot. O(e log e) for e links.

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> groups = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])
    >>> release = vk.mask.group_nodes(graph, 3, 3, groups=groups, seed=5).release
    >>> fingerprints(graph, release, "left", by="count")
    of 6 nodes 3 are expected to be guessed right by whoever knows how many links there are, 2 by
    luck; certain: 1, 'a4'
    """
    checked_graph(graph, "fingerprints")
    if not by_nodes(release):
        raise SchemaError(
            f"fingerprints was given {type(release).__name__} as the release; expected "
            "GraphRelease, such as mask.group_nodes makes."
        )
    other: Side = "right" if checked_side(side) == "left" else "left"
    one_of(by, "by", tuple(KNOWN))
    own, rows = release.groups(side)[_rows(graph, release, side)], _rows(graph, release, other)
    near = graph.neighbours(side), release.neighbours(side)
    known = _codes(graph, release, other, by, rows)
    ranks = neighbour_ranks(_beside(*near, len(graph.side(other))), known)
    entities = len(own)
    keys = np.r_[own, release.nodes(side)] * (int(ranks.max(initial=0)) + 1) + ranks
    found = np.unique(keys, return_inverse=True)[1]
    fitting = np.bincount(found[entities:], minlength=int(found.max(initial=-1)) + 1)
    candidates = fitting[found[:entities]]
    if (candidates == 0).any():
        raise SchemaError(
            "The release does not show the links of this graph: no node fits "
            f"{listed(graph.names(side)[candidates == 0], 3)}."
        )
    return Fingerprints(side, by, graph.names(side), candidates, release.sizes(side)[own])


def _rows(graph: BipartiteGraph, release: GraphRelease, side: Side) -> Rows:
    """Where the names of a side of the graph stand in the release."""
    rows = release.names(side).get_indexer(graph.names(side))
    if (rows < 0).any() or len(rows) != len(release.names(side)):
        missing = graph.names(side)[rows < 0]
        named = quoted(missing[0]) if len(missing) else f"{len(release.names(side)):,} names"
        raise RecordError(
            f"The {side} names of the graph and of the release differ ({named}); give the release "
            "that was made of this graph."
        )
    return rows


def _beside(first: Neighbours, second: Neighbours, others: int) -> Neighbours:
    """Two lists of neighbours in one, the second with neighbours of its own."""
    starts = np.r_[first.starts, first.starts[-1] + second.starts[1:]]
    return Neighbours(starts, np.r_[first.places, second.places + others])


def _codes(graph: BipartiteGraph, release: GraphRelease, other: Side, by: By, rows: Rows) -> Rows:
    """What is known of each neighbour: of those of the graph first, then of those published."""
    if by == "neighbours":
        return np.r_[graph.degrees(other), np.diff(release.neighbours(other).starts)]
    if by == "names":
        return np.r_[release.groups(other)[rows], release.nodes(other)]
    return np.zeros(2 * len(rows), np.intp)
