"""Rows of a large table that may lie in some of many boxes, found by a grid of coarse cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Marked", "grid", "quantile_ends"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Marked: TypeAlias = Callable[[Sequence[Floats]], Bools]

CELLS = 127
TOGETHER = 3


def quantile_ends(
    ordered: Floats, first: npt.NDArray[np.float64], last: npt.NDArray[np.float64]
) -> tuple[Floats, Floats]:
    """Values that lie beyond some shares of a column for nearly sure, from a sorted sample.

    Parameters
    ----------
    ordered
        The sample, sorted.
    first, last
        The shares, of the whole column, from and to which the values are to reach.
    """
    size = len(ordered)
    slack = [4 * np.sqrt(np.clip(end * (1 - end), 0, 1) * size) + 8 for end in (first, last)]
    low = np.floor(first * size - slack[0]).astype(np.intp)
    high = np.ceil(last * size + slack[1]).astype(np.intp)
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
        It takes the columns of a batch; a row that it does not mark lies in no box.

    Examples
    --------
    >>> rows = [np.arange(1000.0), np.arange(1000.0)]
    >>> marks = grid(rows, [np.array([10.0])] * 2, [np.array([20.0])] * 2)
    >>> np.flatnonzero(marks(rows))[[0, -1]].tolist()
    [8, 23]
    """
    cuts = [_cuts(column) for column in sample]
    parts = [range(at, min(at + TOGETHER, len(cuts))) for at in range(0, len(cuts), TOGETHER)]
    tables = [
        _table([cuts[j] for j in p], [low[j] for j in p], [high[j] for j in p]) for p in parts
    ]

    def marked(columns: Sequence[Floats]) -> Bools:
        found = np.ones(len(columns[0]), bool)
        for part, table in zip(parts, tables, strict=True):
            found &= table[tuple(np.searchsorted(cuts[j], columns[j], "right") for j in part)]
        return found

    return marked


def _cuts(column: Floats) -> Floats:
    return np.unique(np.quantile(column, np.linspace(0, 1, CELLS + 1)[1:-1], method="nearest"))


def _table(cuts: Sequence[Floats], low: Sequence[Floats], high: Sequence[Floats]) -> Bools:
    """By cell of a grid whether some box touches it."""
    starts = [np.searchsorted(c, end, "right") for c, end in zip(cuts, low, strict=True)]
    stops = [np.searchsorted(c, end, "right") + 1 for c, end in zip(cuts, high, strict=True)]
    table = np.zeros([len(c) + 1 for c in cuts], bool)
    for ends in zip(*starts, *stops, strict=True):
        places = [slice(a, b) for a, b in zip(ends[: len(cuts)], ends[len(cuts) :], strict=True)]
        table[tuple(places)] = True
    return table
