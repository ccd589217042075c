"""The classes of a table that an engine reads, and what they hold, counted by the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Ints
from verikit.errors import SchemaError
from verikit.large import check_room
from verikit.matching import (
    Classes,
    Holdings,
    classes_of,
    code_values,
    find_sensitive,
    group_rows,
    holdings_of,
    renumber,
)
from verikit.scale._cells import fitted_cells
from verikit.scale._engine import Engine
from verikit.scale._scaled import Scaled, ScaledSplit
from verikit.table import Column, Missing
from verikit.words import count, listed

__all__: list[str] = []

TIMES = "verikit_how_often"


@classes_of.register
def _classes(table: Scaled, missing: Missing = "refuse") -> Classes:
    """Each class is shown by one record; its size counts all."""
    frame, times = _counted(table.engine, table.held.table, _quasi(table))
    _refuse_missing(frame, times, missing)
    found = group_rows(frame, missing)
    return Classes(found.labels, np.bincount(found.labels, times).astype(np.int64), frame)


@classes_of.register
def _groups(table: ScaledSplit, _missing: Missing = "refuse") -> Classes:
    column = Column(table.group, "other", "nominal")
    frame, times = _counted(table.engine, table.quasi.table, [column])
    found = group_rows(frame)
    return Classes(found.labels, np.bincount(found.labels, times).astype(np.int64), frame)


@holdings_of.register
def _holdings(table: Scaled, sensitive: str | None = None, missing: Missing = "refuse") -> Holdings:
    quasi = _quasi(table)
    column = table.schema[find_sensitive(table.schema, sensitive)]
    return _held(table.engine, table.held.table, (quasi, column), missing)


@holdings_of.register
def _split_holdings(
    table: ScaledSplit, sensitive: str | None = None, missing: Missing = "refuse"
) -> Holdings:
    column = table.schema[find_sensitive(table.schema, sensitive)]
    group = Column(table.group, "other", "nominal")
    return _held(table.engine, table.sensitive.table, ([group], column), missing)


def _quasi(table: Scaled) -> list[Column]:
    if not len(table):
        raise SchemaError("The table has no records, so there is nothing to measure.")
    quasi = list(table.schema.quasi)
    if not quasi:
        raise SchemaError(
            f"No column of {listed(table.schema.names, 12)} is a quasi-identifier, so there are no "
            "classes; give the columns that others may know the role 'quasi'."
        )
    return quasi


def _held(
    engine: Engine, table: Any, columns: tuple[list[Column], Column], missing: Missing
) -> Holdings:
    """Pairs of class and value, counted by the engine and put in order here."""
    quasi, column = columns
    frame, times = _counted(engine, table, [*quasi, column])
    names = [part.name for part in quasi]
    _refuse_missing(frame, times, missing)
    labels = group_rows(frame[names], missing).labels
    sizes = np.bincount(labels, times).astype(np.int64)
    codes, values = code_values(frame[column.name], column.name, missing)
    if isinstance(values, pd.RangeIndex):
        codes, there = renumber(codes.astype(np.int64), len(values))
        values = values[there]
    overall = np.bincount(codes, times, len(values)).astype(np.int64)
    order = np.argsort(labels * len(values) + codes)
    classes = Classes(labels, sizes, frame[names])
    place = codes[order].astype(np.int64)
    return Holdings(classes, column, values, labels[order], place, times[order], overall)


def _counted(engine: Engine, table: Any, columns: Sequence[Column]) -> tuple[pd.DataFrame, Ints]:
    """The different rows of some columns, and how often each occurs."""
    names = [column.name for column in columns]
    found = table.select(*names).group_by(names).agg(**{TIMES: lambda t: t.count()})
    kept = engine.kept(found)
    lines = int(engine.fetch(kept.count()))
    check_room(
        100 * lines * len(names),
        f"The table has {count(lines, 'class', 'classes')} or pairs of class and value, which",
        "make the columns coarser, or name fewer of them",
    )
    frame = engine.fetch(kept)
    engine.drop(kept)
    times = frame.pop(TIMES).to_numpy(np.int64)
    return fitted_cells(frame, columns), times


def _refuse_missing(frame: pd.DataFrame, times: Ints, missing: Missing) -> None:
    """Refuse missing values with the number of records that miss them."""
    if missing == "own value":
        return
    for name in frame:
        gaps = int(times[frame[name].isna().to_numpy()].sum())
        if 0 < gaps < times.sum():
            raise SchemaError(
                f"Column {name!r} has {count(gaps, 'missing value')} of {times.sum():,}; fill the "
                "gaps, or count them as a value of their own: missing='own value'."
            )
