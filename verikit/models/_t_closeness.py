"""t-closeness: the earth mover's distance of each class to the whole table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import le
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.requests import instance, one_of, within
from verikit.errors import RecordError
from verikit.matching import Holdings, Table, group_rows, holdings_of
from verikit.models._verdict import ModelVerdict, make_verdict
from verikit.partition import GROUNDS, Ground
from verikit.table import Column, Microdata, Missing, Schema


def describe_ground(holdings: Holdings, ground: Ground) -> str:
    """How far two values are taken to be from each other, in words; nothing where all are alike."""
    if ground == "equal":
        return ""
    if ground == "ordered":
        return " by steps in its order"
    tree = holdings.column.hierarchy
    short = tree is not None and any(len(set(row)) < len(row) for row in tree.levels.values())
    how = ", as its short branches are filled up" if short else ""
    return f" by levels of its hierarchy{how}"


def t_closeness(
    release: Table | Holdings,
    *,
    t: float | None = None,
    ground: Ground = "equal",
    sensitive: str | None = None,
    missing: Missing = "refuse",
) -> ModelVerdict:
    """Measure how far the sensitive values of each class are from those of the whole table.

    The distance is the earth mover's: the least work of turning one distribution into the other,
    where moving a share costs the share times the ground distance between the two values.

    Parameters
    ----------
    release
        The table, masked or not.
    t
        How far each class may be at most, from 0 (alike) to 1; None only measures.
    ground
        How far two values are from each other: ``"equal"`` all alike; ``"ordered"`` by steps in
        the order of numbers or ordinal categories; ``"hierarchical"`` by the level of the lowest
        group they share.
    sensitive
        The sensitive column; the one with that role where there is just one.
    missing
        ``"refuse"`` missing values, or let each be a value of its own (with equal distances only).

    Returns
    -------
    ModelVerdict
        The largest distance, that of each class, and for each record.

    Raises
    ------
    SchemaError
        If there is no record, no quasi-identifier or no sensitive column, if the sensitive column
        is itself a quasi-identifier, if values are missing, or if the column has not the order or
        the hierarchy that the ground distance needs.
    RecordError
        If t is not a share from 0 to 1, or there is no such ground distance.

    Notes
    -----
    The survey leaves the ground distance open; these are the three of the authors it cites. The
    steps of an order are those of its declared categories, or of the distinct numbers in the
    table. The levels of a hierarchy are those of its rows: where branches are of different length,
    `Hierarchy.of` fills short ones up at the value, so two values whose group lies one below the
    root of a tree of height 3 are 2/3 apart, where counting from the bottom of their own branch
    gives 1/3; rows that repeat the group (``["a", "group", "group", "any"]``) are read so. The
    result says which. One sparse pass over the pairs of class and value that occur.

    References
    ----------
    [KS]_ Definition 3

    Examples
    --------
    >>> import verikit as vk
    >>> t_closeness(vk.published("ks_table6"), t=0.5).per_class.round(4).tolist()
    [0.6364, 0.5455, 0.6364]
    >>> t_closeness(vk.published("ks_table6"), ground="hierarchical").per_class.round(4).tolist()
    [0.5152, 0.5455, 0.5909]
    """
    asked = None if t is None else within(t, "t", 0, 1)
    one_of(ground, "ground", tuple(GROUNDS))
    holdings = holdings_of(release, sensitive, missing)
    classes = holdings.classes
    distance = GROUNDS[ground](holdings)
    worst = int(np.argmax(distance))
    why = (
        f"The class {classes.name(worst)} is at a distance of {distance[worst]:.2f} from the whole "
        f"table in {holdings.column.name}{describe_ground(holdings, ground)}; it holds "
        f"{holdings.told(worst)}."
    )
    return make_verdict("t-closeness", classes, distance, worst, why, asked, le)


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
    sides = _read_values(values, "values"), _read_values(whole, "whole")
    return float(GROUNDS[ground](_hold_together(*sides, column))[0])


def _read_values(values: Iterable[Any], name: str) -> pd.Series[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise RecordError.given(name, values, "a list of values")
    found = values if isinstance(values, pd.Series) else pd.Series(list(values))
    if not len(found):
        raise RecordError(f"{name} holds no value; give at least one.")
    return found.rename("value")


def _hold_together(
    values: pd.Series[Any], whole: pd.Series[Any], column: Column | None
) -> Holdings:
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
        classes=group_rows(table.loc[side == 0, ["side"]]),
        owner=both.owner[own],
        place=both.place[own],
        count=both.count[own],
        overall=there,
    )
