"""A table of an engine, as the check of a table that is not loaded reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import and_, or_
from typing import Any

import numpy as np
import pandas as pd

from verikit.errors import SchemaError, quoted
from verikit.large import holds_too_much, score_batch
from verikit.ranks import SAMPLE, Scan, Window, refuse_empty_columns
from verikit.scale._engine import Engine
from verikit.table import Column

PART = 2_000_000
HEAD = 1000


@dataclass(frozen=True)
class EngineTable:
    """A table that an engine reads; the passes of a check are queries of it.

    Parameters
    ----------
    engine
        The engine.
    table
        Its expression.
    row
        The column that counts the records from 0; None if they are not counted.
    """

    engine: Engine
    table: Any
    row: str | None

    def __post_init__(self) -> None:
        """Refuse a column that cannot count records."""
        if self.row is None:
            return
        if self.row not in self.table.columns:
            raise SchemaError(
                f"The table lacks the column {quoted(self.row)}, which was to count its records."
            )
        if not self.table[self.row].type().is_numeric():
            raise SchemaError(
                f"Column {quoted(self.row)} was to count the records and holds "
                f"{quoted(str(self.table[self.row].type()))}; expected whole numbers from 0 up."
            )

    @cached_property
    def rows(self) -> int:
        """The number of records."""
        return int(self.engine.fetch(self.table.count()))

    def head(self) -> pd.DataFrame:
        """The first records."""
        plain = self.table.drop(self.row) if self.row else self.table
        return self.engine.fetch(plain.limit(HEAD))

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Some columns, record after record; each batch is a query of its own."""
        import pyarrow as pa

        counted = number_rows(self, names)
        for start in range(0, self.rows, PART):
            inside = (counted.table[counted.row] >= start) & (
                counted.table[counted.row] < start + PART
            )
            part = counted.table.filter(inside).order_by(counted.row).select(*names)
            found = self.engine.arrow(part)
            merged = pa.Table.from_arrays(
                [column.combine_chunks() for column in found.columns], names=list(names)
            )
            yield from merged.to_batches()

    def sample_batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Every so many records, where they are counted; else the first ones."""
        step = max(self.rows // SAMPLE, 1)
        some = self.table.limit(SAMPLE)
        if self.row and step > 1:
            some = self.table.filter(self.table[self.row] % step == 0)
        found = self.engine.arrow(some.select(*names))
        yield from found.combine_chunks().to_batches()

    def scan_windows(
        self, columns: Sequence[Column], windows: Sequence[Window], last: bool
    ) -> Scan:
        """What one pass keeps: the rows in all windows, the values in each, and counts."""
        counted = number_rows(self, [c.name for c in columns])
        table, row = counted.table, counted.table[counted.row]
        scores = [score_column(table, column) for column in columns]
        missing = [values.isnull() for values in scores]
        inside = [
            ((values >= window.low) & (values <= window.high)).fill_null(False)
            for values, window in zip(scores, windows, strict=True)
        ]
        nothing = reduce(and_, missing)
        meant = reduce(and_, map(or_, inside, missing))
        counts: dict[str, Any] = {"first": row.min(), "last": row.max(), "nothing": nothing.sum()}
        counts |= {"complete": (~reduce(or_, missing)).sum(), "near": meant.sum()}
        for at, (values, window) in enumerate(zip(scores, windows, strict=True)):
            counts |= {
                f"missing_{at}": missing[at].sum(),
                f"below_{at}": (values < window.low).fill_null(False).sum(),
                f"inside_{at}": inside[at].sum(),
                f"lowest_{at}": values.min(),
                f"highest_{at}": values.max(),
            }
        told = self.engine.measure(table, counts)
        ends = int(number_or(told["first"], -1)), int(number_or(told["last"], -1))
        if ends != (0, self.rows - 1):
            raise SchemaError(
                f"Column {quoted(self.row)} holds numbers from {ends[0]:,} to {ends[1]:,}; expected"
                f" each of 0 to {self.rows - 1:,} once, to count the records."
            )
        for at, (column, window) in enumerate(zip(columns, windows, strict=True)):
            _fill_window(window, told, at, column)
        held = sum(16 * int(told[f"inside_{at}"]) for at in range(len(columns)))
        held += 8 * int(told["near"]) * (len(columns) + 1)
        scored = [score_batch(b, columns) for b in self.sample_batches([c.name for c in columns])]
        scored = scored or [[np.empty(0)] * len(columns)]
        sample = [np.concatenate(parts) for parts in zip(*scored, strict=True)]
        if holds_too_much(held, last):
            return Scan(None, (), sample, 0, 0)
        refuse_empty_columns([c.name for c in columns], windows, self.rows)
        for column, window in zip(columns, windows, strict=True):
            self._fill_values(column, window)
        shown = {f"v{at}": values for at, values in enumerate(scores)}
        chosen = table.filter(meant & ~nothing).select(row=counted.row, **shown)
        near = self.engine.fetch(chosen.order_by("row"))
        found = tuple(near[f"v{at}"].to_numpy(np.float64) for at in range(len(columns)))
        rows = near["row"].to_numpy(np.intp)
        return Scan(rows, found, sample, int(told["nothing"]), int(told["complete"]))

    def _fill_values(self, column: Column, window: Window) -> None:
        """The different values in a window, and how often each occurs."""
        values = self.table.select(v=score_column(self.table, column))
        inside = values.filter((values.v >= window.low) & (values.v <= window.high))
        found = self.engine.fetch(inside.group_by("v").agg(n=lambda t: t.count()))
        found = found.sort_values("v")
        window.values = found["v"].to_numpy(np.float64)
        window.counts = found["n"].to_numpy(np.int64)

    def count_copies(self, columns: Sequence[Column]) -> int:
        """How many records show the same values as another one, in all of some columns."""
        names = {f"v{at}": score_column(self.table, c) for at, c in enumerate(columns)}
        values = self.table.select(**names)
        known = values.drop_null()
        twice = known.group_by(list(names)).agg(n=lambda t: t.count())
        return int(self.engine.fetch(twice.filter(twice.n > 1).n.sum().fill_null(0)))

    def count_missing(self, column: Column) -> int:
        """How many records have no value of a column."""
        return int(self.engine.fetch(score_column(self.table, column).isnull().sum().fill_null(0)))


def score_column(table: Any, column: Column) -> Any:
    """A column as numbers in its order, as an expression; null where a value is missing."""
    import ibis

    values = table[column.name]
    if column.kind == "numeric":
        if not values.type().is_numeric():
            raise SchemaError(
                f"Column {quoted(column.name)} is numeric but holds {quoted(str(values.type()))}; "
                "give the table with numbers in it."
            )
        numbers = values.cast("float64") + 0.0
        return ibis.ifelse(numbers.isnan(), ibis.null("float64"), numbers)
    places = [(name, column.score(name)) for name in column.categories or ()]
    if not places:
        raise SchemaError(
            f"Column {quoted(column.name)} has no declared order; give a schema that declares one."
        )
    return values.cast("string").cases(*places, else_=ibis.null("float64"))


def number_or(found: Any, otherwise: float = 0.0) -> float:
    """A number that an engine gave; what no record made is another."""
    return otherwise if pd.isna(found) else float(found)


def number_rows(source: EngineTable, names: Sequence[str]) -> EngineTable:
    """Some columns with the records counted; Spark has no order to count them in."""
    some = source.table.select(*dict.fromkeys([*names, *([source.row] if source.row else [])]))
    if source.row is not None:
        return EngineTable(source.engine, some, source.row)
    if source.engine.spill is None:
        raise SchemaError(
            "The records of a table of Spark have no order of their own; name the column that "
            "counts them from 0: row='...'."
        )
    import ibis

    table = some.mutate(verikit_row=ibis.row_number())
    return EngineTable(source.engine, table, "verikit_row")


def _fill_window(window: Window, told: Any, at: int, column: Column) -> None:
    window.missing, window.below = int(told[f"missing_{at}"]), int(told[f"below_{at}"])
    ends = told[f"lowest_{at}"], told[f"highest_{at}"]
    if pd.isna(ends[0]):
        return
    window.lowest, window.highest = map(float, ends)
    if np.isinf(window.lowest) or np.isinf(window.highest):
        raise SchemaError(
            f"Column {quoted(column.name)} holds an infinite value; replace it by a number or "
            "leave it missing."
        )
