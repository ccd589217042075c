"""A published table with the columns of the original, and how it was made."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.skip_validation import change_unchecked, make_unchecked
from verikit.cells import are_halves, cell_text, cells_of
from verikit.errors import SchemaError, quoted
from verikit.release._kinds import (
    KINDS,
    Promise,
    Promised,
    Published,
    Tables,
    promise_of,
    reported_without,
    require_frame,
)
from verikit.release._redraw import redraw_of
from verikit.table import Column, Framed, Schema, Scores, fit_columns, fit_frame
from verikit.words import count


class Ordered(NamedTuple):
    """A column of a prepared release: its values, their sorted copy, and the rows in that order."""

    values: Scores
    ordered: Scores
    rows: Rows


@KINDS.register
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class TableRelease(Framed, Promised, Published):
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
    reported_luck
        How many luck alone gives, as the publisher tells: the best of several attacks has more
        than one. None if not reported.
    notes
        In sentences how it was read from a file, where another reading was possible.
    reported_without
        The columns that the publisher's test attack did not go by; None if not reported.

    Examples
    --------
    >>> import verikit as vk
    >>> vk.published("dm_table1_masked")
    TableRelease(20 records of X1, X2, X3; method noise)
    """

    kind: ClassVar[str] = "table"
    whole_records: ClassVar[bool] = True
    frame: pd.DataFrame
    schema: Schema
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: Promise = "untold"
    reported_links: int | None = None
    reported_luck: float | None = None
    notes: tuple[str, ...] = ()
    reported_without: tuple[str, ...] | None = None
    _prepared: Mapping[str, Ordered] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Hold a checked copy; identifiers are refused."""
        self._hold_facts()
        object.__setattr__(self, "frame", fit_frame(self.frame, self.schema, nodes=True))
        self._check_links()

    @classmethod
    def _of(
        cls, columns: Mapping[str, Any], schema: Schema, known: Container[str], **said: Any
    ) -> TableRelease:
        """A release of our own; columns that are known come from a checked table as they were."""
        found = make_unchecked(
            cls, frame=fit_columns(columns, schema, known), schema=schema, **said
        )
        found._hold_facts()
        return found

    @classmethod
    def _of_box(
        cls, box: list[pd.DataFrame], schema: Schema, notes: tuple[str, ...]
    ) -> TableRelease:
        """A bare table from a box that nobody else holds, so that it needs no room twice."""
        found = make_unchecked(
            cls, frame=fit_frame(box.pop(), schema, nodes=True), schema=schema, notes=notes
        )
        found._hold_facts()
        return found

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
        table = require_frame(frame, "A release", "a DataFrame (verikit.open_release takes files)")
        found = Schema.guess(table) if schema is None else schema
        told = promise_of(promise, permutation=permutation)
        return cls(table, found, method, parameters or {}, told)

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        method = f"; method {self.method}" if self.method else ""
        return (
            f"TableRelease({count(len(self), 'record')} of {', '.join(self.schema.names)}{method})"
        )

    @property
    def asked(self) -> tuple[Column, ...]:
        """The columns that a person is asked for: those that rank her, or that others may know.

        Where cells stand for several values, or were drawn anew by known chances, a record is
        looked up by what others may know of it.
        """
        if self.generalized or redraw_of(self) is not None:
            return self.schema.quasi
        return tuple(column for column in self.schema if self._can_rank(column))

    def _can_rank(self, column: Column) -> bool:
        """Whether a column has an order, single values, and at least one of them."""
        spans = isinstance(self.frame[column.name].dtype, pd.IntervalDtype)
        if not column.ranked or spans:
            return False
        scores = self.scores(column.name)
        return not len(scores) or not bool(np.isnan(scores).all())

    @property
    def generalized(self) -> bool:
        """Whether cells stand for several values: intervals, groups or sets of categories."""
        return self.generalized_in(self.schema.names)

    def generalized_in(self, names: Iterable[str]) -> bool:
        """Whether the release says that it was generalized, or cells of some columns show it."""
        return self.promise == "covers" or bool(self.generalized_columns(names))

    def generalized_columns(self, names: Iterable[str] | None = None) -> dict[str, str]:
        """The columns, of all or of some, whose cells stand for several values, and such a cell.

        A label that looks like a range and cannot be read counts as one that does. Two labels of
        which one goes on where the other ends, ``<=50K`` and ``>50K``, are categories, unless the
        release says that its cells cover what is true.

        Examples
        --------
        >>> frame = pd.DataFrame({"age": ["20-29", "30+"], "grade": ["A*", "B"], "pay": [1.5, 2]})
        >>> TableRelease.of(frame).generalized_columns()
        {'age': '20-29'}
        """
        asked = self.schema.names if names is None else tuple(names)
        held = dict(zip(self.frame.columns, self.frame.dtypes, strict=True))
        found = {
            name: _find_wide_cell(self.frame[name], self.schema[name], self.promise == "covers")
            for name in asked
            if not isinstance(held.get(name), np.dtype)  # which holds single values only
        }
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

    def prepare(self) -> Self:
        """The same release with its columns sorted once, so that each check takes milliseconds."""
        prepared = {}
        for column in self.schema:
            if column.ranked and not isinstance(self.frame[column.name].dtype, pd.IntervalDtype):
                values = np.ascontiguousarray(self.scores(column.name))
                rows = np.argsort(values)
                prepared[column.name] = Ordered(values, values[rows], rows)
        return change_unchecked(self, _prepared=prepared)

    def tables(self) -> Tables:
        """What was published: the table, with its columns."""
        return {"table": (self.frame, self.schema)}

    def facts(self) -> Mapping[str, Any]:
        """What is saved besides: the links that the publisher reported, luck's, and by what not."""
        without = None if self.reported_without is None else list(self.reported_without)
        told = {
            "reported_links": self.reported_links,
            "reported_luck": self.reported_luck,
            "reported_without": without,
        }
        return {name: value for name, value in told.items() if value is not None}

    @classmethod
    def parts(cls, tables: Tables, facts: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of its own, from the table and what was said about it."""
        frame, schema = tables["table"]
        told = promise_of(facts.get("promise", "untold"), permutation=facts.get("permutation"))
        reported = {name: facts.get(name) for name in ("reported_links", "reported_luck")}
        reported["reported_without"] = reported_without(facts)
        return {"frame": frame, "schema": schema, "promise": told, **reported}

    def reporting(
        self, links: int, luck: float | None = None, without: Iterable[str] | None = None
    ) -> TableRelease:
        """The same release with the number of links that the publisher's test attack got right.

        ``luck`` is the number that luck alone gives the best of the attacks that were run;
        ``without`` names the columns that they did not go by.
        """
        left = None if without is None else tuple(without)
        told = change_unchecked(
            self, reported_links=int(links), reported_luck=luck, reported_without=left
        )
        told._check_links()
        return told

    def _check_links(self) -> None:
        if self.reported_links is not None and not 0 <= self.reported_links <= len(self.frame):
            raise SchemaError(
                f"{self.reported_links} correct links were reported of {len(self.frame)} records; "
                "expected a count from 0 to their number."
            )
        if self.reported_luck is not None and not 0 <= self.reported_luck <= len(self.frame):
            raise SchemaError(
                f"{quoted(self.reported_luck)} correct links were reported as luck's of "
                f"{len(self.frame)} records; expected a number from 0 to theirs."
            )


def _find_wide_cell(values: pd.Series[Any], column: Column, covers: bool) -> str | None:
    """A cell of a column that stands for several values; None where none does."""
    if isinstance(values.dtype, pd.IntervalDtype):
        return next((cell_text(value) for value in values if not pd.isna(value)), "missing")
    if not isinstance(values.dtype, pd.CategoricalDtype):
        return None
    cells = cells_of(values, column)
    found = () if not covers and are_halves(cells.read) else cells.several
    return next((cell for cell in found if cell.strip("*")), next(iter(found), None))
