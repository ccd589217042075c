"""What classes tell of their people for certain: all that these may fit tell the same.

A person fits the records whose cells hold her values, and these need not be equal cells: who is 45
fits a row ``45`` and all rows ``40-49``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from verikit._support.arrays import Flags, Ints
from verikit.alike._classes import Classes
from verikit.alike._meetings import Meetings, meetings
from verikit.cells import Cells, cells_are_disjoint, cells_of, relate_rows
from verikit.errors import InfeasibleError
from verikit.release import TableRelease
from verikit.table import Microdata

__all__ = ["unanimous"]


def unanimous(
    table: Microdata | TableRelease, classes: Classes, told: Sequence[Ints], seen: Flags
) -> list[Flags]:
    """Find the classes that tell one thing, as all others do that their people may fit.

    Parameters
    ----------
    table
        The table.
    classes
        Its classes.
    told
        In several respects, what each class tells as a number; -1 where it tells nothing.
    seen
        Which classes count; suppressed ones fit almost anyone.

    Returns
    -------
    list of array of bool
        In each respect, of which classes it is true whatever the values of their people are. Where
        there are too many classes to compare, of none.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> from verikit.alike import classes_of
    >>> ages = pd.DataFrame({"age": ["40-49", "45", "50-59"]})
    >>> table = vk.TableRelease.of(ages, vk.Schema((vk.Column("age", kind="nominal"),)))
    >>> found = unanimous(table, classes_of(table), [np.array([0, 1, 2])], np.ones(3, bool))
    >>> found[0].tolist()
    [False, False, True]
    """
    told = [np.where(seen, part, -1) for part in told]
    asked, counted = np.flatnonzero(np.max(told, axis=0) >= 0), np.flatnonzero(seen)
    try:
        found = _meetings(table, classes, asked, counted) if len(asked) else None
        if found is None:
            return [part >= 0 for part in told]
        return _agreeing(found, told, asked, counted)
    except InfeasibleError:  # too many to compare: nothing is certain
        return [np.zeros(len(classes), bool) for _ in told]


def _meetings(
    table: Microdata | TableRelease, classes: Classes, asked: Ints, seen: Ints
) -> Meetings | None:
    """The classes that meet; None where those with different cells never do."""
    frame, first = table.frame, classes.first()
    columns = [
        _of_rows(cells_of(frame[column.name].take(first), column), seen)
        for column in table.schema.quasi
    ]
    if all(map(cells_are_disjoint, columns)):
        return None
    rows, places = np.searchsorted(seen, asked), np.arange(len(seen))
    return meetings([relate_rows(cells, rows, places) for cells in columns])


def _of_rows(cells: Cells, rows: Ints) -> Cells:
    return replace(cells, codes=cells.codes[rows])


def _agreeing(found: Meetings, told: Sequence[Ints], asked: Ints, seen: Ints) -> list[Flags]:
    """Of the asked classes those that meet none which tells something else."""
    ours = [part[asked] for part in told]
    theirs = [_of_kinds(found.second, part[seen], found.shape[1]) for part in told]
    own = [_of_kinds(found.first, part, found.shape[0]) for part in ours]
    for rows, places in found:
        for mine, other in zip(own, theirs, strict=True):
            mine[rows[mine[rows] != other[places]]] = -1
    flags = [np.zeros(len(part), bool) for part in told]
    for flag, part, mine in zip(flags, ours, own, strict=True):
        flag[asked] = (part >= 0) & (mine[found.first] >= 0)
    return flags


def _of_kinds(kinds: Ints, told: Ints, count: int) -> Ints:
    """What the classes of each kind tell; -1 where they tell nothing, or different things."""
    found = np.full(count, -1, np.int64)
    found[kinds] = told
    found[kinds[found[kinds] != told]] = -1
    return found
