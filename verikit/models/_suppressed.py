"""Suppressed records: published with nothing but the widest cell in every quasi-identifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._sets import members
from verikit.models._candidates import bounds, withheld
from verikit.release import TableRelease
from verikit.table import Column, Microdata

__all__ = ["hidden_rows", "in_sight", "used"]

Rows = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


def in_sight(rows: Rows, hidden: Mask) -> Rows:
    """The rows that are not hidden; all of them where every one is.

    Examples
    --------
    >>> hidden = np.array([False, True, True])
    >>> in_sight(np.array([0, 1]), hidden).tolist(), in_sight(np.array([1, 2]), hidden).tolist()
    ([0], [1, 2])
    """
    seen = rows[~hidden[rows]]
    return seen if len(seen) else rows


def hidden_rows(release: Microdata | TableRelease) -> Mask:
    """The suppressed records: those that show the widest cell in every quasi-identifier.

    Where all records do, the columns were generalized to the top and nothing was suppressed.
    """
    widest = [_widest(release.frame[c.name], c) for c in release.schema.quasi]
    hidden = np.logical_and.reduce(widest) if widest else np.zeros(len(release), bool)
    return np.zeros(len(release), bool) if hidden.all() else hidden


def _widest(cells: pd.Series[Any], column: Column) -> Mask:
    """Which cells may be anything that the column holds."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        labels = list(cells.cat.categories)
        held = [frozenset(members(label)) or frozenset([label]) for label in labels]
        whole = frozenset().union(*(part for part, n in zip(held, used(cells), strict=True) if n))
        pairs = zip(labels, held, strict=True)
        found = [withheld(label, column) or whole <= part for label, part in pairs]
        return np.array([*found, True])[cells.cat.codes.to_numpy()]
    low, high = bounds(cells, column)
    return (low <= low.min()) & (high >= high.max())


def used(cells: pd.Series[Any]) -> Rows:
    """How often each category of a column occurs."""
    codes = cells.cat.codes.to_numpy()
    return np.bincount(codes[codes >= 0], minlength=len(cells.cat.categories))
