"""The check of a record against a table of masked values ([DM]_ Algorithms 2 and 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.told import Told
from verikit.errors import RecordError, quoted
from verikit.matching import is_absent
from verikit.ranks import (
    Block,
    Kinship,
    LoadedColumns,
    Near,
    RankedColumn,
    blocks_in,
    closest,
    distance_of,
    estimate_radius,
    find_near_records,
    first_radius,
    gap,
    refuse_empty_column,
    relate_values,
)
from verikit.release import TableRelease
from verikit.table import Column, Schema, number, require_single_value
from verikit.words import listed, text

Names: TypeAlias = npt.NDArray[np.object_]
MIN_UNSORTED = 50_000  # records from which on columns are looked through instead of sorted
MAX_SHARE = 0.6  # of a column in a window, up to which looking through it is quicker than a sort
MARK_FROM = 16  # from one row in so many on, rows are marked rather than values looked up


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """One attribute of the record beside the released column, as far as that is at hand.

    Parameters
    ----------
    column
        The released column.
    own, score
        Her value, as she gave it and as a number.
    ordered
        The released values in ascending order, without missing ones.
    block
        The ranks of the closest of them; of all where there is no order.
    missing
        How many released records have no value.
    closest
        The score of the closest released value; the smaller one of two, and of several that are
        equally like hers the first by name; no number where none is like it.
    outside, constant
        Whether her value lies outside the released range, or is like none that was released, and
        whether every released one is the same.
    names
        What the scores stand for where they are no numbers.
    kinship
        How her value is related to all released ones where there is no order.
    """

    column: Column
    own: Any
    score: float
    ordered: RankedColumn
    block: Block
    missing: int
    closest: float
    outside: bool
    constant: bool
    names: tuple[str, ...] = ()
    kinship: Kinship | None = None

    @classmethod
    def relate(cls, column: Column, own: Any, values: Floats, names: tuple[str, ...]) -> Attribute:
        """Relate her value to a released column without an order."""
        own, known, everybody = str(text(own)), ~np.isnan(values), np.arange(len(values))
        kinship = relate_values([own], list_names(values, names), column.hierarchy)
        shared = kinship.count_shared(np.zeros(1, np.intp), everybody)[known]
        score = float(names.index(own)) if own in names else np.nan
        nearest = values[known][shared == shared.max()].min() if shared.max() else np.nan
        ordered = np.sort(values[known])
        return cls(
            column,
            own,
            score,
            ordered,
            Block(1, len(ordered)),
            missing=len(values) - len(ordered),
            closest=float(nearest if np.isnan(score) else score),
            outside=bool(shared.max() == 0 and ordered[0] < ordered[-1]),
            constant=bool(ordered[0] == ordered[-1]),
            names=names,
            kinship=kinship,
        )

    @classmethod
    def compare(
        cls, column: Column, own: Any, score: float, ordered: RankedColumn, block: Block, size: int
    ) -> Attribute:
        """Compare her value with a released column of a table of some size."""
        lowest, highest = block.first == 1, block.last == len(ordered)
        below = lowest and score < ordered[0]
        return cls(
            column,
            str(own) if isinstance(own, str) else own,  # and no longer a word put in quotes
            score,
            ordered,
            block,
            missing=size - len(ordered),
            closest=float(ordered[block.first - 1]),
            outside=bool(below or (highest and score > ordered[-1])),
            constant=bool(lowest and highest and ordered[0] == ordered[-1]),
            names=column.categories or (),
        )

    def count_places(self, values: Floats, rows: Rows) -> Ints:
        """Count the places of some rows of the released column."""
        if self.kinship is None:
            return gap(*blocks_in(self.ordered, values[rows]), self.block)
        return self.kinship.count_places(np.zeros(1, np.intp), rows)

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
        return self.names[int(score)]


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What was found: the attributes, the closest records, and their places on each attribute.

    Parameters
    ----------
    attributes
        Hers beside the released columns.
    values
        The values of all released records, one array a column; of a table that is not loaded, of
        those near hers.
    at, rows
        Where the closest records stand among these, and in the table.
    distances
        Their places, one column an attribute.
    distance, attained
        The places to the closest record, at worst over the attributes; and for each attribute the
        fewest places to any of the closest records.
    release
        What was published: a `TableRelease`, or what stands for one that is not loaded.
    nothing
        How many records show none of the attributes. They have no distance, and may be hers.
    """

    attributes: tuple[Attribute, ...]
    values: Sequence[Floats]
    at: Rows
    rows: Rows
    distances: Ints
    distance: int
    attained: Ints
    release: Any
    nothing: int

    @classmethod
    def in_order(
        cls,
        attributes: tuple[Attribute, ...],
        values: Sequence[Floats],
        at: Rows,
        rows: Rows,
        distances: Ints,
        release: Any,
        nothing: int,
    ) -> Findings:
        """Put the closest records in an order that does not depend on that of the table."""
        order = np.lexsort([*(part[at] for part in values), *distances.T[::-1]])
        return cls(
            attributes,
            values,
            at[order],
            rows[order],
            distances[order],
            distance=int(distances[0].max()),
            attained=distances.min(axis=0),
            release=release,
            nothing=nothing,
        )


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


