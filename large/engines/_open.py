"""A table, or a saved release, opened for an engine: nothing is loaded but its beginning."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.guard import guard, named
from verikit.errors import FormatError, SchemaError, quoted
from verikit.large import TOLD, ParquetFiles, located
from verikit.release import PACKAGE, read_column, require_promise
from verikit.scale._engine import Engine
from verikit.scale._scaled import Scaled, ScaledSplit
from verikit.scale._source import EngineTable, number_or
from verikit.table import Column, Role, Schema, note_long_number
from verikit.values.dates import holds_dates

NONE: Zones = {}
LEVEL = re.compile(r"__index_level_\d+__")  # what pandas calls an index without a name in a file
PATTERN, SPARK = re.compile(r"[\[*?]"), re.compile(r"[\[\]{}*?\\]")


def open_table(
    engine: Engine,
    given: Any,
    schema: Schema | None = None,
    *,
    row: str | None = None,
    roles: Mapping[str, Role] | None = None,
    **told: Any,
) -> Any:
    """Open a table, or a saved release, for an engine.

    Parameters
    ----------
    engine
        What `connect` gives.
    given
        A Parquet file, a folder of its parts, the folder of a saved release, a pandas frame, or a
        table of the engine: an expression of Ibis, or a data frame of Spark.
    schema
        Its columns; guessed from its beginning by default.
    row
        The column that counts the records from 0, which is no column of the release. Spark wants
        it where a record has to be found again.
    roles
        By column its role, where the schema is guessed.
    told
        ``method``, ``parameters``, ``promise`` and ``reported_links`` of a release that was made
        elsewhere.

    Returns
    -------
    Scaled or ScaledSplit
        What was opened; nothing was loaded.

    Raises
    ------
    FormatError
        If it cannot be read, or its parts are no parts of one table.
    SchemaError
        If it lacks a column.

    Notes
    -----
    Nothing is read but the beginning, columns of times, of which all have to be midnights to be
    dates, and long whole numbers: a column of some that a float does not keep is one of names, as
    in memory, and the notes say so. Dates are counted in days, as in memory. A column of instants
    (``TIMESTAMP WITH TIME ZONE``) is read by the clock of the time zone that its file or frame
    names, as in memory, and else by that of UTC, whatever ``TimeZone`` DuckDB or the machine is set
    to. A saved release is compared with its checksum.

    Examples
    --------
    >>> import pandas as pd
    >>> from verikit.scale import connect
    >>> with connect() as engine:
    ...     open_table(engine, pd.DataFrame({"a": [1.5, 2, 3], "b": [2, 2, 9]}))
    Scaled(3 records of a, b; DuckDB)
    """
    if isinstance(given, (str, Path)):
        with guard(named(given)):
            return _from_path(engine, Path(given), schema, row, roles or {}, told)
    table = _make_expression(engine, given)
    return _make_scaled(engine, table, schema, row, roles or {}, told)


def _from_path(
    engine: Engine, path: Path, schema: Schema | None, row: str | None, roles: Any, told: Any
) -> Any:
    path = path.parent if path.name == PACKAGE else path
    package = json.loads((path / PACKAGE).read_text()) if (path / PACKAGE).is_file() else {}
    if package.get("verikit", {}).get("kind") == "split":
        return _open_split(engine, path, package)
    found = located(path)
    source = getattr(found, "source", None)
    if not isinstance(source, ParquetFiles):
        if not hasattr(found, "frame"):
            raise SchemaError(
                f"{named(path)} holds no table that an engine reads; give Parquet files."
            )
        return _like(found, engine, _make_expression(engine, _open_plain(found.frame)), row)
    head = source.head()
    _refuse_alike(engine, list(head.columns))
    table, zones = _read_parquet(engine, source), zones_of(head)
    if package:
        table, _ = keep_long_numbers(engine, table, list(found.schema.names), found.schema)
        return _like(found, engine, in_days(engine, table, found.schema, zones), row)
    return _make_scaled(engine, table, schema, row, roles, told, zones)


def _like(found: Any, engine: Engine, table: Any, row: str | None) -> Scaled:
    """A table of which the same is told as of a release."""
    told = {name: getattr(found, name) for name in TOLD}
    return Scaled(EngineTable(engine, table, row), found.schema, **told)


def _open_plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Intervals and categories as their text; numbers and dates as they are."""
    from verikit.cells import cell_text

    plain, dates = frame.copy(), {name for name in frame if holds_dates(frame[name])}
    for name, values in frame.items():
        if name in dates and isinstance(values.dtype, pd.DatetimeTZDtype):
            plain[name] = values.dt.tz_localize(None)  # the dates that it shows
        if not pd.api.types.is_numeric_dtype(values) and name not in dates:
            plain[name] = [None if pd.isna(value) else cell_text(value) for value in values]
    return plain


