"""What tables and graphs hold: how often values occur, and how many links nodes have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from verikit.errors import SchemaError
from verikit.plot._frequencies import frequencies
from verikit.release import GraphRelease, SplitRelease, TableRelease
from verikit.table import BipartiteGraph, Column, Microdata
from verikit.words import listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["columns_of", "columns_of_both", "links_of_nodes"]


def _columns(
    frame: pd.DataFrame | Mapping[str, pd.Series[Any]],
    described: Sequence[Column],
    columns: Sequence[str] | None,
) -> Figure:
    """How often the values of some columns occur, all by default, ranked as they are described."""
    known = {column.name: column for column in described if column.name in frame}
    strange = [name for name in columns or () if name not in known]
    if strange:
        raise SchemaError(
            f"There is no column {listed(strange)} to draw; the table has {listed(known)}."
        )
    drawn = {}
    for name in columns or known:
        column, values = known[name], frame[name]
        if column.order and values.dropna().isin(column.order).all():
            values = pd.Series(pd.Categorical(values, column.order, ordered=True))
        drawn[f"{name} in {column.unit}" if column.unit else name] = values.reset_index(drop=True)
    return frequencies(drawn)


def columns_of(table: Microdata | TableRelease, columns: Sequence[str] | None = None) -> Figure:
    """How often the values of its columns occur."""
    return _columns(table.frame, table.schema.columns, columns)


def columns_of_both(release: SplitRelease, columns: Sequence[str] | None = None) -> Figure:
    """How often the values of the columns of both tables occur."""
    known = {name: part[name] for part in (release.sensitive, release.quasi) for name in part}
    return _columns(known, release.schema.columns, columns)


def links_of_nodes(graph: BipartiteGraph | GraphRelease) -> Figure:
    """How many links the nodes of each side have."""
    ends = graph.edges if isinstance(graph, BipartiteGraph) else graph.links
    counted = {}
    for at, (side, nodes) in enumerate((("left", graph.left), ("right", graph.right))):
        counted[f"links of a node, {side}"] = pd.Series(
            np.bincount(ends[:, at], minlength=len(nodes))
        )
    return frequencies(counted, up="nodes")
