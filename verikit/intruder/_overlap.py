"""Which records of two tables could be one person: those whose cells overlap everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats
from verikit.alike import Meetings, meetings
from verikit.cells import Related, cells_of, related
from verikit.errors import SchemaError
from verikit.table import Column, Schema
from verikit.words import listed

__all__ = ["fits_in_place", "overlaps", "shared_columns", "width"]


def shared_columns(first: Schema, second: Schema) -> list[str]:
    """The columns that two tables share, except identifiers."""
    names = [c.name for c in first if c.role != "identifier" and c.name in second.names]
    if not names:
        raise SchemaError(
            f"The tables share no column: one has {listed(first.names)}, the other "
            f"{listed(second.names)}; the attack joins what they share."
        )
    return names


def overlaps(
    first: pd.DataFrame, second: pd.DataFrame, names: Sequence[str], schemas: tuple[Schema, Schema]
) -> Meetings:
    """Which rows of two tables some person fits both of, by kinds of rows."""
    return meetings(_related(first, second, names, schemas))


def fits_in_place(
    first: pd.DataFrame, second: pd.DataFrame, names: Sequence[str], schemas: tuple[Schema, Schema]
) -> Flags:
    """Which rows some person fits both of at the same place."""
    columns = _related(first, second, names, schemas)
    fits = [column.meet(column.first.codes, column.second.codes) for column in columns]
    return np.asarray(np.logical_and.reduce(fits))


def _related(
    first: pd.DataFrame, second: pd.DataFrame, names: Sequence[str], schemas: tuple[Schema, Schema]
) -> list[Related]:
    return [
        related(cells_of(first[name], schemas[0][name]), cells_of(second[name], schemas[1][name]))
        for name in names
    ]


def width(cells: pd.Series[Any], column: Column) -> Floats:
    """How much each cell leaves open: the length of its span, or the number of values it may be.

    Examples
    --------
    >>> width(pd.Series(["47677", "476**", "*"]), Column("Zip", kind="nominal")).tolist()
    [1.0, 100.0, inf]
    """
    coded = cells_of(cells, column)
    return coded.width()[coded.codes]
