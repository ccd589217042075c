"""The cells of a generalized column: nodes of its hierarchy, intervals, sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Rows
from verikit.cells import set_label
from verikit.lattice import ColumnLevels, column_levels
from verikit.partition import value_codes
from verikit.table import Column, Microdata

__all__ = ["group_cells", "level_cells"]


def level_cells(data: Microdata, column: Column, level: int, hidden: Flags) -> Any:
    """A column on one level of its hierarchy; hidden records get all that the column may hold."""
    if level == 0 and not hidden.any():
        return data.frame[column.name].array
    if column.hierarchy is None:
        return group_cells(data, column, np.arange(len(data)), hidden)
    coded = column_levels(data, column)
    return _rooted(coded, np.full(len(data), level), hidden)


def group_cells(data: Microdata, column: Column, labels: Rows, hidden: Flags) -> Any:
    """A column with one cell a group, which covers the values of its records.

    Where some but not all values of a group are missing, the cell is the root of the hierarchy,
    or missing where there is none.
    """
    if column.kind == "numeric":
        return _spans(data.scores(column.name), labels, hidden)
    if column.hierarchy is None:
        return _sets(data, column, labels, hidden)
    coded = column_levels(data, column)
    return _rooted(coded, _covering(coded, labels), hidden)


def _rooted(coded: ColumnLevels, level: Rows, hidden: Flags) -> pd.Categorical:
    """The nodes of the records, each on its level."""
    level = np.where(hidden, len(coded.nodes) - 1, level)
    codes = np.empty(len(level), np.intp)
    names: list[str | None] = []
    for height in np.unique(level):
        rows = level == height
        codes[rows] = coded.nodes[height][coded.codes[rows]] + len(names)
        names += coded.names[height]
    return _categorical(codes, names)


def _covering(coded: ColumnLevels, labels: Rows) -> Rows:
    """For each record the lowest level on which all records of its group share a node."""
    order, starts = _sorted(labels)
    level = np.full(len(starts), -1)
    for height, nodes in enumerate(coded.nodes):
        cells = nodes[coded.codes[order]]
        one = np.minimum.reduceat(cells, starts) == np.maximum.reduceat(cells, starts)
        level[(level < 0) & one] = height
    return level[labels]


def _spans(values: Floats, labels: Rows, hidden: Flags) -> pd.arrays.IntervalArray:
    """The closed interval between the least and the greatest number of each group."""
    order, starts = _sorted(labels)
    low = np.minimum.reduceat(values[order], starts)[labels]
    high = np.maximum.reduceat(values[order], starts)[labels]
    low[hidden], high[hidden] = values.min(), values.max()
    return pd.arrays.IntervalArray.from_arrays(low, high, closed="both")


def _sets(data: Microdata, column: Column, labels: Rows, hidden: Flags) -> pd.Categorical:
    """The set of the categories of each group."""
    codes, values = value_codes(data, column.name)
    pairs = np.unique(labels * len(values) + codes)
    groups, places = np.divmod(pairs, len(values))
    parts = [tuple(part) for part in np.split(places, np.flatnonzero(np.diff(groups)) + 1)]
    numbers = {part: number for number, part in enumerate(dict.fromkeys(parts))}
    number = np.array([numbers[part] for part in parts])[labels]
    number[hidden] = len(numbers)
    names = [_set(part, values) for part in (*numbers, tuple(range(len(values))))]
    return _categorical(number, names)


def _set(places: Sequence[int], values: Sequence[Any]) -> str | None:
    names = [values[place] for place in places]
    return None if None in names else set_label(names)


def _sorted(labels: Rows) -> tuple[Rows, Rows]:
    """The records group by group, and where each group starts; labels count without gaps."""
    sizes = np.bincount(labels)
    return np.argsort(labels, kind="stable"), np.cumsum(sizes) - sizes


def _categorical(codes: Rows, names: Sequence[str | None]) -> pd.Categorical:
    """Names by code, each name a category once; no name means missing."""
    known = [name for name in dict.fromkeys(names) if name is not None]
    numbers = {name: place for place, name in enumerate(known)}
    found = np.array([-1 if name is None else numbers[name] for name in names], np.intp)
    return pd.Categorical.from_codes(found[codes], categories=known)
