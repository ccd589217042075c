"""Microaggregation: small groups of similar records share their mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from verikit._support.arrays import Flags, Floats, Rows
from verikit._support.compiled import compiled
from verikit._support.requests import one_of
from verikit.mask._columns import numeric_columns, random_order
from verikit.mask._masking import Drawing, Knob, masking
from verikit.table import Microdata, group_size

Grouping: TypeAlias = Literal["individual", "mdav"]


BY_COLUMN = Knob(
    "k", 2, lambda data: max(2, len(data) // 2), (2, 5, 10, 20, 50),
    "microaggregation by column", "groups of {:g}", whole=True,
)  # fmt: skip
BY_RECORD = replace(
    BY_COLUMN, words="microaggregation of records", name="mdav", fixed={"method": "mdav"}
)


@masking(
    paper="DM",
    promise="changed",
    example={"k": 3},
    words="Small groups of similar records share their mean.",
    knobs=(BY_COLUMN, BY_RECORD),
    draws=True,
    guarantees="a mean is told as it is: an original of other means cannot make this release",
)
def microaggregate(
    data: Microdata, *, k: int, method: Grouping = "individual", seed: int
) -> Drawing:
    """Replace values by the mean of a group of at least k similar ones.

    Parameters
    ----------
    data
        The records; their quasi-identifying and sensitive columns must be numbers.
    k
        The smallest group size; groups have at most 2k - 1 records.
    method
        ``"individual"`` groups each column by itself, by rank (individual ranking); ``"mdav"``
        groups whole records by distance, so that k records become equal.
    seed
        The secret randomness: it orders the released rows, and equal values before grouping.

    Returns
    -------
    Masked
        The release, which publishes k and the way of grouping, and the key.

    Raises
    ------
    SchemaError
        If a column holds categories or missing values.
    RecordError
        If k is no group size or the way of grouping is unknown.
    InfeasibleError
        If there are fewer than k records.

    References
    ----------
    [DM]_ section 6, which names microaggregation among the methods whose parameter is a group size

    Notes
    -----
    Individual ranking costs a sort a column. MDAV takes the record farthest from the mean of those
    left with its k - 1 closest, then the one farthest from it with its own, until fewer than 3k
    are left; columns are standardized for the distances; O(n² / k).

    Examples
    --------
    >>> import verikit as vk
    >>> release, key = microaggregate(vk.load("dm_table1"), k=5, seed=7)
    >>> release.frame.nunique().to_dict()
    {'X1': 4, 'X2': 4, 'X3': 4}
    """
    columns, size = numeric_columns(data, "microaggregate"), group_size(k, len(data))
    one_of(method, "method", get_args(Grouping))
    values = {column.name: data.scores(column.name) for column in columns}
    parameters = {"k": size, "method": method}
    if method == "individual":  # only equal values are grouped by lot

        def draw(rng: np.random.Generator) -> dict[str, Floats]:
            return {n: _average_neighbours(numbers, size, rng) for n, numbers in values.items()}

        return Drawing(draw, parameters, seed)
    table = np.array(list(values.values()))
    spread = table.std(axis=1, keepdims=True)
    centred = (table - table.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1)
    groups = _mdav(centred, size)
    sizes = np.bincount(groups)
    means = {name: (np.bincount(groups, v) / sizes)[groups] for name, v in values.items()}
    return Drawing(lambda _: means, parameters, seed)


def _average_neighbours(values: Floats, k: int, rng: np.random.Generator) -> Floats:
    """Average each k neighbours in the order of the values, the last group up to 2k - 1."""
    order = random_order(values, rng)
    starts = np.arange(len(values) // k) * k
    sizes = np.diff(np.r_[starts, len(values)])
    masked = np.empty(len(values))
    masked[order] = np.repeat(np.add.reduceat(values[order], starts) / sizes, sizes)
    return masked


@compiled(large=90_000)
def _mdav(table: Floats, k: int) -> Rows:
    """The group of each record by its maximum distance to the average; one row an attribute."""
    groups = np.zeros(table.shape[1], np.int64)
    rows, group = np.arange(table.shape[1]), 0
    while len(rows) >= 3 * k:
        far = np.argmax(_squared_distances(table, _mean_record(table)))
        from_far = _squared_distances(table, table[:, far])
        left = np.ones(len(rows), np.bool_)
        _take_closest(left, groups, rows, from_far.copy(), k, group)
        opposite = np.argmax(np.where(left, from_far, -1.0))
        _take_closest(
            left, groups, rows, _squared_distances(table, table[:, opposite]), k, group + 1
        )
        kept = np.flatnonzero(left)
        rows, table, group = rows[kept], table[:, kept], group + 2
    if len(rows) >= 2 * k:
        left = np.ones(len(rows), np.bool_)
        far = np.argmax(_squared_distances(table, _mean_record(table)))
        _take_closest(left, groups, rows, _squared_distances(table, table[:, far]), k, group)
        rows, group = rows[left], group + 1
    groups[rows] = group
    return groups


def _mean_record(table: Floats) -> Floats:
    """The mean record; added up in order, so that compiled and plain agree to the last digit."""
    centre = np.empty(len(table))
    for j in range(len(table)):
        centre[j] = np.cumsum(table[j])[-1] / table.shape[1]
    return centre


def _squared_distances(table: Floats, centre: Floats) -> Floats:
    """The squared distance of each record from one point."""
    apart = np.zeros(table.shape[1])
    for j in range(len(table)):
        apart += (table[j] - centre[j]) ** 2
    return apart


def _take_closest(left: Flags, groups: Rows, rows: Rows, apart: Floats, k: int, group: int) -> None:
    """Put the k closest of the records left into a group; the first of equally close ones."""
    apart[~left] = np.inf
    for _ in range(k):
        near = np.argmin(apart)
        apart[near], left[near], groups[rows[near]] = np.inf, False, group
