"""What the page keeps of a release, before it is packed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy.typing as npt

from verikit.errors import quoted
from verikit.release import Release
from verikit.table import Column
from verikit.words import joined

if TYPE_CHECKING:
    from verikit.large import Index

__all__ = ["Kept", "KeptColumn", "column_facts", "method_words"]


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


def method_words(release: Release | Index) -> str:
    """How a table was made, as its publisher tells."""
    if not release.method:
        return ""
    parts = [f"{name.replace('_', ' ')}: {_plain(v)}" for name, v in release.parameters.items()]
    return f"{'; '.join([release.method.replace('_', ' '), *parts])}."


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(part)}" for name, part in value.items())
    if isinstance(value, (list, tuple)):
        return joined(map(_plain, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
