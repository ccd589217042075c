"""Sets of values of one column, into which all that is asked of it is folded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import inf
from typing import NamedTuple, TypeAlias

from verikit.cells import Among, Between, Closed
from verikit.errors import RecordError
from verikit.table import Column
from verikit.words import text

__all__ = ["Names", "Numbers", "Pieces", "Values", "among", "between", "values_of"]

Cut: TypeAlias = tuple[float, int]
FIRST: Cut = (-inf, 0)
LAST: Cut = (inf, 1)


class Pieces(NamedTuple):
    """A set of numbers in pieces: ranges, points beside them, and points that the ranges lack."""

    ranges: tuple[tuple[Cut, Cut], ...]
    points: tuple[float, ...]
    holes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Numbers:
    """A set of numbers, as the places where it begins and ends by turns.

    A cut is a number and a side: (5, 0) lies just below 5 and (5, 1) just above it, so that ranges
    with and without their ends need no rules of their own.

    Parameters
    ----------
    cuts
        The places, in ascending order.

    Examples
    --------
    >>> Numbers(((20, 0), (30, 1))).opposite().cuts
    ((-inf, 0), (20, 0), (30, 1), (inf, 1))
    """

    cuts: tuple[Cut, ...]

    def opposite(self) -> Numbers:
        """All other numbers."""
        start = self.cuts[1:] if self.cuts[:1] == (FIRST,) else (FIRST, *self.cuts)
        return Numbers(start[:-1] if start[-1:] == (LAST,) else (*start, LAST))

    @staticmethod
    def of_all(sets: Sequence[Numbers], *, every: bool) -> Numbers:
        """The numbers in every set, or in any."""
        if len(sets) == 1:
            return sets[0]
        wanted = len(sets) if every else 1
        steps = sorted(
            (cut, 1 - 2 * (place % 2)) for one in sets for place, cut in enumerate(one.cuts)
        )
        cuts, depth = [], 0
        for cut, here in groupby(steps, key=lambda step: step[0]):
            before = depth >= wanted
            depth += sum(step for _, step in here)
            if (depth >= wanted) != before:
                cuts.append(cut)
        return Numbers(tuple(cuts))

    def pieces(self) -> Pieces:
        """Ranges as long as possible, with the points that they have too much or too little."""
        ends = list(zip(self.cuts[::2], self.cuts[1::2], strict=True))
        points = tuple(start[0] for start, end in ends if start[0] == end[0])
        long = [(start, end) for start, end in ends if start[0] < end[0]]
        holes = tuple(a[1][0] for a, b in pairwise(long) if a[1][0] == b[0][0])
        if not holes:
            return Pieces(tuple(long), points, ())
        filled = self.of_all(
            [Numbers(self.cuts), *(Numbers(((p, 0), (p, 1))) for p in holes)], every=False
        )
        return Pieces(filled.pieces().ranges, points, holes)


@dataclass(frozen=True, slots=True)
class Names:
    """A set of categories, or all categories besides some.

    Parameters
    ----------
    names
        The categories.
    besides
        Whether all others are meant.

    Examples
    --------
    >>> Names(frozenset({"flu"})).opposite()
    Names(names=frozenset({'flu'}), besides=True)
    """

    names: frozenset[str]
    besides: bool = False

    def opposite(self) -> Names:
        """All other categories."""
        return Names(self.names, not self.besides)

    @staticmethod
    def of_all(sets: Sequence[Names], *, every: bool) -> Names:
        """The categories in every set, or in any."""
        if not every:
            return Names.of_all([one.opposite() for one in sets], every=True).opposite()
        without = frozenset[str]().union(*(one.names for one in sets if one.besides))
        within = [one.names for one in sets if not one.besides]
        if not within:
            return Names(without, besides=True)
        return Names(frozenset.intersection(*within) - without)


Values: TypeAlias = Numbers | Names


def values_of(condition: Between | Among, column: Column) -> Values:
    """The values of a column that a condition means; a group of a hierarchy is those below it.

    Examples
    --------
    >>> values_of(Between("Age", 40, closed="neither"), Column("Age")).cuts
    ((40.0, 1), (inf, 1))
    """
    if isinstance(condition, Between):
        numbers = _range(condition, column)
        if column.kind == "numeric":
            return numbers
        inside = [n for n in column.categories or () if _holds(numbers, column.score(n))]
        return Names(frozenset(inside))
    below = frozenset(leaf for name in condition.values for leaf in _below(name, column))
    if column.kind != "numeric":
        return Names(below)
    points = sorted({column.score(name) for name in below})
    return Numbers(tuple(cut for point in points for cut in ((point, 0), (point, 1))))


def _range(condition: Between, column: Column) -> Numbers:
    if column.kind == "nominal":
        raise RecordError(
            f"A range was asked of {column.name!r}, which is nominal and has no order; ask for "
            "some of its values."
        )
    low, high = (None if e is None else column.score(e) for e in (condition.low, condition.high))
    start = FIRST if low is None else (low, int(condition.closed in ("right", "neither")))
    end = LAST if high is None else (high, int(condition.closed in ("both", "right")))
    return Numbers((start, end) if start < end else ())


def _holds(numbers: Numbers, value: float) -> bool:
    return any(a < (value, 0.5) < b for a, b in pairwise(numbers.cuts))


def _below(name: str, column: Column) -> tuple[str, ...]:
    known = column.hierarchy is not None and name in column.hierarchy.nodes
    return column.hierarchy.leaves(name) if known and column.hierarchy is not None else (name,)


def between(name: str, start: Cut, end: Cut) -> Between | None:
    """A range as a condition; None where it has no end."""
    low, high = (None if cut in (FIRST, LAST) else cut[0] for cut in (start, end))
    if low is None and high is None:
        return None
    left, right = start[1] == 0, end[1] == 1
    closed: Closed = ("both" if right else "left") if left else ("right" if right else "neither")
    return Between(name, low, high, closed)


def among(name: str, points: Sequence[float]) -> Among:
    """Some numbers as a condition."""
    return Among(name, frozenset(map(text, points)))
