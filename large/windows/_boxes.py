"""Rows of a large table that may lie in some of many boxes, found by a grid of coarse cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from verikit._support.arrays import Flags, Floats, Rows

__all__ = ["Marked", "around", "grid"]

Marked: TypeAlias = Callable[[Sequence[Floats]], Flags]

CELLS, STEPS = 128, 1 << 14
TOGETHER = 3


def around(ordered: Floats, values: Floats, share: float) -> tuple[Floats, Floats]:
    """Ends of windows that for nearly sure reach a share of a column to each side of some values.

    Parameters
    ----------
    ordered
        A sample of the column, sorted.
    values
        The values, of the column.
    share
        How much of the column is to lie in the window to each side.

    Examples
    --------
    >>> around(np.arange(100.0), np.array([50.0]), 0.0)
    (array([42.]), array([58.]))
    """
    size = len(ordered)
    steps = int(np.ceil(share * size + 4 * np.sqrt(share * size) + 8))
    low = np.searchsorted(ordered, values, "left") - steps
    high = np.searchsorted(ordered, values, "right") - 1 + steps
    edges = np.r_[-np.inf, ordered, np.inf]
    return edges[np.clip(low + 1, 0, size + 1)], edges[np.clip(high + 1, 0, size + 1)]


def grid(sample: Sequence[Floats], low: Sequence[Floats], high: Sequence[Floats]) -> Marked:
    """What marks the rows that may lie in some box.

    Parameters
    ----------
    sample
        The columns of a sample, which say where the cells begin.
    low, high
        The ends of the boxes, one array a column.

    Returns
    -------
    Callable
        It takes the columns of a batch; a row that it does not mark lies in no box. A missing
        value may lie in any.

    Examples
    --------
    >>> rows = [np.arange(1000.0), np.arange(1000.0)]
    >>> marks = grid(rows, [np.array([10.0])] * 2, [np.array([20.0])] * 2)
    >>> np.flatnonzero(marks(rows))[[0, -1]].tolist()
    [8, 23]
    """
    cells = [_Cells(column) for column in sample]
    parts = [slice(at, at + TOGETHER) for at in range(0, len(cells), TOGETHER)]
    tables = [_table(cells[part], low[part], high[part]) for part in parts]

    def marked(columns: Sequence[Floats]) -> Flags:
        found = np.ones(len(columns[0]), bool)
        for part, table in zip(parts, tables, strict=True):
            places = zip(cells[part], columns[part], strict=True)
            found &= table[tuple(column.of(values) for column, values in places)]
        return found

    return marked


class _Cells:
    """A column in cells that hold about as many values each, in ascending order.

    A cell is found by a table over steps of equal width: coarser than its quantiles, and quick.
    """

    def __init__(self, column: Floats) -> None:
        ordered = np.sort(column[~np.isnan(column)])
        ends = np.quantile(ordered, [0.0005, 0.9995]) if len(ordered) else np.zeros(2)
        self.low, high = (float(end) for end in ends)
        self.scale = STEPS / (high - self.low) if high > self.low else 0.0
        starts = self.low + np.arange(STEPS + 2) / (self.scale or 1.0)
        places = np.searchsorted(ordered, starts) * CELLS // max(len(ordered), 1)
        self.cell = np.minimum(places, CELLS - 1).astype(np.intp)

    def of(self, values: Floats) -> Rows:
        """The cell of each value, never lower for a greater one; the last one if it is missing."""
        with np.errstate(invalid="ignore"):  # a column of one value has no width
            steps = np.clip((values - self.low) * self.scale, 0, STEPS + 1)
        found = self.cell[np.nan_to_num(steps).astype(np.intp)]
        missing = np.isnan(values)
        return np.where(missing, CELLS, found) if missing.any() else found


def _table(cells: Sequence[_Cells], low: Sequence[Floats], high: Sequence[Floats]) -> Flags:
    """By cell of a grid whether some box touches it."""
    starts = [column.of(end) for column, end in zip(cells, low, strict=True)]
    stops = [column.of(end) + 1 for column, end in zip(cells, high, strict=True)]
    table = np.zeros([CELLS + 1] * len(cells), bool)
    for ends in zip(*starts, *stops, strict=True):
        places = [slice(a, b) for a, b in zip(ends[: len(cells)], ends[len(cells) :], strict=True)]
        table[tuple(places)] = True
    for at in range(len(cells)):
        turned = np.moveaxis(table, at, 0)
        turned[CELLS] = turned[:CELLS].any(axis=0)
    return table
