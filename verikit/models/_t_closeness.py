"""t-closeness: the earth mover's distance of each class to the whole table.

Each is a closed form over the pairs of class and value that occur, in whole numbers up to the last
division; what a class does not hold needs no work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import le
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Ints
from verikit._support.requests import instance, one_of, within
from verikit.errors import RecordError, SchemaError
from verikit.hierarchy import Hierarchy
from verikit.matching import Holdings, Table, group_rows, holdings_of
from verikit.models._verdict import ModelVerdict, make_verdict
from verikit.table import Column, Microdata, Missing, Schema
from verikit.words import listed

Ground: TypeAlias = Literal["equal", "ordered", "hierarchical"]

MAX_EXACT = 2**62


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


def equal_distance(holdings: Holdings) -> Floats:
    """All values are equally far from each other: half the sum of the absolute differences.

    Only what a class holds too much of is added up; it lacks as much elsewhere.
    """
    sizes, total = holdings.classes.sizes, holdings.total
    excess = _count_excess(
        holdings.count, sizes[holdings.owner], holdings.overall[holdings.place], total
    )
    return np.asarray(np.add.reduceat(excess, holdings.starts) / (sizes * total))


def _count_excess(count: Any, size: Any, overall: Any, total: int) -> Ints:
    """By how much a class exceeds the table's share, times its size and the table's."""
    return np.maximum(count * total - size * overall, 0)


def ordered_distance(holdings: Holdings) -> Floats:
    """Values lie on a line, neighbours equally far: the mean absolute difference of what is below.

    Between two values that a class holds its cumulative count stands still while the table's
    grows, so each stretch is summed at once, from prefix sums, on either side of the crossing.

    Written out: at place i the class has held H of its records and the table B(i), and what must
    be carried on is |H / size - B(i) / total|. Over a stretch H stays and B only grows, so the
    difference changes its sign once, at ``cross``: before it H counts in full and B is taken off,
    behind it the other way round, which gives the two terms of ``work``. The places before the
    first value held, where H is 0, are ``before``. So the cost goes by the values that classes
    hold and not by classes times values. All of it is multiplied by size and total, to stay in
    whole numbers; only where these would not fit into 64 bits are they rounded.
    """
    steps = _count_steps(holdings)
    if steps < 1:
        return np.zeros(len(holdings.classes))
    sizes, total, starts = holdings.classes.sizes, holdings.total, holdings.starts
    exact = total**2 * (steps + 1) < MAX_EXACT
    below = np.cumsum(holdings.overall[: steps + 1]).astype(np.int64 if exact else np.float64)
    summed = np.concatenate([[0], np.cumsum(below)]).astype(below.dtype)
    size = sizes[holdings.owner]
    held = np.cumsum(holdings.count)
    held -= np.repeat(held[starts] - holdings.count[starts], np.diff(starts, append=len(held)))
    low = holdings.place
    high = np.append(low[1:], steps + 1)
    high[np.append(starts[1:], len(high)) - 1] = steps + 1
    cross = np.clip(np.searchsorted(below, held * total // size, "right"), low, high)
    work = held * total * (2 * cross - low - high) + size * (
        summed[low] + summed[high] - 2 * summed[cross]
    )
    before = sizes * summed[low[starts]]
    return np.asarray((np.add.reduceat(work, starts) + before) / (sizes * (total * steps)))


def _count_steps(holdings: Holdings) -> int:
    """The number of steps from the first to the last value of the column's order."""
    column, values = holdings.column, holdings.values
    there = values.dropna().infer_objects()
    numbers = column.kind == "numeric" and pd.api.types.is_numeric_dtype(there)
    if not numbers and column.kind != "ordinal":
        raise SchemaError(
            f"Column {column.name!r} has no order to measure along; use ground='equal', or declare "
            "it ordinal with its order."
        )
    known = len(there) if numbers else len(column.categories or ())
    bad = (np.flatnonzero(holdings.overall[known:]) + known).tolist()
    if bad:
        raise SchemaError(
            f"{listed(holdings.shown(bad))} in column {column.name!r} has no place in its order; "
            "use ground='equal'."
        )
    return known - 1


def hierarchical_distance(holdings: Holdings) -> Floats:
    """Values are as far as the level of their lowest common group, of all levels of the tree.

    That distance is the mean, over the levels below the root, of the equal distance between the
    groups of the level: on each level two values count as far until they share a group.
    """
    tree = holdings.column.hierarchy
    if tree is None:
        raise SchemaError(
            f"Column {holdings.column.name!r} has no hierarchy; give it one, or use ground='equal'."
        )
    leaf = _find_leaves(holdings, tree)
    order = np.lexsort((leaf[holdings.place], holdings.owner))
    owner, count = holdings.owner[order], holdings.count[order]
    overall = np.bincount(leaf[holdings.overall > 0], holdings.overall[holdings.overall > 0])
    sizes, total = holdings.classes.sizes, holdings.total
    summed = np.zeros(len(sizes), np.int64)
    for level in range(tree.height):
        group = np.unique([tree.levels[v][level] for v in tree.order()], return_inverse=True)[1]
        at = group[leaf[holdings.place[order]]]
        starts = np.flatnonzero((np.diff(owner, prepend=-1) != 0) | (np.diff(at, prepend=-1) != 0))
        parts = np.bincount(group[: len(overall)], overall).astype(np.int64)
        excess = _count_excess(
            np.add.reduceat(count, starts), sizes[owner[starts]], parts[at[starts]], total
        )
        summed += np.add.reduceat(excess, np.flatnonzero(np.diff(owner[starts], prepend=-1)))
    return np.asarray(summed / (sizes * (total * max(tree.height, 1))))


def _find_leaves(holdings: Holdings, tree: Hierarchy) -> Ints:
    """The place of each value among the leaves of the tree, from left to right."""
    places = {name: place for place, name in enumerate(tree.order())}
    names = holdings.named(range(len(holdings.values)))
    found = np.array([places.get(name, -1) for name in names], np.int64)
    bad = [names[at] for at in np.flatnonzero((found < 0) & (holdings.overall > 0))]
    if bad:
        raise SchemaError(
            f"{listed(bad)} in column {holdings.column.name!r} is no value at the bottom of its "
            "hierarchy; use ground='equal'."
        )
    return found


GROUNDS: dict[Ground, Callable[[Holdings], Floats]] = {
    "equal": equal_distance,
    "ordered": ordered_distance,
    "hierarchical": hierarchical_distance,
}


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
