"""How numbers change along another: one line a column, one panel a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Ints
from verikit._support.html import cell
from verikit.errors import SchemaError
from verikit.intruder import Plausibility
from verikit.plot._picture import (
    BLUE,
    COLOURS,
    GREY,
    ORANGE,
    SHAPES,
    SKY,
    add_legend,
    count_in_percent,
    describe_figure,
    make_figure,
    make_panels,
)
from verikit.protector import CorrectLinks
from verikit.words import count, listed, places

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DASHES = ("-", "--", ":", "-.")
TOLD, ROOM = 8, 0.15
TRIAL_COLUMNS = ("method", "amount", "links", "rank_correlation", "met")
LINK_TICKS = (0, 1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000)
SHOWN = 9
TOP, STRIP = 0.42, 0.06
LUCK_TICKS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500)
MAX_STEPS = 40


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
        looks = zip(cycle(COLOURS), cycle(SHAPES), cycle(DASHES), strict=False)
        for name, (colour, shape, dash) in zip(table, looks, strict=False):
            panel.plot(
                table.index, table[name], shape + dash, color=colour, label=str(name), markersize=6
            )
        steps = np.diff(table.index)
        if len(table) <= TOLD and (steps >= ROOM * steps.sum()).all():
            panel.set_xticks(table.index, [cell(float(at)) for at in table.index])
        panel.set_ylim(min(0.0, float(np.nanmin(table.to_numpy()))), 1.08 * top or 1.0)
        before = f"{title}, " if title else ""
        said += [f"{before}{name}: {_write_points(table[name])}." for name in table]
    handles, labels = panels[0].get_legend_handles_labels()
    ncols = min(2, len(checked))
    figure.set_figheight(float(figure.get_figheight()) + 0.25 * -(-len(labels) // ncols))
    figure.legend(handles, labels, loc="outside lower center", ncols=ncols, frameon=False)
    return describe_figure(figure, filter(None, said))


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
    lacking = [name for name in TRIAL_COLUMNS if name not in trials]
    if lacking or not len(trials):
        raise SchemaError(
            f"A table of {len(trials)} trials that lacks {listed(lacking) or 'nothing'} was given; "
            "expected at least one trial, as verikit.protector.trade_off returns them."
        )
    figure, panel = make_figure(6.5, 3.8)
    panel.axhline(1, color=GREY, linewidth=1, linestyle="--", label="luck")
    for (method, part), colour, shape, dash in zip(
        trials.groupby("method", sort=False),
        cycle((*COLOURS, SKY)),
        cycle(SHAPES),
        cycle(DASHES),
        strict=False,
    ):
        kept, links, met = part["rank_correlation"], part["links"], part["met"].astype(bool)
        mark: dict[str, Any] = {"color": colour, "markersize": 7, "clip_on": False}
        panel.plot(kept, links, dash, color=colour, linewidth=1.5)
        panel.plot(kept[~met], links[~met], shape, markerfacecolor="white", **mark)
        panel.plot(kept[met], links[met], shape, label=str(method), **mark)
    most = max(int(trials["links"].max()), 3)
    panel.set_yscale("function", functions=(np.cbrt, lambda root: root**3))
    ticks = [tick for tick in LINK_TICKS if tick <= most]
    panel.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    panel.set_yticks([], minor=True)
    panel.set(
        ylim=(0, 1.2 * most), xlabel="rank correlation kept",
        ylabel="right links, on a cube-root axis",
    )  # fmt: skip
    add_legend(figure, 3)
    told = [
        f"{line.method} {line.amount:.3g}: {line.links:,} right, {line.rank_correlation:.2f} kept, "
        f"goal {'met' if line.met else 'not met'}."
        for line in trials.itertuples()
    ]
    first = "Right links and rank correlation kept, from little masking to much; luck gives 1."
    return describe_figure(figure, [first, *told])


def luck(correct: CorrectLinks) -> Figure:
    """Draw how often luck gives each number of right links, and how many an attack got right.

    Luck is drawn as lines: the chance that a random key makes so many links of one attack right.
    Each attack that was tried has a mark of its own, in a strip below: only where it stands from
    left to right means something. Counts are spaced by their square roots, so
    that few and many can be seen at once.

    Parameters
    ----------
    correct
        What `verikit.protector.correct_links` counted.

    References
    ----------
    [DM]_ section 5.1

    Notes
    -----
    The chances are those of the Poisson law with mean 1, which holds for one-to-one links up to
    terms that vanish with n!.

    Examples
    --------
    >>> import verikit as vk
    >>> links = vk.link(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    >>> print(vk.plot.html(luck(vk.protector.correct_links(links, vk.Key.of(range(20))))).alt)
    Right links of 20 records. Luck: none in 37 of 100 cases, 1 in 37, 2 in 18, more in 8.
    Found: maximum_rank 6.
    """
    chances = [math.exp(-1) / math.factorial(count) for count in range(SHOWN)]
    figure, panel = make_figure(6.5, 2.6 + 0.2 * len(correct.attempts))
    panel.vlines(range(SHOWN), 0, chances, color=GREY, linewidth=5, label="luck", clip_on=False)
    looks = zip(correct.attempts.items(), cycle(SHAPES), cycle(COLOURS), strict=False)
    for at, ((attack, right), shape, colour) in enumerate(looks):
        panel.vlines(right, -STRIP * (at + 1), TOP, color=colour, linewidth=1)
        panel.plot(
            right, -STRIP * (at + 1), shape, color=colour, markersize=9, label=attack, zorder=3
        )
    panel.hlines(0, 0, 1, transform=panel.get_yaxis_transform(), color=GREY, linewidth=1)
    most = max(SHOWN, *correct.attempts.values())
    panel.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), np.square))
    ticks = [tick for tick in LUCK_TICKS if tick < 0.9 * most] + [most]
    panel.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    panel.set_xticks([], minor=True)
    panel.set(
        xlim=(-0.05, 1.1 * most), ylim=(-STRIP * (len(correct.attempts) + 0.7), TOP),
        xlabel=f"right links of {correct.records:,} records, on a square-root axis",
        ylabel="how often by luck",
    )  # fmt: skip
    panel.set_yticks([0, 0.1, 0.2, 0.3, 0.4])
    count_in_percent(panel.yaxis)
    add_legend(figure, 3)
    none, one, two = (f"{100 * share:.0f}" for share in chances[:3])
    more = f"{100 * (1 - sum(chances[:3])):.0f}"
    found = ", ".join(f"{attack} {right:,}" for attack, right in correct.attempts.items())
    said = [
        f"Right links of {count(correct.records, 'record')}.",
        f"Luck: none in {none} of 100 cases, 1 in {one}, 2 in {two}, more in {more}.",
        f"Found: {found}.",
    ]
    return describe_figure(figure, said)


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
    from matplotlib.ticker import MaxNLocator

    points, mine, others = _count_steps(found)
    edges = np.r_[-0.5, points + 0.5]
    figure, panel = make_figure(6.5, 3.2)
    panel.stairs(others, edges, color=ORANGE, linewidth=2, linestyle="--", label="others", zorder=3)
    panel.stairs(
        mine, edges, fill=True, facecolor="none", edgecolor=BLUE, hatch="///", linewidth=1.5,
        label="records",
    )  # fmt: skip
    panel.set(xlabel="places to the closest published record", ylabel="share at each distance")
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    count_in_percent(panel.yaxis)
    add_legend(figure)
    middle = int(np.median(found.observed))
    reached = found.points[np.searchsorted(found.share_others, 0.5).clip(max=len(found.points) - 1)]
    span = f"{found.observed.min():,} to {found.observed.max():,}"
    close = f"{100 * found.within(middle):.3g} in 100 match within {places(middle)}"
    said = [
        "Places to the closest published record.",
        f"{count(len(found.observed), 'record')}: {span}, {middle:,} in the middle.",
        f"Others ({found.null}): {reached:,} in the middle; {close}.",
    ]
    return describe_figure(figure, said)


def _count_steps(found: Plausibility) -> tuple[Ints, Floats, Floats]:
    """The last distance of each step, and the mean share at one distance in it."""
    size = -(-len(found.points) // MAX_STEPS)
    last = np.unique(np.r_[np.arange(size - 1, len(found.points), size), len(found.points) - 1])
    points = found.points[last]
    widths = np.diff(points, prepend=-1)
    shares = [
        np.diff(within[last], prepend=0) / widths
        for within in (found.share_observed, found.share_others)
    ]
    return points, shares[0], shares[1]
