"""How often values occur in several groups."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit._support.html import cell
from verikit.errors import SchemaError
from verikit.plot._picture import (
    BLUE,
    COLOURS,
    HATCHES,
    ORANGE,
    SKY,
    add_legend,
    count_in_percent,
    describe_figure,
    make_figure,
    make_panels,
)
from verikit.utility import Noise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RANGE_COLUMNS = ("lower", "estimate", "upper")


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
    values = table.to_numpy(dtype=np.float64)
    if not values.size or not ((values >= 0) & (values <= 1 + 1e-9)).all():
        raise SchemaError(
            f"A table of {len(table)} values and {len(table.columns)} groups was given; expected "
            "at least one of each, and shares from 0 to 1."
        )
    rows, groups = values.shape
    figure, panel = make_figure(6.5, 1.0 + 0.22 * rows * (groups + 0.6))
    looks = zip(cycle((*COLOURS, SKY)), cycle(HATCHES), strict=False)
    for at, (name, (colour, hatch)) in enumerate(zip(table.columns, looks, strict=False)):
        middle = np.arange(rows) + (at - (groups - 1) / 2) * 0.8 / groups
        panel.barh(
            middle, values[:, at], 0.7 / groups, color="white", edgecolor=colour, hatch=hatch,
            linewidth=1.5, label=str(name),
        )  # fmt: skip
    panel.set(
        yticks=range(rows), yticklabels=map(str, table.index), ylim=(rows - 0.4, -0.6),
        xlabel=f"{across}, in per cent",
    )  # fmt: skip
    count_in_percent(panel.xaxis)
    add_legend(figure, groups if groups <= 3 else 2)
    said = [
        f"{value}: {', '.join(f'{n} {share:.0%}'.rstrip('%') for n, share in line.items())}."
        for value, line in table.iterrows()
    ]
    return describe_figure(figure, [f"{across[:1].upper()}{across[1:]}, in per cent.", *said])


def ranges(table: pd.DataFrame, across: str) -> Figure:
    """Draw ranges of numbers, each with the number that is expected.

    A range without a lower or an upper end runs to the border and ends there in an arrow.

    Parameters
    ----------
    table
        One line a range, named by the index: ``lower``, ``estimate`` and ``upper``.
    across
        What the numbers are.

    Raises
    ------
    SchemaError
        If there is no range, a column is missing, or a number is.

    Examples
    --------
    >>> table = pd.DataFrame({"lower": [0], "estimate": [0.9], "upper": [2]}, index=["answer"])
    >>> print(ranges(table, "records").get_label())
    Records. answer: 0.9 expected, from 0 to 2.
    """
    values = _check_ranges(table)
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    room = 0.08 * (high - low) or 0.5 * max(abs(high), 1)  # beside all that is finite
    low, high = low - room, high + room
    figure, panel = make_figure(6.5, 1.5 + 0.45 * len(table))
    for level, line in enumerate(values):
        _draw_range(panel, level, line, (low, high))
    panel.set(
        xlim=(low, high), ylim=(len(table) - 0.5, -0.5), yticks=range(len(table)),
        yticklabels=list(map(str, table.index)), xlabel=across,
    )  # fmt: skip
    panel.spines["left"].set_visible(False)
    panel.tick_params(axis="y", length=0)
    add_legend(figure, 2, panel)
    said = [
        _describe_range(str(name), line) for name, line in zip(table.index, values, strict=True)
    ]
    return describe_figure(figure, [f"{across[:1].upper()}{across[1:]}.", *said])


def _check_ranges(table: pd.DataFrame) -> Floats:
    lacking = [name for name in RANGE_COLUMNS if name not in table]
    values = np.empty((0, 3)) if lacking else table[list(RANGE_COLUMNS)].to_numpy(np.float64)
    if not values.size or np.isnan(values[:, [0, 2]]).any():
        raise SchemaError(
            "There is no range to draw, or an end of one is missing; expected lower, estimate and "
            "upper for each, as an answer has them where a record can be meant."
        )
    return values


def _draw_range(panel: Axes, level: int, line: Floats, shown: tuple[float, float]) -> None:
    lower, estimate, upper = line
    ends = np.clip([lower, upper], *shown)
    panel.hlines(level, *ends, color=BLUE, linewidth=3, label="range")
    for end, drawn, arrow in zip((lower, upper), ends, "<>", strict=True):
        mark = "|" if np.isfinite(end) else arrow
        panel.plot(drawn, level, mark, color=BLUE, markersize=14, markeredgewidth=2, clip_on=False)
    if np.isfinite(estimate):
        panel.plot(estimate, level, "D", color=ORANGE, markersize=9, zorder=3, label="expected")


def _describe_range(name: str, line: Floats) -> str:
    lower, estimate, upper = map(float, line)
    expected = f"{cell(estimate)} expected" if np.isfinite(estimate) else "nothing expected"
    first = f"from {cell(lower)}" if np.isfinite(lower) else "without a lower end"
    last = f"to {cell(upper)}" if np.isfinite(upper) else "without an upper end"
    return f"{name}: {expected}, {first} {last}."


def noise_sizes(noise: Noise) -> Figure:
    """Draw the noise left beside the permutation next to all that masking changed.

    Bars are means, dots the single records.

    Parameters
    ----------
    noise
        What `verikit.utility.residual_noise` found.

    References
    ----------
    [DM]_ section 3, Table 2

    Examples
    --------
    >>> import verikit as vk
    >>> data, masked = vk.load("dm_table1"), vk.load("dm_table1_masked")
    >>> noise = vk.utility.residual_noise(data, masked, seed=1)
    >>> print(vk.plot.html(noise_sizes(noise)).alt)
    Mean size of the noise.
    X1: 5.94 in all, 2.32 left after the permutation.
    X2: 26.07 in all, 17.72 left after the permutation.
    X3: 59.97 in all, 27.86 left after the permutation.
    """
    names = list(noise.total)
    figure, panels = make_panels(names, "", "size of the noise")
    said = ["Mean size of the noise."]
    for panel, name in zip(panels, names, strict=False):
        total, left = (table[name].abs().to_numpy(float) for table in (noise.total, noise.residual))
        _draw_bar_and_dots(panel, 0, total, ORANGE)
        _draw_bar_and_dots(panel, 1, left, BLUE)
        panel.set_xticks([0, 1], ["in all", "left"])
        said.append(
            f"{name}: {cell(total.mean())} in all, {cell(left.mean())} left after the permutation."
        )
    return describe_figure(figure, said)


def _draw_bar_and_dots(panel: Axes, place: int, sizes: Floats, colour: str) -> None:
    """A mean as a bar and what it is the mean of as dots; every second bar is hatched."""
    hatch, shape = ("", "s") if place % 2 == 0 else ("///", "o")
    panel.bar(place, sizes.mean(), 0.7, color="white", edgecolor=colour, hatch=hatch, linewidth=2)
    aside = place + np.linspace(-0.25, 0.25, len(sizes))
    panel.plot(aside, sizes, shape, color=colour, markersize=4, alpha=0.6)
