"""Work out what known links give away: all ways to place the names that they join."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.plotted import Framed
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.release import GraphRelease, by_nodes
from verikit.table import Side
from verikit.words import EVEN_NODES, chance, count, joined, listed, text

MAX_NAMED = 8


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearnedLinks(Framed):
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
    seating
        All ways to place the names.

    References
    ----------
    [QZ]_ Theorem 7, Definition 4.4.4

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> groups = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])
    >>> release = vk.mask.group_nodes(graph, 3, 3, groups=groups, seed=5).release
    >>> found = learned_links(release, [("a1", "p2"), ("a2", "p3")])
    >>> found.certain.to_dict("list"), found.chance("a4", "p5"), found.chance("a3", "p1")
    ({'Author': ['a4'], 'Paper': ['p5']}, 1.0, 0.3333333333333333)
    >>> learned_links(release, [("a1", "p2")]).grouping  # a (2, 2)*(1, 1)-grouping
    (2, 2, 1, 1)
    """

    known: tuple[tuple[str, str], ...]
    certain: pd.DataFrame
    identified: Mapping[str, tuple[str, ...]]
    ways: int
    seating: Seating

    def chance(self, left: object, right: object) -> float:
        """How likely two names are linked, every way to place all names being equally likely."""
        release = self.seating.release
        return self.seating.chance(_find_place(release, 0, left), _find_place(release, 1, right))

    @property
    def grouping(self) -> tuple[int, int, int, int]:
        """``k, ell, p, q`` of Definition 4.4.4: without p and q names the groups hold so many.

        Names learned are taken for groups of one; the others of their groups stay together. A name
        left outside is linked to one inside in one of ``ell`` cases at most, on the right of ``k``.
        """
        k, ell = (min(free[free > 0].tolist(), default=1) for free in self.seating.free)
        learned = (len({pair[at] for pair in self.known}) for at in (0, 1))
        p, q = (n if size > 1 else 0 for n, size in zip(learned, (k, ell), strict=True))
        return k, ell, p, q

    @property
    def bound(self) -> float:
        """Theorem 7: no two names that were not learned are linked more likely; see ``largest``."""
        return 1 / max(self.grouping[:2])

    @property
    def largest(self) -> float:
        """The largest chance of a link between two names that were not learned; exact."""
        return self.seating.largest

    @property
    def means(self) -> str:
        """What is certain for whoever has learned these links."""
        if not self.known:
            return self._describe_others()
        sure = [f"{i} with {j}" for i, j in self.certain.itertuples(index=False, name=None)]
        named = f": {joined(sure[:MAX_NAMED])}" if sure else ""
        more = f" and {len(sure) - MAX_NAMED:,} others" if len(sure) > MAX_NAMED else ""
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
        return f"{told} {self._describe_others()}"

    def _describe_others(self) -> str:
        if not self.largest:
            return "No two names of which nothing was learned can be linked."
        return (
            f"Two names of which nothing was learned look linked {chance(self.largest)} at most, "
            f"{EVEN_NODES}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Find the links that follow for certain."""
        return self.certain

    def __repr__(self) -> str:
        one = len(self.certain) == 1
        others = f"any between two others is true {chance(self.largest)} at most, {EVEN_NODES}"
        return (
            f"{count(len(self.known), 'link')} learned: {count(len(self.certain), 'more link')} "
            f"{'follows' if one else 'follow'} for certain; "
            f"{others if self.largest else 'no two others can be linked'}"
        )


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
    if not by_nodes(release):
        raise SchemaError(
            f"learned_links was given {type(release).__name__}; expected GraphRelease, such as "
            "mask.group_nodes makes."
        )
    release.require_two_kinds("what follows from learned links")
    if not (release.safe("left") and release.safe("right")):
        raise SchemaError(
            "The groups of this graph are not safe, so links may follow without any being "
            "learned; models.safe_grouping names the pairs."
        )
    seating = Seating(release, _find_known_pairs(release, known))
    names = [release.names(side) for side in SIDES]
    certain = pd.DataFrame(
        [(names[0][i], names[1][j]) for i, j in _find_certain_links(seating)],
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
    return LearnedLinks(told, certain, identified, len(seating.seats), seating)


def _find_certain_links(seating: Seating) -> list[tuple[int, int]]:
    """Find the links that are there in every way to place names, but for those that were learned.

    In safe groups a name that may be two nodes at least has no certain link, so both names are
    learned or the last of their groups.
    """
    first = seating.seats[0]
    named = []
    for at, side in enumerate(SIDES):
        last = np.flatnonzero(seating.free[at][seating.release.groups(side)] == 1).tolist()
        candidates = {pair[at] for pair in seating.pairs} | set(last)
        nodes = {name: seating.find_nodes(first, at, name) for name in candidates}
        named.append({min(found): name for name, found in nodes.items() if len(found) == 1})
    found = [
        (left, named[1][y])
        for x, left in named[0].items()
        for y in seating.near[0][x]
        if y in named[1]
    ]
    learned = set(seating.pairs)
    sure = [pair for pair in found if pair not in learned and seating.chance(*pair) == 1]
    return sorted(sure)


def _find_known_pairs(release: GraphRelease, known: object) -> tuple[tuple[int, int], ...]:
    """Find the places of the names of the known links, each link once."""
    pairs = list(known) if isinstance(known, (list, tuple)) else None
    if pairs is None or not all(isinstance(p, (list, tuple)) and len(p) == 2 for p in pairs):
        raise RecordError(
            f"The known links were given as {quoted(known)}; expected pairs of names, left and "
            "right."
        )
    found = [
        (_find_place(release, 0, left), _find_place(release, 1, right)) for left, right in pairs
    ]
    return tuple(dict.fromkeys(found))


def _find_place(release: GraphRelease, at: int, name: object) -> int:
    names = release.names(SIDES[at])
    found = int(names.get_indexer(pd.Index([text(name)], dtype=object))[0])
    if found < 0:
        raise RecordError(
            f"There is no {release.title(SIDES[at])} {quoted(name)}; the release has "
            f"{listed(names, 6)}."
        )
    return found


Seat: TypeAlias = tuple[dict[int, int], dict[int, int]]  # the node of each name placed, by side
SIDES: tuple[Side, Side] = ("left", "right")
WAYS = 20_000


@dataclass(frozen=True, eq=False)
class Seating:
    """A published graph, the names of known links, and every way to place them.

    All are equally likely: each leaves the same number of ways to place the other names.
    """

    release: GraphRelease
    pairs: tuple[tuple[int, int], ...]

    @cached_property
    def seats(self) -> Sequence[Seat]:
        """The ways to place the names; there is at least one."""
        found = list(itertools.islice(self._seat_names(0, ({}, {})), WAYS + 1))
        if len(found) > WAYS:
            raise InfeasibleError(
                f"There are more than {WAYS:,} ways to place the names of {len(self.pairs)} known "
                "links; give fewer links."
            )
        if not found:
            raise RecordError(
                "No way to place the names fits all known links, so one of them is wrong; check "
                "them."
            )
        return found

    @cached_property
    def free(self) -> tuple[Rows, Rows]:
        """By side and group, how many names are not among those of the known links."""
        found = []
        for at, side in enumerate(SIDES):
            names = np.array(sorted({pair[at] for pair in self.pairs}), np.intp)
            sizes = self.release.sizes(side)
            taken = np.bincount(self.release.groups(side)[names], minlength=len(sizes))
            found.append(sizes - taken)
        return found[0], found[1]

    @cached_property
    def near(self) -> tuple[list[list[int]], list[list[int]]]:
        """By side and node, whom the node is linked to."""
        found = []
        for side in SIDES:
            part = self.release.neighbours(side)
            starts, flat = part.starts.tolist(), part.places.tolist()
            found.append([flat[a:b] for a, b in itertools.pairwise(starts)])
        return found[0], found[1]

    def chance(self, left: int, right: int) -> float:
        """How likely two names are linked, every way to place all names being equally likely."""
        return sum(self._find_chance(seat, left, right) for seat in self.seats) / len(self.seats)

    @cached_property
    def largest(self) -> float:
        """The largest chance of a link between two names that are not among those placed.

        Names that are not placed are alike in their group, so it is looked for among the pairs of
        groups that have a link; each way to place others takes away the links of their nodes.
        """
        (x, y), (left, right) = self.release.links.T, map(self.release.nodes, SIDES)
        found = Counter(zip(left[x].tolist(), right[y].tolist(), strict=True))
        found = Counter({pair: links * len(self.seats) for pair, links in found.items()})
        for xs, ys in self.seats:
            gone = {(x, y) for x in xs.values() for y in self.near[0][x]}
            gone |= {(x, y) for y in ys.values() for x in self.near[1][y]}
            found.subtract((int(left[x]), int(right[y])) for x, y in gone)
        pairs = {(g, h): int(self.free[0][g] * self.free[1][h]) for g, h in found}
        return max((found[p] / len(self.seats) / n for p, n in pairs.items() if n), default=0.0)

    def find_nodes(self, seat: Seat, at: int, name: int) -> set[int]:
        """Find the nodes that a name may be in one way to place others."""
        if name in seat[at]:
            return {seat[at][name]}
        group = int(self.release.groups(SIDES[at])[name])
        return self._members[at][group].difference(seat[at].values())

    def _seat_names(self, done: int, seat: Seat) -> Iterator[Seat]:
        """Find the ways to place the names of the known links from one on."""
        if done == len(self.pairs):
            yield seat
            return
        left, right = self.pairs[done]
        used = [set(part.values()) for part in seat]
        for x, y in self._group_links[done]:
            fits = seat[0].get(left, x) == x and seat[1].get(right, y) == y
            new = (left in seat[0] or x not in used[0]) and (right in seat[1] or y not in used[1])
            if fits and new:
                yield from self._seat_names(done + 1, ({**seat[0], left: x}, {**seat[1], right: y}))

    @cached_property
    def _group_links(self) -> list[list[list[int]]]:
        """For each known link, the links between the groups of its names."""
        links, (x, y) = self.release.links, self.release.links.T
        left, right = self.release.groups("left"), self.release.groups("right")
        ends = self.release.nodes("left")[x], self.release.nodes("right")[y]
        return [links[(ends[0] == left[i]) & (ends[1] == right[j])].tolist() for i, j in self.pairs]

    @cached_property
    def _members(self) -> list[list[set[int]]]:
        """By side and group, its nodes."""
        found = []
        for side in SIDES:
            order = np.argsort(self.release.nodes(side), kind="stable")
            ends = np.cumsum(self.release.sizes(side)).tolist()
            found.append([set(order[a:b].tolist()) for a, b in itertools.pairwise([0, *ends])])
        return found

    def _find_chance(self, seat: Seat, left: int, right: int) -> float:
        """The chance of a link in one way to place names: of the nodes left, any may be meant."""
        xs, ys = (self.find_nodes(seat, at, name) for at, name in enumerate((left, right)))
        links = sum(len(ys.intersection(self.near[0][x])) for x in xs)
        return links / (len(xs) * len(ys))
