"""The original and a release side by side, as the intruder ranks them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Ints, Rows
from verikit.errors import RecordError, SchemaError, quoted
from verikit.intruder._given import refuse_other
from verikit.ranks import blocks, normal_scores
from verikit.release import TableRelease, whole_records
from verikit.table import Microdata, microdata
from verikit.words import count, listed, text

__all__ = ["Compared", "compared", "complete", "left_out", "names_of"]


class Compared(NamedTuple):
    """Blocks of ranks of both tables, one row a record and one column an attribute.

    ``not_compared`` names the published columns that are no attribute.
    """

    attributes: tuple[str, ...]
    first: Ints
    last: Ints
    released_first: Ints
    released_last: Ints
    not_compared: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.first)

    @property
    def ranks(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The first and last ranks of the records, then those of the released rows."""
        return self.first, self.last, self.released_first, self.released_last

    @property
    def scores(self) -> tuple[Floats, Floats]:
        """The normal scores of both tables, taken in the middle of each block."""
        middle = (self.first + self.last) / 2, (self.released_first + self.released_last) / 2
        return normal_scores(middle[0], len(self)), normal_scores(middle[1], len(self))

    def places(self, records: Rows, rows: Rows) -> Ints:
        """How many places pairs of a record and a released row are apart, by attribute."""
        up = self.released_first[rows] - self.last[records]
        down = self.first[records] - self.released_last[rows]
        gaps: Ints = np.maximum(np.maximum(up, down), 0)
        return gaps

    def take(self, records: Rows, rows: Rows) -> Compared:
        """The same tables with their records and rows in another order."""
        released = self.released_first[rows], self.released_last[rows]
        original = self.first[records], self.last[records]
        return Compared(self.attributes, *original, *released, self.not_compared)

    def of(self, attributes: Sequence[str]) -> Compared:
        """The same tables on some of the attributes."""
        at = [self.attributes.index(name) for name in attributes]
        left = tuple(name for name in self.attributes if name not in attributes)
        first, last, *released = (np.ascontiguousarray(part[:, at]) for part in self.ranks)
        left = (*left, *self.not_compared)
        return Compared(tuple(attributes), first, last, released[0], released[1], left)


def compared(
    data: Microdata, release: TableRelease, attributes: Sequence[str] | None = None
) -> Compared:
    """Rank both tables on the attributes named, or on all that both hold and that have an order."""
    microdata(data, "link")
    if not whole_records(release):
        raise SchemaError(
            f"The release was given as {type(release).__name__}; linking by rank needs a release "
            "of one table with the columns of the original."
        )
    refuse_other("Linking by rank", data, kinds=(Microdata,))
    if not len(data) or len(data) != len(release):
        raise RecordError(
            f"The original has {len(data):,} records and the release {len(release):,}; linking by "
            "rank needs as many of both, and at least one."
        )
    names = names_of(data, release, attributes, ranked=True)
    original = [blocks(complete(data.scores(n), n, "original")) for n in names]
    released = [blocks(complete(release.scores(n), n, "release")) for n in names]
    ends = [*zip(*original, strict=True), *zip(*released, strict=True)]
    first, last, *columns = (np.column_stack(part) for part in ends)
    return Compared(names, first, last, columns[0], columns[1], left_out(release, names))


def names_of(
    data: Microdata, release: TableRelease, attributes: Sequence[str] | None, *, ranked: bool
) -> tuple[str, ...]:
    """The attributes to link by: those named, or all that both tables hold and that will do."""
    shared = [column.name for column in data.schema if column.name in release.schema.names]
    if attributes is None:
        names = [name for name in shared if data.schema[name].ranked or not ranked]
        if not names:
            order = "with an order " if ranked else ""
            raise SchemaError(
                f"No attribute {order}is in both tables; the original has "
                f"{listed(data.schema.names, 12)}, the release {listed(release.schema.names, 12)}."
            )
        return tuple(names)
    if isinstance(attributes, str) or not isinstance(attributes, Collection) or not len(attributes):
        raise RecordError(
            f"The attributes were given as {quoted(attributes)}; expected a list of names such as "
            f"{shared[:2]!r}."
        )
    asked = [name if isinstance(name, str) else text(name) for name in attributes]
    if len(set(asked) & set(shared)) < len(asked):
        raise RecordError(
            f"The attributes {listed(asked, 12)} must each be named once and be in both "
            f"tables, which share {listed(shared, 12)}."
        )
    return tuple(asked)


def left_out(release: TableRelease, names: Collection[str]) -> tuple[str, ...]:
    """The columns of a release that are not among those to link by."""
    return tuple(name for name in release.schema.names if name not in names)


def complete(scores: Floats, name: str, where: str) -> Floats:
    """The values of a column that has ranks; refused where some are missing."""
    missing = int(np.isnan(scores).sum())
    if missing:
        raise SchemaError(
            f"Column {name!r} of the {where} has {count(missing, 'missing value')} and so no "
            "ranks; leave it out by naming the other attributes."
        )
    return scores
