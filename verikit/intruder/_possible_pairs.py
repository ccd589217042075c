"""Which pairs of record and row are possible where values were swapped in pairs, ties or not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Rows
from verikit.intruder._implied_links import NOBODY, Swapped

__all__ = ["FEASIBLE", "Pairs", "possible_pairs"]

FEASIBLE = 2_500_000
CHUNK = 256


class Pairs(NamedTuple):
    """Pairs of a record and a row."""

    records: Rows
    rows: Rows


def possible_pairs(swapped: Swapped, row_of: Rows) -> Pairs | None:
    """The pairs that swapping leaves possible beside the links made; None where too many are.

    If a record with one value became a row with another, some record with the other value became
    a row with the one. A pair for which nobody is left who could have done so is struck out, and
    so are the other pairs of a record that has one row left, until nothing changes.
    """
    pairs = _near(swapped, row_of)
    if pairs is None:
        return None
    keys, reverse = _kinds(swapped, pairs)
    alive = np.ones(len(pairs.records), bool)
    before = -1
    while before != (before := int(alive.sum())):
        for own, back in zip(keys, reverse, strict=True):
            left = np.bincount(own[alive], minlength=int(own.max()) + 1)
            alive &= np.r_[left, 0][back] > 0
        alive &= _one_each(pairs, alive, len(row_of))
        alive &= _only_answers(pairs, alive, keys, reverse, len(row_of))
    return Pairs(pairs.records[alive], pairs.rows[alive])


def _near(swapped: Swapped, row_of: Rows) -> Pairs | None:
    """The links made, and all pairs of others within the published places."""
    linked = np.flatnonzero(row_of != NOBODY)
    tables, least = swapped.tables, int(np.argmin(swapped.places))
    records = np.flatnonzero(row_of == NOBODY)
    records = records[np.argsort(tables.first[records, least], kind="stable")]
    rows = np.setdiff1d(np.arange(len(row_of)), row_of[linked])
    rows = rows[np.argsort(tables.released_first[rows, least], kind="stable")]
    ends = tables.released_last[rows, least], tables.released_first[rows, least]
    found, kept = [(linked, row_of[linked])], 0
    for part in np.array_split(records, max(1, len(records) // CHUNK)):
        if not len(part):
            continue
        low = tables.first[part[0], least] - swapped.places[least]
        high = tables.last[part[-1], least] + swapped.places[least]
        near = rows[np.searchsorted(ends[0], low) : np.searchsorted(ends[1], high, "right")]
        at, of = np.nonzero(_within(swapped, part, near))
        found.append((part[at], near[of]))
        kept += len(at)
        if kept > FEASIBLE:
            return None
    return Pairs(*(np.concatenate(side) for side in zip(*found, strict=True)))


def _within(swapped: Swapped, records: Rows, rows: Rows) -> Flags:
    near = np.ones((len(records), len(rows)), bool)
    tables = swapped.tables
    for j, places in enumerate(swapped.places):
        near &= tables.released_first[rows, j] - tables.last[records, j][:, None] <= places
        near &= tables.first[records, j][:, None] - tables.released_last[rows, j] <= places
    return near


def _kinds(swapped: Swapped, pairs: Pairs) -> tuple[list[Rows], list[Rows]]:
    """By attribute, the kind of each pair, value before and after, and the kind that answers it."""
    keys, reverse = [], []
    n = len(swapped.tables)
    for j in range(len(swapped.places)):
        before = swapped.tables.first[pairs.records, j] - 1
        after = swapped.tables.released_first[pairs.rows, j] - 1
        kinds, own = np.unique(before * n + after, return_inverse=True)
        back = np.searchsorted(kinds, after * n + before)
        there = kinds[np.minimum(back, len(kinds) - 1)] == after * n + before
        keys.append(own)
        reverse.append(np.where(there, back, len(kinds)))
    return keys, reverse


def _one_each(pairs: Pairs, alive: Flags, n: int) -> Flags:
    """Strike out what a record or row with one pair left takes away from others."""
    of_record = np.bincount(pairs.records[alive], minlength=n)
    of_row = np.bincount(pairs.rows[alive], minlength=n)
    return _without(pairs, alive & (of_record[pairs.records] == 1)) & _without(
        pairs, alive & (of_row[pairs.rows] == 1)
    )


def _only_answers(
    pairs: Pairs, alive: Flags, keys: list[Rows], reverse: list[Rows], n: int
) -> Flags:
    """Where a sure link has one possible answer, that is a link too."""
    sure = alive & (np.bincount(pairs.records[alive], minlength=n)[pairs.records] == 1)
    kept = np.ones(len(alive), bool)
    for own, back in zip(keys, reverse, strict=True):
        left = np.bincount(own[alive], minlength=int(own.max()) + 1)
        asked = np.zeros(len(left) + 1, bool)
        asked[back[sure & (own != back)]] = True
        kept &= _without(pairs, alive & asked[own] & (left[own] == 1))
    return kept


def _without(pairs: Pairs, sure: Flags) -> Flags:
    """All pairs but those that share a record or a row with a sure one, which stay."""
    taken_record, taken_row = np.zeros((2, int(max(p.max() for p in pairs)) + 1), bool)
    taken_record[pairs.records[sure]] = True
    taken_row[pairs.rows[sure]] = True
    return sure | ~(taken_record[pairs.records] | taken_row[pairs.rows])
