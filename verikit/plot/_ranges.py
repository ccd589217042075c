"""What is certain of a number, and what to expect of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit._support.html import cell
from verikit.errors import SchemaError
from verikit.plot._panels import BLUE, ORANGE
from verikit.plot._picture import worded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ranges"]


NEEDED = ("lower", "estimate", "upper")


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
    from matplotlib.figure import Figure

    values = _checked(table)
    low, high = _shown(values)
    figure = Figure(figsize=(6.5, 1.5 + 0.45 * len(table)), layout="constrained")
    panel = figure.add_subplot()
    for level, line in enumerate(values):
        _range(panel, level, line, (low, high))
    panel.set(
        xlim=(low, high), ylim=(len(table) - 0.5, -0.5), yticks=range(len(table)),
        yticklabels=list(map(str, table.index)), xlabel=across,
    )  # fmt: skip
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.tick_params(axis="y", length=0)
    few = dict(zip(*panel.get_legend_handles_labels()[::-1], strict=True))
    figure.legend(few.values(), few.keys(), loc="outside upper right", ncols=2, frameon=False)
    said = [_words(str(name), line) for name, line in zip(table.index, values, strict=True)]
    return worded(figure, [f"{across[:1].upper()}{across[1:]}.", *said])


def _checked(table: pd.DataFrame) -> Floats:
    lacking = [name for name in NEEDED if name not in table]
    values = np.empty((0, 3)) if lacking else table[list(NEEDED)].to_numpy(np.float64)
    if not values.size or np.isnan(values[:, [0, 2]]).any():
        raise SchemaError(
            "There is no range to draw, or an end of one is missing; expected lower, estimate and "
            "upper for each, as an answer has them where a record can be meant."
        )
    return values


def _shown(values: Floats) -> tuple[float, float]:
    """The part of the axis that is drawn: all that is finite, and some room beside it."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    room = 0.08 * (high - low) or 0.5 * max(abs(high), 1)
    return low - room, high + room


def _range(panel: Axes, level: int, line: Floats, shown: tuple[float, float]) -> None:
    lower, estimate, upper = line
    ends = np.clip([lower, upper], *shown)
    panel.hlines(level, *ends, color=BLUE, linewidth=3, label="range")
    for end, drawn, arrow in zip((lower, upper), ends, "<>", strict=True):
        mark = "|" if np.isfinite(end) else arrow
        panel.plot(drawn, level, mark, color=BLUE, markersize=14, markeredgewidth=2, clip_on=False)
    if np.isfinite(estimate):
        panel.plot(estimate, level, "D", color=ORANGE, markersize=9, zorder=3, label="expected")


def _words(name: str, line: Floats) -> str:
    lower, estimate, upper = map(float, line)
    expected = f"{cell(estimate)} expected" if np.isfinite(estimate) else "nothing expected"
    first = f"from {cell(lower)}" if np.isfinite(lower) else "without a lower end"
    last = f"to {cell(upper)}" if np.isfinite(upper) else "without an upper end"
    return f"{name}: {expected}, {first} {last}."
