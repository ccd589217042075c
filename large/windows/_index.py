"""A short form of a published table, from which a person can bound her distance."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, ShortCodes
from verikit._support.files import allowance, check_size, open_regular, read_counted
from verikit._support.guard import guard, named
from verikit._support.requests import whole
from verikit._support.writing import together
from verikit.errors import FormatError, RecordError, SchemaError, quoted
from verikit.large._open import HELD, located
from verikit.large._source import check_room
from verikit.large._stream import Stream
from verikit.ranks import closest
from verikit.release import (
    Promise,
    Promised,
    Release,
    TableRelease,
    check_package,
    describe_column,
    read_column,
    reported_without,
    require_promise,
    whole_records,
)
from verikit.table import Column, Schema


class Bounds(NamedTuple):
    """Between what the distance to the closest record lies, and where on each attribute.

    ``near`` says how many records may be the closest; ``fewest`` and ``most`` the places to them
    by attribute; ``nothing`` how many show none of the attributes, and have no distance.
    """

    lower: int
    upper: int
    near: int
    fewest: Mapping[str, int]
    most: Mapping[str, int]
    nothing: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Index(Promised):
    """A short form of a published table: of each value the bucket it lies in, without the order.

    Parameters
    ----------
    schema
        Its columns: those whose values can be ranked.
    buckets
        The buckets of each column.
    codes
        The bucket of each value, one column an attribute, rows sorted; a missing value has the
        number of buckets.
    method, parameters, promise, reported_links, reported_luck, reported_without
        What the release tells of how it was made.
    notes
        In sentences how it was read; there are none.

    Examples
    --------
    >>> import verikit as vk
    >>> vk.index(vk.published("dm_table1_masked"), bits=2)
    Index(20 records of X1, X2, X3, in buckets of up to 5)
    """

    kind: ClassVar[str] = "index"
    schema: Schema
    buckets: tuple[Buckets, ...]
    codes: ShortCodes
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: Promise = "untold"
    reported_links: int | None = None
    reported_luck: float | None = None
    notes: tuple[str, ...] = ()
    reported_without: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        names, widest = ", ".join(self.schema.names), max(part.widest for part in self.buckets)
        return f"Index({len(self):,} records of {names}, in buckets of up to {widest:,})"

    @property
    def asked(self) -> tuple[Column, ...]:
        """The columns that a person is asked for."""
        return self.schema.columns

    def ends(self, name: str) -> tuple[float, float]:
        """The lowest and the highest value of a column."""
        return float(self.of(name).lowest[0]), float(self.of(name).highest[-1])

    def of(self, name: str) -> Buckets:
        """The buckets of one column."""
        return self.buckets[self.schema.names.index(name)]

    def bounds(self, scores: Mapping[str, float]) -> Bounds:
        """Between what the distance to the record closest to some scores lies.

        Notes
        -----
        For each bucket the fewest and the most places between one of its values and the closest
        value to hers, none for a missing one; of each record that shows something the worst of both
        over the attributes; the least of these. O(n) for each attribute.
        """
        gaps = {name: self._bucket_gaps(name, score) for name, score in scores.items()}
        codes = {name: self.codes[:, self.schema.names.index(name)] for name in scores}
        shows = ~np.all([codes[name] == len(self.of(name).counts) for name in scores], axis=0)
        codes = {name: column[shows] for name, column in codes.items()}
        fewest, most = (
            _maximum_of([gaps[name][side][codes[name]] for name in scores]) for side in (0, 1)
        )
        upper = int(most.min())
        near = np.flatnonzero(fewest <= upper)
        low = {name: int(gaps[name][0][codes[name][near]].min()) for name in scores}
        high = {name: int(gaps[name][1][codes[name][near]].max()) for name in scores}
        high = {name: min(places, upper) for name, places in high.items()}
        return Bounds(int(fewest.min()), upper, len(near), low, high, int((~shows).sum()))

    def _bucket_gaps(self, name: str, score: float) -> tuple[Ints, Ints]:
        """By bucket the fewest and the most places; last of a missing value."""
        column = self.of(name)
        fewest, most = column.bound_gaps(column.find_nearest(score))
        return np.r_[fewest, 0], np.r_[most, 0]

    def save(self, path: str | Path, *, replace: bool = False) -> Path:
        """Write it as one file, whole or not at all."""
        facts = {
            "method": self.method,
            "parameters": dict(self.parameters),
            "promise": self.promise,
            "reported_links": self.reported_links,
            "reported_luck": self.reported_luck,
            "reported_without": self.reported_without,
        }
        return save_index(path, self.schema, (self.buckets, self.codes), facts, replace)


def open_index(path: str | Path) -> Index:
    """Read the file of an index; one that is damaged, or newer than this verikit, is refused.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Index
        What was saved.

    Raises
    ------
    FormatError
        If it is no index, was changed or cut short, or a newer verikit wrote it.

    Examples
    --------
    >>> import tempfile
    >>> import verikit as vk
    >>> with tempfile.TemporaryDirectory() as home:
    ...     path = vk.index(vk.published("dm_table1_masked"), bits=2).save(f"{home}/table.index")
    ...     open_index(path)
    Index(20 records of X1, X2, X3, in buckets of up to 5)
    """
    schema, (buckets, codes), facts = read_index(path)
    return Index(schema, buckets, codes, **facts)


def _maximum_of(parts: list[Ints]) -> Ints:
    worst = parts[0]
    for part in parts[1:]:
        worst = np.maximum(worst, part)
    return worst


class Between(NamedTuple):
    """A block of ranks that is known within bounds: those of its first and of its last rank."""

    first: tuple[int, int]
    last: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """A column whose equal values are never parted.

    Parameters
    ----------
    counts
        How many values each bucket holds, in ascending order of values.
    lowest, highest
        The values at its ends.

    Examples
    --------
    >>> made = Buckets.of(np.array([1.0, 1, 1, 4, 5, 7, 8]), 2)
    >>> made.counts.tolist(), made.lowest.tolist(), made.highest.tolist()
    ([3, 4], [1.0, 4.0], [1.0, 8.0])
    """

    counts: Ints
    lowest: Floats
    highest: Floats

    @classmethod
    def of(cls, ordered: Floats, most: int) -> Buckets:
        """The buckets of a sorted column: about as many values in each, and at most so many."""
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        wanted = most
        while len(starts) > most:
            found = _find_bucket_starts(ordered, starts, wanted)
            if len(found) <= most:
                starts = found
                break
            wanted = wanted * 9 // 10
        ends = np.r_[starts[1:], len(ordered)]
        return cls(ends - starts, ordered[starts], ordered[ends - 1])

    def code_values(self, values: Floats) -> npt.NDArray[np.uint16]:
        """The bucket of each value; a missing one has the number of buckets."""
        places = np.searchsorted(self.lowest, values, "right") - 1
        return np.where(np.isnan(values), len(self.counts), places).astype(np.uint16)

    @property
    def single(self) -> Flags:
        """Which buckets hold one value, so that its ranks are known exactly."""
        return self.lowest == self.highest

    @property
    def first(self) -> Ints:
        """The first rank of each bucket."""
        return self.last - self.counts + 1

    @property
    def last(self) -> Ints:
        """The last rank of each bucket."""
        return np.cumsum(self.counts)

    @property
    def widest(self) -> int:
        """The largest number of values of which the order is not known."""
        mixed = self.counts[~self.single]
        return int(mixed.max()) if len(mixed) else 1

    def find_nearest(self, score: float) -> Between:
        """The ranks of the value closest to a score, within bounds."""
        at = int(np.searchsorted(self.lowest, score, "right")) - 1
        if at >= 0 and self.lowest[at] < score < self.highest[at]:
            ends = int(self.first[at]), int(self.last[at])
            return Between(ends, ends)
        edges = np.unique(np.r_[self.lowest, self.highest])
        block = closest(edges, score)
        low, high = (self._edge_ranks(edges[rank - 1]) for rank in (block.first, block.last))
        return Between(low.first, high.last)

    def _edge_ranks(self, value: float) -> Between:
        """The ranks of a value at the end of its bucket."""
        at = int(np.searchsorted(self.lowest, value, "right")) - 1
        first, last = int(self.first[at]), int(self.last[at])
        if self.single[at]:
            return Between((first, first), (last, last))
        if value == self.lowest[at]:
            return Between((first, first), (first, last - 1))
        return Between((first + 1, last), (last, last))

    def bound_gaps(self, block: Between) -> tuple[Ints, Ints]:
        """By bucket the fewest and the most places between a block and a value in it."""
        first, last = self.first, self.last
        fewest = np.maximum(np.maximum(first - block.last[1], block.first[0] - last), 0)
        begin = np.where(self.single, first, last)
        end = np.where(self.single, last, first)
        most = np.maximum(np.maximum(begin - block.last[0], block.first[1] - end), 0)
        return fewest, most


def _find_bucket_starts(ordered: Floats, starts: Ints, wanted: int) -> Ints:
    """Where about so many buckets begin: at even steps, and around values that fill one."""
    size = len(ordered)
    steps = np.arange(wanted) * size // max(wanted, 1)
    even = starts[np.searchsorted(starts, steps, "right") - 1]
    lengths = np.diff(np.r_[starts, size])
    heavy = np.flatnonzero(lengths * wanted >= size)
    around = np.r_[starts[heavy], starts[heavy] + lengths[heavy]]
    return np.unique(np.r_[0, even, around[around < size]])


Packed: TypeAlias = tuple[tuple[Buckets, ...], npt.NDArray[np.uint16]]

INDEX = b"verikit index "
TOLD = ("method", "parameters", "promise", "reported_links", "reported_luck")

FORMAT = 1
LARGEST = 10**9


def save_index(
    path: str | Path, schema: Schema, table: Packed, facts: Mapping[str, Any], replace: bool
) -> Path:
    """Write an index as one file, whole or not at all.

    Parameters
    ----------
    path
        Where.
    schema, table
        Its columns; their buckets, and the bucket of each value.
    facts
        What is told of how the table was made.
    replace
        Whether it may take the place of another file.
    """
    content = _pack_facts(schema, table, facts)
    head = INDEX + f"{FORMAT} {hashlib.sha256(content).hexdigest()}\n".encode()
    with together() as new:
        return new.file(path, head + content, replace=replace)


def _pack_facts(schema: Schema, table: Packed, facts: Mapping[str, Any]) -> bytes:
    packed = [zlib.compress(part, 9) for part in _pack_columns(table)]
    described = {
        "columns": [describe_column(column, pd.Series([0.0])) for column in schema],
        "records": len(table[1]),
        "buckets": [len(part.counts) for part in table[0]],
        "packed": [len(part) for part in packed],
        **facts,
    }
    told = json.dumps(described, sort_keys=True, allow_nan=False).encode()
    return len(told).to_bytes(8, "little") + told + b"".join(packed)


def _pack_columns(table: Packed) -> Iterator[bytes]:
    """The buckets of each column, then of each value; low and high bytes apart."""
    for part, codes in zip(table[0], table[1].T, strict=True):
        yield part.counts.astype("<i8").tobytes()
        yield part.lowest.astype("<f8").tobytes()
        yield part.highest.astype("<f8").tobytes()
        yield (codes & 255).astype(np.uint8).tobytes()
        yield (codes >> 8).astype(np.uint8).tobytes()


def read_index(path: str | Path) -> tuple[Schema, Packed, dict[str, Any]]:
    """What `save_index` wrote; a file that is damaged, or newer than this verikit, is refused."""
    with guard(named(path)):
        with open_regular(Path(path)) as file:
            content = read_counted(file, named(path), LARGEST)
        head, _, content = content.partition(b"\n")
        version, _, digest = head.removeprefix(INDEX).partition(b" ")
        if not head.startswith(INDEX) or not version.isdigit():
            raise FormatError(f"{named(path)} is no index; give the file that was published.")
        if int(version) > FORMAT:
            raise FormatError(
                f"{named(path)} was written by a newer verikit (format {quoted(int(version))}); "
                "update yours."
            )
        if hashlib.sha256(content).hexdigest().encode() != digest:
            raise FormatError(f"{named(path)} is damaged or was cut short; fetch it again.")
        try:
            return _read_facts(content, named(path))
        except FormatError:  # it would take too much memory
            raise
        except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
            raise FormatError(
                f"{named(path)} does not describe an index; fetch it again, or ask who made it."
            ) from error


def _read_facts(content: bytes, name: str) -> tuple[Schema, Packed, dict[str, Any]]:
    start = 8 + int.from_bytes(content[:8], "little")
    facts: dict[str, Any] = json.loads(content[8:start])
    _check_told(facts)
    schema = Schema(tuple(map(read_column, facts["columns"])))
    ends = start + np.cumsum([0, *facts["packed"]])
    size, buckets, codes = int(facts["records"]), [], []
    unpacked = sum(24 * int(count) + 2 * size for count in facts["buckets"])
    check_size(name, unpacked, allowance(len(content), most=LARGEST))
    for at, count in enumerate(facts["buckets"]):
        lengths = (8 * count, 8 * count, 8 * count, size, size)
        counts, lowest, highest, low, high = (
            _unpack_column(content[ends[5 * at + j] : ends[5 * at + j + 1]], length)
            for j, length in enumerate(lengths)
        )
        buckets.append(_buckets(counts, lowest, highest, size))
        codes.append(
            np.frombuffer(low, np.uint8) | np.frombuffer(high, np.uint8).astype("<u2") << 8
        )
        if not size or codes[-1].max() > count:
            raise ValueError
        held = np.bincount(codes[-1], minlength=count + 1)
        if not np.array_equal(held[:count], buckets[-1].counts):
            raise ValueError
    require_promise(facts["promise"])
    told = {name: facts[name] for name in TOLD}
    told["reported_without"] = reported_without(facts)
    return schema, (tuple(buckets), np.column_stack(codes).astype(np.uint16)), told


def _check_told(facts: Mapping[str, Any]) -> None:
    """Refuse what the description of a release may not say either."""
    columns, told = facts["columns"], {name: facts[name] for name in TOLD}
    told["reported_without"] = facts.get("reported_without")
    try:
        check_package({"resources": [{"schema": {"fields": columns}}], "verikit": told})
    except FormatError as error:
        raise ValueError from error


def _unpack_column(packed: bytes, length: int) -> bytes:
    """What was packed, which must have the length that was told."""
    reader = zlib.decompressobj()
    found = reader.decompress(packed, length + 1)
    if len(found) != length:
        raise ValueError
    return found


def _buckets(counts: bytes, lowest: bytes, highest: bytes, size: int) -> Buckets:
    found = Buckets(
        np.frombuffer(counts, "<i8").astype(np.int64),
        np.frombuffer(lowest, "<f8").astype(np.float64),
        np.frombuffer(highest, "<f8").astype(np.float64),
    )
    ends = np.column_stack([found.lowest, found.highest]).ravel()
    if (found.counts < 1).any() or found.counts.sum() > size or not (np.diff(ends) >= 0).all():
        raise ValueError
    return found


def index(release: Release | str | Path, bits: int = 12) -> Index:
    """A short form of a published table that people can fetch instead of it.

    Of each value it keeps the bucket of neighbouring values that it lies in; equal values are
    never parted, and the rows are sorted, so that their order is lost. A check with it
    (`verikit.check`) gives a lower and an upper bound of the distance that a check with the table
    gives. It is made of the published table alone, and tells nothing beyond it. Give it out whole:
    who asks for the part around her values tells where she stands.

    Parameters
    ----------
    release
        A release of single values, or where it lies. Columns that have no order, or no value, are
        left out.
    bits
        How finely values are told apart: at most 2 to this power of buckets a column, one of them
        for missing values; 1 to 16.

    Returns
    -------
    Index
        To be saved by its ``save``, and opened by `verikit.check`.

    Raises
    ------
    SchemaError
        If the release holds no table of single values, or no column can be ranked.
    RecordError
        If the bits are no whole number from 1 to 16.

    References
    ----------
    [DM]_ Algorithm 2

    Notes
    -----
    The index is our own. With B the largest bucket, the upper bound is at most 2(B - 1) places
    above the lower one. Made by one sort a column and one of the rows; the same table gives the
    same index, whatever the order of its rows.

    Examples
    --------
    >>> import verikit as vk
    >>> release = vk.published("dm_table1_masked")
    >>> record = vk.load("dm_table1").record(2)
    >>> report = vk.check(record, index(release, bits=2))
    >>> report.facts["lower"], report.facts["upper"]
    (1, 9)
    >>> vk.check(record, release).facts["distance"]
    4
    """
    if whole(bits, "bits") > 16:
        raise RecordError(f"bits was given as {bits}; expected a whole number from 1 to 16.")
    found: Any = located(release) if isinstance(release, (str, Path)) else release
    held = _load_stream(found) if isinstance(found, Stream) else found
    if not whole_records(held) or not len(held):
        raise SchemaError(
            "An index can be made of a table of single values that holds records; this is "
            f"{type(held).__name__}."
        )
    columns = {column: held.scores(column.name) for column in held.schema if held._can_rank(column)}
    if not columns:
        raise SchemaError(
            "No column of this release can be ranked; give one with numbers or ordered categories."
        )
    return _make_index(held, columns, 1 << bits)


def _load_stream(stream: Stream) -> TableRelease:
    check_room(
        HELD * len(stream) * len(stream.schema),
        "An index is made of a table in memory, whose cells",
        "make it on a larger machine",
    )
    return stream.whole()


def _make_index(held: TableRelease, columns: Mapping[Column, Any], most: int) -> Index:
    buckets = tuple(_make_buckets(np.sort(values), most) for values in columns.values())
    parts = [part.code_values(v) for part, v in zip(buckets, columns.values(), strict=True)]
    codes = np.column_stack(parts)
    order = np.lexsort(codes.T[::-1])
    names = ("method", "parameters", "promise", "reported_links", "reported_luck")
    told: Any = {name: getattr(held, name) for name in names}
    told["reported_without"] = None if held.reported_links is None else held.not_compared
    return Index(Schema(tuple(columns)), buckets, codes[order], **told)


def _make_buckets(ordered: Floats, most: int) -> Buckets:
    """The buckets of a sorted column; missing values, which stand last, take one of their own."""
    known = int(np.searchsorted(ordered, np.nan))
    return Buckets.of(ordered[:known], most - (known < len(ordered)))
