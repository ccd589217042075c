"""The audit of a large release: how many places every record was moved, worked out by an engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.requests import whole
from verikit._support.writing import together
from verikit.errors import RecordError, SchemaError
from verikit.ranks.spread import Criterion
from verikit.scale._engine import Engine
from verikit.scale._ranks import closest_blocks
from verikit.scale._scaled import Scaled
from verikit.scale._source import score
from verikit.scale._spread import check_criterion, least_spread
from verikit.subject._requirement import Required, Requirement
from verikit.words import count, listed

__all__ = ["ScaledAudit", "audit"]


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
    """

    attributes: tuple[str, ...]
    records: int
    largest: Mapping[str, int]
    failed: int
    requirement: Required
    engine: Engine
    table: Any

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
        """Write one line a record as a Parquet file, whole or not at all; records from 0."""
        import pyarrow as pa
        from pyarrow import parquet

        found = self.engine.arrow(self.table.order_by("record"))
        sink = pa.BufferOutputStream()
        parquet.write_table(found, sink)
        with together() as new:
            return new.file(path, sink.getvalue().to_pybytes())

    def __repr__(self) -> str:
        largest = ", ".join(f"{name} {places}" for name, places in self.largest.items())
        lines = [
            f"{count(self.records, 'record')}, {count(len(self.attributes), 'attribute')}.",
            f"Places that every record was moved: {largest}.",
        ]
        if self.met is not None:
            lines.append(
                "The requirement is met for every record."
                if self.met
                else f"The requirement is not met for {self.failed:,} of "
                f"{count(self.records, 'record')}."
            )
        return "\n".join(lines)


def audit(
    data: Scaled,
    release: Scaled,
    key: Any,
    *,
    distance: int | Mapping[str, int] | None = None,
    diversity: float | Mapping[str, float] | None = None,
    criterion: str | Criterion = "variance",
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
        If the tables share no attribute that can be ranked, or values are missing.

    References
    ----------
    [DM]_ Definitions 1 and 2, Algorithm 2

    Notes
    -----
    Two sorts and four joins an attribute, all of them the engine's; with diversity one sort, and a
    window of twice the distance for each record, more.

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
    Places that every record was moved: X1 1, X2 0, X3 0.
    The requirement is not met for 7 of 20 records.
    """
    names = _shared(data, release)
    required = Requirement(distance, diversity, criterion).among(names)
    check_criterion(required)
    engine = data.engine
    moved = _joined(data, release, key, names)
    for at, name in enumerate(names):
        moved = _moved(engine, moved, (at, name), required)
    return _judged(engine, moved, names, required, len(data))


def _shared(data: Scaled, release: Scaled) -> tuple[str, ...]:
    for table, where in ((data, "original"), (release, "release")):
        if table.held.row is None:
            raise SchemaError(
                f"The records of the {where} are not counted; open it with the column that counts "
                "them from 0: row='...'."
            )
    if len(data) != len(release):
        raise RecordError(
            f"The original has {count(len(data), 'record')} and the release {len(release):,}; "
            "expected as many."
        )
    known = release.schema.names
    names = tuple(c.name for c in data.schema if c.name in known and c.ranked)
    if not names:
        raise SchemaError(
            f"No ranked attribute is in both tables; the original has {listed(data.schema.names)}, "
            f"the release {listed(known)}."
        )
    return names


def _joined(data: Scaled, release: Scaled, key: Any, names: tuple[str, ...]) -> Any:
    """One line a record: its values, and those of the row that it became."""
    engine = data.engine
    pairs = engine.of_frame(key) if isinstance(key, pd.DataFrame) else key
    lacking = [name for name in ("record", "row") if name not in pairs.columns]
    if lacking:
        raise RecordError(
            f"The key lacks {listed(lacking)}; expected a column of records and one of rows."
        )
    first, last = data.held.table, release.held.table
    mine = {f"x{at}": score(first, data.schema[name]) for at, name in enumerate(names)}
    theirs = {f"y{at}": score(last, release.schema[name]) for at, name in enumerate(names)}
    original = first.select(record=first[data.held.row], **mine)
    published = last.select(row=last[release.held.row], **theirs)
    chosen = pairs.select(record=pairs["record"].cast("int64"), row=pairs["row"].cast("int64"))
    both = original.inner_join(chosen, "record").inner_join(published, "row")
    kept = engine.kept(both.drop("row"))
    _check(engine, kept, names, len(data))
    return kept


def _check(engine: Engine, kept: Any, names: tuple[str, ...], records: int) -> None:
    gaps = {f"{side}{at}": kept[f"{side}{at}"].isnull().sum() for side in "xy"
            for at in range(len(names))}  # fmt: skip
    told = engine.fetch(
        kept.aggregate(n=kept.count(), different=kept.record.nunique(), **gaps)
    ).iloc[0]
    if int(told["n"]) != records or int(told["different"]) != records:
        raise RecordError(
            f"The key joins {int(told['n']):,} lines of {count(records, 'record')}; use the key "
            "that was made with this release, which names each record and each row once."
        )
    for at, name in enumerate(names):
        for side, where in (("x", "original"), ("y", "release")):
            missing = int(told[f"{side}{at}"])
            if missing:
                raise SchemaError(
                    f"Column {name!r} of the {where} has {count(missing, 'missing value')} and so "
                    "no ranks; fill the gaps, or leave the column out of both tables."
                )


def _moved(engine: Engine, table: Any, attribute: tuple[int, str], required: Required) -> Any:
    """The same lines with the places, and the diversity, of one attribute instead of its values."""
    import ibis

    at, name = attribute
    x, y = f"x{at}", f"y{at}"
    ranks = around = closest_blocks(engine, table, x, y)
    reach = required.distance[name]
    shown: dict[str, Any] = {}
    if required.diversity[name] is not None and reach is not None:
        values = table.select("record", v=table[y])
        around = least_spread(engine, values, ranks, reach, required.criterion)
        shown = {f"diversity {name}": around.least}
    own = around.select(vx=around.v, first=around["first"], last=around["last"], **shown)
    row = ranks.select(vy=ranks.v, row_first=ranks["first"], row_last=ranks["last"])
    joined = table.inner_join(own, table[x] == own.vx)
    joined = joined.inner_join(row, joined[y] == row.vy)
    above, below = joined.row_first - joined["last"], joined["first"] - joined.row_last
    places = ibis.greatest(above, below, 0)
    rest = [n for n in table.columns if n not in (x, y)]
    found = engine.kept(joined.select(*rest, *shown, **{f"places {name}": places}))
    for used in (ranks, around, table):
        engine.drop(used)
    return found


def _judged(
    engine: Engine, moved: Any, names: tuple[str, ...], required: Required, records: int
) -> ScaledAudit:
    import ibis

    columns = [moved[f"places {name}"] for name in names]
    failed = ibis.literal(False)
    for name, places in zip(names, columns, strict=True):
        spread = required.diversity[name]
        if required.distance[name] is not None:
            failed |= places < required.distance[name]
        if spread is not None:
            failed |= ~required.criterion.holds_all(moved[f"diversity {name}"], spread)
    worst = ibis.greatest(*columns) if len(columns) > 1 else columns[0]
    table = engine.kept(moved.mutate(worst=worst, failed=failed))
    least = {f"least_{at}": table[f"places {name}"].min() for at, name in enumerate(names)}
    told = engine.fetch(table.aggregate(failed=table.failed.sum(), **least)).iloc[0]
    engine.drop(moved)
    largest = {name: int(told[f"least_{at}"]) for at, name in enumerate(names)}
    return ScaledAudit(names, records, largest, int(told["failed"]), required, engine, table)
