"""Whose own record stands in a release, whoever the key says that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags
from verikit._support.requests import whole
from verikit.intruder._compared import Compared, compared, names_of
from verikit.ranks import nearest
from verikit.release import TableRelease
from verikit.table import Microdata
from verikit.words import count

__all__ = ["FoundRecords", "find_records"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FoundRecords:
    """People whose own record stands in a release, whole or nearly.

    Parameters
    ----------
    places
        How many places a released record may be away in each attribute.
    per_record
        By person whether some released record is so near, or holds all her values.
    whole_per_record
        By person whether some released record holds all her values.
    luck
        How many people to expect near such a record, had each column been shuffled by itself.
        Columns that go together give more.

    Examples
    --------
    >>> import verikit as vk
    >>> find_records(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    4 of 20 people have their own record in the release, within 2 places in every attribute;
    luck gives about 4.6. 0 have it there whole.
    """

    places: int
    per_record: Flags
    whole_per_record: Flags
    luck: float

    @property
    def count(self) -> int:
        """How many people have their own record there, whole or nearly."""
        return int(self.per_record.sum())

    @property
    def whole(self) -> int:
        """How many people have their own record there with all values."""
        return int(self.whole_per_record.sum())

    def to_frame(self) -> pd.DataFrame:
        """One line a person, counted from 1: whether her record is there, nearly and whole."""
        return pd.DataFrame(
            {
                "record": np.arange(len(self.per_record)) + 1,
                "near": self.per_record,
                "whole": self.whole_per_record,
            }
        )

    def __repr__(self) -> str:
        return (
            f"{self.count:,} of {len(self.per_record):,} people have their own record in the "
            f"release, within {count(self.places, 'place')} in every attribute;\n"
            f"luck gives about {self.luck:.2g}. {self.whole:,} have it there whole."
        )


def find_records(
    data: Microdata,
    release: TableRelease,
    attributes: Sequence[str] | None = None,
    *,
    places: int = 2,
) -> FoundRecords:
    """Find the people whose own record stands in a release, whole or within a few places.

    A masking that hands whole records from one person to another leaves no link right, and yet
    gives every record away. This takes no key: whoever is said to own a record, it is there.

    Parameters
    ----------
    data
        The original.
    release
        The masked table, in any order.
    attributes
        What to compare; everything that both tables hold unless told.
    places
        How many places a record may be away in each attribute that has an order.

    Returns
    -------
    FoundRecords
        The people, and how many luck would give.

    Raises
    ------
    RecordError
        If the tables have different numbers of records, or places is no whole number from 0 up.
    SchemaError
        If no attribute with an order is in both, or values of one are missing.

    References
    ----------
    [DM]_ section 3.1

    Notes
    -----
    Places are gaps between ranks in the two tables, ties counting as what they can be at least. An
    attribute without an order counts for whole records only.

    Examples
    --------
    Two people exchange their records: both records are still there.

    >>> import verikit as vk
    >>> data = vk.load("dm_table1")
    >>> exchanged = vk.TableRelease.of(data.frame.iloc[[1, 0, *range(2, 20)]], data.schema)
    >>> found = find_records(data, exchanged)
    >>> found.count, found.whole
    (20, 20)
    """
    steps = whole(places, "places", least=0)
    tables = compared(data, release, _ranked(data, release, attributes))
    distance, _ = nearest(*tables.ranks)
    there = _whole(data, release, names_of(data, release, attributes, ranked=False))
    return FoundRecords(steps, (distance <= steps) | there, there, _luck(tables, steps))


def _ranked(
    data: Microdata, release: TableRelease, attributes: Sequence[str] | None
) -> Sequence[str] | None:
    if attributes is None:
        return None
    names = names_of(data, release, attributes, ranked=False)
    return [name for name in names if data.schema[name].ranked] or names


def _whole(data: Microdata, release: TableRelease, names: Sequence[str]) -> Flags:
    """Which records occur in the release with all their values."""
    n = len(data)
    codes = [
        pd.factorize(pd.concat([data.frame[name], release.frame[name]]).astype(object))[0]
        for name in names
    ]
    rows = np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].reshape(-1)
    there: Flags = np.isin(rows[:n], rows[n:])
    return there


def _luck(tables: Compared, places: int) -> float:
    """The people to expect near a record of independent columns."""
    n, share = len(tables), np.ones(len(tables))
    for at in range(len(tables.attributes)):
        first, last = np.sort(tables.released_first[:, at]), np.sort(tables.released_last[:, at])
        below = np.searchsorted(first, tables.last[:, at] + places, side="right")
        above = np.searchsorted(last, tables.first[:, at] - places, side="left")
        share *= (below - above) / n
    return float((1 - (1 - share) ** n).sum())
