"""Which records of two tables could be one person: those whose cells overlap everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit.alike import Classes
from verikit.cells import cells_of, meeting
from verikit.errors import InfeasibleError, SchemaError
from verikit.table import Column, Schema
from verikit.words import listed

__all__ = ["overlaps", "shared_columns", "width"]

Matrix: TypeAlias = npt.NDArray[np.bool_]
MOST_PAIRS = 400_000_000


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
    first: Classes, second: Classes, names: Sequence[str], schemas: tuple[Schema, Schema]
) -> Matrix:
    """For each pair of classes of two tables, whether some person fits both.

    Notes
    -----
    O(c1 c2 m) for c1 and c2 classes and m columns.
    """
    if len(first) * len(second) > MOST_PAIRS:
        raise InfeasibleError(
            f"The tables have {len(first):,} and {len(second):,} different records, too many to "
            "compare pair by pair; take a sample of one of them, or fewer columns."
        )
    possible = np.ones((len(first), len(second)), bool)
    cells = first.cells(), second.cells()
    for name in names:
        coded = [cells_of(c[name], s[name]) for c, s in zip(cells, schemas, strict=True)]
        possible &= meeting(*coded)
    return possible


def width(cells: pd.Series[Any], column: Column) -> npt.NDArray[np.float64]:
    """How much each cell leaves open: the length of its span, or the number of values it may be.

    Examples
    --------
    >>> width(pd.Series(["47677", "476**", "*"]), Column("Zip", kind="nominal")).tolist()
    [1.0, 100.0, inf]
    """
    coded = cells_of(cells, column)
    return coded.width()[coded.codes]
