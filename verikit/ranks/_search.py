"""Records in trees, ready for many queries at once: candidates, and all within a radius."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Ints, Rows
from verikit.errors import RecordError
from verikit.ranks._block_tree import FAR, BlockTree, gaps_of
from verikit.ranks._copies import Copies

__all__ = ["Queries", "Search"]

CHUNK = 1 << 16


class Queries(NamedTuple):
    """Blocks of ranks to search for, the rows they come from, and the record not to find."""

    first: Ints
    last: Ints
    place: Rows
    own: Rows

    def pick(self, kept: Flags) -> Queries:
        """Some of the queries."""
        return Queries(*(part[kept] for part in self))


class Search:
    """Two trees over the records, and the queries in an order that keeps neighbours together."""

    def __init__(
        self,
        query_first: Ints,
        query_last: Ints,
        first: Ints,
        last: Ints,
        own: Rows | None = None,
    ) -> None:
        from scipy.spatial import cKDTree

        if not first.size or query_first.shape[1:] != first.shape[1:]:
            raise RecordError(
                f"Records of shape {query_first.shape} were searched in {first.shape}; expected "
                "at least one record and one attribute, and as many attributes on both sides."
            )
        if own is not None and len(first) == 1:
            raise RecordError("There is one record only, so no other is closest to it; give more.")
        self.copies = Copies.among(first, last)
        self.first, self.last = first, last
        if len(self.copies.starts) <= len(first):
            distinct = self.copies.rows[self.copies.starts[:-1]]
            self.first, self.last = first[distinct], last[distinct]
        self.places = len(first)
        self.queries = query_first, query_last
        self.own = self.copies.alone(own, len(query_first))
        self.untied = np.array_equal(first, last) and np.array_equal(query_first, query_last)
        middle = self.first if self.untied else (self.first + self.last) / 2
        self.middle = cKDTree(middle, balanced_tree=False)
        self.half = 0 if self.untied else (self.last - self.first).max(axis=0) / 2
        self.blocks: BlockTree | None = None

    def chunks(self) -> Iterator[Queries]:
        """The queries in parts, neighbours together: the tree stays in the processor's cache."""
        first, last = self.queries
        order = _neighbourly(first, self.places)
        for start in range(0, len(order), CHUNK):
            place = order[start : start + CHUNK]
            begins = first[place]
            ends = begins if self.untied else last[place]
            yield Queries(begins, ends, place, self.own[place])

    def candidates(self, queries: Queries, k: int) -> tuple[Any, Any, Any]:
        """The k closest records by the middles of the blocks, and a bound for all the others.

        The gap of two blocks is that of their middles less half of both widths. Every record that
        was not proposed has its middle at least as far off as the last one proposed. So its gap
        is at least that distance less half the query's block and half the widest block there is,
        at worst over the attributes. What lies below this bound is settled without another look;
        without ties both halves are 0, and the first candidate is the answer.
        """
        n = len(self.first)
        middle = queries.first if self.untied else (queries.first + queries.last) / 2
        apart, rows = self.middle.query(middle, k=np.arange(1, min(k, n) + 1), p=np.inf)
        bound = apart[:, -1] if k < n else np.full(len(rows), np.inf)
        if self.untied:
            gaps = apart.astype(np.int64)
        else:
            bound = bound - ((queries.last - queries.first) / 2 + self.half).max(axis=1)
            query = np.repeat(np.arange(len(rows)), rows.shape[1])
            gaps = gaps_of(queries.first, queries.last, self.first, self.last, query, rows.ravel())
            gaps = gaps.reshape(rows.shape)
        gaps[rows == queries.own[:, None]] = FAR
        return rows, gaps, bound

    def within(self, queries: Queries, radius: Ints) -> Iterator[tuple[Rows, Rows, Ints]]:
        """All pairs of a query and a record at most its radius apart, a few queries at a time."""
        if not len(queries.place):
            return
        if self.blocks is None:
            self.blocks = BlockTree(self.first, self.last)
        size = 1024
        for start in range(0, len(queries.place), size):
            part = slice(start, start + size)
            query, row, gap = self.blocks.within(
                queries.first[part], queries.last[part], radius[part]
            )
            other = row != queries.own[part][query]
            if other.any():
                yield query[other] + start, row[other], gap[other]


def _neighbourly(first: Ints, n: int) -> Rows:
    """An order of the queries that walks through the cells of a coarse grid.

    Queries of one cell go down the same branches, which are then still in the processor's cache;
    in the order of the table each would fetch its own. Ten records a cell are enough for that,
    and 16 columns as many as can matter: the key is one whole number, and later columns would
    push the first ones out of it.
    """
    cells = max(2, int((n / 10) ** (1 / first.shape[1])))
    key = np.zeros(len(first), np.int64)
    for column in first.T[:16]:
        key = key * cells + np.clip((column - 1) * cells // n, 0, cells - 1)
    return np.argsort(key)
