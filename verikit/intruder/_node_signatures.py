"""Recognise the nodes of a graph by whom they are linked to, and count what that is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.plotted import Framed, Plotted
from verikit._support.requests import one_of, whole
from verikit._support.seed import generator
from verikit.errors import RecordError, SchemaError, quoted
from verikit.partition import Partition
from verikit.release import GraphRelease, by_nodes
from verikit.table import (
    BipartiteGraph,
    Neighbours,
    Side,
    neighbour_ranks,
    require_graph,
    require_side,
)
from verikit.words import count, listed, share

By: TypeAlias = Literal["count", "neighbours", "names"]
KNOWN = {
    "count": "how many links there are",
    "neighbours": "how many links each neighbour has",
    "names": "the names of all neighbours",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fingerprints(Plotted, Framed):
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
    require_graph(graph, "fingerprints")
    if not by_nodes(release):
        raise SchemaError(
            f"fingerprints was given {type(release).__name__} as the release; expected "
            "GraphRelease, such as mask.group_nodes makes."
        )
    other: Side = "right" if require_side(side) == "left" else "left"
    one_of(by, "by", tuple(KNOWN))
    own, rows = (
        release.groups(side)[_find_rows(graph, release, side)],
        _find_rows(graph, release, other),
    )
    near = graph.neighbours(side), release.neighbours(side)
    if by == "neighbours":  # known of each neighbour of the graph, and then of those published
        known = np.r_[graph.degrees(other), np.diff(release.neighbours(other).starts)]
    elif by == "names":
        known = np.r_[release.groups(other)[rows], release.nodes(other)]
    else:
        known = np.zeros(2 * len(rows), np.intp)
    starts = np.r_[near[0].starts, near[0].starts[-1] + near[1].starts[1:]]
    both = Neighbours(starts, np.r_[near[0].places, near[1].places + len(graph.side(other))])
    ranks = neighbour_ranks(both, known)
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


def _find_rows(graph: BipartiteGraph, release: GraphRelease, side: Side) -> Rows:
    """Find where the names of a side of the graph stand in the release."""
    rows = release.names(side).get_indexer(graph.names(side))
    if (rows < 0).any() or len(rows) != len(release.names(side)):
        missing = graph.names(side)[rows < 0]
        named = quoted(missing[0]) if len(missing) else f"{len(release.names(side)):,} names"
        raise RecordError(
            f"The {side} names of the graph and of the release differ ({named}); give the release "
            "that was made of this graph."
        )
    return rows


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
        """Find the size of the last class of each entity."""
        codes = self._find_last_classes(side)
        return np.bincount(codes)[codes]

    def unique(self, side: Side) -> Rows:
        """Find the places of those whom nobody shares the last class with: they are recognised."""
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
            f"{share(len(self.unique(side)) / max(len(self._find_last_classes(side)), 1))} {side}"
            for side in sides
        )
        return f"after {count(len(self.left) - 1, 'step')} {told} are recognised by their links"

    def _find_last_classes(self, side: Side) -> Rows:
        return (self.left if require_side(side) == "left" else self.right)[-1]


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
    require_graph(graph, "signatures")
    if steps is not None:
        steps = whole(steps, "steps", least=0)
    near = graph.neighbours("left"), graph.neighbours("right")
    found = [(np.zeros(len(graph.left), np.intp), np.zeros(len(graph.right), np.intp))]
    while steps is None or len(found) <= steps:
        left, right = found[-1]
        new = (
            _join_codes(left, neighbour_ranks(near[0], right)),
            _join_codes(right, neighbour_ranks(near[1], left)),
        )
        if all(_count_classes(a) == _count_classes(b) for a, b in zip(new, found[-1], strict=True)):
            break
        found.append(new)
    stable = len(found) - 1 if steps is None or len(found) <= steps else None
    return Signatures(tuple(f[0] for f in found), tuple(f[1] for f in found), stable)


def _join_codes(own: Rows, neighbours: Rows) -> Rows:
    """One code for each different pair of an own signature and those of the neighbours."""
    keys = own * (int(neighbours.max(initial=0)) + 1) + neighbours
    return np.unique(keys, return_inverse=True)[1].astype(np.intp)


def _count_classes(codes: Rows) -> int:
    return int(codes.max(initial=-1)) + 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PermutedLinks(Framed):
    """A graph whose links were broken in the middle and joined anew.

    Parameters
    ----------
    links
        The new links by name, in the order of the old ones; one may stand twice.
    repeated
        How many of them repeat another one.
    kept
        How many of them are true.
    together, together_kept
        How many pairs of left entities had a neighbour in common, and how many of these still do.
    joint
        By number of neighbours in common how many pairs have so many, before and after.

    References
    ----------
    [QZ]_ section 4.3.3, Figure 4.2

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> permuted_links(graph, seed=2).together
    5
    >>> permuted_links(graph, seed=2).joint["before"].to_dict()
    {1: 5}
    """

    links: pd.DataFrame
    repeated: int
    kept: int
    together: int
    together_kept: int
    joint: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Find the new links by name."""
        return self.links

    def __repr__(self) -> str:
        return (
            f"{count(len(self.links), 'link')} joined anew: {self.kept:,} of them are true, "
            f"{self.repeated:,} repeat another; of {count(self.together, 'pair')} with a common "
            f"neighbour {self.together_kept:,} still have one"
        )


