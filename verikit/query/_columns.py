"""Columns that were published together: a row of them is one person's."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from verikit.query._bound import Leaf, Tree
from verikit.query._cells import Coded, Flags, Rows, Three, all_of, any_of, clear
from verikit.query._values import Values
from verikit.table import Schema

__all__ = ["Columns", "Tally", "counted"]

Counts: TypeAlias = npt.NDArray[Any]

WIDEST = 2**24
NEIGHBOURS = 8


class Columns:
    """The coded columns of a table, each coded when it is first asked for.

    Parameters
    ----------
    frame, schema
        The table.
    promise
        What is promised of its values, which says how its cells are read (see `Coded`).
    """

    def __init__(self, frame: Any, schema: Schema, promise: str = "untold") -> None:
        self.frame, self.schema, self.promise = frame, schema, promise
        self._coded: dict[str, Coded] = {}

    def __getitem__(self, name: str) -> Coded:
        if name not in self._coded:
            column = self.schema[name]
            self._coded[name] = Coded(self.frame[name], column, self.promise)
        return self._coded[name]

    def codes(self, name: str) -> Counts:
        """The cell of each row."""
        return self[name].codes

    def rows(self, tree: Tree) -> Three:
        """What each row says about a tree, by three-valued logic."""
        if isinstance(tree, Leaf):
            held, codes = self[tree.name].held(tree.values), self.codes(tree.name)
            return clear(rows_in(codes, held.surely)) if held.clear else held.at(codes)
        parts = [self.rows(part) for part in tree.parts]
        return all_of(parts) if tree.every else any_of(parts)


class Picked(Columns):
    """Some rows of other columns."""

    def __init__(self, columns: Columns, places: Rows) -> None:
        self.columns, self.places = columns, places
        self._codes: dict[str, Counts] = {}

    def __getitem__(self, name: str) -> Coded:
        return self.columns[name]

    def codes(self, name: str) -> Counts:
        """The cell of each row."""
        if name not in self._codes:
            self._codes[name] = self.columns.codes(name)[self.places]
        return self._codes[name]


def rows_in(codes: Counts, chosen: Flags) -> Flags:
    """Which rows hold a chosen cell: few comparisons where the chosen cells are neighbours."""
    edges = _edges(chosen)
    if len(edges) > NEIGHBOURS:
        return chosen[codes]
    found: Flags | None = None
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        kind = codes.dtype.type
        rows = codes <= kind(end - 1)
        if first:
            rows &= codes >= kind(first)
        found = rows if found is None else np.logical_or(found, rows, out=found)
    return np.zeros(len(codes), bool) if found is None else found


def _edges(chosen: Flags) -> Rows:
    """Where runs of chosen cells begin and end, in turn."""
    framed = np.zeros(len(chosen) + 2, bool)
    framed[1:-1] = chosen
    return np.flatnonzero(framed[1:] != framed[:-1])


def counted(labels: Rows | None, rows: Counts, groups: int) -> Counts:
    """How many of some rows each group has, or what their shares come to; None is one group."""
    if labels is None:
        return np.array([np.count_nonzero(rows) if rows.dtype == bool else rows.sum()])
    if rows.dtype == bool:
        return np.bincount(labels[np.flatnonzero(rows)], minlength=groups)
    return np.bincount(labels, rows, groups)


class Tally:
    """How often each group holds chosen cells of a column, counted in advance.

    Parameters
    ----------
    coded
        The column, whose cells are single values.
    labels
        The group of each row.
    groups
        How many groups there are.
    """

    def __init__(self, coded: Coded, labels: Rows, groups: int) -> None:
        cells = len(coded.cells)
        keys = coded.codes.astype(np.int64) * groups + labels
        counts = np.bincount(keys, minlength=(cells + 1) * groups)
        counts = counts.reshape(-1, groups)[:cells].astype(np.int32)
        self.coded = coded
        self._up_to = np.vstack([np.zeros(groups, np.int32), np.cumsum(counts, axis=0)])

    @staticmethod
    def pays(coded: Coded, groups: int) -> bool:
        """Whether the counts of all cells in all groups are few enough to be kept."""
        return coded.clear and (len(coded.cells) + 1) * groups <= WIDEST

    def count(self, values: Values) -> Counts:
        """The counts of all groups."""
        chosen = self.coded.held(values).surely
        edges = _edges(chosen)
        if len(edges) == 2:
            return self._up_to[edges[1]] - self._up_to[edges[0]]
        return self._up_to[edges[1::2]].sum(axis=0) - self._up_to[edges[::2]].sum(axis=0)