def _open_split(engine: Engine, folder: Path, package: Mapping[str, Any]) -> ScaledSplit:
    facts = package["verikit"]
    group, columns, tables = facts["group"], [], {}
    for resource in package["resources"]:
        if resource["name"] not in ("quasi", "sensitive"):
            continue
        path = folder / Path(resource["path"]).name
        if path.suffix != ".parquet":
            raise SchemaError(
                f"{named(path)} is no Parquet file; save the release with parquet=True."
            )
        source = ParquetFiles((path,))  # refuses what cannot be read
        tables[resource["name"]] = EngineTable(engine, _read_parquet(engine, source), None)
        found = [read_column(part) for part in resource["schema"]["fields"]]
        columns += [column for column in found if column.name != group]
    return ScaledSplit(
        tables["quasi"], tables["sensitive"], Schema(tuple(columns)), group,
        facts.get("method", ""), facts.get("parameters", {}),
        require_promise(facts.get("promise", "untold")), bool(facts.get("permuted", False)),
        bool(facts.get("apart", False)),
    )  # fmt: skip


def _read_parquet(engine: Engine, source: ParquetFiles) -> Any:
    """The files that were named, and no others: engines take marks in a path for patterns."""
    read, name = engine.backend.read_parquet, named(source.paths[0])
    with engine.refusing(name):
        if engine.spill is None:
            places = [SPARK.sub(r"\\\g<0>", str(path.resolve())) for path in source.paths]
            table = _join_parts([read(place) for place in places])
        else:
            places = [PATTERN.sub(r"[\g<0>]", str(path.resolve())) for path in source.paths]
            table = read(places, hive_partitioning=False)
        found = int(engine.fetch(table.count()))
    if found != source.rows:
        raise FormatError(
            f"{engine.name} finds {found} records in {name} and its files hold {source.rows}; "
            "give the files other names, without marks such as * and ?."
        )
    return _typed_all(table.drop(*filter(LEVEL.fullmatch, table.columns)))


def _typed_all(table: Any) -> Any:
    """Columns to which no value gave a type, as numbers that are missing."""
    import ibis

    kinds = table.schema().items()
    bare = [n for n, kind in kinds if kind.is_null() or (kind.is_unknown() and "NULL" in str(kind))]
    return table.mutate(**{name: ibis.null("float64") for name in bare})


def _join_parts(parts: list[Any]) -> Any:
    """The records of all parts, by the names of the columns; unlike numbers become floats."""
    first, *others = parts
    if not others:
        return first
    names = first.columns
    unlike = [n for n in names if any(part[n].type() != first[n].type() for part in others)]
    alike = [
        part.select(*names).mutate(**{name: part[name].cast("float64") for name in unlike})
        for part in parts
    ]
    return alike[0].union(*alike[1:])


def _make_expression(engine: Engine, given: Any) -> Any:
    import ibis

    with engine.refusing():
        if not isinstance(given, ibis.expr.types.Table) and hasattr(given, "columns"):
            _refuse_alike(engine, [str(name) for name in given.columns])
        if isinstance(given, pd.DataFrame):
            return _typed_all(engine.of_frame(_open_plain(given.rename(columns=str))))
        if isinstance(given, ibis.expr.types.Table):
            return given
        if type(given).__module__.startswith("pyspark.sql") and hasattr(given, "toArrow"):
            name = ibis.util.gen_name("verikit")
            given.createOrReplaceTempView(name)
            return engine.backend.table(name)
    raise SchemaError(
        f"A table was given as {type(given).__name__}; expected a path, a DataFrame, a table of "
        "Ibis, or a data frame of Spark."
    )


