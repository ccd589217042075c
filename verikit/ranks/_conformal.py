"""How unusually close a record is to a release of other people."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats, Ints, Rows
from verikit.ranks._blocks import blocks
from verikit.ranks._nearest import Matches, find_all_matches

PAIRS = 1 << 24


def conformal(values: Floats, queries: Floats) -> Floats:
    """How unusually close each query is to a release, valid if it comes from the same population.

    The query joins the release, all are ranked anew, and p is the share of records, the query
    included, whose closest other record is at most as far as the query's.

    Parameters
    ----------
    values, queries
        Released values, and the values of each query, one column an attribute.

    Returns
    -------
    numpy.ndarray
        One p a query.

    Notes
    -----
    The query stretches by one place what lies on both sides of it, so only records whose closest
    other record is exactly as far as the query's need a second look.

    Examples
    --------
    >>> values = np.array([[1.0, 1.0], [2.0, 5.0], [3.0, 9.0], [4.0, 2.0]])
    >>> conformal(values, np.array([[1.0, 1.0], [9.0, 4.0]]))
    array([0.4, 0.8])
    """
    ends = [blocks(column) for column in values.T]
    first, last = (np.column_stack(part) for part in zip(*ends, strict=True))
    asked = [blocks(q, np.sort(v)) for q, v in zip(queries.T, values.T, strict=True)]
    query_first, query_last = (np.column_stack(part) for part in zip(*asked, strict=True))
    others = find_all_matches(first, last, first, last, own=np.arange(len(values)))
    own = find_all_matches(query_first, query_last, first, last)
    closer = np.searchsorted(np.sort(others.distance), own.distance, "left")
    query, row = np.repeat(np.arange(len(queries)), own.counts), own.rows
    joined = np.bincount(query, others.distance[row] > own.distance[query], len(queries))
    as_close = np.zeros(len(queries))
    for distance in np.unique(own.distance):
        rows = np.flatnonzero(others.distance == distance)
        asking = np.flatnonzero(own.distance == distance)
        spans = _find_stretchable_spans(int(distance), rows, others, first, last, values)
        parts = np.array_split(asking, 1 + len(asking) * len(spans[0]) // PAIRS)
        for part in parts if len(rows) else []:
            as_close[part] = _count_as_close(
                queries[part], *spans, *_find_matched_pairs(part, own, rows)
            )
    return (1 + closer + joined + as_close) / (len(values) + 1)


def _count_as_close(
    queries: Floats, low: Floats, high: Floats, starts: Rows, at: Rows, match: Rows
) -> Rows:
    """How many records stay as close to another one, or to the query itself, when it joins."""
    apart = np.zeros((len(queries), len(low)), bool)
    for j in range(queries.shape[1]):
        x = queries[:, j, None]
        apart |= (low[:, j] < x) & (x < high[:, j])
    kept = ~np.logical_and.reduceat(apart, starts, axis=1)
    kept[at, match] = True
    counts: Rows = np.count_nonzero(kept, axis=1)
    return counts


def _find_stretchable_spans(
    distance: int, rows: Rows, others: Matches, first: Ints, last: Ints, values: Floats
) -> tuple[Floats, Floats, Rows]:
    """The spans of values that hold some records and their closest others at a distance apart."""
    counts = others.counts[rows]
    starts = np.r_[0, np.cumsum(counts)[:-1]]
    row = np.repeat(rows, counts)
    other = others.rows[np.repeat(others.starts[rows] - starts, counts) + np.arange(len(row))]
    gaps = np.maximum(first[row] - last[other], first[other] - last[row])
    spans = np.maximum(gaps, 0) == distance
    low = np.where(spans, np.minimum(values[row], values[other]), np.inf)
    return low, np.where(spans, np.maximum(values[row], values[other]), -np.inf), starts


def _find_matched_pairs(part: Rows, own: Matches, rows: Rows) -> tuple[Rows, Rows]:
    """Which of some records are matches of which of some queries."""
    counts = own.counts[part]
    at = np.repeat(np.arange(len(part)), counts)
    ends = np.cumsum(counts)
    found = own.rows[np.repeat(own.starts[part] - ends + counts, counts) + np.arange(len(at))]
    place = np.minimum(np.searchsorted(rows, found), len(rows) - 1)
    held = rows[place] == found
    return at[held], place[held]
