"""A table that behaves as users of pandas expect, and can be looked into but not changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from verikit._support.plotted import Plotted

__all__ = ["Framed"]


class Framed(Plotted):
    """What a table of records shares with a frame; each part is a copy.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("dm_table1")
    >>> data.shape, list(data.columns), data["X1"].iloc[2]
    ((20, 3), ['X1', 'X2', 'X3'], np.float64(100.87))
    """

    __slots__ = ()

    frame: pd.DataFrame

    @property
    def columns(self) -> pd.Index[Any]:
        """The names of the columns."""
        return self.frame.columns

    @property
    def shape(self) -> tuple[int, int]:
        """How many records and columns there are."""
        return self.frame.shape

    def head(self, n: int = 5) -> pd.DataFrame:
        """The first records, as a frame."""
        return self.frame.head(n).copy()

    def to_frame(self) -> pd.DataFrame:
        """All records, as a frame."""
        return self.frame.copy()

    def __getitem__(self, name: str | Sequence[str]) -> Any:
        return self.frame[name if isinstance(name, str) else list(name)].copy()
