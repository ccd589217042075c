"""The sensitive values of classes as counts, and what several models make of these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import AnyInts, Floats, Ints, Rows, count_codes
from verikit.cells import cell_text
from verikit.errors import SchemaError, quoted
from verikit.ranks import expand_ranges
from verikit.ranks.spread import equally_frequent
from verikit.table import Column
from verikit.words import text

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


class Earlier(NamedTuple):
    """Codes of a value and of what was published before of the person who has it.

    Parameters
    ----------
    value, kind
        By code the number of the value, and that of the set of values her groups left before; the
        kind 0 is of those who came.
    starts, members
        Where the values of each set begin, and the end; and these values.
    """

    value: Rows
    kind: Rows
    starts: Rows
    members: Rows


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Continuing(Counted):
    """The same of values and what was published before, for both of which each place stands."""

    earlier: Earlier


def count_pairs(
    labels: AnyInts, classes: int, codes: AnyInts, values: int, weights: Floats | None = None
) -> tuple[Ints, Ints, Ints]:
    """Count the pairs of class and value that occur, sorted; rows may weigh several records."""
    keys = labels.astype(np.int64) * values
    keys += codes
    if classes * values <= max(4 * len(keys), MAX_COUNTERS if weights is not None else 0):
        counts = count_codes(keys, classes * values, weights)
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


def code_earlier(
    codes: Rows, values: Sequence[Any], sets: Sequence[frozenset[str]]
) -> tuple[Earlier, Rows]:
    """Give each value one code for each set of values among which people who have it were."""
    kinds = [frozenset[str](), *sorted({one for one in sets if one}, key=sorted)]
    at = {one: number for number, one in enumerate(kinds)}
    names = {"missing" if value is None else text(value): v for v, value in enumerate(values)}
    held = [[names[value] for value in sorted(one) if value in names] for one in kinds]
    both = codes * len(kinds) + np.array([at[one] for one in sets], np.intp)
    found, coded = np.unique(both, return_inverse=True)
    starts = np.cumsum([0, *map(len, held)])
    members = np.array([value for one in held for value in one], np.intp)
    return Earlier(*np.divmod(found, len(kinds)), starts, members), coded


def count_left(held: Continuing) -> Ints:
    """How many values each class and all groups before leave to those of its people with fewest.

    O(n log n) times the number of values that were left before.
    """
    earlier = held.earlier
    values, kinds = int(earlier.value.max()) + 1, len(earlier.starts) - 1
    values = max(values, int(earlier.members.max(initial=-1)) + 1)
    pairs = np.unique(held.owner * values + earlier.value[held.place])
    owner, kind = np.divmod(np.unique(held.owner * kinds + earlier.kind[held.place]), kinds)
    member, at = expand_ranges(earlier.starts[kind], earlier.starts[kind + 1])
    both = np.isin(owner[at] * values + earlier.members[member], pairs)
    left = np.bincount(at[both], minlength=len(owner))
    left = np.where(kind == 0, np.bincount(pairs // values)[owner], left)
    return np.asarray(np.minimum.reduceat(left, np.flatnonzero(np.diff(owner, prepend=-1))))


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
