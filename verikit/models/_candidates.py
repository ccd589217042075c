"""Which released records a person fits: those whose cells hold all of her values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._checks import single_value
from verikit._sets import members
from verikit.errors import RecordError
from verikit.hierarchy import listed, text
from verikit.release import TableRelease
from verikit.table import Column, Microdata, Schema, number

__all__ = ["bounds", "candidates", "fitting", "holds", "known_values"]

Rows: TypeAlias = npt.NDArray[np.intp]
Floats: TypeAlias = npt.NDArray[np.float64]


def candidates(record: Mapping[str, Any], release: Microdata | TableRelease) -> Rows:
    """The places of the records that someone with these quasi-identifiers fits.

    A cell fits if it is her value, a group of the hierarchy above it, a closed interval around it,
    a set such as ``{a, b}`` that names it, a starred form such as ``476**``, or withheld.

    Parameters
    ----------
    record
        Her values by column; a quasi-identifier left out, or None, is not used.
    release
        The table.

    Raises
    ------
    RecordError
        If the record names no quasi-identifier, or a column that the table lacks.

    Examples
    --------
    >>> import verikit as vk
    >>> candidates({"DOB": "1985", "Zip": "36363"}, vk.published("ks_table1")).tolist()
    [3, 6, 9]
    """
    fits = np.ones(len(release), bool)
    for name, value in known_values(record, release.schema).items():
        fits &= fitting(release.frame[name], release.schema[name], value)
    return np.flatnonzero(fits)


def known_values(record: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The quasi-identifiers that a record gives, in the order of the schema."""
    if isinstance(record, pd.Series):
        record = {str(name): value for name, value in record.items()}
    if not isinstance(record, Mapping):
        raise RecordError(
            f"The record was given as {type(record).__name__}; expected a dictionary such as "
            "{'age': 41, 'job': 'nurse'}."
        )
    unknown = [name for name in record if name not in schema.names]
    if unknown:
        raise RecordError(
            f"The record has {listed(unknown)}, which the table lacks; it has "
            f"{listed(schema.names, 12)}."
        )
    for name, value in record.items():
        single_value(name, value)
    names = [column.name for column in schema.quasi]
    given = {name: record[name] for name in names if not _absent(record.get(name))}
    if not given:
        raise RecordError(
            "The record holds no quasi-identifier; give at least one of "
            f"{listed(names, 12) or 'none that the table has'}."
        )
    return given


def _absent(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value))


def fitting(cells: pd.Series[Any], column: Column, value: Any) -> npt.NDArray[np.bool_]:
    """Which cells of one column hold a value; a withheld cell may hold any."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        found = [holds(label, value, column) for label in cells.cat.categories]
        return np.array([*found, True])[cells.cat.codes.to_numpy()]
    low, high = bounds(cells, column)
    own = number(value, column.name)
    return (low <= own) & (own <= high)


def bounds(cells: pd.Series[Any], column: Column) -> tuple[Floats, Floats]:
    """The smallest and the largest number of each cell; without bounds where it is withheld."""
    if isinstance(cells.dtype, pd.IntervalDtype):
        spans = cells.array
        low = np.array(spans.left, dtype=np.float64)
        high = np.array(spans.right, dtype=np.float64)
        low = low if spans.closed in ("left", "both") else np.nextafter(low, np.inf)
        high = high if spans.closed in ("right", "both") else np.nextafter(high, -np.inf)
    elif isinstance(cells.dtype, pd.CategoricalDtype):
        ends = [_ends(label, column) for label in cells.cat.categories]
        table = np.array([*ends, (-np.inf, np.inf)])[cells.cat.codes.to_numpy()]
        low, high = table[:, 0], table[:, 1]
    else:
        low = high = cells.to_numpy(dtype=np.float64)
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _ends(label: str, column: Column) -> tuple[float, float]:
    """The ends of a category that stands for numbers: itself, an interval, a group's leaves."""
    if withheld(label, column):
        return -np.inf, np.inf
    tree = column.hierarchy
    leaves = tree.leaves(label) if tree is not None and label in tree.nodes else (label,)
    ends = [span(label), *(span(f"[{leaf}, {leaf}]") for leaf in leaves)]
    return min(low for low, _ in ends), max(high for _, high in ends)


def holds(label: str, value: Any, column: Column) -> bool:
    """Whether a released category is, or stands for, a value.

    Examples
    --------
    >>> zips = Column("Zip", kind="nominal")
    >>> [holds(label, "47677", zips) for label in ("47677", "476**", "{47602, 47677}", "478**")]
    [True, True, True, False]
    >>> [holds(label, 25, Column("age")) for label in ("[20, 24]", "[20, 25)", "[25, 29]", "*")]
    [False, False, True, True]
    >>> holds("[20, 29]", "25", Column("age", kind="nominal"))
    True
    """
    name, tree = text(value), column.hierarchy
    if label == name or withheld(label, column):
        return True
    if label.startswith("{"):
        return name in members(label)
    if tree is not None and name in tree.levels:
        return label in tree.levels[name]
    low, high = span(label)
    if column.kind == "numeric":
        return low <= number(value, column.name) <= high
    return starred(label, name) or low <= span(f"[{name}, {name}]")[0] <= high


def withheld(label: str, column: Column) -> bool:
    """Whether a category tells nothing: nothing but stars, or the root of the hierarchy."""
    tree = column.hierarchy
    return set(label) == {"*"} or (tree is not None and label == tree.root)


def starred(label: str, name: str) -> bool:
    """Whether two codes of one length agree wherever neither is starred."""
    return len(label) == len(name) and all(
        a == b or "*" in (a, b) for a, b in zip(label, name, strict=True)
    )


def span(label: str) -> tuple[float, float]:
    """The numbers between the ends of a label such as ``[20, 29]``; none where it is no interval.

    Examples
    --------
    >>> span("[20, 29]"), span("young")
    ((20.0, 29.0), (inf, -inf))
    """
    try:
        low, high = (float(part) for part in label[1:-1].split(","))
    except ValueError:
        return np.inf, -np.inf
    if label[0] not in "[(" or label[-1] not in "])":
        return np.inf, -np.inf
    return (
        low if label[0] == "[" else float(np.nextafter(low, np.inf)),
        high if label[-1] == "]" else float(np.nextafter(high, -np.inf)),
    )
