"""A figure as an image with the words that stand for it."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from verikit._support.html import element
from verikit.errors import FormatError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Picture", "html", "worded"]

DOTS_PER_INCH = 144


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


def worded(figure: Figure, said: Iterable[str]) -> Figure:
    """Give a figure the words that stand for it, with which a notebook shows it."""
    figure.set_label(" ".join(said))
    setattr(figure, "_repr_html_", partial(_shown, figure))  # noqa: B010 - no class has it
    return figure


def _shown(figure: Figure) -> str:
    return html(figure)._repr_html_()
