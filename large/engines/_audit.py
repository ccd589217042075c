"""The audit of a large release: how many places every record was moved, worked out by an engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.requests import whole
from verikit.errors import RecordError, SchemaError
from verikit.ranks import distance_of
from verikit.ranks.spread import Criterion
from verikit.scale._engine import Engine
from verikit.scale._ranks import check_criterion, closest_blocks, least_spread
from verikit.scale._scaled import Scaled
from verikit.scale._source import score_column
from verikit.subject import Required, Requirement
from verikit.utility import refuse_gaps
from verikit.words import count, listed, not_compared


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScaledAudit:
    """The protector's view of every record of a large release.

    Parameters
    ----------
    attributes
        The attributes that were compared.
    records
        How many records there are.
    largest
        The largest distance by attribute that every record keeps ([DM]_ Definition 2).
    failed
        How many records do not keep what is required.
    requirement
        What was required.
    engine, table
        One line a record, in the engine: ``record``, the places each attribute was moved, the
        diversity of those of which some is required, the most places (``worst``), and whether the
        record fails (``failed``).
    not_compared
        The published columns that took no part.
    """

    attributes: tuple[str, ...]
    records: int
    largest: Mapping[str, int]
    failed: int
    requirement: Required
    engine: Engine
    table: Any
    not_compared: tuple[str, ...] = ()

    @property
    def met(self) -> bool | None:
        """Whether every record meets the requirement; None where nothing is required."""
        return None if self.requirement.empty else not self.failed

    def to_frame(self, most: int = 100) -> pd.DataFrame:
        """The records that fail or were moved least, worst first; counted from 1."""
        ordered = self.table.order_by([self.table.failed.desc(), "worst", "record"])
        frame = self.engine.fetch(ordered.limit(whole(most, "most")))
        return frame.assign(record=frame["record"] + 1)

    def save(self, path: str | Path) -> Path:
        """Write one line a record, whole or not at all; records from 0.

        The engine writes it, so that nothing is collected: DuckDB a file, Spark a folder of parts,
        as CSV if its name ends so, else as Parquet. Spark's workers must see that folder.
        """
        return self.engine.save(self.table, path, "record")

    def __repr__(self) -> str:
        largest = ", ".join(f"{name} {places}" for name, places in self.largest.items())
        lines = [
            not_compared(self.not_compared),
            f"{count(self.records, 'record')}, {count(len(self.attributes), 'attribute')}.",
            f"Every record was moved at least this many places: {largest}.",
        ]
        if self.met is not None:
            lines.append(
                "The requirement is met for every record."
                if self.met
                else f"The requirement is not met for {self.failed:,} of "
                f"{count(self.records, 'record')}."
            )
        return "\n".join(filter(None, lines))


def audit(
    data: Scaled,
    release: Scaled,
    key: Any,
    *,
    distance: int | Mapping[str, int] | None = None,
    diversity: float | Mapping[str, float] | None = None,
    criterion: str | Criterion | Mapping[str, str | Criterion] = "variance",
) -> ScaledAudit:
    """How many places every record of a large release was moved.

    It finds what `verikit.audit` finds as the protector's view; what subjects see, and what attacks
    find, is not looked for.

    Parameters
    ----------
    data, release
        The original and what is to be published, both opened with the column that counts their
        records (``row``).
    key
        A frame or a table of the engine with the columns ``record`` and ``row``: which row came
        from which record.
    distance, diversity, criterion
        The requirement, for all attributes at once or one by one; diversity is measured as
        ``variance`` or ``distinct`` within the required distance.

    Returns
    -------
    ScaledAudit
        The largest distance that is kept, who fails, and one line a record.

    Raises
    ------
    RecordError
        If the key or the requirement does not fit the tables.
    SchemaError
        If the tables share no attribute with a declared order, or values are missing.

    References
    ----------
    [DM]_ Definitions 1 and 2, Algorithm 2

    Notes
    -----
    Two sorts and two shuffles an attribute, of original and published values together, and at the
    end one join; with diversity one sort, and a window of twice the distance for each record, more.
    Where the published values lie far from the original ones, few workers have much to do.

    Examples
    --------
    >>> import verikit as vk
    >>> from verikit.scale import connect, open_table
    >>> data, release = vk.load("dm_table1").frame, vk.published("dm_table1_masked").frame
    >>> with connect() as engine:
    ...     tables = [
    ...         open_table(engine, frame.assign(n=range(20)), vk.Schema.guess(frame), row="n")
    ...         for frame in (data, release)
    ...     ]
    ...     audit(*tables, pd.DataFrame({"record": range(20), "row": range(20)}), distance=1)
    20 records, 3 attributes.
    Every record was moved at least this many places: X1 1, X2 0, X3 0.
    The requirement is not met for 7 of 20 records.
    """
    names = _share_columns(data, release)
    required = Requirement(distance, diversity, criterion).among(names)
    check_criterion(required)
    engine = data.engine
    tables = _pair_ranks(data, release, key, names)
    moved = [_measure_moves(engine, tables, attribute, required) for attribute in enumerate(names)]
    engine.drop(tables[1])
    found = _judge_requirements(engine, moved, names, required, len(data))
    left = tuple(name for name in release.schema.names if name not in names)
    return replace(found, not_compared=left)


def _share_columns(data: Scaled, release: Scaled) -> tuple[str, ...]:
    for table, where in ((data, "original"), (release, "release")):
        if table.held.row is None:
            raise SchemaError(
                f"The records of the {where} are not counted; open it with the column that counts "
                "them from 0: row='...'."
            )
    if not len(data):
        raise RecordError("The original has no records, so there is nothing to audit.")
    if len(data) != len(release):
        raise RecordError(
            f"The original has {count(len(data), 'record')} and the release {len(release):,}; "
            "expected as many."
        )
    known = release.schema.names
    names = tuple(c.name for c in data.schema if c.name in known and distance_of(c) == "ranks")
    if not names:
        raise SchemaError(
            f"No ranked attribute is in both tables; the original has {listed(data.schema.names)}, "
            f"the release {listed(known)}."
        )
    return names


def _pair_ranks(data: Scaled, release: Scaled, key: Any, names: tuple[str, ...]) -> tuple[Any, Any]:
    """Every record with its values, and with those of the row that it became."""
    engine, first, last = data.engine, data.held.table, release.held.table
    pairs = engine.of_frame(key) if isinstance(key, pd.DataFrame) else key
    lacking = [name for name in ("record", "row") if name not in pairs.columns]
    if lacking:
        raise RecordError(
            f"The key lacks {listed(lacking)}; expected a column of records and one of rows."
        )
    mine = {f"v{at}": score_column(first, data.schema[name]) for at, name in enumerate(names)}
    theirs = {f"v{at}": score_column(last, release.schema[name]) for at, name in enumerate(names)}
    original = first.select(record=first[data.held.row].cast("int64"), **mine)
    rows = last.select(row=last[release.held.row].cast("int64"), **theirs)
    chosen = pairs.select(record=pairs["record"].cast("int64"), row=pairs["row"].cast("int64"))
    published = engine.kept(rows.inner_join(chosen, "row").drop("row"))
    joined, records = int(engine.fetch(published.count())), len(data)
    counted = {"n": chosen.count()} | {n: chosen[n].nunique() for n in ("record", "row")}
    found = {name: int(number) for name, number in engine.measure(chosen, counted).items()}
    if joined != records or set(found.values()) != {records}:
        raise RecordError(
            f"The key joins {joined:,} lines of {count(records, 'record')}, and names "
            f"{found['record']:,} different records and {found['row']:,} different "
            "rows; use the key that was made with this release, which names each once."
        )
    for table, where in ((original, "original"), (published, "release")):
        gaps = {name: table[f"v{at}"].isnull().sum() for at, name in enumerate(names)}
        for name, missing in engine.measure(table, gaps).items():
            refuse_gaps(name, where, int(missing))
    return original, published


def _measure_moves(
    engine: Engine, tables: tuple[Any, Any], attribute: tuple[int, str], required: Required
) -> Any:
    """By record the places, and the diversity, of one attribute."""
    import ibis

    at, name = attribute
    asked, published = (table.select("record", v=table[f"v{at}"]) for table in tables)
    ranks = closest_blocks(engine, asked, published)
    reach, shown = required.distance[name], []
    if required.diversity[name] is not None and reach is not None:
        ranks = least_spread(engine, published, ranks, reach, required.criteria[name])
        shown = [f"diversity {name}"]
    mine = ranks.here == 0
    found = ranks.group_by("record").agg(
        **{side: ranks[side].max(where=mine) for side in ("first", "last")},
        **{f"row_{side}": ranks[side].max(where=~mine) for side in ("first", "last")},
        **{title: ranks.least.max(where=mine) for title in shown},
    )
    above, below = found.row_first - found["last"], found["first"] - found.row_last
    places = ibis.ifelse((above + below).isnull(), above + below, ibis.greatest(above, below, 0))
    return engine.kept(found.select("record", *shown, **{f"places {name}": places}))


def _judge_requirements(
    engine: Engine, parts: list[Any], names: tuple[str, ...], required: Required, records: int
) -> ScaledAudit:
    import ibis

    moved = parts[0]
    for part in parts[1:]:
        moved = moved.inner_join(part, "record")
    columns = [moved[f"places {name}"] for name in names]
    failed = ibis.literal(False)
    for name, places in zip(names, columns, strict=True):
        spread = required.diversity[name]
        if required.distance[name] is not None:
            failed |= places < required.distance[name]
        if spread is not None:
            failed |= ~required.criteria[name].holds_all(moved[f"diversity {name}"], spread)
    worst = ibis.greatest(*columns) if len(columns) > 1 else columns[0]
    table = engine.kept(moved.mutate(worst=worst, failed=failed))
    measures = {"failed": table.failed.sum(), "n": table.worst.count()}
    told = engine.measure(table, measures)
    least = engine.measure(table, {name: table[f"places {name}"].min() for name in names})
    if int(told["n"]) != records:
        raise RecordError(
            f"The key leads from {int(told['n']):,} of {count(records, 'record')} to a row; the "
            "columns that count records and rows must hold each number from 0 once."
        )
    for part in parts:
        engine.drop(part)
    largest = {name: int(places) for name, places in least.items()}
    return ScaledAudit(names, records, largest, int(told["failed"]), required, engine, table)
