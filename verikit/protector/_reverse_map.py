"""Algorithm 1 for a whole table, with the key."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.requests import instance
from verikit._support.seed import checked_seed, generator
from verikit.cells import Cells, cells_of
from verikit.errors import RecordError
from verikit.intruder import (
    find_ends,
    find_wide_columns,
    place_among,
    refuse_unlike,
    require_scores,
)
from verikit.ranks import distance_of, measure_distances
from verikit.ranks import reverse_map as map_column
from verikit.release import Key, Release, TableRelease, by_groups
from verikit.table import Microdata, Schema, as_microdata
from verikit.utility import find_by_score
from verikit.words import text


def reverse_map(data: Microdata, release: Release, key: Key, *, seed: int) -> Microdata:
    """Give each released value the original value of the same rank, column by column.

    What comes out is a permutation of every original column: all that masking did but for the noise
    that changes no rank, which whoever knows the original can take away.

    Parameters
    ----------
    data, release, key
        The original, what was published, and which row came from which record.
    seed
        Seed for the draws: equal values, and what rows that may be several values stand for.

    Returns
    -------
    Microdata
        The columns that both tables hold, in the order of the original's records.

    Raises
    ------
    RecordError
        If there is no row for each record and none besides, so that ranks do not correspond.
    SchemaError
        If values with an order are missing, or the tables share no column.

    References
    ----------
    [DM]_ Algorithm 1, Table 1, footnote 3

    Notes
    -----
    Values without an order are ranked by their marginality in the original, the most central first;
    values as central as each other by lot. That is our reading of footnote 3, whose source we have
    not seen. A cell that stands for several values is read as one of the original values that it
    covers, drawn as often as they occur; in tables joined by groups the values of a group are dealt
    to its rows. O(n log n) a column.

    Examples
    --------
    The first record of the running example: 108.18 has rank 14, and so becomes 108.21.

    >>> import verikit as vk
    >>> data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    >>> reverse_map(data, release, vk.Key.of(range(20)), seed=1).frame.iloc[0].tolist()
    [108.21, 980.97, 4893.5]
    """
    data = as_microdata(data, "reverse_map")
    instance(key, Key, "reverse_map", "the Key that a mask gave with this release")
    refuse_unlike(data, release, groups=True)
    rows = key.rows_in(release)
    if len(rows) != len(data) or len(release) != len(data) or bool((rows < 0).any()):
        raise RecordError(
            f"The original has {len(data):,} records, the release {len(release):,} rows and the "
            f"key {int((rows >= 0).sum()):,} pairs of them; Algorithm 1 gives rank for rank, and "
            "so needs a row for each record and none besides."
        )
    rng, first = generator(checked_seed(seed)), data.canonical_order()
    names = [name for name in data.schema.names if name in release.schema.names]
    numbers = {}
    for name in names:
        shown, covered = _read_rows(data, release, name, rows, rng)
        drawn = np.empty(len(data))
        drawn[first] = rng.random(len(data))  # so that nothing hangs on the order of the records
        cells = cells_of(shown, release.schema[name], sets=release.holds_sets) if covered else None
        number = _number_ranks if distance_of(data.schema[name]) == "ranks" else _number_centrality
        numbers[name] = number(data, name, shown, cells, drawn, rng)
    ties = [np.unique(theirs, return_inverse=True)[1] for _, theirs in numbers.values()]
    order, columns = data.canonical_order(*ties), {}
    for name, (own, theirs) in numbers.items():
        mapped = np.empty(len(order))
        mapped[order] = map_column(own[order], theirs[order], seed=seed)
        columns[name] = find_by_score(data.frame[name], own, mapped)
    return Microdata(pd.DataFrame(columns), Schema(tuple(data.schema[name] for name in names)))


def _read_rows(
    data: Microdata, release: Release, name: str, rows: Rows, rng: np.random.Generator
) -> tuple[pd.Series[Any], bool]:
    """The cells of a column in the order of the records, and whether they may be several values."""
    if not by_groups(release):
        table = cast("TableRelease", release)
        wide = name in find_wide_columns(data, table, [name])
        return table.frame[name].take(rows).reset_index(drop=True), wide
    hidden = release.schema[name].role == "sensitive"
    if not (hidden or release.permuted):
        return release.quasi[name].take(rows).reset_index(drop=True), True
    frame, labels = (
        (release.sensitive, release.labels.sensitive)
        if hidden
        else (release.quasi, release.labels.quasi)
    )
    # the cells of each group in random order, dealt to its records; some may be nobody's
    codes = pd.factorize(frame[name], sort=True)[0]
    order = np.lexsort((codes, labels))
    order = order[np.lexsort((rng.random(len(order)), labels[order]))]
    own = release.labels.quasi[rows]
    to = np.lexsort((*(data.codes(n)[0] for n in data.schema.names), own))
    begin = np.searchsorted(labels[order], own[to])
    place = np.arange(len(to)) - np.searchsorted(own[to], own[to])
    dealt = np.empty(len(rows), np.intp)
    dealt[to] = order[begin + place]
    return frame[name].take(dealt).reset_index(drop=True), True


def _number_ranks(
    data: Microdata,
    name: str,
    shown: pd.Series[Any],
    cells: Cells | None,
    drawn: Floats,
    _: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Number the values of both tables in their declared order."""
    own = require_scores(data, name, "original")
    if cells is None:
        return own, data.schema[name].scores(shown)
    first, last = place_among(own, *find_ends(cells, data.schema[name]))
    return own, np.sort(own)[first - 1 + (drawn * (last - first + 1)).astype(np.intp)]


def _number_centrality(
    data: Microdata,
    name: str,
    shown: pd.Series[Any],
    cells: Cells | None,
    drawn: Floats,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Number the values of both tables from the most central one on."""
    codes, known = data.codes(name)
    names = [*map(text, known)]
    counts = np.bincount(codes, minlength=len(names)).astype(float)
    if cells is None:
        others = [*map(text, shown)]
        names += [other for other in dict.fromkeys(others) if other not in set(names)]
        counts = np.r_[counts, np.zeros(len(names) - len(counts))]
        at = dict(zip(names, range(len(names)), strict=True))
        theirs = np.array([at[other] for other in others])
    else:  # of the values that a cell covers, one as often as it occurs
        fits = np.array([cells.may_be(value) for value in known]).T * counts
        fits = np.where(fits.any(axis=1, keepdims=True), fits, counts)
        ends = np.cumsum(fits, axis=1)
        asked = drawn * ends[cells.codes, -1]
        theirs = (ends[cells.codes] <= asked[:, None]).sum(axis=1)
    tree = data.schema[name].hierarchy
    far = counts.sum() - counts if tree is None else measure_distances(names, tree) @ counts
    number = np.empty(len(names))
    number[np.lexsort((rng.permutation(len(names)), far.round(9)))] = np.arange(len(names))
    return number[codes], number[theirs]
