"""How many links are right, beside what luck would give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from verikit._support.arrays import Floats, Ints
from verikit.intruder import Plausibility
from verikit.plot._picture import BLUE, COLOURS, GREY, ORANGE, SHAPES, describe_figure
from verikit.protector import CorrectLinks
from verikit.words import count, places

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = 9
TOP, STRIP = 0.42, 0.06
LUCK_TICKS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500)


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
    from matplotlib.figure import Figure

    chances = [math.exp(-1) / math.factorial(count) for count in range(SHOWN)]
    figure = Figure(figsize=(6.5, 2.6 + 0.2 * len(correct.attempts)), layout="constrained")
    panel = figure.add_subplot()
    panel.vlines(range(SHOWN), 0, chances, color=GREY, linewidth=5, label="luck", clip_on=False)
    looks = zip(correct.attempts.items(), cycle(SHAPES), cycle(COLOURS), strict=False)
    for at, ((attack, right), shape, colour) in enumerate(looks):
        panel.vlines(right, -STRIP * (at + 1), TOP, color=colour, linewidth=1)
        panel.plot(
            right, -STRIP * (at + 1), shape, color=colour, markersize=9, label=attack, zorder=3
        )
    panel.hlines(0, 0, 1, transform=panel.get_yaxis_transform(), color=GREY, linewidth=1)
    _space_by_roots(panel, max(SHOWN, *correct.attempts.values()), len(correct.attempts))
    of = f"right links of {correct.records:,} records, on a square-root axis"
    panel.set(xlabel=of, ylabel="how often by luck")
    figure.legend(loc="outside upper right", ncols=3, frameon=False)
    return describe_figure(figure, _describe_luck(correct, chances))


def _describe_luck(correct: CorrectLinks, chances: Sequence[float]) -> list[str]:
    none, one, two = (f"{100 * share:.0f}" for share in chances[:3])
    more = f"{100 * (1 - sum(chances[:3])):.0f}"
    found = ", ".join(f"{attack} {right:,}" for attack, right in correct.attempts.items())
    return [
        f"Right links of {count(correct.records, 'record')}.",
        f"Luck: none in {none} of 100 cases, 1 in {one}, 2 in {two}, more in {more}.",
        f"Found: {found}.",
    ]


def _space_by_roots(panel: Axes, most: int, attacks: int) -> None:
    from matplotlib.ticker import PercentFormatter

    panel.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), np.square))
    ticks = [tick for tick in LUCK_TICKS if tick < 0.9 * most] + [most]
    panel.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    panel.set_xticks([], minor=True)
    panel.set(xlim=(-0.05, 1.1 * most), ylim=(-STRIP * (attacks + 0.7), TOP))
    panel.set_yticks([0, 0.1, 0.2, 0.3, 0.4])
    panel.yaxis.set_major_formatter(PercentFormatter(1))
    panel.spines[["top", "right"]].set_visible(False)


MAX_STEPS = 40


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

    points, mine, others = _count_steps(found)
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
    return describe_figure(figure, _describe_distances(found))


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


def _describe_distances(found: Plausibility) -> list[str]:
    middle = int(np.median(found.observed))
    reached = found.points[np.searchsorted(found.share_others, 0.5).clip(max=len(found.points) - 1)]
    span = f"{found.observed.min():,} to {found.observed.max():,}"
    close = f"{100 * found.within(middle):.3g} in 100 match within {places(middle)}"
    return [
        "Places to the closest published record.",
        f"{count(len(found.observed), 'record')}: {span}, {middle:,} in the middle.",
        f"Others ({found.null}): {reached:,} in the middle; {close}.",
    ]
