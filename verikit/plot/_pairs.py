"""Two columns against each other, by rank."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit.errors import SchemaError
from verikit.plot._panels import COLOURS, FEW, SHAPES, side_by_side
from verikit.plot._picture import worded
from verikit.ranks import mid_ranks
from verikit.words import listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["pairs"]


def pairs(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw two columns of several tables against each other by rank, one panel a table.

    It shows what a table keeps of the relation between two columns, which is what made-up records
    lose.

    Parameters
    ----------
    tables
        By name, frames of numbers; the first two columns of each are drawn.

    Raises
    ------
    SchemaError
        If there is no table, or one has not two columns of numbers without missing values.

    References
    ----------
    [DM]_ section 5.2

    Examples
    --------
    >>> import verikit as vk
    >>> people = pd.DataFrame({"age": [20, 30, 40, 50], "pay": [1, 2, 4, 3]})
    >>> made_up = people.assign(pay=[4, 1, 2, 3])
    >>> print(vk.plot.html(pairs({"people": people, "made up": made_up})).alt)
    Two columns by rank. people: age and pay of 4 records, rank correlation 0.80.
    made up: age and pay of 4 records, rank correlation -0.20.
    """
    if not tables:
        raise SchemaError("No table was given; expected at least one, with two columns of numbers.")
    ranks = {name: _ranks(name, table) for name, table in tables.items()}
    across, up = next(iter(ranks.values()))
    figure, panels = side_by_side(list(tables), f"rank of {across}", f"rank of {up}")
    said = ["Two columns by rank."]
    looks = zip(panels, ranks.items(), cycle(SHAPES), cycle(COLOURS), strict=False)
    for panel, (name, columns), shape, colour in looks:
        x, y = columns.values()
        panel.plot(x, y, shape, color=colour, markersize=6 if len(x) <= FEW else 2, alpha=0.7)
        related = np.corrcoef(x, y)[0, 1] if x.std() and y.std() else 0.0
        said.append(
            f"{name}: {' and '.join(columns)} of {len(x):,} records, rank correlation "
            f"{related:.2f}."
        )
    return worded(figure, said)


def _ranks(name: str, table: pd.DataFrame) -> dict[str, Floats]:
    """The ranks of the first two columns of a table."""
    values = table.iloc[:, :2].apply(pd.to_numeric, errors="coerce").to_numpy(np.float64)
    if not len(values) or values.shape[1] < 2 or np.isnan(values).any():
        raise SchemaError(
            f"The table {name!r} has {len(table)} records of {listed(table.columns, 6)}; expected "
            "two columns of numbers without missing values."
        )
    return {str(c): mid_ranks(v) for c, v in zip(table.columns, values.T, strict=False)}
