"""How cells that hold a range of numbers are written, and read back from files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from verikit.cells._ranges import read_range
from verikit.words import text

__all__ = ["intervals", "written"]


def written(value: Any) -> str:
    """One cell as a person reads it; a missing one says so.

    Examples
    --------
    >>> written(pd.Interval(20, 29, closed="both")), written(None)
    ('[20, 29]', 'missing')
    """
    if isinstance(value, pd.Interval):
        left, right = "[" if value.closed_left else "(", "]" if value.closed_right else ")"
        return f"{left}{text(value.left)}, {text(value.right)}{right}"
    return "missing" if pd.isna(value) else text(value)


def intervals(labels: Iterable[Any]) -> pd.arrays.IntervalArray | None:
    """Written ranges as intervals, a missing one as missing; None where some is no range.

    Ends that are left out of one range and not of another are taken for closed ones, at the next
    number that a computer knows.

    Examples
    --------
    >>> intervals(["[20, 29]", "[50-90]"])
    <IntervalArray>
    [[20.0, 29.0], [50.0, 90.0]]
    Length: 2, dtype: interval[float64, both]
    >>> intervals(["[20, 29]", "old"]) is None
    True
    """
    given = [None if pd.isna(label) else str(label) for label in labels]
    found = [None if label is None else read_range(label) for label in given]
    if any(span is None and label is not None for span, label in zip(found, given, strict=True)):
        return None
    ends = [(np.nan, np.nan) if span is None else span.ends for span in found]
    kinds = {(span.left, span.right) for span in found if span is not None}
    closed = "both"
    if len(kinds) == 1:
        ((left, right),) = kinds
        closed = {(1, 1): "both", (1, 0): "left", (0, 1): "right", (0, 0): "neither"}[left, right]
        ends = [(np.nan, np.nan) if span is None else span[:2] for span in found]
    low, high = np.array(ends, np.float64).reshape(-1, 2).T
    return pd.arrays.IntervalArray.from_arrays(low, high, closed=closed)
