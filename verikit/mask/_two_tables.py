"""Anatomy: exact quasi-identifiers in one table, sensitive values of each group in another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.seed import generator
from verikit.errors import SchemaError
from verikit.mask._masking import masking
from verikit.partition import Partition, anatomy, diverse, max_groups, sensitive_name
from verikit.release import GROUP, Key, Masked, SplitRelease, make_help_table
from verikit.table import Column, Microdata, Missing, refuse_missing


@masking(
    paper="LHCC",
    promise="another order",
    example={"partition": lambda data: anatomy(data, ell=2, seed=1)},
    words="Two tables joined by groups only, rows kept.",
)
def anatomize(
    data: Microdata, *, partition: Partition, missing: Missing = "refuse", seed: int
) -> Masked:
    """Publish quasi-identifiers and sensitive values in two tables joined by groups only.

    Whoever knows a person's quasi-identifiers finds her group, and then the sensitive values of the
    group, but not, from the group alone, which of them is hers. Whoever learns from the whole table
    which values go with which, or repeats a method that made the groups from the sensitive values,
    may tell more. That she is in the data can be seen.

    Parameters
    ----------
    data
        The records.
    partition
        The groups, from any partitioner.
    missing
        Whether missing values are refused, or published as such with ``"own value"``.
    seed
        The secret randomness: the numbers of the groups and the order of the rows inside each,
        another one in each table.

    Returns
    -------
    Masked
        The release in two tables, and the key, which also tells each sensitive value's place.

    Raises
    ------
    SchemaError
        If no column is sensitive, or none is not; if a value is missing, or the partition was
        made from another table.

    References
    ----------
    [LHCC]_ section 1, Table 3

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("lhcc_table1")
    >>> groups = vk.Partition.of([1, 1, 1, 1, 1, 2, 2, 2, 2])
    >>> release, key = anatomize(data, partition=groups, seed=7)
    >>> release
    SplitRelease(9 records in 2 groups, of Age, Sex | Disease; method anatomize)
    >>> release.quasi.columns.tolist(), release.sensitive.columns.tolist()
    (['Age', 'Sex', 'Group-ID'], ['Group-ID', 'Disease'])
    """
    rng = generator(seed)
    groups = group_numbers(data, partition, missing, rng)
    known, hidden = places_within(groups, rng), places_within(groups, rng)
    places = {c.name: hidden if c.role == "sensitive" else known for c in data.schema.released}
    return split_tables(
        data, groups, places, partition, missing, method="anatomize", permuted=False
    )


@masking(
    paper="LHCC",
    promise="another order",
    example={"partition": lambda data: diverse(data, ell=2, seed=1)},
    words="Two tables joined by groups only, columns shuffled inside them.",
)
def permute_all(
    data: Microdata, *, partition: Partition, missing: Missing = "refuse", seed: int
) -> Masked:
    """Publish two tables joined by groups, with every column shuffled inside the groups.

    As in anatomy nobody can tell from a group alone which of its sensitive values is whose; whoever
    learns from the whole table, or repeats the method that made the groups, may. Besides, a row of
    the first table is no person's any more, so that it is less certain who is in the data.

    Parameters
    ----------
    data
        The records.
    partition
        The groups, from any partitioner.
    missing
        Whether missing values are refused, or published as such with ``"own value"``.
    seed
        The secret randomness: the numbers of the groups, and for each column the order of its
        values inside each group.

    Returns
    -------
    Masked
        The release in two tables, and the key: the place of each record's values by column.

    Raises
    ------
    SchemaError
        If no column is sensitive, or none is not; if a value is missing, or the partition was
        made from another table.

    Notes
    -----
    One shuffle for each column, sensitive or not, where one place of the paper counts one for
    each group. O(d n log n) for d columns.

    References
    ----------
    [LHCC]_ Definition 1, section 3.2, Table 4

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("lhcc_table1")
    >>> groups = vk.Partition.of([1, 1, 1, 1, 1, 2, 2, 2, 2])
    >>> release, key = permute_all(data, partition=groups, seed=7)
    >>> release
    SplitRelease(9 records in 2 groups, of Age, Sex | Disease; method permute_all)
    """
    rng = generator(seed)
    groups = group_numbers(data, partition, missing, rng)
    places = {name: places_within(groups, rng) for name in data.schema.released.names}
    return split_tables(
        data, groups, places, partition, missing, method="permute_all", permuted=True
    )


@masking(
    paper="QZ",
    promise="another order",
    example={"partition": lambda data: max_groups(data, k=2, e=0, seed=1)},
    words="What others may know as it is, sensitive numbers permuted in groups, bounds beside.",
)
def permute_sensitive(
    data: Microdata, *, partition: Partition, sensitive: str | None = None, seed: int
) -> Masked:
    """Publish quasi-identifiers as they are, sensitive numbers permuted in each group, and bounds.

    Whoever finds a person in the table learns the values of her group, but not, from the group
    alone, which is hers. Whoever learns from the whole table, or repeats a method that made the
    groups from the numbers, may tell more. How many people of a group a question selects can be
    counted exactly, so that sums, averages and extremes have narrow bounds; the help table holds
    them for every group and number of hits.

    Parameters
    ----------
    data
        The records.
    partition
        The groups, such as those of `partition.min_sum_error`, which keep numbers apart.
    sensitive
        The numeric column of the help table; needed only if several columns are sensitive, which
        are permuted together.
    seed
        The secret randomness: the numbers of the groups and the order of the rows inside each,
        another one for the sensitive values.

    Returns
    -------
    Masked
        The release with its help table, and the key, which also tells each value's place.

    Raises
    ------
    SchemaError
        If there is no one sensitive column of numbers, or no other column; if a value is missing,
        or the partition was made from another table.

    References
    ----------
    [QZ]_ Definition 2.4.2, section 2.5.2, Tables 2.3 and 2.4

    Notes
    -----
    The permutation is uniform, so a value may come to lie beside its own person; a rule against it
    would tell that the value beside her is not hers. The printed table lists the values in
    ascending order, which no random permutation does. The mapping table of the text is the column
    of groups. O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("qz_table2_1")
    >>> groups = vk.partition.max_groups(data, k=3, e=2000, seed=1)
    >>> release, key = permute_sensitive(data, partition=groups, seed=7)
    >>> release
    SplitRelease(9 records in 3 groups, of age, zipcode, gender | salary; method permute_sensitive)
    >>> release.help.columns.tolist()[:4], len(release.help)
    (['group', 'hits', 'sum_lower', 'sum_upper'], 9)
    """
    name = sensitive_name(data.schema, sensitive)
    if data.schema[name].kind != "numeric":
        raise SchemaError(
            f"mask.permute_sensitive publishes bounds of numbers, but column {name!r} is "
            f"{data.schema[name].kind}; name a numeric one, or use mask.anatomize for categories."
        )
    rng = generator(seed)
    groups = group_numbers(data, partition, "refuse", rng)
    known, hidden = places_within(groups, rng), places_within(groups, rng)
    places = {c.name: hidden if c.role == "sensitive" else known for c in data.schema.released}
    made, key = split_tables(
        data, groups, places, partition, "refuse", method="permute_sensitive", permuted=False
    )
    release = cast("SplitRelease", made)
    bounds = make_help_table(
        release.sensitive[name], release.labels.sensitive, release.labels.names
    )
    told = {**release.parameters, "sensitive": name}
    return Masked(replace(release, parameters=told, help=bounds), key)


def group_numbers(
    data: Microdata, partition: Partition, missing: Missing, rng: np.random.Generator
) -> Rows:
    """A number from 1 for the group of each record, drawn at random for each group."""
    if not isinstance(partition, Partition):
        raise SchemaError(
            f"partition was given as {type(partition).__name__}; expected a Partition "
            "(verikit.partition.diverse and others make one, Partition.of takes labels).",
            field="partition",
            value=partition,
        )
    refuse_missing(data, (*data.schema.quasi, *data.schema.sensitive), missing)
    labels = Partition.of(partition.labels).labels
    return 1 + rng.permutation(len(partition))[labels]


def places_within(groups: Rows, rng: np.random.Generator) -> Rows:
    """A place for each record: group by group, in random order inside each.

    Examples
    --------
    >>> from verikit._support.seed import generator
    >>> places = places_within(np.array([2, 1, 2, 1]), generator(1))
    >>> sorted(places[[1, 3]].tolist()), sorted(places[[0, 2]].tolist())
    ([0, 1], [2, 3])
    """
    places = np.empty(len(groups), np.intp)
    order = np.argsort(groups * len(groups) + rng.permutation(len(groups)))
    places[order] = np.arange(len(groups))
    return places


def split_tables(
    data: Microdata,
    groups: Rows,
    places: Mapping[str, Rows],
    partition: Partition,
    missing: Missing,
    *,
    method: str,
    permuted: bool,
) -> Masked:
    """Put every column into its table, each value at its place, the rows in order of the groups."""
    schema = data.schema.released
    numbers = np.sort(groups)

    def move_values(column: Column) -> pd.Series[object]:
        order = np.argsort(places[column.name])
        return data.frame[column.name].take(order).reset_index(drop=True)

    known = {c.name: move_values(c) for c in schema if c.role != "sensitive"}
    hidden = {c.name: move_values(c) for c in schema.sensitive}
    release = SplitRelease._of(
        {*schema.names},
        quasi=pd.DataFrame({**known, GROUP: numbers}),
        sensitive=pd.DataFrame({GROUP: numbers, **hidden}),
        schema=schema,
        method=method,
        parameters={
            "partition": {"method": partition.method, **partition.parameters},
            "missing": missing,
        },
        permuted=permuted,
        promise="another order",
    )
    return Masked(release, Key({"": places[next(iter(known))], **places}))
