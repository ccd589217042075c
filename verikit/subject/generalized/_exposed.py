"""Whom a generalized table as a whole gives away: people of whom it is true whatever their values.

A person fits the records whose cells hold her values, and these need not be equal cells: who is 45
fits a row ``45`` and all rows ``40-49``. So a class is exposed only by all records that meet it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Ints
from verikit.alike import Classes, classes_of, held_by, unanimous
from verikit.subject.generalized._find import Fits

__all__ = ["Exposed", "exposed"]


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
    flags = unanimous(release, classes, told, seen)
    titles = ["", *(shown.column.title for shown in fits.shown)]
    return [Exposed(flag[classes.labels], title) for flag, title in zip(flags, titles, strict=True)]


def _shown(fits: Fits, classes: Classes, name: str) -> Ints:
    """The one known value that each class shows; -1 where it shows none, or several."""
    held = held_by(fits.release, classes, name, "own value")
    alone = (np.bincount(held.owner) == 1) & held.known[held.starts]
    return np.where(alone, held.place[held.starts], -1)
