"""Results that are drawn or shown as a table: `verikit.plot` knows how to draw each."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

import pandas as pd

from verikit._support import html
from verikit._support.joined import load_joined
from verikit.errors import FormatError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@singledispatch
def drawing(result: object, **_: Any) -> Figure:
    """Draw a result; `verikit.plot` registers a function for each type when it is loaded."""
    raise TypeError(f"No picture of {type(result).__name__} is registered.")


class Framed:
    """What a notebook shows as its words and the first lines of its frame."""

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Find what it holds, as a table."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return html.result(repr(self), self.to_frame().head(12))


class Plotted:
    """What has a picture.

    Examples
    --------
    >>> import verikit as vk
    >>> print(vk.Partition.of([1, 1, 2]).plot().get_label())
    How many groups have each value. Records in a group: 2 numbers, 1 to 2, 1.5 in the middle.
    """

    __slots__ = ()

    def plot(self, **options: Any) -> Figure:
        """Draw the result: a figure of matplotlib, with words for those who cannot see it.

        Nothing is drawn on a screen by it; a notebook shows the figure where it is the last line
        of a cell. What is drawn, and which options it takes, is told by `verikit.plot`.
        """
        if not list(load_joined("verikit.pictures")):
            raise FormatError(
                "A picture was asked for, but this verikit was installed without the room `plot`; "
                "install all of verikit."
            )
        return drawing(self, **options)
