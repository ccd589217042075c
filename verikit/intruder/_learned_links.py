"""What known links give away: where the names they join must be, and what follows for others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit.errors import RecordError, SchemaError, quoted
from verikit.intruder._seats import SIDES, Seating
from verikit.release import GraphRelease, by_nodes
from verikit.words import EVEN_NODES, chance, count, joined, listed, text

__all__ = ["LearnedLinks", "learned_links"]

NAMED = 8


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearnedLinks:
    """What somebody knows of a published graph who has learned some links.

    Parameters
    ----------
    known
        The links that were learned, by name.
    certain
        The links that follow for certain besides, by name.
    identified
        By side, the names learned whose node is certain.
    ways
        In how many ways the names learned can be placed.
    bound
        Theorem 7: one over the fewest names not learned of a group, on the side where these are
        more. No two names that were not learned are linked more likely; ``largest`` says how likely
        they are at most.
    seating
        All ways to place the names.

    References
    ----------
    [QZ]_ Theorem 7

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> groups = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])
    >>> release = vk.mask.group_nodes(graph, 3, 3, groups=groups, seed=5).release
    >>> found = learned_links(release, [("a1", "p2"), ("a2", "p3")])
    >>> found.certain.to_dict("list"), found.chance("a4", "p5"), found.chance("a3", "p1")
    ({'Author': ['a4'], 'Paper': ['p5']}, 1.0, 0.3333333333333333)
    """

    known: tuple[tuple[str, str], ...]
    certain: pd.DataFrame
    identified: Mapping[str, tuple[str, ...]]
    ways: int
    bound: float
    seating: Seating

    def chance(self, left: object, right: object) -> float:
        """How likely two names are linked, every way to place all names being equally likely."""
        release = self.seating.release
        return self.seating.chance(_place(release, 0, left), _place(release, 1, right))

    @property
    def largest(self) -> float:
        """The largest chance of a link between two names that were not learned; exact."""
        return self.seating.largest

    @property
    def means(self) -> str:
        """What is certain for whoever has learned these links."""
        if not self.known:
            return self._others()
        sure = [f"{i} with {j}" for i, j in self.certain.itertuples(index=False, name=None)]
        named = f": {joined(sure[:NAMED])}" if sure else ""
        more = f" and {len(sure) - NAMED:,} others" if len(sure) > NAMED else ""
        return (
            f"Whoever knows {count(len(self.known), 'link')} is certain of "
            f"{count(len(sure), 'more link') if sure else 'no other'}{named}{more}."
        )

    @property
    def why(self) -> str:
        """Who is placed, and how likely all others look."""
        if not self.known:
            sure = self.largest == 1
            return "" if sure else "Nobody has learned a link, and no link is certain."
        placed = [name for names in self.identified.values() for name in names]
        told = f"Placed on their nodes: {joined(placed)}." if placed else "No name is placed yet."
        return f"{told} {self._others()}"

    def _others(self) -> str:
        if not self.largest:
            return "No two names of which nothing was learned can be linked."
        return (
            f"Two names of which nothing was learned look linked {chance(self.largest)} at most, "
            f"{EVEN_NODES}."
        )

    def to_frame(self) -> pd.DataFrame:
        """The links that follow for certain."""
        return self.certain

    def __repr__(self) -> str:
        one = len(self.certain) == 1
        others = f"any between two others is true {chance(self.largest)} at most, {EVEN_NODES}"
        return (
            f"{count(len(self.known), 'link')} learned: {count(len(self.certain), 'more link')} "
            f"{'follows' if one else 'follow'} for certain; "
            f"{others if self.largest else 'no two others can be linked'}"
        )

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.certain.head(12))


def learned_links(release: GraphRelease, known: Sequence[tuple[object, object]]) -> LearnedLinks:
    """Work out what follows from a published graph and some links that were learned.

    Whoever knows that two are linked looks for the links between their groups: if there is one
    only, both names are placed. All ways to place the names of the known links are tried; the
    names not learned may be any of the nodes left in their groups.

    Parameters
    ----------
    release
        A published graph of safe groups.
    known
        Pairs of names, left and right, that are known to be linked.

    Returns
    -------
    LearnedLinks
        What is certain, and how likely any other link is: exactly.

    Raises
    ------
    InfeasibleError
        If there are too many ways to place the names.
    RecordError
        If a name is not in the release, or no way to place the names fits the links.
    SchemaError
        If there is no published graph, or its groups are not safe.

    References
    ----------
    [QZ]_ Theorem 7, Example 6, section 4.4.6

    Notes
    -----
    Others are safe up to ``k - 2`` learned links, not ``k - 1`` (fact BG-25): where ``k - 1`` names
    of a group are placed, the last one is placed too.

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> groups = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])
    >>> release = vk.mask.group_nodes(graph, 3, 3, groups=groups, seed=5).release
    >>> learned_links(release, [("a1", "p2")])
    1 link learned: 0 more links follow for certain; any between two others is true in 50 of 100
    cases at most, if within a group each node is equally likely for every name
    """
    seating = Seating(_checked(release), _pairs(release, known))
    names = [release.names(side) for side in SIDES]
    certain = pd.DataFrame(
        [(names[0][i], names[1][j]) for i, j in _certain(seating)],
        columns=[release.title(side) for side in SIDES],
    )
    identified = {
        str(side): tuple(
            names[at][name]
            for name in sorted({pair[at] for pair in seating.pairs})
            if len({seat[at][name] for seat in seating.seats}) == 1
        )
        for at, side in enumerate(SIDES)
    }
    told = tuple((names[0][i], names[1][j]) for i, j in seating.pairs)
    least = [int(free[free > 0].min()) if (free > 0).any() else 1 for free in seating.free]
    return LearnedLinks(told, certain, identified, len(seating.seats), 1 / max(least), seating)


def _certain(seating: Seating) -> list[tuple[int, int]]:
    """The links that are there in every way to place names, but for those that were learned.

    In safe groups a name that may be two nodes at least has no certain link, so both names are
    learned or the last of their groups.
    """
    first = seating.seats[0]
    named = []
    for at, side in enumerate(SIDES):
        last = np.flatnonzero(seating.free[at][seating.release.groups(side)] == 1).tolist()
        candidates = {pair[at] for pair in seating.pairs} | set(last)
        named.append({seating.node(first, at, name): name for name in candidates})
    found = [
        (left, named[1][y])
        for x, left in named[0].items()
        if x is not None
        for y in seating.near[0][x]
        if y in named[1]
    ]
    learned = set(seating.pairs)
    sure = [pair for pair in found if pair not in learned and seating.chance(*pair) == 1]
    return sorted(sure)


def _checked(release: object) -> GraphRelease:
    if not by_nodes(release):
        raise SchemaError(
            f"learned_links was given {type(release).__name__}; expected GraphRelease, such as "
            "mask.group_nodes makes."
        )
    if not (release.safe("left") and release.safe("right")):
        raise SchemaError(
            "The groups of this graph are not safe, so links may follow without any being "
            "learned; models.safe_grouping names the pairs."
        )
    return release


def _pairs(release: GraphRelease, known: object) -> tuple[tuple[int, int], ...]:
    """The places of the names of the known links, each link once."""
    pairs = list(known) if isinstance(known, (list, tuple)) else None
    if pairs is None or not all(isinstance(p, (list, tuple)) and len(p) == 2 for p in pairs):
        raise RecordError(
            f"The known links were given as {quoted(known)}; expected pairs of names, left and "
            "right."
        )
    found = [(_place(release, 0, left), _place(release, 1, right)) for left, right in pairs]
    return tuple(dict.fromkeys(found))


def _place(release: GraphRelease, at: int, name: object) -> int:
    names = release.names(SIDES[at])
    found = int(names.get_indexer(pd.Index([text(name)], dtype=object))[0])
    if found < 0:
        raise RecordError(
            f"There is no {release.title(SIDES[at])} {quoted(name)}; the release has "
            f"{listed(names, 6)}."
        )
    return found
