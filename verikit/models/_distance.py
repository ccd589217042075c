"""How far some values are from those of a whole table: what t-closeness asks of each class."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.requests import instance, one_of
from verikit.alike import Holdings, grouped, holdings_of
from verikit.errors import RecordError, quoted
from verikit.models._ground import GROUNDS, Ground
from verikit.table import Column, Microdata, Schema

__all__ = ["distance"]


def distance(
    values: Iterable[Any],
    whole: Iterable[Any],
    *,
    column: Column | None = None,
    ground: Ground = "equal",
) -> float:
    """Measure the earth mover's distance of some values to others, as t-closeness does.

    Parameters
    ----------
    values
        The values of a group.
    whole
        The values it is held against, such as those of the whole table; how many there are of
        either does not matter, only their shares do.
    column
        What is known of the values: their order or their hierarchy; None takes numbers as numbers
        and everything else as categories.
    ground
        How far two values are from each other, as in `t_closeness`.

    Returns
    -------
    float
        The distance, from 0 (the same shares) to 1.

    Raises
    ------
    RecordError
        If there are no values on one side, or there is no such ground distance.
    SchemaError
        If values are missing, or have not the order or the hierarchy that is needed.

    Notes
    -----
    The steps between numbers are those between all different numbers on either side.
    O(n log n) for n values.

    References
    ----------
    [KS]_ Definition 3

    Examples
    --------
    Salaries (in 1,000) that the survey's source works out by hand:

    >>> low, all_of_them = [3, 4, 5], [3, 4, 5, 6, 7, 8, 9, 10, 11]
    >>> distance(low, all_of_them, ground="ordered"), distance(low, all_of_them)
    (0.375, 0.6666666666666666)
    """
    one_of(ground, "ground", tuple(GROUNDS))
    sides = _series(values, "values"), _series(whole, "whole")
    return float(GROUNDS[ground](_held(*sides, column))[0])


def _series(values: Iterable[Any], name: str) -> pd.Series[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise RecordError(f"{name} was given as {quoted(values)}; expected a list of values.")
    found = values if isinstance(values, pd.Series) else pd.Series(list(values))
    if not len(found):
        raise RecordError(f"{name} holds no value; give at least one.")
    return found.rename("value")


def _held(values: pd.Series[Any], whole: pd.Series[Any], column: Column | None) -> Holdings:
    """One class, that of the values, in a table that the whole makes up alone."""
    frame = pd.concat([values, whole], ignore_index=True).to_frame()
    if column is None:
        column = Schema.guess(frame)["value"]
    side = np.repeat([0, 1], [len(values), len(whole)])
    table = pd.DataFrame({"side": side}).assign(value=frame["value"])
    instance(column, Column, "distance", "a Column, or None")
    known = replace(column, name="value", role="sensitive")
    both = holdings_of(Microdata(table, Schema((Column("side"), known))))
    own = both.owner == 0
    there = np.bincount(both.place[~own], both.count[~own], len(both.values)).astype(np.int64)
    return replace(
        both,
        classes=grouped(table.loc[side == 0, ["side"]]),
        owner=both.owner[own],
        place=both.place[own],
        count=both.count[own],
        overall=there,
    )
