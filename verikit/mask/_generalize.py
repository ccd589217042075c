"""Generalization: values make way for what they have in common with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Rows
from verikit._support.requests import whole
from verikit._support.seed import generator
from verikit.errors import RecordError, SchemaError
from verikit.lattice import (
    Coded,
    ColumnLevels,
    Lattice,
    Search,
    column_levels,
    combine_codes,
    number_densely,
)
from verikit.mask._masking import masking, publish
from verikit.partition import Partition, describe_hidden, mondrian, value_codes
from verikit.release import Masked
from verikit.table import Column, Microdata, Missing, refuse_missing
from verikit.values.names import set_label


@masking(
    paper="KS",
    promise="covers",
    example={"partition": lambda data: mondrian(data, k=2)},
    words="One table, its values made coarse.",
)
def generalize(
    data: Microdata,
    *,
    levels: int | Mapping[str, int] | Search | None = None,
    partition: Partition | None = None,
    suppress: int = 0,
    missing: Missing = "refuse",
    seed: int,
) -> Masked:
    """Publish groups of values instead of values, the same for all records of a class.

    Sensitive and other columns are published as they are, identifiers not at all.

    Parameters
    ----------
    data
        The records; at least one column must be a quasi-identifier.
    levels
        The level of each quasi-identifier in its hierarchy, 0 for the value itself; one number
        for all columns; or what a search through the lattice found, with what it suppresses.
    partition
        Instead of levels, groups of records: numbers become closed intervals, categories the
        lowest node of the hierarchy that covers the group, or a set such as ``{a, b}``.
    suppress
        Records in classes of fewer than this many are suppressed: they stay in the table with
        the root or the whole range in each quasi-identifier.
    missing
        ``"refuse"``, or ``"own value"``. Where a class holds missing and other values, it gets
        the root, or a missing value where there is no root.
    seed
        The secret order in which the rows are published.

    Returns
    -------
    Masked
        The release, which tells how many records were suppressed, and the key.

    Raises
    ------
    SchemaError
        If there is no quasi-identifier, a value is missing, or a hierarchy or one of its values.
    RecordError
        If neither levels nor a partition was given, or both, or a level does not exist.

    Notes
    -----
    No record is dropped. The suppressed ones form a class of their own, which may be smaller than
    the others; `lattice.datafly` can suppress further records to enlarge it.

    References
    ----------
    [KS]_ sections 1 and 2, Table 3

    Examples
    --------
    >>> import verikit as vk
    >>> release, key = generalize(vk.load("ks_table3"), levels={"Race": 1}, seed=7)
    >>> release.frame["Race"].tolist()
    ['Person', 'Person', 'Person', 'Person']

    One record too many for pairs is suppressed:

    >>> data = vk.load("ks_table2_unmasked")
    >>> search = vk.lattice.samarati(data, k=2, suppression=0.2)
    >>> release, key = generalize(data, levels=search, seed=7)
    >>> sorted(zip(release.frame["Race"], release.frame["Zip"]))
    [('Asian', '9412*'), ('Asian', '9412*'), ('Person', '*****'), ('White', '9412*'),
    ('White', '9412*')]
    >>> release.parameters["suppressed"]
    1
    """
    columns = data.schema.quasi
    if not columns:
        raise SchemaError(
            "The table has no quasi-identifier, so there is nothing to generalize; declare at "
            "least one column 'quasi'."
        )
    refuse_missing(data, (*columns, *data.schema.sensitive), missing)
    least = whole(suppress, "suppress", least=0)
    if (levels is None) == (partition is None):
        raise RecordError(
            "mask.generalize takes either levels or a partition; "
            f"{'none was' if levels is None else 'both were'} given."
        )
    hidden = np.zeros(len(data), np.bool_)
    parameters: dict[str, Any] = {"levels": None}
    if isinstance(levels, Search):
        hidden[levels.suppressed] = True
        parameters |= {"search": levels.algorithm, "k": levels.k}
        parameters |= describe_hidden(data, levels.requirements)
        parameters |= {"cuts": dict(levels.cuts)} if levels.cuts else {}
        partition, levels = (levels.partition, None) if levels.cuts else (None, levels.levels)
    if partition is None:
        chosen = _read_levels(data, levels)
        parameters["levels"] = chosen
        if least:
            hidden |= _in_small_classes(_classes_on_levels(data, chosen), least)
        cells = {c.name: level_cells(data, c, chosen[c.name], hidden) for c in columns}
    else:
        parameters |= _describe_partition(partition)
        hidden |= _in_small_classes(partition.labels, least)
        cells = {c.name: group_cells(data, c, partition.labels, hidden) for c in columns}
    parameters |= {"suppress": least, "suppressed": int(hidden.sum()), "missing": missing}
    return publish(data, cells, method="generalize", parameters=parameters, rng=generator(seed))


def _describe_partition(partition: object) -> dict[str, Any]:
    """Tell what is published of a partition; anything else is refused."""
    if not isinstance(partition, Partition):
        raise RecordError.given(
            "partition", partition, "a Partition, as verikit.partition.mondrian makes it"
        )
    return {"partition": partition.method, **partition.parameters, "groups": len(partition)}


def _read_levels(data: Microdata, levels: Any) -> dict[str, int]:
    """Read the level of each quasi-identifier: one for all, or by name."""
    columns = data.schema.quasi
    heights = tuple(c.hierarchy.height if c.hierarchy is not None else 0 for c in columns)
    lattice = Lattice(tuple(column.name for column in columns), heights)
    if not isinstance(levels, Mapping):
        levels = dict.fromkeys(lattice.names, levels)
    return lattice.levels(lattice.node(levels))


def _classes_on_levels(data: Microdata, levels: Mapping[str, int]) -> Rows:
    """Number the class of each record on the given levels."""
    parts = []
    for column in data.schema.quasi:
        if column.hierarchy is None:
            codes, values = value_codes(data, column.name)
            parts.append(Coded(codes, len(values)))
        else:
            coded, level = column_levels(data, column), levels[column.name]
            parts.append(Coded(coded.nodes[level][coded.codes], len(coded.names[level])))
    return number_densely(combine_codes(parts, len(data))).codes


def _in_small_classes(labels: Rows, least: int) -> Flags:
    return (np.bincount(labels) < least)[labels]


def level_cells(data: Microdata, column: Column, level: int, hidden: Flags) -> Any:
    """A column on one level of its hierarchy; hidden records get all that the column may hold."""
    if level == 0 and not hidden.any():
        return data.frame[column.name].array
    if column.hierarchy is None:
        return group_cells(data, column, np.arange(len(data)), hidden)
    coded = column_levels(data, column)
    return _nodes_on_levels(coded, np.full(len(data), level), hidden)


def group_cells(data: Microdata, column: Column, labels: Rows, hidden: Flags) -> Any:
    """A column with one cell a group, which covers the values of its records.

    Where some but not all values of a group are missing, the cell is the root of the hierarchy,
    or missing where there is none.
    """
    if column.kind == "numeric":
        # the closed interval between the least and the greatest number of each group
        values = data.scores(column.name)
        order, starts = _sort_by_group(labels)
        low = np.minimum.reduceat(values[order], starts)[labels]
        high = np.maximum.reduceat(values[order], starts)[labels]
        low[hidden], high[hidden] = values.min(), values.max()
        return pd.arrays.IntervalArray.from_arrays(low, high, closed="both")
    if column.hierarchy is None:
        return _set_cells(data, column, labels, hidden)
    coded = column_levels(data, column)
    # the lowest level on which all records of a group share a node
    order, starts = _sort_by_group(labels)
    level = np.full(len(starts), -1)
    for height, nodes in enumerate(coded.nodes):
        cells = nodes[coded.codes[order]]
        one = np.minimum.reduceat(cells, starts) == np.maximum.reduceat(cells, starts)
        level[(level < 0) & one] = height
    return _nodes_on_levels(coded, level[labels], hidden)


def _nodes_on_levels(coded: ColumnLevels, level: Rows, hidden: Flags) -> pd.Categorical:
    """The nodes of the records, each on its level."""
    level = np.where(hidden, len(coded.nodes) - 1, level)
    codes = np.empty(len(level), np.intp)
    names: list[str | None] = []
    for height in np.unique(level):
        rows = level == height
        codes[rows] = coded.nodes[height][coded.codes[rows]] + len(names)
        names += coded.names[height]
    return _make_categorical(codes, names)


def _set_cells(data: Microdata, column: Column, labels: Rows, hidden: Flags) -> pd.Categorical:
    """The set of the categories of each group."""
    codes, values = value_codes(data, column.name)
    pairs = np.unique(labels * len(values) + codes)
    groups, places = np.divmod(pairs, len(values))
    parts = [tuple(part) for part in np.split(places, np.flatnonzero(np.diff(groups)) + 1)]
    numbers = {part: number for number, part in enumerate(dict.fromkeys(parts))}
    number = np.array([numbers[part] for part in parts])[labels]
    number[hidden] = len(numbers)
    held = [[values[at] for at in part] for part in (*numbers, tuple(range(len(values))))]
    names = [None if None in cells else set_label(cells) for cells in held]
    return _make_categorical(number, names)


def _sort_by_group(labels: Rows) -> tuple[Rows, Rows]:
    """The records group by group, and where each group starts; labels count without gaps."""
    sizes = np.bincount(labels)
    return np.argsort(labels, kind="stable"), np.cumsum(sizes) - sizes


def _make_categorical(codes: Rows, names: Sequence[str | None]) -> pd.Categorical:
    """Names by code, each name a category once; no name means missing."""
    known = [name for name in dict.fromkeys(names) if name is not None]
    numbers = {name: place for place, name in enumerate(known)}
    found = np.array([-1 if name is None else numbers[name] for name in names], np.intp)
    return pd.Categorical.from_codes(found[codes], categories=known)
