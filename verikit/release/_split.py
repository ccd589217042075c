"""A release in two tables that share nothing but the number of a group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit.errors import SchemaError, quoted
from verikit.release._package import told, write_package
from verikit.release._promise import Promise, checked_promise
from verikit.release._sizes import check_sizes
from verikit.table import Column, Schema
from verikit.table._fit import fitted
from verikit.words import listed, text

__all__ = ["GROUP", "SplitRelease"]

Rows: TypeAlias = npt.NDArray[np.intp]
GROUP = "Group-ID"


class Labels(NamedTuple):
    """The groups of a split release: their names, and the place of each row's group among them."""

    names: pd.Index[Any]
    quasi: Rows
    sensitive: Rows


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class SplitRelease:
    """Two published tables: what others may know, and what is sensitive, joined by groups only.

    Parameters
    ----------
    quasi
        The quasi-identifying and other columns, and the group of each row.
    sensitive
        The group of each row, and the sensitive columns.
    schema
        The columns of the original, without the group.
    method, parameters
        How it was made, complete but for the randomness.
    permuted
        Whether the columns were shuffled one by one inside the groups, so that a row of the quasi
        table is no person's.
    help
        A table of precomputed answers by group, where the method publishes one.
    group
        The name of the column that holds the group.
    promise
        What the publisher promises about the values, as for a `TableRelease`; ``"another order"``
        where each group holds just the original values, cut off from each other.

    Raises
    ------
    SchemaError
        If the tables do not fit the schema or each other: a group with more rows in one of them.

    References
    ----------
    [LHCC]_ Definition 1, Tables 3 and 4

    Examples
    --------
    >>> import verikit as vk
    >>> vk.published("lhcc_table4")
    SplitRelease(9 records in 2 groups, of Age, Sex | Disease; method permute_all)
    """

    quasi: pd.DataFrame
    sensitive: pd.DataFrame
    schema: Schema
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    permuted: bool = False
    help: pd.DataFrame | None = None
    group: str = GROUP
    promise: Promise = "untold"
    labels: Labels = field(init=False)

    def __post_init__(self) -> None:
        """Hold checked copies of both tables, and the groups of their rows."""
        checked_promise(self.promise)
        object.__setattr__(self, "group", text(self.group))
        _check_schema(self.schema, self.group)
        for name in ("quasi", "sensitive"):
            frame = _with_groups(getattr(self, name), self.group, name)
            object.__setattr__(self, name, frame)
            schema = self.quasi_schema if name == "quasi" else self.sensitive_schema
            object.__setattr__(self, name, fitted(frame, schema, nodes=True))
        object.__setattr__(self, "labels", _labels(self.quasi, self.sensitive, self.group))
        check_sizes(self.labels, self.parameters)
        object.__setattr__(self, "parameters", told(self.method, self.parameters))
        if self.help is not None:
            object.__setattr__(self, "help", self.help.reset_index(drop=True))

    @classmethod
    def of(
        cls,
        quasi: pd.DataFrame,
        sensitive: pd.DataFrame,
        schema: Schema | None = None,
        *,
        group: str = GROUP,
        count: str | None = None,
        permuted: bool = False,
        promise: str = "untold",
    ) -> SplitRelease:
        """A pair of tables made elsewhere; ``count`` names a column of counts in the second.

        The schema is guessed where none is given: all columns of the first table quasi-identifying,
        all of the second sensitive.
        """
        for frame in (quasi, sensitive):
            if not isinstance(frame, pd.DataFrame):
                raise SchemaError(
                    f"A table was given as {type(frame).__name__}; expected two pandas DataFrames."
                )
        if count is not None:
            sensitive = _counted(sensitive, count)
        if schema is None:
            hidden = Schema.guess(sensitive.drop(columns=group, errors="ignore"))
            roles = [Column(c.name, "sensitive", c.kind) for c in hidden]
            known = Schema.guess(quasi.drop(columns=group, errors="ignore"))
            schema = Schema((*known, *roles))
        told = checked_promise(promise)
        return cls(quasi, sensitive, schema, permuted=permuted, group=group, promise=told)

    def __len__(self) -> int:
        return len(self.quasi)

    def __repr__(self) -> str:
        method = f"; method {self.method}" if self.method else ""
        known, hidden = (
            ", ".join(c.name for c in part) for part in (self.known, self.schema.sensitive)
        )
        return (
            f"SplitRelease({len(self)} records in {len(self.labels.names)} groups, "
            f"of {known} | {hidden}{method})"
        )

    def _repr_html_(self) -> str:
        return str(self.quasi.to_html(max_rows=12)) + str(self.sensitive.to_html(max_rows=12))

    @property
    def known(self) -> tuple[Column, ...]:
        """The columns of the quasi table, without the group."""
        return tuple(c for c in self.schema if c.role != "sensitive")

    @property
    def sizes(self) -> Rows:
        """The number of records in each group."""
        return np.bincount(self.labels.quasi, minlength=len(self.labels.names))

    @property
    def quasi_schema(self) -> Schema:
        """The columns of the quasi table, the group last."""
        return Schema((*self.known, _group_column(self.quasi, self.group)))

    @property
    def sensitive_schema(self) -> Schema:
        """The columns of the sensitive table, the group first."""
        return Schema((_group_column(self.sensitive, self.group), *self.schema.sensitive))

    def save(self, folder: str | Path, *, parquet: bool = False) -> Path:
        """Write the release as a folder: its tables, and `datapackage.json` with what is public.

        Neither seed nor key nor the order of the original rows can be found in it.
        """
        tables = {
            "quasi": (self.quasi, self.quasi_schema),
            "sensitive": (self.sensitive, self.sensitive_schema),
        }
        if self.help is not None:
            tables["help"] = (self.help, Schema.guess(self.help))
        facts = {
            "kind": "split",
            "method": self.method,
            "parameters": self.parameters,
            "permuted": self.permuted,
            "group": self.group,
            "promise": self.promise,
        }
        return write_package(Path(folder), tables, facts, parquet)

    @classmethod
    def opened(
        cls, tables: Mapping[str, tuple[pd.DataFrame, Schema]], facts: Mapping[str, Any]
    ) -> SplitRelease:
        """The release that `save` wrote, from its tables and what was said about them."""
        group = facts["group"]
        (quasi, known), (sensitive, hidden) = tables["quasi"], tables["sensitive"]
        schema = Schema(tuple(c for c in (*known, *hidden) if c.name != group))
        return cls(
            quasi,
            sensitive,
            schema,
            facts.get("method", ""),
            facts.get("parameters", {}),
            bool(facts.get("permuted", False)),
            tables["help"][0] if "help" in tables else None,
            group,
            checked_promise(facts.get("promise", "untold")),
        )


