"""The check of a record against a table of masked values ([DM]_ Algorithms 2 and 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.told import Told
from verikit.alike import absent
from verikit.errors import RecordError, SchemaError, quoted
from verikit.ranks import Block, blocks, closest, gap
from verikit.ranks.spread import Criterion, smallest_diversity
from verikit.release import TableRelease
from verikit.subject.masked._stretch import FEW, first_radius, nearby
from verikit.table import Column, number, require_single_value
from verikit.words import listed

__all__ = ["Attribute", "Copies", "Findings", "copies", "find", "given_values", "nearest_end"]


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """One attribute of the record beside the released column; ``ordered`` has no missing value."""

    column: Column
    own: Any
    score: float
    values: Floats
    ordered: Any
    block: Block

    @property
    def closest(self) -> float:
        """The score of the closest released value; the smaller one of two."""
        return float(self.ordered[self.block.first - 1])

    @property
    def outside(self) -> bool:
        """Whether her value lies outside the released range."""
        below = self.block.first == 1 and self.score < self.ordered[0]
        return bool(
            below or (self.block.last == len(self.ordered) and self.score > self.ordered[-1])
        )

    @property
    def missing(self) -> int:
        """How many released records have no value."""
        return len(self.values) - len(self.ordered)

    @property
    def constant(self) -> bool:
        """Whether every released value is the same."""
        whole = self.block.first == 1 and self.block.last == len(self.ordered)
        return bool(whole and self.ordered[0] == self.ordered[-1])

    def tie(self, score: float) -> Block:
        """The ranks of a released value; more than one where others are equal to it."""
        first, last = self.blocks(np.array([score]))
        return Block(int(first[0]), int(last[0]))

    def blocks(self, values: Floats) -> tuple[Ints, Ints]:
        """The ranks of released values; a missing one may be any value, and so has all ranks."""
        first, last = blocks(values, self.ordered)
        if self.missing:
            first[np.isnan(values)], last[np.isnan(values)] = 1, len(self.ordered)
        return first, last

    def among(self, values: Floats, low: float, high: float) -> Flags:
        """Which released values lie between two; a missing one may."""
        within: Flags = (values >= low) & (values <= high)
        return within | np.isnan(values) if self.missing else within

    def shown(self, score: float) -> Any:
        """A score as the value it stands for."""
        if np.isnan(score):
            return None
        if self.column.kind == "numeric":
            return int(score) if float(score).is_integer() else float(score)
        return (self.column.categories or ())[int(score)]


HOPED = 4
MANY = 16  # from one row in so many on, rows are marked rather than values looked up

Found = tuple[tuple[Attribute, ...], Rows, Ints]


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What was found: attributes, matching rows, and their distance on each attribute."""

    attributes: tuple[Attribute, ...]
    rows: Rows
    distances: Ints
    release: TableRelease

    @property
    def distance(self) -> int:
        """The places to the closest record, at worst over the attributes."""
        return int(self.distances.max(axis=1)[0])

    @property
    def attained(self) -> Ints:
        """For each attribute the fewest places to any of the closest records."""
        return self.distances.min(axis=0)

    def nearest_on(self, at: int) -> int:
        """The row that is nearest on one attribute, of all the closest records."""
        return int(self.rows[self.distances[:, at].argmin()])


@dataclass(frozen=True, slots=True)
class Copies:
    """The published records that show exactly her values, and how common such copies are.

    Parameters
    ----------
    hers
        How many published records show exactly the values that she gave.
    share
        The share of published records that have a copy among the others.
    """

    hers: int
    share: float


def copies(findings: Findings) -> Copies | None:
    """Count the exact copies of her values; None where there is none."""
    values = [a.values for a in findings.attributes]
    alike = [v[findings.rows] == a.score for v, a in zip(values, findings.attributes, strict=True)]
    hers = int(np.count_nonzero(np.all(alike, axis=0)))
    if not hers:
        return None
    known = pd.DataFrame(dict(enumerate(values))).dropna()
    share = known.duplicated(keep=False).sum() / len(values[0])
    return Copies(hers, float(share))


def given_values(record: Mapping[str, Any], release: TableRelease) -> dict[str, Any]:
    """What the person gave, by released attribute; a missing value says nothing."""
    if isinstance(record, pd.Series):
        record = {str(name): value for name, value in record.items()}
    if not isinstance(record, Mapping):
        raise RecordError(
            f"The record was given as {type(record).__name__}; expected a dictionary such as "
            "{'age': 41, 'income': 52000}.",
            field="record",
            value=record,
        )
    names = release.schema.names
    unknown = [name for name in record if name not in names]
    if unknown:
        raise RecordError(
            Told(
                f"The record has {listed(unknown)}, which the release lacks; it has "
                f"{listed(names, 12)}.",
                "lacks",
                unknown=[quoted(name) for name in unknown],
                known=[quoted(name) for name in names],
            )
        )
    given = {name: record[name] for name in names if not absent(record.get(name))}
    for name, value in given.items():
        require_single_value(name, value)
    if not given:
        said = f"The record holds no value; give at least one of {listed(names, 12)}."
        raise RecordError(Told(said, "no-value", known=[quoted(name) for name in names]))
    return given


def find(record: Mapping[str, Any], release: TableRelease) -> Findings:
    """Find the released records closest to a record: Algorithms 2 and 3 with ties counted apart.

    Notes
    -----
    One sort a column, then only records inside a window of values are looked at: about the cost
    of the sorts. On a prepared release the sorts fall away; a large table is looked through once
    instead (`nearby`).
    """
    given = given_values(record, release)
    attributes, rows, distances = _unsorted(release, given) or _sorted(release, given)
    order = np.lexsort([*(a.values[rows] for a in attributes), *distances.T[::-1]])
    return Findings(attributes, rows[order], distances[order], release)


