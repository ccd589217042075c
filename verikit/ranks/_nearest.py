"""The closest released records of many records at once, exactly, ties included."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Ints, Rows
from verikit.ranks._search import Search

__all__ = ["Matches", "all_matches", "counts_within", "nearest"]


class Matches(NamedTuple):
    """Every closest record of each query: of query i ``rows[starts[i]:starts[i + 1]]``."""

    distance: Ints
    starts: Rows
    rows: Rows

    @property
    def counts(self) -> Rows:
        """How many records are closest to each query."""
        return np.diff(self.starts)


def nearest(
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
    >>> nearest(np.array([[4, 1]]), np.array([[4, 1]]), found, found)
    (array([1]), array([2]))
    """
    search = Search(query_first, query_last, first, last, own)
    distance = np.empty(len(query_first), np.int64)
    record = np.empty(len(query_first), np.intp)
    for part in search.chunks():
        open_ = part
        for k in (1 if own is None else 2, 8):
            found, gaps, bound = search.candidates(open_, k)
            first_best = 0 if gaps.shape[1] == 1 else gaps.argmin(axis=1)
            at = np.arange(len(gaps)), first_best
            best = gaps[at]
            distance[open_.place], record[open_.place] = best, found[at]
            open_ = open_.pick((best > bound) & (best > 0))
            if not len(open_.place):
                break
        for query, rows, gap in search.within(open_, distance[open_.place] - 1):
            closest = np.lexsort((rows, gap, query))
            keep = closest[np.r_[True, np.diff(query[closest]) > 0]]
            distance[open_.place[query[keep]]] = gap[keep]
            record[open_.place[query[keep]]] = rows[keep]
    return distance, search.copies.one_of(record, own)


def all_matches(
    query_first: Ints,
    query_last: Ints,
    first: Ints,
    last: Ints,
    *,
    own: Rows | None = None,
) -> Matches:
    """Every record at the smallest distance from each query ([DM]_ Table 4).

    Takes what `nearest` takes; the records of one query come in the order of their places.

    Examples
    --------
    >>> found = np.array([[1, 4], [2, 2], [3, 1], [4, 3]])
    >>> query = np.array([[3, 2]])
    >>> all_matches(query, query, found, found).rows.tolist()
    [1, 2, 3]
    """
    search = Search(query_first, query_last, first, last, own)
    distance = np.empty(len(query_first), np.int64)
    queries, records = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
    for part in search.chunks():
        open_, k = part, 2 if own is None else 3
        while len(open_.place) and k <= 32:
            found, gaps, bound = search.candidates(open_, k)
            best = gaps.min(axis=1)
            done = best < bound
            query, at = np.nonzero((gaps == best[:, None]) & done[:, None])
            distance[open_.place[done]] = best[done]
            queries.append(open_.place[query])
            records.append(found[query, at])
            open_, k = open_.pick(~done), k * 4
        if len(open_.place):
            asked = None if own is None else own[open_.place]
            distance[open_.place], _ = nearest(open_.first, open_.last, first, last, own=asked)
        for query, rows, _ in search.within(open_, distance[open_.place]):
            queries.append(open_.place[query])
            records.append(rows)
    query, row = search.copies.of(np.concatenate(queries), np.concatenate(records))
    if own is not None:
        query, row = query[row != own[query]], row[row != own[query]]
    starts = np.r_[0, np.cumsum(np.bincount(query, minlength=len(query_first)))]
    return Matches(distance, starts, row[np.lexsort((row, query))])


def counts_within(
    query_first: Ints, query_last: Ints, first: Ints, last: Ints, radius: int
) -> Rows:
    """How many records lie at most ``radius`` places from each query.

    Examples
    --------
    >>> found = np.array([[1, 4], [2, 2], [3, 1], [4, 3]])
    >>> counts_within(found, found, found, found, 2).tolist()
    [2, 4, 3, 3]
    """
    search = Search(query_first, query_last, first, last)
    if search.untied:
        found = search.middle.query_ball_point(query_first, radius, p=np.inf, return_length=True)
        return np.asarray(found, np.intp)
    counts = np.zeros(len(query_first), np.intp)
    sizes = np.diff(search.copies.starts)
    for part in search.chunks():
        for query, record, _ in search.within(part, np.full(len(part.place), radius)):
            np.add.at(counts, part.place[query], sizes[record])
    return counts
