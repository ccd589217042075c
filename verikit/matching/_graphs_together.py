"""Two groupings of one graph put together: links that are certain, and links that cannot be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Rows
from verikit._support.plotted import Framed
from verikit.errors import InfeasibleError, SchemaError
from verikit.release import GraphRelease
from verikit.table import Side
from verikit.words import count

MOST_NODES = 3_000  # of a side; each with each is a table of flags


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LinksTogether(Framed):
    """What two groupings of one graph leave open together of who is linked to whom.

    Parameters
    ----------
    left, right
        The names of both sides.
    links
        How many links there are.
    possible, certain
        By left and right name whether they may be linked, and whether they must be.
    alone
        The same of what must be linked, by each of the two releases alone.
    nodes
        By side, and by release, how many of its nodes are left to each name.

    Examples
    --------
    See `verikit.intruder.put_together`.
    """

    left: pd.Index
    right: pd.Index
    links: int
    possible: Flags
    certain: Flags
    alone: tuple[Flags, ...]
    nodes: tuple[tuple[Rows, ...], ...]

    @property
    def certain_before(self) -> int:
        """How many links one of the two releases alone makes certain."""
        return max(int(flags.sum()) for flags in self.alone)

    @property
    def recognised(self) -> int:
        """How many names are left one node."""
        return sum(int((counts[0] == 1).sum()) for counts in self.nodes)

    def to_frame(self) -> pd.DataFrame:
        """Find the links that are certain, one line each."""
        left, right = np.nonzero(self.certain)
        titles = [str(self.left.name or "left"), str(self.right.name or "right")]
        return pd.DataFrame(dict(zip(titles, (self.left[left], self.right[right]), strict=True)))

    def __repr__(self) -> str:
        ruled = self.possible.size - int(self.possible.sum())
        return (
            f"links together: {int(self.certain.sum()):,} of {count(self.links, 'link')} are "
            f"certain from both groupings, {self.certain_before:,} from one of them alone, and "
            f"{ruled:,} of {count(self.possible.size, 'pair')} of names cannot be linked; "
            f"{count(self.recognised, 'name')} of {len(self.left) + len(self.right):,} "
            f"{'is' if self.recognised == 1 else 'are'} left one node."
        )


def put_graphs_together(first: GraphRelease, second: GraphRelease) -> LinksTogether:
    """Put two groupings of one graph together.

    A node of the first and one of the second may be the same name's if some name is in both their
    groups and each neighbour of the one may be the same as a neighbour of the other. What is left
    after no more pair of nodes can be ruled out is what names are tried with.

    References
    ----------
    [QZ]_ section 4.5
    """
    sides: tuple[Side, Side] = ("left", "right")
    for release in (first, second):
        release.require_two_kinds("putting groupings together")
    names, cells, tables = [], [], []
    for side in sides:
        one, two = (pd.Index(release.names(side)) for release in (first, second))
        place = two.get_indexer(one)
        if len(one) != len(two) or (place < 0).any() or len(first) != len(second):
            raise SchemaError(
                "The graphs do not have the same names and as many links; expected two groupings "
                "of one graph."
            )
        if len(one) > MOST_NODES:
            raise InfeasibleError(
                f"The {side} side has {len(one):,} names; two groupings are put together for up to "
                f"{MOST_NODES:,} a side."
            )
        groups = first.groups(side), second.groups(side)[place]
        shared = np.zeros((int(groups[0].max()) + 1, int(groups[1].max()) + 1), np.bool_)
        shared[groups] = True
        names.append(one.rename(first.title(side)))
        cells.append(groups)
        tables.append(shared[np.ix_(first.nodes(side), second.nodes(side))])
    linked = [_tabulate(release) for release in (first, second)]
    same = _match_nodes(tables, linked)
    # by name the nodes of each release that may be hers
    nodes = [_find_nodes(first, second, side, cells[at], same[at]) for at, side in enumerate(sides)]
    alone = [
        [_in_group(release.nodes(side), cells[at][which]) for at, side in enumerate(sides)]
        for which, release in enumerate((first, second))
    ]
    judged = [_judge(nodes[0][at], nodes[1][at], linked[at]) for at in (0, 1)]
    return LinksTogether(
        names[0],
        names[1],
        len(first),
        judged[0][0] & judged[1][0],
        judged[0][1] | judged[1][1],
        tuple(_judge(part[0], part[1], linked[at])[1] for at, part in enumerate(alone)),
        tuple(tuple(flags.sum(axis=1) for flags in part) for part in nodes),
    )


def _tabulate(release: GraphRelease) -> Flags:
    """Which left node is linked to which right one."""
    found = np.zeros((len(release.nodes("left")), len(release.nodes("right"))), np.bool_)
    found[tuple(release.links.T)] = True
    return found


def _match_nodes(tables: list[Flags], linked: list[Flags]) -> list[Flags]:
    """Rule out pairs of nodes of which one has a neighbour that is none of the other's."""
    left, right = (table.copy() for table in tables)
    left &= linked[0].sum(axis=1)[:, None] == linked[1].sum(axis=1)
    right &= linked[0].sum(axis=0)[:, None] == linked[1].sum(axis=0)
    while True:
        before = int(left.sum()) + int(right.sum())
        left &= _have_partners(right, linked[0], linked[1])
        right &= _have_partners(left, linked[0].T, linked[1].T)
        for table in (left, right):  # a node that is left one partner takes it from all others
            for way in (table, table.T):
                alone = np.flatnonzero(way.sum(axis=1) == 1)
                taken = way[alone].argmax(axis=1)
                way[:, taken] = False
                way[alone, taken] = True
        if int(left.sum()) + int(right.sum()) == before:
            return [left, right]


def _have_partners(other: Flags, first: Flags, second: Flags) -> Flags:
    """Whether each neighbour of a node may be a neighbour of another, and the other way round."""
    table, one, two = (part.astype(np.float32) for part in (other, first, second))
    lacks_one = one @ ((table @ two.T) == 0).astype(np.float32) > 0
    lacks_two = ((one @ table) == 0).astype(np.float32) @ two.T > 0
    return ~(lacks_one | lacks_two)


def _in_group(nodes: Rows, groups: Rows) -> Flags:
    return np.asarray(groups[:, None] == nodes[None, :])


def _find_nodes(
    first: GraphRelease, second: GraphRelease, side: Side, groups: tuple[Rows, Rows], same: Flags
) -> tuple[Flags, Flags]:
    """By name which nodes of each release may be hers."""
    one, two = (
        _in_group(release.nodes(side), own)
        for release, own in zip((first, second), groups, strict=True)
    )
    near = one.astype(np.float32) @ same.astype(np.float32) > 0
    far = two.astype(np.float32) @ same.T.astype(np.float32) > 0
    return one & far, two & near


def _judge(left: Flags, right: Flags, linked: Flags) -> tuple[Flags, Flags]:
    """By pair of names whether some of their nodes are linked, and whether all are."""
    one, two = left.astype(np.float32), right.astype(np.float32)
    possible = one @ linked.astype(np.float32) @ two.T > 0
    certain = ~(one @ (~linked).astype(np.float32) @ two.T > 0)
    return possible, certain & possible
