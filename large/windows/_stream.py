"""A published table that stays where it lies, and is read in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit.errors import SchemaError, quoted
from verikit.large._memory import holds_too_much
from verikit.large._source import Source
from verikit.ranks import Near, Scan, Window, find_near_records, scan_batches
from verikit.release import Promise, Promised, TableRelease
from verikit.table import EXACT, Column, Schema, as_days, find_lost_whole
from verikit.table.reading import frame_of


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
        return self._make_release(self.source.head())

    def whole(self) -> TableRelease:
        """All of it in memory."""
        batches = self.source.batches(self.schema.names)
        parts = [frame_of(batch.to_pandas()) for batch in batches]
        return self._make_release(
            pd.concat(parts, ignore_index=True) if parts else self.source.head()
        )

    def _make_release(self, frame: pd.DataFrame) -> TableRelease:
        told: Any = {"promise": self.promise, "notes": self.notes}
        return TableRelease(frame, self.schema, self.method, self.parameters, **told)

    def scores(self, names: Sequence[str]) -> Iterator[list[Floats]]:
        """Some columns as numbers in their order, batch by batch."""
        columns = [self.schema[name] for name in names]
        for batch in self.source.batches(names):
            yield score_batch(batch, columns)

    def ends(self, name: str) -> tuple[float, float]:
        """The lowest and the highest number of a column, found in one pass."""
        low, high = np.inf, -np.inf
        for (values,) in self.scores([name]):
            low = np.fmin.reduce(values, initial=low)
            high = np.fmax.reduce(values, initial=high)
        return float(low), float(high)

    def scan(self, names: Sequence[str], windows: Sequence[Window], last: bool) -> Scan:
        """Make one pass, or have the table's own engine make it."""
        by_engine = getattr(self.source, "scan_windows", None)
        if by_engine is not None:
            made: Scan = by_engine([self.schema[name] for name in names], windows, last)
            return made
        batches, too_much = self.scores(names), partial(holds_too_much, last=last)
        return scan_batches(batches, len(self), names, windows, too_much)

    def sorter(self, name: str) -> None:
        """Nothing: a column that is not loaded cannot be sorted."""

    def take_sample(self, names: Sequence[str]) -> list[Floats]:
        """Some records from several places, as numbers."""
        columns = [self.schema[name] for name in names]
        parts = [score_batch(batch, columns) for batch in self.source.sample_batches(names)]
        return [np.concatenate([np.empty(0), *part]) for part in zip(*parts, strict=True)]


def score_batch(batch: Any, columns: Sequence[Column]) -> list[Floats]:
    """The columns of a record batch as numbers in their order; missing ones are NaN."""
    return [_score_array(batch.column(at), column) for at, column in enumerate(columns)]


def _score_array(array: Any, column: Column) -> Floats:
    import pyarrow as pa

    if column.kind != "numeric":
        return column.scores(array.to_pandas())
    if column.dated and pa.types.is_temporal(array.type):
        return _count_days(array, column)
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
    if len(found) and _has_infinite(found):
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


def _count_days(array: Any, column: Column) -> Floats:
    """Dates as days; a time of day is none, which the first records of a table need not show."""
    days = np.asarray(as_days(array.to_pandas(date_as_object=False)), np.float64)
    if (days % 1 > 0).any():
        raise SchemaError(
            f"Column {quoted(column.name)} holds dates at first, and times of day further on; give "
            "the table with dates, or with numbers, in it."
        )
    return days


def _has_infinite(values: Floats) -> bool:
    ends = values.min(), values.max()
    return bool(np.isinf(values).any() if np.isnan(ends[0]) else np.isinf(ends).any())


def search(
    stream: Stream, scores: Mapping[str, float], least: Mapping[str, int] | None = None
) -> Near:
    """Find the records closest to some scores without loading the table.

    One pass keeps, of each column, the values in a window around hers, and the rows that lie in all
    windows, with a certificate that none is closer; else the windows are widened, and the table is
    read again. A missing value lies in every window, and no places away.

    Parameters
    ----------
    stream
        What was published.
    scores
        Her values as numbers, by attribute.
    least
        Places that the windows have to reach in any case.

    Returns
    -------
    Near
        What is known of the columns, and the rows in all windows, the closest among them.

    Raises
    ------
    SchemaError
        If a column has no value at all or infinite ones, or there is no record.
    FormatError
        If the table cannot be read, or too many values or rows would have to be held.

    References
    ----------
    [DM]_ Algorithm 2

    Notes
    -----
    A sample of 50,000 rows says where the windows begin; that it may mislead costs another pass
    and nothing else. Nearly always one pass is enough. What is held grows as n^(1-1/m).

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from verikit.large import located
    >>> with tempfile.TemporaryDirectory() as home:
    ...     path = f"{home}/table.parquet"
    ...     pd.DataFrame({"a": [1, 2, 3, 4, 5], "b": [5, 1, 2, 3, 4]}).to_parquet(path)
    ...     near = search(located(path, ["a", "b"]), {"a": 3, "b": 4})
    >>> near.distance, near.rows[near.gaps.max(axis=1) == 1].tolist(), near.passes
    (1, [3], 1)
    """
    return find_near_records(stream, scores, least)


Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True)
class Watched:
    """A table, and who is told after each batch how many records of all were read in this pass.

    Parameters
    ----------
    source
        The table.
    progress
        It takes both numbers; what it raises ends the reading.
    """

    source: Source
    progress: Progress

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.source.rows

    def head(self) -> pd.DataFrame:
        """The first records."""
        return self.source.head()

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Some columns, batch by batch."""
        done = 0
        for batch in self.source.batches(names):
            yield batch
            done += batch.num_rows
            self.progress(done, self.rows)

    def sample_batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Some records from several places."""
        return self.source.sample_batches(names)
