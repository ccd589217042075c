"""The closest rows where some attributes have ranks, and others groups of a tree or equality."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Ints, Rows
from verikit.ranks._kinship import Kinship
from verikit.ranks._nearest import (
    FAR,
    BlockTree,
    Matches,
    count_within,
    find_all_matches,
    find_nearest,
)

PART = 256  # queries whose matches are looked for together


class MixedTables(NamedTuple):
    """Records beside released rows: blocks of ranks, and groups for what has no order.

    The distance of a record and a row is the largest number of places over all attributes.

    Parameters
    ----------
    first, last, released_first, released_last
        The blocks of both, one column an attribute with ranks; there may be none.
    unordered
        The other attributes.

    Examples
    --------
    >>> from verikit.ranks._kinship import relate_values
    >>> ranks, town = (
    ...     np.array([[1], [2], [3]]),
    ...     relate_values(["York"] * 3, ["Hull", "Hull", "York"]),
    ... )
    >>> found = MixedTables(ranks, ranks, ranks, ranks, [town])
    >>> found.measure_distances().tolist(), found.list_matches().rows.tolist()
    ([1, 1, 0], [0, 1, 0, 1, 2, 2])
    """

    first: Ints
    last: Ints
    released_first: Ints
    released_last: Ints
    unordered: Sequence[Kinship] = ()

    def measure_distances(self, own: Rows | None = None) -> Ints:
        """Count the places from each record to the closest row; its ``own`` does not count.

        Notes
        -----
        For each number of places at which some further row may come near, and each combination
        of groups that are then to be shared, one search among the rows by ranks.
        """
        if not self.unordered:
            return find_nearest(*self[:4], own=own)[0]
        best, reach = np.full(len(self.first), FAR), np.zeros(len(self.first), np.int64)
        tables, open_ = [part.places for part in self.unordered], np.arange(len(best))
        while len(open_):
            for some, sides in self._split_by_groups(open_, reach):
                hers = None if own is None else own[some]
                found = find_nearest(*sides, own=hers)[0] if sides[0].shape[1] else reach[some]
                found = np.where(found < APART, np.maximum(found, reach[some]), FAR)
                best[some] = np.minimum(best[some], found)
            later = [np.where(t > reach[:, None], t, FAR).min(axis=1) for t in tables]
            reach = np.minimum.reduce(later)
            open_ = open_[best[open_] > reach[open_]]
        return best

    def list_matches(self) -> Matches:
        """List all rows that are closest to each record."""
        if not self.unordered:
            return find_all_matches(*self[:4])
        distance = self.measure_distances()
        queries, records = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
        for some, (first, last, *released) in self._split_by_groups(
            np.arange(len(distance)), distance
        ):
            tree = BlockTree(*released)
            for start in range(0, len(some), PART):
                at = slice(start, start + PART)
                query, row, _ = tree.find_close_pairs(first[at], last[at], distance[some[at]])
                queries.append(some[at][query])
                records.append(row)
        query, row = np.concatenate(queries), np.concatenate(records)
        starts = np.r_[0, np.cumsum(np.bincount(query, minlength=len(distance)))]
        return Matches(distance, starts, row[np.lexsort((row, query))])

    def count_within(self, places: int) -> Rows:
        """Count the rows that lie at most some places from each record."""
        found = np.zeros(len(self.first), np.intp)
        reach = np.full(len(found), places)
        for some, sides in self._split_by_groups(np.arange(len(found)), reach):
            found[some] = count_within(*sides, places) if sides[0].shape[1] else len(sides[2])
        return found

    def _split_by_groups(
        self, records: Rows, reach: Ints
    ) -> Iterator[tuple[Rows, tuple[Ints, Ints, Ints, Ints]]]:
        """Split records by how many groups are to be shared within reach, each with its blocks.

        Groups that are to be shared are one more column, in which others lie far apart.
        """
        levels = np.zeros((len(records), 0), np.int64)
        for part in self.unordered:
            levels = np.column_stack([levels, part.take(records).find_levels(reach[records])])
        kinds, kind = np.unique(levels, axis=0, return_inverse=True)
        numbers = [part.number_groups() for part in self.unordered]
        for at, level in enumerate(kinds):
            some = records[kind.ravel() == at]
            sides = [
                [self.first[some]],
                [self.last[some]],
                [self.released_first],
                [self.released_last],
            ]
            for (own, low, high), shared in zip(numbers, level, strict=True):
                if shared:
                    groups = own[some, shared], own[some, shared], low[:, shared], high[:, shared]
                    for side, group in zip(sides, groups, strict=True):
                        side.append(group[:, None] * APART)
            first, last, *released = map(np.hstack, sides)
            yield some, (first, last, released[0], released[1])


APART = 1 << 32  # of two groups: more places than any table has
