"""Cells that an engine gives, as a table in memory holds them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from verikit.cells import parse_intervals
from verikit.table import Column, Schema, fit_frame

__all__ = ["fitted_cells"]


def fitted_cells(frame: pd.DataFrame, columns: Sequence[Column]) -> pd.DataFrame:
    """Cells as a table in memory holds them: ranges as intervals, categories in their order."""
    spans = [
        column.name
        for column in columns
        if column.kind == "numeric" and not pd.api.types.is_numeric_dtype(frame[column.name])
    ]
    ranges = {name: parse_intervals(frame[name]) for name in spans}
    given = frame.assign(**{name: span for name, span in ranges.items() if span is not None})
    return fit_frame(given, Schema(tuple(columns)), nodes=True)
