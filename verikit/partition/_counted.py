"""The sensitive values of classes as counts, and what several models make of these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import AnyInts, Floats, Ints, Rows
from verikit.cells import cell_text
from verikit.errors import SchemaError, quoted
from verikit.ranks.spread import equally_frequent
from verikit.table import Column

MAX_COUNTERS = 1 << 20  # arrays of counters up to this length are cheaper than sorting


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counted:
    """The sensitive values of each class as pairs of class and value, sorted, with their counts.

    Parameters
    ----------
    column
        The sensitive column.
    values
        The values that places stand for, in their order.
    owner, place, count
        For each pair its class, its value and how often the class holds it.
    overall
        How often the whole table holds each value.
    """

    column: Column
    values: pd.Index[Any]
    owner: Ints
    place: Ints
    count: Ints
    overall: Ints

    @property
    def total(self) -> int:
        """The number of records of the whole table."""
        return int(self.overall.sum())

    @property
    def starts(self) -> Rows:
        """The first pair of each class."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    @property
    def sizes(self) -> Ints:
        """The number of records in each class."""
        return np.asarray(np.add.reduceat(self.count, self.starts))

    def named(self, places: Iterable[Any]) -> list[str]:
        """Find the values at some places in words."""
        return [cell_text(self.values[place]) for place in places]

    def shown(self, places: Iterable[Any]) -> list[str]:
        """The values at some places as people read them: of dates the dates."""
        return [self.column.shown(name) for name in self.named(places)]


def count_pairs(
    labels: AnyInts, classes: int, codes: AnyInts, values: int, weights: Floats | None = None
) -> tuple[Ints, Ints, Ints]:
    """Count the pairs of class and value that occur, sorted; rows may weigh several records."""
    keys = labels.astype(np.int64) * values
    keys += codes
    if classes * values <= max(4 * len(keys), MAX_COUNTERS if weights is not None else 0):
        counts = np.bincount(keys, weights, classes * values)
        found = np.flatnonzero(counts)
        return found // values, found % values, counts[found].astype(np.int64)
    if weights is None:
        keys.sort()
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        found = keys[starts]
        return found // values, found % values, np.diff(starts, append=len(keys))
    found, places = np.unique(keys, return_inverse=True)
    return found // values, found % values, np.bincount(places, weights).astype(np.int64)


def count_different(held: Counted) -> Ints:
    """The number of different values of each class."""
    return np.diff(held.starts, append=len(held.owner))


def measure_evenness(held: Counted) -> Floats:
    """To how many equally frequent values those of each class amount; a whole number if nearly."""
    sizes = held.sizes
    logs = np.add.reduceat(held.count * np.log(held.count), held.starts)
    return equally_frequent(np.log(sizes) - logs / sizes)


def divide_by_most_frequent(held: Counted) -> Ints:
    """The size of each class by the count of its most frequent value, rounded down."""
    return np.asarray(held.sizes // np.maximum.reduceat(held.count, held.starts))


def compare_with_rarer(held: Counted, *, ell: int) -> Floats:
    """The largest count of each class by the sum of those from the ell-th on; infinite if none."""
    counts, starts = held.count[np.lexsort((-held.count, held.owner))], held.starts
    found = np.diff(starts, append=len(counts))
    before = np.concatenate([[0], np.cumsum(counts)])
    rest = before[starts + found] - before[starts + np.minimum(ell - 1, found)]
    largest = counts[starts].astype(np.float64)
    return np.divide(largest, rest, out=np.full(len(starts), np.inf), where=rest > 0)


def measure_ranges(held: Counted) -> Floats:
    """The largest less the smallest number of each class."""
    values, starts = numbers_of(held), held.starts
    ends = np.append(starts[1:], len(held.place)) - 1
    return np.asarray(values[held.place[ends]] - values[held.place[starts]])


def numbers_of(held: Counted) -> Floats:
    """The values that places stand for, in ascending order, as numbers."""
    name = held.column.name
    if not np.asarray(held.values.notna())[held.overall > 0].all():
        raise SchemaError(
            f"Column {name!r} has missing values, so how far its numbers lie apart is not known; "
            "fill or remove them."
        )
    values = pd.Index(held.values).dropna().infer_objects()
    if held.column.kind != "numeric" or not pd.api.types.is_numeric_dtype(values.dtype):
        raise SchemaError(
            f"Column {quoted(name)} holds categories or ranges, and (k,e)-anonymity is about "
            "numbers that lie apart; name a column of numbers, or use models.distinct_diversity."
        )
    return values.to_numpy(np.float64)
