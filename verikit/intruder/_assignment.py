"""Linking all records at once: the one-to-one assignment that is closest as a whole."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit.errors import InfeasibleError
from verikit.intruder._compared import Compared
from verikit.intruder._links import Links

__all__ = ["AT_ONCE", "DENSE", "assigned", "assignment", "one_each"]

DENSE = 5_000
AT_ONCE = 64  # records whose distances are worked out together, so that caches hold them


def assignment(tables: Compared) -> Links:
    """Give each record a row of its own, so that the largest rank distances add up to the least."""
    if len(tables) > DENSE:
        raise InfeasibleError(
            f"An assignment of {len(tables):,} records compares all pairs, which is done up to "
            f"{DENSE:,}; use 'maximum_rank', 'normal_scores' or 'strongest' instead."
        )
    first, last = tables.first.astype(float), tables.last.astype(float)
    ends = tables.released_first.astype(float).T.copy(), tables.released_last.astype(float).T.copy()
    apart = np.zeros((len(tables), len(tables)))
    between = np.empty((AT_ONCE, len(tables)))
    for start in range(0, len(tables), AT_ONCE):
        part = apart[start : start + AT_ONCE]
        at, over = slice(start, start + len(part)), between[: len(part)]
        for j in range(len(tables.attributes)):
            np.maximum(part, np.subtract(ends[0][j], last[at, j, None], out=over), out=part)
            np.maximum(part, np.subtract(first[at, j, None], ends[1][j], out=over), out=part)
    rows = assigned(apart)
    return one_each("assignment", tables, rows, apart[np.arange(len(rows)), rows])


def assigned(cost: Floats) -> Rows:
    """The row of each record in the assignment that costs least."""
    from scipy.optimize import linear_sum_assignment

    rows: Rows = linear_sum_assignment(cost)[1]
    return rows


def one_each(attack: str, tables: Compared, rows: Rows, measure: Floats, note: str = "") -> Links:
    """Links with one candidate for each record."""
    return Links(attack, tables, np.arange(len(tables) + 1), rows, measure, note)
