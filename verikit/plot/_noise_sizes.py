"""The noise in all and the noise left beside the permutation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.html import cell
from verikit.plot._panels import BLUE, ORANGE, side_by_side
from verikit.plot._picture import worded
from verikit.utility import Noise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["noise_sizes"]


def noise_sizes(noise: Noise) -> Figure:
    """Draw the noise left beside the permutation next to all that masking changed.

    Bars are means, dots the single records.

    Parameters
    ----------
    noise
        What `verikit.utility.residual_noise` found.

    References
    ----------
    [DM]_ section 3, Table 2

    Examples
    --------
    >>> import verikit as vk
    >>> data, masked = vk.load("dm_table1"), vk.load("dm_table1_masked")
    >>> noise = vk.utility.residual_noise(data, masked, seed=1)
    >>> print(vk.plot.html(noise_sizes(noise)).alt)
    Mean size of the noise.
    X1: 5.94 in all, 2.32 left after the permutation.
    X2: 26.07 in all, 17.72 left after the permutation.
    X3: 59.97 in all, 27.86 left after the permutation.
    """
    names = list(noise.total)
    figure, panels = side_by_side(names, "", "size of the noise")
    said = ["Mean size of the noise."]
    for panel, name in zip(panels, names, strict=False):
        total, left = (table[name].abs().to_numpy(float) for table in (noise.total, noise.residual))
        _bar_and_dots(panel, 0, total, ORANGE)
        _bar_and_dots(panel, 1, left, BLUE)
        panel.set_xticks([0, 1], ["in all", "left"])
        said.append(
            f"{name}: {cell(total.mean())} in all, {cell(left.mean())} left after the permutation."
        )
    return worded(figure, said)


def _bar_and_dots(panel: Axes, place: int, sizes: Floats, colour: str) -> None:
    """A mean as a bar and what it is the mean of as dots; every second bar is hatched."""
    hatch, shape = ("", "s") if place % 2 == 0 else ("///", "o")
    panel.bar(place, sizes.mean(), 0.7, color="white", edgecolor=colour, hatch=hatch, linewidth=2)
    aside = place + np.linspace(-0.25, 0.25, len(sizes))
    panel.plot(aside, sizes, shape, color=colour, markersize=4, alpha=0.6)
