"""A short form of a published table, from which a person can bound her distance."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, ShortCodes
from verikit._support.files import allowance, check_size, open_regular, read_counted
from verikit._support.guard import guard, named
from verikit._support.writing import together
from verikit.errors import FormatError, quoted
from verikit.ranks import closest
from verikit.release import (
    Promise,
    Promised,
    check_package,
    describe_column,
    read_column,
    reported_without,
    require_promise,
)
from verikit.table import Column, Schema

INDEX = b"verikit index "
TOLD = ("method", "parameters", "promise", "reported_links", "reported_luck", "reported_without")
FORMAT = 1
LARGEST = 10**9


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
        Its columns: those with a declared order.
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
        buckets = [self.of(name) for name in scores]
        codes = self.codes[:, [self.schema.names.index(name) for name in scores]].T
        gaps = [
            (np.r_[fewest, 0][column], np.r_[most, 0][column])
            for part, column, score in zip(buckets, codes, scores.values(), strict=True)
            for fewest, most in [part.bound_gaps(part.find_nearest(score))]
        ]
        missing = [column == len(part.counts) for part, column in zip(buckets, codes, strict=True)]
        shows = ~np.all(missing, axis=0)
        low, high = (np.array(side)[:, shows] for side in zip(*gaps, strict=True))
        fewest, most = low.max(axis=0), high.max(axis=0)
        upper = int(most.min())
        near = np.flatnonzero(fewest <= upper)
        least, greatest = low[:, near].min(axis=1), np.minimum(high[:, near].max(axis=1), upper)
        few, many = (dict(zip(scores, side.tolist(), strict=True)) for side in (least, greatest))
        return Bounds(int(fewest.min()), upper, len(near), few, many, int((~shows).sum()))

    def save(self, path: str | Path, *, replace: bool = False) -> Path:
        """Write it as one file, whole or not at all."""
        parts: list[bytes] = []
        for bucket, codes in zip(self.buckets, self.codes.T, strict=True):
            parts += [
                bucket.counts.astype("<i8").tobytes(),
                bucket.lowest.astype("<f8").tobytes(),
                bucket.highest.astype("<f8").tobytes(),
                (codes & 255).astype(np.uint8).tobytes(),  # low and high bytes are packed apart
                (codes >> 8).astype(np.uint8).tobytes(),
            ]
        packed = [zlib.compress(part, 9) for part in parts]
        described = {
            "columns": [describe_column(column, pd.Series([0.0])) for column in self.schema],
            "records": len(self),
            "buckets": [len(part.counts) for part in self.buckets],
            "packed": [len(part) for part in packed],
            **{name: getattr(self, name) for name in TOLD},
            "parameters": dict(self.parameters),
        }
        told = json.dumps(described, sort_keys=True, allow_nan=False).encode()
        content = len(told).to_bytes(8, "little") + told + b"".join(packed)
        head = INDEX + f"{FORMAT} {hashlib.sha256(content).hexdigest()}\n".encode()
        with together() as new:
            return new.file(path, head + content, replace=replace)


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


def _read_facts(content: bytes, name: str) -> Index:
    start = 8 + int.from_bytes(content[:8], "little")
    facts: dict[str, Any] = json.loads(content[8:start])
    told: dict[str, Any] = {name: facts[name] for name in TOLD[:-1]}
    told["reported_without"] = facts.get("reported_without")
    try:
        check_package({"resources": [{"schema": {"fields": facts["columns"]}}], "verikit": told})
    except FormatError as error:
        raise ValueError from error
    schema = Schema(tuple(map(read_column, facts["columns"])))
    size, buckets, codes = int(facts["records"]), [], []
    unpacked = sum(24 * int(count) + 2 * size for count in facts["buckets"])
    check_size(name, unpacked, allowance(len(content), most=LARGEST))
    ends = start + np.cumsum([0, *facts["packed"]])
    packed = [content[begin:end] for begin, end in pairwise(ends.tolist())]
    for at, count in enumerate(facts["buckets"]):
        lengths = (8 * count, 8 * count, 8 * count, size, size)
        counts, lowest, highest, low, high = (
            _unpack_column(*part) for part in zip(packed[5 * at : 5 * at + 5], lengths, strict=True)
        )
        found = Buckets(
            np.frombuffer(counts, "<i8").astype(np.int64),
            np.frombuffer(lowest, "<f8").astype(np.float64),
            np.frombuffer(highest, "<f8").astype(np.float64),
        )
        buckets.append(found)
        codes.append(
            np.frombuffer(low, np.uint8) | np.frombuffer(high, np.uint8).astype("<u2") << 8
        )
        edges = np.column_stack([found.lowest, found.highest]).ravel()
        held = np.bincount(codes[-1], minlength=count + 1)
        agree = size and len(held) == count + 1 and np.array_equal(held[:count], found.counts)
        if not agree or (found.counts < 1).any() or not (np.diff(edges) >= 0).all():
            raise ValueError
    require_promise(facts["promise"])
    told["reported_without"] = reported_without(facts)
    return Index(schema, tuple(buckets), np.column_stack(codes).astype(np.uint16), **told)


def _unpack_column(packed: bytes, length: int) -> bytes:
    """Unpack a column of so many bytes, and never more of them."""
    found = zlib.decompressobj().decompress(packed, length + 1)
    if len(found) != length:
        raise ValueError
    return found


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

    def code_values(self, values: Floats) -> ShortCodes:
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
