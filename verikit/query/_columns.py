"""Read published columns as codes of cells, and say by three-valued logic what rows meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Floats, Rows
from verikit.cells import Cells, Spans, cells_of, like_the_others
from verikit.query._tree import (
    FIRST,
    LAST,
    Leaf,
    Names,
    Numbers,
    Tree,
    Trees,
    Values,
    list_leaves,
    settle_trees,
    split_values,
    walk_up,
)
from verikit.table import Column, Schema
from verikit.values.spellings import Spellings

Counts: TypeAlias = npt.NDArray[Any]

MAX_TALLIED_CELLS = 2**24
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

    def negate(self) -> Match:
        """Say what does not hold."""
        if self.clear:
            return Match.exactly(~self.surely)
        return Match(~self.perhaps, 1.0 - self.share, ~self.surely)

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


class Cut(NamedTuple):
    """What of each cell was asked for, by length or number, how wide the cell is, and the ends."""

    surely: Flags
    perhaps: Flags
    inside: Floats
    width: Floats
    ends: Ends


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

    def __init__(
        self, values: pd.Series[Any], column: Column, promise: str, *, measured: bool = False
    ) -> None:
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
        self.measured = measured

    @cached_property
    def spellings(self) -> Spellings:
        """The words that the column is known to hold; none where its cells are numbers."""
        if isinstance(self.cells, Spans):
            return Spellings(self.column, (), ())
        return Spellings(self.column, self.cells.labels, self.cells.read)

    @cached_property
    def scores(self) -> Floats:
        """The values that the cells may stand for, as numbers in their order."""
        cells: Any = self.cells
        return np.array([*map(cells.column.score, cells.values)], np.float64)

    @property
    def scale(self) -> Column:
        """The column as its cells are read: a column of numbers where these are numbers."""
        return Column(self.column.name) if isinstance(self.cells, Spans) else self.column

    def match(self, values: Values) -> Match:
        """Say which cells are among some values, and last whether a missing one is."""
        found = self._match_names(values) if isinstance(values, Names) else self._match_set(values)
        surely = np.append(found.surely, False)  # a missing value meets nothing
        if self.clear:
            return Match.exactly(surely)
        share = np.clip(found.share, found.surely, found.perhaps)
        counts = np.bincount(self.codes, minlength=len(share))[: len(share)]
        seen = (share * counts).sum() / counts.sum() if counts.any() else 0.5
        share = np.append(share, seen if self.withheld else 0.0)
        return Match(surely, share, np.append(found.perhaps, self.withheld))

    def _match_names(self, values: Names) -> Match:
        if not values.names:
            return Match.exactly(np.full(len(self.cells), values.besides))
        size = len(self.cells)  # without the entry of a missing value
        found = Match(*(part[:size] for part in self.cells.match_names(values.names)))
        return found.negate() if values.besides else found

    def _match_set(self, values: Numbers) -> Match:
        """Say which cells hold numbers asked for, and what share of theirs these are."""
        if not values.cuts or values.cuts == (FIRST, LAST):
            return Match.exactly(np.full(len(self.cells), bool(values.cuts)))
        if not isinstance(self.cells, Spans):
            held = zip(self.cells.values, values.hold(self.scores), strict=True)
            return self._match_names(Names(frozenset(name for name, inside in held if inside)))
        size = len(self.cells)
        if self.clear:
            return Match.exactly(values.hold(self.cells.low[:size]))
        cut, free = self._cut_cells(values), self.cells.anything
        share = np.where(cut.surely, 1.0, cut.inside / np.maximum(cut.width, np.finfo(float).tiny))
        counts = np.bincount(self.codes, minlength=len(free))
        share = like_the_others(share, free, counts)
        return Match(cut.surely[:size], share[:size], cut.perhaps[:size])

    def _cut_cells(self, asked: Numbers) -> Cut:
        """Cut ranges to the numbers asked for, which are counted if they are whole, else measured.

        They are taken for whole numbers where all ends are. An end that does not belong to its
        range lies next to a whole number, and counts as one.
        """
        cells: Any = self.cells
        low, high = cells.low, cells.high
        ends = np.array(cells.cut_off())
        near = np.abs(ends - np.rint(ends)) <= np.spacing(np.abs(ends))
        whole = not self.measured and bool(near.all())
        first, last = (np.ceil(ends[0]), np.floor(ends[1])) if whole else ends
        surely, perhaps = np.zeros((2, len(low)), bool)
        least, most = np.full(len(low), np.inf), np.full(len(low), -np.inf)
        inside, moment = np.zeros((2, len(low)))
        for start, end in zip(asked.cuts[::2], asked.cuts[1::2], strict=True):
            after = Numbers((start, LAST))
            before = Numbers((FIRST, end))
            surely |= after.hold(low) & before.hold(high)
            touched = after.hold(high) & before.hold(low)
            perhaps |= touched
            least[touched] = np.minimum(least, np.maximum(low, start[0]))[touched]
            most[touched] = np.maximum(most, np.minimum(high, end[0]))[touched]
            bottom, top = start[0], end[0]
            if whole:
                bottom = np.ceil(bottom) + (start[1] and np.ceil(bottom) == bottom)
                top = np.floor(top) - (not end[1] and np.floor(top) == top)
            a, b = np.maximum(first, bottom), np.minimum(last, top)
            length = np.where(touched, np.maximum(b - a + whole, 0), 0)
            inside += length
            moment += length * (a + b) / 2
        with np.errstate(invalid="ignore"):
            middle = np.divide(moment, inside, out=(least + most) / 2, where=inside > 0)
        return Cut(surely, perhaps, inside, last - first + whole, Ends(least, middle, most))

    def ends(self, asked: Values | None = None) -> Ends:
        """Find the numbers of each cell, and last of a missing one: none, or any if withheld.

        Of a cell that stands for several numbers only those count that are asked for.
        """
        cells, size = self.cells, len(self.cells)
        gap = np.inf if self.withheld else np.nan
        cut = asked if isinstance(asked, Numbers) and asked.cuts and not self.clear else None
        if isinstance(cells, Spans):
            low, high = cells.low[:size], cells.high[:size]
            found = Ends(low, (low + high) / 2, high)
            if cut is not None:
                found = Ends(*(part[:size] for part in self._cut_cells(cut).ends))
        elif size:  # numbers that were published as groups of a hierarchy
            scores = np.append(self.scores, np.nan)[cells.members]
            held = np.ones(len(scores), bool) if cut is None else cut.hold(scores)
            weights = np.where(held, cells.weights, 0.0)
            low = np.minimum.reduceat(np.where(held, scores, np.inf), cells.starts)[:size]
            high = np.maximum.reduceat(np.where(held, scores, -np.inf), cells.starts)[:size]
            share = np.add.reduceat(weights, cells.starts)[:size]
            moment = np.add.reduceat(np.where(held, scores, 0.0) * weights, cells.starts)[:size]
            with np.errstate(invalid="ignore"):
                middle = np.divide(moment, share, out=(low + high) / 2, where=share > 0)
            found = Ends(low, middle, high)
        else:
            found = Ends(*np.zeros((3, 0)))
        rest = Ends(np.array([-gap]), np.array([np.nan]), np.array([gap]))
        if cut is not None and self.withheld:
            rest = Ends(np.array([cut.cuts[0][0]]), rest.middle, np.array([cut.cuts[-1][0]]))
        return Ends(*map(np.append, found, rest))


class Columns:
    """The coded columns of a table, each coded when it is first asked for.

    Parameters
    ----------
    frame, schema
        The table.
    promise
        What is promised of its values, which says how its cells are read (see `Coded`).

    Of a range of whole numbers as many are expected in another range as there are whole numbers in
    both; where they are ``measured``, as much as both have in common of its length.
    """

    def __init__(self, frame: Any, schema: Schema, promise: str = "untold") -> None:
        self.frame, self.schema, self.promise, self.measured = frame, schema, promise, False
        self._coded: dict[str, Coded] = {}
        self._kept: dict[Leaf, Match] = {}

    def __getitem__(self, name: str) -> Coded:
        if name not in self._coded:
            column = self.schema[name]
            values, how = self.frame[name], self.measured
            self._coded[name] = Coded(values, column, self.promise, measured=how)
        return self._coded[name]

    def codes(self, name: str) -> Counts:
        """Find the cell of each row."""
        coded = self._coded.get(name)
        return (self[name] if coded is None else coded).codes

    def _match_leaf(self, leaf: Leaf) -> Match:
        """Say what rows meet a leaf; one question asks several times, so the latest are kept."""
        kept = self._kept.get(leaf)
        if kept is not None:
            return kept
        if len(self._kept) >= MAX_KEPT_MATCHES:
            self._kept.clear()
        codes = self.codes(leaf.name)
        return self._kept.setdefault(leaf, self[leaf.name].match(leaf.values).take(codes))

    def measure(self, *, lengths: bool) -> None:
        """Spread whole numbers over ranges by length, or count them."""
        self.measured = lengths
        for coded in self._coded.values():
            coded.measured = lengths

    def match(self, tree: Tree | bool) -> Match:
        """Say what each row meets of a tree, by three-valued logic; one flag where all do the same.

        An open column that is asked twice is split into the values that meet the same of a tree.
        """
        if isinstance(tree, bool):
            return Match.exactly(np.array(tree))
        torn = self.find_torn(tree)
        if torn is not None:
            split = [(rows, self.match(rest)) for rows, _, (rest,) in self.split(torn, (tree,))]
            surely = np.logical_and.reduce([~rows.perhaps | rest.surely for rows, rest in split])
            share: Any = sum(rows.share * rest.share for rows, rest in split)
            perhaps = np.logical_or.reduce([rows.perhaps & rest.perhaps for rows, rest in split])
            return Match(surely, np.clip(share, surely, perhaps), perhaps)
        return self._match_parts(tree)

    def _match_parts(self, tree: Tree) -> Match:
        if isinstance(tree, Leaf):
            return self._match_leaf(tree)
        return join_matches([*map(self._match_parts, tree.parts)], every=tree.every)

    def find_torn(self, tree: Tree) -> str | None:
        """Find a column of open cells that a tree asks more than once."""
        asked = Counter(part.name for part in walk_up(tree) if isinstance(part, Leaf))
        torn = (name for name, times in asked.items() if times > 1 and not self[name].clear)
        return next(torn, None)

    def split(self, name: str, trees: Trees) -> list[tuple[Match, Values | None, Trees]]:
        """Split rows by what the values of a column meet of trees, and what is left of these.

        A missing value, unless it was withheld, meets nothing. Where a column is asked for names
        and for numbers, rows are split by one of these.
        """
        leaves = list_leaves(trees, name)
        coded, codes = self[name], self.codes(name)
        found: list[tuple[Match, Values | None, Trees]] = [
            (coded.match(values).take(codes), values, settle_trees(trees, known))
            for values, known in split_values(leaves)
        ]
        if not coded.missing or coded.withheld:
            return found
        gone = Match.exactly(codes == len(coded.cells))
        return [*found, (gone, None, settle_trees(trees, dict.fromkeys(leaves, False)))]


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
