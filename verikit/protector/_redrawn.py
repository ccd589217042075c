"""Which cells of a release are other than they were, counted by whoever holds the key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags
from verikit.release import Key, TableRelease
from verikit.words import count, text

if TYPE_CHECKING:
    from verikit.table import Microdata

__all__ = ["Redrawn", "cells_of", "redrawn"]


class Redrawn(NamedTuple):
    """Which cells are other than before, and how many of each row were drawn anew."""

    other: Flags
    drawn: int

    @property
    def means(self) -> str:
        """How many rows are not as before, in one sentence."""
        rows = int(self.other.any(axis=1).sum())
        of = count(len(self.other), "row")
        return f"{rows:,} of {of} {'is' if rows == 1 else 'are'} not as before."

    @property
    def why(self) -> str:
        """How many cells differ, of those that were drawn."""
        cells, drawn = int(self.other.sum()), self.drawn * len(self.other)
        return (
            f"{count(drawn, 'value')} drawn, {self.drawn} in each row: {cells:,} differ from the "
            f"old ones, {drawn - cells:,} came out the same."
        )


def redrawn(
    data: Microdata, release: TableRelease, key: Key, names: Sequence[str], drawn: int
) -> Redrawn:
    """Compare some columns of a release, put back into the old order, with the original."""
    before = cells_of(data.frame, names)
    return Redrawn(before != cells_of(release.frame.iloc[key.rows], names), drawn)


def cells_of(frame: pd.DataFrame, names: Sequence[str]) -> npt.NDArray[Any]:
    """Some columns of a table as the texts that name their values.

    Examples
    --------
    >>> cells_of(pd.DataFrame({"age": [40.0, 41.5]}), ["age"]).tolist()
    [['40'], ['41.5']]
    """
    return np.column_stack([frame[name].map(text).astype(object) for name in names])
