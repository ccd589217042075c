"""Links broken in the middle and joined anew: what anonymizing by permutation leaves of a graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Rows
from verikit._support.seed import generator
from verikit.errors import RecordError
from verikit.partition import Partition
from verikit.table import BipartiteGraph, checked_graph
from verikit.words import count

__all__ = ["PermutedLinks", "permuted_links"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PermutedLinks:
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
        """The new links by name."""
        return self.links

    def __repr__(self) -> str:
        return (
            f"{count(len(self.links), 'link')} joined anew: {self.kept:,} of them are true, "
            f"{self.repeated:,} repeat another; of {count(self.together, 'pair')} with a common "
            f"neighbour {self.together_kept:,} still have one"
        )

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.links.head(12))


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

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> found = permuted_links(graph, seed=2)
    >>> sorted(found.links["Paper"]) == sorted(graph.to_frame()["Paper"])
    True
    """
    rng = generator(seed)
    checked_graph(graph, "permuted_links")
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
    before, joint_before = _together(graph.edges, len(graph.left))
    after, joint_after = _together(np.column_stack([once // size, once % size]), len(graph.left))
    names = [graph.names("left")[left], graph.names("right")[new]]
    titles = [graph.title("left"), graph.title("right")]
    return PermutedLinks(
        pd.DataFrame(dict(enumerate(names))).set_axis(titles, axis=1),
        len(keys) - len(once),
        int(np.isin(keys, old_keys).sum()),
        len(before),
        len(np.intersect1d(before, after)),
        _joint(joint_before, joint_after),
    )


def _joint(before: Rows, after: Rows) -> pd.DataFrame:
    """How many pairs have one neighbour in common, two, and so on."""
    most = max(before.max(initial=0), after.max(initial=0)) + 1
    counts = {n: np.bincount(p, minlength=most) for n, p in (("before", before), ("after", after))}
    frame = pd.DataFrame(counts).rename_axis("in common")
    return frame[frame.any(axis=1)]


def _together(edges: Rows, left: int) -> tuple[Rows, Rows]:
    """The pairs of left entities with a common neighbour, each as one number; and how many."""
    own, other = edges[np.lexsort((edges[:, 0], edges[:, 1]))].T
    found: list[Rows] = []
    at = np.arange(len(own))
    for step in range(1, int(np.bincount(other).max(initial=1))):
        at = at[at + step < len(own)]
        at = at[other[at] == other[at + step]]
        found.append(own[at] * left + own[at + step])
    pairs, counts = np.unique(np.concatenate([*found, at[:0]]), return_counts=True)
    return pairs, counts.astype(np.intp)
