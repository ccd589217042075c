"""A published column as codes of its cells, and which cells meet conditions: surely, or perhaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._conditions import Among, Between, Condition
from verikit._sets import members
from verikit.errors import RecordError
from verikit.hierarchy import listed, text
from verikit.table import Column

__all__ = ["Cells", "Groups", "Held", "Spans", "cells_of"]

Codes = npt.NDArray[np.unsignedinteger[Any]]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]


class Held(NamedTuple):
    """By cell whether it surely meets conditions, what share of it does, and whether it may."""

    surely: Flags
    share: Floats
    perhaps: Flags


class Range(NamedTuple):
    """The numbers between two ends, which may belong to it or not."""

    low: float
    high: float
    left: bool
    right: bool

    def holds(self, values: Floats) -> Flags:
        """Which numbers lie in it."""
        above = values >= self.low if self.left else values > self.low
        return above & (values <= self.high if self.right else values < self.high)


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """A column of numbers or of closed intervals.

    Parameters
    ----------
    column
        The column.
    codes
        The cell of each row; one past the last where a value is missing.
    low, high
        The ends of each cell, which are equal where it is one number.
    """

    column: Column
    codes: Codes
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.low)

    @property
    def exact(self) -> bool:
        """Whether every cell is one number."""
        return bool((self.low == self.high).all())

    @property
    def names(self) -> tuple[str, ...]:
        """The cells in words, and what a missing value is called."""
        ends = zip(self.low.tolist(), self.high.tolist(), strict=True)
        return (*(text(a) if a == b else f"[{text(a)}, {text(b)}]" for a, b in ends), "missing")

    def code(self, value: object) -> int:
        """The cell that stands for one number alone; -1 where there is none."""
        score = self.column.score(value)
        alone = np.flatnonzero((self.low == score) & (self.high == score))
        return int(alone[0]) if len(alone) else -1

    def held(self, conditions: Sequence[Condition]) -> Held:
        """What each cell says about all conditions together; values spread evenly over intervals.

        One number has a share of an interval only between whole numbers, where it lasts one unit:
        47 is one of the eleven whole numbers from 40 to 50.
        """
        ranges = [_range(c, self.column) for c in conditions if isinstance(c, Between)]
        choices = [_points(c, self.column) for c in conditions if isinstance(c, Among)]
        if choices:
            return self._held_points(sorted(set.intersection(*choices)), ranges)
        low, high = self.low, self.high
        surely = np.logical_and.reduce([r.holds(low) & r.holds(high) for r in ranges])
        bottom, top = max(r.low for r in ranges), min(r.high for r in ranges)
        perhaps = np.logical_and.reduce([_touches(r, low, high) for r in ranges])
        inside = np.clip(np.minimum(high, top) - np.maximum(low, bottom), 0, None)
        width = np.where(high > low, high - low, 1.0)
        return Held(surely, np.where(high > low, inside / width, surely), perhaps)

    def _held_points(self, points: list[float], ranges: list[Range]) -> Held:
        kept = np.array([p for p in points if all(r.holds(np.array([p]))[0] for r in ranges)])
        first = np.searchsorted(kept, self.low, "left")
        count = np.searchsorted(kept, self.high, "right") - first
        surely = (self.low == self.high) & (count > 0)
        whole = (self.low % 1 == 0) & (self.high % 1 == 0)
        numbers = kept[kept % 1 == 0]
        inside = np.searchsorted(numbers, self.high, "right") - np.searchsorted(numbers, self.low)
        share = np.where(whole, inside / (self.high - self.low + 1), 0.0)
        return Held(surely, np.where(self.low == self.high, surely, share), count > 0)


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """A column of categories, of groups of a hierarchy, or of sets such as ``{a, b}``.

    Parameters
    ----------
    column
        The column.
    codes
        The cell of each row; one past the last where a value is missing.
    values
        Every value that a cell may stand for, and its number.
    starts
        Where the members of each cell begin in the next two.
    members
        The numbers of the values of each cell, one cell after another.
    weights
        The share of each member in its cell.
    labels
        The cells as they are published.
    """

    column: Column
    codes: Codes
    values: Mapping[str, int]
    starts: Rows
    members: Rows
    weights: Floats
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def exact(self) -> bool:
        """Whether every cell stands for one value."""
        return len(self.members) == len(self.starts)

    def held(self, conditions: Sequence[Condition]) -> Held:
        """What each cell says about all conditions together; a group is split by its weights."""
        chosen = np.logical_and.reduce([self._chosen(condition) for condition in conditions])
        inside = chosen[self.members]
        if self.exact:
            return Held(inside, inside.astype(np.float64), inside)
        surely = np.logical_and.reduceat(inside, self.starts)
        share = np.add.reduceat(np.where(inside, self.weights, 0.0), self.starts)
        return Held(
            surely, np.where(surely, 1.0, share), np.logical_or.reduceat(inside, self.starts)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The cells in words, and what a missing value is called."""
        return (*self.labels, "missing")

    def code(self, value: object) -> int:
        """The cell that stands for one value alone; -1 where there is none."""
        number = self.values.get(text(value), -1)
        alone = np.flatnonzero(self.members == number)
        return int(alone[0]) if self.exact and len(alone) else -1

    def _chosen(self, condition: Condition) -> Flags:
        if isinstance(condition, Between):
            asked = _range(condition, self.column)
            return asked.holds(np.array([self.column.score(name) for name in self.values]))
        chosen = np.zeros(len(self.values), bool)
        below = [leaf for name in condition.values for leaf in self._below(name)]
        chosen[[self.values[name] for name in below if name in self.values]] = True
        return chosen

    def _below(self, name: str) -> tuple[str, ...]:
        hierarchy, declared = self.column.hierarchy, self.column.categories
        if hierarchy is not None and name in hierarchy.nodes:
            return hierarchy.leaves(name)
        if declared is not None and name not in declared:
            raise RecordError(
                f"{name!r} is not a value of {self.column.name!r}; it has {listed(declared, 12)}."
            )
        return (name,)


