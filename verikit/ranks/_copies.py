"""The rows that are copies of each distinct record, so that each is searched once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Ints, Rows

__all__ = ["Copies"]


class Copies(NamedTuple):
    """The rows that are copies of each distinct record.

    Only distinct records are searched. Copies lie at the same place of a tree, which no cut can
    part: with many of them a leaf would hold as many as there are, and the k closest candidates
    might all be copies of one.
    """

    starts: Rows
    rows: Rows

    @classmethod
    def among(cls, first: Ints, last: Ints) -> Copies:
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

    def of(self, query: Rows, record: Rows) -> tuple[Rows, Rows]:
        """The pairs of query and row that stand for pairs of query and distinct record."""
        sizes = np.diff(self.starts)[record]
        ends = np.cumsum(sizes)
        inside = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        return np.repeat(query, sizes), self.rows[np.repeat(self.starts[record], sizes) + inside]

    def alone(self, own: Rows | None, queries: int) -> Rows:
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
