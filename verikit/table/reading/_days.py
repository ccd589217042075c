"""Columns of a text file that hold dates, as the dates of any other file."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Floats
from verikit._support.told import Told
from verikit.errors import quoted
from verikit.table._dates import SECONDS, dates_in

__all__ = ["with_dates"]

SAID = {"year": "", "day": ", the day first", "month": ", the month first"}


def with_dates(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The table with dates for the texts that are some, and a note of each such column.

    Examples
    --------
    >>> found, notes = with_dates(pd.DataFrame({"born": ["18.11.1996", "01.02.1980"]}))
    >>> found["born"].dt.year.tolist(), notes
    ([1996, 1980], ["'born' was read as dates, the day first, as in '18.11.1996'."])
    """
    changed: dict[str, Any] = {}
    notes: list[str] = []
    for name, values in frame.items():
        if values.dtype.kind in "biufcM" or isinstance(values.dtype, pd.CategoricalDtype):
            continue
        found = dates_in(values)
        if found is None:
            continue
        days, first = found
        changed[str(name)] = pd.Series(_moments(days.to_numpy()), index=values.index)
        shown = quoted(str(values.dropna().iloc[0]))
        said = f"{quoted(str(name))} was read as dates{SAID[first]}, as in {shown}."
        notes.append(Told(said, f"dates-{first}", name=quoted(str(name)), cell=shown))
    return (frame.assign(**changed) if changed else frame), notes


def _moments(days: Floats) -> npt.NDArray[np.datetime64]:
    """The beginnings of days, of any year; a missing one is none."""
    seconds = np.where(np.isnan(days), 0, days * SECONDS).astype("datetime64[s]")
    return np.where(np.isnan(days), np.datetime64("NaT", "s"), seconds)
