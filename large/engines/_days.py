"""Dates of a table that an engine reads, as the days they are in memory."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

import pandas as pd

from verikit.errors import SchemaError, quoted
from verikit.scale._engine import Engine
from verikit.table import Schema, holds_dates

__all__ = ["Zones", "in_days", "in_own_zones", "kept_dates", "zones_of"]

Zones = Mapping[str, dt.tzinfo]  # by column that of its instants, where its file names one

FIRST = "1970-01-01"


def in_days(engine: Engine, table: Any, schema: Schema, zones: Zones) -> Any:
    """The same table, its columns of dates counted in days since 1970.

    Parameters
    ----------
    engine
        Where the table is.
    table
        Its expression.
    schema
        Its columns; those whose unit says so are dates.
    zones
        By column the time zone that its file names.

    Raises
    ------
    SchemaError
        If a time of day stands among dates, which the first records need not show.

    Notes
    -----
    Columns that may hold times of day are read once; columns of dates are not. DuckDB keeps
    instants without a time zone: their dates are those of the zone that their file names, as in
    memory, else those of UTC, whatever ``TimeZone`` is set. Dates without a time never shift.
    """
    import ibis

    dated = [c.name for c in schema if c.dated and c.name in table.columns]
    dated = [name for name in dated if table[name].type().is_temporal()]
    table = table.mutate(
        **{name: _clock(engine, table[name], zones.get(name, dt.UTC)) for name in dated}
    )
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


def _clock(engine: Engine, values: Any, zone: dt.tzinfo) -> Any:
    """What a clock in a time zone shows at the instants of a column of DuckDB."""
    import ibis
    import ibis.expr.datatypes as kinds

    kind = values.type()
    if engine.spill is None or not kind.is_timestamp() or kind.timezone is None:
        return values

    @ibis.udf.scalar.builtin(
        name="timezone", signature=((kinds.string, kind), kinds.Timestamp(scale=kind.scale))
    )
    def shown(zone, instant):  # type: ignore[no-untyped-def]
        ...

    ahead = zone.utcoffset(None)
    if ahead is None:
        return shown(str(zone), values)
    return shown("UTC", values) + ibis.interval(seconds=int(ahead.total_seconds()))


def zones_of(frame: pd.DataFrame) -> Zones:
    """The time zones that the columns of a frame name."""
    kinds = {str(name): kind for name, kind in frame.dtypes.items()}
    return {name: kind.tz for name, kind in kinds.items() if isinstance(kind, pd.DatetimeTZDtype)}


def in_own_zones(frame: pd.DataFrame, zones: Zones) -> pd.DataFrame:
    """A frame that an engine gave, its instants in the time zones that their file names."""
    known = {name: zones[name] for name in zones_of(frame) if name in zones}
    return frame.assign(**{name: frame[name].dt.tz_convert(zone) for name, zone in known.items()})


def _refuse(names: list[str]) -> None:
    for name in names:
        raise SchemaError(
            f"Column {quoted(name)} holds dates at first, and times of day further on; give the "
            "table with dates, or with numbers, in it."
        )


def kept_dates(frame: pd.DataFrame) -> list[str]:
    """The columns of a frame that an engine is to take as dates, not as their text."""
    return [str(name) for name, values in frame.items() if holds_dates(values)]
