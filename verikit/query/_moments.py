"""What to expect of an aggregate, and its variance over all ways to link what was cut apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import fsum, nan
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Rows, Values
from verikit.query._ascending import centers
from verikit.query._blocks import Blocks
from verikit.query._bound import Joined, Tree, joined
from verikit.query._known import known, rows_of
from verikit.query._part import Known

__all__ = ["Moments", "count_moments", "expected", "moments"]


class Moments(NamedTuple):
    """The mean and the variance over all possible answers."""

    mean: float
    variance: float


def count_moments(count: Known) -> Moments | None:
    """Those of a count, where the expected pairs of records are known."""
    pairs, mean = count.pairs_of(slice(None)), count.mean
    if pairs is None:
        return None
    total = float(mean.sum())
    squares = float(np.square(mean, dtype=np.float64).sum())
    return Moments(total, max(total + float(pairs.sum()) - squares, 0.0))


def expected(blocks: Blocks, aggregate: str, name: str, tree: Tree | None) -> float:
    """The aggregate with each record weighed by its chance to be meant; no value without any."""
    part = blocks.together or blocks.parts[blocks.home[name]]
    coded = part.columns[name]
    middle = coded.ends().middle[coded.codes]
    share = np.ones(len(part))
    if tree is not None:
        held = _held(blocks, name, tree)
        share = held.astype(np.float64)
    share = share * part.chance_of_people()
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
    return sign * _first(sign * middle[order], 1 - share[order]).mean


def _held(blocks: Blocks, name: str, tree: Tree) -> Values:
    if blocks.together is not None:
        return blocks.together.columns.rows(tree).share
    return rows_of(blocks, blocks.home[name], tree).share


def _first(values: Floats, missed: Floats) -> Moments:
    """The first of some values in ascending order, each missed with a chance, if any is met."""
    still = np.cumprod(missed)
    chance = np.append(1.0, still[:-1]) - still
    whole = 1 - still[-1]
    mean = fsum(values * chance) / whole
    return Moments(mean, fsum((values - mean) ** 2 * chance) / whole)


def moments(blocks: Blocks, aggregate: str, name: str, tree: Tree | None) -> Moments | None:
    """Mean and variance where every link inside a block is equally likely and a form is known.

    A selection takes a random choice of the records of a block, as many as meet what other parts
    are asked; of these, the values of the records that meet what their own part is asked.
    """
    place = blocks.home[name]
    part, sizes = blocks.parts[place], blocks.rows(place)
    halves = _halves(blocks, place, tree)
    if halves is None or not part.columns[name].clear or blocks.together is not None:
        return None
    own, other = halves
    hits = known(blocks, other)
    ready = part.ascending(name) if own is None else None
    if ready is not None and aggregate in TOTALS:
        return TOTALS[aggregate](sizes, (ready[0].center, ready[0].apart), hits)
    values = part.columns[name].ends().low[part.columns[name].codes]
    meant = ~np.isnan(values)
    if own is not None:
        held = part.columns.rows(own)
        if not held.clear:
            return None
        meant &= held.surely
    if aggregate in TOTALS:
        counted = np.where(meant, values, 0.0)
        parts = centers(counted, part.blocks_of_rows(), len(sizes))
        sums = aggregate == "sum" or bool(meant.all())
        return TOTALS[aggregate](sizes, parts, hits) if sums else None
    if not hits.exact:
        return None
    sign = 1 if aggregate == "min" else -1
    found = _extreme(sizes, part.blocks_of_rows()[meant], sign * values[meant], hits.low)
    return None if found is None else Moments(sign * found.mean, found.variance)


def _halves(
    blocks: Blocks, place: int, tree: Tree | None
) -> tuple[Tree | None, Tree | None] | None:
    """What a part itself is asked, and all others; None where the two are not joined by "and".

    Others are asked whose a row is, where it may be nobody's.
    """
    homes = frozenset() if tree is None else blocks.homes(tree)
    if tree is not None and place not in homes:
        return None, tree
    if homes <= {place}:
        return None if blocks.parts[place].people is None else (tree, None)
    if not isinstance(tree, Joined) or not tree.every:
        return None
    own, others = None, []
    for homes, branch in blocks.sorted_out(tree):
        if homes == {place}:
            own = branch
        elif place in homes:
            return None
        else:
            others.append(branch)
    return (own, joined(others, every=True)) if others else None


def _sum(sizes: Values, parts: tuple[Floats, Floats], hits: Known) -> Moments | None:
    """Of a sum, from the average and the spread of each block; other blocks add nothing."""
    some = np.flatnonzero(hits.high)
    pairs, mean = hits.pairs_of(some), hits.mean[some]
    if pairs is None:
        return None
    n, center, apart = sizes[some].astype(np.float64), parts[0][some], parts[1][some]
    one, two = mean / n, pairs / np.maximum(n * (n - 1), 1)
    of_hits = np.maximum(mean + pairs - np.square(mean, dtype=np.float64), 0)
    variance = center**2 * of_hits + (one - two) * apart * (n > 1)
    return Moments(fsum((center * mean).tolist()), fsum(variance.tolist()))


def _average(sizes: Values, parts: tuple[Floats, Floats], hits: Known) -> Moments | None:
    """Of an average: that of the sum, where the number of its values is certain."""
    total, size = _sum(sizes, parts, hits), int(hits.low.sum())
    if total is None or not hits.exact or not size:
        return None
    return Moments(total.mean / size, total.variance / size**2)


TOTALS: Mapping[str, Callable[[Values, tuple[Floats, Floats], Known], Moments | None]] = {
    "sum": _sum,
    "avg": _average,
}


def _extreme(sizes: Values, labels: Rows, values: Floats, hits: Values) -> Moments | None:
    """The smallest of the values that random choices hit, if some choice cannot but hit one."""
    order = np.lexsort((values, labels))
    of_block = labels[order]
    place = np.arange(len(order)) - np.searchsorted(of_block, of_block)
    left = sizes[of_block] - place
    missed = np.maximum(left - hits[of_block], 0) / left
    ascending = np.argsort(values[order], kind="stable")
    if not (missed == 0).any():
        return None
    return _first(values[order][ascending], missed[ascending])
