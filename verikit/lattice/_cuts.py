"""The alphabets of k-Optimize: places to cut, by levels of hierarchies or between values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit.errors import SchemaError
from verikit.lattice._lattice import Node
from verikit.lattice._tally import Coded, Tally, dense, joined
from verikit.partition import value_codes
from verikit.table import Microdata

__all__ = ["Chosen", "Cuts", "LevelCuts", "ValueCuts"]

Chosen: TypeAlias = tuple[int, ...]


class Cuts(Protocol):
    """Places to cut, numbered from 0 in a fixed order: the alphabet of the enumeration."""

    weights: Floats
    needs: Sequence[int | None]

    def classes(self, chosen: Sequence[int]) -> Coded:
        """The class of each distinct combination of values under the chosen cuts."""

    def node(self, chosen: Chosen) -> Node:
        """The chosen cuts as a step of the trail names them."""


class LevelCuts:
    """A cut lowers one column by one level; it needs the cut above it."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.weights = tally.weights
        self.columns = np.repeat(np.arange(len(tally.lattice.heights)), tally.lattice.heights)
        self.needs: Sequence[int | None] = [
            place - 1 if place and column == self.columns[place - 1] else None
            for place, column in enumerate(self.columns)
        ]

    def node(self, chosen: Chosen) -> Node:
        lowered = np.bincount(self.columns[list(chosen)], minlength=len(self.tally.lattice.heights))
        return tuple((np.array(self.tally.lattice.top) - lowered).tolist())

    def classes(self, chosen: Sequence[int]) -> Coded:
        return self.tally.classes(self.node(tuple(chosen)))


class ValueCuts:
    """A cut begins a new interval at one value of one column."""

    def __init__(self, data: Microdata) -> None:
        self.names = [column.name for column in data.schema.quasi]
        if not self.names:
            raise SchemaError(
                "The table has no quasi-identifier, so there is nothing to cut; declare at least "
                "one column 'quasi'."
            )
        columns = [value_codes(data, name) for name in self.names]
        whole = joined([Coded(c.codes, len(c.values)) for c in columns], len(data)).codes
        _, first, self._spread, counts = np.unique(
            whole, return_index=True, return_inverse=True, return_counts=True
        )
        self.weights = counts.astype(np.float64)
        self.values = [column.values for column in columns]
        self._codes = [column.codes[first] for column in columns]
        self.places = [(c, v) for c, known in enumerate(self.values) for v in range(1, len(known))]
        self.needs: Sequence[int | None] = [None] * len(self.places)

    def node(self, chosen: Chosen) -> Node:
        return tuple(cut + 1 for cut in chosen)

    def classes(self, chosen: Sequence[int]) -> Coded:
        begins = [np.zeros(len(known), np.intp) for known in self.values]
        for cut in chosen:
            column, value = self.places[cut]
            begins[column][value] = 1
        intervals = [np.cumsum(marks) for marks in begins]
        parts = [
            Coded(interval[codes], int(interval[-1]) + 1)
            for interval, codes in zip(intervals, self._codes, strict=True)
        ]
        return dense(joined(parts, len(self.weights)))

    def labels(self, chosen: Chosen) -> Rows:
        """The class of every record."""
        return self.classes(chosen).codes[self._spread]

    def named(self, chosen: Chosen) -> dict[str, tuple[Any, ...]]:
        """The values that begin an interval, by column."""
        cuts = [self.places[cut] for cut in chosen]
        return {
            name: tuple(self.values[place][value] for column, value in cuts if column == place)
            for place, name in enumerate(self.names)
        }
