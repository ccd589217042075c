"""What one link implies where values were swapped in pairs, and where that leads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Ints, Rows
from verikit.intruder._compared import Compared

__all__ = ["NOBODY", "Effort", "Swapped", "follow", "starts"]

NOBODY = -1
AHEAD = 3


@dataclass(slots=True)
class Effort:
    """How many more steps are worth taking."""

    left: int = 20_000

    @property
    def spent(self) -> bool:
        """Whether no step is left."""
        return self.left <= 0


class Swapped(NamedTuple):
    """Both tables as somebody sees them who knows that values were swapped in pairs.

    Parameters
    ----------
    tables
        Both tables by rank.
    places
        By attribute, how far a value may have moved.
    record_of, row_of
        By attribute and rank, the only record and the only row that have it; -1 where several do.
    """

    tables: Compared
    places: Ints
    record_of: Rows
    row_of: Rows

    @classmethod
    def of(cls, tables: Compared, places: Ints) -> Swapped:
        """Look up who alone has a rank."""
        records = _alone(tables.first, tables.last)
        return cls(tables, places, records, _alone(tables.released_first, tables.released_last))

    def fit(self, records: Rows, rows: Rows) -> Flags:
        """Whether no value of these pairs would have moved farther than published."""
        return np.all(self.tables.places(records, rows) <= self.places, axis=-1)

    def implied(self, records: Rows, rows: Rows) -> tuple[Rows, Rows]:
        """By attribute, the link that each link implies; -1 where several people could be meant.

        Whoever had the value that the row shows must have taken the record's.
        """
        at = np.arange(len(self.places))
        other = self.record_of[at, self.tables.released_first[rows] - 1]
        row = self.row_of[at, self.tables.first[records] - 1]
        known = (other >= 0) & (row >= 0)
        return np.where(known, other, NOBODY), np.where(known, row, NOBODY)


def _alone(first: Ints, last: Ints) -> Rows:
    n, m = first.shape
    found = np.full((m, n), NOBODY)
    for j in range(m):
        alone = np.flatnonzero(first[:, j] == last[:, j])
        found[j, first[alone, j] - 1] = alone
    return found


def starts(swapped: Swapped, record: int, row_of: Rows) -> Rows:
    """The free rows a record may have become, without those refuted within a few steps."""
    record_of = _backwards(row_of)
    free = np.flatnonzero(record_of == NOBODY)
    near = free
    for j in range(len(swapped.places)):  # column by column: most rows leave at the first
        up = swapped.tables.released_first[near, j] - swapped.tables.last[record, j]
        down = swapped.tables.first[record, j] - swapped.tables.released_last[near, j]
        near = near[np.maximum(up, down) <= swapped.places[j]]
    alive = np.ones(len(near), bool)
    start, records, rows = np.arange(len(near)), np.full(len(near), record), near
    for _ in range(AHEAD):
        others, implied = (part.ravel() for part in swapped.implied(records, rows))
        start = np.repeat(start, len(swapped.places))
        known = others != NOBODY
        start, others, implied = start[known], others[known], implied[known]
        new = row_of[others] != implied
        refuted = new & ((row_of[others] != NOBODY) | (record_of[implied] != NOBODY))
        refuted[~refuted] = ~swapped.fit(others[~refuted], implied[~refuted])
        alive[start[refuted]] = False
        go_on = alive[start] & new
        start, records, rows = start[go_on], others[go_on], implied[go_on]
        if alive.sum() <= 1:
            break
    return near[alive]


def follow(
    swapped: Swapped, record: int, row: int, row_of: Rows, effort: Effort
) -> tuple[Rows, Rows] | None:
    """All links that follow from one; None where they contradict each other or those made.

    Where the effort is spent on the way, what was found so far.
    """
    row_of, record_of = row_of.copy(), _backwards(row_of)
    records, rows = np.array([record]), np.array([row])
    found = [(records, rows)]
    row_of[record], record_of[row] = row, record
    while len(records) and not effort.spent:
        effort.left -= 1
        others, implied = (part.ravel() for part in swapped.implied(records, rows))
        new = (others != NOBODY) & ((row_of[others] != implied) | (record_of[implied] != others))
        records, rows = others[new], implied[new]
        if (row_of[records] != NOBODY).any() or (record_of[rows] != NOBODY).any():
            return None
        row_of[records], record_of[rows] = rows, records
        if (row_of[records] != rows).any() or (record_of[rows] != records).any():
            return None
        records = np.unique(records)
        rows = row_of[records]
        if not swapped.fit(records, rows).all():
            return None
        found.append((records, rows))
    return np.concatenate([part[0] for part in found]), np.concatenate([p[1] for p in found])


def _backwards(row_of: Rows) -> Rows:
    record_of = np.full(len(row_of), NOBODY)
    linked = np.flatnonzero(row_of != NOBODY)
    record_of[row_of[linked]] = linked
    return record_of
