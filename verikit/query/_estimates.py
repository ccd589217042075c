"""Estimate an aggregate, and its variance over all links of what was cut apart or redrawn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import fsum, nan, prod
from typing import NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows, Values
from verikit.query._blocks import Blocks, Matches, Part, center_blocks
from verikit.query._columns import Columns
from verikit.query._counting import Counting, sort_rows
from verikit.query._tree import Joined, Leaf, Tree, walk_up
from verikit.table import Schema

MAX_REDRAWN = 10  # columns: their sets are 2 to this number
MAX_LEAVES, MAX_CELLS = 16, 2**16
NOTHING = 1e-12  # of a chance or a count


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

    What is asked parts the values of each column into classes; the combination of a row's classes,
    its cell, decides whether it is counted. See `weigh_cells` for what a row of a cell counts for,
    so that rows add up to the number of originals. Shares of classes are taken from the same rows,
    and an estimate is cut off at none and all, which makes a bias where more than one column is
    asked for and any was drawn from. There is none where a record cannot have kept all values that
    matter together, or where a cell of the table is open.

    Examples
    --------
    >>> import verikit as vk
    >>> from verikit.query import bind_conditions, blocks
    >>> seen = blocks(vk.published("yq_figure5"))
    >>> tree = bind_conditions(vk.Query.count({"Job": "Clerk"}).where, seen.schema)
    >>> undo_redraw(seen, tree).mean
    5.0
    """
    if blocks.redraw is None or tree is None or len(blocks.parts) > 1 or not len(blocks):
        return None
    asked = [name for name in blocks.redraw.names if name in tree.columns]
    cells = _count_cells(blocks, tree, asked) if len(asked) <= MAX_REDRAWN else None
    if cells is None:
        return None
    rows, wanted, shares = cells
    kept = blocks.redraw.kept_chances(asked)
    weights = weigh_cells(kept, shares, wanted)
    if weights is None:
        return None
    told = bool(blocks.redraw.values)
    variance = _estimate_variance(kept, rows, shares, wanted, weights, told)
    if variance is None:
        return None
    alone = told or (len(asked) == 1 and len(wanted) == 1)
    return Undone(float((rows * weights).sum()), variance, alone or not asked)


def _count_cells(
    blocks: Blocks, tree: Tree, asked: list[str]
) -> tuple[Ints, Floats, list[Floats]] | None:
    """Count the rows of each cell, and say which cells a tree holds; None where any row is open.

    The first axis is that of the columns that are not drawn from, each other one is of one that is;
    of these the share of each class comes too, of all values where it is drawn from these.
    """
    even = {} if blocks.redraw is None else blocks.redraw.values
    parts = dict.fromkeys(walk_up(tree))
    held = {one: blocks.parts[0].columns.match(one) for one in parts if isinstance(one, Leaf)}
    axes = [[one for one in held if one.name not in asked]]
    axes += [[one for one in held if one.name == name] for name in asked]
    if not all(one.clear for one in held.values()) or max(map(len, axes)) > MAX_LEAVES:
        return None
    met: dict[Tree, Flags] = {}
    places, shape, shares = [], [], []
    for axis, leaves in enumerate(axes):
        bits = _number_classes([held[one].surely for one in leaves], len(blocks))
        drawn = bits
        if axis and even:
            name = asked[axis - 1]
            frame = pd.DataFrame({name: [*even[name]]})
            all_values = Columns(frame, Schema((blocks.schema[name],)), blocks.promise)
            drawn = _number_classes([all_values.match(one).surely for one in leaves], len(frame))
        counts = np.bincount(drawn)
        codes = np.flatnonzero(counts)
        places.append(np.searchsorted(codes, bits))
        shape.append(len(codes))
        shares.append(counts[codes] / len(drawn))
        for k, one in enumerate(leaves):
            flags = (codes >> k & 1).astype(bool)
            met[one] = flags.reshape([-1 if at == axis else 1 for at in range(len(axes))])
    if prod(shape) > MAX_CELLS:
        return None
    for part in parts:
        if isinstance(part, Joined):
            join = np.logical_and if part.every else np.logical_or
            met[part] = reduce(join, [met[one] for one in part.parts])
    rows = np.bincount(np.ravel_multi_index(places, shape), minlength=prod(shape)).reshape(shape)
    return rows, np.broadcast_to(met[tree], shape).astype(np.float64), shares[1:]


def _number_classes(held: Sequence[Flags], size: int) -> Ints:
    """Number by value, or row, the class of the conditions that hold."""
    bits = np.zeros(size, np.int64)
    for k, flags in enumerate(held):
        bits |= flags.astype(np.int64) << k
    return bits


def weigh_cells(kept: Floats, shares: Sequence[Floats], wanted: Floats) -> Floats | None:
    """Find what a row of each cell counts for, so that an original counts for what is wanted of it.

    Drawing a column anew puts in place of what is wanted its average over that column. So what is
    wanted is split by the columns that it does not average over; each part shrinks by the chance
    that none of these was drawn anew, and is divided by that. None where a part would be lost. It
    takes 2 to the number of columns passes over the cells.

    Parameters
    ----------
    kept
        For each set of the columns the chance that none of them is drawn (see `Redraw`).
    shares
        For each column drawn from the shares of its classes.
    wanted
        What an original of each cell counts for; the first axis is that of all other columns.
    """
    parts = {0: wanted}
    for k, share in enumerate(shares):
        split: dict[int, Floats] = {}
        for some, part in parts.items():
            mean = np.average(part, axis=k + 1, weights=share, keepdims=True)
            split |= {some: mean, some | 1 << k: part - mean}
        parts = split
    found = np.zeros_like(wanted)
    for some, part in parts.items():
        if kept[some] > NOTHING:
            found += part / kept[some]
        elif np.abs(part).max() > NOTHING:
            return None
    return found


def _estimate_variance(
    kept: Floats,
    rows: Ints,
    shares: Sequence[Floats],
    wanted: Floats,
    weights: Floats,
    told: bool,
) -> float | None:
    """Estimate the variance, to which shares of classes contribute, unless told: estimates too.

    A row also moves the shares, and by them what all rows count. Its part varies by the difference
    between the mean of the square, which is seen, and the square of the mean, a sum over what the
    original was, which is estimated like any other count.
    """
    seen, mean = weights, wanted
    for k, share in enumerate(() if told else shares):
        moves = np.zeros(len(share))
        for at, end in enumerate(np.eye(len(share))):  # the estimate is linear in each share
            found = weigh_cells(kept, [*shares[:k], end, *shares[k + 1 :]], wanted)
            if found is None:
                return None
            moves[at] = float((rows * found).sum()) / rows.sum()
        stays = kept[1 << k] * moves + (1 - kept[1 << k]) * (moves @ share)
        along = [-1 if axis == k + 1 else 1 for axis in range(wanted.ndim)]
        seen, mean = seen + moves.reshape(along), mean + stays.reshape(along)
    squares = weigh_cells(kept, shares, mean**2)
    return None if squares is None else max(float((rows * (seen**2 - squares)).sum()), 0.0)
