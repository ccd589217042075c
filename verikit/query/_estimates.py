"""Estimate an aggregate, and its variance over all links of what was cut apart or redrawn."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, nan
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Ints, Rows, Values
from verikit.query._blocks import Blocks, MatchCounts, center_blocks, count_matches, match_rows
from verikit.query._tree import Joined, Leaf, Tree, find_values_asked, join_parts
from verikit.release import Redraw

MAX_REDRAWN = 10  # conditions: their sets are 2 to this number


class Moments(NamedTuple):
    """The mean and the variance over all possible answers."""

    mean: float
    variance: float


def find_count_moments(count: MatchCounts) -> Moments | None:
    """Find those of a count, where the expected pairs of records are known."""
    pairs, mean = count.pairs_in(slice(None)), count.mean
    if pairs is None:
        return None
    total = float(mean.sum())
    squares = float(np.square(mean, dtype=np.float64).sum())
    return Moments(total, max(total + float(pairs.sum()) - squares, 0.0))


def find_expected(blocks: Blocks, aggregate: str, name: str, tree: Tree | None) -> float:
    """Find the aggregate with records weighed by their chance to be meant; none without any."""
    part = blocks.together or blocks.parts[blocks.home[name]]
    coded = part.columns[name]
    middle = coded.ends(find_values_asked(tree, name)).middle[coded.codes]
    share = part.chance_of_people()
    if tree is not None and blocks.together is not None:
        share = blocks.together.columns.match(tree).share * share
    elif tree is not None:
        share = match_rows(blocks, blocks.home[name], tree).share * share
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


def find_moments(blocks: Blocks, aggregate: str, name: str, tree: Tree | None) -> Moments | None:
    """Find mean and variance where all links in a block are equally likely and a form is known.

    A selection takes a random choice of the records of a block, as many as meet what other parts
    are asked; of these, the values of the records that meet what their own part is asked.
    """
    place = blocks.home[name]
    part, sizes = blocks.parts[place], blocks.rows(place)
    halves = _split_tree(blocks, place, tree)
    if halves is None or not part.columns[name].clear or blocks.together is not None:
        return None
    own, other = halves
    hits = count_matches(blocks, other)
    ready = part.sort_values(name) if own is None else None
    total = aggregate in ("sum", "avg")
    if ready is not None and total:
        return _find_total_moments(aggregate, sizes, (ready[0].center, ready[0].apart), hits)
    values = part.columns[name].ends().low[part.columns[name].codes]
    meant = ~np.isnan(values)
    if own is not None:
        held = part.columns.match(own)
        if not held.clear:
            return None
        meant &= held.surely
    if total:
        counted = np.where(meant, values, 0.0)
        parts = center_blocks(counted, part.blocks_of_rows(), len(sizes))
        sums = aggregate == "sum" or bool(meant.all())
        return _find_total_moments(aggregate, sizes, parts, hits) if sums else None
    if not hits.exact:
        return None
    sign = 1 if aggregate == "min" else -1
    found = _find_least_moments(sizes, part.blocks_of_rows()[meant], sign * values[meant], hits.low)
    return Moments(sign * found.mean, found.variance)


def _split_tree(
    blocks: Blocks, place: int, tree: Tree | None
) -> tuple[Tree | None, Tree | None] | None:
    """Split a tree into what a part is asked and what others are; None where "and" joins not both.

    Others are asked whose a row is, where it may be nobody's.
    """
    homes = frozenset() if tree is None else blocks.find_homes(tree)
    if tree is not None and place not in homes:
        return None, tree
    if homes <= {place}:
        return None if blocks.parts[place].people is None else (tree, None)
    if not isinstance(tree, Joined) or not tree.every:
        return None
    own, others = None, []
    for homes, branch in blocks.split_branches(tree):
        if homes == {place}:
            own = branch
        elif place in homes:
            return None
        else:
            others.append(branch)
    return (own, join_parts(others, every=True)) if others else None


def _find_total_moments(
    aggregate: str, sizes: Values, parts: tuple[Floats, Floats], hits: MatchCounts
) -> Moments | None:
    """Find those of a sum, from the average and the spread of each block that may be hit.

    In a block the hits are a sample without replacement, whose variance has a closed form. Those
    of an average follow where the number of its values is certain.
    """
    number = 1 if aggregate == "sum" else int(hits.low.sum())
    if not number or (aggregate == "avg" and not hits.exact):
        return None
    some = np.flatnonzero(hits.high)
    pairs, mean = hits.pairs_in(some), hits.mean[some]
    if pairs is None:
        return None
    n, center, apart = sizes[some].astype(np.float64), parts[0][some], parts[1][some]
    one, two = mean / n, pairs / np.maximum(n * (n - 1), 1)
    of_hits = np.maximum(mean + pairs - np.square(mean, dtype=np.float64), 0)
    variance = center**2 * of_hits + (one - two) * apart * (n > 1)
    total, spread = fsum((center * mean).tolist()), fsum(variance.tolist())
    return Moments(total / number, spread / number**2)


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
