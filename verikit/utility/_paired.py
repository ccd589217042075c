"""Original and released values of the same records, side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verikit.errors import RecordError, SchemaError
from verikit.hierarchy import listed
from verikit.release import Key, TableRelease
from verikit.table import Microdata

__all__ = ["Pair", "paired"]


class Pair(NamedTuple):
    """One attribute: the original values, and the released values of the same records."""

    name: str
    original: npt.NDArray[np.float64]
    masked: npt.NDArray[np.float64]


def paired(
    data: Microdata, release: TableRelease, key: Key, *, numeric: bool = False
) -> list[Pair]:
    """Pair the attributes that both tables hold and that can be ranked, in the original's order."""
    check_key(data, release, key)
    pairs = [
        Pair(column.name, data.scores(column.name), release.scores(column.name)[key.rows])
        for column in data.schema
        if column.name in release.schema.names
        and (column.kind == "numeric" if numeric else column.ranked)
    ]
    if not pairs:
        raise SchemaError(
            f"No {'numeric' if numeric else 'ranked'} attribute is in both tables; the original "
            f"has {listed(data.schema.names)}, the release {listed(release.schema.names)}."
        )
    for pair in pairs:
        for where, values in (("original", pair.original), ("release", pair.masked)):
            missing = int(np.isnan(values).sum())
            if missing:
                raise SchemaError(
                    f"Column {pair.name!r} of the {where} has {missing} missing values, which "
                    "have no rank; fill them, or leave the column out of both tables."
                )
    return pairs


def check_key(data: Microdata, release: TableRelease, key: Key) -> None:
    """Refuse a key that does not belong to these two tables."""
    if not len(data):
        raise SchemaError("The original table has no records, so there is nothing to compare.")
    if len(key) != len(data):
        raise RecordError(
            f"The key is for {len(key)} records, but the original has {len(data)}; use the key "
            "that was made with this release."
        )
    if key.rows.max() >= len(release):
        raise RecordError(
            f"The key points to row {key.rows.max() + 1}, but the release has {len(release)}; use "
            "the key that was made with it."
        )
