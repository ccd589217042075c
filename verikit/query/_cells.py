"""What the cells of a published column say about a set of values; the one door to the cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit.cells import Among, Cells, Groups, Spans, cells_of
from verikit.query._values import Names, Numbers, Values, among, between
from verikit.table import Column

__all__ = ["Coded", "Ends", "Flags", "Rows", "Three", "all_of", "any_of"]

Counts: TypeAlias = npt.NDArray[Any]
Flags: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = npt.NDArray[np.intp]


class Three(NamedTuple):
    """Whether something surely holds, with what share, and whether it perhaps does.

    Where nothing is open, all three are one and the same array.
    """

    surely: Counts
    share: Counts
    perhaps: Counts

    @property
    def clear(self) -> bool:
        """Whether nothing is open."""
        return self.surely is self.perhaps

    def at(self, places: Counts) -> Three:
        """The same at some places."""
        if self.clear:
            return clear(self.surely[places])
        return Three(*(part[places] for part in self))


class Ends(NamedTuple):
    """By cell the least and the greatest number it may stand for, and what to expect of it."""

    low: Floats
    middle: Floats
    high: Floats


def clear(flags: Counts) -> Three:
    """What is known for certain."""
    return Three(flags, flags, flags)


def all_of(parts: Sequence[Three]) -> Three:
    """What is said about all parts together, their shares taken for independent."""
    found = parts[0]
    for part in parts[1:]:
        if found.clear and part.clear:
            found = clear(np.logical_and(found.surely, part.surely, out=part.surely))
        else:
            share = np.multiply(found.share, part.share, dtype=np.float64)
            found = Three(found.surely & part.surely, share, found.perhaps & part.perhaps)
    return found


def any_of(parts: Sequence[Three]) -> Three:
    """What is said about at least one of the parts, their shares taken for independent."""
    found = parts[0]
    for part in parts[1:]:
        if found.clear and part.clear:
            found = clear(found.surely | part.surely)
        else:
            share = 1.0 - (1.0 - found.share) * (1.0 - part.share)
            found = Three(found.surely | part.surely, share, found.perhaps | part.perhaps)
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

    @property
    def scale(self) -> Column:
        """The column as its cells are read: a column of numbers where these are numbers."""
        return Column(self.column.name) if isinstance(self.cells, Spans) else self.column

    def held(self, values: Values) -> Three:
        """What each cell says, and last what a missing one does."""
        by_cell = self._names(values) if isinstance(values, Names) else self._numbers(values)
        surely = np.zeros(len(by_cell.surely) + 1, bool)  # a missing value meets nothing
        surely[:-1] = by_cell.surely
        if self.clear:
            return clear(surely)
        share = np.clip(by_cell.share, by_cell.surely, by_cell.perhaps)
        share = np.append(share, self._of_the_others(share) if self.withheld else 0.0)
        return Three(surely, share, np.append(by_cell.perhaps, self.withheld))

    def _of_the_others(self, share: Counts) -> float:
        """What to expect of a withheld value: what the other records show; half without any."""
        counts = np.bincount(self.codes, minlength=len(share))[: len(share)]
        return float((share * counts).sum() / counts.sum()) if counts.any() else 0.5

    def _names(self, values: Names) -> Three:
        if not values.names:
            return self._constant(values.besides)
        found = self._asked(Among(self.column.name, values.names))
        if not values.besides:
            return found
        return Three(~found.perhaps, 1.0 - found.share, ~found.surely)

    def _numbers(self, values: Numbers) -> Three:
        name, (ranges, points, holes) = self.column.name, values.pieces()
        asked = [between(name, *ends) for ends in ranges]
        found = [self._constant(True) if one is None else self._asked(one) for one in asked]
        if points:
            found.append(self._asked(among(name, points)))
        if not found:
            return self._constant(False)
        inside = found[0] if len(found) == 1 else _beside(found)
        if not holes:
            return inside
        out = self._asked(among(name, holes))
        return Three(
            inside.surely & ~out.perhaps, inside.share - out.share, inside.perhaps & ~out.surely
        )

    def _asked(self, condition: Any) -> Three:
        """What the cells say about one condition, without an entry for a missing value."""
        held, size = self.cells.match_conditions([condition]), len(self.cells)
        return Three(held.certain[:size], held.share[:size], held.possible[:size])

    def _constant(self, value: bool) -> Three:
        flags = np.full(len(self.cells), value)
        return Three(flags, flags.astype(np.float64), flags)

    def ends(self) -> Ends:
        """The numbers of each cell, and last of a missing one: none, or any if it was withheld."""
        least, middle, most = _ends(self.cells)
        gap = np.inf if self.withheld else np.nan
        return Ends(np.append(least, -gap), np.append(middle, np.nan), np.append(most, gap))


def _beside(parts: Sequence[Three]) -> Three:
    """Sets without a common value: their shares add up."""
    surely, share, perhaps = (
        np.add.reduce(part, dtype=np.float64) for part in zip(*parts, strict=True)
    )
    return Three(surely > 0, share, perhaps > 0)


def _ends(cells: Cells) -> Ends:
    size = len(cells)
    if isinstance(cells, Spans):
        return Ends(cells.low[:size], (cells.low[:size] + cells.high[:size]) / 2, cells.high[:size])
    return _of_groups(cells) if size else Ends(*(np.empty(0),) * 3)


def _of_groups(cells: Groups) -> Ends:
    """Numbers that were published as groups of a hierarchy."""
    scores = np.array([*(cells.column.score(name) for name in cells.values), np.nan])
    found, size = scores[cells.members], len(cells)
    return Ends(
        np.minimum.reduceat(found, cells.starts)[:size],
        np.add.reduceat(found * cells.weights, cells.starts)[:size],
        np.maximum.reduceat(found, cells.starts)[:size],
    )
