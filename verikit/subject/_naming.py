"""Columns that name the rows of a table: a person is not asked for them, nor told she said none."""

from __future__ import annotations

import re
from typing import Any

from verikit.table import Column

__all__ = ["TABLES", "names_rows"]

FEW = 6
WORDS = {"id", "identifier", "index", "key", "nr", "record", "recordid", "row", "rowid", "uuid"}
TABLES = {"table": "frame", "split": "quasi"}  # what others may know of a person stands there


def names_rows(release: Any, column: Column) -> bool:
    """Whether a column is an identifier, or is called one and has another value in each row.

    Examples
    --------
    >>> import pandas as pd, verikit as vk
    >>> release = vk.TableRelease.of(pd.DataFrame({"row id": range(9), "age": range(30, 39)}))
    >>> [names_rows(release, column) for column in release.schema]
    [True, False]
    """
    table = getattr(release, TABLES.get(release.kind, ""), None)
    if table is None or column.name not in table:
        return False
    if column.role == "identifier":
        return True
    words = re.split(r"[\W_]+", column.name.casefold())
    called = bool(WORDS.intersection((words[0], words[-1])))
    return called and len(release) >= FEW and bool(table[column.name].is_unique)
