"""Every way to place the names of known links on the nodes of a published graph."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from verikit._support.arrays import Rows
from verikit.errors import InfeasibleError, RecordError
from verikit.release import GraphRelease
from verikit.table import Side

__all__ = ["SIDES", "Seat", "Seating"]

Pair: TypeAlias = tuple[int, int]
Seat: TypeAlias = tuple[dict[int, int], dict[int, int]]  # the node of each name placed, by side
SIDES: tuple[Side, Side] = ("left", "right")
WAYS = 20_000


@dataclass(frozen=True, eq=False)
class Seating:
    """A published graph, the names of known links, and every way to place them.

    All are equally likely: each leaves the same number of ways to place the other names.
    """

    release: GraphRelease
    pairs: tuple[Pair, ...]

    @cached_property
    def seats(self) -> Sequence[Seat]:
        """The ways to place the names; there is at least one."""
        found = list(itertools.islice(self._placed(0, ({}, {})), WAYS + 1))
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

    def group(self, at: int, name: int) -> int:
        """The group of a name of a side."""
        return int(self.release.groups(SIDES[at])[name])

    def chance(self, left: int, right: int) -> float:
        """How likely two names are linked, every way to place all names being equally likely."""
        return sum(self._in(seat, left, right) for seat in self.seats) / len(self.seats)

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

    def node(self, seat: Seat, at: int, name: int) -> int | None:
        """The node of a name in one way to place others, if there is one only."""
        if name in seat[at]:
            return seat[at][name]
        left = self._left(seat, at, self.group(at, name))
        return left[0] if len(left) == 1 else None

    def _placed(self, done: int, seat: Seat) -> Iterator[Seat]:
        """The ways to place the names of the known links from one on."""
        if done == len(self.pairs):
            yield seat
            return
        left, right = self.pairs[done]
        used = [set(part.values()) for part in seat]
        for x, y in self._links[done]:
            fits = seat[0].get(left, x) == x and seat[1].get(right, y) == y
            new = (left in seat[0] or x not in used[0]) and (right in seat[1] or y not in used[1])
            if fits and new:
                yield from self._placed(done + 1, ({**seat[0], left: x}, {**seat[1], right: y}))

    @cached_property
    def _links(self) -> list[list[list[int]]]:
        """For each known link, the links between the groups of its names."""
        links, (x, y) = self.release.links, self.release.links.T
        groups = self.release.nodes("left")[x], self.release.nodes("right")[y]
        return [
            links[(groups[0] == self.group(0, i)) & (groups[1] == self.group(1, j))].tolist()
            for i, j in self.pairs
        ]

    def _left(self, seat: Seat, at: int, group: int) -> list[int]:
        """The nodes of a group on which no name was placed."""
        used = set(seat[at].values())
        return [node for node in self._members[at][group] if node not in used]

    @cached_property
    def _members(self) -> list[list[list[int]]]:
        found = []
        for side in SIDES:
            order = np.argsort(self.release.nodes(side), kind="stable")
            ends = np.cumsum(self.release.sizes(side)).tolist()
            flat = order.tolist()
            found.append([flat[a:b] for a, b in itertools.pairwise([0, *ends])])
        return found

    def _in(self, seat: Seat, left: int, right: int) -> float:
        """The chance of a link in one way to place names: of the nodes left, any may be meant."""
        xs, ys = (
            [seat[at][name]] if name in seat[at] else self._left(seat, at, self.group(at, name))
            for at, name in enumerate((left, right))
        )
        wanted = set(ys)
        links = sum(len(wanted.intersection(self.near[0][x])) for x in xs)
        return links / (len(xs) * len(ys))
