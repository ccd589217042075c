"""The values she gave that rows are looked up by, and which rows show just these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Rows
from verikit.alike import known_values
from verikit.table import Schema, number
from verikit.words import text

__all__ = ["showing", "usable_values"]


def usable_values(record: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The quasi-identifiers that a record gives; refused where one is no value of its column."""
    known = known_values(record, schema)
    for name, value in known.items():
        if schema[name].kind == "numeric" or schema[name].categories is not None:
            schema[name].score(value)
    return known


def showing(frame: pd.DataFrame, known: Mapping[str, Any], rows: Rows) -> Flags:
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


def _same(cells: pd.Series[Any], name: str, value: Any) -> Flags:
    if isinstance(cells.dtype, pd.CategoricalDtype):
        same = [str(label) == text(value) for label in cells.cat.categories]
        return np.array([*same, False], bool)[cells.cat.codes.to_numpy()]
    if pd.api.types.is_numeric_dtype(cells.dtype):
        return cells.to_numpy(np.float64, na_value=np.nan) == number(value, name)
    return np.zeros(len(cells), bool)