def _refuse_alike(engine: Engine, names: list[str]) -> None:
    """Refuse names that an engine takes for one, and would rename or confuse."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other is not name:
            raise SchemaError(
                f"Columns {quoted(other)} and {quoted(name)} have one name for {engine.name}, which"
                " does not tell capital letters apart; rename one of them."
            )


def _make_scaled(
    engine: Engine,
    table: Any,
    schema: Schema | None,
    row: str | None,
    roles: Any,
    told: Any,
    zones: Zones = NONE,
) -> Scaled:
    names = [name for name in table.columns if name != row]
    table, notes = keep_long_numbers(engine, table, names, schema)
    source = EngineTable(engine, table, row)
    if schema is None:
        schema = Schema.guess(in_own_zones(source.head(), zones), **roles)
        kinds = {name: table[name].type() for name in schema.names}
        schema = Schema(tuple(_apply_types(column, kinds[column.name]) for column in schema))
    lacking = [name for name in schema.names if name not in table.columns]
    if lacking:
        raise SchemaError(f"The table lacks the column {quoted(lacking[0])}.")
    source = EngineTable(engine, in_days(engine, table, schema, zones), row)
    told = {"notes": notes, **told, "promise": require_promise(told.get("promise", "untold"))}
    return Scaled(source, schema, **told)


def _apply_types(column: Column, kind: Any) -> Column:
    """A guessed column, whose beginning may be missing."""
    if kind.is_numeric() and column.kind == "nominal":
        return replace(column, kind="numeric")
    texts = kind.is_string() and column.kind == "numeric"
    return replace(column, kind="nominal") if texts else column


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
        **{name: _read_clock(engine, table[name], zones.get(name, dt.UTC)) for name in dated}
    )
    days = {name: table[name].cast("date") for name in dated}
    clocks = [name for name in dated if table[name].type().is_timestamp()]
    told = {
        name: (days[name].cast(table[name].type()) != table[name]).sum().fill_null(0)
        for name in clocks
    }
    for name, hours in engine.measure(table, told).items():
        if hours:
            raise SchemaError(
                f"Column {quoted(name)} holds dates at first, and times of day further on; give "
                "the table with dates, or with numbers, in it."
            )
    first = ibis.date(FIRST)
    return table.mutate(**{name: day.delta(first, unit="day") for name, day in days.items()})


def _read_clock(engine: Engine, values: Any, zone: dt.tzinfo) -> Any:
    """What a clock in a time zone shows at the instants of a column of DuckDB."""
    import ibis
    import ibis.expr.datatypes as kinds

    kind = values.type()
    if engine.spill is None or not kind.is_timestamp() or kind.timezone is None:
        return values

    @ibis.udf.scalar.builtin(
        name="timezone", signature=((kinds.string, kind), kinds.Timestamp(scale=kind.scale))
    )
    def show_clock(zone, instant):  # type: ignore[no-untyped-def]
        ...

    ahead = zone.utcoffset(None)
    if ahead is None:
        return show_clock(str(zone), values)
    return show_clock("UTC", values) + ibis.interval(seconds=int(ahead.total_seconds()))


def zones_of(frame: pd.DataFrame) -> Zones:
    """The time zones that the columns of a frame name."""
    kinds = {str(name): kind for name, kind in frame.dtypes.items()}
    return {name: kind.tz for name, kind in kinds.items() if isinstance(kind, pd.DatetimeTZDtype)}


def in_own_zones(frame: pd.DataFrame, zones: Zones) -> pd.DataFrame:
    """A frame that an engine gave, its instants in the time zones that their file names."""
    known = {name: zones[name] for name in zones_of(frame) if name in zones}
    return frame.assign(**{name: frame[name].dt.tz_convert(zone) for name, zone in known.items()})


MANTISSA = 53  # bits of a float


def keep_long_numbers(
    engine: Engine, table: Any, names: list[str], schema: Schema | None
) -> tuple[Any, tuple[str, ...]]:
    """The table with names for the columns of whole numbers that a float would merge, and notes.

    Parameters
    ----------
    engine
        Where the table is.
    table
        Its expression.
    names
        The columns to look at.
    schema
        What they were declared; None where that is to be guessed.

    Raises
    ------
    SchemaError
        If such a column was declared to be numeric.
    """
    whole = [n for n in names if n in table.columns and _is_whole(table[n].type())]
    if schema is not None:  # names are texts, as in memory
        named = [n for n in whole if n in schema.names and schema[n].kind != "numeric"]
        table = table.mutate(**{name: table[name].cast("string") for name in named})
        whole = [name for name in whole if name not in named]
    lost = _find_lost_wholes(engine, table, whole)
    for name, number in lost.items() if schema is not None else ():
        raise SchemaError(
            f"Column {quoted(name)} is numeric but holds {number}, a whole number with more "
            "digits than a number keeps; declare the column nominal."
        )
    notes = tuple(note_long_number(name, number) for name, number in lost.items())
    return table.mutate(**{name: table[name].cast("string") for name in lost}), notes


def _is_whole(kind: Any) -> bool:
    """Whether a type holds whole numbers that may be no float: of 64 bits or more."""
    return (kind.is_integer() and kind.nbytes >= 8) or (kind.is_decimal() and not kind.scale)


def _find_lost_wholes(engine: Engine, table: Any, names: list[str]) -> dict[str, int]:
    """By column the lowest whole number that is no float, where there is one."""
    sizes = {name: table[name].cast("float64").abs().max() for name in names}
    largest = {name: number_or(n) for name, n in engine.measure(table, sizes).items()}
    lowest = {
        name: table[name].min(where=_is_lost(table[name], size)).cast("string")
        for name, size in largest.items()
        if size >= 2**MANTISSA
    }
    found = engine.measure(table, lowest)
    return {name: int(number) for name, number in found.items() if isinstance(number, str)}


def _is_lost(values: Any, largest: float) -> Any:
    """Whether a float keeps a whole number not to its last digit, in integers alone.

    From 2**(52 + k) on, the floats among the whole numbers are the multiples of 2**k.
    """
    import ibis

    size, lost = values.cast("float64").abs(), ibis.literal(value=False)
    for bits in range(1, int(largest).bit_length() - MANTISSA + 1):
        beyond = size >= float(2 ** (MANTISSA - 1 + bits))
        lost |= beyond & (values % ibis.literal(2**bits) != 0)
    return lost
