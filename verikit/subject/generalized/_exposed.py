"""Whom a generalized table as a whole gives away: people of whom it is true whatever their values.

A person fits the records whose cells hold her values, and these need not be equal cells: who is 45
fits a row ``45`` and all rows ``40-49``. So a class is exposed only by all records that meet it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verikit.alike import Classes, Meetings, classes_of, held_by, meetings
from verikit.cells import Cells, apart, cells_of, equal_or_related
from verikit.errors import InfeasibleError
from verikit.subject.generalized._find import Fits

__all__ = ["Exposed", "exposed"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Exposed(NamedTuple):
    """Which records are exposed: picked out, or by the sensitive column of this title."""

    records: Flags
    title: str = ""


def exposed(fits: Fits) -> list[Exposed]:
    """The records of people who are picked out, and by column those who give its value away.

    A record counts if all that its person may fit, whatever her values, are this one alone, or
    show the same known value. Suppressed records fit almost anyone and are left out.
    """
    release = fits.release
    classes = classes_of(release, "own value")
    seen = np.bincount(classes.labels, fits.hidden, len(classes)) == 0  # suppressed: no group
    told = [np.where(classes.sizes == 1, np.arange(len(classes)), -1)]
    told += [_shown(fits, classes, shown.column.name) for shown in fits.shown]
    told = [np.where(seen, part, -1) for part in told]
    flags = _whatever_they_are(fits, classes, told, np.flatnonzero(seen))
    titles = ["", *(shown.column.title for shown in fits.shown)]
    return [Exposed(flag[classes.labels], title) for flag, title in zip(flags, titles, strict=True)]


def _shown(fits: Fits, classes: Classes, name: str) -> Ints:
    """The one known value that each class shows; -1 where it shows none, or several."""
    held = held_by(fits.release, classes, name, "own value")
    alone = (np.bincount(held.owner) == 1) & held.known[held.starts]
    return np.where(alone, held.place[held.starts], -1)


def _whatever_they_are(
    fits: Fits, classes: Classes, told: Sequence[Ints], seen: Ints
) -> list[Flags]:
    """Which classes tell one thing, and so do all others that their people may fit."""
    asked = np.flatnonzero(np.any([part >= 0 for part in told], axis=0))
    try:
        found = _meetings(fits, classes, asked, seen) if len(asked) else None
        if found is None:
            return [part >= 0 for part in told]
        return _unanimous(found, told, asked, seen)
    except InfeasibleError:  # too many to compare: nobody is said to be exposed
        return [np.zeros(len(classes), bool) for _ in told]


def _meetings(fits: Fits, classes: Classes, asked: Ints, seen: Ints) -> Meetings | None:
    """The classes that meet; None where those with different cells never do."""
    frame, first = fits.release.frame, classes.first()
    columns = [
        _of_rows(cells_of(frame[column.name].take(first), column), seen)
        for column in fits.release.schema.quasi
    ]
    if all(map(apart, columns)):
        return None
    rows, places = np.searchsorted(seen, asked), np.arange(len(seen))
    return meetings([equal_or_related(cells, rows, places) for cells in columns])


def _of_rows(cells: Cells, rows: Ints) -> Cells:
    return replace(cells, codes=cells.codes[rows])


def _unanimous(found: Meetings, told: Sequence[Ints], asked: Ints, seen: Ints) -> list[Flags]:
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
