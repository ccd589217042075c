"""A short form of a published table, from which a person can bound her distance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from verikit._support.arrays import Ints, ShortCodes
from verikit.large._buckets import Buckets
from verikit.large._index_file import read_index, save_index
from verikit.release import Promise, Promised
from verikit.table import Column, Schema

__all__ = ["Bounds", "Index", "open_index"]


class Bounds(NamedTuple):
    """Between what the distance to the closest record lies, and where on each attribute.

    ``near`` says how many records may be the closest; ``fewest`` and ``most`` the places to them
    by attribute.
    """

    lower: int
    upper: int
    near: int
    fewest: Mapping[str, int]
    most: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Index(Promised):
    """A short form of a published table: of each value the bucket it lies in, without the order.

    Parameters
    ----------
    schema
        Its columns: those whose values can be ranked.
    buckets
        The buckets of each column.
    codes
        The bucket of each value, one column an attribute, rows sorted; a missing value has the
        number of buckets.
    method, parameters, promise, reported_links, reported_luck, reported_without
        What the release tells of how it was made.
    notes
        In sentences how it was read; there are none.

    Examples
    --------
    >>> import verikit as vk
    >>> vk.index(vk.published("dm_table1_masked"), bits=2)
    Index(20 records of X1, X2, X3, in buckets of up to 5)
    """

    kind: ClassVar[str] = "index"
    schema: Schema
    buckets: tuple[Buckets, ...]
    codes: ShortCodes
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: Promise = "untold"
    reported_links: int | None = None
    reported_luck: float | None = None
    notes: tuple[str, ...] = ()
    reported_without: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        names, widest = ", ".join(self.schema.names), max(part.widest for part in self.buckets)
        return f"Index({len(self):,} records of {names}, in buckets of up to {widest:,})"

    @property
    def asked(self) -> tuple[Column, ...]:
        """The columns that a person is asked for."""
        return self.schema.columns

    def ends(self, name: str) -> tuple[float, float]:
        """The lowest and the highest value of a column."""
        return float(self.of(name).lowest[0]), float(self.of(name).highest[-1])

    def of(self, name: str) -> Buckets:
        """The buckets of one column."""
        return self.buckets[self.schema.names.index(name)]

    def bounds(self, scores: Mapping[str, float]) -> Bounds:
        """Between what the distance to the record closest to some scores lies.

        Notes
        -----
        For each bucket the fewest and the most places between one of its values and the closest
        value to hers, none for a missing one; of each record that shows something the worst of both
        over the attributes; the least of these. O(n) for each attribute.
        """
        gaps = {name: self._gaps(name, score) for name, score in scores.items()}
        codes = {name: self.codes[:, self.schema.names.index(name)] for name in scores}
        shows = ~np.all([codes[name] == len(self.of(name).counts) for name in scores], axis=0)
        codes = {name: column[shows] for name, column in codes.items()}
        fewest, most = (
            _worst([gaps[name][side][codes[name]] for name in scores]) for side in (0, 1)
        )
        upper = int(most.min())
        near = np.flatnonzero(fewest <= upper)
        low = {name: int(gaps[name][0][codes[name][near]].min()) for name in scores}
        high = {name: int(gaps[name][1][codes[name][near]].max()) for name in scores}
        high = {name: min(places, upper) for name, places in high.items()}
        return Bounds(int(fewest.min()), upper, len(near), low, high)

    def _gaps(self, name: str, score: float) -> tuple[Ints, Ints]:
        """By bucket the fewest and the most places; last of a missing value."""
        column = self.of(name)
        fewest, most = column.gaps(column.nearest(score))
        return np.r_[fewest, 0], np.r_[most, 0]

    def save(self, path: str | Path, *, replace: bool = False) -> Path:
        """Write it as one file, whole or not at all."""
        facts = {
            "method": self.method,
            "parameters": dict(self.parameters),
            "promise": self.promise,
            "reported_links": self.reported_links,
            "reported_luck": self.reported_luck,
            "reported_without": self.reported_without,
        }
        return save_index(path, self.schema, (self.buckets, self.codes), facts, replace)


def open_index(path: str | Path) -> Index:
    """Read the file of an index; one that is damaged, or newer than this verikit, is refused.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Index
        What was saved.

    Raises
    ------
    FormatError
        If it is no index, was changed or cut short, or a newer verikit wrote it.

    Examples
    --------
    >>> import tempfile
    >>> import verikit as vk
    >>> with tempfile.TemporaryDirectory() as home:
    ...     path = vk.index(vk.published("dm_table1_masked"), bits=2).save(f"{home}/table.index")
    ...     open_index(path)
    Index(20 records of X1, X2, X3, in buckets of up to 5)
    """
    schema, (buckets, codes), facts = read_index(path)
    return Index(schema, buckets, codes, **facts)


def _worst(parts: list[Ints]) -> Ints:
    worst = parts[0]
    for part in parts[1:]:
        worst = np.maximum(worst, part)
    return worst
