"""What protection costs: right links against the order that is kept."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from verikit.errors import SchemaError
from verikit.plot._panels import COLOURS, GREY, SHAPES, SKY
from verikit.plot._picture import worded
from verikit.words import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["trade_off"]

NEEDED = ("method", "amount", "links", "rank_correlation", "met")
DASHES = ("-", "--", ":", "-.")
TICKS = (0, 1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000)


def trade_off(trials: pd.DataFrame) -> Figure:
    """Draw the right links of each masking against how much of the order it keeps.

    One line a method, from little masking to much; trials that meet the goal are filled. Further
    down is better protected, further to the right is more useful. The grey line is luck. Links are
    spaced by their cube roots, so that few and many can be seen at once.

    Parameters
    ----------
    trials
        What `verikit.protector.trade_off` returns, or the trials of a `Choice`.

    Raises
    ------
    SchemaError
        If the table has no trial, or lacks a column.

    References
    ----------
    [DM]_ section 5.2, which asks for the optimum amount of permutation before release

    Examples
    --------
    >>> import verikit as vk
    >>> goal = vk.protector.Goal(links=3, attack="maximum_rank")
    >>> found = vk.protector.trade_off(vk.load("dm_table1"), {"rank_swap": [5, 50]}, goal, seed=7)
    >>> print(vk.plot.html(trade_off(found)).alt)
    Right links and rank correlation kept, from little masking to much; luck gives 1.
    rank_swap 5: 20 right, 0.98 kept, goal not met. rank_swap 50: 1 right, 0.54 kept, goal met.
    """
    from matplotlib.figure import Figure

    lacking = [name for name in NEEDED if name not in trials]
    if lacking or not len(trials):
        raise SchemaError(
            f"A table of {len(trials)} trials that lacks {listed(lacking) or 'nothing'} was given; "
            "expected at least one trial, as verikit.protector.trade_off returns them."
        )
    figure = Figure(figsize=(6.5, 3.8), layout="constrained")
    panel = figure.add_subplot()
    panel.axhline(1, color=GREY, linewidth=1, linestyle="--", label="luck")
    for (method, part), colour, shape, dash in zip(
        trials.groupby("method", sort=False), cycle((*COLOURS, SKY)), cycle(SHAPES), cycle(DASHES),
        strict=False,
    ):  # fmt: skip
        _line(panel, str(method), part, (colour, shape, dash))
    _axes(panel, int(trials["links"].max()))
    figure.legend(loc="outside upper right", ncols=3, frameon=False)
    return worded(figure, _words(trials))


def _line(panel: Axes, method: str, part: pd.DataFrame, look: tuple[str, str, str]) -> None:
    """A method's trials in the order given, joined; hollow marks miss the goal."""
    colour, shape, dash = look
    kept, links, met = part["rank_correlation"], part["links"], part["met"].astype(bool)
    panel.plot(kept, links, dash, color=colour, linewidth=1.5)
    panel.plot(
        kept[~met],
        links[~met],
        shape,
        color=colour,
        markersize=7,
        markerfacecolor="white",
        clip_on=False,
    )
    panel.plot(
        kept[met], links[met], shape, color=colour, markersize=7, label=method, clip_on=False
    )


def _axes(panel: Axes, most: int) -> None:
    panel.set_yscale("function", functions=(np.cbrt, lambda root: root**3))
    ticks = [tick for tick in TICKS if tick <= max(most, 3)]
    panel.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    panel.set_yticks([], minor=True)
    panel.set(
        ylim=(0, 1.2 * max(most, 3)),
        xlabel="rank correlation kept",
        ylabel="right links, on a cube-root axis",
    )
    panel.spines[["top", "right"]].set_visible(False)


def _words(trials: pd.DataFrame) -> list[str]:
    said = [
        f"{line.method} {line.amount:.3g}: {line.links:,} right, {line.rank_correlation:.2f} kept, "
        f"goal {'met' if line.met else 'not met'}."
        for line in trials.itertuples()
    ]
    first = "Right links and rank correlation kept, from little masking to much; luck gives 1."
    return [first, *said]
