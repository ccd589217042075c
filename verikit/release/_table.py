"""A published table with the columns of the original, and how it was made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit.cells import cells_of, written
from verikit.errors import SchemaError, quoted
from verikit.release._package import told, write_package
from verikit.release._promise import Promise, checked_promise, promise_of
from verikit.table import Column, Schema, Scores
from verikit.table._fit import fitted
from verikit.words import count, listed

__all__ = ["Ordered", "TableRelease"]


Rows: TypeAlias = npt.NDArray[np.intp]


class Ordered(NamedTuple):
    """A column of a prepared release: its values, their sorted copy, and the rows in that order."""

    values: Scores
    ordered: Scores
    rows: Rows


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class TableRelease:
    """A published table with the columns of the original, and how it was made.

    Parameters
    ----------
    frame
        The published records; categories may be groups of their hierarchy, numbers intervals.
    schema
        Its columns.
    method, parameters
        How it was made, complete but for the randomness ([DM]_ Definition 4).
    promise
        What the publisher promises about the values: ``"as it was"``, ``"covers"`` (each cell
        holds or covers the true value), ``"another order"`` (each column holds just the original
        values in another order), ``"changed"``, or ``"untold"``.
    reported_links
        How many records the publisher's own test attack linked correctly; None if not reported.

    Examples
    --------
    >>> import verikit as vk
    >>> vk.published("dm_table1_masked")
    TableRelease(20 records of X1, X2, X3; method noise)
    """

    frame: pd.DataFrame
    schema: Schema
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: Promise = "untold"
    reported_links: int | None = None
    _prepared: Mapping[str, Ordered] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Hold a checked copy; identifiers are refused."""
        named = [column.name for column in self.schema if column.role == "identifier"]
        if named:
            raise SchemaError(
                f"A release must not hold the identifiers {listed(named)}; drop them."
            )
        checked_promise(self.promise)
        object.__setattr__(self, "frame", fitted(self.frame, self.schema, nodes=True))
        object.__setattr__(self, "parameters", told(self.method, self.parameters))
        if self.reported_links is not None and not 0 <= self.reported_links <= len(self.frame):
            raise SchemaError(
                f"{count(self.reported_links, 'correct link was', 'correct links were')} "
                f"reported of {count(len(self.frame), 'record')}; "
                "expected a count from 0 to their number."
            )

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        schema: Schema | None = None,
        *,
        method: str = "",
        parameters: Mapping[str, Any] | None = None,
        promise: str = "untold",
        permutation: bool = False,
    ) -> TableRelease:
        """A release made elsewhere; the schema is guessed from the frame where none is given.

        ``permutation=True`` says the same as ``promise="another order"``.
        """
        if not isinstance(frame, pd.DataFrame):
            raise SchemaError(
                f"A release was given as {type(frame).__name__}; expected a pandas DataFrame "
                "(verikit.open_release takes files)."
            )
        found = Schema.guess(frame) if schema is None else schema
        told = promise_of(promise, permutation=permutation)
        return cls(frame, found, method, parameters or {}, told)

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        method = f"; method {self.method}" if self.method else ""
        return f"TableRelease({len(self)} records of {', '.join(self.schema.names)}{method})"

    def _repr_html_(self) -> str:
        return str(self.frame.to_html(max_rows=12))

    @property
    def permutation(self) -> bool:
        """Whether every column holds just the original values in another order."""
        return self.promise == "another order"

    @property
    def generalized(self) -> bool:
        """Whether cells stand for several values: intervals, groups or sets of categories."""
        return self.generalized_in(self.schema.names)

    def generalized_in(self, names: Iterable[str]) -> bool:
        """Whether the release says that it was generalized, or cells of some columns show it."""
        return self.promise == "covers" or bool(self.generalized_columns(names))

    def generalized_columns(self, names: Iterable[str] | None = None) -> dict[str, str]:
        """The columns, of all or of some, whose cells stand for several values, and such a cell.

        A label that looks like a range and cannot be read counts as one that does.

        Examples
        --------
        >>> frame = pd.DataFrame({"age": ["20-29", "30+"], "grade": ["A*", "B"], "pay": [1.5, 2]})
        >>> TableRelease.of(frame).generalized_columns()
        {'age': '20-29'}
        """
        asked = self.schema.names if names is None else tuple(names)
        found = {name: _first_of_several(self.frame[name], self.schema[name]) for name in asked}
        return {name: cell for name, cell in found.items() if cell is not None}

    def scores(self, name: str) -> Scores:
        """One column as numbers in its order (see `Column.scores`)."""
        if name in self._prepared:
            return self._prepared[name].values
        values = self.frame[name]
        if isinstance(values.dtype, pd.IntervalDtype):
            raise SchemaError(
                f"Column {quoted(name)} was published as intervals, which have no single rank."
            )
        return self.schema[name].scores(values)

    def ordered(self, name: str) -> Scores:
        """One column sorted; at hand where the release is prepared, else one sort."""
        if name in self._prepared:
            return self._prepared[name].ordered
        return np.sort(self.scores(name))

    def order(self, name: str) -> Rows | None:
        """The rows in the order of one column, if the release is prepared."""
        return self._prepared[name].rows if name in self._prepared else None

    def prepare(self) -> TableRelease:
        """The same release with its columns sorted once, so that each check takes milliseconds."""
        prepared = {}
        for column in self.schema:
            if column.ranked and not isinstance(self.frame[column.name].dtype, pd.IntervalDtype):
                values = np.ascontiguousarray(self.scores(column.name))
                rows = np.argsort(values)
                prepared[column.name] = Ordered(values, values[rows], rows)
        return replace(self, _prepared=prepared)

    def save(self, folder: str | Path, *, parquet: bool = False) -> Path:
        """Write the release as a folder: the table, and `datapackage.json` with all that is public.

        Neither seed nor key nor the order of the original rows can be found in it.
        """
        facts: dict[str, Any] = {
            "kind": "table",
            "method": self.method,
            "parameters": self.parameters,
            "promise": self.promise,
        }
        if self.reported_links is not None:
            facts["reported_links"] = self.reported_links
        return write_package(Path(folder), {"table": (self.frame, self.schema)}, facts, parquet)

    @classmethod
    def opened(
        cls, tables: Mapping[str, tuple[pd.DataFrame, Schema]], facts: Mapping[str, Any]
    ) -> TableRelease:
        """The release that `save` wrote, from its table and what was said about it."""
        frame, schema = tables["table"]
        method, parameters = facts.get("method", ""), facts.get("parameters", {})
        told = promise_of(facts.get("promise", "untold"), permutation=facts.get("permutation"))
        return cls(frame, schema, method, parameters, told, facts.get("reported_links"))

    def reporting(self, links: int) -> TableRelease:
        """The same release with the number of links that the publisher's test attack got right."""
        return replace(self, reported_links=int(links))


def _first_of_several(values: pd.Series[Any], column: Column) -> str | None:
    """A cell of a column that stands for several values; None where none does."""
    if isinstance(values.dtype, pd.IntervalDtype):
        return next((written(value) for value in values if not pd.isna(value)), "missing")
    if not isinstance(values.dtype, pd.CategoricalDtype):
        return None
    found = cells_of(values, column).several
    return next((cell for cell in found if cell.strip("*")), next(iter(found), None))
