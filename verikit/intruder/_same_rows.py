"""Find rows of the original that still stand in a release: at their place, or anywhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags
from verikit._support.requests import whole
from verikit.errors import SchemaError
from verikit.intruder._common_people import find_overlaps, find_rows_in_place, shared_columns
from verikit.intruder._disclosure import Disclosure
from verikit.intruder._ranked_tables import Compared, compared, names_of, refuse_other
from verikit.matching import row_text
from verikit.models import beside
from verikit.ranks import find_nearest
from verikit.release import TableRelease
from verikit.table import Microdata
from verikit.words import count, not_compared

__all__ = ["FoundRecords", "find_records", "unsorted_matching"]

RARE = 0.05


def unsorted_matching(data: Microdata | TableRelease, release: TableRelease) -> Disclosure:
    """Lay a known table beside a release, row by row, and see whether they fit.

    The attacker has a table of the same people in its original order: a register, or an earlier
    release of other columns. Where more rows fit at their own place than chance explains, the
    release was not shuffled, and each row belongs to the person at its place.

    Parameters
    ----------
    data
        What the attacker has.
    release
        What was published.

    Returns
    -------
    Disclosure
        The rows that fit at their place: what the attacker knows there, the ``row``, what the
        release adds as ``value``, and the confidence that it belongs there; ``before`` is that of
        picking one of the released rows that fit.

    Raises
    ------
    SchemaError
        If the tables have not as many rows, or no column in common.

    References
    ----------
    [KS]_ section 3.1, Table 3

    Notes
    -----
    If a share a of all rows were at their place and the others shuffled, a n + (1 - a) luck rows
    would fit, where luck is the mean number over all orders; a is read off from the number that
    do. Where every row fits every other there is nothing to read off, and the confidence stays
    that of picking at random. The release is called not shuffled where at most 5 of 100 shuffled
    ones would show as many rows at their place, by the Poisson law with that mean.

    Examples
    --------
    >>> import verikit as vk
    >>> unsorted_matching(vk.load("ks_table3"), vk.published("ks_table3_generalized"))
    unsorted matching: 4 of 4 rows fit at their own place, where a shuffled table would show 1.0.
    """
    refuse_other("unsorted_matching", data, kinds=(Microdata, TableRelease))
    refuse_other("unsorted_matching", release, kinds=(TableRelease,))
    if len(data) != len(release) or not len(data):
        raise SchemaError(
            f"The known table has {len(data)} rows and the release {len(release)}; only tables "
            "with as many rows, and at least one, can be laid side by side."
        )
    names = shared_columns(data.schema, release.schema)
    tables = data.frame, release.frame, names, (data.schema, release.schema)
    rows = np.flatnonzero(find_rows_in_place(*tables))
    fits = find_overlaps(*tables)
    sizes = np.bincount(fits.second, minlength=fits.shape[1])
    by_kind = np.zeros(fits.shape[0], np.int64)  # how many released rows each kind of row fits
    for first, second in fits:
        by_kind += np.bincount(first, sizes[second], minlength=len(by_kind)).astype(np.int64)
    partners = by_kind[fits.first]
    luck = float(partners.mean())
    before, total = 1 / partners[rows], len(data)
    kept = max(0.0, (len(rows) - luck) / (total - luck)) if luck < total else 0.0
    # what the release tells beyond the known table, or else its sensitive columns
    new = [name for name in release.schema.names if name not in data.schema.names]
    hidden = [column.name for column in release.schema.sensitive]
    added = release.frame[new or hidden or list(release.schema.names)]
    found = {
        "row": rows + 1,
        "records": partners[rows],
        "value": np.array([row_text(added, int(row)) for row in rows], dtype=object),
        "confidence": before + (1 - before) * kept,
        "before": before,
    }
    frame = beside(data.frame.take(rows).reset_index(drop=True), found)
    order = np.argsort(-found["confidence"], kind="stable")
    sentence = (
        f"{len(rows):,} of {len(data):,} rows fit at their own place, where a shuffled table "
        f"would show {luck:,.1f}."
    )
    ordered = frame.take(order).reset_index(drop=True)
    chance = 1.0  # of a shuffled table to show as many rows in place, by the Poisson law
    if luck:
        fewer = (k * math.log(luck) - luck - math.lgamma(k + 1) for k in range(len(rows)))
        chance = 1 - math.fsum(map(math.exp, fewer))
    fault = "not shuffled" if chance <= RARE else ""
    return Disclosure("unsorted matching", sentence, ordered, len(rows), len(data), fault)


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
    not_compared
        The published columns of which nothing but equal values count, or that were left out.

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
    not_compared: tuple[str, ...] = ()

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
        left, every = not_compared(self.not_compared), "every"
        if left:
            left, every = f"{left}\n", "every other"
        return (
            f"{left}{self.count:,} of {len(self.per_record):,} people have their own record in the "
            f"release, within {count(self.places, 'place')} in {every} attribute;\n"
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
    [DM]_ section 3

    Notes
    -----
    Places are gaps between ranks in the two tables, ties counting as what they can be at least. An
    attribute without an order counts for whole records only, and is named as not compared.

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
    ranked: Sequence[str] | None = None
    if attributes is not None:
        given = names_of(data, release, attributes, ranked=False)
        ranked = [name for name in given if data.schema[name].ranked] or given
    tables = compared(data, release, ranked)
    distance, _ = find_nearest(*tables.ranks)
    names = names_of(data, release, attributes, ranked=False)
    there = _find_whole_records(data, release, names)
    near, luck = (distance <= steps) | there, _luck(tables, steps)
    return FoundRecords(steps, near, there, luck, tables.not_compared)


def _find_whole_records(data: Microdata, release: TableRelease, names: Sequence[str]) -> Flags:
    """Find which records occur in the release with all their values."""
    n = len(data)
    codes = [
        pd.factorize(pd.concat([data.frame[name], release.frame[name]]).astype(object))[0]
        for name in names
    ]
    rows = np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].reshape(-1)
    there: Flags = np.isin(rows[:n], rows[n:])
    return there


def _luck(tables: Compared, places: int) -> float:
    """Find the people to expect near a record of independent columns."""
    n, share = len(tables), np.ones(len(tables))
    for at in range(len(tables.attributes)):
        first, last = np.sort(tables.released_first[:, at]), np.sort(tables.released_last[:, at])
        below = np.searchsorted(first, tables.last[:, at] + places, side="right")
        above = np.searchsorted(last, tables.first[:, at] - places, side="left")
        share *= (below - above) / n
    return float((1 - (1 - share) ** n).sum())
