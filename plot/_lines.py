"""How numbers change along another: one line a column, one panel a table."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from verikit._support.html import cell
from verikit.errors import SchemaError
from verikit.plot._picture import COLOURS, GREY, SHAPES, SKY, describe_figure, make_panels
from verikit.words import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    checked = {title: _read_numbers(table, title) for title, table in named.items()}
    if not checked:
        raise SchemaError("No table was given; give at least one.")
    figure, panels = make_panels(list(checked), across, up)
    top = max(float(np.nanmax(table.to_numpy())) for table in checked.values())
    said = [f"{up[:1].upper()}{up[1:]} along {across}." if up and across else ""]
    for panel, (title, table) in zip(panels, checked.items(), strict=True):
        _draw_lines(panel, table)
        panel.set_ylim(min(0.0, float(np.nanmin(table.to_numpy()))), 1.08 * top or 1.0)
        before = f"{title}, " if title else ""
        said += [f"{before}{name}: {_write_points(table[name])}." for name in table]
    handles, labels = panels[0].get_legend_handles_labels()
    ncols = min(2, len(checked))
    figure.set_figheight(float(figure.get_figheight()) + 0.25 * -(-len(labels) // ncols))
    figure.legend(handles, labels, loc="outside lower center", ncols=ncols, frameon=False)
    return describe_figure(figure, filter(None, said))


def _draw_lines(panel: Axes, table: pd.DataFrame) -> None:
    styles = zip(cycle(COLOURS), cycle(SHAPES), cycle(DASHES), strict=False)
    for name, (colour, shape, dash) in zip(table, styles, strict=False):
        panel.plot(
            table.index, table[name], shape + dash, color=colour, label=str(name), markersize=6
        )
    steps = np.diff(table.index)
    if len(table) <= TOLD and (steps >= ROOM * steps.sum()).all():
        panel.set_xticks(table.index, [cell(float(at)) for at in table.index])


def _write_points(values: pd.Series[float]) -> str:
    """The points of a line in words: all of them, or the ends and the extremes of a long one."""
    known = values.dropna()
    if len(known) > TOLD:
        known = known.loc[[*known.index[[0, -1]], known.idxmin(), known.idxmax()]]
        known = known[~known.index.duplicated()].sort_index()
    points = zip(known.to_list(), known.index.to_list(), strict=True)
    return ", ".join(f"{cell(float(value))} at {cell(float(at))}" for value, at in points)


def _read_numbers(table: pd.DataFrame, title: str) -> pd.DataFrame:
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


TRIAL_COLUMNS = ("method", "amount", "links", "rank_correlation", "met")
METHOD_DASHES = ("-", "--", ":", "-.")
LINK_TICKS = (0, 1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000)


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

    lacking = [name for name in TRIAL_COLUMNS if name not in trials]
    if lacking or not len(trials):
        raise SchemaError(
            f"A table of {len(trials)} trials that lacks {listed(lacking) or 'nothing'} was given; "
            "expected at least one trial, as verikit.protector.trade_off returns them."
        )
    figure = Figure(figsize=(6.5, 3.8), layout="constrained")
    panel = figure.add_subplot()
    panel.axhline(1, color=GREY, linewidth=1, linestyle="--", label="luck")
    for (method, part), colour, shape, dash in zip(
        trials.groupby("method", sort=False),
        cycle((*COLOURS, SKY)),
        cycle(SHAPES),
        cycle(METHOD_DASHES),
        strict=False,
    ):
        _draw_method(panel, str(method), part, (colour, shape, dash))
    _set_axes(panel, int(trials["links"].max()))
    figure.legend(loc="outside upper right", ncols=3, frameon=False)
    return describe_figure(figure, _describe_trials(trials))


def _draw_method(panel: Axes, method: str, part: pd.DataFrame, look: tuple[str, str, str]) -> None:
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


def _set_axes(panel: Axes, most: int) -> None:
    panel.set_yscale("function", functions=(np.cbrt, lambda root: root**3))
    ticks = [tick for tick in LINK_TICKS if tick <= max(most, 3)]
    panel.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    panel.set_yticks([], minor=True)
    panel.set(
        ylim=(0, 1.2 * max(most, 3)),
        xlabel="rank correlation kept",
        ylabel="right links, on a cube-root axis",
    )
    panel.spines[["top", "right"]].set_visible(False)


def _describe_trials(trials: pd.DataFrame) -> list[str]:
    said = [
        f"{line.method} {line.amount:.3g}: {line.links:,} right, {line.rank_correlation:.2f} kept, "
        f"goal {'met' if line.met else 'not met'}."
        for line in trials.itertuples()
    ]
    first = "Right links and rank correlation kept, from little masking to much; luck gives 1."
    return [first, *said]
