"""The columns that a mask takes from an engine's table, and the names it works them out under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verikit.errors import SchemaError, quoted
from verikit.scale._engine import Engine
from verikit.scale._scaled import Scaled
from verikit.scale._source import EngineTable, number_or, score
from verikit.table import Column, Schema
from verikit.words import count, listed

__all__ = ["ALL", "as_published", "columns_to_mask", "short_names"]

MASKED = ("quasi", "sensitive")
ALL = (*MASKED, "other")


def columns_to_mask(
    data: Scaled, what: str, roles: Sequence[str] = MASKED, *, numeric: bool = False
) -> list[Column]:
    """The columns that are masked; refused where one cannot be."""
    if data.held.row is None:
        raise SchemaError(
            f"The records of the table are not counted, and {what} has to find them again; open it "
            "with the column that counts them from 0: row='...'."
        )
    columns = [c for c in data.schema if c.role in roles]
    if not columns:
        raise SchemaError(f"{what} found no quasi-identifying or sensitive column to mask.")
    unfit = [c.name for c in columns if (c.kind != "numeric" if numeric else not c.ranked)]
    if unfit:
        raise SchemaError(
            f"{what} needs {'numbers' if numeric else 'columns with an order'}, which "
            f"{listed(unfit)} {'is' if len(unfit) == 1 else 'are'} not; leave them out."
        )
    table = data.held.table
    _check_rows(data, what)
    missing = {f"g{at}": score(table, c).isnull().sum() for at, c in enumerate(columns)}
    gaps = data.engine.fetch(table.aggregate(**missing)).iloc[0]
    for at, column in enumerate(columns):
        if int(gaps[f"g{at}"]):
            raise SchemaError(
                f"Column {quoted(column.name)} has {count(int(gaps[f'g{at}']), 'missing value')}, "
                "which have no rank; fill the gaps, or leave the column out."
            )
    return columns


def _check_rows(data: Scaled, what: str) -> None:
    """Refuse numbers that do not count the records: two with one number would draw alike."""
    if not len(data):
        raise SchemaError(f"The table has no records, so {what} has nothing to mask.")
    row = data.held.table[data.held.row]
    told = {"different": row.nunique(), "lowest": row.min(), "highest": row.max()}
    found = data.engine.fetch(data.held.table.aggregate(**told)).iloc[0]
    if [int(number_or(found[name], -1)) for name in told] != [len(data), 0, len(data) - 1]:
        raise SchemaError(
            f"Column {quoted(data.held.row)} holds {int(found['different']):,} different numbers "
            f"from {found['lowest']} to {found['highest']}; expected each of 0 to {len(data) - 1:,}"
            " once, to count the records."
        )


def short_names(schema: Schema) -> dict[str, str]:
    """Names of our own while a mask is worked out, beside which no other can be meant."""
    return {name: f"c{at}" for at, name in enumerate(schema.names)}


def as_published(
    engine: Engine, table: Any, schema: Schema, names: tuple[str, Mapping[str, str]]
) -> EngineTable:
    """The table with the names it is published by, and that of the column that counts its rows."""
    row, short = names
    while row in schema.names:
        row += "_"
    columns = [table[short[name]].name(name) for name in schema.names]
    return EngineTable(engine, table.select(table["row"].name(row), *columns), row)
