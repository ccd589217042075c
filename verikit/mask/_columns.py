"""The columns a mask works on, and the order of their values."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit.errors import SchemaError, quoted
from verikit.table import Column, Microdata
from verikit.words import count, listed

__all__ = ["masked_columns", "numeric_columns", "random_order", "ranked_columns"]


def numeric_columns(data: Microdata, method: str) -> list[Column]:
    """The columns a numeric mask works on; others that could identify are refused by name."""
    columns = masked_columns(data, method)
    nominal = [c.name for c in columns if c.kind != "numeric"]
    if nominal:
        hold, them = ("holds", "it") if len(nominal) == 1 else ("hold", "them")
        raise SchemaError(
            f"mask.{method} changes numbers only, but {listed(nominal)} {hold} categories; declare "
            f"{them} 'identifier' to drop {them}, or 'other' to publish {them} unchanged, and then "
            f"people can be found by {them}."
        )
    return columns


def ranked_columns(data: Microdata, method: str) -> list[Column]:
    """The columns a mask of ranks works on; categories without an order are refused by name."""
    columns = masked_columns(data, method)
    unordered = [c.name for c in columns if not c.ranked]
    if unordered:
        hold, them = ("holds", "it") if len(unordered) == 1 else ("hold", "them")
        raise SchemaError(
            f"mask.{method} moves values by rank, but {listed(unordered)} {hold} categories "
            f"without an order; give {them} a hierarchy or an order, or declare {them} 'other' to "
            f"publish {them} unchanged, and then people can be found by {them}."
        )
    return columns


def masked_columns(data: Microdata, method: str) -> list[Column]:
    """The columns a mask works on; missing values in them are refused by name.

    Parameters
    ----------
    data
        The records.
    method
        The name of the mask.

    Returns
    -------
    list of Column
        The quasi-identifying and sensitive columns.

    Raises
    ------
    SchemaError
        If there is no such column, or a value in one is missing.

    Notes
    -----
    Which columns are masked is our own choice: identifiers are dropped, others stay as they are.

    Examples
    --------
    >>> import verikit as vk
    >>> [column.name for column in masked_columns(vk.load("dm_table1"), "rounding")]
    ['X1', 'X2', 'X3']
    """
    columns = [c for c in data.schema if c.role in ("quasi", "sensitive")]
    if not columns:
        raise SchemaError(f"mask.{method} found no quasi-identifying or sensitive column to mask.")
    for column in columns:
        missing = int(data.frame[column.name].array.isna().sum())
        if missing:
            raise SchemaError(
                f"Column {quoted(column.name)} has {count(missing, 'missing value')}, a gap by "
                "which everybody would know the masked record again; fill the gaps, remove their "
                "records (DataFrame.dropna), or give the column the role 'identifier', so that "
                f"mask.{method} leaves it out."
            )
    return columns


def random_order(values: Floats, rng: np.random.Generator) -> Rows:
    """The places of the values from the smallest up, equal ones in random order."""
    order = np.argsort(values)
    ordered = values[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = rng.permutation(len(values))
        order = order[np.argsort(values[order], kind="stable")]
    return order
