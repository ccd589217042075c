"""How numbers change along another: one line a column, one panel a table."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from verikit._support.html import cell
from verikit.errors import SchemaError
from verikit.plot._panels import COLOURS, SHAPES, side_by_side
from verikit.plot._picture import worded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["lines"]

DASHES = ("-", "--", ":", "-.")
TOLD, ROOM = 8, 0.15


def lines(
    tables: pd.DataFrame | Mapping[str, pd.DataFrame], *, across: str = "", up: str = ""
) -> Figure:
    """Draw how numbers change along another one.

    Parameters
    ----------
    tables
        A table, or several by title, each in a panel of its own: one column a line, the numbers
        along which it runs in the index. Where a value is missing its line has a gap.
    across, up
        What the index and the values are.

    Raises
    ------
    SchemaError
        If a table is empty, its index or a column holds no numbers, or a number is infinite.

    References
    ----------
    [LHCC]_ Figures 1 to 5

    Examples
    --------
    >>> import verikit as vk
    >>> table = pd.DataFrame({"anatomy": [2.5, 9], "permuted": [3, 8]}, index=[2, 10])
    >>> print(vk.plot.html(lines(table, across="l", up="error in %")).alt)
    Error in % along l. anatomy: 2.5 at 2, 9 at 10. permuted: 3 at 2, 8 at 10.
    """
    named = {"": tables} if isinstance(tables, pd.DataFrame) else dict(tables)
    checked = {title: _numbers(table, title) for title, table in named.items()}
    if not checked:
        raise SchemaError("No table was given; give at least one.")
    figure, panels = side_by_side(list(checked), across, up)
    top = max(float(np.nanmax(table.to_numpy())) for table in checked.values())
    said = [f"{up[:1].upper()}{up[1:]} along {across}." if up and across else ""]
    for panel, (title, table) in zip(panels, checked.items(), strict=True):
        _draw(panel, table)
        panel.set_ylim(min(0.0, float(np.nanmin(table.to_numpy()))), 1.08 * top or 1.0)
        before = f"{title}, " if title else ""
        said += [f"{before}{name}: {_points(table[name])}." for name in table]
    handles, labels = panels[0].get_legend_handles_labels()
    ncols = min(2, len(checked))
    figure.set_figheight(float(figure.get_figheight()) + 0.25 * -(-len(labels) // ncols))
    figure.legend(handles, labels, loc="outside lower center", ncols=ncols, frameon=False)
    return worded(figure, filter(None, said))


def _draw(panel: Axes, table: pd.DataFrame) -> None:
    styles = zip(cycle(COLOURS), cycle(SHAPES), cycle(DASHES), strict=False)
    for name, (colour, shape, dash) in zip(table, styles, strict=False):
        panel.plot(
            table.index, table[name], shape + dash, color=colour, label=str(name), markersize=6
        )
    steps = np.diff(table.index)
    if len(table) <= TOLD and (steps >= ROOM * steps.sum()).all():
        panel.set_xticks(table.index, [cell(float(at)) for at in table.index])


def _points(values: pd.Series[float]) -> str:
    """The points of a line in words: all of them, or the ends and the extremes of a long one."""
    known = values.dropna()
    if len(known) > TOLD:
        known = known.loc[[*known.index[[0, -1]], known.idxmin(), known.idxmax()]]
        known = known[~known.index.duplicated()].sort_index()
    points = zip(known.to_list(), known.index.to_list(), strict=True)
    return ", ".join(f"{cell(float(value))} at {cell(float(at))}" for value, at in points)


def _numbers(table: pd.DataFrame, title: str) -> pd.DataFrame:
    """The table as numbers, ascending along its index."""
    where = f"Table {title!r}" if title else "The table"
    if not table.size or table.isna().all(axis=None):
        raise SchemaError(f"{where} has nothing to draw; give at least one line with one point.")
    try:
        numbers = table.astype(np.float64)
        numbers.index = numbers.index.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise SchemaError(f"{where} holds what is no number ({error}).") from None
    if np.isinf(numbers.to_numpy()).any() or not np.isfinite(numbers.index.to_numpy()).all():
        raise SchemaError(f"{where} holds a number without end, which cannot be drawn.")
    return numbers.sort_index()
