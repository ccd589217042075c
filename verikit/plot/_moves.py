"""How far several maskings moved the values of a table, in one unit."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Floats
from verikit.errors import RecordError
from verikit.plot._panels import COLOURS, SKY
from verikit.plot._picture import worded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["moves"]


STYLES = ("-", "--", "-.", ":")


def moves(places: Mapping[str, npt.ArrayLike]) -> Figure:
    """Draw for each masking which share of the values it moved by at most so many places.

    The higher a curve, the less was moved; one that rises at once to the top moved nothing.

    Parameters
    ----------
    places
        By name, the places that values were moved, such as ``audit(...).protector``.

    Raises
    ------
    RecordError
        If there is nothing to draw, or a number of places is below 0 or missing.

    References
    ----------
    [DM]_ section 3

    Examples
    --------
    >>> import verikit as vk
    >>> print(vk.plot.html(moves({"noise": [0, 4, 1, 7], "nothing": [0, 0, 0, 0]})).alt)
    Places that values were moved.
    noise: 3 on average, half of them at most 2.5, all at most 7; 25 in 100 unmoved.
    nothing: 0 on average, half of them at most 0, all at most 0; 100 in 100 unmoved.
    """
    from matplotlib.figure import Figure

    moved = {name: _sorted(name, given) for name, given in places.items()}
    if not moved:
        raise RecordError("No masking was given; expected at least one, with the places it moved.")
    figure = Figure(figsize=(6.5, 3.4), layout="constrained")
    panel = figure.add_subplot()
    _draw(panel, moved)
    figure.legend(loc="outside upper right", ncols=2, frameon=False)
    return worded(figure, ["Places that values were moved.", *map(_words, moved, moved.values())])


def _sorted(name: str, given: Any) -> Floats:
    found: Floats = np.sort(np.asarray(given, np.float64), axis=None)
    if not len(found) or not (found >= 0).all():
        raise RecordError(
            f"The places of {name!r} are empty, or one of them is below 0 or missing; expected a "
            "count of places for each value."
        )
    return found


def _draw(panel: Axes, moved: Mapping[str, Floats]) -> None:
    from matplotlib.ticker import PercentFormatter

    end = 1.03 * max(1.0, *(found[-1] for found in moved.values()))
    looks = zip(moved.items(), cycle((*COLOURS, SKY)), cycle(STYLES), strict=False)
    for at, ((name, found), colour, dashes) in enumerate(looks):
        share = np.arange(len(found) + 1) / len(found)
        panel.step(
            np.r_[0, found, end], np.r_[share, 1], where="post", color=colour, linestyle=dashes,
            linewidth=1.5 + at // len(STYLES), label=name,
        )  # fmt: skip
    panel.set(
        xlim=(-0.01 * end, end), ylim=(0, 1.03), xlabel="places moved, at most",
        ylabel="share of values",
    )  # fmt: skip
    panel.yaxis.set_major_formatter(PercentFormatter(1))
    panel.spines[["top", "right"]].set_visible(False)


def _words(name: str, found: Floats) -> str:
    return (
        f"{name}: {found.mean():,.3g} on average, half of them at most {np.median(found):,g}, all "
        f"at most {found[-1]:,g}; {100 * np.mean(found == 0):.3g} in 100 unmoved."
    )
