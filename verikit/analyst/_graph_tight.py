"""Answers about a published graph by trying every choice of nodes: exact, and for small groups."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import comb, prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Flags, Floats, Rows
from verikit.analyst._graph_parts import Chosen
from verikit.errors import InfeasibleError
from verikit.table import Neighbours

__all__ = ["Tight", "tight_count", "tight_links", "tight_most"]

WAYS = 50_000


class Tight(NamedTuple):
    """The least, the mean and the most over every way to give names to nodes."""

    lower: float
    mean: float
    upper: float


def tight_count(counted: Chosen, others: Chosen) -> Tight:
    """How many of those counted are linked to one of the others."""
    return _over_choices(others, lambda meant: _few_or_many(counted, _linked(counted, meant) > 0))


def tight_links(counted: Chosen, others: Chosen) -> Tight:
    """How many links there are between both."""
    return _over_choices(others, lambda meant: _few_or_many(counted, _linked(counted, meant)))


def tight_most(side: Chosen, others: Chosen, kept: Flags) -> Tight:
    """The most links of one of a side to the others, of which only the kept nodes count."""
    return _over_choices(others, lambda meant: _largest(side, _linked(side, meant * kept)))


def _over_choices(others: Chosen, answer: object) -> Tight:
    found = np.array([answer(meant) for meant in _choices(others)])  # type: ignore[operator]
    return Tight(float(found[:, 0].min()), float(found[:, 1].mean()), float(found[:, 2].max()))


def _choices(part: Chosen) -> Iterator[Rows]:
    """Every choice of nodes, as many in each group as entities are meant; 1 where chosen."""
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


def _linked(part: Chosen, meant: Rows) -> Rows:
    """How many of those meant each node is linked to."""
    return summed(part.near, meant.astype(np.float64)).astype(np.intp)


def summed(near: Neighbours, values: Floats) -> Floats:
    """The sum of a value over the neighbours of each node."""
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


def _largest(part: Chosen, values: Rows) -> tuple[float, float, float]:
    """The least, mean and largest maximum of a value over those meant."""
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
