"""Where people stand beside a released table: the ranks of the values closest to theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Ints
from verikit.errors import SchemaError
from verikit.intruder._compared import complete, names_of
from verikit.ranks import Matches, all_matches, closest_blocks, nearest, ordered_blocks
from verikit.release import TableRelease, whole_records
from verikit.table import Microdata, microdata
from verikit.words import listed

__all__ = ["Located", "located", "scores"]


class Located(NamedTuple):
    """A released table by rank, ready to be asked for people.

    Parameters
    ----------
    attributes
        What people are located by.
    ordered
        The released columns, sorted.
    first, last
        The blocks of ranks of the released rows, one row each and one column an attribute.
    """

    attributes: tuple[str, ...]
    ordered: list[Floats]
    first: Ints
    last: Ints

    def _of(self, people: Microdata, who: str) -> tuple[Ints, Ints]:
        """The blocks of the released values closest to those of people."""
        ends = [
            closest_blocks(column, scores(people, name, who))
            for name, column in zip(self.attributes, self.ordered, strict=True)
        ]
        first, last = (np.column_stack(part) for part in zip(*ends, strict=True))
        return first, last

    def distances(self, people: Microdata, who: str) -> Ints:
        """How many places each person is from the closest released row."""
        return nearest(*self._of(people, who), self.first, self.last)[0]

    def matches(self, people: Microdata, who: str) -> Matches:
        """All released rows that are closest to each person."""
        return all_matches(*self._of(people, who), self.first, self.last)


def located(
    tables: tuple[Microdata, TableRelease, Microdata],
    attributes: Sequence[str] | None,
    who: str,
    without: str | None = None,
) -> Located:
    """Rank a release on the attributes named, or on all with an order that all tables hold."""
    data, release, control = tables
    microdata(data, who)
    microdata(control, who)
    if not whole_records(release):
        raise SchemaError(
            f"The release was given as {type(release).__name__}; {who} needs a release of one "
            "table with the columns of the original."
        )
    for part, what in ((data, "original"), (control, "control"), (release, "release")):
        if not len(part):
            raise SchemaError(f"The {what} has no records; {who} needs at least one.")
    names = tuple(n for n in names_of(data, release, attributes, ranked=True) if n != without)
    lacking = [name for name in names if name not in control.schema.names]
    if lacking or not names:
        raise SchemaError(
            f"The people known must have {listed(lacking, 12) or 'another attribute'}, which "
            f"{who} goes by; they have {listed(control.schema.names, 12)}."
        )
    columns = [scores(release, name, "release") for name in names]
    orders = [np.argsort(column) for column in columns]
    ordered = [column[order] for column, order in zip(columns, orders, strict=True)]
    ends = [ordered_blocks(*part) for part in zip(ordered, orders, strict=True)]
    first, last = (np.column_stack(part) for part in zip(*ends, strict=True))
    return Located(names, ordered, first, last)


def scores(people: Microdata | TableRelease, name: str, where: str) -> Floats:
    """The values of people as numbers; refused where some are missing."""
    return complete(people.scores(name), name, where)
