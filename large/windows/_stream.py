"""A published table that stays where it lies, and is read in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit.errors import SchemaError, quoted
from verikit.large._memory import holds_too_much
from verikit.large._source import Source
from verikit.large._watched import Progress, Watched
from verikit.ranks import Scan, Window, scan_batches
from verikit.release import Promise, Promised, TableRelease
from verikit.table import EXACT, Column, Schema, as_days, find_lost_whole
from verikit.table.reading import frame_of

__all__ = ["Stream"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stream(Promised):
    """A published table of single values that is not loaded.

    Parameters
    ----------
    source
        Where it lies.
    schema
        Its columns.
    method, parameters, promise, reported_links, reported_luck, reported_without
        What is told of how it was made; see `TableRelease`.
    notes
        In sentences how it was read, where another reading was possible.
    """

    kind: ClassVar[str] = "stream"
    source: Source
    schema: Schema
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: Promise = "untold"
    reported_links: int | None = None
    reported_luck: float | None = None
    notes: tuple[str, ...] = ()
    reported_without: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return self.source.rows

    def __repr__(self) -> str:
        return f"Stream({len(self):,} records of {', '.join(self.schema.names)})"

    @property
    def asked(self) -> tuple[Column, ...]:
        """The columns that a person is asked for: those that can be ranked."""
        return tuple(column for column in self.schema if column.ranked)

    def watched(self, progress: Progress) -> Stream:
        """The same table, which tells after each batch how many of its records were read.

        Examples
        --------
        >>> import tempfile
        >>> import verikit as vk
        >>> from verikit.large import located
        >>> seen = []
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     saved = vk.published("dm_table1_masked").save(f"{folder}/release", parquet=True)
        ...     stream = located(saved).watched(lambda done, of: seen.append((done, of)))
        ...     report = vk.check({"X1": 100, "X2": 900}, stream, chance=False)
        >>> seen
        [(20, 20)]
        """
        return replace(self, source=Watched(self.source, progress))

    def head(self) -> TableRelease:
        """Its first records as a release of its own, which tells what kind it is of."""
        return self._table(self.source.head())

    def whole(self) -> TableRelease:
        """All of it in memory."""
        batches = self.source.batches(self.schema.names)
        parts = [frame_of(batch.to_pandas()) for batch in batches]
        return self._table(pd.concat(parts, ignore_index=True) if parts else self.source.head())

    def _table(self, frame: pd.DataFrame) -> TableRelease:
        told: Any = {"promise": self.promise, "notes": self.notes}
        return TableRelease(frame, self.schema, self.method, self.parameters, **told)

    def scores(self, names: Sequence[str]) -> Iterator[list[Floats]]:
        """Some columns as numbers in their order, batch by batch."""
        columns = [self.schema[name] for name in names]
        for batch in self.source.batches(names):
            yield scores_of(batch, columns)

    def ends(self, name: str) -> tuple[float, float]:
        """The lowest and the highest number of a column, found in one pass."""
        low, high = np.inf, -np.inf
        for (values,) in self.scores([name]):
            low = np.fmin.reduce(values, initial=low)
            high = np.fmax.reduce(values, initial=high)
        return float(low), float(high)

    def scan(self, names: Sequence[str], windows: Sequence[Window], last: bool) -> Scan:
        """Make one pass, or have the table's own engine make it."""
        by_engine = getattr(self.source, "passed", None)
        if by_engine is not None:
            made: Scan = by_engine([self.schema[name] for name in names], windows, last)
            return made
        batches, too_much = self.scores(names), partial(holds_too_much, last=last)
        return scan_batches(batches, len(self), names, windows, too_much)

    def sorter(self, name: str) -> None:
        """Nothing: a column that is not loaded cannot be sorted."""

    def sampled(self, names: Sequence[str]) -> list[Floats]:
        """Some records from several places, as numbers."""
        columns = [self.schema[name] for name in names]
        parts = [scores_of(batch, columns) for batch in self.source.spread(names)]
        return [np.concatenate([np.empty(0), *part]) for part in zip(*parts, strict=True)]


def scores_of(batch: Any, columns: Sequence[Column]) -> list[Floats]:
    """The columns of a record batch as numbers in their order; missing ones are NaN."""
    return [_scores(batch.column(at), column) for at, column in enumerate(columns)]


def _scores(array: Any, column: Column) -> Floats:
    import pyarrow as pa

    if column.kind != "numeric":
        return column.scores(array.to_pandas())
    if column.dated and pa.types.is_temporal(array.type):
        return _days(array, column)
    try:
        values = array if array.type == pa.float64() else array.cast(pa.float64(), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise SchemaError(
            f"Column {quoted(column.name)} is numeric but holds {quoted(str(array.type))}; give "
            "the table with numbers in it."
        ) from None
    found = np.asarray(values.to_numpy(zero_copy_only=False), np.float64)
    if pa.types.is_integer(array.type):
        _refuse_lost_wholes(array, found, column)
    if len(found) and _infinite(found):
        raise SchemaError(
            f"Column {quoted(column.name)} holds an infinite value; replace it by a number or "
            "leave it missing."
        )
    return found


def _refuse_lost_wholes(array: Any, found: Floats, column: Column) -> None:
    """Refuse whole numbers that floats merge, which the first records need not show."""
    large = np.flatnonzero(np.abs(found) >= EXACT)  # missing ones are not
    lost = find_lost_whole(array.take(large).to_pandas()) if len(large) else None
    if lost is not None:
        raise SchemaError(
            f"Column {quoted(column.name)} is numeric but holds {lost}, a whole number with more "
            "digits than a number keeps; read the table with verikit.open_release, which takes "
            "such a column for names, or leave the column out."
        )


def _days(array: Any, column: Column) -> Floats:
    """Dates as days; a time of day is none, which the first records of a table need not show."""
    days = np.asarray(as_days(array.to_pandas(date_as_object=False)), np.float64)
    if (days % 1 > 0).any():
        raise SchemaError(
            f"Column {quoted(column.name)} holds dates at first, and times of day further on; give "
            "the table with dates, or with numbers, in it."
        )
    return days


def _infinite(values: Floats) -> bool:
    ends = values.min(), values.max()
    return bool(np.isinf(values).any() if np.isnan(ends[0]) else np.isinf(ends).any())
