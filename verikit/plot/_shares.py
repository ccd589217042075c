"""How often values occur in several groups."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit.errors import SchemaError
from verikit.plot._panels import COLOURS, HATCHES, SKY
from verikit.plot._picture import worded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["shares"]


def shares(table: pd.DataFrame, across: str) -> Figure:
    """Draw how often each value occurs in one group beside how often it does in others.

    Parameters
    ----------
    table
        One line a value, one column a group of people, shares from 0 to 1 inside.
    across
        The words at the lower axis: what is shared, such as "people found".

    Raises
    ------
    SchemaError
        If the table is empty, or a number in it is no share.

    References
    ----------
    [KS]_ Definition 3

    Examples
    --------
    >>> import verikit as vk
    >>> table = pd.DataFrame({"class": [0.5, 0.5], "table": [0.2, 0.8]}, index=["flu", "cold"])
    >>> print(vk.plot.html(shares(table, "people with it")).alt)
    People with it, in per cent. flu: class 50, table 20. cold: class 50, table 80.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    values = table.to_numpy(dtype=np.float64)
    if not values.size or not ((values >= 0) & (values <= 1 + 1e-9)).all():
        raise SchemaError(
            f"A table of {len(table)} values and {len(table.columns)} groups was given; expected "
            "at least one of each, and shares from 0 to 1."
        )
    figure = Figure(
        figsize=(6.5, 1.0 + 0.22 * len(table) * (values.shape[1] + 0.6)), layout="constrained"
    )
    panel = figure.add_subplot()
    _bars(panel, table, values)
    panel.xaxis.set_major_formatter(PercentFormatter(1))
    panel.set_xlabel(f"{across}, in per cent")
    panel.spines[["top", "right"]].set_visible(False)
    columns = values.shape[1] if values.shape[1] <= 3 else 2
    figure.legend(loc="outside upper right", ncols=columns, frameon=False)
    said = [
        f"{value}: {', '.join(f'{n} {share:.0%}'.rstrip('%') for n, share in line.items())}."
        for value, line in table.iterrows()
    ]
    return worded(figure, [f"{across[:1].upper()}{across[1:]}, in per cent.", *said])


def _bars(panel: Axes, table: pd.DataFrame, values: Floats) -> None:
    rows, groups = values.shape
    styles = zip(cycle((*COLOURS, SKY)), cycle(HATCHES), strict=False)
    for at, (name, (colour, hatch)) in enumerate(zip(table.columns, styles, strict=False)):
        middle = np.arange(rows) + (at - (groups - 1) / 2) * 0.8 / groups
        panel.barh(
            middle, values[:, at], 0.7 / groups, color="white", edgecolor=colour, hatch=hatch,
            linewidth=1.5, label=str(name),
        )  # fmt: skip
    panel.set(yticks=range(rows), yticklabels=map(str, table.index), ylim=(rows - 0.4, -0.6))
