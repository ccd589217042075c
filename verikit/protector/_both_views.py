"""Both views of one attribute after the other: how far records moved, and who looks closest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Ints, Rows
from verikit.ranks import closest_blocks, nearest
from verikit.ranks.spread import Criterion, smallest_diversity, window_variances
from verikit.subject import Required
from verikit.utility import Pair

__all__ = ["Ranked", "diversities", "places_moved", "places_to_closest", "ranked_pair"]


class Ranked(NamedTuple):
    """One attribute: the released column sorted, and blocks of ranks.

    ``first`` and ``last`` are the ranks of the released value closest to each original record,
    ``row_first`` and ``row_last`` those of each released row.
    """

    name: str
    ordered: Floats
    first: Ints
    last: Ints
    row_first: Ints
    row_last: Ints


def ranked_pair(pair: Pair, released: Floats) -> Ranked:
    """Rank one attribute: the closest released value of each record, and every released row."""
    order = np.argsort(released)
    ordered = released[order]
    row_first, row_last = _scattered(*_block_edges(ordered), order)
    by_value = np.argsort(pair.original)
    first, last = _scattered(*closest_blocks(ordered, pair.original[by_value]), by_value)
    return Ranked(pair.name, ordered, first, last, row_first, row_last)


def _block_edges(ordered: Floats) -> tuple[Ints, Ints]:
    n = len(ordered)
    new = ordered[1:] != ordered[:-1]
    if new.all():
        ranks = np.arange(1, n + 1)
        return ranks, ranks
    starts = np.flatnonzero(np.r_[True, new])
    sizes = np.diff(np.r_[starts, n])
    return np.repeat(starts + 1, sizes), np.repeat(starts + sizes, sizes)


def _scattered(first: Ints, last: Ints, order: Rows) -> tuple[Ints, Ints]:
    scattered = np.empty(len(order), np.int64)
    scattered[order] = first
    if first is last:
        return scattered, scattered
    other = np.empty(len(order), np.int64)
    other[order] = last
    return scattered, other


def places_moved(part: Ranked, rows: Rows) -> Ints:
    """The places between each record and the row that came from it."""
    above = part.row_first[rows] - part.last
    if part.first is part.last and part.row_first is part.row_last:
        return np.abs(above, out=above)
    below = part.first - part.row_last[rows]
    return np.maximum(np.maximum(above, below), 0)


def places_to_closest(ranked: list[Ranked]) -> Ints:
    """The places from each record to the closest row, as its subject would find it."""
    return nearest(
        np.column_stack([part.first for part in ranked]),
        np.column_stack([part.last for part in ranked]),
        np.column_stack([part.row_first for part in ranked]),
        np.column_stack([part.row_last for part in ranked]),
    )[0]


def diversities(ranked: list[Ranked], moved: Ints, required: Required) -> Floats:
    """By record and attribute the diversity within the required, or else its own, distance."""
    columns = []
    for at, part in enumerate(ranked):
        asked = required.distance[part.name]
        reach = moved[:, at] if asked is None else np.full(len(moved), asked)
        columns.append(_diversity(part, reach, required.criterion))
    return np.column_stack(columns)


def _diversity(part: Ranked, reach: Ints, criterion: Criterion) -> Floats:
    """The least diverse window of each record; equal questions are asked once."""
    n = len(part.ordered)
    if criterion.name == "variance" and np.array_equal(part.first, part.last):
        low, high = np.maximum(part.first - reach, 1), np.minimum(part.first + reach, n)
        return window_variances(part.ordered, low, high)
    asked = np.column_stack([part.first, part.last, reach])
    distinct, place = np.unique(asked, axis=0, return_inverse=True)
    found = [
        smallest_diversity(part.ordered, int(a), int(b), int(d), criterion) for a, b, d in distinct
    ]
    return np.asarray(found)[place.ravel()]