def _check_schema(schema: Schema, group: str) -> None:
    named = [column.name for column in schema if column.role == "identifier"]
    if named:
        raise SchemaError(f"A release must not hold the identifiers {listed(named)}; drop them.")
    if not schema.sensitive or len(schema.sensitive) == len(schema):
        raise SchemaError(
            "A split release needs a sensitive column and a column that is not; the schema has "
            f"{len(schema.sensitive)} sensitive of {len(schema)} columns."
        )
    if group in schema.names:
        raise SchemaError(
            f"The column {quoted(group)} would hold both data and groups; rename the column or "
            "choose another name for the group."
        )


def _with_groups(frame: pd.DataFrame, group: str, table: str) -> pd.DataFrame:
    if group not in map(text, frame.columns):
        raise SchemaError(
            f"The {table} table lacks the column {quoted(group)}, which holds the groups."
        )
    frame = frame.rename(columns=text)
    without = int(frame[group].isna().sum())
    if without:
        raise SchemaError(
            f"The {table} table has {without} rows without a group; every row belongs to one."
        )
    return frame


def _group_column(frame: pd.DataFrame, group: str) -> Column:
    numbers = pd.api.types.is_numeric_dtype(frame[group])
    return Column(group, "other", "numeric" if numbers else "nominal")


def _labels(quasi: pd.DataFrame, sensitive: pd.DataFrame, group: str) -> Labels:
    ids = [table[group] for table in (quasi, sensitive)]
    if not all(pd.api.types.is_numeric_dtype(part) for part in ids):
        ids = [part.map(text).astype(object) for part in ids]
    codes, names = pd.factorize(np.concatenate([part.to_numpy() for part in ids]), sort=True)
    return Labels(pd.Index(names), codes[: len(quasi)], codes[len(quasi) :])


def _counted(frame: pd.DataFrame, count: str) -> pd.DataFrame:
    """One row a record instead of one row a value with its count."""
    if count not in frame.columns:
        raise SchemaError(f"The sensitive table lacks the column of counts {quoted(count)}.")
    counts = pd.to_numeric(frame[count], errors="coerce")
    if counts.isna().any() or (counts < 0).any() or (counts % 1 != 0).any():
        raise SchemaError(f"The column {quoted(count)} must hold whole numbers from 0 up.")
    rows = np.repeat(np.arange(len(frame)), counts.to_numpy(np.intp))
    return frame.drop(columns=count).iloc[rows]
