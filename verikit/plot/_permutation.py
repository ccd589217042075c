"""Ranks before and after masking."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit.errors import SchemaError
from verikit.plot._panels import COLOURS, FEW, PALE, SHAPES, diagonal, side_by_side
from verikit.plot._picture import worded
from verikit.ranks import mid_ranks
from verikit.words import count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["permutation"]


def permutation(before: pd.DataFrame, after: pd.DataFrame) -> Figure:
    """Draw each record's rank before and after masking, attribute by attribute.

    On the diagonal a record kept its rank; the length of the line to it is the places it moved.

    Parameters
    ----------
    before, after
        Numbers of the same records in the same order, such as the original and the reverse-mapped
        table; the columns that both have are drawn.

    Raises
    ------
    SchemaError
        If the tables differ in length, share no column, or hold what has no rank.

    References
    ----------
    [DM]_ section 3, Table 1

    Examples
    --------
    >>> import verikit as vk
    >>> before, after = vk.load("dm_table1").frame, vk.load("dm_table1_mapped").frame
    >>> print(vk.plot.html(permutation(before[["X1"]], after[["X1"]])).alt)
    Rank before against rank after masking of 20 records.
    X1: moved 3.6 places on average, 9 at most; 1 unmoved.
    """
    names = [name for name in before if name in after]
    if not names or len(before) != len(after):
        raise SchemaError(
            f"The tables have {len(before)} and {len(after)} records and share {len(names)} "
            "columns; expected the same records and at least one column in both."
        )
    figure, panels = side_by_side(names, "rank before", "rank after")
    said = []
    for panel, name, shape, colour in zip(
        panels, names, cycle(SHAPES), cycle(COLOURS), strict=False
    ):
        old, new = (_ranks(table, name) for table in (before, after))
        moved = np.abs(new - old)
        diagonal(panel, 1, len(before))
        if len(before) <= FEW:
            panel.vlines(old, np.minimum(old, new), np.maximum(old, new), color=PALE, linewidth=2)
        panel.plot(old, new, shape, color=colour, markersize=6 if len(before) <= FEW else 2)
        said.append(
            f"{name}: moved {moved.mean():.1f} places on average, {moved.max():,.0f} at most; "
            f"{int((moved == 0).sum()):,} unmoved."
        )
    return worded(
        figure, [f"Rank before against rank after masking of {len(before):,} records.", *said]
    )


def _ranks(table: pd.DataFrame, name: str) -> Floats:
    try:
        values = table[name].to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        raise SchemaError(
            f"Column {name!r} holds {table[name].iloc[0]!r}; expected numbers, which have a rank."
        ) from None
    missing = int(np.isnan(values).sum())
    if missing:
        raise SchemaError(
            f"Column {name!r} has {count(missing, 'missing value')} and so no ranks; "
            "leave the column out."
        )
    return mid_ranks(values)
