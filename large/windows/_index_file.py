"""The file of an index: a version, a checksum, what is told, and the buckets, packed."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.files import allowance, check_size, open_regular, read_counted
from verikit._support.guard import guard, named
from verikit._support.writing import together
from verikit.errors import FormatError, quoted
from verikit.large._buckets import Buckets
from verikit.release import (
    check_package,
    describe_column,
    read_column,
    reported_without,
    require_promise,
)
from verikit.table import Schema

__all__ = ["INDEX", "Packed", "read_index", "save_index"]

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
    content = _content(schema, table, facts)
    head = INDEX + f"{FORMAT} {hashlib.sha256(content).hexdigest()}\n".encode()
    with together() as new:
        return new.file(path, head + content, replace=replace)


def _content(schema: Schema, table: Packed, facts: Mapping[str, Any]) -> bytes:
    packed = [zlib.compress(part, 9) for part in _parts(table)]
    described = {
        "columns": [describe_column(column, pd.Series([0.0])) for column in schema],
        "records": len(table[1]),
        "buckets": [len(part.counts) for part in table[0]],
        "packed": [len(part) for part in packed],
        **facts,
    }
    told = json.dumps(described, sort_keys=True, allow_nan=False).encode()
    return len(told).to_bytes(8, "little") + told + b"".join(packed)


def _parts(table: Packed) -> Iterator[bytes]:
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
            return _opened(content, named(path))
        except FormatError:  # it would take too much memory
            raise
        except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
            raise FormatError(
                f"{named(path)} does not describe an index; fetch it again, or ask who made it."
            ) from error


def _opened(content: bytes, name: str) -> tuple[Schema, Packed, dict[str, Any]]:
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
            _unpacked(content[ends[5 * at + j] : ends[5 * at + j + 1]], length)
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


def _unpacked(packed: bytes, length: int) -> bytes:
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
