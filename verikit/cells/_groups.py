"""A column whose cells are categories: alone, in sets, in groups of a hierarchy, or starred."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from verikit._support.arrays import Codes, Flags, Floats, Rows
from verikit.cells._conditions import (
    Condition,
    ConditionMatch,
    asked_names,
    asked_ranges,
    like_the_others,
)
from verikit.cells._meaning import ANYTHING, Meaning, find_unread, labels_that_may_be
from verikit.cells._ranges import Range, plain_number
from verikit.errors import RecordError
from verikit.table import Column
from verikit.words import listed, text

LETTERS_PER_STAR = 10.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Groups:
    """A column of categories, of groups of a hierarchy, of sets such as ``{a, b}``, or of codes.

    Parameters
    ----------
    column
        The column.
    codes
        The cell of each row; one past the last where a value is missing.
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
    gaps
        Whether a value is missing.
    exact
        Whether every row shows one value.
    """

    column: Column
    codes: Codes
    labels: tuple[str, ...]
    read: tuple[Meaning, ...]
    values: Mapping[str, int]
    starts: Rows
    members: Rows
    weights: Floats
    gaps: bool
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

    def __repr__(self) -> str:
        return f"Groups({len(self)} cells of {self.column.name})"

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
    def unread(self) -> tuple[str, ...]:
        """The labels that look like ranges or codes and could not be read."""
        return find_unread(self.labels, self.read)

    @property
    def names(self) -> tuple[str, ...]:
        """The cells in words, and what a missing value is called."""
        return (*self.labels, "missing")

    @property
    def anything(self) -> Flags:
        """Which cells may be anything: withheld, unread, or missing."""
        return np.array([*(part.anything for part in self.read), True], np.bool_)

    @property
    def withheld(self) -> Flags:
        """Which cells were withheld or are missing."""
        return np.array([*(part.anything and not part.unread for part in self.read), True])

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

    def may_be(self, value: object) -> Flags:
        """Which cells may be a value."""
        return labels_that_may_be(self.labels, self.read, self.column, value)

    def match_conditions(self, conditions: Sequence[Condition | Range]) -> ConditionMatch:
        """What each cell says about all conditions together; a group is split by its weights.

        A cell that may be anything is expected to be like the others.
        """
        ranges, names = asked_ranges(conditions, self.column), asked_names(conditions)
        chosen = self._choose_values(names, ranges)
        inside = chosen[self.members]
        if self.exact:
            inside[-1] = False
            possible = inside.copy()
            possible[-1] = True
            return ConditionMatch(inside, inside.astype(np.float64), possible)
        certain = np.logical_and.reduceat(inside, self.starts)
        share = np.add.reduceat(np.where(inside, self.weights, 0.0), self.starts)
        possible = np.logical_or.reduceat(inside, self.starts)
        free = self._free
        certain[free], possible[free] = False, True
        share[certain] = 1.0
        found = ConditionMatch(certain, share, possible)
        if names is not None and self._loose:
            found = self._match_loosely(names, ranges, found)
        if not self.gaps and np.count_nonzero(free) == 1:
            return found
        counts = np.bincount(self.codes, minlength=len(free))
        return found._replace(share=like_the_others(found.share, free, counts))

    def _match_loosely(
        self, names: set[str], ranges: list[Range], found: ConditionMatch
    ) -> ConditionMatch:
        """Ranges and codes among categories: perhaps where they may be one of the names."""
        share, possible = found.share.copy(), found.possible.copy()
        if ranges:
            names = {name for name in names if self._lies_in(name, ranges)}
        for at in self._loose:
            part = self.read[at]
            if not found.certain[at]:
                held = [name for name in names if not self._is_leaf(name) and part.holds(name)]
                possible[at] |= bool(held)
                share[at] = max(share[at], min(1.0, len(held) / max(_count_values(part), 1.0)))
        return ConditionMatch(found.certain, share, possible)

    def _is_leaf(self, name: str) -> bool:
        return self.column.hierarchy is not None and name in self.column.hierarchy.levels

    def _lies_in(self, name: str, ranges: list[Range]) -> bool:
        score = plain_number(name)
        return score is not None and all(r.holds(score) for r in ranges)

    def _choose_values(self, names: set[str] | None, ranges: list[Range]) -> Flags:
        if names is None:
            return self._values_inside(ranges)
        chosen = np.zeros(len(self.values) + 1, bool)
        below = [leaf for name in names for leaf in self._leaves_below(name)]
        chosen[[self.values[name] for name in below if name in self.values]] = True
        return chosen & self._values_inside(ranges) if ranges else chosen

    def _values_inside(self, ranges: list[Range]) -> Flags:
        scores = np.array([*(self.column.score(name) for name in self.values), np.nan])
        return np.logical_and.reduce([r.holds(scores) for r in ranges])

    def _leaves_below(self, name: str) -> tuple[str, ...]:
        hierarchy, declared = self.column.hierarchy, self.column.categories
        if hierarchy is not None and name in hierarchy.nodes:
            return hierarchy.leaves(name)
        if declared is not None and name not in declared and not self._loose:
            raise RecordError(
                f"{name!r} is not a value of {self.column.name!r}; it has {listed(declared, 12)}.",
                field=self.column.name,
                value=name,
            )
        return (name,)

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

    def meanings(self) -> tuple[Meaning, ...]:
        """What each cell, and a missing value, may stand for."""
        return (*self.read, ANYTHING)


def _count_values(part: Meaning) -> float:
    """How many values a cell may be: its names, its codes, and the whole numbers of its ranges."""
    codes = sum(LETTERS_PER_STAR ** code.count("*") for code in part.codes)
    return len(part.names) + codes + sum(span.ends[1] - span.ends[0] + 1 for span in part.ranges)
