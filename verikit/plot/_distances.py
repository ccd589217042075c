"""How close records match a release, beside how close others do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verikit._support.arrays import Floats, Ints
from verikit.intruder import Plausibility
from verikit.plot._panels import BLUE, ORANGE
from verikit.plot._picture import worded
from verikit.words import count, places

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["distances"]


MOST = 40


def distances(found: Plausibility) -> Figure:
    """Draw both distributions of a plausibility check: the records' distances and the others'.

    Each step is as high as the share of records at one distance; of many distances, neighbours
    are put together, and the step shows their mean.

    Parameters
    ----------
    found
        What `verikit.plausibility` compared.

    References
    ----------
    [DM]_ Figures 1 to 3

    Examples
    --------
    >>> import verikit as vk
    >>> found = vk.plausibility(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    >>> print(vk.plot.html(distances(found)).alt)
    Places to the closest published record. 20 records: 2 to 5, 3 in the middle. Others (exact): 3
    in the middle; 55.2 in 100 match within 3 places.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    points, mine, others = _steps(found)
    edges = np.r_[-0.5, points + 0.5]
    figure = Figure(figsize=(6.5, 3.2), layout="constrained")
    panel = figure.add_subplot()
    panel.stairs(others, edges, color=ORANGE, linewidth=2, linestyle="--", label="others", zorder=3)
    panel.stairs(
        mine, edges, fill=True, facecolor="none", edgecolor=BLUE, hatch="///", linewidth=1.5,
        label="records",
    )  # fmt: skip
    panel.set(xlabel="places to the closest published record", ylabel="share at each distance")
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    panel.yaxis.set_major_formatter(PercentFormatter(1))
    panel.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper right", ncols=2, frameon=False)
    return worded(figure, _words(found))


def _steps(found: Plausibility) -> tuple[Ints, Floats, Floats]:
    """The last distance of each step, and the mean share at one distance in it."""
    size = -(-len(found.points) // MOST)
    last = np.unique(np.r_[np.arange(size - 1, len(found.points), size), len(found.points) - 1])
    points = found.points[last]
    widths = np.diff(points, prepend=-1)
    shares = [
        np.diff(within[last], prepend=0) / widths
        for within in (found.share_observed, found.share_others)
    ]
    return points, shares[0], shares[1]


def _words(found: Plausibility) -> list[str]:
    middle = int(np.median(found.observed))
    reached = found.points[np.searchsorted(found.share_others, 0.5).clip(max=len(found.points) - 1)]
    span = f"{found.observed.min():,} to {found.observed.max():,}"
    close = f"{100 * found.within(middle):.3g} in 100 match within {places(middle)}"
    return [
        "Places to the closest published record.",
        f"{count(len(found.observed), 'record')}: {span}, {middle:,} in the middle.",
        f"Others ({found.null}): {reached:,} in the middle; {close}.",
    ]
