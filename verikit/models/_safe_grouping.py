"""Safe groups: no two members of a group are linked to the same entity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Rows
from verikit.errors import SchemaError
from verikit.partition import Partition
from verikit.table import BipartiteGraph, Side, require_graph, require_side
from verikit.words import count

MAX_PAIRS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GroupingVerdict:
    """Whether groups of a side of a graph are safe, and who makes them unsafe.

    Parameters
    ----------
    safe
        Whether no two members of a group have a common neighbour.
    violations
        How often two do: once for each pair and each neighbour they share.
    pairs
        Those pairs by name with their group and the neighbour; the first million of them.
    size
        The number of members of the smallest group.
    strict
        Whether no group has more than one member above the smallest.

    References
    ----------
    [QZ]_ Definitions 4.4.1 and 4.4.3

    Examples
    --------
    >>> GroupingVerdict(True, 0, pd.DataFrame(), 3, True)
    safe groups of 3 and more, strict
    """

    safe: bool
    violations: int
    pairs: pd.DataFrame
    size: int
    strict: bool

    def __repr__(self) -> str:
        strict = ", strict" if self.strict else ""
        if self.safe:
            return f"safe groups of {self.size} and more{strict}"
        one = self.pairs.iloc[0]
        return (
            f"unsafe groups of {self.size} and more{strict}: "
            f"{count(self.violations, 'pair')} in one group share a neighbour, such as "
            f"{one['first']} and {one['second']}, both linked to {one['shared']}"
        )

    def to_frame(self) -> pd.DataFrame:
        """The pairs that make the groups unsafe."""
        return self.pairs

    def _repr_html_(self) -> str:
        tables = [] if self.safe else [self.pairs.head(12)]
        return _html.result(repr(self), *tables)


def safe_grouping(graph: BipartiteGraph, side: Side, groups: Partition) -> GroupingVerdict:
    """Judge whether no two entities in a group are linked to the same entity.

    Parameters
    ----------
    graph
        Who is linked to what.
    side
        Which of its entities are grouped.
    groups
        Their groups.

    Returns
    -------
    GroupingVerdict
        Whether they are safe, and every pair that breaks it.

    Raises
    ------
    SchemaError
        If there is no graph, or the groups are not those of that side.
    RecordError
        If there is no such side.

    References
    ----------
    [QZ]_ Definition 4.4.3

    Notes
    -----
    O(e log e) for e links, and one line for each pair.

    Examples
    --------
    >>> import verikit as vk
    >>> links = pd.DataFrame({"author": ["ann", "ann", "bob"], "paper": ["p", "q", "q"]})
    >>> graph = vk.BipartiteGraph.of(links)
    >>> safe_grouping(graph, "left", vk.Partition.of([0, 0]))
    unsafe groups of 2 and more, strict: 1 pair in one group share a neighbour, such as ann and bob,
    both linked to q
    >>> safe_grouping(graph, "left", vk.Partition.of([0, 1])).safe
    True
    """
    require_graph(graph, "safe_grouping")
    entities = len(graph.side(require_side(side)))
    if not isinstance(groups, Partition):
        raise SchemaError(
            f"Groups were given as {type(groups).__name__}; expected Partition "
            "(partition.safe_groups or Partition.of makes one)."
        )
    if len(groups.labels) != entities:
        raise SchemaError(
            f"The groups are those of {count(len(groups.labels), 'entity', 'entities')}, but the "
            f"{side} side has {entities:,}."
        )
    labels = groups.labels
    own, other = graph.edges.T if side == "left" else graph.edges.T[::-1]
    keys = other * max(len(groups), 1) + labels[own]
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.r_[np.diff(keys[order]) != 0, True][: len(keys)])
    sizes = np.diff(np.r_[-1, ends])
    violations = int((sizes * (sizes - 1) // 2).sum())
    shared = np.flatnonzero(sizes > 1)
    # all pairs of links that meet in one group, up to as many as can be shown
    runs = [order[ends[at] + 1 - sizes[at] : ends[at] + 1] for at in shared]
    found: list[Rows] = [np.empty((0, 2), np.intp)]
    room = MAX_PAIRS
    for run in runs:
        first, second = np.triu_indices(min(len(run), 1500), 1)
        found.append(np.column_stack([run[first], run[second]])[:room])
        room -= len(found[-1])
        if room <= 0:
            break
    pairs = np.concatenate(found)
    names, others = graph.names(side), graph.names("right" if side == "left" else "left")
    frame = pd.DataFrame(
        {
            "group": labels[own[pairs[:, 0]]],
            "first": names[own[pairs[:, 0]]],
            "second": names[own[pairs[:, 1]]],
            "shared": others[other[pairs[:, 0]]],
        }
    )
    least = int(groups.sizes.min()) if len(groups) else 0
    strict = bool(len(groups)) and int(groups.sizes.max()) <= least + 1
    return GroupingVerdict(violations == 0, violations, frame, least, strict)
