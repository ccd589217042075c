"""Dates of a table that an engine reads, as the days they are in memory."""

from __future__ import annotations

from typing import Any

import pandas as pd

from verikit.errors import SchemaError, quoted
from verikit.scale._engine import Engine
from verikit.table import Schema, holds_dates

__all__ = ["in_days", "kept_dates"]

FIRST = "1970-01-01"


def in_days(engine: Engine, table: Any, schema: Schema) -> Any:
    """The same table, its columns of dates counted in days since 1970.

    Parameters
    ----------
    engine
        Where the table is.
    table
        Its expression.
    schema
        Its columns; those whose unit says so are dates.

    Raises
    ------
    SchemaError
        If a time of day stands among dates, which the first records need not show.

    Notes
    -----
    Columns that may hold times of day are read once; columns of dates are not.
    """
    import ibis

    dated = [c.name for c in schema if c.dated and c.name in table.columns]
    dated = [name for name in dated if table[name].type().is_temporal()]
    days = {name: table[name].cast("date") for name in dated}
    clocks = [name for name in dated if table[name].type().is_timestamp()]
    if clocks:
        told = {
            f"c{at}": (days[name].cast(table[name].type()) != table[name]).sum().fill_null(0)
            for at, name in enumerate(clocks)
        }
        found = engine.fetch(table.aggregate(**told)).iloc[0]
        _refuse([name for at, name in enumerate(clocks) if int(found[f"c{at}"])])
    first = ibis.date(FIRST)
    return table.mutate(**{name: day.delta(first, unit="day") for name, day in days.items()})


def _refuse(names: list[str]) -> None:
    for name in names:
        raise SchemaError(
            f"Column {quoted(name)} holds dates at first, and times of day further on; give the "
            "table with dates, or with numbers, in it."
        )


def kept_dates(frame: pd.DataFrame) -> list[str]:
    """The columns of a frame that an engine is to take as dates, not as their text."""
    return [str(name) for name, values in frame.items() if holds_dates(values)]
