"""Suppressed records: published with nothing but the widest cell in every quasi-identifier."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Flags, Rows
from verikit.cells import cells_of
from verikit.release import TableRelease
from verikit.table import Microdata

__all__ = ["hidden_rows", "in_sight"]


def in_sight(rows: Rows, hidden: Flags) -> Rows:
    """The rows that are not hidden; all of them where every one is.

    Examples
    --------
    >>> hidden = np.array([False, True, True])
    >>> in_sight(np.array([0, 1]), hidden).tolist(), in_sight(np.array([1, 2]), hidden).tolist()
    ([0], [1, 2])
    """
    seen = rows[~hidden[rows]]
    return seen if len(seen) else rows


def hidden_rows(release: Microdata | TableRelease) -> Flags:
    """The suppressed records: as many as the release tells, or those that tell nothing at all.

    A release that says how many it suppressed is believed: these show the widest cell in every
    quasi-identifier. Where more records do, some are there by their own values, and none can be
    told from them. Where nothing is said, a record was suppressed if all its cells are withheld.
    Where all records are, the columns were generalized to the top and nothing was suppressed.
    """
    told = _told(release)
    none = np.zeros(len(release), bool)
    if told == 0 or not len(release) or not release.schema.quasi:
        return none
    hidden = ~none
    for column in release.schema.quasi:
        cells = cells_of(release.frame[column.name], column)
        hidden &= (cells.withheld if told is None else cells.widest)[cells.codes]
    return none if hidden.all() or (told is not None and hidden.sum() > told) else hidden


def _told(release: Microdata | TableRelease) -> int | None:
    """How many records a release says that it suppressed; None where it says nothing."""
    said = None if isinstance(release, Microdata) else release.parameters.get("suppressed")
    return said if isinstance(said, int) and not isinstance(said, bool) else None