def permuted_links(
    graph: BipartiteGraph, *, groups: Partition | None = None, seed: int
) -> PermutedLinks:
    """Permute the right ends of links within groups, and count what is left of the graph.

    Everybody keeps as many links as before, but who shares a neighbour with whom is lost: the
    reason why a graph is published by groups of nodes instead.

    Parameters
    ----------
    graph
        Who is linked to what.
    groups
        The groups of links, in the order of ``graph.edges``; None puts all of them into one.
    seed
        The randomness.

    Returns
    -------
    PermutedLinks
        The new links, and how many links and common neighbours are still true.

    Raises
    ------
    RecordError
        If the groups are not those of the links, or the seed is none.
    SchemaError
        If there is no graph.

    References
    ----------
    [QZ]_ section 4.3.3

    Notes
    -----
    Repeated links are kept and counted (fact BG-06): without them numbers of links would change.

    `mask.permute_links` publishes them, as two tables joined by groups.

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> found = permuted_links(graph, seed=2)
    >>> sorted(found.links["Paper"]) == sorted(graph.to_frame()["Paper"])
    True
    """
    rng = generator(seed)
    require_graph(graph, "permuted_links")
    part = Partition(np.zeros(len(graph), np.intp)) if groups is None else groups
    if not isinstance(part, Partition) or len(part.labels) != len(graph):
        given = len(part.labels) if isinstance(part, Partition) else type(part).__name__
        raise RecordError(
            f"The groups of links were given as {given}; expected a Partition of "
            f"{count(len(graph), 'link')}."
        )
    left, right = graph.edges.T
    home = np.argsort(part.labels, kind="stable")
    lot = rng.permutation(len(graph))
    other = lot[np.argsort(part.labels[lot], kind="stable")]
    new = np.empty(len(graph), np.intp)
    new[home] = right[other]
    size = max(len(graph.right), 1)
    old_keys, keys = left * size + right, left * size + new
    once = np.unique(keys)
    before, joint_before = _find_linked_pairs(graph.edges, len(graph.left))
    after, joint_after = _find_linked_pairs(
        np.column_stack([once // size, once % size]), len(graph.left)
    )
    most = max(joint_before.max(initial=0), joint_after.max(initial=0)) + 1
    sides = ("before", joint_before), ("after", joint_after)
    common = pd.DataFrame({name: np.bincount(part, minlength=most) for name, part in sides})
    common = common.rename_axis("in common")
    names = [graph.names("left")[left], graph.names("right")[new]]
    titles = [graph.title("left"), graph.title("right")]
    return PermutedLinks(
        pd.DataFrame(dict(enumerate(names))).set_axis(titles, axis=1),
        len(keys) - len(once),
        int(np.isin(keys, old_keys).sum()),
        len(before),
        len(np.intersect1d(before, after)),
        common[common.any(axis=1)],
    )


def _find_linked_pairs(edges: Rows, left: int) -> tuple[Rows, Rows]:
    """Find the pairs of left entities with a common neighbour, each as one number; and how many."""
    own, other = edges[np.lexsort((edges[:, 0], edges[:, 1]))].T
    found: list[Rows] = []
    at = np.arange(len(own))
    for step in range(1, int(np.bincount(other).max(initial=1))):
        at = at[at + step < len(own)]
        at = at[other[at] == other[at + step]]
        found.append(own[at] * left + own[at + step])
    pairs, counts = np.unique(np.concatenate([*found, at[:0]]), return_counts=True)
    return pairs, counts.astype(np.intp)
