"""Counts in a release whose values were drawn anew with published probabilities, undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Ints
from verikit.query._blocks import Blocks
from verikit.query._bound import Leaf, Tree
from verikit.release import Redraw

__all__ = ["Undone", "undone"]

MOST = 10


class Undone(NamedTuple):
    """The count to expect in the original, its variance, and whether it has no bias at all."""

    mean: float
    variance: float
    unbiased: bool


def undone(blocks: Blocks, tree: Tree | None) -> Undone | None:
    """The count to expect in the original, nearly without bias, and the variance of that estimate.

    A row that meets some conditions did so before, or got there by drawing the others' values; how
    often is known. Solving this from one condition to all of them gives each row a weight by which
    conditions it meets; the weights add up to the estimate, their squares tell its variance. Shares
    of single values are taken from the same rows, and an estimate is cut off at none and all, which
    makes a bias where more than one column is asked for and any was drawn from. There is none where
    a record cannot have kept all values asked for, where conditions are not joined by "and", or
    where a cell is open.

    Examples
    --------
    >>> import verikit as vk
    >>> from verikit.query._blocks import blocks
    >>> from verikit.query._bound import bound
    >>> seen = blocks(vk.published("yq_figure5"))
    >>> undone(seen, bound(vk.Query.count({"Job": "Clerk"}).where, seen.schema)).mean
    5.0
    """
    leaves = _leaves(tree)
    if blocks.redraw is None or not leaves or len(blocks.parts) > 1:
        return None
    columns, told = blocks.parts[0].columns, blocks.redraw
    fixed, met = np.ones(len(blocks), bool), np.zeros(len(blocks), np.int64)
    asked: list[str] = []
    for leaf in leaves:
        held = columns.rows(leaf)
        if not held.clear:
            return None
        if leaf.name in told.names:
            met |= held.surely.astype(np.int64) << len(asked)
            asked.append(leaf.name)
        else:
            fixed &= held.surely
    if len(asked) > MOST:
        return None
    sets = 2 ** len(asked)
    counts = np.array([np.bincount(met[rows], minlength=sets) for rows in (~fixed, fixed)])
    bits = (np.arange(sets) >> np.arange(len(asked))[:, None] & 1).astype(np.float64)
    shares = bits @ counts.sum(axis=0) / len(blocks)
    weights = _weights(told, asked, shares)
    if weights is None:
        return None
    variance = _variance(told, asked, counts, shares, weights)
    return Undone(float(counts[1] @ weights[-1]), variance, not asked or len(leaves) == 1)


def _leaves(tree: Tree | None) -> tuple[Leaf, ...]:
    """The conditions of a tree that asks for all of them, one a column; none of any other."""
    if tree is None:
        return ()
    parts = (tree,) if isinstance(tree, Leaf) else tree.parts if tree.every else ()
    leaves = tuple(part for part in parts if isinstance(part, Leaf))
    alone = len({leaf.name for leaf in leaves}) == len(leaves) == len(parts)
    return leaves if alone else ()


def _weights(told: Redraw, asked: Sequence[str], shares: Floats) -> Floats | None:
    """What a row counts for each set of the conditions, by which of them it meets.

    What the rows count for a set adds up to the number of originals that met all of it. None where
    that has no solution.
    """
    sets = np.arange(2 ** len(asked))
    products = np.array([np.prod([s for k, s in enumerate(shares) if u >> k & 1]) for u in sets])
    found = np.ones((len(sets), len(sets)))
    for some in range(1, len(sets)):
        only = told.only([name for k, name in enumerate(asked) if some >> k & 1])
        if only[0] <= 0:
            return None
        weights = ((sets & some) == some).astype(np.float64)
        inside = [u for u in range(some + 1) if u & some == u]  # in the order of `only`
        for chance, drawn in zip(only[1:], inside[1:], strict=True):
            if chance:
                weights -= chance * products[drawn] * found[some ^ drawn]
        found[some] = weights / only[0]
    return found


def _variance(
    told: Redraw, asked: Sequence[str], counts: Ints, shares: Floats, weights: Floats
) -> float:
    """The variance of the estimate, in which the shares of single values are estimates too.

    A row also moves the shares, and by them what all rows count. Its part varies by the difference
    between the mean of the square, which is seen, and the square of the mean, a sum over the
    conditions that the original met, which is estimated like any other count.
    """
    sets, n = len(weights), counts.sum()
    bits = (np.arange(sets) >> np.arange(len(asked))[:, None] & 1).astype(np.float64)
    moves = np.zeros(len(asked))
    for k in range(len(asked)):  # the estimate is linear in each share
        for end, sign in ((1.0, 1.0), (0.0, -1.0)):
            at_end = shares.copy()
            at_end[k] = end
            found = _weights(told, asked, at_end)
            moves[k] += 0.0 if found is None else sign * float(counts[1] @ found[-1]) / n
    drawn = np.array([told.only([name])[1] for name in asked])[:, None]
    stays = (1 - drawn) * bits + drawn * shares[:, None]
    variance = 0.0
    for rows, there in zip(counts, (0.0, 1.0), strict=True):
        seen = there * weights[-1] + moves @ bits
        mean = there * (np.arange(sets) == sets - 1) + moves @ stays
        variance += float(rows @ seen**2) - float(_by_sets(mean**2) @ (weights @ rows))
    return max(variance, 0.0)


def _by_sets(values: Floats) -> Floats:
    """The terms of a function of which conditions are met: for each set, what meeting all adds."""
    found = values.copy()
    for k in range(len(values).bit_length() - 1):
        halves = found.reshape(-1, 2, 2**k)
        halves[:, 1] -= halves[:, 0]
    return found
