"""Whether columns hang together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["correlated"]


def correlated(columns: npt.NDArray[np.number[Any]]) -> bool:
    """Whether some two columns correlate more than chance and a little would explain.

    Made-up records, which mix the columns, then look like nobody.

    Examples
    --------
    >>> line = np.arange(100)
    >>> correlated(np.column_stack([line, line])), correlated(np.column_stack([line, line % 10]))
    (True, False)
    """
    varied = columns[:, columns.std(axis=0) > 0].astype(float)
    if varied.shape[1] < 2:
        return False
    between = np.abs(np.corrcoef(varied, rowvar=False) - np.eye(varied.shape[1]))
    return bool(between.max() > max(0.1, 3 / np.sqrt(len(columns))))
