"""Find which classes of two tables hold the same people: overlaps and maximum flow."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints
from verikit.cells import Related, cells_of, relate_cells
from verikit.errors import SchemaError
from verikit.matching import CompatiblePairs, find_compatible_pairs
from verikit.table import Column, Schema
from verikit.words import listed

__all__ = [
    "Links",
    "find_overlaps",
    "find_rows_in_place",
    "find_settled_links",
    "find_width",
    "shared_columns",
]

MAX_STEPS = 3_000_000


class Links(NamedTuple):
    """Pairs of classes that must hold the same people, and how many at least.

    ``exact`` is false where not all pairs could be looked at: then more may be settled.
    """

    first: Ints
    second: Ints
    people: Ints
    exact: bool = True


class Flow(NamedTuple):
    """One way to join all people: how many of each kind are joined with each kind they meet.

    Both ``first`` and ``second`` number kinds from 0, of two sides with ``sizes``.
    """

    first: Ints
    second: Ints
    people: Ints
    sizes: tuple[Ints, Ints]


def find_settled_links(meets: CompatiblePairs, left: Ints, right: Ints) -> Links:
    """Link classes by as many people as every way to join all records links them.

    ``left`` and ``right`` are the numbers of people in the classes of the two releases, whose
    kinds meet.

    Notes
    -----
    A way to join all is a maximum flow. A pair of kinds keeps its people in every other way if both
    lie in different strongly connected components of what the flow leaves open; where they lie in
    one, people are sent other ways until none can be. Linear for p pairs of kinds beside the flow,
    where each kind is one person; else at most ``MAX_STEPS`` more, and then pairs stay unsettled.
    """
    kinds = meets.first, meets.second
    sizes = [
        np.bincount(of, people, minlength=size).astype(np.int64)
        for of, people, size in zip(kinds, (left, right), meets.shape, strict=True)
    ]
    flow = _find_flow(*meets.pairs(), (sizes[0], sizes[1]))
    people, exact = _find_least_people(flow)
    found = []
    members = []  # the classes of each kind
    for of in kinds:
        order = np.argsort(of, kind="stable")
        members.append(np.split(order, np.flatnonzero(np.diff(of[order])) + 1))
    for pair in np.flatnonzero(people).tolist():
        ends = int(flow.first[pair]), int(flow.second[pair])
        missing = [int(part[end] - people[pair]) for part, end in zip(sizes, ends, strict=True)]
        own, other = (
            part[end][of[part[end]] > without]
            for part, end, of, without in zip(members, ends, (left, right), missing, strict=True)
        )
        sure = left[own][:, None] + right[other] - sum(missing) - int(people[pair])
        at, to = np.nonzero(sure > 0)
        found.append(np.column_stack([own[at], other[to], sure[at, to]]))
    pairs = np.concatenate(found or [np.zeros((0, 3), np.int64)])
    one, other, number = pairs[np.lexsort(pairs.T[1::-1])].T
    return Links(one, other, number, exact)


def _find_flow(first: Ints, second: Ints, sizes: tuple[Ints, Ints]) -> Flow:
    """A way to join all people of both sides; refused where there is none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    count, other = map(len, sizes)
    start, end = count + other, count + other + 1
    most = np.minimum(sizes[0][first], sizes[1][second])
    ends = (
        np.r_[np.full(count, start), first, count + np.arange(other)],
        np.r_[np.arange(count), count + second, np.full(other, end)],
    )
    rooms = np.r_[sizes[0], most, sizes[1]].astype(np.int32)
    # people of the first side flow to the second through the pairs that meet
    found = maximum_flow(csr_array((rooms, ends), shape=(end + 1, end + 1)), start, end)
    if not found.flow_value == sizes[0].sum() == sizes[1].sum():
        raise SchemaError(
            "The releases contradict each other: a record of one fits none that is left of the "
            "other, so they are not of the same people."
        )
    part = found.flow.tocoo()
    kept = (part.row < count) & (part.data > 0)
    keys, order = first * max(other, 1) + second, np.argsort(first * max(other, 1) + second)
    held = np.searchsorted(keys[order], part.row[kept] * np.int64(other) + part.col[kept] - count)
    people = np.zeros(len(first), np.int64)
    people[order[held]] = part.data[kept]
    return Flow(first, second, people, sizes)


