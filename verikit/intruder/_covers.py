"""What rows may be whose cells stand for several values, or that share the values of a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit.cells import Cells, Related, Spans, cells_of, relate_values
from verikit.matching import find_compatible_pairs
from verikit.ranks import closest_blocks, expand_ranges
from verikit.release import Release, SplitRelease, TableRelease, by_groups
from verikit.table import Column, Microdata


class Held(NamedTuple):
    """Which values each group holds: the numbers of their pairs in ascending order."""

    keys: Ints
    groups: int

    def meet(self, values: Rows, groups: Rows) -> Flags:
        """Whether groups hold the values beside them."""
        asked = values * self.groups + groups
        place = np.minimum(np.searchsorted(self.keys, asked), len(self.keys) - 1)
        return np.asarray(self.keys[place] == asked)

    def ranges_of(self, values: Rows) -> tuple[Rows, Rows]:
        """Where among the pairs the groups of each value begin and end."""
        begin, end = (np.searchsorted(self.keys, (values + k) * self.groups) for k in (0, 1))
        return begin, end


class Cover(NamedTuple):
    """An attribute of which a row may be several values.

    Parameters
    ----------
    own, shown
        The number of each record's value, and that of the cell or the group of each row.
    fits
        Which of them meet.
    """

    own: Rows
    shown: Rows
    fits: Related | Held

    def meet(self, records: Rows, rows: Rows) -> Flags:
        """Whether rows may be the records beside them."""
        return self.fits.meet(self.own[records], self.shown[rows])

    def count_places(self, records: Rows, rows: Rows) -> Ints:
        """Count 0 places where a row may be the record's, and 1, the least there can be, else."""
        return (~self.meet(records, rows)).astype(np.int64)


def cover_by_cells(data: Microdata, release: Release, name: str) -> Cover:
    """Relate the values of records to the cells of rows that each stand for themselves."""
    frame = release.quasi if by_groups(release) else cast("TableRelease", release).frame
    cells = cells_of(frame[name], release.schema[name], sets=release.holds_sets)
    found = relate_values(*_number_values(data, name), cells)
    return Cover(found.first.codes, found.second.codes, found)


def cover_by_groups(data: Microdata, release: SplitRelease, names: Sequence[str]) -> Cover:
    """Relate the values of records, in columns published together, to those of whole groups."""
    hidden = release.schema[names[0]].role == "sensitive"
    frame, labels = (
        (release.sensitive, release.labels.sensitive)
        if hidden
        else (release.quasi, release.labels.quasi)
    )
    found = find_compatible_pairs(
        [
            relate_values(
                *_number_values(data, name),
                cells_of(frame[name], release.schema[name], sets=release.holds_sets),
            )
            for name in names
        ]
    )
    groups, (values, kinds) = len(release.sizes), found.pairs()
    shown = np.unique(found.second * groups + labels)
    at, owner = expand_ranges(*(np.searchsorted(shown, (kinds + k) * groups) for k in (0, 1)))
    keys = np.unique(values[owner] * groups + shown[at] % groups)
    return Cover(found.first, release.labels.quasi, Held(keys, groups))


def _number_values(data: Microdata, name: str) -> tuple[list[Any], Rows]:
    """The values of a column and the number of each record's, one more where it is missing."""
    codes, values = data.codes(name)
    return list(values), np.where(codes < 0, len(values), codes)


def find_ends(cells: Cells, column: Column) -> tuple[Floats, Floats]:
    """The least and the greatest value that each row of a column with an order may be."""
    if isinstance(cells, Spans):
        low, high = cells.low, cells.high
    else:
        low, high = np.full((2, len(cells) + 1), np.nan)
        for at, part in enumerate(cells.meanings()):
            if part.names:
                scores = column.scores(pd.Series(part.names))
                low[at], high[at] = scores.min(), scores.max()
        low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    return low[cells.codes], high[cells.codes]


def find_ends_by_group(
    ends: tuple[Floats, Floats], labels: Rows, shown: Rows
) -> tuple[Floats, Floats]:
    """The least and the greatest value of each row's group."""
    low, high = np.full(int(labels.max()) + 1, np.inf), np.full(int(labels.max()) + 1, -np.inf)
    np.minimum.at(low, labels, ends[0])
    np.maximum.at(high, labels, ends[1])
    return low[shown], high[shown]


def place_among(original: Floats, low: Floats, high: Floats) -> tuple[Ints, Ints]:
    """The block of ranks of the original values that each row covers, or else comes closest to.

    Examples
    --------
    >>> ends = np.array([2.0, 3, 9]), np.array([4.0, 3, 9])
    >>> [part.tolist() for part in place_among(np.array([4.0, 1, 2, 4]), *ends)]
    [[2, 2, 3], [4, 4, 4]]
    """
    ordered = np.sort(original)
    first = np.searchsorted(ordered, low, side="left") + 1
    last = np.searchsorted(ordered, high, side="right")
    beside = first > last
    if beside.any():
        first[beside] = closest_blocks(ordered, low[beside])[0]
        last[beside] = closest_blocks(ordered, high[beside])[1]
    return first, last


def find_wide_columns(data: Microdata, release: TableRelease, names: Sequence[str]) -> set[str]:
    """The columns some of whose cells stand for values of the original that they do not name."""
    wide = release.generalized_columns(names)
    return {
        name
        for name in wide
        if isinstance(release.frame[name].dtype, pd.IntervalDtype)
        or not set(map(str, release.frame[name].dropna())) <= set(map(str, data.frame[name]))
    }
