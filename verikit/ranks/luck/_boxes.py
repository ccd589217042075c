"""The boxes of made-up records that match the released ones."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from verikit.ranks.luck._drawn import Blocks

__all__ = ["boxes"]

Floats: TypeAlias = npt.NDArray[np.float64]
Ranks: TypeAlias = npt.NDArray[np.int64]


def boxes(first: Ranks, last: Ranks, distance: int, drawn: Blocks) -> tuple[Floats, Floats]:
    """For each released record the ranks that match it: above ``low``, up to ``high``."""
    columns = range(first.shape[1])
    low = [np.searchsorted(drawn[1][:, j], first[:, j] - distance, "left") for j in columns]
    high = [np.searchsorted(drawn[0][:, j], last[:, j] + distance, "right") for j in columns]
    return np.column_stack(low).astype(float), np.column_stack(high).astype(float)
