"""The normalized certainty penalty: how much of its domain each published value may stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit._support.plotted import Plotted
from verikit._support.requests import instance, number
from verikit.cells import cells_of
from verikit.errors import RecordError, SchemaError, quoted
from verikit.partition import Partition
from verikit.release import TableRelease, whole_records
from verikit.table import Column, Microdata, checked_table
from verikit.words import text

__all__ = ["Penalty", "ncp"]

Spans: TypeAlias = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Penalty(Plotted):
    """The certainty penalty of a table, from 0 for each value to 1 for its whole domain.

    Parameters
    ----------
    columns
        By quasi-identifier the penalty of each record, in the order of what was measured.
    """

    columns: Mapping[str, Floats]

    @property
    def per_record(self) -> Floats:
        """The penalty of each record, over all quasi-identifiers."""
        return np.sum(list(self.columns.values()), axis=0)

    @property
    def total(self) -> float:
        """The penalty of the table: the sum over its records."""
        return float(self.per_record.sum())

    @property
    def share(self) -> float:
        """The mean penalty of a value, between 0 and 1."""
        return float(np.mean(list(self.columns.values())))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {part.sum():,.4g}" for name, part in self.columns.items())
        return f"penalty {self.total:,.6g}, {100 * self.share:.3g} % of the most possible: {parts}"

    def to_frame(self) -> pd.DataFrame:
        """The penalties, one line a record and one column a quasi-identifier."""
        return pd.DataFrame(dict(self.columns))


def ncp(
    data: Microdata,
    release: TableRelease | Partition,
    *,
    domains: Mapping[str, tuple[float, float]] | None = None,
) -> Penalty:
    """Measure how much generalizing groups of records to ranges and sets leaves open.

    Parameters
    ----------
    data
        The original; its columns give the domains.
    release
        A generalized table; or a partition of the original, which is taken as if each group were
        generalized to what it covers.
    domains
        The least and the greatest value that numeric columns may have, where that is more than
        the original shows.

    Returns
    -------
    Penalty
        The penalty of each record and quasi-identifier, and their sum.

    Raises
    ------
    SchemaError
        If there is no quasi-identifier, the partition is not one of this table, or a domain is
        given of a column that is not numeric.
    RecordError
        If a domain is no two numbers between which the values lie.

    References
    ----------
    [LHCC]_ Definition 3, Example 4

    Notes
    -----
    A range counts by its width over that of the column, which is 0 wide for a constant column and
    then costs nothing. A set of categories counts by their number over that of the column, and a
    single category costs nothing, as in Example 4; the definition in print reads otherwise.
    O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> ncp(vk.load("lhcc_table1"), vk.published("lhcc_table2"))
    penalty 13.5, 75 % of the most possible: Age 4.5, Sex 9
    """
    checked_table(data, "ncp")
    if not data.schema.quasi:
        raise SchemaError("The table has no quasi-identifier, so nothing was generalized.")
    asked = {} if domains is None else domains
    spans = _given(data, instance(asked, Mapping, "ncp", "domains such as {'age': (0, 100)}"))
    if whole_records(release):
        return Penalty({c.name: _of_cells(data, release, c, spans) for c in data.schema.quasi})
    if not isinstance(release, Partition):
        raise SchemaError(
            f"ncp was given {type(release).__name__}; expected a TableRelease or a Partition."
        )
    if len(release.labels) != len(data):
        raise SchemaError(
            f"The partition has {len(release.labels)} records and the table {len(data)}; make the "
            "partition from this table."
        )
    return Penalty({c.name: _of_groups(data, release, c, spans) for c in data.schema.quasi})


def _given(data: Microdata, domains: Mapping[str, tuple[float, float]]) -> Spans:
    """The domains that were given, each around all values of its column."""
    found = {}
    for name, span in domains.items():
        if data.schema[name].kind != "numeric":
            raise SchemaError(
                f"Column {quoted(name)} is {data.schema[name].kind} and has no domain of numbers; "
                "its domain is what its order or the table holds."
            )
        low, high = _domain(data, data.schema[name], {})
        ends = tuple(span) if isinstance(span, (tuple, list)) and len(span) == 2 else ()
        if not ends or not number(ends[0], name) <= low <= high <= number(ends[1], name):
            raise RecordError(
                f"The domain of {quoted(name)} was given as {quoted(span)}; expected the least and "
                f"the greatest value, around {text(low)} and {text(high)}, which the table holds."
            )
        found[name] = (float(ends[0]), float(ends[1]))
    return found


def _of_cells(data: Microdata, release: TableRelease, column: Column, spans: Spans) -> Floats:
    """The penalty of each published cell; a missing one may be anything."""
    cells = cells_of(release.frame[column.name], release.schema[column.name])
    if column.kind == "nominal":
        count, kinds = cells.width(), _kinds(data, column)
        penalty = np.where(count > 1, np.minimum(count / kinds, 1), 0.0)
    else:
        penalty = _shares(cells.width(_domain(data, column, spans)), _width(data, column, spans))
    penalty[-1] = 1.0
    return penalty[cells.codes]


def _of_groups(data: Microdata, partition: Partition, column: Column, spans: Spans) -> Floats:
    """The penalty of each record if its group is published as a range or a set."""
    labels = partition.labels
    if column.kind == "nominal":
        codes, found = data.codes(column.name)
        held = np.unique(labels * (len(found) + 1) + codes + 1) // (len(found) + 1)
        count = np.bincount(held, minlength=len(partition))
        return np.where(count > 1, count / _kinds(data, column), 0.0)[labels]
    order = np.argsort(labels, kind="stable")
    starts = np.cumsum(partition.sizes) - partition.sizes
    scores = data.scores(column.name)[order]
    wide = np.fmax.reduceat(scores, starts) - np.fmin.reduceat(scores, starts)
    return _shares(np.nan_to_num(wide), _width(data, column, spans))[labels]


def _width(data: Microdata, column: Column, spans: Spans) -> float:
    low, high = _domain(data, column, spans)
    return float(np.nan_to_num(high - low))


def _domain(data: Microdata, column: Column, spans: Spans) -> tuple[float, float]:
    """The least and the greatest value; for ordered categories the places of those that occur."""
    if column.name in spans:
        return spans[column.name]
    if column.kind == "ordinal":
        return 0.0, len(data.codes(column.name)[1]) - 1.0
    scores = data.scores(column.name)
    return float(np.nanmin(scores)), float(np.nanmax(scores))


def _kinds(data: Microdata, column: Column) -> int:
    codes, found = data.codes(column.name)
    return len(found) + int((codes < 0).any())


def _shares(widths: Floats, domain: float) -> Floats:
    return widths / domain if domain else np.zeros(len(widths))
