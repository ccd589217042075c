"""What a question about a published graph picks out: by group, for nobody knows which nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Rows
from verikit.errors import RecordError, SchemaError, quoted
from verikit.release import GraphRelease, by_nodes
from verikit.table import Neighbours, Side, require_side
from verikit.words import text

__all__ = ["EVEN", "NOBODY", "Chosen", "Where", "checked_release", "chosen", "other_side"]

Where: TypeAlias = Mapping[str, Any]
EVEN = "every way to give the names of a group to its nodes being equally likely"
NOBODY = "nothing that was published meets the condition"


@dataclass(frozen=True, slots=True)
class Chosen:
    """How many entities of each group of a side are meant, and its nodes."""

    counts: Rows
    sizes: Rows
    groups: Rows
    near: Neighbours

    @property
    def chance(self) -> Floats:
        """How likely each node is one of those meant."""
        return (self.counts / self.sizes)[self.groups]


def checked_release(release: object, *, safe: bool = True) -> GraphRelease:
    """The published graph that a question was put to, if its groups allow the answer."""
    if not by_nodes(release):
        raise SchemaError(
            f"A question about links was put to {type(release).__name__}; expected GraphRelease, "
            "such as mask.group_nodes makes."
        )
    if safe and not (release.safe("left") and release.safe("right")):
        raise SchemaError(
            "The groups of this graph are not safe, so bounds by pairs of groups do not hold; ask "
            "with tight=True."
        )
    return release


def chosen(release: GraphRelease, side: Side, where: Where | None) -> Chosen:
    """How many entities of each group meet all conditions: a value, or several, for a column."""
    table, groups = release.side(require_side(side)), release.groups(side)
    if where is not None and not isinstance(where, Mapping):
        raise RecordError(
            f"A condition was given as {quoted(where)}; expected a dictionary of columns and "
            "values, such as {'Location': 'US'}."
        )
    meant = np.ones(len(table), bool)
    for name, wanted in (where or {}).items():
        column = table.schema[name]
        values = wanted if isinstance(wanted, (list, tuple, set, frozenset)) else [wanted]
        if column.kind == "numeric":
            meant &= table.frame[name].isin([column.score(value) for value in values]).to_numpy()
        else:
            meant &= _among(table.frame[name], name, [text(value) for value in values])
    sizes = release.sizes(side)
    counts = np.bincount(groups[meant], minlength=len(sizes))
    return Chosen(counts, sizes, release.nodes(side), release.neighbours(side))


def other_side(side: Side) -> Side:
    """The other side."""
    return "right" if require_side(side) == "left" else "left"


def _among(column: pd.Series[Any], name: str, wanted: list[str]) -> Flags:
    known = set(column.cat.categories)
    for value in wanted:
        if value not in known:
            raise RecordError(
                f"No {quoted(name)} is {quoted(value)}; expected one of its published values.",
                field=name,
                value=value,
            )
    return column.isin(wanted).to_numpy()
