"""The closest released records of many records at once, exactly, ties included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Ints, Rows
from verikit.errors import RecordError


class Matches(NamedTuple):
    """Every closest record of each query: of query i ``rows[starts[i]:starts[i + 1]]``."""

    distance: Ints
    starts: Rows
    rows: Rows

    @property
    def counts(self) -> Rows:
        """How many records are closest to each query."""
        return np.diff(self.starts)


def find_nearest(
    query_first: Ints,
    query_last: Ints,
    first: Ints,
    last: Ints,
    *,
    own: Rows | None = None,
) -> tuple[Ints, Rows]:
    """The distance to the closest record, and one record at that distance, for many queries.

    The distance of two records is the largest gap between their blocks of ranks over the
    attributes: the smallest distance that any way of breaking the ties gives.

    Parameters
    ----------
    query_first, query_last
        The blocks of the queries, one row a query and one column an attribute.
    first, last
        The blocks of the records searched.
    own
        For each query the record that does not count, where queries are records themselves.

    Returns
    -------
    tuple
        For each query the distance, and the place of one of the closest records.

    Raises
    ------
    RecordError
        If there is no record to search, or the columns do not match.

    Notes
    -----
    A k-d tree on the middles of the blocks proposes candidates; what it has not shown is at least
    as far as its last candidate less half the widest blocks. Queries that this bound leaves open
    go down a tree of blocks. Without ties the first candidate is always right.

    References
    ----------
    [DM]_ Algorithm 2

    Examples
    --------
    >>> found = np.array([[1, 4], [2, 2], [3, 1], [4, 3]])
    >>> find_nearest(np.array([[4, 1]]), np.array([[4, 1]]), found, found)
    (array([1]), array([2]))
    """
    search = Search(query_first, query_last, first, last, own)
    distance = np.empty(len(query_first), np.int64)
    record = np.empty(len(query_first), np.intp)
    for part in search.iterate_chunks():
        open_ = part
        for k in (1 if own is None else 2, 8):
            found, gaps, bound = search.propose_candidates(open_, k)
            first_best = 0 if gaps.shape[1] == 1 else gaps.argmin(axis=1)
            at = np.arange(len(gaps)), first_best
            best = gaps[at]
            distance[open_.place], record[open_.place] = best, found[at]
            open_ = open_.select_queries((best > bound) & (best > 0))
            if not len(open_.place):
                break
        for query, rows, gap in search.find_pairs_in_batches(open_, distance[open_.place] - 1):
            closest = np.lexsort((rows, gap, query))
            keep = closest[np.r_[True, np.diff(query[closest]) > 0]]
            distance[open_.place[query[keep]]] = gap[keep]
            record[open_.place[query[keep]]] = rows[keep]
    return distance, search.copies.one_of(record, own)


def find_all_matches(
    query_first: Ints,
    query_last: Ints,
    first: Ints,
    last: Ints,
    *,
    own: Rows | None = None,
) -> Matches:
    """Every record at the smallest distance from each query ([DM]_ Table 4).

    Takes what `find_nearest` takes; the records of one query come in the order of their places.

    Examples
    --------
    >>> found = np.array([[1, 4], [2, 2], [3, 1], [4, 3]])
    >>> query = np.array([[3, 2]])
    >>> find_all_matches(query, query, found, found).rows.tolist()
    [1, 2, 3]
    """
    search = Search(query_first, query_last, first, last, own)
    distance = np.empty(len(query_first), np.int64)
    queries, records = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
    for part in search.iterate_chunks():
        open_, k = part, 2 if own is None else 3
        while len(open_.place) and k <= 32:
            found, gaps, bound = search.propose_candidates(open_, k)
            best = gaps.min(axis=1)
            done = best < bound
            query, at = np.nonzero((gaps == best[:, None]) & done[:, None])
            distance[open_.place[done]] = best[done]
            queries.append(open_.place[query])
            records.append(found[query, at])
            open_, k = open_.select_queries(~done), k * 4
        if len(open_.place):
            asked = None if own is None else own[open_.place]
            distance[open_.place], _ = find_nearest(open_.first, open_.last, first, last, own=asked)
        for query, rows, _ in search.find_pairs_in_batches(open_, distance[open_.place]):
            queries.append(open_.place[query])
            records.append(rows)
    query, row = search.copies.expand_pairs(np.concatenate(queries), np.concatenate(records))
    if own is not None:
        query, row = query[row != own[query]], row[row != own[query]]
    starts = np.r_[0, np.cumsum(np.bincount(query, minlength=len(query_first)))]
    return Matches(distance, starts, row[np.lexsort((row, query))])


def count_within(query_first: Ints, query_last: Ints, first: Ints, last: Ints, radius: int) -> Rows:
    """How many records lie at most ``radius`` places from each query.

    Examples
    --------
    >>> found = np.array([[1, 4], [2, 2], [3, 1], [4, 3]])
    >>> count_within(found, found, found, found, 2).tolist()
    [2, 4, 3, 3]
    """
    search = Search(query_first, query_last, first, last)
    if search.untied:
        found = search.middle.query_ball_point(query_first, radius, p=np.inf, return_length=True)
        return np.asarray(found, np.intp)
    counts = np.zeros(len(query_first), np.intp)
    sizes = np.diff(search.copies.starts)
    for part in search.iterate_chunks():
        for query, record, _ in search.find_pairs_in_batches(
            part, np.full(len(part.place), radius)
        ):
            np.add.at(counts, part.place[query], sizes[record])
    return counts


LEAF = 8
FAR = np.iinfo(np.int64).max // 4


class BlockTree:
    """A balanced tree of boxes around blocks of ranks; all queries go down it level by level.

    A tree of middles cannot say how near a wide block reaches. Here a node knows the lowest and
    the highest end of all blocks in it, so that no block inside is nearer than the box is. Each
    node is cut in the middle of its widest attribute into two of equal size: the node of a level
    is then a row of a matrix, and all pairs of query and node still open are one array operation
    a level, with no loop over queries. Places are filled up to a power of two by a block that
    begins after everything and ends before it, and so is near to nothing.
    """

    def __init__(self, first: Ints, last: Ints) -> None:
        n, m = first.shape
        self.depth = max(0, int(np.ceil(np.log2(n / LEAF)))) if n > LEAF else 0
        size = -(-n // (1 << self.depth)) << self.depth
        self.rows = np.r_[np.arange(n), np.full(size - n, n)]
        self.first = np.vstack([first, np.full((1, m), FAR)])
        self.last = np.vstack([last, np.full((1, m), -FAR)])
        middle = np.vstack([(first + last) / 2, np.full((1, m), FAR)])
        self.low, self.high = [], []
        for level in range(self.depth + 1):
            rows = self.rows.reshape(1 << level, -1)
            self.low.append(self.first[rows].min(axis=1))
            self.high.append(self.last[rows].max(axis=1))
            if level < self.depth:
                widest = (self.high[-1] - self.low[-1]).argmax(axis=1)
                keys = middle[rows, widest[:, None]]
                order = np.argpartition(keys, rows.shape[1] // 2, axis=1)
                self.rows = np.take_along_axis(rows, order, axis=1).ravel()

    def find_close_pairs(
        self, query_first: Ints, query_last: Ints, radius: Ints
    ) -> tuple[Rows, Rows, Ints]:
        """All pairs of a query and a row at most its radius apart."""
        query = np.arange(len(query_first))
        node = np.zeros(len(query), np.intp)
        for level in range(self.depth + 1):
            if level:
                query = np.repeat(query, 2)
                node = np.repeat(2 * node, 2)
                node[1::2] += 1
            low, high = self.low[level], self.high[level]
            near = find_gaps(query_first, query_last, low, high, query, node) <= radius[query]
            query, node = query[near], node[near]
        leaves = self.rows.reshape(1 << self.depth, -1)
        row = leaves[node].ravel()
        query = np.repeat(query, leaves.shape[1])
        gap = find_gaps(query_first, query_last, self.first, self.last, query, row)
        near = gap <= radius[query]
        return query[near], row[near], gap[near]


def find_gaps(
    query_first: Ints, query_last: Ints, first: Ints, last: Ints, query: Rows, row: Rows
) -> Ints:
    """The distance of pairs: the largest gap over the attributes, 0 where all blocks overlap.

    One attribute at a time, in place: the matrix of all gaps would be many times the pairs.
    """
    gaps = np.zeros(len(query), np.int64)
    for j in range(first.shape[1]):
        np.maximum(gaps, first[row, j] - query_last[query, j], out=gaps)
        np.maximum(gaps, query_first[query, j] - last[row, j], out=gaps)
    return gaps


class Copies(NamedTuple):
    """The rows that are copies of each distinct record.

    Only distinct records are searched. Copies lie at the same place of a tree, which no cut can
    part: with many of them a leaf would hold as many as there are, and the k closest candidates
    might all be copies of one.
    """

    starts: Rows
    rows: Rows

    @classmethod
    def group_equal(cls, first: Ints, last: Ints) -> Copies:
        """Group equal records, those of each group in the order of their places."""
        if np.array_equal(first, last):
            return cls(np.arange(len(first) + 1), np.arange(len(first)))
        order = np.lexsort((*last.T, *first.T))
        new = np.zeros(len(order), bool)
        for column in (*first.T, *last.T):
            new[1:] |= column[order][1:] != column[order][:-1]
        new[0] = True
        if new.all():
            return cls(np.arange(len(first) + 1), np.arange(len(first)))
        return cls(np.r_[np.flatnonzero(new), len(order)], order)

    def expand_pairs(self, query: Rows, record: Rows) -> tuple[Rows, Rows]:
        """The pairs of query and row that stand for pairs of query and distinct record."""
        sizes = np.diff(self.starts)[record]
        ends = np.cumsum(sizes)
        inside = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        return np.repeat(query, sizes), self.rows[np.repeat(self.starts[record], sizes) + inside]

    def find_singles(self, own: Rows | None, queries: int) -> Rows:
        """For each query the distinct record that is nothing but its own row, else -1."""
        if own is None:
            return np.full(queries, -1)
        record = np.empty(len(self.rows), np.intp)
        record[self.rows] = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        found = record[own]
        return np.where(np.diff(self.starts)[found] == 1, found, -1)

    def one_of(self, record: Rows, own: Rows | None) -> Rows:
        """One row of each distinct record, another than the query's own where there is one."""
        row: Rows = self.rows[self.starts[record]]
        if own is None:
            return row
        other = np.minimum(self.starts[record] + 1, self.starts[record + 1] - 1)
        return np.where(row == own, self.rows[other], row)


