"""How many links are right, beside what luck would give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from verikit.plot._panels import COLOURS, GREY, SHAPES
from verikit.plot._picture import worded
from verikit.protector import CorrectLinks
from verikit.words import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["luck"]

SHOWN = 9
TOP, STRIP = 0.42, 0.06
TICKS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500)


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
    _spaced_by_roots(panel, max(SHOWN, *correct.attempts.values()), len(correct.attempts))
    of = f"right links of {correct.records:,} records, on a square-root axis"
    panel.set(xlabel=of, ylabel="how often by luck")
    figure.legend(loc="outside upper right", ncols=3, frameon=False)
    return worded(figure, _words(correct, chances))


def _words(correct: CorrectLinks, chances: Sequence[float]) -> list[str]:
    none, one, two = (f"{100 * share:.0f}" for share in chances[:3])
    more = f"{100 * (1 - sum(chances[:3])):.0f}"
    found = ", ".join(f"{attack} {right:,}" for attack, right in correct.attempts.items())
    return [
        f"Right links of {count(correct.records, 'record')}.",
        f"Luck: none in {none} of 100 cases, 1 in {one}, 2 in {two}, more in {more}.",
        f"Found: {found}.",
    ]


def _spaced_by_roots(panel: Axes, most: int, attacks: int) -> None:
    from matplotlib.ticker import PercentFormatter

    panel.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), np.square))
    ticks = [tick for tick in TICKS if tick < 0.9 * most] + [most]
    panel.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    panel.set_xticks([], minor=True)
    panel.set(xlim=(-0.05, 1.1 * most), ylim=(-STRIP * (attacks + 0.7), TOP))
    panel.set_yticks([0, 0.1, 0.2, 0.3, 0.4])
    panel.yaxis.set_major_formatter(PercentFormatter(1))
    panel.spines[["top", "right"]].set_visible(False)
