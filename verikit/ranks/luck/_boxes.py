"""The boxes of made-up records that match the released ones."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats, Ints
from verikit.ranks.luck._drawn import Blocks

__all__ = ["boxes"]


def boxes(first: Ints, last: Ints, distance: int, drawn: Blocks) -> tuple[Floats, Floats]:
    """For each released record the ranks that match it: above ``low``, up to ``high``."""
    columns = range(first.shape[1])
    low = [np.searchsorted(drawn[1][:, j], first[:, j] - distance, "left") for j in columns]
    high = [np.searchsorted(drawn[0][:, j], last[:, j] + distance, "right") for j in columns]
    return np.column_stack(low).astype(float), np.column_stack(high).astype(float)
