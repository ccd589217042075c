"""What the methods that publish two tables share: groups with numbers that say nothing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit.errors import SchemaError
from verikit.partition import Partition
from verikit.release import GROUP, Key, Masked, SplitRelease
from verikit.table import Column, Microdata, Missing, refuse_missing

__all__ = ["group_numbers", "places_within", "split"]


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


def split(
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

    def moved(column: Column) -> pd.Series[object]:
        order = np.argsort(places[column.name])
        return data.frame[column.name].take(order).reset_index(drop=True)

    known = {c.name: moved(c) for c in schema if c.role != "sensitive"}
    hidden = {c.name: moved(c) for c in schema.sensitive}
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