def find_copies(findings: Findings, share: Callable[[], float] | None = None) -> Copies | None:
    """Count the exact copies of her values; None where there is none.

    ``share`` gives that of records with a copy, of a table that is not loaded.
    """
    pairs = zip(findings.values, findings.attributes, strict=True)
    alike = [values[findings.at] == attribute.score for values, attribute in pairs]
    hers = int(np.count_nonzero(np.all(alike, axis=0)))
    if not hers:
        return None
    if share is not None:
        return Copies(hers, share())
    known = pd.DataFrame(dict(enumerate(findings.values))).dropna()
    return Copies(hers, float(known.duplicated(keep=False).sum() / len(findings.release)))


def read_given_values(
    record: Mapping[str, Any], schema: Schema
) -> tuple[dict[str, Any], dict[str, float]]:
    """What the person gave, by released attribute, and the same as numbers in its order.

    A missing value says nothing.
    """
    if isinstance(record, pd.Series):
        record = {str(name): value for name, value in record.items()}
    if not isinstance(record, Mapping):
        raise RecordError(
            f"The record was given as {type(record).__name__}; expected a dictionary such as "
            "{'age': 41, 'income': 52000}.",
            field="record",
            value=record,
        )
    names = schema.names
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
    given = {name: record[name] for name in names if not is_absent(record.get(name))}
    for name, value in given.items():
        require_single_value(name, value)
    if not given:
        said = f"The record holds no value; give at least one of {listed(names, 12)}."
        raise RecordError(Told(said, "no-value", known=[quoted(name) for name in names]))
    columns = {name: schema[name] for name in given}
    return given, {
        name: number(given[name], name) if column.kind == "numeric" else column.score(given[name])
        for name, column in columns.items()
        if column.ranked
    }


def find_closest(record: Mapping[str, Any], release: TableRelease) -> Findings:
    """Find the released records closest to a record: Algorithms 2 and 3 with ties counted apart.

    Notes
    -----
    One sort a column, then only records inside a window of values are looked at: about the cost
    of the sorts. On a prepared release the sorts fall away; a large table is looked through once
    instead (`find_near_records`).
    """
    given, scores = read_given_values(record, release.schema)
    columns = {name: release.schema[name] for name in given}
    ranked = {name for name, column in columns.items() if distance_of(column) == "ranks"}
    named = {name: number_names(release.frame[name]) for name in given if name not in ranked}
    values = {n: release.scores(n) if n in ranked else named[n][0] for n in given}
    unsorted = not named and all(release.order(name) is None for name in given)
    if len(release) >= MIN_UNSORTED and unsorted:
        table, own = LoadedColumns(values), list(scores.values())
        if estimate_radius(table.take_sample(list(given)), own, len(table)) <= MAX_SHARE / 2 * len(
            table
        ):
            near = find_near_records(table, scores)
            at = near.rows[near.closest]
            found = attributes_near(near, release, given, scores)
            gaps = near.gaps[near.closest]
            return Findings.in_order(
                found, list(values.values()), at, at, gaps, release, near.nothing
            )
    compared = []
    for name, own in given.items():
        ordered = release.ordered(name) if name in ranked else np.sort(values[name])
        if np.isnan(ordered[-1]):  # missing values stand last
            ordered = ordered[: np.searchsorted(ordered, np.nan)]
        if not len(ordered):
            refuse_empty_column(name)
        column = columns[name]
        if name not in ranked:
            compared.append(Attribute.relate(column, own, *named[name]))
            continue
        near_ranks = closest(ordered, scores[name])
        compared.append(
            Attribute.compare(column, own, scores[name], ordered, near_ranks, len(release))
        )
    attributes, parts = tuple(compared), list(values.values())
    rows, distances = _find_closest_rows(attributes, parts, [release.order(name) for name in given])
    nothing = 0
    if all(a.missing for a in attributes):
        nothing = int(np.all([np.isnan(part) for part in parts], axis=0).sum())
    return Findings.in_order(attributes, parts, rows, rows, distances, release, nothing)