Cells: TypeAlias = Spans | Groups


def cells_of(values: pd.Series[Any], column: Column) -> Cells:
    """Code a published column by its distinct cells, numbers in ascending order."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return _groups(values, column)
    if isinstance(values.dtype, pd.IntervalDtype):
        return _intervals(values, column)
    codes, found = pd.factorize(values.to_numpy(), sort=True)
    ends = np.asarray(found, np.float64)
    return Spans(column, _small(codes, len(ends)), ends, ends)


def _intervals(values: pd.Series[Any], column: Column) -> Spans:
    left, lows = pd.factorize(values.array.left, sort=True)
    right, highs = pd.factorize(values.array.right, sort=True)
    there = left >= 0
    keys = left[there].astype(np.int64) * len(highs) + right[there]
    found, places = np.unique(keys, return_inverse=True)
    codes = np.full(len(values), -1, np.intp)
    codes[there] = places
    low, high = np.asarray(lows, np.float64), np.asarray(highs, np.float64)
    ends = low[found // max(len(high), 1)], high[found % max(len(high), 1)]
    return Spans(column, _small(codes, len(found)), *ends)


def _groups(values: pd.Series[Any], column: Column) -> Groups:
    values = values.cat.remove_unused_categories()
    codes = values.cat.codes.to_numpy()
    below = [_leaves(str(label), column) for label in values.cat.categories]
    names = dict.fromkeys((*(column.categories or ()), *(name for part in below for name in part)))
    numbers = {name: number for number, name in enumerate(names)}
    sizes = np.array([len(part) for part in below], np.intp)
    given = {} if column.hierarchy is None else column.hierarchy.weights
    weights = np.array([float(given.get(name, 1)) for part in below for name in part])
    starts = np.cumsum(sizes) - sizes
    totals = np.add.reduceat(weights, starts) if len(starts) else weights
    return Groups(
        column,
        _small(codes, len(below)),
        numbers,
        starts,
        np.array([numbers[name] for part in below for name in part], np.intp),
        weights / np.repeat(totals, sizes),
        tuple(map(str, values.cat.categories)),
    )


def _leaves(label: str, column: Column) -> tuple[str, ...]:
    if column.hierarchy is not None and label in column.hierarchy.nodes:
        return column.hierarchy.leaves(label)
    return members(label) or (label,)


def _small(codes: npt.NDArray[Any], cells: int) -> Codes:
    """Codes in the narrowest type, a missing one past the last."""
    narrow = np.min_scalar_type(cells)
    return np.where(codes < 0, cells, codes).astype(narrow)


def _range(condition: Between, column: Column) -> Range:
    if column.kind == "nominal":
        raise RecordError(
            f"A range was asked of {column.name!r}, which is nominal and has no order; ask for "
            "some of its values."
        )
    ends = [None if e is None else column.score(e) for e in (condition.low, condition.high)]
    return Range(
        -np.inf if ends[0] is None else ends[0],
        np.inf if ends[1] is None else ends[1],
        condition.closed in ("both", "left"),
        condition.closed in ("both", "right"),
    )


def _points(condition: Among, column: Column) -> set[float]:
    return {column.score(name) for name in condition.values}


def _touches(asked: Range, low: Floats, high: Floats) -> Flags:
    """Which closed intervals share a number with a range."""
    below = low <= asked.high if asked.right else low < asked.high
    return below & (high >= asked.low if asked.left else high > asked.low)
