"""Which rows show just her values, and not cells that only may be them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit.table import number
from verikit.words import text

__all__ = ["showing"]


def showing(
    frame: pd.DataFrame, known: Mapping[str, Any], rows: npt.NDArray[np.intp]
) -> npt.NDArray[np.bool_]:
    """For each of some rows whether it shows all her values.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [41.0, None, 41.0], "sex": pd.Categorical(["f", "f", "*"])})
    >>> showing(frame, {"age": "41", "sex": "f"}, np.arange(3)).tolist()
    [True, False, False]
    """
    found = np.ones(len(rows), bool)
    for name, value in known.items():
        found &= _same(frame[name].take(rows), name, value)
    return found


def _same(cells: pd.Series[Any], name: str, value: Any) -> npt.NDArray[np.bool_]:
    if isinstance(cells.dtype, pd.CategoricalDtype):
        same = [str(label) == text(value) for label in cells.cat.categories]
        return np.array([*same, False], bool)[cells.cat.codes.to_numpy()]
    if pd.api.types.is_numeric_dtype(cells.dtype):
        return cells.to_numpy(np.float64, na_value=np.nan) == number(value, name)
    return np.zeros(len(cells), bool)
