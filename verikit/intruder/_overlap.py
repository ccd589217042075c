"""Which records of two tables could be one person: those whose cells overlap everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._sets import members
from verikit.errors import InfeasibleError, SchemaError
from verikit.hierarchy import listed, text
from verikit.models._candidates import bounds, starred, withheld
from verikit.models._classes import Classes
from verikit.table import Column, Schema

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
        columns = schemas[0][name], schemas[1][name]
        possible &= _meeting(cells[0][name], cells[1][name], columns)
    return possible


def _meeting(
    first: pd.Series[Any], second: pd.Series[Any], columns: tuple[Column, Column]
) -> Matrix:
    if columns[0].kind == columns[1].kind == "numeric":
        low, high = bounds(first, columns[0])
        other_low, other_high = bounds(second, columns[1])
        return (low[:, None] <= other_high) & (other_low <= high[:, None])
    codes, names = zip(*(_labels(cells) for cells in (first, second)), strict=True)
    rows, places = (
        [_members(name, column) for name in part]
        for part, column in zip(names, columns, strict=True)
    )
    table = np.array([[_meet(a, b) for b in places] for a in rows], dtype=bool)
    return np.asarray(table[np.ix_(codes[0], codes[1])])


def _labels(cells: pd.Series[Any]) -> tuple[npt.NDArray[np.intp], list[str]]:
    codes, found = pd.factorize(cells, use_na_sentinel=False)
    return codes, ["*" if pd.isna(value) else text(value) for value in found]


def _members(label: str, column: Column) -> frozenset[str] | None:
    """The values that a category stands for; None where it may be any."""
    if withheld(label, column):
        return None
    tree = column.hierarchy
    if tree is not None and label in tree.nodes:
        return frozenset(tree.leaves(label))
    return frozenset(members(label) or [label])


def _meet(first: frozenset[str] | None, second: frozenset[str] | None) -> bool:
    if first is None or second is None:
        return True
    return not first.isdisjoint(second) or any(
        starred(a, b) for a in first for b in second if "*" in a + b
    )


def width(cells: pd.Series[Any], column: Column) -> npt.NDArray[np.float64]:
    """How much each cell leaves open: the length of its span, or the number of values it may be.

    Examples
    --------
    >>> width(pd.Series(["47677", "476**", "*"]), Column("Zip", kind="nominal")).tolist()
    [1.0, 100.0, inf]
    """
    if column.kind == "numeric":
        low, high = bounds(cells, column)
        return np.asarray(high - low)
    codes, names = _labels(cells)
    held = [_members(name, column) for name in names]
    sizes = [np.inf if part is None else sum(10.0 ** v.count("*") for v in part) for part in held]
    return np.array(sizes)[codes]
