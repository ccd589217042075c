"""Estimate an aggregate, and its variance over all links of what was cut apart or redrawn."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, nan
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Floats, Ints, Rows, Values
from verikit.query._blocks import Blocks, Matches, Part, center_blocks
from verikit.query._counting import Counting, sort_rows
from verikit.query._tree import Leaf, Tree
from verikit.release import Redraw

MAX_REDRAWN = 10  # conditions: their sets are 2 to this number


class Moments(NamedTuple):
    """The mean and the variance over all possible answers."""

    mean: float
    variance: float


def find_count_moments(counting: Counting, tree: Tree | None) -> Moments | None:
    """Find those of a count, from the expected pairs of people who meet a tree."""
    mean = counting.count(tree).mean
    pairs = counting.count_pairs(True if tree is None else tree, True if tree is None else tree)
    if pairs is None:
        return None
    total = float(mean.sum())
    squares = float(np.square(mean, dtype=np.float64).sum())
    return Moments(total, max(total + float(pairs.sum()) - squares, 0.0))


def find_expected(aggregate: str, share: Floats, middle: Floats) -> float:
    """Find the aggregate of values weighed by their chance to be meant; none without any."""
    rows = np.flatnonzero((share > 0) & ~np.isnan(middle))
    share, middle = share[rows], middle[rows]
    if aggregate == "sum":
        return fsum(share * middle)
    if not len(rows):
        return nan
    if aggregate == "avg":
        return fsum(share * middle) / fsum(share)
    sign = 1 if aggregate == "min" else -1
    order = np.argsort(sign * middle, kind="stable")
    return sign * _find_first(sign * middle[order], 1 - share[order]).mean


def _find_first(values: Floats, missed: Floats) -> Moments:
    """Find the first of ascending values, each missed with a chance, if any is met."""
    still = np.cumprod(missed)
    chance = np.append(1.0, still[:-1]) - still
    whole = 1 - still[-1]
    mean = fsum(values * chance) / whole
    return Moments(mean, fsum((values - mean) ** 2 * chance) / whole)


class Case(NamedTuple):
    """Rows of a part whose value is meant if other parts say so: by block, and one by one."""

    rest: Tree | bool
    number: Values
    center: Floats
    apart: Floats
    rows: Flags | None


def find_moments(
    counting: Counting, aggregate: str, name: str, tree: Tree | None
) -> Moments | None:
    """Find mean and variance where all links in a block are equally likely and a form is known.

    The rows of a block that leave the same to ask are meant with the same chance, and any two of
    them too, so that the sum of those meant varies by how many there are, and by which.
    """
    blocks = counting.blocks
    part, sizes = blocks.parts[blocks.home[name]], blocks.sizes
    alone = tree is None or blocks.find_homes(tree) == {blocks.home[name]}
    if (alone and part.people is None) or not part.columns[name].clear:
        return None
    cases = _list_cases(part, name, tree)
    if cases is None:
        return None
    hits = [counting.count(case.rest) for case in cases]
    if aggregate in ("min", "max"):
        return _find_extreme_moments(part, cases, hits, name, aggregate)
    rows = part.rows
    links = np.maximum(rows * (rows - 1.0), 1)
    means = [
        case.number * hit.mean / np.maximum(rows, 1) for case, hit in zip(cases, hits, strict=True)
    ]
    total = spread = np.zeros(len(sizes))
    for one, mean in zip(cases, means, strict=True):
        total = total + one.center * mean
        for two, other in zip(cases, means, strict=True):
            pairs = counting.count_pairs(one.rest, two.rest)
            if pairs is None:
                return None
            both = one.number * (two.number - float(one is two)) * pairs / links
            spread = spread + one.center * two.center * (both - mean * other + mean * (one is two))
            if one is two:
                apart = mean / np.maximum(one.number, 1) - pairs / links
                spread = spread + np.where(one.number > 1, apart * one.apart, 0.0)
    number = 1
    if aggregate == "avg":
        count = counting.count(tree)
        number = int(count.low.sum())
        missing = part.columns[name].missing
        if not number or missing or int(count.high.sum()) != number:
            return None
    return Moments(fsum(total.tolist()) / number, max(fsum(spread.tolist()), 0.0) / number**2)


def _list_cases(part: Part, name: str, tree: Tree | None) -> list[Case] | None:
    """List the cases of the rows of a part, but those that meet nothing; None for open cells."""
    asked = tree is not None and bool(tree.columns & frozenset(part.names))
    ready = None if asked else part.sort_values(name)
    if ready is not None:
        rest = True if tree is None else tree
        return [Case(rest, part.rows, ready[0].center, ready[0].apart, None)]
    values = part.columns[name].ends().low[part.columns.codes(name)]
    known = ~np.isnan(values)
    found = []
    for (rest,), rows, _ in sort_rows(part, (True if tree is None else tree,)):
        if not rows.clear:
            return None
        if rest is not False:
            held = rows.surely & known
            labels = part.blocks_of_rows()[held]
            ends = center_blocks(values[held], labels, part.groups)
            found.append(Case(rest, part.count_rows(held), *ends, held))
    return found


def _find_extreme_moments(
    part: Part,
    cases: list[Case],
    hits: list[Matches],
    name: str,
    aggregate: str,
) -> Moments | None:
    """Find those of an extreme, where one kind of rows is meant, and a certain number of people."""
    if len(cases) != 1 or not hits[0].exact:
        return None
    meant = np.ones(len(part), bool) if cases[0].rows is None else cases[0].rows
    values = part.columns[name].ends().low[part.columns.codes(name)][meant]
    sign, labels = 1 if aggregate == "min" else -1, part.blocks_of_rows()[meant]
    found = _find_least_moments(part.rows, labels, sign * values, hits[0].low)
    return Moments(sign * found.mean, found.variance)


def _find_least_moments(sizes: Values, labels: Rows, values: Floats, hits: Values) -> Moments:
    """Find those of the least value that random choices hit, if any is hit.

    The hits of a block are drawn without replacement, so that each miss makes the next less likely.
    """
    order = np.lexsort((values, labels))
    of_block = labels[order]
    place = np.arange(len(order)) - np.searchsorted(of_block, of_block)
    left = sizes[of_block] - place
    missed = np.maximum(left - hits[of_block], 0) / left
    ascending = np.argsort(values[order], kind="stable")
    return _find_first(values[order][ascending], missed[ascending])


class Undone(NamedTuple):
    """The count to expect in the original, its variance, and whether it has no bias at all."""

    mean: float
    variance: float
    unbiased: bool


def undo_redraw(blocks: Blocks, tree: Tree | None) -> Undone | None:
    """Estimate the count in the original, nearly without bias, and the variance of the estimate.

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
    >>> from verikit.query import bind_conditions, blocks
    >>> seen = blocks(vk.published("yq_figure5"))
    >>> tree = bind_conditions(vk.Query.count({"Job": "Clerk"}).where, seen.schema)
    >>> undo_redraw(seen, tree).mean
    5.0
    """
    leaves = _list_leaves(tree)
    if blocks.redraw is None or not leaves or len(blocks.parts) > 1:
        return None
    columns, told = blocks.parts[0].columns, blocks.redraw
    fixed, met = np.ones(len(blocks), bool), np.zeros(len(blocks), np.int64)
    asked: list[str] = []
    for leaf in leaves:
        held = columns.match(leaf)
        if not held.clear:
            return None
        if leaf.name in told.names:
            met |= held.surely.astype(np.int64) << len(asked)
            asked.append(leaf.name)
        else:
            fixed &= held.surely
    if len(asked) > MAX_REDRAWN:
        return None
    sets = 2 ** len(asked)
    counts = np.array([np.bincount(met[rows], minlength=sets) for rows in (~fixed, fixed)])
    bits = (np.arange(sets) >> np.arange(len(asked))[:, None] & 1).astype(np.float64)
    shares = bits @ counts.sum(axis=0) / len(blocks)
    weights = solve_weights(told, asked, shares)
    if weights is None:
        return None
    variance = _estimate_variance(told, asked, counts, shares, weights)
    return Undone(float(counts[1] @ weights[-1]), variance, not asked or len(leaves) == 1)


def _list_leaves(tree: Tree | None) -> tuple[Leaf, ...]:
    """List the conditions of a tree that asks for all of them, one a column; none of any other."""
    if tree is None:
        return ()
    parts = (tree,) if isinstance(tree, Leaf) else tree.parts if tree.every else ()
    leaves = tuple(part for part in parts if isinstance(part, Leaf))
    alone = len({leaf.name for leaf in leaves}) == len(leaves) == len(parts)
    return leaves if alone else ()


def solve_weights(told: Redraw, asked: Sequence[str], shares: Floats) -> Floats | None:
    """Solve for what a row counts for each set of the conditions, by which of them it meets.

    What the rows count for a set adds up to the number of originals that met all of it. None where
    that has no solution.
    """
    sets = np.arange(2 ** len(asked))
    products = np.array([np.prod([s for k, s in enumerate(shares) if u >> k & 1]) for u in sets])
    found = np.ones((len(sets), len(sets)))
    for some in range(1, len(sets)):
        only = told.chances_by_set([name for k, name in enumerate(asked) if some >> k & 1])
        if only[0] <= 0:
            return None
        weights = ((sets & some) == some).astype(np.float64)
        inside = [u for u in range(some + 1) if u & some == u]  # in the order of `only`
        for chance, drawn in zip(only[1:], inside[1:], strict=True):
            if chance:
                weights -= chance * products[drawn] * found[some ^ drawn]
        found[some] = weights / only[0]
    return found


def _estimate_variance(
    told: Redraw, asked: Sequence[str], counts: Ints, shares: Floats, weights: Floats
) -> float:
    """Estimate the variance, to which the shares of single values, estimates too, contribute.

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
            found = solve_weights(told, asked, at_end)
            moves[k] += 0.0 if found is None else sign * float(counts[1] @ found[-1]) / n
    drawn = np.array([told.chances_by_set([name])[1] for name in asked])[:, None]
    stays = (1 - drawn) * bits + drawn * shares[:, None]
    variance = 0.0
    for rows, there in zip(counts, (0.0, 1.0), strict=True):
        seen = there * weights[-1] + moves @ bits
        mean = there * (np.arange(sets) == sets - 1) + moves @ stays
        variance += float(rows @ seen**2) - float(_invert_sets(mean**2) @ (weights @ rows))
    return max(variance, 0.0)


def _invert_sets(values: Floats) -> Floats:
    """Find for each set of conditions what meeting all of them adds: the Möbius transform."""
    found = values.copy()
    for k in range(len(values).bit_length() - 1):
        halves = found.reshape(-1, 2, 2**k)
        halves[:, 1] -= halves[:, 0]
    return found
