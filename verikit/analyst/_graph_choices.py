"""What a question about a published graph picks out: by group, for nobody knows which nodes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import comb, prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Floats, Rows
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.release import GraphRelease, by_nodes
from verikit.table import Neighbours, Side, require_side
from verikit.words import text

__all__ = [
    "EVEN",
    "NOBODY",
    "Chosen",
    "Tight",
    "Where",
    "checked_release",
    "chosen",
    "other_side",
    "tight_count",
    "tight_links",
    "tight_most",
]

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
    """Find the published graph that a question was put to, if its groups allow the answer."""
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
            meant &= _match_values(table.frame[name], name, [text(value) for value in values])
    sizes = release.sizes(side)
    counts = np.bincount(groups[meant], minlength=len(sizes))
    return Chosen(counts, sizes, release.nodes(side), release.neighbours(side))


def other_side(side: Side) -> Side:
    """Find the other side."""
    return "right" if require_side(side) == "left" else "left"


def _match_values(column: pd.Series[Any], name: str, wanted: list[str]) -> Flags:
    known = set(column.cat.categories)
    for value in wanted:
        if value not in known:
            raise RecordError(
                f"No {quoted(name)} is {quoted(value)}; expected one of its published values.",
                field=name,
                value=value,
            )
    return column.isin(wanted).to_numpy()


WAYS = 50_000


class Tight(NamedTuple):
    """The least, the mean and the most over every way to give names to nodes."""

    lower: float
    mean: float
    upper: float


def tight_count(counted: Chosen, others: Chosen) -> Tight:
    """Count how many of those counted are linked to one of the others."""
    return _over_choices(
        others, lambda meant: _few_or_many(counted, _count_linked(counted, meant) > 0)
    )


def tight_links(counted: Chosen, others: Chosen) -> Tight:
    """Count how many links there are between both."""
    return _over_choices(others, lambda meant: _few_or_many(counted, _count_linked(counted, meant)))


def tight_most(side: Chosen, others: Chosen, kept: Flags) -> Tight:
    """Find the most links of one of a side to the others, of which only the kept nodes count."""
    return _over_choices(
        others, lambda meant: _find_largest(side, _count_linked(side, meant * kept))
    )


def _over_choices(others: Chosen, answer: object) -> Tight:
    found = np.array([answer(meant) for meant in _list_choices(others)])  # type: ignore[operator]
    return Tight(float(found[:, 0].min()), float(found[:, 1].mean()), float(found[:, 2].max()))


def _list_choices(part: Chosen) -> Iterator[Rows]:
    """List every choice of nodes, as many in each group as entities are meant; 1 where chosen."""
    pairs = list(zip(part.sizes.tolist(), part.counts.tolist(), strict=True))
    ways = prod(comb(size, count) for size, count in pairs)
    if ways > WAYS:
        raise InfeasibleError(
            f"There are more than {WAYS:,} choices of nodes to try; ask without tight=True, which "
            "gives bounds that hold but may be wider."
        )
    members = [np.flatnonzero(part.groups == g) for g in range(len(pairs))]
    each = [itertools.combinations(m, c) for m, (_, c) in zip(members, pairs, strict=True)]
    for choice in itertools.product(*each):
        meant = np.zeros(len(part.groups), np.intp)
        meant[[node for nodes in choice for node in nodes]] = 1
        yield meant


def _count_linked(part: Chosen, meant: Rows) -> Rows:
    """Count how many of those meant each node is linked to."""
    return summed(part.near, meant.astype(np.float64)).astype(np.intp)


def summed(near: Neighbours, values: Floats) -> Floats:
    """Sum a value over the neighbours of each node."""
    degrees = np.diff(near.starts)
    own = np.repeat(np.arange(len(degrees)), degrees)
    return np.bincount(own, values[near.places], len(degrees)).astype(np.float64)


def _few_or_many(part: Chosen, values: npt.NDArray[np.generic]) -> tuple[float, float, float]:
    """The least, mean and largest sum of a value over those meant: those of its groups add up."""
    least = mean = most = 0.0
    for group, count in enumerate(part.counts.tolist()):
        inside = np.sort(values[part.groups == group].astype(np.float64))
        least += inside[:count].sum()
        most += inside[len(inside) - count :].sum()
        mean += inside.mean() * count
    return least, mean, most


def _find_largest(part: Chosen, values: Rows) -> tuple[float, float, float]:
    """Find the least, mean and largest maximum of a value over those meant."""
    inside = [np.sort(values[part.groups == g]) for g in np.flatnonzero(part.counts)]
    counts = part.counts[part.counts > 0].tolist()
    levels = np.unique(np.concatenate(inside))
    below = [
        prod(
            comb(int(np.searchsorted(v, level, "right")), c) / comb(len(v), c)
            for v, c in zip(inside, counts, strict=True)
        )
        for level in levels
    ]
    mean = float((levels * np.diff([0.0, *below])).sum())
    least = max(v[c - 1] for v, c in zip(inside, counts, strict=True))
    return float(least), mean, float(max(v[-1] for v in inside))
