"""The short form of a table as the page keeps it: by column the ends of its buckets, and codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verikit.page._kept import Kept, KeptColumn, column_facts
from verikit.subject.masked import titles_left_out
from verikit.table import Column

if TYPE_CHECKING:
    from verikit.large import Index


def keep_index(index: Index) -> Kept:
    """Its columns in buckets, and what the publisher says.

    How many values a bucket holds is counted again; one past the last stands for a missing value.
    """
    columns = [_keep_column(index, column) for column in index.asked]
    luck = None if index.reported_luck is None else f"{index.reported_luck:.1f}"
    return Kept(columns, index.schema.quasi, {"luck": luck, "without": titles_left_out(index)})


def _keep_column(index: Index, column: Column) -> KeptColumn:
    held, at = index.of(column.name), index.schema.names.index(column.name)
    return KeptColumn(column_facts(column), (held.lowest, held.highest, index.codes[:, at]))
