"""Values that are nobody's: rows of nobody take their places beside those of people."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from verikit.query._bound import Leaf
from verikit.query._cells import Rows
from verikit.query._values import Names
from verikit.release import SplitRelease
from verikit.table import Column, Schema

__all__ = ["with_nobody"]

PERSON = "person\0"  # a name that no column of a file can have


class Table(NamedTuple):
    """A table, its columns, their names, and the block of each row."""

    frame: pd.DataFrame
    schema: Schema
    names: list[str]
    labels: Rows


def with_nobody(release: SplitRelease) -> tuple[Table, Leaf]:
    """Give the first table with as many rows a group as the second, and what its people meet.

    Some value belongs to each row, so that all that is known of links holds; a row of nobody has
    no other value, and every question is put to people only.
    """
    labels = release.labels
    sizes = [np.bincount(part, minlength=len(labels.names)) for part in labels[1:]]
    added = np.repeat(np.arange(len(labels.names)), sizes[1] - sizes[0])
    rows = np.append(np.arange(len(release)), np.full(len(added), -1))
    frame = release.quasi.reindex(rows).reset_index(drop=True)
    flags = np.repeat(["yes", "no"], [len(release), len(added)])
    frame[PERSON] = pd.Categorical(flags, categories=["no", "yes"])
    schema = Schema((*release.quasi_schema, Column(PERSON, "other", "nominal")))
    names = [*(column.name for column in release.known), PERSON]
    table = Table(frame, schema, names, np.append(labels.quasi, added))
    return table, Leaf(PERSON, Names(frozenset({"yes"})))
