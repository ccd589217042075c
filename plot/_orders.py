"""A picture of a hierarchy, as a tree with its root on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verikit._support.requests import instance
from verikit.hierarchy import Hierarchy
from verikit.plot._picture import BLUE, GREY, describe_figure, make_figure
from verikit.words import count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 40


def hierarchy(tree: Hierarchy) -> Figure:
    """Draw a hierarchy as a tree, its root on top; of many values only the levels that have room.

    Parameters
    ----------
    tree
        The hierarchy.

    References
    ----------
    [KS]_ Figure 1

    Notes
    -----
    The figure is not in the text that we have; it shows the hierarchy of ages.

    Examples
    --------
    >>> import verikit as vk
    >>> tree = vk.Hierarchy.of({"*": {"198*": ["1981", "1985"], "199*": ["1991"]}})
    >>> print(vk.plot.html(hierarchy(tree)).alt)
    A tree of 3 levels. Level 2: *. Level 1: 198*, 199*. Level 0: 1981, 1985, 1991.
    """
    instance(tree, Hierarchy, "plot.hierarchy", "a Hierarchy")
    order = tree.order()
    rows = [[tree.level(value, height) for value in order] for height in range(tree.height + 1)]
    lowest = next(h for h, row in enumerate(rows) if len(set(row)) <= MOST or h == tree.height)
    figure, panel = make_figure(6.5, 1 + 0.9 * (len(rows) - lowest))
    panel.set_axis_off()
    names = [list(dict.fromkeys(row)) for row in rows]
    leaves = np.array([names[lowest].index(name) for name in rows[lowest]], float)
    spots = [{n: np.unique(leaves[np.array(row) == n]).mean() for n in row} for row in rows]
    for height in range(lowest, len(rows)):
        for name, above in dict(
            zip(rows[height], rows[min(height + 1, tree.height)], strict=True)
        ).items():
            x, slant = spots[height][name], 90 * (height == lowest and len(names[lowest]) > 8)
            if height < tree.height:
                panel.plot(
                    [x, spots[height + 1][above]], [height, height + 1], color=GREY, zorder=1
                )
            look = {"boxstyle": "round", "facecolor": "white", "edgecolor": BLUE}
            panel.text(x, height, name, ha="center", va="center", bbox=look, rotation=slant)
    panel.set(xlim=(-0.8, len(names[lowest]) - 0.2), ylim=(lowest - 0.6, tree.height + 0.4))
    left = f" {count(lowest, 'level')} below with {len(order):,} values." if lowest else ""
    told = [
        f"Level {height}: {', '.join(names[height])}."
        for height in range(tree.height, lowest - 1, -1)
    ]
    return describe_figure(figure, [f"A tree of {count(len(rows), 'level')}.{left}", *told])