def _sorted(release: TableRelease, given: Mapping[str, Any]) -> Found:
    """The closest records, with every column sorted."""
    attributes = tuple(_attribute(release, name, value) for name, value in given.items())
    rows, distances = _nearest(attributes, [release.order(name) for name in given])
    return attributes, rows, distances


def _unsorted(release: TableRelease, given: Mapping[str, Any]) -> Found | None:
    """The closest records of a large table of which nothing is sorted, where that is quicker."""
    if len(release) < FEW or any(release.order(name) is not None for name in given):
        return None
    columns = [release.schema[name] for name in given]
    scores = [_score(*pair) for pair in zip(columns, given.values(), strict=True)]
    values = [release.scores(name) for name in given]
    near = nearby(values, scores)
    if near is None:
        return None
    lines = zip(columns, given.values(), scores, values, near.stretches, near.blocks, strict=True)
    return tuple(Attribute(*line) for line in lines), near.rows, near.distances


def _score(column: Column, value: Any) -> float:
    return number(value, column.name) if column.kind == "numeric" else column.score(value)


def _attribute(release: TableRelease, name: str, value: Any) -> Attribute:
    column = release.schema[name]
    score = _score(column, value)
    ordered = release.ordered(name)
    if np.isnan(ordered[-1]):  # missing values stand last
        ordered = ordered[: np.searchsorted(ordered, np.nan)]
    if not len(ordered):
        raise SchemaError(
            Told(
                f"Column {quoted(name)} of the release has no value at all, so nothing has a rank; "
                "leave this attribute out of the check.",
                "empty-column",
                name=quoted(name),
            )
        )
    return Attribute(column, value, score, release.scores(name), ordered, closest(ordered, score))


def _nearest(attributes: tuple[Attribute, ...], orders: list[Rows | None]) -> tuple[Rows, Ints]:
    """Find all rows at the smallest distance: guess a window, look inside, widen if empty.

    The guess holds four records on average where the attributes are independent.
    """
    n = max(len(a.ordered) for a in attributes)
    below = [(a.block.first - 1) / len(a.ordered) for a in attributes]
    distance = int(np.ceil(n * first_radius(below, n, HOPED)))
    while True:
        rows = _rows_within(attributes, orders, distance)
        if len(rows):
            gaps = np.column_stack([gap(*a.blocks(a.values[rows]), a.block) for a in attributes])
            worst = gaps.max(axis=1)
            if worst.min() <= distance:
                best = worst == worst.min()
                return rows[best], gaps[best]
        distance *= 2


def _rows_within(
    attributes: tuple[Attribute, ...], orders: list[Rows | None], distance: int
) -> Rows:
    """Find the rows whose value lies within some places of hers on every attribute."""
    limits = [_limits(attribute, distance) for attribute in attributes]
    start, *others = sorted(range(len(limits)), key=lambda at: limits[at].last - limits[at].first)
    rows = _rows_between(attributes[start], orders[start], limits[start])
    if others and orders[others[0]] is not None and len(rows) * MANY > len(attributes[0].values):
        next_one = others.pop(0)
        marked = np.zeros(len(attributes[0].values), bool)  # small, so that caches hold it
        marked[_rows_between(attributes[next_one], orders[next_one], limits[next_one])] = True
        rows = rows.compress(marked.take(rows))
    for at in others if len(rows) else ():
        values = attributes[at].values.take(rows)
        low = attributes[at].ordered[limits[at].first - 1]
        high = attributes[at].ordered[limits[at].last - 1]
        rows = rows.compress(attributes[at].among(values, low, high))
    return _telling(attributes, rows)


def _rows_between(attribute: Attribute, order: Rows | None, window: Block) -> Rows:
    """Find the rows whose value has a rank in a window, by their order where it is known."""
    if order is None:
        low, high = attribute.ordered[window.first - 1], attribute.ordered[window.last - 1]
        return np.flatnonzero(attribute.among(attribute.values, low, high))
    rows, known = order[window.first - 1 : window.last], len(attribute.ordered)
    return np.r_[rows, order[known:]] if known < len(order) else rows


def _telling(attributes: tuple[Attribute, ...], rows: Rows) -> Rows:
    """The rows that show something at all: what shows nothing is closest to everybody."""
    if not all(a.missing for a in attributes):
        return rows
    return rows[~np.all([np.isnan(a.values[rows]) for a in attributes], axis=0)]


def _limits(attribute: Attribute, distance: int) -> Block:
    """Ranks within some places of her block, widened to whole blocks of equal values."""
    ordered, block = attribute.ordered, attribute.block
    low = ordered[max(block.first - 1 - distance, 0)]
    high = ordered[min(block.last - 1 + distance, len(ordered) - 1)]
    return Block(
        int(np.searchsorted(ordered, low, "left")) + 1,
        int(np.searchsorted(ordered, high, "right")),
    )


def window(attribute: Attribute, distance: int) -> Block:
    """The ranks within some places of her closest value, cut off at the ends."""
    return Block(
        max(attribute.block.first - distance, 1),
        min(attribute.block.last + distance, len(attribute.ordered)),
    )


def nearest_end(tie: Block, block: Block) -> int:
    """The rank of a tie that is nearest to a block: places are counted from there.

    Examples
    --------
    >>> nearest_end(Block(47, 50), Block(65, 67)), nearest_end(Block(1, 9), Block(3, 4))
    (50, 3)
    """
    return min(max(tie.first, block.first), tie.last)


def diversity(attribute: Attribute, distance: int, criterion: Criterion) -> float:
    """The diversity of the released values within some places of her closest value."""
    first, last = attribute.block
    return smallest_diversity(attribute.ordered, first, last, distance, criterion)
