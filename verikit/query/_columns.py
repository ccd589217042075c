"""Read published columns as codes of cells, and say by three-valued logic what rows meet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Floats, Rows
from verikit.cells import Among, Cells, Spans, cells_of
from verikit.query._tree import FIRST, LAST, Leaf, Names, Numbers, Tree, Values, walk_up
from verikit.table import Column, Schema
from verikit.values.ranges import Range
from verikit.values.spellings import Spellings
from verikit.words import text

Counts: TypeAlias = npt.NDArray[Any]

MAX_TALLIED_CELLS = 2**24
MAX_COMPARISONS = 8
MAX_KEPT_MATCHES = 8


class Match(NamedTuple):
    """Whether something surely holds, with what share, and whether it perhaps does.

    Where nothing is open, all three are one and the same array.
    """

    surely: Counts
    share: Counts
    perhaps: Counts

    @classmethod
    def exactly(cls, flags: Counts) -> Match:
        """Say what is known for certain."""
        return cls(flags, flags, flags)

    @property
    def clear(self) -> bool:
        """Whether nothing is open."""
        return self.surely is self.perhaps

    def take(self, places: Counts) -> Match:
        """Say the same at some places."""
        if self.clear:
            return Match.exactly(self.surely[places])
        return Match(*(part[places] for part in self))


class Ends(NamedTuple):
    """By cell the least and the greatest number it may stand for, and what to expect of it."""

    low: Floats
    middle: Floats
    high: Floats


def join_matches(parts: Sequence[Match], *, every: bool) -> Match:
    """Say what holds of all parts together, or of any, their shares taken for independent."""
    found, join = parts[0], np.logical_and if every else np.logical_or
    for part in parts[1:]:
        if found.surely is found.perhaps and part.surely is part.perhaps:
            flags = join(found.surely, part.surely)
            found = Match(flags, flags, flags)
            continue
        share = np.multiply(found.share, part.share, dtype=np.float64)
        if not every:
            share = found.share + part.share - share
        surely, perhaps = join(found.surely, part.surely), join(found.perhaps, part.perhaps)
        found = Match(surely, share, perhaps)
    return found


class Coded:
    """A published column as codes of its cells, one past the last where a value is missing.

    A missing value meets no condition; a withheld one, in a release whose cells cover the true
    values, may meet any, and is expected to be like the others. There, and where nothing is told of
    a release, `*` and `{a, b}` stand for other values; elsewhere each cell is one value.
    """

    def __init__(self, values: pd.Series[Any], column: Column, promise: str) -> None:
        withheld, sets = promise == "covers", promise in {"covers", "untold"}
        self.cells: Cells = cells_of(values, column, sets=sets)
        self.column = column
        self.codes: Counts = self.cells.codes
        self.missing = bool((self.codes == len(self.cells)).any())
        self.withheld = withheld and self.missing
        exact = self.cells.exact or (
            self.missing and cells_of(values.dropna(), column, sets=sets).exact
        )
        self.clear = exact and not self.withheld
        self._matches: dict[Values, Match] = {}

    @cached_property
    def spellings(self) -> Spellings:
        """The words that the column is known to hold; none where its cells are numbers."""
        if isinstance(self.cells, Spans):
            return Spellings(self.column, (), ())
        return Spellings(self.column, self.cells.labels, self.cells.read)

    @property
    def scale(self) -> Column:
        """The column as its cells are read: a column of numbers where these are numbers."""
        return Column(self.column.name) if isinstance(self.cells, Spans) else self.column

    def match(self, values: Values) -> Match:
        """Say which cells are among some values, and last whether a missing one is.

        One question asks the same several times, so that the latest answers are kept.
        """
        kept = self._matches.get(values)
        if kept is not None:
            return kept
        found = self._match_names(values) if isinstance(values, Names) else self._match_set(values)
        surely = np.append(found.surely, False)  # a missing value meets nothing
        if self.clear:
            match = Match.exactly(surely)
        else:
            share = np.clip(found.share, found.surely, found.perhaps)
            counts = np.bincount(self.codes, minlength=len(share))[: len(share)]
            seen = (share * counts).sum() / counts.sum() if counts.any() else 0.5
            share = np.append(share, seen if self.withheld else 0.0)
            match = Match(surely, share, np.append(found.perhaps, self.withheld))
        if len(self._matches) >= MAX_KEPT_MATCHES:
            self._matches.clear()
        self._matches[values] = match
        return match

    def _match_names(self, values: Names) -> Match:
        if not values.names:
            return self._match_all(values.besides)
        found = self._match_condition(Among(self.column.name, values.names))
        if not values.besides:
            return found
        return Match(~found.perhaps, 1.0 - found.share, ~found.surely)

    def _match_set(self, values: Numbers) -> Match:
        """Add up what cells say about ranges and points, and take away the holes."""
        found = []
        ranges, points, holes = values.pieces()
        for start, end in ranges:
            asked = Range(start[0], end[0], start[1] == 0, end[1] == 1)
            everything = start == FIRST and end == LAST
            found.append(self._match_all(True) if everything else self._match_condition(asked))
        if points:
            found.append(
                self._match_condition(Among(self.column.name, frozenset(map(text, points))))
            )
        if not found:
            return self._match_all(False)
        surely, share, perhaps = found[0]
        if len(found) > 1:  # sets without a common value: their shares add up
            surely, share, perhaps = (
                np.add.reduce(part, dtype=np.float64) for part in zip(*found, strict=True)
            )
            surely, perhaps = surely > 0, perhaps > 0
        if not holes:
            return Match(surely, share, perhaps)
        out = self._match_condition(Among(self.column.name, frozenset(map(text, holes))))
        return Match(surely & ~out.perhaps, share - out.share, perhaps & ~out.surely)

    def _match_condition(self, condition: Among | Range) -> Match:
        """Ask the cells about one condition, without an entry for a missing value."""
        size = len(self.cells)
        surely, share, perhaps = self.cells.match_conditions([condition])
        return Match(surely[:size], share[:size], perhaps[:size])

    def _match_all(self, value: bool) -> Match:
        flags = np.full(len(self.cells), value)
        return Match(flags, flags.astype(np.float64), flags)

    def ends(self, asked: Values | None = None) -> Ends:
        """Find the numbers of each cell, and last of a missing one: none, or any if withheld.

        Of a cell that stands for several numbers only those count that are asked for.
        """
        cells, size = self.cells, len(self.cells)
        gap = np.inf if self.withheld else np.nan
        if isinstance(cells, Spans):
            low, high = cells.low[:size], cells.high[:size]
            middle = np.append((low + high) / 2, np.nan)
            low, high = np.append(low, -gap), np.append(high, gap)
            if isinstance(asked, Numbers) and not self.clear:
                return _cut_ranges(Ends(low, middle, high), asked)
            return Ends(low, middle, high)
        if not size:
            return Ends(np.array([-gap]), np.array([np.nan]), np.array([gap]))
        # numbers that were published as groups of a hierarchy
        scores = np.array([*map(cells.column.score, cells.values), np.nan])[cells.members]
        low = np.minimum.reduceat(scores, cells.starts)[:size]
        middle = np.add.reduceat(scores * cells.weights, cells.starts)[:size]
        high = np.maximum.reduceat(scores, cells.starts)[:size]
        return Ends(np.append(low, -gap), np.append(middle, np.nan), np.append(high, gap))


def _cut_ranges(ends: Ends, asked: Numbers) -> Ends:
    """Cut ranges to the numbers asked for; what these do not touch stays as it is."""
    low, high = np.full(len(ends.low), np.inf), np.full(len(ends.low), -np.inf)
    length, moment = np.zeros((2, len(ends.low)))
    for start, end in zip(asked.cuts[::2], asked.cuts[1::2], strict=True):
        first, last = np.maximum(ends.low, start[0]), np.minimum(ends.high, end[0])
        touched = first <= last
        low[touched] = np.minimum(low, first)[touched]
        high[touched] = np.maximum(high, last)[touched]
        inside = touched & np.isfinite(first) & np.isfinite(last)
        length[inside] += (last - first)[inside]
        moment[inside] += ((last - first) * (first + last) / 2)[inside]
    some = (low <= high) & ~np.isnan(ends.middle)
    middle, points, whole = ends.middle.copy(), some & (length == 0), some & (length > 0)
    middle[points] = (low[points] + high[points]) / 2
    middle[whole] = moment[whole] / length[whole]
    return Ends(
        np.where(low <= high, low, ends.low), middle, np.where(low <= high, high, ends.high)
    )


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
        """Find the cell of each row."""
        coded = self._coded.get(name)
        return (self[name] if coded is None else coded).codes

    def match(self, tree: Tree) -> Match:
        """Say what each row meets of a tree, by three-valued logic."""
        done: list[Match] = []
        for part in walk_up(tree):
            if isinstance(part, Leaf):
                found, codes = self[part.name].match(part.values), self.codes(part.name)
                rows = Match.exactly(find_rows(codes, found.surely)) if found.clear else None
                done.append(rows or found.take(codes))
            else:
                parts = done[-len(part.parts) :]
                done[-len(part.parts) :] = [join_matches(parts, every=part.every)]
        return done[0]


class PickedRows(Columns):
    """Some rows of other columns."""

    def __init__(self, columns: Columns, places: Rows) -> None:
        self.columns, self.places = columns, places
        self._codes: dict[str, Counts] = {}

    def __getitem__(self, name: str) -> Coded:
        return self.columns[name]

    def codes(self, name: str) -> Counts:
        """Find the cell of each row."""
        if name not in self._codes:
            self._codes[name] = self.columns.codes(name)[self.places]
        return self._codes[name]


def find_rows(codes: Counts, chosen: Flags) -> Flags:
    """Find the rows that hold a chosen cell: few comparisons where chosen cells are neighbours."""
    # where runs of chosen cells begin and end, in turn
    framed = np.zeros(len(chosen) + 2, bool)
    framed[1:-1] = chosen
    edges = np.flatnonzero(framed[1:] != framed[:-1])
    if len(edges) > MAX_COMPARISONS:
        return chosen[codes]
    found: Flags | None = None
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        kind = codes.dtype.type
        rows = codes <= kind(end - 1)
        if first:
            rows &= codes >= kind(first)
        found = rows if found is None else np.logical_or(found, rows, out=found)
    return np.zeros(len(codes), bool) if found is None else found


def count_rows(labels: Rows | None, rows: Counts, groups: int) -> Counts:
    """Count some rows in each group, or add up their shares; without labels there is one group."""
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
        """Tell whether the counts of all cells in all groups are few enough to be kept."""
        return coded.clear and (len(coded.cells) + 1) * groups <= MAX_TALLIED_CELLS

    def count(self, values: Values) -> Counts:
        """Count in all groups: differences of running sums, one for each run of chosen cells."""
        framed = np.zeros(len(self.coded.cells) + 3, bool)  # one more for a missing value
        framed[1:-1] = self.coded.match(values).surely
        edges = np.flatnonzero(framed[1:] != framed[:-1])
        if len(edges) == 2:
            return self._up_to[edges[1]] - self._up_to[edges[0]]
        return self._up_to[edges[1::2]].sum(axis=0) - self._up_to[edges[::2]].sum(axis=0)