def _find_least_people(flow: Flow) -> tuple[Ints, bool]:
    """How many people each pair of kinds has at least, and whether all pairs were looked at."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    count = len(flow.sizes[0])
    most = np.minimum(flow.sizes[0][flow.first], flow.sizes[1][flow.second])
    more, some = flow.people < most, flow.people > 0
    ends = (
        np.r_[flow.first[more], count + flow.second[some]],
        np.r_[count + flow.second[more], flow.first[some]],
    )
    size = count + len(flow.sizes[1])
    graph = csr_array((np.ones(len(ends[0]), np.int8), ends), shape=(size, size))
    # people can change places only round a cycle, and a cycle lies in one strong component
    component = connected_components(graph, connection="strong")[1]
    inside = component[flow.first] == component[count + flow.second]
    least = np.where(inside, 0, flow.people)
    open_ = np.flatnonzero(inside & some & (more | (flow.people > 1)))
    if not len(open_):
        return least, True
    ways = _OtherWays(flow, inside)
    for pair in open_.tolist():
        least[pair] = ways.fewest(pair)
    return least, ways.steps <= MAX_STEPS


class _OtherWays:
    """A way to join all people that is changed, pair by pair, to one with fewer of that pair."""

    def __init__(self, flow: Flow, inside: Flags) -> None:
        self.first, self.second = flow.first.tolist(), flow.second.tolist()
        self.people = flow.people.tolist()
        self.of_first: list[list[int]] = [[] for _ in flow.sizes[0]]
        self.of_second: list[list[int]] = [[] for _ in flow.sizes[1]]
        for pair in np.flatnonzero(inside).tolist():
            self.of_first[self.first[pair]].append(pair)
            self.of_second[self.second[pair]].append(pair)
        self.steps = 0

    def fewest(self, pair: int) -> int:
        """Find the fewest people of a pair of kinds; none where that would take too long."""
        while self.people[pair]:
            path = self._around(pair)
            if self.steps > MAX_STEPS:
                return 0
            if not path:
                break
            moved = min(self.people[part] for part in (pair, *path[1::2]))
            for part in (pair, *path[1::2]):
                self.people[part] -= moved
            for part in path[::2]:
                self.people[part] += moved
        return int(self.people[pair])

    def _around(self, pair: int) -> list[int]:
        """Pairs by which people of a pair go another way: every other one gets them."""
        start, goal = self.first[pair], self.second[pair]
        came: dict[int, int] = {}  # by kind of the second side, the pair that leads there
        back: dict[int, int] = {start: -1}  # by kind of the first side, the pair left for it
        waiting = deque([start])
        while waiting and goal not in came:
            for out in self.of_first[waiting.popleft()]:
                end = self.second[out]
                self.steps += 1
                if out == pair or end in came:
                    continue
                came[end] = out
                for into in self.of_second[end]:
                    self.steps += 1
                    if self.people[into] and self.first[into] not in back:
                        back[self.first[into]] = into
                        waiting.append(self.first[into])
        if goal not in came:
            return []
        path = [came[goal]]
        while self.first[path[-1]] != start:
            left = back[self.first[path[-1]]]
            path += [left, came[self.second[left]]]
        return path


def shared_columns(first: Schema, second: Schema) -> list[str]:
    """Find the columns that two tables share, except identifiers."""
    names = [c.name for c in first if c.role != "identifier" and c.name in second.names]
    if not names:
        raise SchemaError(
            f"The tables share no column: one has {listed(first.names)}, the other "
            f"{listed(second.names)}; the attack joins what they share."
        )
    return names


def find_overlaps(
    first: pd.DataFrame, second: pd.DataFrame, names: Sequence[str], schemas: tuple[Schema, Schema]
) -> CompatiblePairs:
    """Find which rows of two tables some person fits both of, by kinds of rows."""
    return find_compatible_pairs(_relate_columns(first, second, names, schemas))


def find_rows_in_place(
    first: pd.DataFrame, second: pd.DataFrame, names: Sequence[str], schemas: tuple[Schema, Schema]
) -> Flags:
    """Find which rows some person fits both of at the same place."""
    columns = _relate_columns(first, second, names, schemas)
    fits = [column.meet(column.first.codes, column.second.codes) for column in columns]
    return np.asarray(np.logical_and.reduce(fits))


def _relate_columns(
    first: pd.DataFrame, second: pd.DataFrame, names: Sequence[str], schemas: tuple[Schema, Schema]
) -> list[Related]:
    return [
        relate_cells(
            cells_of(first[name], schemas[0][name]), cells_of(second[name], schemas[1][name])
        )
        for name in names
    ]


def find_width(cells: pd.Series[Any], column: Column) -> Floats:
    """How much each cell leaves open: the length of its span, or the number of values it may be.

    Examples
    --------
    >>> find_width(pd.Series(["47677", "476**", "*"]), Column("Zip", kind="nominal")).tolist()
    [1.0, 100.0, inf]
    """
    coded = cells_of(cells, column)
    return coded.width()[coded.codes]
