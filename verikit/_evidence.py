"""What a published table says about a count: an interval around it, and an estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from verikit._conditions import Condition
from verikit._estimate import Answer, Asked, Factor, by_column, combined
from verikit._query import Query
from verikit.cells import Cells, cells_of
from verikit.errors import SchemaError
from verikit.release import SplitRelease, TableRelease
from verikit.table import Microdata, Schema

__all__ = ["Evidence", "evidence_of"]

Counts = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]

UNCERTAIN = {
    "changed": "an estimate only, from values that were changed",
    "untold": "the count in the table; how it was made is untold, so nothing more is certain "
    "about the people",
}
WIDEST = 2**24


class Columns:
    """The coded columns of a table, each coded when it is first asked for."""

    def __init__(self, frame: Any, schema: Schema) -> None:
        self.frame, self.schema = frame, schema
        self._cells: dict[str, Cells] = {}

    def __getitem__(self, name: str) -> Cells:
        if name not in self._cells:
            self._cells[name] = cells_of(self.frame[name], self.schema[name])
        return self._cells[name]

    def rows(self, asked: Asked) -> Flags | None:
        """Which rows surely meet the conditions; None if there are no conditions."""
        found: Flags | None = None
        for name, conditions in asked.items():
            part = rows_in(self[name].codes, self[name].held(conditions).surely)
            found = part if found is None else np.logical_and(found, part, out=found)
        return found


def rows_in(codes: Counts, chosen: Flags) -> Flags:
    """Which rows hold a chosen cell: few comparisons where the chosen cells are neighbours."""
    edges = np.flatnonzero(np.diff(chosen, prepend=False, append=False))
    if len(edges) > 8:
        return np.append(chosen, False)[codes]
    rows = np.zeros(len(codes), bool)
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        kind = codes.dtype.type
        rows |= (codes >= kind(first)) & (codes <= kind(end - 1))
    return rows


def by_group(labels: Rows, rows: Flags | None, groups: int) -> Counts:
    """How many of some rows, or of all, each group has."""
    kept = labels if rows is None else labels[np.flatnonzero(rows)]
    return np.bincount(kept, minlength=groups)


def limited(found: Answer, release: TableRelease | SplitRelease | None) -> Answer:
    """What a count says of the people; of values that promise nothing it is an estimate only."""
    if release is None or release.promise not in UNCERTAIN:
        return found
    return Answer(0, found.estimate, len(release), UNCERTAIN[release.promise])


class TableEvidence:
    """A table of records, or of classes of records that were generalized alike."""

    def __init__(self, table: Microdata | TableRelease) -> None:
        self.schema, self.size = table.schema, len(table)
        self.columns = Columns(table.frame, table.schema)
        self.release = table if isinstance(table, TableRelease) else None
        self._classes: tuple[Rows, Mapping[str, Counts]] | None = None

    def answer(self, query: Query) -> Answer:
        """The count, certain where the values were left as they are."""
        asked = by_column(query, self.schema)
        if self.release is not None and self.release.permutation:
            return self._permuted(asked)
        exact = {name: part for name, part in asked.items() if self._plain(self.columns[name])}
        rest = {name: part for name, part in asked.items() if name not in exact}
        rows = self.columns.rows(exact)
        if rest:
            return limited(self._generalized(rows, rest), self.release)
        count = self._count(rows)
        found = Answer(count, count, count, "the values as they stand in the table")
        return limited(found, self.release)

    def _plain(self, cells: Cells) -> bool:
        """Whether each row meets a condition or does not; what an original lacks meets none."""
        return cells.exact or (self.release is None and cells.gaps and cells.single)

    def _count(self, rows: Flags | None) -> float:
        return float(self.size if rows is None else np.count_nonzero(rows))

    def _generalized(self, rows: Flags | None, asked: Asked) -> Answer:
        labels, cells = self.classes()
        groups = len(next(iter(cells.values())))
        sizes = by_group(labels, rows, groups)
        held = {name: self.columns[name].held(conditions) for name, conditions in asked.items()}
        alive = sizes > 0
        for name, part in held.items():
            alive &= np.append(part.perhaps, False)[cells[name]]
        sizes = sizes[alive]
        factors = []
        for name, part in held.items():
            at = cells[name][alive]
            factors.append(Factor(sizes * part.surely[at], sizes * part.share[at], sizes))
        return combined(sizes, factors, "values spread evenly over published ranges and groups")

    def classes(self) -> tuple[Rows, Mapping[str, Counts]]:
        """The class of each row by its inexact columns, and the cell of each class by column."""
        if self._classes is None:
            names = [name for name in self.schema.names if not self.columns[name].exact]
            keys = np.zeros(self.size, np.int64)
            for name in names:
                keys = keys * (len(self.columns[name]) + 1) + self.columns[name].codes
                keys = np.unique(keys, return_inverse=True)[1]
            first = np.unique(keys, return_index=True)[1]
            self._classes = keys, {name: self.columns[name].codes[first] for name in names}
        return self._classes

    def _permuted(self, asked: Asked) -> Answer:
        factors = []
        for name, conditions in asked.items():
            cells = self.columns[name]
            counts = np.bincount(cells.codes, minlength=len(cells) + 1)
            factors.append(Factor(*(np.array([counts @ part]) for part in cells.held(conditions))))
        return combined(np.array([self.size]), factors, "columns that were shuffled one by one")


class Tally:
    """How often each group holds chosen cells of a column; counted in advance where it pays."""

    def __init__(self, cells: Cells, labels: Rows, groups: int) -> None:
        self.cells, self.labels, self.groups = cells, labels, groups
        self._up_to: Counts | None = None
        if cells.exact and (len(cells) + 1) * groups <= WIDEST:
            keys = cells.codes.astype(np.int64) * groups + labels
            counts = np.bincount(keys, minlength=(len(cells) + 1) * groups)
            counts = counts.reshape(-1, groups)[: len(cells)].astype(np.int32)
            self._up_to = np.vstack([np.zeros(groups, np.int32), np.cumsum(counts, axis=0)])

    def factor(self, conditions: Sequence[Condition]) -> Factor:
        """The counts of all groups."""
        held = self.cells.held(conditions)
        if self._up_to is None:
            return Factor(*(self._weighed(part) for part in held))
        edges = np.flatnonzero(np.diff(held.surely, prepend=False, append=False))
        count = self._up_to[edges[1::2]].sum(axis=0) - self._up_to[edges[::2]].sum(axis=0)
        return Factor(count, count, count)

    def _weighed(self, share: Counts) -> Counts:
        weights = np.append(share.astype(np.float64), 0.0)[self.cells.codes]
        return np.bincount(self.labels, weights, self.groups)


class SplitEvidence:
    """Two tables joined by groups: inside a group every link is as likely as any other."""

    def __init__(self, release: SplitRelease) -> None:
        self.release, self.sizes = release, release.sizes
        self.quasi = Columns(release.quasi, release.quasi_schema)
        self.sensitive = Columns(release.sensitive, release.sensitive_schema)
        self._tallies: dict[str, Tally] = {}

    def answer(self, query: Query) -> Answer:
        """The count, exact where all conditions concern what is published together."""
        asked = by_column(query, self.release.schema)
        hidden = {column.name for column in self.release.schema.sensitive}
        parts = [
            (
                self.quasi,
                self.release.labels.quasi,
                {n: asked[n] for n in asked if n not in hidden},
            ),
            (
                self.sensitive,
                self.release.labels.sensitive,
                {n: asked[n] for n in asked if n in hidden},
            ),
        ]
        factors = [
            f for columns, labels, part in parts for f in self._factors(columns, labels, part)
        ]
        rests_on = (
            "the values as they were published"
            if len(factors) < 2
            else "every link inside a group being equally likely"
        )
        return limited(combined(self.sizes, factors, rests_on), self.release)

    def _factors(self, columns: Columns, labels: Rows, asked: Asked) -> list[Factor]:
        if self.release.permuted or len(asked) == 1:
            return [self._tally(columns, labels, name).factor(asked[name]) for name in asked]
        if not asked:
            return []
        if all(columns[name].exact for name in asked):
            count = by_group(labels, columns.rows(asked), len(self.sizes))
            return [Factor(count, count, count)]
        held = [(columns[name], columns[name].held(part)) for name, part in asked.items()]
        by_row = [[part[at][cells.codes] for cells, part in held] for at in range(3)]
        weights = (np.prod(np.array(part, np.float64), axis=0) for part in by_row)
        return [Factor(*(np.bincount(labels, part, len(self.sizes)) for part in weights))]

    def _tally(self, columns: Columns, labels: Rows, name: str) -> Tally:
        if name not in self._tallies:
            self._tallies[name] = Tally(columns[name], labels, len(self.sizes))
        return self._tallies[name]


Evidence: TypeAlias = TableEvidence | SplitEvidence


def evidence_of(table: object) -> Evidence:
    """A table or a release, ready for many queries."""
    if isinstance(table, SplitRelease):
        return SplitEvidence(table)
    if isinstance(table, (Microdata, TableRelease)):
        return TableEvidence(table)
    raise SchemaError(
        f"A query was put to {type(table).__name__}; expected a release, such as one that "
        "verikit.open_release gives."
    )
