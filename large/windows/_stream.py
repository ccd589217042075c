"""A published table that stays where it lies, and is read in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit import ranks
from verikit._support.arrays import Floats, Ints
from verikit.errors import SchemaError, quoted
from verikit.large._source import Source, allowed_bytes, holds_too_much
from verikit.release import Promise, Promised, TableRelease
from verikit.table import Column, Schema
from verikit.table.reading import frame_of
from verikit.values.dates import as_days
from verikit.values.numbers import EXACT, find_lost_whole


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
        """The columns that a person is asked for: those with a declared order."""
        return tuple(column for column in self.schema if ranks.distance_of(column) == "ranks")

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

    def scan(self, names: Sequence[str], windows: Sequence[ranks.Window], last: bool) -> ranks.Scan:
        """Make one pass, or have the table's own engine make it."""
        by_engine = getattr(self.source, "scan_windows", None)
        if by_engine is not None:
            return by_engine([self.schema[name] for name in names], windows, last)
        batches, too_much = self.scores(names), partial(holds_too_much, last=last)
        return ranks.scan_batches(batches, len(self), names, windows, too_much)

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
    if np.isinf(found).any():
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


def search(
    stream: Stream, scores: Mapping[str, float], least: Mapping[str, int] | None = None
) -> ranks.Near:
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
    return ranks.find_near_records(stream, scores, least)


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


class Counted:
    """Some values of a column, whose ranks are counted batch by batch, and the values beside them.

    Parameters
    ----------
    values
        The values, ascending, each once.
    beside
        Whether the closest other values to each side are looked for, too.
    """

    def __init__(self, values: Floats, beside: bool) -> None:
        size = len(values)
        self.values, self.beside = values, beside
        self.below, self.equal = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self.steps = np.zeros(size + 1, np.int64)
        self.sides = {-1: (np.full(size, -np.inf), np.zeros(size, np.int64)),
                      1: (np.full(size, np.inf), np.zeros(size, np.int64))}  # fmt: skip

    def find_blocks(self, values: Floats) -> tuple[Ints, Ints]:
        """The first and the last ranks of values that were counted."""
        at = np.searchsorted(self.values, values)
        below = (self.below + np.cumsum(self.steps[:-1]))[at]
        return below + 1, below + self.equal[at]

    def find_closest_others(self, values: Floats) -> tuple[Ints, Ints]:
        """The ranks of what is closest to values that are taken out; see `closest_others`."""
        at = np.searchsorted(self.values, values)
        first, last = self.find_blocks(values)
        (low, few), (high, many) = (
            (value[at], count[at]) for value, count in (self.sides[-1], self.sides[1])
        )
        lean = (values - low) - (high - values)
        inner = np.flatnonzero(np.isfinite(lean))
        both = np.zeros(len(lean), bool)
        both[inner[ranks.find_half_way(lean[inner], low[inner], high[inner])]] = True
        alone = first == last
        return (
            np.where(alone & (both | (lean <= 0)), first - few, first),
            np.where(alone & (both | (lean > 0)), last + many, last),
        )

    def add_batch(self, ordered: Floats) -> None:
        """Count a sorted batch: the shorter of both is looked up in the longer, if that will do."""
        if self.beside or len(self.values) < len(ordered):
            first, last = ranks.blocks(self.values, ordered)
            self.below += first - 1
            self.equal += last - first + 1
            if self.beside:
                self._update_neighbours(ordered, -1, first - 2)
                self._update_neighbours(ordered, 1, last)
        else:
            places = np.searchsorted(self.values, ordered, "right")
            self.steps += np.bincount(places, minlength=len(self.steps))
            found = places[self.values[places - 1] == ordered] - 1
            self.equal += np.bincount(found[found >= 0], minlength=len(self.equal))

    def _update_neighbours(self, ordered: Floats, side: int, places: Ints) -> None:
        """Take over the values at some places of a batch where they lie closer than before."""
        value, count = self.sides[side]
        asked = np.flatnonzero((places >= 0) & (places < len(ordered)))
        new = ordered[places[asked]]
        times = np.ones(len(new), np.int64)
        next_to = np.clip(places[asked] + side, 0, len(ordered) - 1)
        tied = np.flatnonzero((ordered[next_to] == new) & (next_to != places[asked]))
        first, last = ranks.blocks(new[tied], ordered)
        times[tied] = last - first + 1
        closer = side * (new - value[asked]) < 0
        count[asked] *= ~closer
        value[asked] = np.where(closer, new, value[asked])
        count[asked] += times * (new == value[asked])


def count_ranks(
    stream: Stream, names: Sequence[str], values: Sequence[Floats], beside: bool = False
) -> list[Counted]:
    """The first and the last rank of some values of each column, in one pass.

    What lies beside a value is known where it is asked for. Missing values have no rank, and are
    not counted.

    Notes
    -----
    Each batch is sorted and merged with the values: O(n log b) for batches of b records.
    """
    counts = [Counted(np.unique(part[~np.isnan(part)]), beside) for part in values]
    for batch in stream.scores(names):
        for count, column in zip(counts, batch, strict=True):
            ordered = np.sort(column)
            count.add_batch(ordered[: np.searchsorted(ordered, np.nan)])
    return counts


ODD = np.uint64(0x9E3779B97F4A7C15)


def share_of_copies(stream: Stream, names: Sequence[str]) -> float:
    """The share of records that show the same values as another one, in all of some columns.

    Notes
    -----
    Records are told apart by codes of 64 bits, which two of 10^8 different ones share once in a
    thousand tables. Where these do not fit into memory, the table is read several times, each time
    for a part of the codes.
    """
    if hasattr(stream.source, "count_copies"):  # the table's own engine counts them
        copies = stream.source.count_copies([stream.schema[name] for name in names])
        return float(copies / len(stream))
    parts = -(-24 * len(stream) // allowed_bytes())
    copies = sum(_count_copies(stream, names, part, parts) for part in range(parts))
    return copies / len(stream)


def share_of_unique(stream: Stream, name: str) -> float:
    """The share of records whose value of one column nobody shares.

    Notes
    -----
    A missing value is nobody's own, unless it is the only one.
    """
    if hasattr(stream.source, "count_missing"):
        missing = int(stream.source.count_missing(stream.schema[name]))
    else:
        missing = sum(int(np.isnan(part[0]).sum()) for part in stream.scores([name]))
    copies = share_of_copies(stream, [name]) * len(stream)
    return 1 - (round(copies) + missing * (missing > 1)) / len(stream)


def _count_copies(stream: Stream, names: Sequence[str], part: int, parts: int) -> int:
    codes = [np.empty(0, np.uint64)]
    for columns in stream.scores(names):
        found = _hash_records(columns)
        codes.append(found if parts == 1 else found[found % np.uint64(parts) == part])
    ordered = np.sort(np.concatenate(codes))
    same = ordered[1:] == ordered[:-1]
    return int(np.count_nonzero(np.r_[False, same] | np.r_[same, False])) if len(ordered) else 0


def _hash_records(columns: Sequence[Floats]) -> npt.NDArray[np.uint64]:
    missing = np.any([np.isnan(column) for column in columns], axis=0)
    known = [column[~missing] for column in columns] if missing.any() else columns
    code = np.zeros(len(known[0]), np.uint64)
    for column in known:
        code ^= (column + 0.0).view(np.uint64)  # one zero, whatever its sign
        for shift in (32, 29, 32):
            code ^= code >> np.uint64(shift)
            code *= ODD
    return code
