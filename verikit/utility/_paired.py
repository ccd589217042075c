"""Original and masked values of the same records, side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats
from verikit.errors import SchemaError
from verikit.table import Microdata, table_of
from verikit.table.reading import holds_table
from verikit.words import count, listed

__all__ = ["Pair", "paired"]


class Pair(NamedTuple):
    """One attribute: the original values, and the masked values of the same records."""

    name: str
    original: Floats
    masked: Floats


def paired(data: Microdata, masked: Microdata, *, numeric: bool = False) -> list[Pair]:
    """Pair the attributes that both tables hold and that can be ranked, in the original's order."""
    data = table_of(data, "A comparison of records")
    masked = Microdata(masked) if holds_table(masked) else masked
    _check_rows(data, masked)
    pairs = [
        Pair(column.name, data.scores(column.name), masked.scores(column.name))
        for column in data.schema
        if column.name in masked.schema.names
        and (column.kind == "numeric" if numeric else column.ranked)
    ]
    if not pairs:
        raise SchemaError(
            f"No {'numeric' if numeric else 'ranked'} attribute is in both tables; the original "
            f"has {listed(data.schema.names)}, the masked one {listed(masked.schema.names)}."
        )
    for pair in pairs:
        for where, values in (("original", pair.original), ("release", pair.masked)):
            missing = int(np.isnan(values).sum())
            if missing:
                raise SchemaError(
                    f"Column {pair.name!r} of the {where} has {count(missing, 'missing value')} "
                    "and so no ranks; fill the gaps, or leave the column out of both tables."
                )
    return pairs


def _check_rows(data: Microdata, masked: Microdata) -> None:
    if not isinstance(masked, Microdata):
        raise SchemaError(
            f"The masked records were given as {type(masked).__name__}; expected Microdata in the "
            "order of the original (key.undo(release) puts the rows of a release back)."
        )
    if not len(data):
        raise SchemaError("The original table has no records, so there is nothing to compare.")
    if len(data) != len(masked):
        raise SchemaError(
            f"The original has {len(data)} records and the masked table {len(masked)}; expected "
            "the same records in the same order."
        )
