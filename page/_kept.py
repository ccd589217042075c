"""What the page keeps of a release, before it is packed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy.typing as npt

from verikit.errors import quoted
from verikit.table import Column


class KeptColumn(NamedTuple):
    """What is said of a column; then any arrays of floats by cell, and the cell of each row."""

    facts: dict[str, Any]
    arrays: tuple[npt.NDArray[Any], ...]


class Kept(NamedTuple):
    """The columns, those of the schema that a person may leave out, and what else is said."""

    columns: list[KeptColumn]
    asked: Sequence[Column]
    facts: dict[str, Any]


def column_facts(column: Column) -> dict[str, Any]:
    """What the page says of a column.

    Examples
    --------
    >>> column_facts(Column("age", unit="years"))["quoted"]
    "'age'"
    """
    return {
        "name": column.name,
        "quoted": quoted(column.name),
        "title": column.title,
        "unit": column.unit,
        "kind": column.kind,
        "dated": column.dated,
        "role": column.role,
        "categories": column.categories if column.kind != "numeric" else None,
    }
