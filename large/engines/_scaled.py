"""A published table, or one in two parts, that an engine reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pandas as pd

from verikit.errors import SchemaError, quoted
from verikit.large import Stream
from verikit.release import TableRelease
from verikit.scale._cells import fitted_cells
from verikit.scale._engine import Engine
from verikit.scale._source import EngineTable
from verikit.table import Schema

__all__ = ["Scaled", "ScaledSplit"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scaled(Stream):
    """A published table of whole records that an engine reads.

    It is checked, judged and asked by the functions that take a table in memory: `verikit.check`,
    the models of `verikit.models` and `verikit.answer`.

    Parameters
    ----------
    source
        The table in its engine.
    schema
        Its columns.
    method, parameters, promise, reported_links, reported_luck, reported_without
        What is told of how it was made; see `TableRelease`.
    notes
        In sentences how it was read, where another reading was possible.
    """

    def __post_init__(self) -> None:
        """Refuse names under which an engine works something out."""
        _refuse_ours(self.schema)

    @property
    def engine(self) -> Engine:
        """The engine."""
        return self.held.engine

    @property
    def held(self) -> EngineTable:
        """The table in it."""
        return self.source if isinstance(self.source, EngineTable) else self.source.source  # type: ignore[attr-defined]

    def _table(self, frame: pd.DataFrame) -> TableRelease:
        """Cells that are ranges are intervals in memory."""
        told: Any = {"promise": self.promise, "notes": self.notes}
        fitted = fitted_cells(frame[list(self.schema.names)], tuple(self.schema))
        return TableRelease(fitted, self.schema, self.method, self.parameters, **told)

    def __repr__(self) -> str:
        names = ", ".join(self.schema.names)
        return f"Scaled({len(self):,} records of {names}; {self.engine.name})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScaledSplit:
    """A release in two tables that an engine reads, joined by groups only; see `SplitRelease`.

    Parameters
    ----------
    quasi, sensitive
        The two tables, each with the column of groups.
    schema
        The columns of the original, without the group.
    group
        The column that holds the group.
    method, parameters, promise
        What is told of how it was made.
    permuted
        Whether the columns were shuffled one by one inside the groups.
    """

    kind: ClassVar[str] = "scaled split"
    quasi: EngineTable
    sensitive: EngineTable
    schema: Schema
    group: str
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: str = "untold"
    permuted: bool = False

    def __post_init__(self) -> None:
        """Refuse names under which an engine works something out."""
        _refuse_ours(self.schema)

    @property
    def engine(self) -> Engine:
        """The engine."""
        return self.quasi.engine

    def __len__(self) -> int:
        return self.quasi.rows

    def __repr__(self) -> str:
        known, hidden = (
            ", ".join(c.name for c in self.schema if (c.role == "sensitive") is side)
            for side in (False, True)
        )
        return f"ScaledSplit({len(self):,} records of {known} | {hidden}; {self.engine.name})"


def _refuse_ours(schema: Schema) -> None:
    for name in schema.names:
        if name.startswith("verikit_"):
            raise SchemaError(
                f"Column {quoted(name)} has a name as engines give it to what they work out here; "
                "rename it."
            )