CHUNK = 1 << 16


class Queries(NamedTuple):
    """Blocks of ranks to search for, the rows they come from, and the record not to find."""

    first: Ints
    last: Ints
    place: Rows
    own: Rows

    def select_queries(self, kept: Flags) -> Queries:
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
        self.copies = Copies.group_equal(first, last)
        self.first, self.last = first, last
        if len(self.copies.starts) <= len(first):
            distinct = self.copies.rows[self.copies.starts[:-1]]
            self.first, self.last = first[distinct], last[distinct]
        self.places = len(first)
        self.queries = query_first, query_last
        self.own = self.copies.find_singles(own, len(query_first))
        self.untied = np.array_equal(first, last) and np.array_equal(query_first, query_last)
        middle = self.first if self.untied else (self.first + self.last) / 2
        self.middle = cKDTree(middle, balanced_tree=False)
        self.half = 0 if self.untied else (self.last - self.first).max(axis=0) / 2
        self.blocks: BlockTree | None = None

    def iterate_chunks(self) -> Iterator[Queries]:
        """The queries in parts, neighbours together: the tree stays in the processor's cache."""
        first, last = self.queries
        order = _order_by_cell(first, self.places)
        for start in range(0, len(order), CHUNK):
            place = order[start : start + CHUNK]
            begins = first[place]
            ends = begins if self.untied else last[place]
            yield Queries(begins, ends, place, self.own[place])

    def propose_candidates(self, queries: Queries, k: int) -> tuple[Any, Any, Any]:
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
            gaps = find_gaps(
                queries.first, queries.last, self.first, self.last, query, rows.ravel()
            )
            gaps = gaps.reshape(rows.shape)
        gaps[rows == queries.own[:, None]] = FAR
        return rows, gaps, bound

    def find_pairs_in_batches(
        self, queries: Queries, radius: Ints
    ) -> Iterator[tuple[Rows, Rows, Ints]]:
        """All pairs of a query and a record at most its radius apart, a few queries at a time."""
        if not len(queries.place):
            return
        if self.blocks is None:
            self.blocks = BlockTree(self.first, self.last)
        size = 1024
        for start in range(0, len(queries.place), size):
            part = slice(start, start + size)
            query, row, gap = self.blocks.find_close_pairs(
                queries.first[part], queries.last[part], radius[part]
            )
            other = row != queries.own[part][query]
            if other.any():
                yield query[other] + start, row[other], gap[other]


def _order_by_cell(first: Ints, n: int) -> Rows:
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
