"""A column on every level of its hierarchy, as codes."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from verikit._support.arrays import Rows
from verikit.errors import SchemaError
from verikit.hierarchy import Hierarchy
from verikit.partition import value_codes
from verikit.table import Column, Microdata
from verikit.words import listed, text

__all__ = ["ColumnLevels", "column_levels"]


class ColumnLevels(NamedTuple):
    """A column's records as codes of its values, and the node of each value on each level.

    ``names[h][nodes[h][codes]]`` writes the column on level ``h``. A missing value has no name;
    it is a node of its own below the root and belongs to the root.
    """

    codes: Rows
    nodes: tuple[Rows, ...]
    names: tuple[tuple[str | None, ...], ...]


def column_levels(data: Microdata, column: Column) -> ColumnLevels:
    """Code a column on every level of its hierarchy, or name the values that the tree lacks."""
    tree = cast("Hierarchy", column.hierarchy)
    codes, values = value_codes(data, column.name)
    known = [text(value) for value in values if value is not None]
    lacking = tree.missing(known)
    if lacking:
        raise SchemaError(
            f"The hierarchy of {column.name!r} lacks {listed(lacking, 12)}, which the table holds; "
            "add each as a leaf."
        )
    rows: list[list[str | None]] = [
        [tree.levels[value][level] for value in known] for level in range(tree.height + 1)
    ]
    if len(known) < len(values):
        rows = [[*row, None] for row in rows[:-1]] + [[*rows[-1], tree.root]]
    numbered = [_numbered(row) for row in rows]
    return ColumnLevels(
        codes, tuple(nodes for nodes, _ in numbered), tuple(names for _, names in numbered)
    )


def _numbered(row: list[str | None]) -> tuple[Rows, tuple[str | None, ...]]:
    numbers = {name: number for number, name in enumerate(dict.fromkeys(row))}
    return np.array([numbers[name] for name in row], np.intp), tuple(numbers)
