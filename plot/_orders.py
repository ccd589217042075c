"""Pictures of orders: a hierarchy as a tree, and the sizes of groups of a graph as a lattice."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from verikit._support.requests import instance, whole
from verikit.errors import InfeasibleError
from verikit.hierarchy import Hierarchy
from verikit.partition import safe_groups
from verikit.plot._picture import BLUE, GREY, ORANGE, add_legend, describe_figure, make_figure
from verikit.table import BipartiteGraph, Side
from verikit.words import count, joined

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


def groupings(graph: BipartiteGraph, *, most: int = 4, seed: int) -> Figure:
    """Draw the lattice of (k, l)-groupings of a graph, and for which of them safe groups are found.

    Upwards and to the right groups are larger, so that a link is hidden better and questions are
    answered less closely. At each place stands the largest chance of a link between two names that
    safe groups of these sizes leave, one over the larger of k and l.

    Parameters
    ----------
    graph
        Who is linked to what.
    most
        The largest size of groups that is tried on either side.
    seed
        The randomness by which groups are made (`verikit.partition.safe_groups`).

    References
    ----------
    [QZ]_ Figure 4.4, Lemma 4.4.1

    Notes
    -----
    The figure is not in the text that we have. Safe groups that are not found may be possible.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> links = pd.DataFrame({"author": ["ann", "ann", "bob"], "paper": ["p", "q", "q"]})
    >>> print(vk.plot.html(groupings(vk.BipartiteGraph.of(links), most=2, seed=1)).alt)
    Sizes of groups from (1, 1) on. Safe groups on the left are found of sizes 1 out of 1 to 2.
    Safe groups on the right are found of sizes 1 out of 1 to 2.
    """
    sizes = range(1, whole(most, "most") + 1)
    found: dict[Side, set[int]] = {"left": set(), "right": set()}
    for side, able in found.items():
        for size in sizes:
            with suppress(InfeasibleError):
                safe_groups(graph, side, size, seed=seed)
                able.add(size)
    figure, panel = make_figure(6.5, 1.5 + 0.6 * len(sizes))
    looks = {True: ("o", BLUE, "safe groups found"), False: ("X", ORANGE, "none found")}
    for safe, (shape, colour, words) in looks.items():
        spots = [
            (k, ell)
            for k in sizes
            for ell in sizes
            if (k in found["left"] and ell in found["right"]) == safe
        ]
        if spots:
            panel.plot(*zip(*spots, strict=True), shape, color=colour, markersize=9, label=words)
        for k, ell in spots if safe else ():
            panel.annotate(f"1/{max(k, ell)}", (k, ell), (7, 6), textcoords="offset points")
    names = ("k, the size of groups on the left", "l, the size of groups on the right")
    panel.set(xlabel=names[0], ylabel=names[1], xticks=sizes, yticks=sizes)
    panel.grid(color=GREY, alpha=0.4)
    add_legend(figure)
    told = [
        f"Safe groups on the {side} are found of sizes {joined(map(str, sorted(able)))} out of 1 "
        f"to {most}."
        for side, able in found.items()
    ]
    return describe_figure(figure, ["Sizes of groups from (1, 1) on.", *told])
