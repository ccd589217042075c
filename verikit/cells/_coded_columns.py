"""A column as codes of its cells: numbers and ranges, or categories, sets, groups and codes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from verikit._support.arrays import Codes, Flags, Floats, Rows
from verikit.cells._conditions import NameMatch, like_the_others
from verikit.table import Column
from verikit.values.meanings import ANYTHING, Meaning, labels_that_may_be
from verikit.values.numbers import plain_number
from verikit.values.ranges import Range, read_range
from verikit.words import text


class CodedColumn:
    """What columns of numbers and of categories share."""

    __slots__ = ()

    column: Column
    labels: tuple[str, ...]
    read: tuple[Meaning, ...]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} cells of {self.column.name})"

    def __len__(self) -> int:
        raise NotImplementedError

    @property
    def anything(self) -> Flags:
        """Which cells may be anything: withheld, unread, or missing."""
        return np.array([*(part.anything for part in self.read), True], np.bool_)

    @property
    def unread(self) -> tuple[str, ...]:
        """The labels that look like ranges or codes and could not be read."""
        pairs = zip(self.labels, self.read, strict=True)
        return tuple(label for label, part in pairs if part.unread)

    @property
    def withheld(self) -> Flags:
        """Which cells were withheld or are missing."""
        unread = np.array([*(part.unread for part in self.read), False], np.bool_)
        return self.anything & ~unread if self.read else self.anything

    @property
    def names(self) -> tuple[str, ...]:
        """The cells in words, and what a missing value is called."""
        return (*self.labels, "missing")

    def may_be(self, value: object) -> Flags:
        """Which cells may be a value."""
        return labels_that_may_be(self.labels, self.read, self.column, value)

    def meanings(self) -> tuple[Meaning, ...]:
        """What each cell, and a missing value, may stand for."""
        return (*self.read, ANYTHING)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Spans(CodedColumn):
    """A column of numbers or of ranges of numbers.

    Parameters
    ----------
    column
        The column.
    codes
        The cell of each row; one past the last where a value is missing.
    gaps
        Whether a value is missing.
    low, high
        The least and the greatest number of each cell, equal where it is one number; last those
        of a missing value, which has no bounds.
    labels
        The cells as they are published, where they are words such as ``20-29``.
    read
        What each of these may stand for.
    exact
        Whether every row shows one number.
    """

    column: Column
    codes: Codes
    gaps: bool
    low: Floats
    high: Floats
    labels: tuple[str, ...] = ()
    read: tuple[Meaning, ...] = ()
    exact: bool = field(init=False)
    _numbers: bool = field(init=False)
    _bounded: bool = field(init=False)

    def __post_init__(self) -> None:
        """Keep at hand whether every cell is one number, and whether all have both ends."""
        numbers = bool((self.low[:-1] == self.high[:-1]).all())
        ends = () if numbers else (self.low[:-1], self.high[:-1])
        object.__setattr__(self, "exact", numbers and not self.gaps)
        object.__setattr__(self, "_numbers", numbers)
        object.__setattr__(self, "_bounded", not any(np.isinf(end).any() for end in ends))

    def __len__(self) -> int:
        return len(self.low) - 1

    @property
    def single(self) -> bool:
        """Whether no cell was published as a range of numbers; labels are told by their names."""
        return bool(self.labels) or self._numbers

    @property
    def several(self) -> tuple[str, ...]:
        """The cells that stand for several numbers, or could not be read."""
        wide = np.flatnonzero(self.low[:-1] != self.high[:-1])
        return tuple(map(self.names.__getitem__, wide)) if len(wide) else ()

    @property
    def names(self) -> tuple[str, ...]:
        """The cells in words, and what a missing value is called."""
        if self.labels:
            return (*self.labels, "missing")
        ends = zip(self.low[:-1].tolist(), self.high[:-1].tolist(), strict=True)
        return (*(text(a) if a == b else f"[{text(a)}, {text(b)}]" for a, b in ends), "missing")

    @property
    def anything(self) -> Flags:
        """Which cells may be anything: withheld, unread, or missing."""
        return np.isneginf(self.low) & np.isposinf(self.high)

    @property
    def widest(self) -> Flags:
        """Which cells may be anything that the column holds."""
        used = slice(None) if self.gaps else slice(-1)
        return (self.low <= self.low[used].min()) & (self.high >= self.high[used].max())

    def code(self, value: object) -> int:
        """The cell that stands for one value alone, or is called so; -1 where there is none."""
        if self.labels:
            return self.labels.index(text(value)) if text(value) in self.labels else -1
        score = self.column.score(value)
        alone = np.flatnonzero((self.low == score) & (self.high == score))
        return int(alone[0]) if len(alone) else -1

    def may_be(self, value: object) -> Flags:
        """Which cells may be a value."""
        if self.labels:
            return labels_that_may_be(self.labels, self.read, self.column, value)
        own = self.column.number(value)
        return (self.low <= own) & (own <= self.high)

    def match_names(self, names: Collection[str]) -> NameMatch:
        """What each cell says about some values; values spread evenly over ranges.

        One number has a share of a range only between whole numbers, where it lasts one unit:
        47 is one of the eleven whole numbers from 40 to 50. A range without end is cut off where
        the column ends, and a missing value is expected to be like the others.
        """
        asked = map(plain_number if self.labels else self.column.score, names)
        found = self._match_points(np.array(sorted({p for p in asked if p is not None})))
        if self.labels:  # a cell that is called as was asked is meant, unless it is anything
            called = np.array([*(one in names for one in self.labels), False]) & ~self.anything
            share = np.where(called, 1.0, found.share)
            found = NameMatch(found.certain | called, share, found.possible | called)
        if not self.gaps and self._bounded:
            return found
        free = self.anything
        counts = np.bincount(self.codes, minlength=len(free))
        return found._replace(share=like_the_others(found.share, free, counts))

    def _match_points(self, points: Floats) -> NameMatch:
        first = np.searchsorted(points, self.low, "left")
        count = np.searchsorted(points, self.high, "right") - first
        possible = count > 0
        possible[-1] = True
        if not self._bounded:
            possible |= self.anything
        alone = self.low == self.high
        certain = alone & possible
        low, high = self.cut_off()
        numbers = points[points % 1 == 0]
        inside = np.searchsorted(numbers, high, "right") - np.searchsorted(numbers, low)
        # an end that does not belong to its range lies next to a whole number, and counts as one
        ends = np.array([low, high])
        whole = (np.abs(ends - np.rint(ends)) <= np.spacing(np.abs(ends))).all(axis=0)
        lasting = np.where(whole, np.floor(high) - np.ceil(low) + 1, np.inf)
        share = np.divide(inside, lasting, out=np.zeros(len(low)), where=lasting > 0)
        return NameMatch(certain, np.where(alone, certain, share), possible)

    def cut_off(self) -> tuple[Floats, Floats]:
        """The ends of each cell, those without bound at the least and the greatest other end."""
        if self._bounded:
            low, high = self.low.copy(), self.high.copy()
            low[-1] = high[-1] = 0.0  # a missing value is expected to be like the others
            return low, high
        ends = np.concatenate([self.low, self.high])
        ends = ends[np.isfinite(ends)]
        if not len(ends):
            return np.zeros(len(self.low)), np.zeros(len(self.low))
        return self._clip(ends.min(), ends.max())

    def _clip(self, least: float, most: float) -> tuple[Floats, Floats]:
        """The ends of each cell, those without bound at the ends of a domain."""
        low = np.where(np.isneginf(self.low), np.minimum(least, self.high), self.low)
        return low, np.where(np.isposinf(self.high), np.maximum(most, low), self.high)

    def width(self, domain: tuple[float, float] | None = None) -> Floats:
        """How wide each cell is: no width for one number, without end for what may be anything.

        With the ends of a domain, ranges without end are cut off there.
        """
        low, high = (self.low, self.high) if domain is None else self._clip(*domain)
        return np.asarray(high - low)

    def meanings(self) -> tuple[Meaning, ...]:
        """What each cell, and a missing value, may stand for."""
        if self.labels:
            return (*self.read, ANYTHING)
        ends = zip(self.names, self.low[:-1].tolist(), self.high[:-1].tolist(), strict=False)
        return (*(Meaning((name,), (Range(low, high),)) for name, low, high in ends), ANYTHING)


LETTERS_PER_STAR = 10.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Groups(CodedColumn):
    """A column of categories, of groups of a hierarchy, of sets such as ``{a, b}``, or of codes.

    Parameters
    ----------
    column
        The column.
    codes
        The cell of each row; one past the last where a value is missing.
    gaps
        Whether a value is missing.
    labels
        The cells as they are published.
    read
        What each of them may stand for.
    values
        Every category that a cell may stand for, and its number.
    starts
        Where the members of each cell begin in the next two; last that of a missing value.
    members
        The numbers of the values of each cell, one cell after another.
    weights
        The share of each member in its cell.
    exact
        Whether every row shows one value.
    """

    column: Column
    codes: Codes
    gaps: bool
    labels: tuple[str, ...]
    read: tuple[Meaning, ...]
    values: Mapping[str, int]
    starts: Rows
    members: Rows
    weights: Floats
    exact: bool = field(init=False)
    _free: Flags = field(init=False)
    _loose: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Keep at hand which cells may be anything, and which hold ranges or codes."""
        alone = all(part.single for part in self.read)
        free = np.array([*(part.anything and not part.names for part in self.read), True])
        loose = [at for at, part in enumerate(self.read) if part.ranges or part.codes]
        object.__setattr__(self, "exact", alone and not self.gaps)
        object.__setattr__(self, "_free", free)
        object.__setattr__(self, "_loose", tuple(loose))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def single(self) -> bool:
        """Whether no cell was published as a group or a set; other labels are told by name."""
        return all(len(part.names) <= 1 for part in self.read)

    @property
    def several(self) -> tuple[str, ...]:
        """The cells that stand for several values, or could not be read; no declared category."""
        declared = self.column.categories or ()
        pairs = zip(self.labels, self.read, strict=True)
        return tuple(label for label, part in pairs if not part.single and label not in declared)

    @property
    def widest(self) -> Flags:
        """Which cells may be anything that the column holds."""
        whole = frozenset().union(*(part.names for part in self.read))
        every = [not self._loose and whole <= frozenset(part.names) for part in self.read]
        return self.anything | np.array([*every, True], np.bool_)

    def code(self, value: object) -> int:
        """The cell that stands for one value alone, or is called so; -1 where there is none."""
        name = text(value)
        return self.labels.index(name) if self.single and name in self.labels else -1

    def match_names(self, names: Collection[str]) -> NameMatch:
        """What each cell says about some values; a group is split by its weights.

        A cell that may be anything is expected to be like the others.
        """
        tree = self.column.hierarchy
        inner = () if tree is None else tree.nodes
        parts = (tree.leaves(n) if tree and n in inner else (n,) for n in names)
        chosen = np.zeros(len(self.values) + 1, np.bool_)
        chosen[[self.values[leaf] for part in parts for leaf in part if leaf in self.values]] = True
        inside = chosen[self.members]
        if self.exact:
            inside[-1] = False
            possible = inside.copy()
            possible[-1] = True
            return NameMatch(inside, inside.astype(np.float64), possible)
        certain = np.logical_and.reduceat(inside, self.starts)
        share = np.add.reduceat(np.where(inside, self.weights, 0.0), self.starts)
        possible = np.logical_or.reduceat(inside, self.starts)
        free = self._free
        certain[free], possible[free] = False, True
        share[certain] = 1.0
        self._match_loosely(names, certain, share, possible)
        found = NameMatch(certain, share, possible)
        if not self.gaps and np.count_nonzero(free) == 1:
            return found
        counts = np.bincount(self.codes, minlength=len(free))
        return found._replace(share=like_the_others(found.share, free, counts))

    def _match_loosely(
        self, names: Collection[str], certain: Flags, share: Floats, possible: Flags
    ) -> None:
        """Let ranges and codes among categories be one of the names perhaps, where they may be."""
        leaves = {} if self.column.hierarchy is None else self.column.hierarchy.levels
        asked = [name for name in names if name not in leaves]
        for at in self._loose:
            part = self.read[at]
            if not certain[at]:
                held = [name for name in asked if part.holds(name)]
                possible[at] |= bool(held)
                share[at] = max(share[at], min(1.0, len(held) / max(_count_values(part), 1.0)))

    def width(self, domain: tuple[float, float] | None = None) -> Floats:
        """How much each cell leaves open: one for a single category, and so on.

        Ranked categories count by how far their ends lie apart, none for a single one. What may be
        anything is without end, or as wide as the domain.
        """
        free = np.inf if domain is None else domain[1] - domain[0]
        sizes = [free if part.anything else self._width_of(part) for part in self.read]
        return np.array([*sizes, free])

    def _width_of(self, part: Meaning) -> float:
        if self.column.kind == "nominal" or not part.names:
            return _count_values(part)
        scores = [self.column.score(name) for name in part.names]
        return max(scores) - min(scores)


def _count_values(part: Meaning) -> float:
    """How many values a cell may be: its names, its codes, and the whole numbers of its ranges."""
    codes = sum(LETTERS_PER_STAR ** code.count("*") for code in part.codes)
    names = [name for name in part.names if not part.ranges or read_range(name) is None]
    return len(names) + codes + sum(span.ends[1] - span.ends[0] + 1 for span in part.ranges)
