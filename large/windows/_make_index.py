"""The making of an index from a published table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.requests import whole
from verikit.errors import RecordError, SchemaError
from verikit.large._index import Buckets, Index
from verikit.large._memory import check_room
from verikit.large._open import HELD, located
from verikit.large._stream import Stream
from verikit.release import Release, TableRelease, whole_records
from verikit.table import Column, Schema


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
