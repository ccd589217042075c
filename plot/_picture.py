"""A figure as an image with the words that stand for it."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from verikit._support.html import element
from verikit.errors import FormatError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

DOTS_PER_INCH = 144
BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"
GREY, PALE = "#6b747d", "#c3cad1"
COLOURS = (BLUE, ORANGE, GREEN, PURPLE)
SHAPES = ("o", "s", "^", "D", "v", "P")
HATCHES = ("///", "", "...", "xxx")
MAX_MARKED = 200
ACROSS = 4


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn figure and the words that stand for it.

    Parameters
    ----------
    png
        The figure as an image file.
    alt
        What a person who cannot see it is told.
    width
        Its width on the screen, in pixels.
    """

    png: bytes = field(repr=False)
    alt: str
    width: int

    def __repr__(self) -> str:
        return f"Picture: {self.alt}"

    def _repr_html_(self) -> str:
        source = "data:image/png;base64," + base64.b64encode(self.png).decode("ascii")
        style = f"width:{self.width}px;max-width:100%;height:auto"
        return element("img", "", src=source, alt=self.alt, style=style).removesuffix("</img>")


def html(figure: Figure, alt: str | None = None) -> Picture:
    """Show a figure in a notebook, with the words that stand for it.

    Parameters
    ----------
    figure
        A matplotlib figure.
    alt
        The words; by default those that the functions of this module give their figures.

    Returns
    -------
    Picture
        What Jupyter shows as an image, and a plain console as its words.

    Raises
    ------
    FormatError
        If the figure has no words and none are given.

    Examples
    --------
    >>> import verikit as vk
    >>> record, release = vk.load("dm_table1").record(2), vk.published("dm_table1_masked")
    >>> html(vk.plot.places(vk.check(record, release)), "Record 3 and its closest record")
    Picture: Record 3 and its closest record
    """
    words = str(figure.get_label()) if alt is None else alt
    if not words.strip():
        raise FormatError(
            "The figure has no words for those who cannot see it; give them as the second argument."
        )
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return Picture(drawn.getvalue(), words, round(float(figure.get_figwidth()) * 96))


def describe_figure(figure: Figure, said: Iterable[str]) -> Figure:
    """Give a figure the words that stand for it, with which a notebook shows it."""
    figure.set_label(" ".join(said))
    setattr(figure, "_repr_html_", partial(_show_figure, figure))  # noqa: B010 - no class has it
    return figure


def _show_figure(figure: Figure) -> str:  # by its name, so that a figure can be pickled
    return html(figure)._repr_html_()


def make_figure(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure of one panel, in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    panel: Axes = figure.add_subplot()
    panel.spines[["top", "right"]].set_visible(False)
    return figure, panel


def add_legend(figure: Figure, columns: int = 2, panel: Axes | None = None) -> None:
    """A legend above what is drawn; with a panel each of its labels once."""
    above: dict[str, Any] = {"loc": "outside upper right", "ncols": columns, "frameon": False}
    if panel is None:
        figure.legend(**above)
        return
    named = dict(zip(*panel.get_legend_handles_labels()[::-1], strict=True))
    figure.legend(named.values(), named.keys(), **above)


def count_in_percent(axis: Axis) -> None:
    """Write the shares along an axis in per cent."""
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1))


def make_panels(names: Sequence[str], across: str, up: str) -> tuple[Figure, Sequence[Axes]]:
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


def draw_diagonal(panel: Axes, low: int, high: int) -> None:
    """Draw the line on which both sides are equal."""
    panel.plot([low, high], [low, high], "--", color=GREY, linewidth=1, zorder=0)
