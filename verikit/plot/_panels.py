"""What the figures share: colours with shapes and hatches, panels, a diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "BLUE",
    "COLOURS",
    "FEW",
    "GREY",
    "HATCHES",
    "ORANGE",
    "PALE",
    "SHAPES",
    "SKY",
    "diagonal",
    "side_by_side",
]

BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"
GREY, PALE = "#6b747d", "#c3cad1"
COLOURS = (BLUE, ORANGE, GREEN, PURPLE)
SHAPES = ("o", "s", "^", "D", "v", "P")
HATCHES = ("///", "", "...", "xxx")
FEW = 200
ACROSS = 4


def side_by_side(names: Sequence[str], across: str, up: str) -> tuple[Figure, Sequence[Axes]]:
    """A figure with one small square panel for each name, at most four abreast."""
    from matplotlib.figure import Figure

    rows = -(-len(names) // ACROSS)
    columns = min(len(names), ACROSS)
    width = 2.9 if columns > 1 else 3.6
    figure = Figure(figsize=(width * columns, width * rows), layout="constrained")
    drawn: list[Axes] = [figure.add_subplot(rows, columns, at + 1) for at in range(len(names))]
    for at, (panel, name) in enumerate(zip(drawn, names, strict=True)):
        panel.set(title=name, xlabel=across, ylabel=up if at % ACROSS == 0 else "")
        panel.spines[["top", "right"]].set_visible(False)
    return figure, drawn


def diagonal(panel: Axes, low: int, high: int) -> None:
    """Draw the line on which both sides are equal."""
    panel.plot([low, high], [low, high], "--", color=GREY, linewidth=1, zorder=0)