def number_names(cells: pd.Series[Any]) -> tuple[Floats, tuple[str, ...]]:
    """Number the values of a column without an order by their names; a missing one has none."""
    codes, found = pd.factorize(cells)
    names = [text(value) for value in found]
    known = tuple(sorted(set(names)))
    places = np.array([*map(known.index, names), np.nan])
    return places[codes], known


def list_names(values: Floats, names: Sequence[str]) -> Names:
    """List what values stand for that were numbered by their names; None for a missing one."""
    found: Names = np.array([*names, None], object)
    return found[np.where(np.isnan(values), -1, values).astype(np.intp)]


def attributes_near(
    near: Near, release: Any, given: Mapping[str, Any], scores: Mapping[str, float]
) -> tuple[Attribute, ...]:
    """Make her attributes of released columns that are known near her values only."""
    parts = zip(given.items(), near.columns, near.blocks, strict=True)
    return tuple(
        Attribute.compare(release.schema[name], own, scores[name], column, block, len(release))
        for (name, own), column, block in parts
    )


def _find_closest_rows(
    attributes: tuple[Attribute, ...], values: Sequence[Floats], orders: list[Rows | None]
) -> tuple[Rows, Ints]:
    """Find all rows at the smallest distance: guess a window, look inside, widen if empty."""
    n = max(len(a.ordered) for a in attributes)
    everything = zip(attributes, values, orders, strict=True)
    ranked = [part for part in everything if part[0].kinship is None]
    below = [(a.block.first - 1) / len(a.ordered) for a, _, _ in ranked]
    distance = first_radius(below, n) if ranked else n
    while True:
        rows = _find_rows_within(ranked, distance) if ranked else np.arange(len(values[0]))
        if all(a.missing for a in attributes):  # what shows nothing would be closest to everybody
            rows = rows[~np.all([np.isnan(part[rows]) for part in values], axis=0)]
        if len(rows):
            pairs = zip(attributes, values, strict=True)
            gaps = np.column_stack([a.count_places(part, rows) for a, part in pairs])
            worst = gaps.max(axis=1)
            if worst.min() <= distance:
                best = worst == worst.min()
                return rows[best], gaps[best]
        distance *= 2


def _find_rows_within(
    ranked: Sequence[tuple[Attribute, Floats, Rows | None]], distance: int
) -> Rows:
    """Find the rows whose value lies within some places of hers on every attribute.

    The attribute with the narrowest window leaves the fewest rows, and so is looked at first.
    """
    attributes, values, orders = zip(*ranked, strict=True)
    limits = []  # of ranks, widened to whole blocks of equal values
    for a in attributes:
        low = a.ordered[max(a.block.first - 1 - distance, 0)]
        high = a.ordered[min(a.block.last - 1 + distance, len(a.ordered) - 1)]
        first = int(a.ordered.searchsorted(low, "left")) + 1
        limits.append(Block(first, int(a.ordered.searchsorted(high, "right"))))
    start, *others = sorted(range(len(limits)), key=lambda at: limits[at].last - limits[at].first)
    size = len(values[0])

    def find_between(at: int) -> Rows:
        attribute, order, block = attributes[at], orders[at], limits[at]
        if order is None:
            low, high = attribute.ordered[block.first - 1], attribute.ordered[block.last - 1]
            return np.flatnonzero(attribute.among(values[at], low, high))
        rows, known = order[block.first - 1 : block.last], len(attribute.ordered)
        return np.r_[rows, order[known:]] if known < len(order) else rows

    rows = find_between(start)
    if others and orders[others[0]] is not None and len(rows) * MARK_FROM > size:
        marked = np.zeros(size, bool)  # small, so that caches hold it
        marked[find_between(others.pop(0))] = True
        rows = rows.compress(marked.take(rows))
    for at in others if len(rows) else ():
        ordered = attributes[at].ordered
        ends = ordered[limits[at].first - 1], ordered[limits[at].last - 1]
        rows = rows.compress(attributes[at].among(values[at].take(rows), *ends))
    return rows
