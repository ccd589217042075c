"""A tree of boxes around blocks of ranks, down which many queries go at once."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Ints, Rows

__all__ = ["FAR", "BlockTree", "gaps_of"]

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

    def within(self, query_first: Ints, query_last: Ints, radius: Ints) -> tuple[Rows, Rows, Ints]:
        """All pairs of a query and a row at most its radius apart."""
        query = np.arange(len(query_first))
        node = np.zeros(len(query), np.intp)
        for level in range(self.depth + 1):
            if level:
                query = np.repeat(query, 2)
                node = np.repeat(2 * node, 2)
                node[1::2] += 1
            low, high = self.low[level], self.high[level]
            near = gaps_of(query_first, query_last, low, high, query, node) <= radius[query]
            query, node = query[near], node[near]
        leaves = self.rows.reshape(1 << self.depth, -1)
        row = leaves[node].ravel()
        query = np.repeat(query, leaves.shape[1])
        gap = gaps_of(query_first, query_last, self.first, self.last, query, row)
        near = gap <= radius[query]
        return query[near], row[near], gap[near]


def gaps_of(
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
